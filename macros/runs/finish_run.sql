{% macro finish_run(unfinished) %}
    {% set lease = ticdc.memory().get("lease") %}
    {% if not lease %}{% do return(none) %}{% endif %}
    {# what followed the publication, such as typed tables #}
    {% if not unfinished and ticdc.memory().get("is_published") %}{% do ticdc.publish() %}{% endif %}
    {# what was built and found nothing new, of a run that is gone on with #}
    {% set state, memory = ticdc.state(), ticdc.memory() %}
    {% if tojson(state.models) != memory.published and tojson(state.get("unbuilt", {})) != memory.saved_unbuilt %}{% do ticdc.save_state() %}{% endif %}
    {# before the log, whose failure would else keep the next run waiting #}
    {% do ticdc.drop_lease() %}
    {% do ticdc.log_run(lease, unfinished) %}
{% endmacro %}
