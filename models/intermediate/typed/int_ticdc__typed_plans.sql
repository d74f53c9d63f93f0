{{ config(materialized="ticdc_typed_tables") }}
-- depends_on: {{ ref("int_ticdc__publication") }}
-- depends_on: {{ ref("int_ticdc__newest_rows") }}
-- depends_on: {{ ref("int_ticdc__keyed_changes") }}
-- depends_on: {{ ref("int_ticdc__row_changes") }}
-- depends_on: {{ ref("int_ticdc__feed_bounds") }}
-- depends_on: {{ ref("int_ticdc__table_versions") }}
{%- set latest = ref("int_ticdc__latest") -%}
{%- set plans = load_cached_relation(this) if execute %}
{%- set changes = ref("int_ticdc__changes") %}
{%- set has_bags = ticdc.settled(changes).get("has_bags") %}

with

{% if plans -%}
known as (

    {{ ticdc.newest_plans(plans) | indent(4) }}

),

{% endif -%}
counted_rows as (

    select
        feed,
        table_id,
        table_incarnation,
        generation,
        count(*) as row_count
    from {{ ticdc.rows_of(latest) }} as latest
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

{% if has_bags -%}
keyless_tables as (

    select distinct
        feed,
        table_id
    from {{ ticdc.rows_of(changes) }} as changes
    where array_contains(lossy, '*:no_key')

),

{% endif -%}
typed_tables as (

    select
        tables.feed,
        tables.schema_name,
        tables.table_name,
        tables.table_id,
        tables.table_incarnation,
        tables.table_schema,
        coalesce(generations.generations, '[]') as generations,
        coalesce(generations.row_count, 0) as row_count,
        -- of tables whose columns changed
        if(
            size(array_distinct(tables.versions.table_schema)) > 1, to_json(tables.versions), null
        ) as versions,
        to_json(tables.left_behind) as left_behind,
        {{ "keyless_tables.feed is not null" if has_bags else "false" }} as is_keyless
    from {{ ticdc.rows_of(ref("int_ticdc__table_states")) }} as tables
    left join generations
        on
            tables.feed = generations.feed
            and tables.table_id = generations.table_id
            and tables.table_incarnation = generations.table_incarnation
    {%- if has_bags %}
    left join keyless_tables
        on
            tables.feed = keyless_tables.feed
            and tables.table_id = keyless_tables.table_id
    {%- endif %}
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

),

known_tables as (

    select
        typed_tables.*,
        {{ "known.current_relation" if plans else "cast(null as string)" }} as known_relation
    from typed_tables
    {% if plans -%}
    left join known
        on
            typed_tables.feed = known.feed
            and typed_tables.schema_name = known.schema_name
            and typed_tables.table_name = known.table_name
    {%- endif %}

),

collected as (

    select collect_list(struct(*)) as tables
    from known_tables

),

named as (

    select
        tables,
        ticdc_typed_names(
            to_json(
                transform(
                    tables,
                    each -> struct(
                        each.feed,
                        each.schema_name,
                        each.table_name,
                        each.table_id,
                        from_json(each.table_schema, 'array<struct<name: string>>').name as column_names,
                        each.known_relation
                    )
                )
            ),
            {{ ticdc.text_literal(ticdc.typed_settings()) }}
        ) as names
    from collected

)

select
    each.tables.feed,
    each.tables.schema_name,
    each.tables.table_name,
    each.tables.table_id,
    each.tables.table_incarnation,
    each.tables.table_schema,
    each.tables.generations,
    each.tables.row_count,
    each.tables.versions,
    each.tables.left_behind,
    each.tables.is_keyless,
    to_json(each.names) as names
from named
    lateral view explode(arrays_zip(tables, names)) exploded as each
