{# Gives the SQL of the messages in Kafka that a model reads in this run, in the columns of `no_messages`: those of the
   newest plan that it did not read yet. #}
{% macro kafka_messages(feeds) %}
    {% set plans = ref("int_ticdc__kafka_offsets") %}
    {% set may_read = execute and ticdc.memory().get("is_begun") and not flags.EMPTY and ticdc.batches(plans) %}
    {% if not may_read %}{% do return(ticdc.no_messages()) %}{% endif %}
    {# a plan that was made before may be read already, in part or whole #}
    {% set ranges %}
select
    feed,
    topic,
    `partition`,
    greatest(first_offset, coalesce(next_offset, 0)) as start_offset,
    end_offset
from ({{ ticdc.kafka_partitions(feeds, plans) }}) as partitions
where status = 'read' and greatest(first_offset, coalesce(next_offset, 0)) < end_offset
    {% endset %}
    {% do return(ticdc.kafka_views(feeds, ranges)) %}
{% endmacro %}

{# Gives the SQL of messages that Kafka still has, of those that a re-drive of a feed decodes again. #}
{% macro kafka_messages_again(feed) %}
    {% set plans, staged = ref("int_ticdc__kafka_offsets"), ticdc.relation_before(feed.reader) %}
    {% if not staged or not ticdc.batches(plans) %}{% do return(ticdc.no_messages()) %}{% endif %}
    {% set known = ticdc.known_events(staged, [feed.name], feed.may_lack_commits) %}
    {# between which offsets Kafka may have them #}
    {% set ranges %}
select
    known.feed,
    known.topic,
    known.`partition`,
    min(known.`offset`) as start_offset,
    max(known.`offset`) + 1 as end_offset
from ({{ known }}) as known
inner join (
    {{ ticdc.newest_offsets(ticdc.rows_of(plans)) }}
) as plans
    on
        known.feed = plans.feed
        and known.topic = plans.topic
        and known.`partition` = plans.`partition`
where
    plans.status = 'read'
    and known.run_id >= plans.log_run_id
    and known.`offset` between plans.low_offset and plans.high_offset - 1
group by known.feed, known.topic, known.`partition`
    {% endset %}
    {# at an offset of a topic that was made again there is another message, of another time #}
    {% do return(
        "select again.* from (" ~ ticdc.kafka_views([feed], ranges, again=true) ~ ") as again left semi join ("
        ~ known ~ ") as known on again.feed = known.feed and again.topic = known.topic and again.`partition`"
        ~ " = known.`partition` and again.`offset` = known.`offset` and again.message_at = known.message_at"
    ) %}
{% endmacro %}

{# Gives the SQL of the messages in ranges of offsets of Kafka by temporary views of the session. `ranges` is a query
   with `feed`, `topic`, `partition`, `start_offset` and `end_offset`. #}
{% macro kafka_views(feeds, ranges, again=false) %}
    {% set reading, selects = {"feeds": [], "again": again}, [] %}
    {% for feed in feeds %}{% do reading.feeds.append({"name": feed.name, "kafka": feed.source}) %}{% endfor %}
    {# in hex, which all settings of a session leave as it is #}
    {% set views = fromjson(run_query(
        "select ticdc_kafka_views(cast(unhex('" ~ tojson(reading).encode().hex() ~ "') as string),"
        ~ " to_json(collect_list(struct(*)))) from (" ~ ranges ~ ") as ranges"
    ).rows[0][0]) %}
    {% for view in views %}
        {% do run_query(view.statement) %}
        {% do selects.append(view.query) %}
    {% endfor %}
    {% do return(selects | join("\nunion all\n") or ticdc.no_messages()) %}
{% endmacro %}

{# Gives the SQL of the partitions of feeds that one model reads, as the newest plans of their topics have them, with
   what it read of each: `next_offset`, NULL where it read nothing. #}
{% macro kafka_partitions(feeds, plans) %}
{#- a redecode makes staging anew, and of the raw copy -#}
{%- set reader, is_kept = feeds[0].reader, feeds[0].reads == "kept" -%}
{%- set relation = ticdc.relation_of(reader) if is_kept else ticdc.relation_before(reader) -%}
{%- set relation = relation if relation and ticdc.batches(relation) else none -%}
{%- set names = ticdc.text_literals(feeds | map(attribute="name")) %}
with

plans as (

    {% if plans -%}
    select *
    from {{ ticdc.rows_of(plans) }} as plans
    where feed in ({{ names }})
    {%- else -%}
    select *
    from values ('', '', 0, '', 0L, 0L, 0L, 0L, '', 0L) as plans (
        feed, topic, `partition`, topic_id, log_run_id, first_offset, start_offset, end_offset, status, run_id
    )
    where false
    {%- endif %}

),

newest as (

    {{ ticdc.newest_offsets("plans") }}

),

-- what follows the offsets that runs brought, and those of the last plan that was read to its end; several rows for a
-- partition
positions as (

    select
        feed,
        topic,
        `partition`,
        -- the run since which it counts
        log_run_id as run_id,
        if(status = 'read', end_offset, start_offset) as next_offset
    from plans
    where run_id = {{ (ticdc.settled(relation).get("plan_run_id") or 0) if relation else 0 }}
    {%- if relation and is_kept %}

    union all

    select
        feed,
        topic,
        `partition`,
        run_id,
        max(`offset`) + 1 as next_offset
    from {{ ticdc.rows_of(relation) }} as kept_messages
    where feed in ({{ names }})
    group by feed, topic, `partition`, run_id
    {%- endif %}
    {%- for protocol in feeds | map(attribute="protocol") | unique %}
    {%- set staged = ticdc.relation_before("stg_ticdc__" ~ protocol) %}
    {%- if staged and ticdc.batches(staged) %}

    union all

    -- also before messages were kept
    select
        feed,
        topic,
        `partition`,
        run_id,
        last_offset + 1 as next_offset
    from ({{ ticdc.staged_partitions(protocol, staged, ticdc.first_run_id(staged)) }}) as staged
    where feed in ({{ names }})
    {%- endif %}
    {%- endfor %}

),

places as (

    select feed, topic, `partition` from newest
    union
    select feed, topic, `partition` from positions

)

select
    feed,
    topic,
    `partition`,
    max(newest.topic_id) as topic_id,
    coalesce(max(newest.log_run_id), 0) as log_run_id,
    coalesce(max(newest.first_offset), 0) as first_offset,
    -- what was read of a topic before it was made again says nothing
    max(if(positions.run_id >= coalesce(newest.log_run_id, 0), positions.next_offset, null)) as next_offset,
    max(newest.end_offset) as end_offset,
    max(newest.status) as status
from places
left join newest using (feed, topic, `partition`)
left join positions using (feed, topic, `partition`)
group by feed, topic, `partition`
{% endmacro %}

{# Gives the SQL of the rows of plans of Kafka's offsets that no later plan has. #}
{% macro newest_offsets(plans, of="feed, topic") -%}
select * except (newest_run_id)
    from (
        select
            *,
            max(run_id) over (partition by {{ of }}) as newest_run_id
        from {{ plans }} as plans
    ) as plans_of_topics
    where run_id = newest_run_id
{%- endmacro %}
