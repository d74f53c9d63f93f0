{% macro files_of_letters(feeds) %}
select ledger.*
from {{ ticdc.rows_of(ref("int_ticdc__files")) }} as ledger
left semi join ({{ ticdc.dead_letters(ticdc.rows_of(ticdc.relation_before("stg_ticdc__" ~ feeds[0].protocol))) }}) as letters
    on ledger.feed = letters.feed and ledger.path = letters.topic
where ledger.feed in ({{ ticdc.text_literals(feeds | map(attribute="name")) }})
{% endmacro %}
