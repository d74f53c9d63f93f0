{% macro moved_rows() -%}
-- one step each: Spark cannot plan a step with a decoder in it that is read twice
live_rows as (

    select
        ranked.*,
        moves.* except (feed, table_id, table_incarnation, version_from_ts, cause, lineage),
        moves.cause as move_cause,
        ticdc_project_row(
            ranked.after,
            {{ ticdc.version_chain("moves.lineage", "ranked.version_from_ts", "moves.version_from_ts") }},
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
        ticdc_partition_of(projected.row, partitioning, columns, partition_names) as placed
    from live_rows

),

moved_rows as (

    select
        *,
        ticdc_project_row(projected.row, '[' || to_columns || ']', projected.lossy) as moved
    from located_rows
    where partition_names is null or placed.is_in

)
{%- endmacro %}
