{% macro letter_payload(column) -%}
    {%- set payloads = var("ticdc__dead_letter_payloads", "keep") -%}
    {%- if payloads == "keep" -%}
    {{ column }}
    {%- elif payloads == "hash" -%}
    unhex(sha2({{ column }}, 256))
    {%- else -%}
    cast(null as binary)
    {%- endif -%}
{%- endmacro %}
