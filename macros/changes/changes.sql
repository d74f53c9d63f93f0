{# Gives the SQL of the row changes that row events hold: one for each event, or a delete and an insert for an update
   that changed the key. #}
{% macro changes_of_events(events) %}
    select
        feed,
        topic,
        `partition`,
        `offset`,
        event_index,
        schema_name,
        table_name,
        physical_table_id,
        commit_ts,
        commit_ts_exact,
        start_ts,
        image_hash,
        copy,
        lossy,
        -- one pass over the events, and images are not copied into an array
        coalesce(half, op) as op,
        if(half = 'delete', before_key, row_key) as row_key,
        if(half = 'insert', null, before) as before,
        if(half = 'delete', null, after) as after
    from {{ events }}
    lateral view explode(if(before_key is null, array(null), array('delete', 'insert'))) halves as half
{% endmacro %}

{# Gives the SQL of the places at which the source holds several messages, of a relation or a query in brackets. #}
{% macro doubled_positions(events, condition) %}
    select
        feed,
        topic,
        `partition`,
        `offset`,
        event_index
    from {{ events }}
    where {{ condition }}
    group by feed, topic, `partition`, `offset`, event_index
    having count(*) > 1
{% endmacro %}

{# Gives the SQL of row events, each once where the source holds its message twice at one offset. #}
{% macro rows_once(events) %}
    select * except (is_doubled)
    from {{ events }}
    where not is_doubled

    union all

    select * except (is_doubled, place)
    from (
        select
            *,
            row_number() over (
                -- a topic that was created again has other messages at the same offsets
                partition by
                    feed, topic, `partition`, `offset`, event_index, commit_ts, op, row_key, xxhash64(before, after)
                order by run_id
            ) as place
        from {{ events }}
        where is_doubled
    ) as doubled_rows
    where place = 1
{% endmacro %}

{# Gives the SQL of row events of tables without key, with `image_hash` and with `copy`, the number of each among
   equal ones of its commit that stand side by side in its partition: each of these is a row of its own. What comes
   again elsewhere has the numbers of the first, as a replay has. Equal events of different `row_id` differ in their
   hash. #}
{% macro numbered_copies(events) %}
    {%- set commit = "feed, schema_name, table_name, commit_ts" -%}
    select
        * except (is_doubled, last_offset, last_index, offset_range),
        if(
            row_id is null,
            row_number() over (
                partition by {{ commit }}, topic, `partition`, offset_range, op, image_hash
                order by `offset`, event_index
            ),
            1
        ) as copy
    from (
        select
            *,
            -- of a message that the source holds twice
            coalesce(`offset` = last_offset and event_index = last_index, false) as is_doubled,
            count_if(
                not coalesce(
                    (`offset` = last_offset and event_index in (last_index, last_index + 1))
                    or (`offset` = last_offset + 1 and event_index = 0),
                    false
                )
            ) over (
                partition by {{ commit }}, topic, `partition` order by `offset`, event_index
            ) as offset_range
        from (
            select
                *,
                xxhash64(before, after, row_id) as image_hash,
                lag(`offset`) over in_partition as last_offset,
                lag(event_index) over in_partition as last_index
            from {{ events }}
            window in_partition as (
                partition by {{ commit }}, topic, `partition` order by `offset`, event_index
            )
        ) as followed_events
    ) as offset_ranges
    where not is_doubled
{% endmacro %}

{# Gives the join of changes with the run that first had each of them, `known_before.first_run_id`, NULL where none
   had: that of feed, commit, row key and a hash of the rest. #}
{% macro join_first_runs(rows, known, identity, condition) -%}
left join (
    select
        feed,
        commit_ts,
        row_key,
        {{ identity }} as identity,
        min(first_run_id) as first_run_id
    from {{ known }} as known
    where {{ condition }}
    group by all
) as known_before
    on
        {{ rows }}.feed = known_before.feed
        and {{ rows }}.commit_ts = known_before.commit_ts
        and {{ rows }}.row_key = known_before.row_key
        and {{ identity }} = known_before.identity
{%- endmacro %}

{# Notes in what the changes are made of the tables of which a commit changed a key twice in this batch, or may change
   one in several: as feed and `table_id`, which is empty for all tables of a feed. #}
{% macro note_split_tables(changes, settled) %}
    {# states of versions that did not note them tell nothing of older changes #}
    {% if settled.split is none %}{% do return(none) %}{% endif %}
    {% set written = "(select * from " ~ changes ~ " where batch_id = " ~ ticdc.run_id() ~ ") as changes" %}
    {% set key_hash = "xxhash64(commit_ts, row_key, feed, table_id, table_incarnation)" %}
    {# without a bound, and until a feed has one, halves of a commit may come in different runs #}
    {% set unbounded = settled.first_commits.keys() | reject("in", ticdc.settled().bounds) | list %}
    {% set of_unbounded = "feed in (" ~ ticdc.text_literals(unbounded) ~ ")" %}
    {% set query %}
    select ticdc_split_tables(
        to_json(collect_list(array(feed, table_id))), {{ ticdc.text_literal(tojson(settled.split)) }}
    )
    from (
        select
            feed,
            table_id
        from {{ written }}
        where is_late or op = 'load'

        union

        select /*+ broadcast(twice) */
            changes.feed,
            changes.table_id
        from {{ written }}
        -- keys whose hashes meet name a table that has no split changes: it is read as if it had
        left semi join (
            select {{ key_hash }} as key_hash
            from {{ ticdc.rows_of(changes) }} as changes
            where
                commit_ts_exact
                and (
                    batch_id = {{ ticdc.run_id() }}
                    {%- if unbounded and ticdc.batches(changes)[1:] %}
                    or (
                        {{ of_unbounded }}
                        and commit_ts >= (select min(commit_ts) from {{ written }} where {{ of_unbounded }})
                    )
                    {%- endif %}
                )
            group by key_hash
            having count(*) > 1
        ) as twice
            on {{ key_hash }} = twice.key_hash
    )
    {% endset %}
    {% do settled.update({"split": fromjson(run_query(query).rows[0][0])}) %}
{% endmacro %}
