{% macro described_relations(schema, names) %}
    {% set described = [] %}
    {% if not names %}{% do return(described) %}{% endif %}
    {% set place = ticdc.identifier(schema) %}
    {% set there = run_query("show tables in " ~ place).rows | map(attribute=1) | map("lower") | list %}
    {# Derby cannot find a thousand names by one statement #}
    {% for some in names | unique | select("in", dict.fromkeys(there)) | batch(100) %}
        {% for row in run_query("show table extended in " ~ place ~ " like '" ~ some | join("|") ~ "'").rows if row[0] %}
            {% set name = place ~ "." ~ ticdc.identifier(row[1]) %}
            {% set properties = modules.re.findall("(?m)^Table Properties: (.*)", row[3]) %}
            {% if "Provider: delta" in row[3] %}
                {% set properties = [] %}
                {% for property in run_query("show tblproperties " ~ name).rows %}{% do properties.append(property | join("=")) %}{% endfor %}
            {% endif %}
            {% do described.append((schema ~ "." ~ row[1] | lower, properties | join)) %}
        {% endfor %}
    {% endfor %}
    {% do return(described) %}
{% endmacro %}
