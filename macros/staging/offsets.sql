{# Gives what is staged of the feeds of a protocol whose source is a relation: a list with `feed`, `topic`, `partition`,
   `first_offset` and `last_offset` for each partition. All messages between both are staged, but where the source has
   some that are not: these are between `late_from` and `late_to`. #}
{% macro staged_offsets(protocol, relation, first_run_id) %}
    {% set ranges, with_holes = [], [] %}
    {% if not (execute and relation) %}{% do return(ranges) %}{% endif %}
    {% set feeds = ticdc.feeds() | selectattr("reads", "equalto", "relation") | map(attribute="name") %}
    {% set query %}
select
    feed,
    topic,
    `partition`,
    min(first_offset) as first_offset,
    max(last_offset) as last_offset,
    max(last_offset) - min(first_offset) = sum(messages) - 1 and bool_and(is_gapless) as is_gapless
from ({{ ticdc.staged_partitions(protocol, relation, first_run_id) }}) as staged
where feed in ({{ ticdc.text_literals(feeds) }})
group by feed, topic, `partition`
    {% endset %}
    {% for row in run_query(query).rows %}
        {% set feed, topic, partition, first, last, is_gapless = row %}
        {% do ranges.append({
            "feed": feed, "topic": topic, "partition": partition | int, "first_offset": first | int,
            "last_offset": last | int,
        }) %}
        {% do with_holes.append(ranges[-1]) if not is_gapless %}
    {% endfor %}
    {% for row in (run_query(ticdc.late_offsets(protocol, relation, with_holes)).rows if with_holes else []) %}
        {% do with_holes[row[0] | int].update({"late_from": row[1] | int, "late_to": row[2] | int}) %}
    {% endfor %}
    {% do return(ranges) %}
{% endmacro %}

{# Gives the SQL of what runs staged of each partition, a row for each run: the first and the last offset, and whether
   all between them are staged. Of most runs `int_ticdc__staged_runs` noted it. #}
{% macro staged_partitions(protocol, relation, first_run_id) %}
{%- set runs = ticdc.relation_before("int_ticdc__staged_runs") -%}
{%- set noted_run_id = ticdc.settled(runs).run_id if runs else 0 %}
{% if noted_run_id -%}
select
    feed,
    topic,
    `partition`,
    run_id,
    min(first_offset) as first_offset,
    max(last_offset) as last_offset,
    max(messages) as messages,
    bool_and(is_gapless) as is_gapless
from {{ ticdc.rows_of(runs) }} as staged_runs
where
    protocol = {{ ticdc.text_literal(protocol) }}
    and run_id between {{ first_run_id }} and {{ noted_run_id }}
    and messages > 0
group by feed, topic, `partition`, run_id

union all

{% endif -%}
-- of runs that ended before what they staged was noted
select
    feed,
    topic,
    `partition`,
    run_id,
    min(`offset`) as first_offset,
    max(`offset`) as last_offset,
    count(distinct `offset`) as messages,
    max(`offset`) - min(`offset`) = count(distinct `offset`) - 1 as is_gapless
from {{ ticdc.rows_of(relation) }} as staged
where run_id > {{ noted_run_id }} and event_index = 0 and not is_redriven
group by feed, topic, `partition`, run_id
{% endmacro %}

{# Gives the run that made a staging relation, this one where there is none yet: what runs before it noted of staged
   messages was of a relation that is gone. #}
{% macro first_run_id(relation) %}
    {% if not (execute and relation) %}{% do return(ticdc.run_id() | int) %}{% endif %}
    {% set noted = ticdc.settled(relation).run_id %}
    {% set query = "select coalesce(min(run_id), 0) from " ~ ticdc.rows_of(relation) %}
    {% do return(noted or run_query(query).rows[0][0] | int) %}
{% endmacro %}

{# Gives the SQL of a relation of staged offsets, a row for each partition: `place` in the list, `staged_feed`,
   `staged_topic`, `staged_partition`, `first_offset`, `last_offset`, `late_from` and `late_to`. #}
{% macro offset_ranges(ranges) -%}
    select *
    from values
        {%- for range in ranges %}
        (
            {{ loop.index0 }}, {{ ticdc.text_literals([range.feed, range.topic]) }}, {{ range.partition }},
            {{ range.first_offset }}, {{ range.last_offset }},
            {{ range.late_from | default(0) }}, {{ range.late_to | default(-1) }}
        )
        {{- "," if not loop.last }}
        {%- endfor %}
        as staged (place, staged_feed, staged_topic, staged_partition, first_offset, last_offset, late_from, late_to)
{%- endmacro %}

{# Gives the SQL condition that `messages` of a run are one of each offset from `first_offset` to `last_offset`, by
   `residues` and `squares`, the sums of the offsets modulo 65,536, and of their squares. #}
{% macro is_gapless() -%}
{#- a count takes a message that came twice for one that is missing; residues are small enough to be added -#}
{%- set cycle = 65536 -%}
{%- set cycles = "(shiftright(last_offset, 16) - shiftright(first_offset, 16))" -%}
{%- set first, last = "(first_offset & 65535)", "(last_offset & 65535)" -%}
coalesce(
    if(
        last_offset - first_offset = messages - 1,
        residues = {{ cycles }} * {{ cycle * (cycle - 1) // 2 }}
        + {{ last }} * ({{ last }} + 1) div 2
        - {{ first }} * ({{ first }} - 1) div 2
        and squares = {{ cycles }} * {{ cycle * (cycle - 1) * (2 * cycle - 1) // 6 }}
        + {{ last }} * ({{ last }} + 1) * (2 * {{ last }} + 1) div 6
        - {{ first }} * ({{ first }} - 1) * (2 * {{ first }} - 1) div 6,
        false
    ),
    false
)
{%- endmacro %}

{# Gives the stored tables of events, those of staging and that of claim-check files. #}
{% macro arrival_tables() %}
    {% set tables = [ref("int_ticdc__claim_checks")] %}
    {% for protocol in ticdc.protocols_in_use() %}{% do tables.append(ref("stg_ticdc__" ~ protocol)) %}{% endfor %}
    {% do return(tables) %}
{% endmacro %}
