{# Gives the relation in which the messages of a feed are; it is empty under `dbt build --empty`. #}
{% macro source_relation(feed) %}
    {% set messages = source("ticdc", "messages") %}
    {% if not feed.source.relation %}{% do return(messages) %}{% endif %}
    {% set parts = [] %}
    {% for part in feed.source.relation.split(".") %}{% do parts.append(ticdc.identifier(part)) %}{% endfor %}
    {# a name may have three parts, of which dbt-spark knows two #}
    {% set relation = api.Relation.create(schema=parts[:-1] | join(".") or none, identifier=parts[-1]) %}
    {% do return(relation.replace(limit=messages.limit)) %}
{% endmacro %}

{# Gives the SQL of the messages of feeds whose source is a relation, whatever its layout, once for each feed, whose
   name is in the column `feed`. #}
{% macro relation_messages(feeds, ranges=[]) %}
{%- set by_source = {} -%}
{%- for feed in feeds -%}
    {%- do by_source.setdefault(tojson(feed.source, sort_keys=true), []).append(feed) -%}
{%- endfor -%}
{%- for of_source in by_source.values() %}
{%- set relation, layout = ticdc.source_relation(of_source[0]), of_source[0].source.layout %}
select *
from (
    select
        topic,
        `partition`,
        `offset`,
        cast(`timestamp` as timestamp_ltz) as message_at,
        key,
        value,
        {% if of_source | length == 1 -%}
        -- by a constant Spark does not sort rows before it writes partitions
        {{ ticdc.text_literal(of_source[0].name) }} as feed
        {%- else -%}
        -- one read of the source, however many feeds there are
        explode(
            array(
                {%- for feed in of_source %}
                if({{ ticdc.is_of_feed(feed) }}, {{ ticdc.text_literal(feed.name) }}, null)
                {{- "," if not loop.last }}
                {%- endfor %}
            )
        ) as feed
        {%- endif %}
    {% if layout == "aiven_json_lines" -%}
    from (
        select
            regexp_extract(_metadata.file_name, '^(.*)-(\\d+)-\\d+(\\.|$)', 1) as topic,
            cast(regexp_extract(_metadata.file_name, '^(.*)-(\\d+)-\\d+(\\.|$)', 2) as int) as `partition`,
            `offset`,
            `timestamp`,
            unbase64(key) as key,
            unbase64(value) as value
        from {{ relation }}
    ) as raw
    {%- elif layout == "redpanda_iceberg" -%}
    from (
        select
            {{ ticdc.text_literal(modules.re.sub("\\\\(.)", "\\1", of_source[0].topics[0])) }} as topic,
            redpanda.`partition`,
            redpanda.`offset`,
            redpanda.`timestamp`,
            redpanda.key,
            value
        from {{ relation }}
    ) as raw
    {%- else -%}
    from {{ relation }}
    {%- endif %}
) as sent
where
    feed is not null
    and (
        {%- for feed in of_source %}
        {{ "or " if not loop.first }}({{ ticdc.is_of_feed(feed) }}
        {{- ticdc.may_not_be_staged(ranges | selectattr("feed", "equalto", feed.name) | list) }})
        {%- endfor %}
    )
    and {{ ticdc.is_not_staged(ranges | selectattr("feed", "in", of_source | map(attribute="name") | list) | list) }}
{% if not loop.last %}
union all
{% endif %}
{%- endfor -%}
{% endmacro %}

{# Gives the SQL condition that a message of the source belongs to a feed: its topic is like one of the patterns. #}
{% macro is_of_feed(feed) -%}
    (
        {%- for pattern in feed.topics %}{{ " or " if not loop.first }}topic like {{ ticdc.text_literal(pattern) }}
        {%- endfor -%}
    )
{%- endmacro %}

{# Gives the SQL condition, on a row of `relation_messages`, that no run before has staged it. #}
{% macro is_not_staged(staged_offsets) -%}
    {%- if not staged_offsets -%}
        true
    {%- elif staged_offsets | length <= 16 -%}
        not (
            {%- for range in staged_offsets %}
            (feed = {{ ticdc.text_literal(range.feed) }} and topic = {{ ticdc.text_literal(range.topic) }}
                and `partition` = {{ range.partition }}
                and `offset` between {{ range.first_offset }} and {{ range.last_offset }}
                {%- if "late_from" in range %}
                and `offset` not between {{ range.late_from }} and {{ range.late_to }}
                {%- endif %})
            {{- " or" if not loop.last }}
            {%- endfor %}
        )
    {%- else -%}
        {#- Spark plans for minutes where thousands of conditions stand side by side. -#}
        not exists (
            select 1
            from ({{ ticdc.offset_ranges(staged_offsets) }})
            where
                feed = staged_feed
                and topic = staged_topic
                and `partition` = staged_partition
                and `offset` between first_offset and last_offset
                and `offset` not between late_from and late_to
        )
    {%- endif -%}
    {%- for staged_in, ranges in staged_offsets | selectattr("late_from", "defined") | groupby("staged_in") %}
    and not exists (
        select 1
        from (
            select
                feed as staged_feed,
                topic as staged_topic,
                `partition` as staged_partition,
                `offset` as staged_offset
            from {{ staged_in }} as staged
            where
                event_index = 0
                and not is_redriven
                and `offset` between {{ ranges | map(attribute="late_from") | min }}
                and {{ ranges | map(attribute="late_to") | max }}
        )
        where
            feed = staged_feed
            and topic = staged_topic
            and `partition` = staged_partition
            and `offset` = staged_offset
    )
    {%- endfor %}
{%- endmacro %}

{# Gives a further SQL condition, with `and` before it, which holds for every message that is not staged, and which
   Spark can disprove by the least and largest values of a file. Nothing for feeds of several topics. #}
{% macro may_not_be_staged(ranges) -%}
    {%- set partitions = ranges | map(attribute="partition") | unique | sort -%}
    {%- set late = ranges | selectattr("late_from", "defined") | list -%}
    {%- if ranges and partitions | length == ranges | length and partitions[-1] - partitions[0] + 1 == ranges | length
        and ranges | map(attribute="topic") | unique(case_sensitive=true) | list | length == 1 %}
        -- what `is_not_staged` says too, in a form by which files and their row groups are left out
        and (
            topic <> {{ ticdc.text_literal(ranges[0].topic) }}
            or `partition` < {{ partitions[0] }}
            or `partition` > {{ partitions[-1] }}
            or `offset` < {{ ranges | map(attribute="first_offset") | max }}
            or `offset` > {{ ranges | map(attribute="last_offset") | min }}
            {%- if late %}
            or `offset` between {{ late | map(attribute="late_from") | min }}
            and {{ late | map(attribute="late_to") | max }}
            {%- endif %}
        )
    {%- endif -%}
{%- endmacro %}

{# Gives the SQL of where the source has messages between the first and the last offset of partitions that no run has
   staged: one row for each such partition with its `place` in `ranges`, and the offsets `late_from` and `late_to`
   between which they are. However many offsets the partitions lack, the driver gets no more. #}
{% macro late_offsets(protocol, relation, ranges) %}
{#- by these Parquet passes over files and row groups -#}
{%- set may_be_within -%}
`offset` between {{ ranges | map(attribute="first_offset") | min }}
    and {{ ranges | map(attribute="last_offset") | max }}
    and topic in ({{ ticdc.text_literals(ranges | map(attribute="topic") | unique(case_sensitive=true)) }})
    and `partition` in ({{ ranges | map(attribute="partition") | unique | join(", ") }})
{%- endset %}
with

offsets as (

    select
        feed,
        topic,
        `partition`,
        `offset`,
        false as is_staged
    from ({{ ticdc.held_messages(ticdc.feeds() | selectattr("protocol", "equalto", protocol) | list) }}) as messages
    where {{ may_be_within }}

    union all

    select
        feed,
        topic,
        `partition`,
        `offset`,
        true as is_staged
    from {{ ticdc.rows_of(relation) }} as staged
    where event_index = 0 and not is_redriven and {{ may_be_within }}

),

-- 64 offsets a row, a bit for each: much less to compare than the offsets are
words as (

    select
        ranges.place,
        shiftright(`offset`, 6) as word,
        bit_or(if(is_staged, 0, shiftleft(cast(1 as bigint), cast(`offset` & 63 as int)))) as sent,
        bit_or(if(is_staged, shiftleft(cast(1 as bigint), cast(`offset` & 63 as int)), 0)) as staged
    from offsets
    inner join ({{ ticdc.offset_ranges(ranges) }}) as ranges
        on
            offsets.feed = ranges.staged_feed
            and offsets.topic = ranges.staged_topic
            and offsets.`partition` = ranges.staged_partition
            and offsets.`offset` between ranges.first_offset and ranges.last_offset
    group by ranges.place, shiftright(`offset`, 6)

)

select
    place,
    shiftleft(min(word), 6) as late_from,
    shiftleft(max(word), 6) + 63 as late_to
from words
where sent & ~staged <> 0
group by place
{% endmacro %}
