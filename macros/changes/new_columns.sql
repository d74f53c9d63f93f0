{# Gives the SQL of the rows that live when a DDL gives their table other columns or types, as that version shows
   them: one change for each row and DDL. #}
{% macro rows_with_new_columns(carried_rows, settled, through, late) %}
{%- set identity = "feed, table_id, table_incarnation" -%}
with

new_versions as (

    select
        feed,
        table_id,
        table_incarnation,
        valid_from_ts
    from {{ ticdc.catalogue_records("version") }} as table_versions
    where
        row_effect = 'columns'
        and feed in ({{ ticdc.text_literals(ticdc.feeds() | map(attribute="name") | list) }})
        and {{ ticdc.is_within("valid_from_ts", through) }}
        -- DDL that the runs before did not apply
        and (
            valid_from_ts > coalesce({{ ticdc.of_feed(settled.bounds) }}, 0)
            {%- if late %}
            or {{ ticdc.is_of_ddl_commits(late, "valid_from_ts") }}
            {%- endif %}
        )

),

lineages as (

    select
        feed,
        table_id,
        table_incarnation,
        sort_array(collect_list(struct(valid_from_ts, columns, row_effect))) as versions
    from {{ ticdc.catalogue_records("version") }} as table_versions
    group by feed, table_id, table_incarnation

),

row_changes as (

    {{ ticdc.row_changes(carried_rows) }}

),

followed as (

    select
        *,
        lead(version_from_ts) over (
            partition by {{ ticdc.row_key_columns() }} order by {{ ticdc.row_order() }}
        ) as next_version_from_ts
    from row_changes
    left semi join new_versions using ({{ identity }})
    where cause <> 'new_columns'

),

rows as (

    select
        followed.*,
        new_versions.valid_from_ts as target_from_ts,
        ticdc_project_row(
            followed.after,
            {{ ticdc.version_chain("lineages.versions", "followed.version_from_ts", "new_versions.valid_from_ts") }},
            followed.lossy
        ) as projected
    from followed
    inner join new_versions using ({{ identity }})
    inner join lineages using ({{ identity }})
    where
        followed.after is not null
        and followed.version_from_ts < new_versions.valid_from_ts
        and coalesce(followed.next_version_from_ts >= new_versions.valid_from_ts, true)

)

select
    {{ ticdc.carried_columns({
        "commit_ts": "rows.target_from_ts",
        "version_from_ts": "rows.target_from_ts",
        "op": "'update'",
        "apply_rank": "3",
        "row_key": "rows.row_key",
        "after": "rows.projected.row",
        "lossy": "rows.projected.lossy",
        "cause": "'new_columns'",
    }) }},
    {{ ticdc.run_id() }} as first_run_id
from rows
{% endmacro %}

{# Gives the SQL expression of the column lists, as JSON text, from the version that a row is written in to the one
   asked for: what `ticdc_project_row` takes. #}
{% macro version_chain(versions, from_ts, to_ts) -%}
    '[' || array_join(
        transform(
            filter(
                {{ versions }},
                each -> each.valid_from_ts = {{ from_ts }}
                or (each.valid_from_ts between {{ from_ts }} and {{ to_ts }} and each.row_effect <> 'none')
            ),
            each -> each.columns
        ),
        ','
    ) || ']'
{%- endmacro %}

{# Gives the columns of `int_ticdc__carried_rows` for a query that reads from a CTE named `rows`. #}
{% macro carried_columns(values) %}
    {{ values.get("table_id", "rows.table_id") }} as table_id,
    {{ values.get("table_incarnation", "rows.table_incarnation") }} as table_incarnation,
    {{ values.version_from_ts }} as version_from_ts,
    rows.schema_name,
    rows.table_name,
    {{ values.commit_ts }} as commit_ts,
    rows.commit_ts_exact,
    {{ values.op }} as op,
    -- after the rows of its commit; without commit TSOs before them, as versions are told apart there
    {{ values.apply_rank }} - if(rows.commit_ts_exact, 0, 4) as apply_rank,
    {{ values.row_key }} as row_key,
    {{ values.get("before", "rows.after") }} as before,
    {{ values.get("after", "cast(null as string)") }} as after,
    {{ values.get("lossy", "rows.lossy") }} as lossy,
    '' as topic,
    0 as `partition`,
    cast(0 as bigint) as `offset`,
    0 as event_index,
    rows.row_commit_ts,
    {{ values.cause }} as cause,
    rows.physical_table_id,
    {{ values.get("exchanged", "rows.exchanged") }} as exchanged,
    rows.feed,
    {{ ticdc.run_id() }} as run_id
{% endmacro %}
