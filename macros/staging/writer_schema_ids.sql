{% macro writer_schema_ids() -%}
    {# A header has at most 18 bytes: the rest of a message does not go to Python for it. #}
    ticdc_schema_ids(substring(key, 1, 18), substring(value, 1, 18), options)
{%- endmacro %}
