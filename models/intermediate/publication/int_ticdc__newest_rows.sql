{% set states -%}
select
    *,
    row_number() over (partition by {{ ticdc.row_key_columns() }} order by generation desc) as place
from {{ ticdc.published_rows(ref("int_ticdc__latest")) }} as latest
{%- endset %}
{{ ticdc.ranked_first(states) }}
