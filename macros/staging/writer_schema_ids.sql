{% macro writer_schema_ids(feeds) -%}
    struct(
        {%- for message in ["key", "value"] %}
        if(
            {{ ticdc.by_feed(feeds, "framing") }} = 'glue',
            {{ ticdc.writer_schema_id(message, "glue") }},
            {{ ticdc.writer_schema_id(message, "confluent") }}
        ) as {{ message }}
        {{- "," if not loop.last }}
        {%- endfor %}
    )
{%- endmacro %}
