{% macro avro__staged_versions(redrives) -%}
    staged_versions as (

        select
            staged.feed,
            staged.topic,
            staged.`partition`,
            staged.`offset`,
            staged.schema_name,
            staged.table_name,
            staged.row_key,
            staged.commit_ts,
            null as sent_ts,
            false as is_unplaced,
            staged.commit_ts - staged.`offset` as ahead
        from ({{ ticdc.staged_events(this, ticdc.rows_of(this)) }}) as staged
        {% if redrives -%}
        left anti join (select * from messages where is_redriven) as redriven using (feed, topic, `partition`, `offset`)
        {% endif -%}
        where staged.kind = 'row' and (staged.commit_ts_exact or staged.op <> 'delete')

    )
{%- endmacro %}
