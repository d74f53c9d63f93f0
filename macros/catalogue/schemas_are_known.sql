{% macro schemas_are_known(catalogue_events, seen_schemas, run_id) %}
    {% set new -%}
with

seen as (

    select * from {{ ticdc.rows_of(seen_schemas) }} as seen_schemas

),

new_rows as (

    select * from seen
    where run_id > {{ run_id }}

),

{{ ticdc.names_given_up("(select * from " ~ ticdc.rows_of(catalogue_events) ~ " where ddl_query is not null)", "(select distinct feed, schema_name, table_name from new_rows)") }}

select new_rows.*
from new_rows
left join names_given_up
    on
        new_rows.feed = names_given_up.feed
        and new_rows.schema_name = names_given_up.schema_name
        and new_rows.table_name = names_given_up.table_name
left anti join seen as known
    on
        known.run_id <= {{ run_id }}
        and known.kind = 'row'
        and new_rows.kind = 'row'
        and new_rows.feed = known.feed
        and new_rows.schema_name <=> known.schema_name
        and new_rows.table_name <=> known.table_name
        and new_rows.table_schema_id <=> known.table_schema_id
        and new_rows.has_schema = known.has_schema
        and new_rows.first_ts > known.first_ts
        and (new_rows.commit_ts_exact or not known.commit_ts_exact)
        -- the first row after a name was given up tells again
        and coalesce(known.first_ts > array_max(names_given_up.commits), true)
limit 1
    {%- endset %}
    {% do return(run_query(new).rows | length == 0) %}
{% endmacro %}
