{%- set row_key = ticdc.row_key_columns() -%}
{%- set of_kafka = ticdc.feeds() | selectattr("reads", "in", ["kafka", "kept"]) -%}
{%- set in_kafka = of_kafka | map(attribute="name") | list -%}
{%- set is_in_kafka = "feed in (" ~ ticdc.text_literals(in_kafka) ~ ")" if in_kafka else "false" -%}
{%- set carried_rows = ref("int_ticdc__carried_rows") -%}
{%- set of_files = ticdc.feeds() | selectattr("reads", "equalto", "files") | map(attribute="name") | list %}
with

feeds as (

    select explode(array({{ ticdc.text_literals(ticdc.feeds() | map(attribute="name")) }})) as feed

),

partitions as (

    select * from {{ ref("ticdc__completeness") }}
    where {{ ticdc.awaits_topic() }}

),

changes as (

    select * from {{ ticdc.published_rows(ref("int_ticdc__changes")) }} as changes

),

events as (

    select * from {{ ref("int_ticdc__events") }}

),

claim_checks as (

    select * from {{ ticdc.live_rows(ref("int_ticdc__claim_checks")) }} as claim_checks

),

problem_texts as (

    select * from {{ ticdc.live_rows(ref("int_ticdc__problem_texts")) }} as problem_texts

),

silent_feeds as (

    select
        feeds.feed,
        cast(null as string) as schema_name,
        cast(null as string) as table_name,
        cast(null as bigint) as commit_ts,
        'error' as severity,
        'no_messages' as code,
        'no message of the source matches the topics of this feed' as detail,
        'compare the topics of the feed in ticdc__feeds with those of the source' as remedy
    from feeds
    left anti join partitions on feeds.feed = partitions.feed

),

letters_by_reason as (

    select
        feed,
        error_code,
        count(*) as letters,
        min(struct(message_at, topic, `partition`, `offset`)) as first_letter
    from {{ ref("ticdc__dead_letters") }}
    group by feed, error_code

),

dead_letters as (

    select
        feed,
        null as schema_name,
        null as table_name,
        null as commit_ts,
        'error' as severity,
        'dead_letters' as code,
        letters || ' message(s) could not be decoded: ' || error_code || ', the first one in topic '
        || first_letter.topic || ', partition ' || first_letter.`partition` || ', offset '
        || first_letter.`offset` as detail,
        '`ticdc inspect` with this topic, partition and offset shows the message and what heals it, then'
        || ' `ticdc redrive` decodes it again; ticdc__dead_letters lists all, and the seed'
        || ' ticdc__error_codes says what to do' as remedy
    from letters_by_reason

),

offset_gaps as (

    select
        feed,
        null as schema_name,
        null as table_name,
        null as commit_ts,
        'warning' as severity,
        'offset_gaps' as code,
        gaps || ' gap(s) in topic ' || topic || ', partition ' || `partition` || ': ' || missing_offsets
        || ' offset(s) from ' || first_missing_offset || ' to ' || last_missing_offset
        || ' have no message' as detail,
        'do nothing if the topic is compacted, mirrored, or shared with producers that write in'
        || ' transactions: Kafka leaves such gaps; else load the missing offsets, which ticdc__accounting'
        || ' lists: the next run takes them' as remedy
    from {{ ref("ticdc__accounting") }}
    -- what expired in Kafka is a problem of its own
    where gaps > 0 and not {{ is_in_kafka }}

),

{% if of_files -%}
unread_files as (

    select
        feed,
        null as schema_name,
        null as table_name,
        null as commit_ts,
        'error' as severity,
        'unread_files' as code,
        count(*) || ' file(s) were listed, and disappeared before a run read them, such as '
        || min(topic) as detail,
        'put them back into their folders, and the next run reads them; else give an initial load of the'
        || ' tables (ticdc__initial_loads); let the storage keep files for longer than the time between'
        || ' runs' as remedy
    from {{ ref("ticdc__accounting") }}
    where not balanced and feed in ({{ ticdc.text_literals(of_files) }})
    group by feed

),

