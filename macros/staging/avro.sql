{# Gives a query of the commit of every row whose message holds none, by topic, partition and offset. A delete has
   that of its place among the rows of its table, and none before that of the version which it deletes; other rows
   have the time of their message, made to grow with the offset. Rows staged by a run before count as neighbours too.
   #}
{% macro avro__commits(events, redrives=false) %}
    with

    {% if ticdc.has_rows() -%}
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

    ),

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

    ),

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

    ),

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

    ),

    timed_rows as (

        select
            *,
            -- grows with every offset, so that each change of a row is one of its own
            if(is_unplaced, null, coalesce(commit_ts, `offset` + max(ahead) over table_order)) as row_ts
        from neighbours
        window table_order as (
            partition by feed, topic, `partition`, schema_name, table_name order by `offset`
        )

    ),

    placed_rows as (

        select
            *,
            lag(row_ts) ignore nulls over table_order as earlier_ts,
            lead(row_ts) ignore nulls over table_order as later_ts,
            lag(row_ts) ignore nulls over key_order as version_ts,
            lead(row_ts) ignore nulls over key_order as next_version_ts
        from timed_rows
        window
            table_order as (partition by feed, topic, `partition`, schema_name, table_name order by `offset`),
            key_order as (partition by feed, topic, `partition`, schema_name, table_name, row_key order by `offset`)

    )

    select
        feed,
        topic,
        `partition`,
        `offset`,
        coalesce(
            row_ts,
            greatest(
                -- where a later row has an earlier commit, a replay began
                if(later_ts is null or earlier_ts <= later_ts, earlier_ts, later_ts - 1),
                -- the version before it is the one that is deleted, but where a replay brings that once more
                if(next_version_ts <= version_ts, null, version_ts)
            ),
            sent_ts
        ) as commit_ts
    from placed_rows
    where commit_ts is null
{% endmacro %}

{# Gives a query of what an export of `information_schema.columns` has under each pair of names in Avro
   (`wire_schema_name`, `wire_table_name`): `export`, JSON text with the tables that bear them and their columns.
   Tables whose names are the same in Avro, and that have no virtual columns, are left out. #}
{% macro avro__exported_tables(exported) %}
    with

    exported_columns as (

        select
            table_schema as schema_name,
            table_name,
            column_name as name,
            -- in Avro other characters are _, and one stands before a leading digit
            {% for name, wire_name in {
                "table_schema": "wire_schema_name", "table_name": "wire_table_name", "column_name": "wire_name",
            }.items() -%}
            regexp_replace(
                regexp_replace({{ name }}, '[^A-Za-z0-9_]', '_'), '^([0-9])', '_$1'
            ) as {{ wire_name }},
            {% endfor -%}
            coalesce(lower(extra) like '%virtual generated%', false) as is_virtual
        from {{ exported }}

    )

    select
        wire_schema_name,
        wire_table_name,
        to_json(
            struct(
                collect_set(struct(schema_name, table_name)) as tables,
                collect_list(struct(name, wire_name, is_virtual)) as columns
            )
        ) as export
    from exported_columns
    group by wire_schema_name, wire_table_name
{% endmacro %}
