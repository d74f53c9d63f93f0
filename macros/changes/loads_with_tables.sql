{% macro loads_with_tables(loads, loaded) %}
{%- set loaded = "from_json(" ~ ticdc.text_literal(tojson(loaded)) ~ ", 'map<string, string>', map('mode', 'FAILFAST'))" -%}
select
    *,
    map_contains_key({{ loaded }}, id) and fingerprint is distinct from try_element_at({{ loaded }}, id) as is_changed
from (
    select
        loads.*,
        if(versions.feed is null, null, md5(to_json(struct(table_id, table_incarnation, columns)))) as fingerprint,
        coalesce(contains(columns, '"key":'), true) as has_key
    from inline(from_json(
        {{ ticdc.text_literal(tojson(loads)) }},
        'array<struct<id: string, feed: string, schema: string, table: string, commit_ts: bigint, key_columns: string>>',
        map('mode', 'FAILFAST')
    )) as loads
    left join {{ ticdc.catalogue_records("version") }} as versions
        on
            loads.feed = versions.feed
            and lower(loads.schema) = versions.schema_key
            and lower(loads.table) = versions.table_key
            and loads.commit_ts = versions.valid_from_ts
)
{% endmacro %}
