{% macro saved_states() %}
    {% set nothing = {"number": 0, "run_id": 0, "is_refresh": false, "models": {}} %}
    {% set found = {"publication": nothing, "run": nothing} %}
    {% set publication, run = ticdc.relation_of("int_ticdc__publication"), ticdc.relation_of("int_ticdc__run") %}
    {% if publication and run %}
        {% set states = run_query(
            "select publication.state, run.state from " ~ publication ~ " as publication cross join " ~ run ~ " as run"
        ).rows[0] %}
        {% do found.update({"publication": fromjson(states[0]), "run": fromjson(states[1])}) %}
    {% endif %}
    {% do return(found) %}
{% endmacro %}
