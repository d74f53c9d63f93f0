{% for protocol in ticdc.protocols_in_use() -%}
select
    * except (batch_id, key, value, key_length, value_length),
    {{ ticdc.text_literal(protocol) }} as protocol
from ({{ ticdc.staged_events(ref("stg_ticdc__" ~ protocol), ticdc.live_rows(ref("stg_ticdc__" ~ protocol))) }}) as staged
{% if not loop.last %}
union all
{% endif %}
{%- endfor %}
