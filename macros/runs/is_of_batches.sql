{% macro is_of_batches(batches, since) -%}
    batch_id in ({{ batches | join(", ") or "null" }})
    {%- for feed, batch_id in since.items() %} and (feed <> {{ ticdc.text_literal(feed) }} or batch_id >= {{ batch_id }}){% endfor %}
{%- endmacro %}
