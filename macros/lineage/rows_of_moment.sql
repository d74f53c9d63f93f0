{% macro rows_of_moment(carried_rows, commit_ts, feeds) %}
{%- set identity = "feed, table_id, table_incarnation" -%}
{%- set of_feeds -%}
    feed in ({% for feed in feeds %}{{ ticdc.text_literal(feed) }}{{ ", " if not loop.last }}{% endfor %})
{%- endset -%}
with

versions as (

    select * from {{ ref("int_ticdc__table_versions") }}
    where valid_from_ts <= {{ commit_ts }} and coalesce(valid_to_ts >= {{ commit_ts }}, true) and {{ of_feeds }}

),

effects as (

    select * from {{ ref("int_ticdc__catalogue") }}
    where record = 'effect' and commit_ts = {{ commit_ts }} and {{ of_feeds }}

),

-- which rows of a table move, and where to: of a table's new key all, of its partitions those that the DDL names
moves as (

    select
        {{ identity }},
        valid_from_ts,
        columns,
        cast(null as string) as partitioning,
        cast(null as array<string>) as partition_names,
        'key_change' as cause,
        table_id as to_table_id,
        table_incarnation as to_incarnation,
        valid_from_ts as to_version_ts,
        columns as to_columns
    from versions
    where valid_from_ts = {{ commit_ts }} and row_effect = 'key'

    union all

    select
        home.feed,
        home.table_id,
        home.table_incarnation,
        home.valid_from_ts,
        home.columns,
        effects.partitioning,
        transform(
            from_json(effects.partitions, 'array<struct<name: string>>'), each -> lower(each.name)
        ) as partition_names,
        effects.kind as cause,
        away.table_id as to_table_id,
        away.table_incarnation as to_incarnation,
        away.valid_from_ts as to_version_ts,
        away.columns as to_columns
    from effects
    inner join versions as home
        on
            effects.feed = home.feed
            and effects.table_id = home.table_id
            and effects.incarnation = home.table_incarnation
            and home.valid_from_ts < {{ commit_ts }}
    left join versions as away
        on
            effects.feed = away.feed
            and effects.counterpart_table_id = away.table_id
            and effects.counterpart_incarnation = away.table_incarnation
            and away.valid_from_ts < {{ commit_ts }}

    union all

    select
        away.feed,
        away.table_id,
        away.table_incarnation,
        away.valid_from_ts,
        away.columns,
        cast(null as string) as partitioning,
        cast(null as array<string>) as partition_names,
        effects.kind as cause,
        home.table_id as to_table_id,
        home.table_incarnation as to_incarnation,
        home.valid_from_ts as to_version_ts,
        home.columns as to_columns
    from effects
    inner join versions as home
        on
            effects.feed = home.feed
            and effects.table_id = home.table_id
            and effects.incarnation = home.table_incarnation
            and home.valid_from_ts < {{ commit_ts }}
    inner join versions as away
        on
            effects.feed = away.feed
            and effects.counterpart_table_id = away.table_id
            and effects.counterpart_incarnation = away.table_incarnation
            and away.valid_from_ts < {{ commit_ts }}

),

lineages as (

    {{ ticdc.lineages() }}

),

row_changes as (

    {{ ticdc.row_changes(carried_rows) }}

),

ranked as (

    select
        *,
        row_number() over (partition by {{ ticdc.row_key_columns() }} order by {{ ticdc.row_order("desc") }}) as place
    from row_changes
    left semi join moves using ({{ identity }})
    where commit_ts <= {{ commit_ts }} and version_from_ts < {{ commit_ts }}

),

-- one step each: Spark cannot plan a step with a decoder in it that is read twice
live_rows as (

    select
        ranked.*,
        moves.columns,
        moves.partitioning,
        moves.partition_names,
        moves.cause as move_cause,
        moves.to_table_id,
        moves.to_incarnation,
        moves.to_version_ts,
        moves.to_columns,
        ticdc_project_row(
            ranked.after,
            {{ ticdc.version_chain("lineages.versions", "ranked.version_from_ts", "moves.valid_from_ts") }},
            ranked.lossy
        ) as projected
    from ranked
    inner join moves using ({{ identity }})
    inner join lineages using ({{ identity }})
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
                    'of_version_ts', {{ commit_ts }} - 1,
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
                    'of_version_ts', to_version_ts,
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
        "commit_ts": commit_ts,
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
