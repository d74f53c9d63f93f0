{% macro first_commits() %}
    {% set changes = ref("int_ticdc__changes") %}
    {% set firsts = {} %}
    {% if execute %}
        {% for row in run_query("select feed, min(commit_ts) from " ~ changes ~ " group by feed order by feed").rows %}
            {% do firsts.update({row[0]: row[1] | int}) %}
        {% endfor %}
    {% endif %}
    {% do return(firsts) %}
{% endmacro %}
