{% macro late_offsets(protocol, relation, ranges) %}
{#- by these Parquet passes over files and row groups -#}
{%- set may_be_within -%}
`offset` between {{ ranges | map(attribute="first_offset") | min }} and {{ ranges | map(attribute="last_offset") | max }}
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
    from ({{ ticdc.source_offsets(ticdc.feeds() | selectattr("protocol", "equalto", protocol) | list) }}) as messages
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