unknown_files as (

    select
        feed,
        null as schema_name,
        null as table_name,
        null as commit_ts,
        'warning' as severity,
        'unknown_files' as code,
        count(distinct path)
        || ' file(s) have names that the storage sink does not use, and are not read, such as '
        || min(path) as detail,
        'check whether the changefeed wrote them, and move all others out of its folder' as remedy
    from {{ ticdc.live_rows(ref("int_ticdc__files")) }} as files
    where kind = 'other' and feed in ({{ ticdc.text_literals(of_files) }})
    group by feed

),

{% endif -%}
{% if in_kafka -%}
kafka_problems as (

    select
        feed,
        null as schema_name,
        null as table_name,
        null as commit_ts,
        if(status = 'gone', 'warning', 'error') as severity,
        case status
            when 'expired' then 'messages_expired'
            when 'recreated' then 'topic_recreated'
            when 'rewound' then 'topic_rewound'
            else 'topic_gone'
        end as code,
        'topic ' || topic || ', partition ' || `partition` || ': ' || detail as detail,
        case status
            when 'expired'
                then 'no run reads the partition until a build with ticdc__accept_lost_messages continues'
                    || ' with the messages that are left; `ticdc compare` shows which rows lack the lost'
                    || ' ones, and an entry of ticdc__initial_loads corrects them; give the topic a longer'
                    || ' retention, or build more often'
            when 'gone'
                then 'if its tables were dropped or renamed, name the topic in finished_topics of the feed'
            else 'no run reads the topic until a build with ticdc__accept_lost_messages reads it from its'
                || ' start; what the old topic held unread is lost: `ticdc compare` shows which rows lack it,'
                || ' and an entry of ticdc__initial_loads corrects them'
        end as remedy
    from ({{ ticdc.newest_offsets(ticdc.live_rows(ref("int_ticdc__kafka_offsets")), "feed") }}) as plans
    where status <> 'read' and {{ is_in_kafka }}

),

{% endif -%}
silent_partitions as (

    select
        feed,
        null as schema_name,
        null as table_name,
        complete_through_ts as commit_ts,
        'error' as severity,
        'silent_partition' as code,
        'no watermark in topic ' || topic || ', partition ' || `partition` as detail,
        'check that all partitions are read; name a topic that holds only views in finished_topics of the'
        || ' feed; until then only ticdc__visibility latest shows anything new' as remedy
    from partitions
    where complete_through_ts = 0 and watermark_ts is null

),

late_changes as (

    select
        feed,
        schema_name,
        table_name,
        max(commit_ts) as commit_ts,
        'error' as severity,
        'late_changes' as code,
        count(*) || ' change(s) came after a watermark of a later commit' as detail,
        'the tables show them now; tell readers that earlier queries lacked them' as remedy
    from changes
    where is_late
    group by feed, schema_name, table_name

),

stalled_partitions as (

    select
        feed,
        null as schema_name,
        null as table_name,
        watermark_ts as commit_ts,
        'warning' as severity,
        'stalled_watermark' as code,
        'the watermark of topic ' || topic || ', partition ' || `partition` || ' is '
        || cast((unix_millis(newest_message_at) - shiftright(watermark_ts, 18)) / 60000 as bigint)
        || ' minute(s) older than the newest message' as detail,
        'check whether the changefeed lags; if it no longer writes to the topic, as its tables were dropped'
        || ' or renamed, name the topic in finished_topics of the feed;'
        || ' ticdc__stalled_after_minutes sets when to warn' as remedy
    from (
        select
            *,
            max(silent_since) over (partition by feed) as newest_message_at
        from partitions
    ) as partitions_of_feed
    where
        unix_millis(newest_message_at) - shiftright(watermark_ts, 18)
        > {{ var("ticdc__stalled_after_minutes", 60) }} * 60000

),

