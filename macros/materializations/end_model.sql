{% macro end_model() %}
    {% do ticdc.use_timestamp_type() %}
    {# the last one ends the run: `end_run` is not reached where an on-run-end hook of another project fails #}
    {% set memory = ticdc.memory() %}
    {% set unfinished = memory.get("unfinished", {}) %}
    {% do unfinished.pop(model.name, none) %}
    {# of two that end at once one pops it #}
    {% if not unfinished and memory.pop("unfinished", none) is not none %}{% do ticdc.finish_run([]) %}{% endif %}
{% endmacro %}
