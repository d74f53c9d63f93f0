{% macro run_id() -%}
    {{ (run_started_at.timestamp() * 1000000) | int }}
{%- endmacro %}
