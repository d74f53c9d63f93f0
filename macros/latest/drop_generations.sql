{% macro drop_generations(relation, before) %}
    {% for row in run_query("select distinct generation from " ~ relation ~ " where generation < " ~ before).rows %}
        {% do ticdc.drop_partition(relation, "generation", row[0]) %}
    {% endfor %}
{% endmacro %}