flags as (

    select
        feed,
        schema_name,
        table_name,
        commit_ts,
        explode(lossy) as flag
    from changes

),

lossy_values as (

    select
        feed,
        schema_name,
        table_name,
        max(commit_ts) as commit_ts,
        'warning' as severity,
        'lossy_values' as code,
        count(*) || ' change(s) flagged ' || flag as detail,
        'the seed ticdc__fidelity_reasons says what the flag means and what helps' as remedy
    from flags
    group by feed, schema_name, table_name, flag

),

doubtful_rows as (

    select distinct {{ row_key }}
    from {{ ticdc.published_rows(ref("int_ticdc__latest")) }} as latest
    where is_doubtful

),

followed_changes as (

    select
        *,
        {{ ticdc.expects_row() }} as expects_row,
        lag(op <> 'delete') over (partition by {{ row_key }} order by {{ ticdc.row_order() }}) as was_live
    from ({{ ticdc.row_changes(carried_rows, of_rows="doubtful_rows", of_publication=true) }}) as row_changes

),

misfits as (

    select * from followed_changes
    where {{ ticdc.is_without_row() }}

),

states as (

    select * from {{ ticdc.published_rows(ref("int_ticdc__table_states")) }} as table_states

),

named_misfits as (

    select
        misfits.feed,
        -- a row that an exchange brought was written in another table
        coalesce(states.schema_name, misfits.schema_name) as schema_name,
        coalesce(states.table_name, misfits.table_name) as table_name,
        misfits.commit_ts,
        misfits.expects_row
    from misfits
    left join states
        on
            misfits.feed = states.feed
            and misfits.table_id = states.table_id
            and misfits.table_incarnation = states.table_incarnation

),

changes_without_row as (

    select
        feed,
        schema_name,
        table_name,
        min(commit_ts) as commit_ts,
        'error' as severity,
        'change_without_row' as code,
        count_if(expects_row) || ' update(s) and deletion(s) found no row to change, '
        || count_if(not expects_row) || ' insert(s) found that their row exists already, the first at'
        || ' commit ' || min(commit_ts) as detail,
        'rows are missing, or one row stands for two: first look for other problems of the table, such as'
        || ' its key; `ticdc compare` shows the rows, and an entry of ticdc__initial_loads corrects'
        || ' them' as remedy
    from named_misfits
    group by feed, schema_name, table_name

),

equal_changes as (

    select
        feed,
        schema_name,
        table_name,
        min(commit_ts) as commit_ts,
        'warning' as severity,
        'equal_changes' as code,
        -- both halves of an update are one message
        count(distinct topic, `partition`, `offset`, event_index)
        || ' change(s) equal another change of their commit that stands beside them: each counts as a row'
        || ' of its own, although a message that a producer sent twice looks the same' as detail,
        'give the table a primary key, or set output-row-key (canal-json); `ticdc compare` shows surplus'
        || ' rows' as remedy
    from changes
    where copy > 1 and op <> 'load'
    group by feed, schema_name, table_name

),

flags_of_carried_rows as (

    select
        feed,
        schema_name,
        table_name,
        commit_ts,
        row_key,
        explode(lossy) as flag
    from {{ ticdc.published_rows(ref("int_ticdc__carried_rows")) }} as carried_rows
    where after is not null

),

values_not_converted as (

    select
        feed,
        schema_name,
        table_name,
        min(commit_ts) as commit_ts,
        'warning' as severity,
        'values_not_converted' as code,
        count(distinct row_key) || ' row(s) from before a DDL are flagged ' || flag as detail,
        'compare the column with TiDB, or give an initial load of the table (ticdc__initial_loads): later'
        || ' rows are right' as remedy
    from flags_of_carried_rows
    where endswith(flag, ':not_converted')
    group by feed, schema_name, table_name, flag

),

