{% macro avro__lacks_commit() -%}
    (value is null or instr(value_schema, '"_tidb_commit_ts"') = 0)
{%- endmacro %}
