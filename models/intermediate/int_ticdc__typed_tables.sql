{{ config(materialized="ticdc_typed_tables") }}
-- depends_on: {{ ref("ticdc__current_rows") }}
-- depends_on: {{ ref("ticdc__row_history") }}
-- depends_on: {{ ref("int_ticdc__row_changes") }}
-- depends_on: {{ ref("int_ticdc__feed_bounds") }}
{%- set latest = ref("int_ticdc__latest") -%}
{%- set state = ticdc.settled(latest) %}

with

counted_rows as (

    select
        feed,
        table_id,
        table_incarnation,
        generation,
        count(*) as row_count
    from {{ latest }}
    where generation between {{ state.get("base") or 0 }} and {{ state.get("last") or 0 }}
    group by feed, table_id, table_incarnation, generation

),

generations as (

    select
        feed,
        table_id,
        table_incarnation,
        to_json(sort_array(collect_list(generation))) as generations,
        sum(row_count) as row_count
    from counted_rows
    group by feed, table_id, table_incarnation

),

incarnations as (

    select
        feed,
        table_id,
        table_incarnation,
        lives,
        lead(lives[0].from_ts) over (partition by feed, table_id order by table_incarnation) as next_from_ts
    from {{ ref("int_ticdc__table_states") }}

),

-- what came back under another name is another table from where its lineage went on without it
left_behind as (

    select
        feed,
        table_id,
        collect_list(struct(table_incarnation as incarnation, next_from_ts as at_ts)) as incarnations
    from incarnations
    where exists(lives, life -> life.from_ts >= next_from_ts)
    group by feed, table_id

),

-- of tables whose columns changed
pasts as (

    select
        tables.feed,
        tables.table_id,
        tables.table_incarnation,
        to_json(
            array_sort(collect_list(struct(versions.valid_from_ts as from_ts, versions.table_schema)))
        ) as versions
    from {{ ref("int_ticdc__table_states") }} as tables
    inner join incarnations
        on
            tables.feed = incarnations.feed
            and tables.table_id = incarnations.table_id
            and tables.table_incarnation >= incarnations.table_incarnation
    inner join {{ ref("int_ticdc__table_versions") }} as versions
        on
            incarnations.feed = versions.feed
            and incarnations.table_id = versions.table_id
            and incarnations.table_incarnation = versions.table_incarnation
            and (
                tables.table_incarnation = versions.table_incarnation
                or incarnations.next_from_ts > versions.valid_from_ts
            )
    where tables.is_live and versions.valid_from_ts <= {{ ticdc.shown_through("versions.feed") }}
    group by tables.feed, tables.table_id, tables.table_incarnation
    having size(collect_set(versions.table_schema)) > 1

)

select
    tables.feed,
    tables.schema_name,
    tables.table_name,
    tables.table_id,
    tables.table_incarnation,
    tables.table_schema,
    coalesce(generations.generations, '[]') as generations,
    coalesce(generations.row_count, 0) as row_count,
    pasts.versions,
    to_json(
        filter(
            coalesce(left_behind.incarnations, array()), each -> each.incarnation < tables.table_incarnation
        )
    ) as left_behind
from {{ ref("int_ticdc__table_states") }} as tables
left join generations
    on
        tables.feed = generations.feed
        and tables.table_id = generations.table_id
        and tables.table_incarnation = generations.table_incarnation
left join pasts
    on
        tables.feed = pasts.feed
        and tables.table_id = pasts.table_id
        and tables.table_incarnation = pasts.table_incarnation
left join left_behind on tables.feed = left_behind.feed and tables.table_id = left_behind.table_id
where
    tables.is_live
    and tables.table_schema <> '[]'
    -- an export also tells of tables that the feed does not carry
    and (generations.row_count is not null or tables.origin <> 'export')
    and tables.feed in (
        ''
        {%- for feed in ticdc.feeds() if feed.target_schema %},
        {{ ticdc.text_literal(feed.name) }}
        {%- endfor %}
    )
