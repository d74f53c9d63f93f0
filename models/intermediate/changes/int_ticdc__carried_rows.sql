{{ config(materialized="ticdc_append", partition_by=["batch_id", "feed"], in_steps=true) }}
{%- set settled, catalogue = ticdc.settled(), ref("int_ticdc__catalogue") -%}
{%- set plan = ticdc.planned(ref("int_ticdc__ddl_plan"), [catalogue, ref("int_ticdc__changes")]) -%}
{%- set plan = plan or {"progress": settled, "rebuilt": [], "of": none} -%}
{%- set is_idle = plan.is_idle or (settled.run_id and settled.of == plan.of) -%}
{%- set keeps_first_runs = ticdc.rebuilt_feeds(settled, plan.progress) -%}
{#- what this table holds at a step: what the steps before wrote, and what counted before this run -#}
{%- set before = " union all select * from " ~ ticdc.rows_of(this, plan.rebuilt) if settled.run_id else "" -%}
{%- set carried_rows = "(select * from " ~ this ~ " where batch_id = " ~ ticdc.run_id() ~ before ~ ")" -%}
{#- the column lists from the version of a row to the one asked for, as `ticdc_project_row` takes them -#}
{%- set version_chain -%}
'[' || array_join(
    transform(
        filter(
            lineage,
            each -> each.valid_from_ts = version_from_ts
            or (each.valid_from_ts between version_from_ts and target_version_ts and each.row_effect <> 'none')
        ),
        each -> each.columns
    ),
    ','
) || ']'
{%- endset -%}
{{ ticdc.takes(dict(plan.progress, of=plan.of), is_idle=is_idle, rebuilt=plan.rebuilt) }}
-- no row: it makes the table, which the steps read
select
    table_id,
    table_incarnation,
    version_from_ts,
    schema_name,
    table_name,
    commit_ts,
    commit_ts_exact,
    op,
    apply_rank,
    row_key,
    before,
    after,
    lossy,
    topic,
    `partition`,
    `offset`,
    event_index,
    commit_ts as row_commit_ts,
    '' as cause,
    physical_table_id,
    cast(null as struct<partition_name: string, commit_ts: bigint>) as exchanged,
    feed,
    run_id,
    first_run_id
from {{ ref("int_ticdc__changes") }}
where false

{% for step in plan.steps -%}
{%- set ddl_commits = ticdc.of_feed(step.ddl_commits, "array<bigint>") -%}
-- the next step
with

row_changes as (

    {{ ticdc.row_changes(carried_rows) }}

),

{% if step.effect == "moves" -%}
-- rows of a table with a new key, and of partitions that are dropped, truncated or exchanged
moves as (

    select
        feed,
        table_id,
        table_incarnation,
        commit_ts as ddl_commit_ts,
        kind as move_cause,
        partitioning,
        partition_names,
        version_from_ts as target_version_ts,
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
    where array_contains({{ ddl_commits }}, commit_ts)

),

ranked as (

    select
        row_changes.*,
        row_number() over (
            partition by {{ ticdc.row_key_columns() }} order by {{ ticdc.row_order("desc") }}
        ) as place
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
        moves.* except (feed, table_id, table_incarnation, lineage),
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
            after,
            {{ version_chain }},
            lossy
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
        bool_and(is_in) over of_one_id as all_of_id_are_in,
        bool_or(is_in) over of_one_id as some_of_id_are_in
    from placed_rows
    window of_one_id as (
        partition by
            feed, table_id, table_incarnation, ddl_commit_ts, partition_id,
            if(partition_id is null, row_key, null)
    )

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
        ticdc_project_row(
            projected.row, '[' || to_columns || ']', array_union(projected.lossy, doubts)
        ) as moved
    from decided_rows
    where is_moved or size(doubts) > 0

),

-- a row leaves its table, or stays there in doubt; and it comes to the one that it moves to, if there is one
carried as (

    select
        feed,
        schema_name,
        table_name,
        physical_table_id,
        ddl_commit_ts as commit_ts,
        commit_ts_exact,
        row_commit_ts,
        change.*
    from moved_rows
    lateral view explode(
        filter(
            array(
                named_struct(
                    'table_id', table_id,
                    'table_incarnation', table_incarnation,
                    'version_from_ts', if(is_moved, ddl_commit_ts - 1, target_version_ts),
                    'op', if(is_moved, 'delete', 'update'),
                    'apply_rank', if(is_moved, 2, 3),
                    'row_key', row_key,
                    'before', projected.row,
                    'after', if(is_moved, null, projected.row),
                    'lossy',
                    if(
                        is_moved,
                        -- with the row its older doubts are gone
                        concat(filter(lossy, each -> not startswith(each, '*:partition_')), doubts),
                        array_union(projected.lossy, doubts)
                    ),
                    'cause', if(is_moved, move_cause, 'kept'),
                    'exchanged', if(is_moved, null, exchanged)
                ),
                named_struct(
                    'table_id', if(is_moved, to_table_id, null),
                    'table_incarnation', to_incarnation,
                    'version_from_ts', to_version_from_ts,
                    'op', 'insert',
                    'apply_rank', 3,
                    'row_key', moved.row_key,
                    'before', cast(null as string),
                    'after', moved.row,
                    'lossy', moved.lossy,
                    'cause', move_cause,
                    'exchanged',
                    case
                        when move_cause = 'key_change' then exchanged
                        when to_partition_name is not null
                            then named_struct('partition_name', to_partition_name, 'commit_ts', ddl_commit_ts)
                    end
                )
            ),
            each -> each.table_id is not null
        )
    ) exploded as change

),
{%- else -%}
-- rows that live when a DDL gives their table other columns or types: one change for each row and DDL
new_versions as (

    select
        feed,
        table_id,
        table_incarnation,
        valid_from_ts as target_version_ts
    from {{ ticdc.catalogue_records("version") }} as table_versions
    where row_effect = 'columns' and array_contains({{ ddl_commits }}, valid_from_ts)

),

lineages as (

    select
        feed,
        table_id,
        table_incarnation,
        sort_array(collect_list(struct(valid_from_ts, columns, row_effect))) as lineage
    from {{ ticdc.catalogue_records("version") }} as table_versions
    group by feed, table_id, table_incarnation

),

followed as (

    select
        *,
        lead(version_from_ts) over (
            partition by {{ ticdc.row_key_columns() }} order by {{ ticdc.row_order() }}
        ) as next_version_from_ts
    from row_changes
    left semi join new_versions using (feed, table_id, table_incarnation)
    where cause <> 'new_columns'

),

live_rows as (

    select
        followed.*,
        new_versions.target_version_ts,
        ticdc_project_row(
            after,
            {{ version_chain }},
            lossy
        ) as projected
    from followed
    inner join new_versions using (feed, table_id, table_incarnation)
    inner join lineages using (feed, table_id, table_incarnation)
    where
        followed.after is not null
        and followed.version_from_ts < new_versions.target_version_ts
        and coalesce(followed.next_version_from_ts >= new_versions.target_version_ts, true)

),

carried as (

    select
        feed,
        schema_name,
        table_name,
        physical_table_id,
        target_version_ts as commit_ts,
        commit_ts_exact,
        row_commit_ts,
        table_id,
        table_incarnation,
        target_version_ts as version_from_ts,
        'update' as op,
        3 as apply_rank,
        row_key,
        after as before,
        projected.row as after,
        projected.lossy,
        'new_columns' as cause,
        exchanged
    from live_rows

),
{%- endif %}

new_rows as (

    select
        * except (apply_rank),
        -- after the rows of its commit; without commit TSOs before them, as versions are told apart there
        apply_rank - if(commit_ts_exact, 0, 4) as apply_rank,
        '' as topic,
        0 as `partition`,
        cast(0 as bigint) as `offset`,
        0 as event_index,
        {{ ticdc.run_id() }} as run_id
    from carried

)

select
    new_rows.*,
    {% if keeps_first_runs and step.effect == "moves" -%}
    coalesce(first_runs.first_run_id, new_rows.run_id) as first_run_id
    {%- else -%}
    run_id as first_run_id
    {%- endif %}
from new_rows
{%- if keeps_first_runs and step.effect == "moves" %}
{{ ticdc.join_first_runs(
    "new_rows", ticdc.rows_of(this),
    "xxhash64(table_id, table_incarnation, op, cause, row_commit_ts, before, after)",
    "cause <> 'new_columns' and array_contains(" ~ ddl_commits ~ ", commit_ts)"
) }}
{%- endif %}

{% endfor -%}
