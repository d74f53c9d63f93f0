{% macro begin_model() %}
    {# dbt leaves out the hooks after one that fails, and runs models all the same #}
    {% if not ticdc.memory().get("is_begun") %}
        {% set before = [] %}
        {% for hook in graph.nodes.values() if hook.resource_type == "operation" and "on-run-start" in hook.tags and hook.package_name < "ticdc" %}
            {% do before.append(hook.name) %}
        {% endfor %}
        {% do exceptions.raise_compiler_error(
            "ticdc: the run was not begun, and nothing is written: the on-run-start hook of this package, which takes the lease and opens the"
            ~ " state, did not run, as one before it failed (" ~ before | join(", ") ~ "). Its error stands above: mend it, and run again"
        ) %}
    {% endif %}
    {% do ticdc.keep_lease() %}
    {% do ticdc.use_timestamp_type("TIMESTAMP_LTZ") %}
{% endmacro %}
