{# Gives the relation in which the messages of a feed are. #}
{% macro source_relation(feed) %}
    {# whole also with `--empty`, which leaves out what staging reads of it #}
    {% if not feed.source.relation %}{% do return(source("ticdc", "messages").replace(limit=none)) %}{% endif %}
    {% set parts = [] %}
    {% for part in feed.source.relation.split(".") %}{% do parts.append(ticdc.identifier(part)) %}{% endfor %}
    {# a name may have three parts, of which dbt-spark knows two #}
    {% do return(api.Relation.create(schema=parts[:-1] | join(".") or none, identifier=parts[-1])) %}
{% endmacro %}

{# Gives the SQL of all messages in topics that relations and raw copies hold, in one shape, once for each feed, as
   no view can read what is in Kafka alone. `is_copy` and `run_id` tell whether a run copied it, and which. #}
{% macro held_messages() %}
{%- set by_source, kept = {}, ticdc.feeds() | selectattr("reads", "equalto", "kept") | list -%}
{%- for feed in ticdc.feeds() | selectattr("reads", "equalto", "relation") -%}
    {%- do by_source.setdefault(tojson([feed.protocol, feed.source], sort_keys=true), []).append(feed) -%}
{%- endfor -%}
{%- for of_source in by_source.values() %}
{%- set relation, layout = ticdc.source_relation(of_source[0]), of_source[0].source.layout %}
select
    feed,
    {{ ticdc.text_literal(of_source[0].protocol) }} as protocol,
    topic,
    `partition`,
    `offset`,
    message_at,
    key,
    value,
    -- by a constant Spark reads either relations or copies
    false as is_copy,
    cast(null as bigint) as run_id
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
    and ({% for feed in of_source %}{{ "\n        or " if not loop.first }}{{ ticdc.is_of_feed(feed) }}{% endfor %})
{% if not loop.last or kept %}
union all
{% endif %}
{%- endfor -%}
{%- if kept %}
select
    feed,
    {{ ticdc.by_feed(kept, "protocol") }} as protocol,
    topic,
    `partition`,
    `offset`,
    `timestamp` as message_at,
    key,
    value,
    true as is_copy,
    run_id
from {{ ticdc.live_rows(ref("int_ticdc__kept_messages")) }} as kept_messages
where feed in ({{ ticdc.text_literals(kept | map(attribute="name")) }})
{%- elif not by_source %}
select
    '' as feed,
    '' as protocol,
    '' as topic,
    0 as `partition`,
    cast(0 as bigint) as `offset`,
    current_timestamp() as message_at,
    cast('' as binary) as key,
    cast('' as binary) as value,
    false as is_copy,
    cast(null as bigint) as run_id
where false
{%- endif -%}
{% endmacro %}

{# Gives the SQL condition that a message of the source belongs to a feed: its topic is like one of the patterns. #}
{% macro is_of_feed(feed) -%}
    (
        {%- for pattern in feed.topics %}{{ " or " if not loop.first }}topic like {{ ticdc.text_literal(pattern) }}
        {%- endfor -%}
    )
{%- endmacro %}

{# Gives the SQL condition that no run before has staged a message of `int_ticdc__messages`, whose source is a relation,
   for one of `feeds`: by what `staged_offsets` gives, and by `staged`, the SQL of staged rows. #}
{% macro is_not_staged(feeds, ranges, staged) -%}
    {%- set all_late = ranges | selectattr("late_from", "defined") | list -%}
    {#- first in a form that Spark can disprove by the least and largest values of a file or row group -#}
    (
        {%- for feed in feeds %}
        {{ "or " if not loop.first }}({{ ticdc.is_of_feed(feed) }}
        {%- set of_feed = ranges | selectattr("feed", "equalto", feed.name) | list -%}
        {%- set partitions = of_feed | map(attribute="partition") | unique | sort -%}
        {%- set topics = of_feed | map(attribute="topic") | unique(case_sensitive=true) | list -%}
        {%- set late = all_late | selectattr("feed", "equalto", feed.name) | list -%}
        {#- nothing for feeds of several topics -#}
        {%- if topics | length == 1 and partitions | length == of_feed | length
            and partitions[-1] - partitions[0] + 1 == of_feed | length %}
            and (
                topic <> {{ ticdc.text_literal(topics[0]) }}
                or `partition` < {{ partitions[0] }}
                or `partition` > {{ partitions[-1] }}
                or `offset` < {{ of_feed | map(attribute="first_offset") | max }}
                or `offset` > {{ of_feed | map(attribute="last_offset") | min }}
                {%- if late %}
                or `offset` between {{ late | map(attribute="late_from") | min }}
                and {{ late | map(attribute="late_to") | max }}
                {%- endif %}
            )
        {%- endif -%}
        )
        {%- endfor %}
    )
    {%- if ranges | length > 16 %}
    {#- Spark plans for minutes where thousands of conditions stand side by side #}
    and not exists (
        select 1
        from ({{ ticdc.offset_ranges(ranges) }})
        where
            feed = staged_feed
            and topic = staged_topic
            and `partition` = staged_partition
            and `offset` between first_offset and last_offset
            and `offset` not between late_from and late_to
    )
    {%- elif ranges %}
    and not (
        {%- for range in ranges %}
        (feed = {{ ticdc.text_literal(range.feed) }} and topic = {{ ticdc.text_literal(range.topic) }}
            and `partition` = {{ range.partition }}
            and `offset` between {{ range.first_offset }} and {{ range.last_offset }}
            {%- if "late_from" in range %}
            and `offset` not between {{ range.late_from }} and {{ range.late_to }}
            {%- endif %})
        {{- " or" if not loop.last }}
        {%- endfor %}
    )
    {%- endif %}
    {%- if all_late %}
    and not exists (
        select 1
        from (
            select
                feed as staged_feed,
                topic as staged_topic,
                `partition` as staged_partition,
                `offset` as staged_offset
            from {{ staged }} as staged
            where
                event_index = 0
                and not is_redriven
                and `offset` between {{ all_late | map(attribute="late_from") | min }}
                and {{ all_late | map(attribute="late_to") | max }}
        )
        where
            feed = staged_feed
            and topic = staged_topic
            and `partition` = staged_partition
            and `offset` = staged_offset
    )
    {%- endif %}
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
    from {{ ref("int_ticdc__messages") }}
    where protocol = {{ ticdc.text_literal(protocol) }} and not is_copy and {{ may_be_within }}

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
