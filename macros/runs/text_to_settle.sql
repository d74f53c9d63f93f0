{% macro text_to_settle() %}
    {% do return(sql.split("-- ticdc.settled: ")[1].split("\n")[0]) %}
{% endmacro %}
