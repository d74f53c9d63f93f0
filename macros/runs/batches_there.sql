{% macro batches_there(relation, column) %}
    {% if not relation %}{% do return([]) %}{% endif %}
    {% set query = "show partitions " ~ relation if config.get("file_format", "parquet") == "parquet" else "select distinct " ~ column ~ " from " ~ relation %}
    {% set found = [] %}
    {% for row in run_query(query).rows %}{% do found.append((row[0] | string).split("/")[0].split("=")[-1] | int) %}{% endfor %}
    {% do return(found | unique | list) %}
{% endmacro %}
