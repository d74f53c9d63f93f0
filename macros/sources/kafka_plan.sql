{# Gives rows of `int_ticdc__kafka_offsets` as SQL that follows `from`. #}
{% macro planned_offsets(planned) -%}
    {#- in hex, which all settings of a session leave as it is -#}
    (
        select
            planned.*,
            {{ ticdc.run_id() }} as run_id
        from (
            select
                explode(
                    from_json(
                        cast(unhex('{{ tojson(planned).encode().hex() }}') as string),
                        'array<struct<
                            topic: string, `partition`: int, topic_id: string, log_run_id: bigint,
                            first_offset: bigint, low_offset: bigint, high_offset: bigint, start_offset: bigint,
                            end_offset: bigint, status: string, accepted: string, detail: string, feed: string
                        >>'
                    )
                ) as planned
        )
    )
{%- endmacro %}

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

{# Gives the SQL of the partitions of feeds that one model reads, as the newest plans of their topics have them, with
   what it read of each: `next_offset`, NULL where it read nothing. #}
{% macro kafka_partitions(feeds, plans) %}
{#- a redecode makes staging anew, and of the raw copy -#}
{%- set reader, is_kept = feeds[0].reader, feeds[0].reads == "kept" -%}
{%- set relation = ticdc.relation_of(reader) if is_kept else ticdc.relation_before(reader) -%}
{%- set relation = relation if relation and ticdc.batches(relation) else none -%}
with

plans as (

    select *
    from {{ ticdc.rows_of(plans) if plans else ticdc.planned_offsets([]) }} as plans
    where feed in ({{ ticdc.text_literals(feeds | map(attribute="name")) }})

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
    {%- if relation %}

    union all

    {{ ticdc.read_offsets(reader, relation, feeds) }}
    {%- endif %}
    {%- for protocol in (feeds | map(attribute="protocol") | unique if is_kept else []) %}
    {%- set staged = ticdc.relation_before("stg_ticdc__" ~ protocol) %}
    {%- if staged and ticdc.batches(staged) %}

    union all

    -- before messages were kept
    {%- set of_protocol = feeds | selectattr("protocol", "equalto", protocol) | list %}
    {{ ticdc.read_offsets("stg_ticdc__" ~ protocol, staged, of_protocol) }}
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

{# Gives the rows of `kafka_partitions` as mappings. #}
{% macro partitions_of_reader(feeds, plans) %}
    {% set found = [] %}
    {% for row in run_query(ticdc.kafka_partitions(feeds, plans)).rows %}
        {% set partition = {"feed": row[0], "topic": row[1], "topic_id": row[3], "status": row[8]} %}
        {% for name in ["partition", "log_run_id", "first_offset", "next_offset", "end_offset"] %}
            {% set value = row[name] %}
            {% do partition.update({name: none if value is none else value | int}) %}
        {% endfor %}
        {% do found.append(partition) %}
    {% endfor %}
    {% do return(found) %}
{% endmacro %}

{# Gives the SQL of what follows the last offset that each run read: `feed`, `topic`, `partition`, `run_id` and
   `next_offset`. #}
{% macro read_offsets(reader, relation, feeds) -%}
{%- set is_staging = reader.startswith("stg_") -%}
{%- set runs = ticdc.relation_before("int_ticdc__staged_runs") if is_staging else none -%}
{%- set noted_run_id = ticdc.settled(runs).run_id if runs else 0 -%}
{%- set names = ticdc.text_literals(feeds | map(attribute="name")) -%}
    {% if noted_run_id -%}
    select
        feed,
        topic,
        `partition`,
        run_id,
        last_offset + 1 as next_offset
    from {{ ticdc.rows_of(runs) }} as staged_runs
    where
        feed in ({{ names }})
        and protocol = {{ ticdc.text_literal(feeds[0].protocol) }}
        and run_id between {{ ticdc.first_run_id(relation) }} and {{ noted_run_id }}
        and messages > 0

    union all

    {% endif -%}
    -- of runs that ended before what they read was noted
    select
        feed,
        topic,
        `partition`,
        run_id,
        max(`offset`) + 1 as next_offset
    from {{ ticdc.rows_of(relation) }} as read
    where feed in ({{ names }}) and run_id > {{ noted_run_id }}{{ " and not is_redriven" if is_staging }}
    group by feed, topic, `partition`, run_id
{%- endmacro %}
