{%- set expecting = ticdc.feeds() | selectattr("partitions") | map(attribute="name") | list -%}
with

staged_runs as (

    select * from {{ ticdc.live_rows(ref("int_ticdc__staged_runs")) }} as staged_runs

),

runs as (

    select distinct
        feed,
        run_id
    from staged_runs

),

partitions as (

    select
        known.feed,
        known.topic,
        known.`partition`,
        -- one that is expected holds its feed back from the first message of its topic on
        {% if expecting -%}
        if(
            known.feed in ({{ ticdc.text_literals(expecting) }}),
            min(min(staged_runs.run_id)) over (partition by known.feed, known.topic),
            min(staged_runs.run_id)
        ) as first_run_id
        {%- else -%}
        min(staged_runs.run_id) as first_run_id
        {%- endif %}
    from {{ ref("int_ticdc__completeness") }} as known
    left join staged_runs
        on
            known.feed = staged_runs.feed
            and known.topic = staged_runs.topic
            and known.`partition` = staged_runs.`partition`
    group by known.feed, known.topic, known.`partition`

),

watermarks as (

    select
        partitions.feed,
        partitions.topic,
        runs.run_id,
        max(staged_runs.watermark_ts) over (
            partition by partitions.feed, partitions.topic, partitions.`partition` order by runs.run_id
        ) as watermark_ts
    from partitions
    inner join runs on partitions.feed = runs.feed and partitions.first_run_id <= runs.run_id
    left join staged_runs
        on
            partitions.feed = staged_runs.feed
            and partitions.topic = staged_runs.topic
            and partitions.`partition` = staged_runs.`partition`
            and runs.run_id = staged_runs.run_id

),

bounds as (

    select
        feed,
        run_id,
        {% if var("ticdc__visibility", "complete") == "complete" -%}
        coalesce({{ ticdc.complete_through_ts() }}, {{ 2 ** 63 - 1 }}) as shown_through_ts
        {%- else -%}
        {{ 2 ** 63 - 1 }} as shown_through_ts
        {%- endif %}
    from watermarks
    group by feed, run_id

),

ddl_and_bounds as (

    select
        feed,
        commit_ts,
        min(run_id) as ddl_run_id,
        cast(null as bigint) as bound_run_id
    from {{ ref("int_ticdc__events") }}
    where kind = 'ddl'
    group by feed, commit_ts

    union all

    select
        feed,
        shown_through_ts as commit_ts,
        null as ddl_run_id,
        run_id as bound_run_id
    from bounds

),

shown_ddl as (

    select
        feed,
        commit_ts,
        ddl_run_id,
        min(bound_run_id) over (partition by feed order by commit_ts desc) as first_run_id,
        min(bound_run_id) over (partition by feed) as run_id_of_feed
    from ddl_and_bounds

)

select
    feed,
    commit_ts,
    greatest(ddl_run_id, first_run_id) as run_id,
    greatest(ddl_run_id, first_run_id) = run_id_of_feed as came_first
from shown_ddl
where ddl_run_id is not null and first_run_id is not null
