{% macro of_feed(values, type="bigint", feed="feed") -%}
    {#- one text, as Spark plans each of many conditions side by side, and what follows from it, for each table that is read -#}
    try_element_at(from_json({{ ticdc.text_literal(tojson(values)) }}, 'map<string, {{ type }}>', map('mode', 'FAILFAST')), {{ feed }})
{%- endmacro %}
