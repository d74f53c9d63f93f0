{% macro facts_of_tables(has_keyless_rows) -%}
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

-- a history is stored anew where one of them changed
incarnations as (

    select
        feed,
        table_id,
        md5(to_json(array_sort(collect_list(struct(table_incarnation, lives))))) as incarnations
    from {{ ticdc.rows_of(ref("int_ticdc__table_states")) }} as table_states
    group by feed, table_id

)
{%- if has_keyless_rows -%},

keyless_tables as (

    select distinct
        feed,
        table_id
    from {{ ticdc.rows_of(ref("int_ticdc__changes")) }} as changes
    where array_contains(lossy, '*:no_key')

)
{%- endif %}
{%- endmacro %}
