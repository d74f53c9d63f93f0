{% macro unseen_table_id(rows) -%}
    '`' || replace({{ rows }}.schema_name, '`', '``') || '`.`' || replace({{ rows }}.table_name, '`', '``') || '`@0'
{%- endmacro %}
