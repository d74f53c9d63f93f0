{% macro changes_to_store() -%}
    {{ ticdc.row_changes(ref("int_ticdc__carried_rows"), has_keyless_rows=false) }}
{%- endmacro %}
