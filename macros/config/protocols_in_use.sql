{% macro protocols_in_use() %}
    {% do return(ticdc.feeds() | map(attribute="protocol") | unique | sort | list) %}
{% endmacro %}
