{# Gives the SQL of the rows, of staged events, whose claim-check files no run has read yet. #}
{% macro rows_without_content(events, contents) -%}
    select waiting.*
    from {{ events }} as waiting
    {%- if contents %}
    left anti join {{ contents }} as contents
        on
            waiting.feed = contents.feed
            and waiting.topic = contents.topic
            and waiting.`partition` = contents.`partition`
            and waiting.`offset` = contents.`offset`
            and waiting.event_index = contents.event_index
            and contents.kind = 'row'
    {%- endif %}
    where waiting.claim_check is not null
{%- endmacro %}
