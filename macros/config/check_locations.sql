{% macro check_locations() %}
    {% set tables = ["ticdc_append", "ticdc_carried_rows", "ticdc_log", "ticdc_snapshot", "seed"] %}
    {% for id in selected_resources if ".ticdc." in id and id in graph.nodes %}
        {% set node = graph.nodes[id] %}
        {% set root = node.config.get("location_root") if node.config.materialized in tables else none %}
        {% if root and not adapter.get_relation(database=node.database, schema=node.schema, identifier=node.alias) %}
            {% set location = root ~ "/" ~ node.alias %}
            {# a folder that is not there is an error of Spark #}
            {% set is_taken = run_query(
                "begin declare exit handler for sqlexception select false as is_taken; select count(*) > 0 as is_taken from (select path from binaryFile."
                ~ "`" ~ location | replace("`", "``") ~ "` with ('recursiveFileLookup' = 'true') limit 1); end"
            ).rows[0][0] %}
            {% if is_taken %}
                {% do exceptions.raise_compiler_error(
                    "ticdc: +location_root of " ~ node.name ~ ": got " ~ root ~ ", and " ~ location ~ " holds files already, while there is no table "
                    ~ node.schema ~ "." ~ node.alias ~ ": they may be another target's. Give each target a folder of its own, such as "
                    ~ root ~ "/{{ target.name }}, or remove the files if nothing needs them"
                ) %}
            {% endif %}
        {% endif %}
    {% endfor %}
{% endmacro %}
