{% macro drop_lease() %}
    {% do run_query("drop table if exists " ~ ticdc.memory().pop("lease").relation) %}
{% endmacro %}
