{% macro typed_expression(text, type, is_past=false) -%}
    {%- if type == "string" -%}
        {{ text }}
    {%- elif type == "binary" -%}
        {#- `unbase64` fails where a cell is no base64, as a text is in a feed that sends no DDL -#}
        try_to_binary({{ text }}, 'base64')
    {%- elif type == "timestamp" -%}
        {#- the sign of the year, as Spark takes a time without date for one of today -#}
        try_cast('+' || {{ text }} || '+00:00' as timestamp_ltz)
    {%- elif type == "array<string>" -%}
        if({{ text }} = '', array(), split({{ text }}, ','))
    {%- elif type == "array<float>" -%}
        from_json({{ text }}, 'array<float>')
    {%- elif is_past and type in ["date", "timestamp_ntz"] -%}
        {#- Spark would make up the day of a year alone, and cut a time or its zone -#}
        {%- set time = "[0:.]" if type == "date" else "[0-9:.]" -%}
        if({{ text }} rlike '^[0-9]{4}-[0-9]+-[0-9]+([ T]{{ time }}*)?$', try_cast({{ text }} as {{ type }}), null)
    {%- elif is_past and type.startswith("decimal") -%}
        {%- set digits = "[0-9]{" ~ type.split(",")[1].rstrip(")") ~ "}" -%}
        if({{ text }} rlike '[.]{{ digits }}[0-9]*[1-9]', null, try_cast({{ text }} as {{ type }}))
    {%- else -%}
        try_cast({{ text }} as {{ type }})
    {%- endif -%}
{%- endmacro %}
