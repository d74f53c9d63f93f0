{# Gives the SQL of the rows of initial loads, each with what `ticdc_loaded_row` gives (`loaded`) and with the version
   of its table as of the commit of the load. Rows of one key may come several times. #}
{% macro loaded_rows(loads) %}
    select
        versions.schema_name,
        versions.table_name,
        versions.table_id,
        versions.table_incarnation,
        versions.valid_from_ts as version_from_ts,
        exported.commit_ts,
        ticdc_loaded_row(exported.row, versions.columns, exported.key_columns) as loaded,
        exported.feed
    from {{ ticdc.rows_of(ref("int_ticdc__exported_rows")) }} as exported
    inner join {{ ticdc.catalogue_records("version") }} as versions
        on
            exported.feed = versions.feed
            and lower(exported.schema_name) = versions.schema_key
            and lower(exported.table_name) = versions.table_key
            and exported.commit_ts >= versions.valid_from_ts
            and exported.commit_ts < coalesce(versions.valid_to_ts, exported.commit_ts + 1)
    where
        exported.row is not null
        and (
            {%- for load in loads %}
            (exported.feed = {{ ticdc.text_literal(load.feed) }}
                and exported.schema_name = {{ ticdc.text_literal(load.schema) }}
                and exported.table_name = {{ ticdc.text_literal(load.table) }}
                and exported.commit_ts = {{ load.commit_ts }})
            {{- " or" if not loop.last }}
            {%- endfor %}
        )
{% endmacro %}
