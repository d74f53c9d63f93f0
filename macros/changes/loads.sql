{# Gives the initial loads, those whose exports are read and those of the variable `ticdc__initial_loads`, as a list,
   each with `feed`, `schema`, `table`, `commit_ts`, `key_columns` as JSON text, `is_exported`, whether its export is
   read, `relation` where it is not, and `id`, a text that tells it from the others. #}
{% macro initial_loads(exported_rows) %}
    {% set given, feeds = var("ticdc__initial_loads", none), ticdc.feeds() | map(attribute="name") | list %}
    {% set tables = [exported_rows] if execute and "nodes" in graph and load_cached_relation(exported_rows) else [] %}
    {% if not execute or not (given or tables) %}{% do return([]) %}{% endif %}
    {% set query %}
    select ticdc_initial_loads(exported, {{ ticdc.text_literals([tojson(given), tojson(feeds)]) }})
    from (
        {%- if tables %}
        select to_json(collect_list(struct(feed, schema_name, table_name, commit_ts, key_columns))) as exported
        from {{ ticdc.rows_of(exported_rows) }}
        where row is null
        {%- else %}
        select '[]' as exported
        {%- endif %}
    )
    {% endset %}
    {% do return(fromjson(ticdc.asked(query, tables)[0][0])) %}
{% endmacro %}

{# Raises an error where an initial load begins before changes of its feed that are there already. #}
{% macro check_loads(loads) %}
    {% set changes = ticdc.relation_of("int_ticdc__changes") %}
    {% if not loads or ticdc.is_refresh() or not changes %}{% do return(none) %}{% endif %}
    {% set query %}
    select loads.id
    from inline(
        from_json({{ ticdc.text_literal(tojson(loads)) }}, 'array<struct<id: string, feed: string, commit_ts: bigint>>')
    ) as loads
    inner join (
        select feed, max(commit_ts) as last_commit_ts from {{ ticdc.rows_of(changes) }} group by feed
    ) using (feed)
    where last_commit_ts > loads.commit_ts
    order by loads.id
    {% endset %}
    {% set late = run_query(query).rows | map(attribute=0) | list %}
    {% if late %}
        {% do exceptions.raise_compiler_error(
            "ticdc: ticdc__initial_loads has what begins before commits that are built already, " ~ late | join(", ")
            ~ " (feed, schema, table, commit); build once with --full-refresh"
        ) %}
    {% endif %}
{% endmacro %}

{# Gives the SQL of the rows of initial loads as changes, of the version that their table has as of the commit of the
   load. #}
{% macro loaded_changes(loads) %}
    select
        schema_name,
        table_name,
        table_id,
        table_incarnation,
        version_from_ts,
        commit_ts,
        timestamp_millis(shiftright(commit_ts, 18)) as commit_at,
        true as commit_ts_exact,
        cast(null as bigint) as start_ts,
        cast(null as bigint) as physical_table_id,
        'load' as op,
        1 as apply_rank,
        loaded.row_key,
        cast(null as bigint) as image_hash,
        copy,
        '' as topic,
        0 as `partition`,
        cast(0 as bigint) as `offset`,
        0 as event_index,
        false as is_late,
        {{ ticdc.run_id() }} as run_id,
        feed,
        cast(null as string) as before,
        loaded.row as after,
        loaded.lossy
    from (
        select
            *,
            row_number() over (
                partition by feed, table_id, table_incarnation, loaded.row_key order by loaded.row
            ) as copy
        from (
            select
                versions.schema_name,
                versions.table_name,
                versions.table_id,
                versions.table_incarnation,
                versions.valid_from_ts as version_from_ts,
                exported.commit_ts,
                ticdc_loaded_row(exported.row, versions.columns, exported.key_columns) as loaded,
                exported.feed
            from {{ ticdc.rows_of(ref("int_ticdc__exported_rows")) }} as exported
            inner join {{ ticdc.catalogue_records("version") }} as versions
                on
                    exported.feed = versions.feed
                    and lower(exported.schema_name) = versions.schema_key
                    and lower(exported.table_name) = versions.table_key
                    and exported.commit_ts >= versions.valid_from_ts
                    and exported.commit_ts < coalesce(versions.valid_to_ts, exported.commit_ts + 1)
            where
                exported.row is not null
                and (
                    {%- for load in loads %}
                    (exported.feed = {{ ticdc.text_literal(load.feed) }}
                        and exported.schema_name = {{ ticdc.text_literal(load.schema) }}
                        and exported.table_name = {{ ticdc.text_literal(load.table) }}
                        and exported.commit_ts = {{ load.commit_ts }})
                    {{- " or" if not loop.last }}
                    {%- endfor %}
                )
        ) as loaded_rows
    ) as numbered_rows
    -- equal rows of a table without key count each
    where copy = 1 or array_contains(loaded.lossy, '*:no_key')
{% endmacro %}
