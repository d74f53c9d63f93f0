{% macro end_run() %}
    {% if execute and graph.get("ticdc_lease") %}
        {% do run_query("drop table if exists " ~ graph.pop("ticdc_lease").relation) %}
    {% endif %}
    {% do return("") %}
{% endmacro %}
