{# Gives the query of waiting rows with what the catalogue tells of their table at their commit, by the CTE `versions`
   with the columns of `int_ticdc__catalogue`. #}
{% macro rows_with_version(waiting_rows, which) %}
    {%- set no_types = ticdc.feeds() | selectattr("types_of_rows", "none") | map(attribute="name") | list -%}
    {%- set stale_types = ticdc.feeds() | selectattr("types_of_rows", "equalto", "stale") -%}
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
        -- what some rows tell of their table may be as old as the flags of these columns
        filter(
            waiting_rows.lossy,
            flag -> flag like '%:no_schema'
            and versions.origin = 'wire'
            and waiting_rows.feed in ({{ ticdc.text_literals([""] + stale_types | map(attribute="name") | list) }})
        ) as flags_that_stay,
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

{# Gives the SQL condition that a row event is of a table version that keys its rows, whatever key their messages
   name, or that alone tells how their keys are read; `false` where no version does. #}
{% macro is_keyed_anew() %}
    {%- set versions = ticdc.facts(ref("int_ticdc__catalogue")).get("keyed_versions", "[]") -%}
    {%- if versions == "[]" -%}{%- do return("false") -%}{%- endif -%}
    {#- one text, as Spark plans each of many conditions side by side -#}
    {%- do return(
        "coalesce(exists(from_json(" ~ ticdc.text_literal(versions) ~ ", 'array<struct<"
        ~ "of_feed: string, schema_key: string, table_key: string, after_ts: bigint, to_ts: bigint"
        ~ ">>', map('mode', 'FAILFAST')), each -> each.of_feed = feed and each.schema_key = lower(schema_name)"
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
