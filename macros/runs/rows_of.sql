{% macro rows_of(relation, without_feeds=[]) -%}
    {%- if not execute or "nodes" not in graph -%}
    {{ relation }}
    {%- else -%}
    (
        select *
        from {{ relation }}
        where {{ ticdc.is_of_batches(ticdc.batches(relation), ticdc.state_of(relation).since) }}
        {%- if without_feeds %} and feed not in ({{ ticdc.text_literals(without_feeds) }}){% endif %}
    )
    {%- endif -%}
{%- endmacro %}
