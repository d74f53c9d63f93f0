{{
    config(
        materialized="ticdc_append",
        is_kept=not var("ticdc__redecode", false),
        partition_by=["batch_id", "is_redriven", "feed"],
        enabled="avro" in ticdc.protocols_in_use(),
    )
}}
{%- set read = ticdc.messages_in_topics("avro", this if ticdc.has_rows() else none) -%}
{%- set schemas = ticdc.messages_with_schemas("avro") -%}
{%- set may_ask = execute and load_relation(ref("int_ticdc__known_schemas")) and not read.redriven -%}
{%- set new = "with messages as (" ~ read.new ~ "), " ~ schemas -%}
{%- set query = new ~ " select 1 from messages_with_schemas where lacks_commit limit 1" -%}
{%- set all_tell_commits = may_ask and not run_query(query).rows | length -%}
{#- of every row whose message holds none. A delete has that of its place among the rows of its table, and none before
    that of the version which it deletes; other rows have the time of their message, made to grow with the offset.
    Rows staged by a run before count as neighbours too. -#}
{%- set commits -%}
{% if not all_tell_commits %}
    with

    {% if ticdc.has_rows() -%}
    first_offsets as (

        select
            feed,
            topic,
            `partition`,
            min(`offset`) as first_offset
        from events
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
        from events
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
        {% if read.redriven -%}
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
        from events
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
{% endif -%}
{%- endset -%}
{{ ticdc.stage_messages("avro", read, schemas, commits) }}
