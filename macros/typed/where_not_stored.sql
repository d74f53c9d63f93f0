{% macro where_not_stored(table) -%}
    {%- if table.history_storage -%}
    -- Spark reads the state as literals, and plans one of the two parts
    where size({{ ticdc.stored_batches(table.history_storage) }}) = 0
    {%- endif -%}
{%- endmacro %}
