{% macro ticdc_report() %}
    {% set relations, answers = {}, {} %}
    {% for name in [
        "int_ticdc__sized_tables", "int_ticdc__staged_runs", "ticdc__accounting", "ticdc__changelog",
        "ticdc__completeness", "ticdc__ddl_history", "ticdc__dead_letters", "ticdc__error_codes", "ticdc__problems",
        "ticdc__runs",
    ] %}
        {% do relations.update({name: ref("ticdc", name) | string}) %}
    {% endfor %}
    {% set queries = run_query("select ticdc_state_queries(" ~ ticdc.json_literal(relations) ~ ")").rows[0][0] %}
    {% for name, query in fromjson(queries).items() %}
        {% do answers.update({name: run_query(query).rows[0][0]}) %}
    {% endfor %}
    {% set minutes = ticdc.json_literal(var("ticdc__stalled_after_minutes", 60)) %}
    {% set page = run_query("select ticdc_report(" ~ ticdc.json_literal(answers) ~ ", " ~ minutes ~ ")").rows[0][0] %}
    {% do print(fromjson(page)) %}
{% endmacro %}
