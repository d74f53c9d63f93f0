{% macro messages_of_feeds(feeds, staged_offsets=[]) %}
select *
from (
    select
        topic,
        `partition`,
        `offset`,
        cast(`timestamp` as timestamp_ltz) as message_at,
        key,
        value,
        {% if feeds | length == 1 -%}
        -- by a constant Spark does not sort rows before it writes partitions
        {{ ticdc.text_literal(feeds[0].name) }} as feed
        {%- else -%}
        -- one read of the source, however many feeds there are
        explode(
            array(
                {%- for feed in feeds %}
                if({{ ticdc.is_of_feed(feed) }}, {{ ticdc.text_literal(feed.name) }}, null)
                {{- "," if not loop.last }}
                {%- endfor %}
            )
        ) as feed
        {%- endif %}
    from {{ source("ticdc", "messages") }}
) as sent
where
    feed is not null
    and (
        {%- for feed in feeds %}
        {{ "or " if not loop.first }}({{ ticdc.is_of_feed(feed) }}
        {{- ticdc.may_not_be_staged(staged_offsets | selectattr("feed", "equalto", feed.name) | list) }})
        {%- endfor %}
    )
    and {{ ticdc.is_not_staged(staged_offsets) }}
{% endmacro %}
