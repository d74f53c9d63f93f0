{% macro rows_with_version(waiting_rows, which) %}
    {%- set no_types = ticdc.feeds_whose_protocol("types_of_rows", none) | map(attribute="name") | list -%}
    select
        waiting_rows.*,
        waiting_rows.table_schema_id as known_schema_id,
        -- what rows of some protocols tell of their table is no more than the row itself holds
        if(
            coalesce(versions.origin, '') <> 'wire'
            or waiting_rows.feed not in ({{ ticdc.text_literals([""] + no_types) }})
            or array_contains(waiting_rows.lossy, '*:no_schema'),
            versions.table_schema,
            null
        ) as known_schema,
        versions.origin,
        versions.key_columns,
        versions.keys_rows
    from {{ waiting_rows }} as waiting_rows
    left join versions
        on
            {{ ticdc.is_of_version("waiting_rows") }}
    where {{ which }}
{% endmacro %}
