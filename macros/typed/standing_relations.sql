{% macro standing_relations(answer, schemas) %}
    {% set mark, standing = ticdc.typed_mark(), {} %}
    {% for schema, names in answer.names.items() if schema in schemas %}
        {% for key, text in ticdc.described_relations(schema, names.relations) + ticdc.described_functions(schema, names.functions) %}
            {% set is_marked = mark.name ~ "=" ~ mark.value in text %}
            {% do standing.update({key: "marked" if is_marked else "unmarked" if key in answer.unmarked else false}) %}
        {% endfor %}
    {% endfor %}
    {% do return(standing) %}
{% endmacro %}