waiting_rows as (

    select
        waiting.feed,
        waiting.schema_name,
        waiting.table_name,
        min(waiting.commit_ts) as commit_ts,
        'error' as severity,
        'rows_wait_for_schema' as code,
        count(*) || ' row(s) name a schema version of the table that no message has described yet' as detail,
        'load the topic from its start, or wait for the next BOOTSTRAP message' as remedy
    from {{ ref("int_ticdc__waiting_rows") }} as waiting
    left anti join events as described
        on
            waiting.feed = described.feed
            and waiting.schema_name = described.schema_name
            and waiting.table_name = described.table_name
            and waiting.table_schema_id = described.table_schema_id
            and described.kind in ('ddl', 'bootstrap')
    where waiting.table_schema_id is not null and array_contains(waiting.lossy, '*:no_schema')
    group by waiting.feed, waiting.schema_name, waiting.table_name

),

rows_without_content as (

    {{ ticdc.rows_without_content("events", "claim_checks") }}

),

unusable_files as (

    select
        feed,
        topic,
        `partition`,
        `offset`,
        event_index,
        max_by(error_message, run_id) as error_message
    from claim_checks
    where kind = 'error'
    group by feed, topic, `partition`, `offset`, event_index

),

missing_files as (

    select
        waiting.feed,
        waiting.schema_name,
        waiting.table_name,
        min(waiting.commit_ts) as commit_ts,
        'error' as severity,
        if(unusable.error_message is null, 'claim_check_missing', 'claim_check_unusable') as code,
        count(*) || ' row(s) wait for the file that holds them, such as ' || min(waiting.claim_check)
        || coalesce(': ' || unusable.error_message, '') as detail,
        if(
            unusable.error_message is null,
            'put the files where Spark can read them, in the folder that the option claim_check names',
            'put the right files there, and check the options compression and encoding of the feed'
        ) as remedy
    from rows_without_content as waiting
    left join unusable_files as unusable
        on
            waiting.feed = unusable.feed
            and waiting.topic = unusable.topic
            and waiting.`partition` = unusable.`partition`
            and waiting.`offset` = unusable.`offset`
            and waiting.event_index = unusable.event_index
    group by waiting.feed, waiting.schema_name, waiting.table_name, unusable.error_message

),

unnamed_deletes as (

    select
        feed,
        null as schema_name,
        null as table_name,
        max(commit_ts) as commit_ts,
        'error' as severity,
        'unnamed_deletes' as code,
        count(*) || ' deletion(s) in topic ' || topic || ' do not say which row they delete, and have no'
        || ' effect' as detail,
        'give the table a primary key, or set avro-include-before-value; then give an initial load of it'
        || ' (ticdc__initial_loads)' as remedy
    from events
    where kind = 'row' and table_name is null
    group by feed, topic

),

checksum_mismatches as (

    select
        feed,
        schema_name,
        table_name,
        commit_ts,
        'error' as severity,
        'checksum_mismatch' as code,
        'row ' || row_key || ': ' || checksum_mismatch as detail,
        'compare the row with the upstream table' as remedy
    from {{ ref("int_ticdc__rows") }}
    where checksum_mismatch is not null

),

catalogue_problems as (

    select
        catalogue.feed,
        catalogue.schema_name,
        catalogue.table_name,
        catalogue.commit_ts,
        problems.severity,
        catalogue.code,
        problems.description || ' (' || catalogue.detail || ')' as detail,
        problems.remedy
    from {{ ticdc.published_rows(ref("int_ticdc__catalogue")) }} as catalogue
    inner join problem_texts as problems
        on catalogue.code = problems.reason and problems.kind = 'catalogue'
    where catalogue.record = 'problem'

),

