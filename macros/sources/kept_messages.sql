{% macro kept_messages(feeds, since=0) -%}
select
    topic,
    `partition`,
    `offset`,
    `timestamp` as message_at,
    key,
    value,
    feed
from {{ ticdc.live_rows(ref("int_ticdc__kept_messages")) }} as kept_messages
where feed in ({{ ticdc.text_literals(feeds | map(attribute="name")) }}) and run_id > {{ since }}
{%- endmacro %}
