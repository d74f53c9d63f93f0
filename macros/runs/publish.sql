{% macro publish() %}
    {% set state, memory, answers = ticdc.state(), ticdc.memory(), {} %}
    {% for key, rows in memory.get("answers", {}).items() | list if tojson(rows) | length <= 2000 %}{% do answers.update({key: rows}) %}{% endfor %}
    {% do memory.update({"is_published": true}) %}
    {% if tojson(state.models) == memory.published and answers.keys() | sort == state.get("answers", {}).keys() | sort %}{% do return(none) %}{% endif %}
    {% do ticdc.keep_lease(force=true) %}
    {% do ticdc.check_publication() %}
    {% do ticdc.sweep(state) %}
    {% do state.update({"answers": answers}) %}
    {% do run_query("alter view " ~ ticdc.relation_of("int_ticdc__publication") ~ " as " ~ ticdc.state_view(state)) %}
    {% do memory.update({"published": tojson(state.models), "published_number": state.number}) %}
{% endmacro %}
