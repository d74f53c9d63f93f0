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
    value
from {{ ref("stg_ticdc__" ~ protocol) }}
where kind = 'error'
{% if not loop.last %}
union all
{% endif %}
{%- endfor %}
