{% test before_image_chain(model) %}
with

pairs as (

    select
        changes.feed,
        changes.schema_name,
        changes.table_name,
        changes.table_id,
        changes.table_incarnation,
        changes.commit_ts,
        changes.row_key,
        history.valid_from_ts,
        from_json(changes.before, 'map<string, string>') as before,
        from_json(history.row, 'map<string, string>') as version_before,
        transform(changes.lossy || history.lossy, flag -> regexp_replace(flag, ':[^:]*$', '')) as flagged_columns
    from {{ model }} as changes
    inner join {{ ref("ticdc", "ticdc__row_history") }} as history
        on
            changes.feed = history.feed
            and changes.table_id = history.table_id
            and changes.table_incarnation = history.table_incarnation
            and changes.row_key = history.row_key
            and changes.commit_ts = history.valid_to_ts
    where changes.before is not null

),

ddl as (

    select distinct
        feed,
        table_id,
        table_incarnation,
        valid_from_ts as commit_ts
    from {{ ref("ticdc", "ticdc__columns") }}

),

compared as (

    select
        pairs.feed,
        pairs.schema_name,
        pairs.table_name,
        pairs.table_incarnation,
        pairs.commit_ts,
        pairs.row_key,
        filter(
            map_keys(pairs.before),
            name -> map_contains_key(pairs.version_before, name)
            and not try_element_at(pairs.before, name) <=> try_element_at(pairs.version_before, name)
            and not array_contains(pairs.flagged_columns, name)
        ) as differing_columns
    from pairs
    -- a DDL in between may have changed the values; rows of its own commit were written before it
    left anti join ddl
        on
            pairs.feed = ddl.feed
            and pairs.table_id = ddl.table_id
            and pairs.table_incarnation = ddl.table_incarnation
            and pairs.valid_from_ts <= ddl.commit_ts
            and pairs.commit_ts > ddl.commit_ts
    where not array_contains(pairs.flagged_columns, '*')

)

select *
from compared
where size(differing_columns) > 0
{% endtest %}
