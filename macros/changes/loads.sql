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

{# Gives the SQL of the rows of initial loads, each with what `ticdc_loaded_row` gives (`loaded`) and with the version
   of its table as of the commit of the load. Rows of one key may come several times. #}
{% macro loaded_rows(loads) %}
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
{% endmacro %}
