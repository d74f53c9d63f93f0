{%- set rows = ticdc.published_rows(ref("int_ticdc__latest")) -%}

with

typed_tables as (

    select * from {{ ref("int_ticdc__typed_tables") }}

),

newest_rows as (

    {{ ticdc.merged_generations(rows, ticdc.row_key_columns(), "row is null") }}

),

row_counts as (

    select
        feed,
        table_id,
        table_incarnation,
        count(*) as row_count
    from newest_rows
    group by feed, table_id, table_incarnation

),

last_commits as (

    select
        feed,
        table_id,
        table_incarnation,
        max(commit_ts) as last_commit_ts
    from {{ rows }} as latest
    group by feed, table_id, table_incarnation

)

select
    typed_tables.feed,
    typed_tables.schema_name,
    typed_tables.table_name,
    typed_tables.table_id,
    typed_tables.table_incarnation,
    typed_tables.key_columns,
    typed_tables.current_relation,
    typed_tables.history_relation,
    coalesce(row_counts.row_count, 0) as row_count,
    last_commits.last_commit_ts
from typed_tables
left join row_counts
    on
        typed_tables.feed = row_counts.feed
        and typed_tables.table_id = row_counts.table_id
        and typed_tables.table_incarnation = row_counts.table_incarnation
left join last_commits
    on
        typed_tables.feed = last_commits.feed
        and typed_tables.table_id = last_commits.table_id
        and typed_tables.table_incarnation = last_commits.table_incarnation
