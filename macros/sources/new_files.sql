{% macro new_files(feeds, staged) %}
select ledger.*
from {{ ticdc.rows_of(ref("int_ticdc__files")) }} as ledger
{% if staged.relation -%}
left anti join ({{ ticdc.staged_offset_ranges(feeds[0].protocol, staged.relation, staged.first_run_id) }}) as staged
    on
        ledger.feed = staged.feed
        and ledger.path = staged.topic
        and ledger.`offset` between staged.first_offset and staged.last_offset
{% endif -%}
where ledger.kind <> 'other' and ledger.feed in ({{ ticdc.text_literals(feeds | map(attribute="name")) }})
{% endmacro %}
