{% macro relation_before(model) %}
    {% do return(none if var("ticdc__redecode", false) else ticdc.relation_of(model)) %}
{% endmacro %}
