{% macro known_typed_tables(relation) %}
    {% set known = {} %}
    {% if load_cached_relation(relation) is not none and not should_full_refresh() %}
        {% for row in run_query("select feed, schema_name, table_name, plan, current_relation, history_relation from " ~ relation).rows %}
            {% do known.update({(row[0], row[1], row[2]): dict(fromjson(row[3]), relation=row[4], history_relation=row[5])}) %}
        {% endfor %}
    {% endif %}
    {% do return(known) %}
{% endmacro %}
