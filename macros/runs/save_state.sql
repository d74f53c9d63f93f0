{% macro save_state() %}
    {# models that run side by side save one after the other, so that an older state never replaces a newer one #}
    {% set memory, saver = ticdc.memory(), this | string %}
    {% for attempt in range(1000) if memory.setdefault("saver", saver) != saver %}{% do run_query("select 1") %}{% endfor %}
    {% do memory.update({"saved_unbuilt": tojson(ticdc.state().get("unbuilt", {}))}) %}
    {% do run_query("alter view " ~ ticdc.relation_of("int_ticdc__run") ~ " as " ~ ticdc.state_view(ticdc.state())) %}
    {% do memory.pop("saver") %}
{% endmacro %}
