{% macro first_run_id(relation) %}
    {% if not (execute and relation) %}{% do return(ticdc.run_id() | int) %}{% endif %}
    {% set noted = ticdc.settled(relation).run_id %}
    {% do return(noted or run_query("select coalesce(min(run_id), 0) from " ~ ticdc.rows_of(relation)).rows[0][0] | int) %}
{% endmacro %}
