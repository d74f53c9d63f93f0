{% macro past_text(column, value, moment) -%}
    {{ "case" if column.recodings }}
    {%- for recoding in column.recodings or [] %} when {{ moment }} >= {{ recoding.from_ts }}
        {%- if recoding.to_ts is not none %} and {{ moment }} < {{ recoding.to_ts }}{% endif %} then
        {%- if column.type == "binary" %} base64(cast({{ value }} as binary))
        {%- else %} try_validate_utf8(cast(try_to_binary({{ value }}, 'base64') as string))
        {%- endif %}
    {%- endfor -%}
    {{ " else " if column.recodings }}{{ value }}{{ " end" if column.recodings }}
{%- endmacro %}