typed_problems as (

    select
        feed,
        schema_name,
        table_name,
        each.reason,
        array_join(sort_array(collect_set(each.detail)), ', ') as detail
    from {{ ref("int_ticdc__typed_tables") }}
        lateral view explode(
            from_json(get_json_object(plan, '$.problems'), 'array<struct<reason: string, detail: string>>')
        ) exploded as each
    group by feed, schema_name, table_name, each.reason

),

-- one cause may be that of hundreds of tables, such as two feeds of one upstream in the same schemas
tables_by_reason as (

    select
        feed,
        reason,
        count(*) as table_count,
        min(schema_name) as schema_name,
        min(table_name) as table_name,
        min(detail) as detail,
        array_sort(collect_list(schema_name || '.' || table_name || ': ' || detail)) as details
    from typed_problems
    group by feed, reason

),

uncertain_rows as (

    select
        feed,
        schema_name,
        table_name,
        commit_ts,
        'error' as severity,
        'uncertain_rows' as code,
        'it is uncertain whether ' || ddl_kind || ' of commit ' || commit_ts || ' removed ' || count(*)
        || ' row(s): the tables show ' || count_if(is_taken) || ' as removed and '
        || count_if(not is_taken) || ' as kept, which is likeliest (' || array_join(
            array_sort(
                array_distinct(
                    flatten(collect_list(filter(lossy, each -> startswith(each, '*:partition_'))))
                )
            ),
            ', '
        ) || ')' as detail,
        'select * from ticdc__uncertain_rows where commit_ts = ' || commit_ts || ' and not is_settled'
        || ' lists them, and the seed ticdc__fidelity_reasons says what helps; an entry of'
        || ' ticdc__initial_loads corrects the table' as remedy
    from {{ ref("ticdc__uncertain_rows") }}
    where not is_settled
    group by feed, schema_name, table_name, commit_ts, ddl_kind

),

untyped_tables as (

    select
        tables.feed,
        if(tables.table_count = 1, tables.schema_name, null) as schema_name,
        if(tables.table_count = 1, tables.table_name, null) as table_name,
        null as commit_ts,
        reasons.severity,
        reasons.code,
        reasons.description || ' (' || if(
            tables.table_count = 1,
            tables.detail,
            tables.table_count || ' tables, such as ' || array_join(slice(tables.details, 1, 5), '; ')
        ) || ')' as detail,
        reasons.remedy
    from tables_by_reason as tables
    inner join problem_texts as reasons
        on tables.reason = reasons.reason and reasons.kind = 'typed'

),

shared_topics as (

    select
        topic,
        sort_array(collect_set(feed)) as feeds
    from partitions
    {% if of_files -%}
    where feed not in ({{ ticdc.text_literals(of_files) }})
    {% endif -%}
    group by topic
    having count(distinct feed) > 1

),

topics_in_feeds as (

    select
        feed,
        null as schema_name,
        null as table_name,
        null as commit_ts,
        'warning' as severity,
        'topic_in_feeds' as code,
        'topic ' || topic || ' is decoded for each of the feeds ' || array_join(feeds, ', ') as detail,
        'name each topic in one feed of ticdc__feeds; in a pattern _ is any character, \\_ is _' as remedy
    from shared_topics
        lateral view explode(feeds) exploded as feed

)

select * from silent_feeds
union all
select * from dead_letters
union all
select * from offset_gaps
union all
{% if of_files -%}
select * from unread_files
union all
select * from unknown_files
union all
{% endif -%}
{% if in_kafka -%}
select * from kafka_problems
union all
{% endif -%}
select * from silent_partitions
union all
select * from late_changes
union all
select * from stalled_partitions
union all
select * from lossy_values
union all
select * from changes_without_row
union all
select * from equal_changes
union all
select * from values_not_converted
union all
select * from waiting_rows
union all
select * from missing_files
union all
select * from unnamed_deletes
union all
select * from checksum_mismatches
union all
select * from catalogue_problems
union all
select * from uncertain_rows
union all
select * from untyped_tables
union all
select * from topics_in_feeds
