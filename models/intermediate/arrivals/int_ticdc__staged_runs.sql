{%- set facts -%}
select
    coalesce(bool_or(is_waiting), false) as some_wait,
    max(if(is_redriven, run_id, null)) as redriven_run_id,
    coalesce(bool_or(not is_gapless), false) as some_have_gaps,
    coalesce(bool_or(some_are_inexact), false) as some_are_inexact
from {rows}
{%- endset -%}
{{
    config(
        materialized="ticdc_append",
        partition_by=["batch_id", "feed"],
        facts=facts,
    )
}}
{%- set claim_checks = ref("int_ticdc__claim_checks") -%}
{%- set is_idle = not ticdc.has_news(ticdc.arrival_tables(), ticdc.settled().run_id) -%}
{%- set residue = "(`offset` & 65535)" -%}
{%- set outline = [
    "feed", "protocol", "topic", "`partition`", "run_id", "is_message", "is_redriven", "kind", "op", "is_resolved",
    "commit_ts_exact", "table_name", "lossy", "claim_check", "checksum", "row_key",
] %}
{{ ticdc.takes(ticdc.settled() if is_idle else none, is_idle=is_idle) }}
with

events as (

    select
        *,
        event_index = 0 and not is_redriven as is_message
    from {{ ref("int_ticdc__events") }}
    {%- if ticdc.facts(claim_checks).get("has_rows", true) %}

    union all

    select
        * except (batch_id, protocol),
        protocol,
        false as is_message
    from {{ ticdc.rows_of(claim_checks) }} as claim_checks
    {%- endif %}

),

-- whether a row waits for cells is dear to ask, and most rows of a table are alike in what it depends on
outlines as (

    select
        * except (claim_check, checksum, row_key),
        if(claim_check is null, null, '') as claim_check,
        if(checksum is null, null, '') as checksum,
        case
            when is_resolved then null
            -- where a quote may be one of a value, all of it stays
            when contains(row_key, '\\') then row_key
            when contains(row_key, ',"') then regexp_replace(row_key, '":"[^"]*+"', '":')
            -- one column: the regular expression took as long as all else
            else substring_index(row_key, '":', 1) || '":'
        end as row_key
    from events
    where run_id > {{ ticdc.settled().run_id }}

),

alike as (

    select
        {{ outline | join(",\n        ") }},
        min(`offset`) as first_offset,
        max(`offset`) as last_offset,
        sum({{ residue }}) as residues,
        sum({{ residue }} * {{ residue }}) as squares,
        count(*) as events,
        max(message_at) as last_message_at,
        min(commit_ts) as first_ts,
        max(commit_ts) as last_ts
    from outlines
    group by {{ outline | join(", ") }}

),

judged as (

    select
        *,
        {{ ticdc.waits_for_cells() }} as waits_for_cells
    from alike

),

-- rows that changes can be made of without a table of their own
told as (

    select
        *,
        kind = 'row' and table_name is not null and (is_resolved or waits_for_cells) as is_row,
        array_contains(lossy, '*:no_key') as is_keyless
    from judged

),

noted as (

    select
        protocol,
        topic,
        `partition`,
        run_id,
        min(if(is_message, first_offset, null)) as first_offset,
        max(if(is_message, last_offset, null)) as last_offset,
        sum(if(is_message, events, 0)) as messages,
        max(if(kind = 'watermark', last_ts, null)) as watermark_ts,
        max(last_message_at) as last_message_at,
        bool_or(is_redriven and kind <> 'error') as is_redriven,
        bool_or(
            kind = 'row' and not is_resolved and claim_check is null and not waits_for_cells
        ) as is_waiting,
        min(if(kind = 'row', first_ts, null)) as first_row_ts,
        max(if(kind = 'row', last_ts, null)) as last_row_ts,
        min(if(kind = 'ddl', first_ts, null)) as first_ddl_ts,
        max(if(kind = 'ddl', last_ts, null)) as last_ddl_ts,
        min(if(is_row, first_ts, null)) as first_commit_ts,
        max(if(is_row, last_ts, null)) as last_commit_ts,
        min(if(is_row and is_keyless, first_ts, null)) as first_keyless_commit_ts,
        bool_or(is_row and not commit_ts_exact) as some_are_inexact,
        bool_or(is_row and op = 'update') as some_are_updates,
        bool_or(is_row and is_resolved) as some_are_whole,
        bool_or(is_row and waits_for_cells) as some_wait_for_cells,
        sum(if(is_message, residues, 0)) as residues,
        sum(if(is_message, squares, 0)) as squares,
        feed
    from told
    group by feed, protocol, topic, `partition`, run_id

)

select
    * except (residues, squares, feed),
    {{ ticdc.is_gapless() }} as is_gapless,
    feed
from noted
