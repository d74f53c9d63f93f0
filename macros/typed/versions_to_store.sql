{% macro versions_to_store(table, since) %}
    {#- of the run, as it is published with what is stored -#}
    {%- set changes = "(" ~ ticdc.changes_to_store() ~ ")" -%}
    {%- set states = ticdc.rows_of(ref("int_ticdc__table_states")) -%}
    {%- if not since -%}
    (
        select
            *,
            cast(null as bigint) as replaces_from_ts
        from ({{ ticdc.row_history(changes, states) }})
    )
    {%- else -%}
    (
        with

        touched as (

            {{ ticdc.arrived_changes(table, since, ticdc.row_key_columns() ~ ", min(commit_ts) as replaces_from_ts") }}
            group by {{ ticdc.row_key_columns() }}

        ),

        changes as (

            select * from {{ changes }} as all_changes
            where ({{ ticdc.row_key_columns() }}) in (select {{ ticdc.row_key_columns() }} from touched)

        ),

        versions as (

            {{ ticdc.row_history("changes", states) }}

        )

        -- a row of which no version is left replaces those that are stored, too
        select
            versions.* except ({{ ticdc.row_key_columns() }}),
            touched.*
        from touched
        left join versions
            on
                touched.feed = versions.feed
                and touched.table_id = versions.table_id
                and touched.table_incarnation = versions.table_incarnation
                and touched.row_key = versions.row_key
                and (versions.valid_to_ts is null or versions.valid_to_ts >= touched.replaces_from_ts)
    )
    {%- endif -%}
{% endmacro %}
