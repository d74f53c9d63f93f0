{% macro note_settings() %}
    {% set catalogs, memory, settings = [], ticdc.memory(), [] %}
    {% for name, value in run_query("set").rows %}
        {% if name == "spark.sql.timestampType" %}{% do memory.update({"timestamp_type": value}) %}{% endif %}
        {% if modules.re.fullmatch("spark[.]sql[.]catalog[.][^.]+", name) %}{% do catalogs.append(name.split(".")[-1]) %}{% endif %}
        {# those of catalogs may hold secrets #}
        {% if name.startswith("spark.sql.") and not name.startswith("spark.sql.catalog.") %}
            {% do settings.append({"name": name, "value": value | string}) %}
        {% endif %}
    {% endfor %}
    {% do memory.update({"catalogs": catalogs, "settings": settings}) %}
{% endmacro %}
