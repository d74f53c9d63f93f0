{{ config(materialized="ticdc_snapshot", partition_by=["batch_id"]) }}
-- made of: {{ tojson(ticdc.catalogue_input(), sort_keys=true) }}
{%- set exported = var("ticdc__information_schema", none) %}

with

feed_events as (

    select
        feed,
        bool_and(commit_ts_exact) as commit_ts_exact,
        transform(
            sort_array(
                collect_list(
                    struct(
                        commit_ts,
                        first_position,
                        struct(
                            commit_ts,
                            schema_name,
                            table_name,
                            ddl_query,
                            ddl_type,
                            table_schema,
                            physical_table_id
                        ) as event
                    )
                )
            ),
            each -> each.event
        ) as events,
        {{ ticdc.by_feed(ticdc.feeds(), "protocol") }} as protocol
    from {{ ticdc.live_rows(ref("int_ticdc__catalogue_events")) }} as catalogue_events
    group by feed

),

exported_columns as (

    {% if exported -%}
    select to_json(collect_list(struct(*))) as columns
    from {{ exported }}
    {%- else -%}
    select cast(null as string) as columns
    {%- endif %}

),

folded as (

    select
        feed_events.feed,
        feed_events.commit_ts_exact,
        ticdc_fold_ddl(
            to_json(feed_events.events, map('ignoreNullFields', 'false')),
            exported_columns.columns,
            feed_events.protocol
        ) as records
    from feed_events
    cross join exported_columns

)

select
    folded.feed,
    folded.commit_ts_exact,
    each.*
from folded
    lateral view explode(folded.records) exploded as each
