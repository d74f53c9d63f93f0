{% macro schemas_of_files(ledger) %}
select
    schemas.feed,
    schemas.location
from {{ ticdc.rows_of(ref("int_ticdc__files")) }} as schemas
left semi join ({{ ledger }}) as files
    on schemas.feed = files.feed and schemas.table_folder = files.table_folder and files.kind = 'data'
where schemas.kind = 'schema'
{% endmacro %}
