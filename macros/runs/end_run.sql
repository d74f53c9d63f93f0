{% macro end_run(results) %}
    {% if not execute or not ticdc.memory().get("lease") %}{% do return("") %}{% endif %}
    {% set lease, unfinished = ticdc.memory().pop("lease"), [] %}
    {% for result in results if result.node.package_name == "ticdc" and result.node.resource_type == "model" and result.status != "success" %}
        {% do unfinished.append(result.node.name) %}
    {% endfor %}
    {% if flags.FULL_REFRESH and not unfinished %}{% do run_query("drop table if exists " ~ lease.refresh) %}{% endif %}
    {% do run_query("drop table if exists " ~ lease.relation) %}
    {% do return("") %}
{% endmacro %}
