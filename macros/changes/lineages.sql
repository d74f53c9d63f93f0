{% macro lineages() %}
    select
        feed,
        table_id,
        table_incarnation,
        sort_array(collect_list(struct(valid_from_ts, columns, row_effect))) as versions
    from {{ ticdc.catalogue_records("version") }} as table_versions
    group by feed, table_id, table_incarnation
{% endmacro %}
