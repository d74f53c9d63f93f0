{% macro key_of_bag() -%}
    regexp_replace(row_key, ',"":"[0-9]+"}$', '}') as row_key
{%- endmacro %}
