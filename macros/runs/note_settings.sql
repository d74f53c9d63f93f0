{% macro note_settings() %}
    {% set catalogs, memory = [], ticdc.memory() %}
    {% for name, value in run_query("set").rows %}
        {% if name == "spark.sql.timestampType" %}{% do memory.update({"timestamp_type": value}) %}{% endif %}
        {% if name == "spark.sql.parser.escapedStringLiterals" and value == "true" %}
            {% do exceptions.raise_compiler_error(
                "ticdc: spark.sql.parser.escapedStringLiterals is true in this session, where SQL reads a backslash as itself, and names and"
                ~ " texts that hold one would be others: set it to false, its default, in the session or in server_side_parameters"
            ) %}
        {% endif %}
        {% if modules.re.fullmatch("spark[.]sql[.]catalog[.][^.]+", name) %}{% do catalogs.append(name.split(".")[-1]) %}{% endif %}
    {% endfor %}
    {% do memory.update({"catalogs": catalogs}) %}
{% endmacro %}
