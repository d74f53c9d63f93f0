{% for protocol in ticdc.protocols_in_use() -%}
{%- set relation = ref("stg_ticdc__" ~ protocol) -%}
select
    * except (batch_id, key, value, key_length, value_length),
    {{ ticdc.text_literal(protocol) }} as protocol
from ({{ ticdc.staged_events(relation, ticdc.live_rows(relation)) }}) as staged
{% if not loop.last %}
union all
{% endif %}
{%- endfor %}
