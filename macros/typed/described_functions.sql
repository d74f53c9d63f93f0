{% macro described_functions(schema, names) %}
    {% set described = [] %}
    {% if not names %}{% do return(described) %}{% endif %}
    {% set place, wanted = ticdc.identifier(schema), dict.fromkeys(names) %}
    {% for row in run_query("show user functions in " ~ place).rows %}
        {% set plain = row[0].replace("`", "").split(".")[-1] %}
        {% if plain in wanted %}
            {% set name = place ~ "." ~ ticdc.identifier(plain) %}
            {% set text = run_query("describe function extended " ~ name).rows | map(attribute=0) | join %}
            {% do described.append((schema ~ "." ~ plain ~ "()", text)) %}
        {% endif %}
    {% endfor %}
    {% do return(described) %}
{% endmacro %}
