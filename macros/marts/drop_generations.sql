{% macro drop_generations(relation, before) %}
    {% for row in run_query("select distinct generation from " ~ relation ~ " where generation < " ~ before).rows %}
        {% do run_query("alter table " ~ relation ~ " drop if exists partition (generation = " ~ row[0] ~ ")") %}
    {% endfor %}
{% endmacro %}
