{% macro batch_statement(existing, target, sql) %}
    {%- set batch -%}
    select
        *,
        {{ ticdc.run_id() }} as batch_id
    from (
    {{ sql }}
    )
    {{ ticdc.sorting() }}
    {%- endset -%}
    {%- if existing is none -%}
    {{ create_table_as(false, target, batch) }}
    {%- else -%}
    insert into {{ target }} by name {{ batch }}
    {%- endif -%}
{% endmacro %}
