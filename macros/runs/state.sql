{% macro state() %}
    {% set memory = ticdc.memory() %}
    {% if "state" not in memory %}{% do memory.update({"state": ticdc.saved_states()["run"]}) %}{% endif %}
    {% do return(memory.state) %}
{% endmacro %}
