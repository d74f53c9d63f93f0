with

tables as (

    select * from {{ ref("int_ticdc__sized_tables") }}

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
    tables.feed,
    tables.schema_name,
    tables.table_name,
    tables.table_id,
    tables.table_incarnation,
    from_json(tables.key_columns, 'array<string>') as key_columns,
    tables.current_relation,
    tables.history_relation,
    tables.row_count,
    tables.last_commit_ts,
    feeds.complete_through_ts,
    coalesce(problem_counts.problem_count, 0) as problem_count
from tables
left join problem_counts
    on
        tables.feed = problem_counts.feed
        and tables.schema_name = problem_counts.schema_name
        and tables.table_name = problem_counts.table_name
left join feeds on tables.feed = feeds.feed
