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
{%- set is_known = plans and not ticdc.is_refresh() %}
{%- set changes = ref("int_ticdc__changes") %}
{%- set has_keyless_rows = ticdc.settled(changes).get("has_bags") %}
{%- set measures = ticdc.some_are_bare() %}

with

{% if plans -%}
known as (

    {{ ticdc.newest_plans(plans) | indent(4) }}

),

{% endif -%}
{{ ticdc.facts_of_tables(has_keyless_rows) }},

typed_tables as (

    select
        tables.feed,
        tables.schema_name,
        tables.table_name,
        tables.table_id,
        tables.table_incarnation,
        tables.table_schema,
        generations.generations,
        generations.newest_generation,
        generations.row_count,
        -- of tables whose columns changed
        if(
            size(array_distinct(tables.versions.table_schema)) > 1, tables.versions, null
        ) as versions,
        tables.left_behind,
        {{ "keyless_tables.feed is not null" if has_keyless_rows else "false" }} as is_keyless,
        incarnations.incarnations,
        generations.last_generation
    from {{ ticdc.rows_of(ref("int_ticdc__table_states")) }} as tables
    inner join incarnations
        on
            tables.feed = incarnations.feed
            and tables.table_id = incarnations.table_id
    left join generations
        on
            tables.feed = generations.feed
            and tables.table_id = generations.table_id
            and tables.table_incarnation = generations.table_incarnation
    {%- if has_keyless_rows %}
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

{% if measures -%}
-- a wire type without its precision is completed by what the values show
bare_columns as (

    select
        typed_tables.feed,
        typed_tables.table_id,
        typed_tables.table_incarnation,
        {% if is_known -%}
        coalesce(cast(get_json_object(known.plan, '$.seen') as bigint), -1) as known_seen,
        {%- else -%}
        -1 as known_seen,
        {%- endif %}
        filter(
            from_json(typed_tables.table_schema, 'array<struct<name: string, type: string>>'),
            each -> each.type in ({{ ticdc.text_literals(ticdc.bare_types()) }})
        ).name as column_names
    from typed_tables
    {%- if is_known %}
    left join known
        on
            typed_tables.feed = known.feed
            and typed_tables.schema_name = known.schema_name
            and typed_tables.table_name = known.table_name
    {%- endif %}

),

images as (

    select /*+ broadcast(bare_columns) */
        latest.feed,
        latest.table_id,
        latest.table_incarnation,
        bare_columns.column_names,
        {{ ticdc.image_of("map<string, string>") }} as image
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

all_plans as (

    {% if plans -%}
    select to_json(collect_list(struct(*))) as plans
    from known
    {%- else -%}
    select '[]' as plans
    {%- endif %}

)

select
    ticdc_typed_tables(
        all_tables.tables,
        all_plans.plans,
        {{ ticdc.text_literal(ticdc.typed_request()) }}
    ) as answer
from all_tables
cross join all_plans
