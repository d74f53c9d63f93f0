{% macro generated_models(feed, history) %}
    {% set tables = {} %}
    {% for row in run_query(
        "select feed, to_json(struct(*)) from " ~ ref("ticdc", "ticdc__tables") ~ " left join ("
        ~ "select feed, table_id, table_incarnation, collect_list(struct(column_name, column_type, is_nullable)) as upstream "
        ~ "from " ~ ref("ticdc", "ticdc__columns") ~ " where valid_to_ts is null and feed = " ~ ticdc.text_literal(feed)
        ~ " group by feed, table_id, table_incarnation) as columns using (feed, table_id, table_incarnation) "
        ~ "where current_relation is not null order by feed, current_relation"
    ).rows %}
        {% do tables.setdefault(row[0], []).append(fromjson(row[1])) %}
    {% endfor %}
    {% if feed not in tables %}
        {% do exceptions.raise_compiler_error(
            "ticdc: feed " ~ tojson(feed) ~ " has no typed tables; feeds that have: " ~ (tables | join(", ") or "none")
        ) %}
    {% endif %}
    {% set relations, models = [], [] %}
    {% for table in tables[feed] %}
        {% for relation in [table.current_relation] + ([table.history_relation] if history and table.history_relation else []) %}
            {% do relations.append("(" ~ relations | length ~ ", " ~ ticdc.text_literal(tojson(dict(
                table, relation=relation, is_history=not loop.first, columns=ticdc.described_columns(relation)
            ))) ~ ")") %}
        {% endfor %}
    {% endfor %}
    {% for some in ticdc.short_lists(relations) %}
        {% for row in run_query(
            "select ticdc_generated_model(relation) from values " ~ some | join(", ") ~ " as relations (place, relation) order by place"
        ).rows %}
            {% do models.append(fromjson(row[0])) %}
        {% endfor %}
    {% endfor %}
    {% do return(models) %}
{% endmacro %}
