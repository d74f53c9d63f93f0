{% macro check_loads(loads) %}
    {% set changes = ticdc.relation_of("int_ticdc__changes") %}
    {% if not loads or flags.FULL_REFRESH or not changes %}{% do return(none) %}{% endif %}
    {% set built_through, late = {}, [] %}
    {% for row in run_query("select feed, max(commit_ts) from " ~ ticdc.rows_of(changes) ~ " group by feed").rows %}
        {% do built_through.update({row[0]: row[1] | int}) %}
    {% endfor %}
    {% for load in loads if built_through.get(load.feed, 0) > load.commit_ts %}{% do late.append(load.id) %}{% endfor %}
    {% if late %}
        {% do exceptions.raise_compiler_error(
            "ticdc: ticdc__initial_loads has what begins before commits that are built already, " ~ late | join(", ")
            ~ " (feed, schema, table, commit); build once with --full-refresh"
        ) %}
    {% endif %}
{% endmacro %}
