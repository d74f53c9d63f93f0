{% macro catalogue_records(record) -%}
    (select * from {{ ticdc.rows_of(ref("int_ticdc__catalogue")) }} as catalogue where record = '{{ record }}')
{%- endmacro %}
