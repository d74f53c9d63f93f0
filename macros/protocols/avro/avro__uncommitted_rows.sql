{% macro avro__uncommitted_rows(events) -%}
    first_offsets as (

        select
            feed,
            topic,
            `partition`,
            min(`offset`) as first_offset
        from {{ events }}
        where event.kind = 'row' and event.commit_ts is null
        group by feed, topic, `partition`

    ),

    deleted_keys as (

        select distinct
            feed,
            topic,
            `partition`,
            event.schema_name,
            event.table_name,
            event.row_key
        from {{ events }}
        where event.kind = 'row' and event.op = 'delete' and event.commit_ts is null

    )
{%- endmacro %}
