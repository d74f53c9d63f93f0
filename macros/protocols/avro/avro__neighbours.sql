{% macro avro__neighbours(events, redrives) -%}
    {% if ticdc.has_rows() -%}
    {{ ticdc.avro__uncommitted_rows(events) }},

    {{ ticdc.avro__staged_versions(redrives) }},

    {{ ticdc.avro__staged_neighbours() }},

    {% endif -%}
    new_rows as (

        select
            feed,
            topic,
            `partition`,
            `offset`,
            event.schema_name,
            event.table_name,
            event.row_key,
            event.commit_ts,
            shiftleft(unix_millis(message_at), 18) as sent_ts,
            event.op = 'delete' and event.commit_ts is null as is_unplaced
        from {{ events }}
        where event.kind = 'row'

    ),

    neighbours as (

        select
            *,
            if(is_unplaced, null, coalesce(commit_ts, sent_ts) - `offset`) as ahead
        from new_rows

        {% if ticdc.has_rows() -%}
        union all

        select * from staged_neighbours
        {%- endif %}

    )
{%- endmacro %}
