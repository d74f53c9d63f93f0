{% macro unnoted_files(files, ledger) %}
select files.*
from ({{ files }}) as files
{% if ledger -%}
left anti join {{ ticdc.rows_of(ledger) }} as known
    on files.feed = known.feed and files.path = known.path and files.`offset` <= known.`offset`
{%- endif %}
{% endmacro %}
