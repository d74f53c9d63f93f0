with

typed_tables as (

    select * from {{ ref("int_ticdc__typed_tables") }}

),

row_counts as (

    select
        feed,
        table_id,
        table_incarnation,
        count(*) as row_count
    from {{ ref("ticdc__current_rows") }}
    group by feed, table_id, table_incarnation

),

last_commits as (

    select
        feed,
        table_id,
        table_incarnation,
        max(commit_ts) as last_commit_ts
    from {{ ticdc.published_rows(ref("int_ticdc__latest")) }} as latest
    group by feed, table_id, table_incarnation

),

feeds as (

    select
        feed,
        max(complete_through_ts) as complete_through_ts
    from {{ ref("int_ticdc__completeness") }}
    group by feed

),

problem_counts as (

    select
        feed,
        schema_name,
        table_name,
        count(*) as problem_count
    from {{ ref("ticdc__problems") }}
    where table_name is not null
    group by feed, schema_name, table_name

)

select
    typed_tables.feed,
    typed_tables.schema_name,
    typed_tables.table_name,
    typed_tables.table_id,
    typed_tables.table_incarnation,
    from_json(typed_tables.key_columns, 'array<string>') as key_columns,
    typed_tables.current_relation,
    typed_tables.history_relation,
    coalesce(row_counts.row_count, 0) as row_count,
    last_commits.last_commit_ts,
    feeds.complete_through_ts,
    coalesce(problem_counts.problem_count, 0) as problem_count
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
left join problem_counts
    on
        typed_tables.feed = problem_counts.feed
        and typed_tables.schema_name = problem_counts.schema_name
        and typed_tables.table_name = problem_counts.table_name
left join feeds on typed_tables.feed = feeds.feed
