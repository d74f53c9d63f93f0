{% for protocol in ticdc.protocols_in_use() -%}
select
    * except (key, value),
    {{ ticdc.text_literal(protocol) }} as protocol
from {{ ref("stg_ticdc__" ~ protocol) }}
{% if not loop.last %}
union all
{% endif %}
{%- endfor %}
