{% macro is_of_version(rows) -%}
    {{ rows }}.feed = versions.feed
            and lower({{ rows }}.schema_name) = versions.schema_key
            and lower({{ rows }}.table_name) = versions.table_key
            and {{ rows }}.commit_ts > versions.rows_after_ts
            and {{ rows }}.commit_ts <= coalesce(versions.rows_to_ts, {{ rows }}.commit_ts)
{%- endmacro %}
