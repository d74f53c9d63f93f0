{% macro open_state(models) %}
    {% set saved = ticdc.saved_states() %}
    {% set published, working = saved["publication"], saved["run"] %}
    {# what it wrote would be older than what is settled, and never be taken #}
    {% if [published.run_id, working.run_id] | max >= ticdc.run_id() | int %}
        {% do ticdc.refuse_run(
            "this run began at " ~ run_started_at ~ ", before the last one by the clock of its machine (run "
            ~ [published.run_id, working.run_id] | max ~ ", in microseconds since 1970): set the clock right, or wait"
        ) %}
    {% endif %}
    {% set is_refresh, is_part = ticdc.is_refresh(), ticdc.stored_models() | reject("in", models) | list | length > 0 %}
    {# what a run left that did not come to its end is gone on with, unless another one published since it began; a
       refresh only by `dbt retry` #}
    {% set is_newer = working.run_id > published.run_id and working.number == published.number + 1 %}
    {% set goes_on = is_newer and (is_refresh and is_part if working.is_refresh else true) %}
    {% set state = working if goes_on else published %}
    {% do ticdc.memory().update({
        "state": state, "saved": tojson(working.models), "published": tojson(published.models), "published_number": published.number,
        "saved_unbuilt": tojson(working.get("unbuilt", {})),
    }) %}
    {% if not published.number and not working.run_id %}{% do ticdc.make_state_views(published) %}{% endif %}
    {# views of an older version lack columns that those of this one ask for #}
    {% for model, found in {"int_ticdc__publication": published, "int_ticdc__run": working}.items() %}
        {% set view = ticdc.relation_of(model) %}
        {% if ticdc.missing_columns(view, graph.nodes["model.ticdc." ~ model].columns) %}
            {% do run_query("alter view " ~ view ~ " as " ~ ticdc.state_view(found)) %}
        {% endif %}
    {% endfor %}
    {% do ticdc.note_protocols(state, is_refresh) %}
    {% do state.update({"run_id": ticdc.run_id() | int, "number": published.number + 1, "is_refresh": is_refresh}) %}
{% endmacro %}
