{% macro avro__tells_commit(schema) -%}
    instr({{ schema }}, '"_tidb_commit_ts"') > 0
{%- endmacro %}
