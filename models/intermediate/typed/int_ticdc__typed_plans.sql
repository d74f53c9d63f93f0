{{ config(materialized="ticdc_typed_plans") }}
-- depends_on: {{ ref("int_ticdc__publication") }}
-- depends_on: {{ ref("int_ticdc__carried_rows") }}
-- depends_on: {{ ref("int_ticdc__newest_rows") }}
-- depends_on: {{ ref("int_ticdc__keyed_history") }}
-- depends_on: {{ ref("int_ticdc__keyed_changes") }}
-- depends_on: {{ ref("int_ticdc__row_changes") }}
-- depends_on: {{ ref("int_ticdc__catalogue") }}
{%- set latest = ref("int_ticdc__latest") -%}
{%- set plans = load_cached_relation(this) if execute %}
{%- set measures = ticdc.facts(ref("int_ticdc__table_states")).some_are_bare %}

with

known as (

    {{ ticdc.newest_plans(plans) }}

),

all_plans as (

    select to_json(collect_list(struct(*))) as plans
    from known

),

{{ ticdc.facts_of_tables() }},

typed_tables as (

    select
        feed,
        schema_name,
        table_name,
        table_id,
        table_incarnation,
        table_schema,
        generations,
        newest_generation,
        row_count,
        -- of tables whose columns changed
        if(size(array_distinct(versions.table_schema)) > 1, versions, null) as versions,
        left_behind,
        is_keyless,
        incarnations,
        last_generation
    from found_tables
    where
        is_live
        and table_schema <> '[]'
        -- an export also tells of tables that the feed does not carry
        and (row_count is not null or origin <> 'export')
        and feed in (
            ''
            {%- for feed in ticdc.feeds() if feed.target_schema %},
            {{ ticdc.text_literal(feed.name) }}
            {%- endfor %}
        )

),

{% if measures -%}
-- a wire type without its precision is completed by what the values show
bare_columns as (

    select
        typed_tables.feed,
        typed_tables.table_id,
        typed_tables.table_incarnation,
        {{ "-1" if ticdc.is_refresh() else "coalesce(cast(get_json_object(known.plan, '$.seen') as bigint), -1)" }}
            as known_seen,
        filter(
            from_json(typed_tables.table_schema, 'array<struct<name: string, type: string>>'),
            each -> each.type in ({{ ticdc.text_literals(ticdc.bare_types()) }})
        ).name as column_names
    from typed_tables
    left join known
        on
            typed_tables.feed = known.feed
            and typed_tables.schema_name = known.schema_name
            and typed_tables.table_name = known.table_name

),

images as (

    select /*+ broadcast(bare_columns) */
        latest.feed,
        latest.table_id,
        latest.table_incarnation,
        bare_columns.column_names,
        from_json(
            latest.row,
            'map<string, string>',
            map('columnNameOfCorruptRecord', '', 'maxStringLen', '2147483647')
        ) as image
    from {{ ticdc.rows_of(latest) }} as latest
    inner join bare_columns
        on
            latest.feed = bare_columns.feed
            and latest.table_id = bare_columns.table_id
            and latest.table_incarnation = bare_columns.table_incarnation
    where
        latest.generation > bare_columns.known_seen
        and latest.row is not null
        and size(bare_columns.column_names) > 0

),

texts as (

    select
        feed,
        table_id,
        table_incarnation,
        column_name,
        ltrim('-', try_element_at(image, column_name)) as text
    from images
        lateral view explode(column_names) names as column_name

),

digits as (

    select
        feed,
        table_id,
        table_incarnation,
        column_name,
        array(
            coalesce(max(length(split_part(text, '.', 1))), 0),
            coalesce(max(length(split_part(text, '.', 2))), 0)
        ) as digits
    from texts
    group by feed, table_id, table_incarnation, column_name

),

measured as (

    select
        feed,
        table_id,
        table_incarnation,
        map_from_entries(collect_list(struct(column_name, digits))) as digits
    from digits
    group by feed, table_id, table_incarnation

),

{% endif -%}
measured_tables as (

    select
        typed_tables.*,
        {{ "measured.digits" if measures else "cast(null as map<string, array<int>>)" }} as measured
    from typed_tables
    {%- if measures %}
    left join measured
        on
            typed_tables.feed = measured.feed
            and typed_tables.table_id = measured.table_id
            and typed_tables.table_incarnation = measured.table_incarnation
    {%- endif %}

),

all_tables as (

    select to_json(collect_list(struct(*))) as tables
    from measured_tables

),

answers as (

    select
        ticdc_typed_tables(
            all_tables.tables,
            all_plans.plans,
            {{ ticdc.text_literal(ticdc.typed_request()) }}
        ) as answer
    from all_tables
    cross join all_plans

)

-- the first row is of all tables
select
    place,
    decided
from answers
    lateral view posexplode(answer) exploded as place, decided
