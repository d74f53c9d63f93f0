{# The plans as the last run left them: the newest row of each table, none where there is no table of plans yet. #}
{% macro newest_plans(plans) %}
{%- set nothing = "select inline(plans) from (select ticdc_remembered_plans('[]') as plans) as told" %}
with

ranked as (

    select
        *,
        -- of two rows of a run the first, of relations that were not made yet, lacks them
        row_number() over (
            partition by feed, schema_name, table_name order by batch_id desc, length(plan) desc
        ) as place
    from {{ plans or "(select *, 0 as batch_id from (" ~ nothing ~ ") as no_plans) as plans" }}

)

select
    feed,
    schema_name,
    table_name,
    table_id,
    key_columns,
    current_relation,
    history_relation,
    plan,
    table_incarnation
from ranked
-- a table that is gone has a last row without plan
where place = 1 and plan is not null
{% endmacro %}

{# The CTE `found_tables`, with those that it reads: the incarnations of tables, and what is known of their rows. #}
{% macro facts_of_tables() -%}
{%- set has_keyless_rows = ticdc.settled(ref("int_ticdc__changes")).get("has_bags") -%}
counted_rows as (

    select
        feed,
        table_id,
        table_incarnation,
        generation,
        count(*) as row_count
    from {{ ticdc.rows_of(ref("int_ticdc__latest")) }} as latest
    group by feed, table_id, table_incarnation, generation

),

generations as (

    select
        feed,
        table_id,
        table_incarnation,
        sort_array(collect_list(generation)) as generations,
        max(generation) as newest_generation,
        -- the last run that changed a row of the table, also of one that went
        max(max(generation)) over (partition by feed, table_id) as last_generation,
        sum(row_count) as row_count
    from counted_rows
    group by feed, table_id, table_incarnation

),

{% if has_keyless_rows -%}
keyless_tables as (

    select distinct
        feed,
        table_id
    from {{ ticdc.rows_of(ref("int_ticdc__changes")) }} as changes
    where array_contains(lossy, '*:no_key')

),

{% endif -%}
found_tables as (

    select
        tables.*,
        generations.generations,
        generations.newest_generation,
        generations.last_generation,
        generations.row_count,
        {{ "keyless_tables.feed is not null" if has_keyless_rows else "false" }} as is_keyless,
        -- a history is stored anew where one of them changed
        md5(to_json(array_sort(
            collect_list(struct(tables.table_incarnation, tables.lives)) over (
                partition by tables.feed, tables.table_id
            )
        ))) as incarnations
    from {{ ticdc.rows_of(ref("int_ticdc__table_states")) }} as tables
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

)
{%- endmacro %}

{# The upstream types whose precision a message may leave out, as `BARE_TYPES` of `typed/types.py` has them. #}
{% macro bare_types() %}
    {% do return(["decimal", "decimal unsigned", "bit"]) %}
{% endmacro %}
