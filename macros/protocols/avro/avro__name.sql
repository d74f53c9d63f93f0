{% macro avro__name(name) -%}
    regexp_replace(regexp_replace({{ name }}, '[^A-Za-z0-9_]', '_'), '^([0-9])', '_$1')
{%- endmacro %}
