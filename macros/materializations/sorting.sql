{% macro sorting() -%}
    {%- if config.get("sorted_by") -%}
    sort by {{ config.get("sorted_by") | join(", ") }}
    {%- endif -%}
{%- endmacro %}
