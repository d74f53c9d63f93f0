{% macro key_of_keyless_row() -%}
    regexp_replace(row_key, ',"":"[0-9]+"}$', '}') as row_key
{%- endmacro %}
