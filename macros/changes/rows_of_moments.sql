{% macro rows_of_moments(carried_rows, moments) %}
{%- set identity = "feed, table_id, table_incarnation" -%}
with

moves as (

    select * from {{ ticdc.rows_of(ref("int_ticdc__row_moves")) }}
    where
        {% for feed, commit_ts in moments -%}
        {{ "or " if not loop.first }}(feed = {{ ticdc.text_literal(feed) }} and moment_ts = {{ commit_ts }})
        {% endfor %}

),

row_changes as (

    {{ ticdc.row_changes(carried_rows) }}

),

ranked as (

    select
        row_changes.*,
        row_number() over (partition by {{ ticdc.row_key_columns() }} order by {{ ticdc.row_order("desc") }}) as place
    from row_changes
    left semi join moves
        on
            row_changes.feed = moves.feed
            and row_changes.table_id = moves.table_id
            and row_changes.table_incarnation = moves.table_incarnation
            and row_changes.commit_ts <= moves.moment_ts
            and row_changes.version_from_ts < moves.moment_ts

),

-- one step each: Spark cannot plan a step with a decoder in it that is read twice
live_rows as (

    select
        ranked.*,
        moves.* except ({{ identity }}, version_from_ts, cause, versions),
        moves.cause as move_cause,
        ticdc_project_row(
            ranked.after,
            {{ ticdc.version_chain("moves.versions", "ranked.version_from_ts", "moves.version_from_ts") }},
            ranked.lossy
        ) as projected
    from ranked
    inner join moves
        on
            ranked.feed = moves.feed
            and ranked.table_id = moves.table_id
            and ranked.table_incarnation = moves.table_incarnation
    where ranked.place = 1 and ranked.after is not null

),

located_rows as (

    select
        *,
        ticdc_partition_of(projected.row, partitioning, columns) as partition_name
    from live_rows

),

moved_rows as (

    select
        *,
        ticdc_project_row(projected.row, '[' || to_columns || ']', projected.lossy) as moved
    from located_rows
    where partition_names is null or array_contains(partition_names, lower(partition_name))

),

rows as (

    select
        moved_rows.*,
        change
    from moved_rows
    lateral view explode(
        filter(
            array(
                named_struct(
                    'op', 'delete',
                    'rank', 2,
                    'of_table_id', table_id,
                    'of_incarnation', table_incarnation,
                    'of_version_ts', moment_ts - 1,
                    'key', row_key,
                    'old', projected.row,
                    'new', cast(null as string),
                    'flags', lossy
                ),
                named_struct(
                    'op', 'insert',
                    'rank', 3,
                    'of_table_id', to_table_id,
                    'of_incarnation', to_incarnation,
                    'of_version_ts', to_version_from_ts,
                    'key', moved.row_key,
                    'old', cast(null as string),
                    'new', moved.row,
                    'flags', moved.lossy
                )
            ),
            each -> each.of_table_id is not null
        )
    ) exploded as change

)

select
    {{ ticdc.carried_columns({
        "table_id": "rows.change.of_table_id",
        "table_incarnation": "rows.change.of_incarnation",
        "version_from_ts": "rows.change.of_version_ts",
        "commit_ts": "rows.moment_ts",
        "op": "rows.change.op",
        "apply_rank": "rows.change.rank",
        "row_key": "rows.change.key",
        "before": "rows.change.old",
        "after": "rows.change.new",
        "lossy": "rows.change.flags",
        "cause": "rows.move_cause",
    }) }}
from rows
{% endmacro %}
