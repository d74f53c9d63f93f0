{% macro kafka_rows(feed, ranges, fails_on_loss=true) -%}
select
    topic,
    `partition`,
    `offset`,
    cast(`timestamp` as timestamp_ltz) as message_at,
    key,
    value,
    {{ ticdc.text_literal(feed.name) }} as feed
from {% if ranges %}{{ ticdc.kafka_view(feed, ranges, fails_on_loss) }}{% else -%}
(
    select
        '' as topic,
        0 as `partition`,
        cast(0 as bigint) as `offset`,
        current_timestamp() as `timestamp`,
        cast('' as binary) as key,
        cast('' as binary) as value
    where false
) as no_messages
{%- endif %}
{%- endmacro %}
