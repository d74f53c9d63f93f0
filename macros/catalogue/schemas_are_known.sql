{% macro schemas_are_known(seen_tables, run_id) %}
    {% set alike = ["schema_name", "table_name", "table_schema_id", "has_schema", "message_ts", "ddl_query"] %}
    {% set new -%}
with

seen as (

    select * from {{ ticdc.rows_of(seen_tables) }} as seen_tables

),

names as (

    select distinct
        feed,
        schema_name,
        table_name
    from seen
    where run_id > {{ run_id }}

),

{{ ticdc.names_given_up("(select * from seen where run_id <= " ~ run_id ~ ")", "names") }}

select seen.*
from seen
left join names_given_up
    on
        seen.feed = names_given_up.feed
        and seen.schema_name = names_given_up.schema_name
        and seen.table_name = names_given_up.table_name
left anti join seen as known
    on
        known.run_id <= {{ run_id }}
        and seen.feed = known.feed
        and seen.kind = known.kind
        {% for column in alike -%}
        and seen.{{ column }} <=> known.{{ column }}
        {% endfor -%}
        and case seen.kind
            when 'row'
                then
                    seen.first_ts > known.first_ts
                    and (seen.commit_ts_exact or not known.commit_ts_exact)
                    -- the first row after a name was given up tells again
                    and coalesce(known.first_ts > array_max(names_given_up.commits), true)
            -- copies for other partitions, and replays
            when 'ddl'
                then
                    seen.first_position > known.first_position
                    and struct(seen.commit_ts_exact, seen.ddl_type, seen.physical_table_id, seen.table_schema)
                    <=> struct(known.commit_ts_exact, known.ddl_type, known.physical_table_id, known.table_schema)
        end
where seen.run_id > {{ run_id }}
limit 1
    {%- endset %}
    {% do return(run_query(new).rows | length == 0) %}
{% endmacro %}
