{% macro past_value(column) %}
    {% set values = ["image." ~ ticdc.identifier(column.name)] %}
    {# a struct has no two fields that differ in case alone #}
    {% for spelling in (column.spellings or [])[1:] %}
        {% do values.append("try_element_at(" ~ ticdc.image_of("map<string, string>") ~ ", " ~ ticdc.text_literal(spelling) ~ ")") %}
    {% endfor %}
    {% do return(values[0] if values | length == 1 else "coalesce(" ~ values | join(", ") ~ ")") %}
{% endmacro %}
