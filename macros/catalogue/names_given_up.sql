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
