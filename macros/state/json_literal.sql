{% macro json_literal(value) -%}
    {# in hex, which all settings of a session leave as it is #}
    cast(unhex('{{ tojson(value).encode().hex() }}') as string)
{%- endmacro %}
