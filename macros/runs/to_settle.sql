{% macro to_settle(state) -%}
    -- ticdc.settled: {{ tojson(state, sort_keys=true) }}
{%- endmacro %}
