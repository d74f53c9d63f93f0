{# Gives SQL of the catalogue's records of a kind, as this run has them. #}
{% macro catalogue_records(record) -%}
    (select * from {{ ticdc.rows_of(ref("int_ticdc__catalogue")) }} as catalogue where record = '{{ record }}')
{%- endmacro %}

{# Tells whether what runs saw of tables since a run leaves the catalogue as it is: no DDL but copies, and no row that
   is the first one of its schema, or the first one after a DDL that may give up its table's name. #}
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

{# Tells whether a DDL that runs saw may give up a name, bring a table back or move its key. #}
{% macro some_end_names(seen_tables) %}
    {% set which = " as seen where " ~ ticdc.may_end_names() ~ " limit 1" %}
    {% do return(ticdc.asked("select 1 from " ~ ticdc.rows_of(seen_tables) ~ which, [seen_tables]) | length > 0) %}
{% endmacro %}

{# Gives the CTEs `ends`, the DDL that may give up a name, bring a table back or move its key, and `names_given_up`,
   the commits of these DDL by the names of tables that they may be about. #}
{% macro names_given_up(seen, names) -%}
-- what may give a name up, bring a table back, or move its key
ends as (

    select
        feed,
        schema_name,
        table_name,
        message_ts as commit_ts,
        lower(ddl_query) as ddl_text,
        lower(ltrim(ddl_query)) like any ('drop database%', 'drop schema%') as is_of_database,
        lower(ddl_query) like '%rename%' as is_rename
    from {{ seen }}
    where {{ ticdc.may_end_names() }}

),

-- the message of a RENAME bears the new name: any name in its text may be the one given up
names_given_up as (

    select
        names.feed,
        names.schema_name,
        names.table_name,
        collect_set(ends.commit_ts) as commits
    from {{ names }} as names
    inner join ends
        on
            names.feed = ends.feed
            and case
                when ends.is_of_database
                    then contains(ends.ddl_text, lower(replace(names.schema_name, '`', '``')))
                when ends.is_rename
                    then contains(ends.ddl_text, lower(replace(names.table_name, '`', '``')))
                else names.schema_name = ends.schema_name and names.table_name = ends.table_name
            end
    group by names.feed, names.schema_name, names.table_name

)
{%- endmacro %}

{# Gives the condition that a DDL, of the column `ddl_query`, may give up a name, bring a table back or move its key.
   #}
{% macro may_end_names() -%}
    {#- a CREATE TABLE tells of its key itself: that its text has a word of these is no reason to read the rows after
        it -#}
    lower(ddl_query) rlike 'rename|drop|(?s)^(?! *create +table ).*(primary|unique|modify|change)'
{%- endmacro %}
