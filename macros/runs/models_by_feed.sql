{% macro models_by_feed() %}
    {% set names = [] %}
    {% for model in ["int_ticdc__carried_rows", "int_ticdc__changes", "int_ticdc__resolved_rows"] %}
        {% do names.append(ticdc.relation_name(model)) %}
    {% endfor %}
    {% do return(names) %}
{% endmacro %}
