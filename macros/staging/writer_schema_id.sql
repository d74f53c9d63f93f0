{% macro writer_schema_id(message, framing) -%}
    {%- if framing == "glue" -%}
    if(
        startswith({{ message }}, unhex('0300')) and octet_length({{ message }}) >= 18,
        regexp_replace(
            lower(hex(substring({{ message }}, 3, 16))),
            '^(.{8})(.{4})(.{4})(.{4})(.{12})$',
            '$1-$2-$3-$4-$5'
        ),
        null
    )
    {%- else -%}
    if(
        startswith({{ message }}, unhex('00')) and octet_length({{ message }}) >= 5,
        conv(hex(substring({{ message }}, 2, 4)), 16, 10),
        null
    )
    {%- endif -%}
{%- endmacro %}
