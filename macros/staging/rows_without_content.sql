{% macro rows_without_content(contents) -%}
    select waiting.*
    from {{ ref("int_ticdc__events") }} as waiting
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
