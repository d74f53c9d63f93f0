{% macro exported_columns(relation) %}
    {% if not relation or not execute %}{% do return(none) %}{% endif %}
    {% set counted = run_query("select count(*), coalesce(sum(xxhash64(*) % 1000003), 0) from " ~ relation).rows[0] %}
    {% do return([counted[0] | int, counted[1] | int]) %}
{% endmacro %}
