{% for protocol in ticdc.protocols_in_use() -%}
select
    feed,
    topic,
    `partition`,
    `offset`,
    event_index,
    message_at,
    error_code,
    error_message,
    key,
    value,
    key_length,
    value_length
from ({{ ticdc.dead_letters(ticdc.live_rows(ref("stg_ticdc__" ~ protocol))) }}) as letters
{% if not loop.last %}
union all
{% endif %}
{%- endfor %}
