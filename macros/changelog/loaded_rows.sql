{% macro loaded_rows(loads) %}
    {%- set text_format = "yyyy-MM-dd HH:mm:ss.SSSSSS" -%}
    select
        versions.schema_name,
        versions.table_name,
        versions.table_id,
        versions.table_incarnation,
        versions.valid_from_ts as version_from_ts,
        exported.commit_ts,
        ticdc_loaded_row(exported.row, versions.columns, exported.key_columns) as loaded,
        exported.feed
    from (
        {% for load in loads -%}
        select
            {{ ticdc.text_literal(load.feed) }} as feed,
            {{ ticdc.text_literal(load.schema | lower) }} as schema_key,
            {{ ticdc.text_literal(load.table | lower) }} as table_key,
            cast({{ load.commit_ts }} as bigint) as commit_ts,
            {{ ticdc.text_literal(load.key_columns) }} as key_columns,
            to_json(
                struct(*),
                map(
                    'ignoreNullFields', 'false',
                    'timeZone', 'UTC',
                    'timestampFormat', '{{ text_format }}',
                    'timestampNTZFormat', '{{ text_format }}'
                )
            ) as row
        from {{ load.relation }}
        {{ "union all" if not loop.last }}
        {% endfor %}
    ) as exported
    inner join {{ ref("int_ticdc__table_versions") }} as versions
        on
            exported.feed = versions.feed
            and exported.schema_key = versions.schema_key
            and exported.table_key = versions.table_key
            and exported.commit_ts >= versions.valid_from_ts
            and exported.commit_ts < coalesce(versions.valid_to_ts, exported.commit_ts + 1)
{% endmacro %}
