{% macro typed_expression(text, type, is_past=false) -%}
    {%- if type == "string" -%}
        {{ text }}
    {%- elif type == "binary" -%}
        {#- `unbase64` fails where a cell is no base64, as a text is in a feed that sends no DDL -#}
        try_to_binary({{ text }}, 'base64')
    {%- elif type == "timestamp" -%}
        try_cast({{ text }} || '+00:00' as timestamp_ltz)
    {%- elif type == "array<string>" -%}
        if({{ text }} = '', array(), split({{ text }}, ','))
    {%- elif type == "array<float>" -%}
        from_json({{ text }}, 'array<float>')
    {%- elif is_past and type == "date" -%}
        if(substr({{ text }}, 11) rlike '[1-9]', null, try_cast({{ text }} as date))
    {%- elif is_past and type.startswith("decimal") -%}
        {%- set digits = "[0-9]{" ~ type.split(",")[1].rstrip(")") ~ "}" -%}
        if({{ text }} rlike '[.]{{ digits }}[0-9]*[1-9]', null, try_cast({{ text }} as {{ type }}))
    {%- else -%}
        try_cast({{ text }} as {{ type }})
    {%- endif -%}
{%- endmacro %}
