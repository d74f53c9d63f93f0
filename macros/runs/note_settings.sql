{% macro note_settings() %}
    {% set catalogs, memory = [], ticdc.memory() %}
    {% for name, value in run_query("set").rows %}
        {% if name == "spark.sql.timestampType" %}{% do memory.update({"timestamp_type": value}) %}{% endif %}
        {% if modules.re.fullmatch("spark[.]sql[.]catalog[.][^.]+", name) %}{% do catalogs.append(name.split(".")[-1]) %}{% endif %}
    {% endfor %}
    {% do memory.update({"catalogs": catalogs}) %}
{% endmacro %}
