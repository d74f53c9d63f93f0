{# Gives the SQL of what a pass of DDL does to rows that move: those of a table with a new key, and those of
   partitions that are dropped, truncated or exchanged. #}
{% macro rows_of_ddl_commits(carried_rows, ddl_commits, known="") %}
{%- set with_same_id -%}
over (
            partition by
                feed, table_id, table_incarnation, ddl_commit_ts, partition_id,
                if(partition_id is null, row_key, null)
        )
{%- endset -%}
with

moves as (

    select
        feed,
        table_id,
        table_incarnation,
        commit_ts as ddl_commit_ts,
        kind as cause,
        partitioning,
        partition_names,
        version_from_ts,
        columns,
        lineage,
        to_table_id,
        to_incarnation,
        to_version_from_ts,
        to_columns,
        to_partition_name,
        physical_id,
        regrouped
    from {{ ticdc.catalogue_records("move") }} as moves
    where {{ ticdc.is_of_ddl_commits(ddl_commits, "commit_ts") }}

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
            and row_changes.commit_ts <= moves.ddl_commit_ts
            and row_changes.version_from_ts < moves.ddl_commit_ts

),

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

-- where an exchange brought a row comes before any reading of values
placed_rows as (

    select
        *,
        case
            when partition_names is null then true
            when exchanged is not null then array_contains(partition_names, lower(exchanged.partition_name))
            when located.doubt is null then located.is_in
        end as is_in,
        -- an id stays with the rows of a partition until their values decide anew
        if(
            physical_table_id <=> physical_id
            or exists(
                regrouped,
                each -> each.commit_ts >= row_commit_ts
                and coalesce(each.partition_name = lower(located.partition_name), true)
            ),
            null,
            physical_table_id
        ) as partition_id
    from located_rows

),

-- rows of one id are in one partition: those that are certain tell it of the others
rows_with_neighbours as (

    select
        *,
        bool_and(is_in) {{ with_same_id }} as all_of_id_are_in,
        bool_or(is_in) {{ with_same_id }} as some_of_id_are_in
    from placed_rows

),

judged_rows as (

    select
        *,
        coalesce(is_in, if(all_of_id_are_in = some_of_id_are_in, all_of_id_are_in, null)) as is_known_to_move
    from rows_with_neighbours

),

decided_rows as (

    select
        *,
        coalesce(is_known_to_move, located.is_in, false) as is_moved,
        case
            -- without a definition all rows are in doubt: a problem of the DDL tells it
            when is_known_to_move is not null or coalesce(located.doubt, 'definition') = 'definition'
                then cast(array() as array<string>)
            else array('*:partition_' || located.doubt)
        end as doubts
    from judged_rows

),

moved_rows as (

    select
        *,
        ticdc_project_row(projected.row, '[' || to_columns || ']', array_union(projected.lossy, doubts)) as moved
    from decided_rows
    where is_moved or size(doubts) > 0

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
                    'op', if(is_moved, 'delete', 'update'),
                    'rank', if(is_moved, 2, 3),
                    'cause', if(is_moved, move_cause, 'kept'),
                    'of_table_id', table_id,
                    'of_incarnation', table_incarnation,
                    'of_version_ts', if(is_moved, ddl_commit_ts - 1, left_version_ts),
                    'key', row_key,
                    'old', projected.row,
                    'new', if(is_moved, null, projected.row),
                    'flags',
                    if(
                        is_moved,
                        -- with the row its older doubts are gone
                        concat(filter(lossy, each -> not startswith(each, '*:partition_')), doubts),
                        array_union(projected.lossy, doubts)
                    ),
                    'in_partition', if(is_moved, null, exchanged)
                ),
                named_struct(
                    'op', 'insert',
                    'rank', 3,
                    'cause', move_cause,
                    'of_table_id', if(is_moved, to_table_id, null),
                    'of_incarnation', to_incarnation,
                    'of_version_ts', to_version_from_ts,
                    'key', moved.row_key,
                    'old', cast(null as string),
                    'new', moved.row,
                    'flags', moved.lossy,
                    'in_partition',
                    case
                        when move_cause = 'key_change' then exchanged
                        when to_partition_name is not null
                            then named_struct('partition_name', to_partition_name, 'commit_ts', ddl_commit_ts)
                    end
                )
            ),
            each -> each.of_table_id is not null
        )
    ) exploded as change

),

carried as (

    select
        {{ ticdc.carried_columns({
            "table_id": "rows.change.of_table_id",
            "table_incarnation": "rows.change.of_incarnation",
            "version_from_ts": "rows.change.of_version_ts",
            "commit_ts": "rows.ddl_commit_ts",
            "op": "rows.change.op",
            "apply_rank": "rows.change.rank",
            "row_key": "rows.change.key",
            "before": "rows.change.old",
            "after": "rows.change.new",
            "lossy": "rows.change.flags",
            "cause": "rows.change.cause",
            "exchanged": "rows.change.in_partition",
        }) }}
    from rows

)

select
    carried.*,
    {% if known -%}
    coalesce(known_before.first_run_id, carried.run_id) as first_run_id
    {%- else -%}
    run_id as first_run_id
    {%- endif %}
from carried
{%- if known %}
{{ ticdc.join_first_runs(
    "carried", known, "xxhash64(table_id, table_incarnation, op, cause, row_commit_ts, before, after)",
    "cause <> 'new_columns' and (" ~ ticdc.is_of_ddl_commits(ddl_commits, "commit_ts") ~ ")"
) }}
{%- endif %}
{% endmacro %}
