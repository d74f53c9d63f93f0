{% macro generated_models(feed, history) %}
    {% set tables = {} %}
    {% for row in run_query(
        "select feed, to_json(struct(*)) from " ~ ref("ticdc", "ticdc__tables")
        ~ " where current_relation is not null order by feed, current_relation"
    ).rows %}
        {% do tables.setdefault(row[0], []).append(fromjson(row[1])) %}
    {% endfor %}
    {% if feed not in tables %}
        {% do exceptions.raise_compiler_error(
            "ticdc: feed " ~ tojson(feed) ~ " has no typed tables; feeds that have: " ~ (tables | join(", ") or "none")
        ) %}
    {% endif %}
    {% set upstream = {} %}
    {% for row in run_query(
        "select to_json(struct(table_id, table_incarnation, lower(column_name) as name, column_type, is_nullable)) from "
        ~ ref("ticdc", "ticdc__columns") ~ " where valid_to_ts is null and feed = " ~ ticdc.text_literal(feed)
    ).rows %}
        {% set column = fromjson(row[0]) %}
        {% do upstream.setdefault((column.table_id, column.table_incarnation), {}).update({column.name: column}) %}
    {% endfor %}
    {% set models = [] %}
    {% for table in tables[feed] %}
        {% do table.update({"upstream": upstream.get((table.table_id, table.table_incarnation), {})}) %}
        {% do models.append(ticdc.generated_model(table, table.current_relation, false)) %}
        {% if history and table.history_relation %}
            {% do models.append(ticdc.generated_model(table, table.history_relation, true)) %}
        {% endif %}
    {% endfor %}
    {% do return(models) %}
{% endmacro %}
