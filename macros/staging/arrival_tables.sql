{% macro arrival_tables() %}
    {% set tables = [ref("int_ticdc__claim_checks")] %}
    {% for protocol in ticdc.protocols_in_use() %}{% do tables.append(ref("stg_ticdc__" ~ protocol)) %}{% endfor %}
    {% do return(tables) %}
{% endmacro %}
