{% macro avro__staged_neighbours() -%}
    staged_neighbours as (

        select
            feed,
            topic,
            `partition`,
            `offset`,
            schema_name,
            table_name,
            row_key,
            commit_ts,
            sent_ts,
            is_unplaced,
            ahead
        from staged_versions
        left semi join deleted_keys using (feed, topic, `partition`, schema_name, table_name, row_key)

        union all

        -- of other rows that lie before, the last one of each table tells enough
        select
            feed,
            topic,
            `partition`,
            max(`offset`) as `offset`,
            schema_name,
            table_name,
            null as row_key,
            max_by(commit_ts, `offset`) as commit_ts,
            null as sent_ts,
            false as is_unplaced,
            max(ahead) as ahead
        from staged_versions
        inner join first_offsets using (feed, topic, `partition`)
        group by feed, topic, `partition`, schema_name, table_name, greatest(`offset`, first_offset)

    )
{%- endmacro %}
