{% macro messages_of_feeds(feeds, staged_offsets=[]) %}
-- one read of the source, however many feeds there are
select
    exploded.feed,
    topic,
    `partition`,
    `offset`,
    `timestamp` as message_at,
    key,
    value
from {{ source("ticdc", "messages") }}
lateral view explode(
    array(
        {%- for feed in feeds %}
        if(
            {{ ticdc.is_of_feed(feed) }},
            named_struct(
                'name', {{ ticdc.text_literal(feed.name) }},
                'options', {{ ticdc.text_literal(feed.options) }},
                'framing', {{ ticdc.text_literal(feed.framing) }},
                'schemas', {{ ticdc.text_literal(feed.schemas) if feed.schemas else "cast(null as string)" }},
                'reads_files', {{ "true" if feed.claim_check else "false" }}
            ),
            null
        )
        {{- "," if not loop.last }}
        {%- endfor %}
    )
) exploded as feed
where
    exploded.feed is not null
    and (
        {%- for feed in feeds %}
        {{ "or " if not loop.first }}({{ ticdc.is_of_feed(feed) }}
        {{- ticdc.may_not_be_staged(staged_offsets | selectattr("feed", "equalto", feed.name) | list) }})
        {%- endfor %}
    )
    and {{ ticdc.is_not_staged(staged_offsets) }}
{% endmacro %}
