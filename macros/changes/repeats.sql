{# Gives the SQL of the places of changes that came before, in this run or an earlier one (`is_repeat`), and of
   deletions, of a millisecond, of rows that others replaced in it (`is_replaced`). `known` are the changes of earlier
   runs, none where this is the first one. #}
{% macro marked_changes(changes, known, plan) %}
{#- rows are sorted by a number first: names are equal in most of them -#}
{%- set identity = "commit_ts, row_key, op, image_hash, copy, table_name, schema_name, feed" -%}
{%- set key_at_commit = "feed, schema_name, table_name, commit_ts, row_key" -%}
{#- the windows have its columns, so that Spark shuffles once for all of them -#}
{%- set key_at_moment = "feed, schema_name, table_name, commit_ms, row_key" -%}
{%- set place = "topic, `partition`, `offset`, event_index" -%}
{%- set is_repeat, is_replaced = "occurrence > 1", "false" -%}
{%- if not plan.is_exact -%}
{%- set is_repeat = "(occurrence > 1 or is_told_otherwise)" -%}
{#- what is deleted there is not what is put -#}
{%- set is_replaced -%}
(
            op = 'delete'
            and exists(puts, put -> put.columns_hash = columns_hash)
            and not exists(puts, put -> put.columns_hash = columns_hash and put.row_hash = row_hash)
        )
{%- endset -%}
{%- endif -%}
with

-- Spark computes what is read of them
keys as (

    select
        {{ identity }},
        {{ place }},
        commit_ts_exact,
        shiftright(commit_ts, 18) as commit_ms,
        xxhash64(before, after) as row_image,
        if(commit_ts_exact, null, xxhash64(json_object_keys(if(op = 'delete', before, after)))) as columns_hash,
        if(commit_ts_exact, null, xxhash64(if(op = 'delete', before, after))) as row_hash,
        xxhash64(shiftright(commit_ts, 18), row_key, table_name, schema_name, feed) as key_hash
    from {{ changes }} as changes

),

{% if not known -%}
-- numbers alone tell that nearly all changes are alone with their key at their commit
contended_hashes as (

    select key_hash
    from keys
    group by key_hash
    having count(*) > 1

),

contended_keys as (

    select /*+ broadcast(contended_hashes) */ keys.*
    from keys
    left semi join contended_hashes on keys.key_hash = contended_hashes.key_hash

),

{% elif not plan.is_exact -%}
-- a run may end within a millisecond
known_puts as (

    select
        {{ key_at_commit }},
        collect_set(
            struct(xxhash64(json_object_keys(after)) as columns_hash, xxhash64(after) as row_hash)
        ) as known_puts
    from {{ known }} as known
    where op <> 'delete' and not commit_ts_exact and commit_ts >= {{ plan.first_commit_ts }}
    group by {{ key_at_commit }}

),

{% endif -%}
occurrences as (

    select
        *,
        concat(
            collect_set(
                if(op = 'delete', null, struct(columns_hash, row_hash))
            ) over (partition by {{ key_at_moment }}),
            {{ "coalesce(known_puts, array())" if known and not plan.is_exact else "array()" }}
        ) as puts,
        -- a row that comes again may tell its commit, or its millisecond as before
        commit_ts_exact <> first(commit_ts_exact) over (
            partition by {{ key_at_moment }}, op, row_image, copy order by {{ place }}
        ) as is_told_otherwise,
        -- a rank, as a message that the source holds twice would be a repeat of itself, and both be dropped
        rank() over (partition by {{ identity }}, commit_ms order by {{ place }}) as occurrence
    {%- if not known %}
    from contended_keys
    {%- else %}
    -- an increment has few rows: all of them are sorted, and read once less
    from keys
    {%- endif %}
    {%- if known and not plan.is_exact %}
    left join known_puts using ({{ key_at_commit }})
    {%- endif %}

),

marks as (

    select
        feed,
        {{ place }},
        op,
        {{ is_repeat }} as is_repeat,
        {{ is_replaced }} as is_replaced
    from occurrences
    where {{ is_repeat }} or {{ is_replaced }}
    {%- if known %}

    union all

    select
        keys.feed,
        keys.topic,
        keys.`partition`,
        keys.`offset`,
        keys.event_index,
        keys.op,
        true as is_repeat,
        false as is_replaced
    from keys
    inner join {{ known }} as known
        on
            keys.feed = known.feed
            and keys.schema_name = known.schema_name
            and keys.table_name = known.table_name
            and keys.row_key = known.row_key
            and keys.op = known.op
            and keys.copy = known.copy
            and known.commit_ts >= {{ plan.first_commit_ts - plan.first_commit_ts % 2 ** 18 }}
            {%- if plan.is_exact %}
            and keys.commit_ts = known.commit_ts
            and keys.image_hash <=> known.image_hash
            {%- else %}
            and keys.commit_ms = shiftright(known.commit_ts, 18)
            and if(
                keys.commit_ts_exact = known.commit_ts_exact,
                keys.commit_ts = known.commit_ts and keys.image_hash <=> known.image_hash,
                keys.row_image = xxhash64(known.before, known.after)
            )
            {%- endif %}
    {%- endif %}

)

select
    feed,
    {{ place }},
    op,
    max(is_repeat) as is_repeat,
    max(is_replaced) as is_replaced
from marks
group by feed, {{ place }}, op
{% endmacro %}
