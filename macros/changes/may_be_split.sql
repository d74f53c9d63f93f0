{% macro may_be_split(changes) -%}
    {#- in a unit test the changes are a query, and there is no publication -#}
    {%- if changes.schema is none -%}
    true
    {%- else -%}
    {%- set split_tables = "(select states.split_tables from " ~ ref("int_ticdc__publication") ~ " as states)" -%}
    (
        -- a constant, so that Spark plans no more than it needs
        size({{ split_tables }}) > 0
        and (
            array_contains({{ split_tables }}, struct(feed, table_id))
            or array_contains({{ split_tables }}, struct(feed, '' as table_id))
        )
    )
    {%- endif -%}
{%- endmacro %}
