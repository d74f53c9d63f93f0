{% macro rows_of_histories(state) %}
    {% set found = [] %}
    {% for model in ["int_ticdc__changes", "int_ticdc__carried_rows", "int_ticdc__table_states"] %}
        {% set rows = state.models.get(ticdc.relation_name(model), {}) %}
        {% do found.append([rows.get("batches"), rows.get("since")]) %}
    {% endfor %}
    {% do return(local_md5(tojson(found, sort_keys=true))) %}
{% endmacro %}
