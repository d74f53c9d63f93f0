{% macro lossy_of_resolved() -%}
    {%- set stale_types = ticdc.feeds_whose_protocol("types_of_rows", "stale") | map(attribute="name") | list -%}
    if(
        -- what these rows tell of their table may be as old as the flags of these columns
        origin = 'wire' and feed in ({{ ticdc.text_literals([""] + stale_types) }}),
        array_union(resolved.lossy, filter(lossy, flag -> flag like '%:no_schema')),
        resolved.lossy
    )
{%- endmacro %}
