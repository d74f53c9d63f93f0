{% macro moved_rows() -%}
-- one step each: Spark cannot plan a step with a decoder in it that is read twice
live_rows as (

    select
        ranked.* except (exchanged),
        moves.* except (feed, table_id, table_incarnation, version_from_ts, cause, lineage),
        moves.version_from_ts as left_version_ts,
        moves.cause as move_cause,
        if(
            exists(
                moves.regrouped,
                each -> each.partition_name = lower(ranked.exchanged.partition_name)
                and each.commit_ts > ranked.exchanged.commit_ts
            ),
            null,
            ranked.exchanged
        ) as exchanged,
        ticdc_project_row(
            ranked.after,
            {{ ticdc.version_chain("moves.lineage", "ranked.version_from_ts", "moves.version_from_ts") }},
            ranked.lossy
        ) as projected
    from ranked
    inner join moves
        on ranked.feed = moves.feed
            and ranked.table_id = moves.table_id
            and ranked.table_incarnation = moves.table_incarnation
    where ranked.place = 1 and ranked.after is not null

),

located_rows as (

    select
        *,
        ticdc_partition_of(projected.row, partitioning, columns, partition_names) as located
    from live_rows

),

{{ ticdc.decided_rows() }},

moved_rows as (

    select
        *,
        ticdc_project_row(projected.row, '[' || to_columns || ']', array_union(projected.lossy, doubts)) as moved
    from decided_rows
    where is_moved or size(doubts) > 0

)
{%- endmacro %}
