{% macro schemas_there() %}
    {% do return(run_query("show schemas").rows | map(attribute=0) | map("replace", "`", "") | map("lower") | list) %}
{% endmacro %}
