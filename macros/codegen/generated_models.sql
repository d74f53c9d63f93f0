{% macro generated_models(feed, history) %}
    {% set found, relations, models = run_query(ticdc.relations_to_generate(feed, history)).rows, [], [] %}
    {% for row in found if row[0] == feed %}
        {% set table = dict(fromjson(row[2]), columns=ticdc.described_columns(row[1])) %}
        {% do relations.append("(" ~ relations | length ~ ", " ~ ticdc.text_literal(tojson(table)) ~ ")") %}
    {% endfor %}
    {% if not relations %}
        {% do exceptions.raise_compiler_error(
            "ticdc: feed " ~ tojson(feed) ~ " has no typed tables; feeds that have: " ~ (found | map(attribute=0) | unique | join(", ") or "none")
        ) %}
    {% endif %}
    {% for some in ticdc.short_lists(relations) %}
        {% set query = "select ticdc_generated_model(relation) from values " ~ some | join(", ") ~ " as relations (place, relation) order by place" %}
        {% for row in run_query(query).rows %}{% do models.append(fromjson(row[0])) %}{% endfor %}
    {% endfor %}
    {% do return(models) %}
{% endmacro %}
