{% macro settle(state) %}
    {% if execute %}
        {% do run_query(
            "alter table " ~ this ~ " set tblproperties ('ticdc.settled' = " ~ ticdc.text_literal(tojson(state, sort_keys=true)) ~ ")"
        ) %}
    {% endif %}
{% endmacro %}
