{# Gives the columns of a row event that do not tell how far it is, as a list. #}
{% macro row_columns() %}
    {% do return([
        "topic", "`partition`", "`offset`", "event_index", "message_at", "commit_ts", "commit_ts_exact", "start_ts",
        "schema_name", "table_name", "physical_table_id", "op", "row_key", "before_key", "before", "after", "row_id",
        "table_schema_id", "lossy", "checksum_mismatch",
    ]) %}
{% endmacro %}

{# Gives the query of waiting rows with what the catalogue tells of their table at their commit, by the CTE `versions`
   with the columns of `int_ticdc__catalogue`. #}
{% macro rows_with_version(waiting_rows, which) %}
    {%- set no_types = ticdc.feeds_whose_protocol("types_of_rows", none) | map(attribute="name") | list -%}
    select
        waiting_rows.*,
        waiting_rows.table_schema_id as known_schema_id,
        -- what rows of some protocols tell of their table is no more than the row itself holds
        if(
            coalesce(versions.origin, '') <> 'wire'
            or waiting_rows.feed not in ({{ ticdc.text_literals([""] + no_types) }})
            or array_contains(waiting_rows.lossy, '*:no_schema'),
            versions.table_schema,
            null
        ) as known_schema,
        versions.origin,
        versions.key_columns,
        versions.keys_rows
    from {{ waiting_rows }} as waiting_rows
    left join versions
        on
            {{ ticdc.is_of_version("waiting_rows") }}
    where {{ which }}
{% endmacro %}

{# Gives the SQL of the row events that changes are made of, in brackets: whole ones, and those that wait for some cells
   alone, as `waits_for_cells` lists them, with some columns that both have, and further ones of each. #}
{% macro rows_to_take(waits_for_cells, columns, of_whole=[], of_waiting=[]) -%}
    (
        {%- for waits in waits_for_cells %}
        select
            {{ (columns + (of_waiting if waits else of_whole)) | join(",\n            ") }},
            {{ waits | lower }} as waits_for_cells
        from {{ ref("int_ticdc__waiting_rows") if waits else ref("int_ticdc__rows") }}
        {{- "\n        where waits_for_cells" if waits }}
        {{ "union all" if not loop.last }}
        {%- endfor %}
    )
{%- endmacro %}

{# Gives the SQL condition that a row event waits for some cells alone: its message tells the commit, the key and
   whether there is one, and no checksum of the row. #}
{% macro waits_for_cells() -%}
    coalesce(
        kind = 'row'
        and not is_resolved
        and claim_check is null
        and checksum is null
        -- else images tell repeats
        and commit_ts_exact
        and table_name is not null
        and row_key is not null
        -- a cell of the key would change the key; a name with what JSON escapes is taken for one of the key
        and not exists(
            lossy,
            flag -> startswith(flag, '*:')
            or contains(row_key, '"' || left(flag, length(flag) - locate(':', reverse(flag))) || '":')
            or flag rlike '["\\\\\\p{Cntrl}]'
        ),
        false
    )
{%- endmacro %}

{# Gives the SQL of the flags of a row that is completed as `resolved`. #}
{% macro lossy_of_resolved() -%}
    {%- set stale_types = ticdc.feeds_whose_protocol("types_of_rows", "stale") | map(attribute="name") | list -%}
    if(
        -- what these rows tell of their table may be as old as the flags of these columns
        origin = 'wire' and feed in ({{ ticdc.text_literals([""] + stale_types) }}),
        array_union(resolved.lossy, filter(lossy, flag -> flag like '%:no_schema')),
        resolved.lossy
    )
{%- endmacro %}

{# Gives the SQL condition that a row event is of a table version that keys its rows, whatever key their messages
   name, or that alone tells how their keys are read; `false` where no version does. #}
{% macro is_keyed_anew() %}
    {%- set query %}
    select to_json(map_from_entries(sort_array(collect_list(struct(feed, ranges)))))
    from (
        select
            feed,
            sort_array(
                collect_list(struct(schema_key, table_key, rows_after_ts as after_ts, rows_to_ts as to_ts))
            ) as ranges
        from {{ ticdc.catalogue_records("version") }}
        where keys_rows or has_unsure_key
        group by feed
    )
    {% endset -%}
    {%- set found = ticdc.asked(query, [ref("int_ticdc__catalogue")]) -%}
    {%- set ranges = fromjson(found[0][0]) if found else {} -%}
    {%- if not ranges -%}{%- do return("false") -%}{%- endif -%}
    {%- set type = "array<struct<schema_key: string, table_key: string, after_ts: bigint, to_ts: bigint>>" -%}
    {%- do return(
        "coalesce(exists(" ~ ticdc.of_feed(ranges, type) ~ ", each -> each.schema_key = lower(schema_name)"
        ~ " and each.table_key = lower(table_name) and commit_ts > each.after_ts"
        ~ " and (each.to_ts is null or commit_ts <= each.to_ts)), false)"
    ) -%}
{% endmacro %}

{# Gives the SQL condition that a row is of a table version, which has the alias `versions`. #}
{% macro is_of_version(rows) -%}
    {{ rows }}.feed = versions.feed
            and lower({{ rows }}.schema_name) = versions.schema_key
            and lower({{ rows }}.table_name) = versions.table_key
            and {{ rows }}.commit_ts > versions.rows_after_ts
            and {{ rows }}.commit_ts <= coalesce(versions.rows_to_ts, {{ rows }}.commit_ts)
{%- endmacro %}

{# Gives SQL of what only the version of its table in the catalogue, `versions`, tells of cells of a change that may
   stand for something else: a struct of its images, where they are others then, and its flags, or NULL. #}
{% macro unsure_cells() -%}
    {%- set catalogue = ref("int_ticdc__catalogue") -%}
    {%- set query = "select 1 from " ~ ticdc.rows_of(catalogue) ~ " where has_unsure_cells limit 1" -%}
    {%- if not ticdc.asked(query, [catalogue]) -%}
    cast(null as struct<before: string, after: string, lossy: array<string>>)
    {%- else -%}
    ticdc_unsure_cells(
        {{ ticdc.by_feed(ticdc.feeds(), "protocol", "changes.") }},
        if(versions.has_unsure_cells, versions.table_schema, null),
        {{ ticdc.by_feed(ticdc.feeds(), "options", "changes.") }},
        if(versions.has_unsure_cells, changes.before, null),
        if(versions.has_unsure_cells, changes.after, null),
        if(versions.has_unsure_cells, changes.lossy, null)
    )
    {%- endif -%}
{%- endmacro %}
