{%- set facts -%}
select
    to_json(
        sort_array(
            collect_list(
                if(
                    record = 'version' and (keys_rows or has_unsure_key),
                    struct(feed as of_feed, schema_key, table_key, rows_after_ts as after_ts, rows_to_ts as to_ts),
                    null
                )
            )
        )
    ) as keyed_versions,
    coalesce(bool_or(has_unsure_cells), false) as has_unsure_cells
from {rows}
{%- endset -%}
{{
    config(
        materialized="ticdc_append",
        replaces=true,
        partition_by=["batch_id"],
        facts=facts,
    )
}}
{%- set seen_tables, events = ref("int_ticdc__seen_tables"), ref("int_ticdc__events") -%}
{%- set settled = ticdc.settled() -%}
{%- set exported = var("ticdc__information_schema", none) -%}
{%- set made_of = {"package": ticdc.views_key(), "exported": none} -%}
{%- if exported and execute -%}
    {%- set counting = "select count(*), coalesce(sum(xxhash64(*) % 1000003), 0) from " ~ exported -%}
    {%- do made_of.update({"exported": run_query(counting).rows[0] | map("int") | list}) -%}
{%- endif -%}
{%- set is_of_package = settled.package == made_of.package and settled.exported == made_of.exported -%}
{%- set is_told = is_of_package and not ticdc.has_news([seen_tables], settled.run_id) -%}
{%- set some_end_names = ticdc.facts(seen_tables).get("some_end_names") -%}
{#- DDL that may give a name up, bring a table back, or move its key, and the names that it may be about -#}
{%- set names_given_up -%}
ends as (

    select
        feed,
        schema_name,
        table_name,
        message_ts as commit_ts,
        lower(ddl_query) as ddl_text,
        lower(ltrim(ddl_query)) like any ('drop database%', 'drop schema%') as is_of_database,
        lower(ddl_query) like '%rename%' as is_rename
    from seen
    where {{ ticdc.may_end_names() }}

),

names as (

    select distinct
        feed,
        schema_name,
        table_name
    from seen
    where kind = 'row'

),

-- the message of a RENAME bears the new name: any name in its text may be the one given up
names_given_up as (

    select
        names.feed,
        names.schema_name,
        names.table_name,
        collect_set(ends.commit_ts) as commits
    from names
    inner join ends
        on
            names.feed = ends.feed
            and case
                when ends.is_of_database
                    then contains(ends.ddl_text, lower(replace(names.schema_name, '`', '``')))
                when ends.is_rename
                    then contains(ends.ddl_text, lower(replace(names.table_name, '`', '``')))
                else names.schema_name = ends.schema_name and names.table_name = ends.table_name
            end
    group by names.feed, names.schema_name, names.table_name

)
{%- endset -%}
{#- what changes the catalogue: DDL but copies, and first rows of a schema, or after a name was given up -#}
{%- set news -%}
with

seen as (

    select * from {{ ticdc.rows_of(seen_tables) }} as seen_tables

),

{{ names_given_up }}

select seen.*
from seen
left join names_given_up
    on
        seen.feed = names_given_up.feed
        and seen.schema_name = names_given_up.schema_name
        and seen.table_name = names_given_up.table_name
left anti join seen as known
    on
        known.run_id <= {{ settled.run_id }}
        and seen.feed = known.feed
        and seen.kind = known.kind
        and seen.schema_name <=> known.schema_name
        and seen.table_name <=> known.table_name
        and seen.table_schema_id <=> known.table_schema_id
        and seen.has_schema <=> known.has_schema
        and seen.message_ts <=> known.message_ts
        and seen.ddl_query <=> known.ddl_query
        and case seen.kind
            when 'row'
                then
                    seen.first_ts > known.first_ts
                    and (seen.commit_ts_exact or not known.commit_ts_exact)
                    -- the first row after a name was given up tells again
                    and coalesce(known.first_ts > array_max(names_given_up.commits), true)
            -- copies for other partitions, and replays
            when 'ddl'
                then
                    seen.first_position > known.first_position
                    and struct(seen.commit_ts_exact, seen.ddl_type, seen.physical_table_id, seen.table_schema)
                    <=> struct(known.commit_ts_exact, known.ddl_type, known.physical_table_id, known.table_schema)
        end
where seen.run_id > {{ settled.run_id }}
limit 1
{%- endset -%}
{%- set is_known = is_told or (is_of_package and not run_query(news).rows) -%}
{#- what the catalogue depends on of each feed -#}
{%- set of_feeds = [] -%}
{%- for feed in ticdc.feeds() -%}
    {%- do of_feeds.append({"name": feed.name, "facts": tojson({
        "protocol": feed.protocol, "binary_handling_mode": feed.binary_handling_mode, "time_zone": feed.time_zone,
        "session_time_zone": feed.session_time_zone, "hides_nulls_of": feed.hides_nulls_of,
    })}) -%}
{%- endfor -%}
{%- set identity = [
    "kind", "schema_name", "table_name", "table_schema_id", "has_schema", "message_ts", "ddl_query",
] -%}
{%- set columns = identity + [
    "ddl_type", "physical_table_id", "first_ts", "commit_ts_exact", "first_position", "table_schema", "ends_before",
] %}
{{ ticdc.takes(dict(made_of, run_id=settled.run_id if is_told else ticdc.run_id() | int), is_idle=is_known) }}
with

seen as (

    select * from {{ ticdc.live_rows(seen_tables) }} as seen_tables

),

{% if some_end_names -%}
{{ names_given_up }},

told_rows as (

    select
        *,
        -- where TSOs hold only milliseconds, a row comes after a DDL of its own
        commit_ts + if(commit_ts_exact, 0, 1) as told_ts
    from {{ events }}
    where kind = 'row'

),

rows_after_ends as (

    select /*+ broadcast(names_given_up) */
        later.feed,
        later.schema_name,
        later.table_name,
        later.table_schema_id,
        later.told_ts,
        later.commit_ts_exact,
        struct(later.topic, later.`partition`, later.`offset`, later.event_index) as position,
        size(filter(names_given_up.commits, each -> each < later.told_ts)) as ends_before
    from told_rows as later
    inner join names_given_up
        on
            later.feed = names_given_up.feed
            and later.schema_name = names_given_up.schema_name
            and later.table_name = names_given_up.table_name
    where later.told_ts > array_min(names_given_up.commits)

),

-- the first rows after it show that a table has the name again, and its key
first_rows_after_ends as (

    select
        feed,
        schema_name,
        table_name,
        table_schema_id,
        ends_before,
        bool_and(commit_ts_exact) as commit_ts_exact,
        min(struct(told_ts, position)) as first_row
    from rows_after_ends
    group by feed, schema_name, table_name, table_schema_id, ends_before

),

{% endif -%}
told as (

    -- of all runs, as many of them saw the same
    select
        feed,
        bool_and(commit_ts_exact) as commit_ts_exact,
        {{ identity | join(",\n        ") }},
        min(ddl_type) as ddl_type,
        min(physical_table_id) as physical_table_id,
        min(first_ts) as first_ts,
        min(struct(first_ts, first_position)).first_position as first_position,
        min(table_schema) as table_schema,
        0 as ends_before
    from seen
    group by feed, {{ identity | join(", ") }}
    {%- if some_end_names %}

    union all

    select
        feed,
        commit_ts_exact,
        'row_after_end' as kind,
        schema_name,
        table_name,
        table_schema_id,
        false as has_schema,
        null as message_ts,
        null as ddl_query,
        null as ddl_type,
        null as physical_table_id,
        first_row.told_ts as first_ts,
        first_row.position as first_position,
        null as table_schema,
        ends_before
    from first_rows_after_ends
    {%- endif %}
    {%- for load in fromjson(ticdc.facts(ref("int_ticdc__exported_rows")).get("loads", "[]")) %}

    union all

    select
        {{ ticdc.text_literal(load.feed) }} as feed,
        true as commit_ts_exact,
        'load' as kind,
        {{ ticdc.text_literal(load.schema) }} as schema_name,
        {{ ticdc.text_literal(load.table) }} as table_name,
        null as table_schema_id,
        false as has_schema,
        cast({{ load.commit_ts }} as bigint) as message_ts,
        null as ddl_query,
        'initial_load' as ddl_type,
        null as physical_table_id,
        null as first_ts,
        null as first_position,
        null as table_schema,
        0 as ends_before
    {%- endfor %}

),

feeds as (

    select
        feed,
        to_json(collect_list(struct({{ columns | join(", ") }}))) as seen_tables,
        {{ ticdc.by_feed(of_feeds, "facts") }} as facts
    from told
    group by feed
    -- rows without a schema show only tables that something else described
    having bool_or(kind <> 'row' or has_schema)

),

exported_columns as (

    {% if exported -%}
    select to_json(collect_list(struct(*))) as columns
    from {{ exported }}
    {%- else -%}
    select cast(null as string) as columns
    {%- endif %}

),

folded as (

    select
        feeds.feed,
        ticdc_fold_ddl(feeds.seen_tables, exported_columns.columns, feeds.facts) as records
    from feeds
    cross join exported_columns

)

select
    folded.feed,
    each.*,
    lower(each.schema_name) as schema_key,
    lower(each.table_name) as table_key
from folded
    lateral view explode(folded.records) exploded as each
