{% macro writer_schema_ids() -%}
    struct(
        {%- for message in ["key", "value"] %}
        if(
            feed.framing = 'glue', {{ ticdc.writer_schema_id(message, "glue") }}, {{ ticdc.writer_schema_id(message, "confluent") }}
        ) as {{ message }}
        {{- "," if not loop.last }}
        {%- endfor %}
    )
{%- endmacro %}
