{# What UDF `ticdc_typed_tables` is told of the run, as JSON: `Request` in `typed/relations.py`. #}
{% macro typed_request() %}
    {% if not execute %}{% do return("{}") %}{% endif %}
    {% set run, latest, mark = ticdc.typed_context(), ref("int_ticdc__latest"), ticdc.typed_mark() %}
    {% set patterns, wanted = {}, {} %}
    {% for feed in ticdc.feeds() if feed.target_schema %}
        {% do patterns.update({feed.name: feed.target_schema}) %}
        {% do wanted.update({feed.name: {"tables": feed.tables, "relations": feed.typed_relations}}) %}
    {% endfor %}
    {% set own_schemas = [var("ticdc__messages_schema", "ticdc_raw") | string] %}
    {% for node in graph.nodes.values() if node.package_name == "ticdc" and node.resource_type in ["model", "seed"] %}
        {% do own_schemas.append(node.schema) %}
    {% endfor %}
    {% set settings = {
        "target": target.schema, "feeds": patterns, "own_schemas": own_schemas | unique | sort, "wanted": wanted
    } %}
    {% set published = run.published.models | reject("in", ticdc.outdated_storages(run.published)) | list %}
    {% do return(tojson({
        "settings": settings,
        "run": ticdc.typed_run(),
        "sources": ticdc.typed_sources(),
        "written": ticdc.written_rows(),
        "mark": mark.name,
        "made_by": mark.value,
        "schema": latest.include(identifier=false) | string,
        "stored_from_rows": var("ticdc__stored_from_rows", 100000) | int,
        "configured": ticdc.feeds() | map(attribute="name") | list,
        "catalogs": run.catalogs,
        "published": published,
        "is_published": run.is_published,
        "alias": "" if latest.identifier == "int_ticdc__latest" else latest.identifier,
    })) %}
{% endmacro %}

{# What UDF `ticdc_typed_storages` is told of the run, as JSON: `StorageRequest` in `typed/storages.py`. #}
{% macro storage_request(plans) %}
    {% if not ticdc.storages_lack_rows() %}{% do return("{}") %}{% endif %}
    {% do return(tojson({"run": ticdc.typed_run(plans), "written": ticdc.written_rows()})) %}
{% endmacro %}

{# What this process remembers, as far as typed tables need it: `decided` is what `int_ticdc__typed_plans` hands to the
   models that make relations of it (`answer`, what is `existing`, the kinds that are `made`), `views` those that may be
   made unready, and `published` the state of the last publication. #}
{% macro typed_context() %}
    {% set memory = ticdc.memory() %}
    {% do return({
        "decided": memory.setdefault("typed", {}),
        "views": memory.get("views", {}),
        "published": {"models": fromjson(memory.get("published", "{}"))},
        "is_published": memory.get("is_published", false),
        "catalogs": memory.get("catalogs", []),
    }) %}
{% endmacro %}

{# What typed relations read: `Sources` in `typed/sql.py`. #}
{% macro typed_sources() %}
    {% set latest, changes = ref("int_ticdc__latest"), ref("int_ticdc__row_changes") %}
    {% do return({
        "publication": ref("int_ticdc__publication") | string,
        "latest": ticdc.relation_name("int_ticdc__latest"),
        "latest_rows": ticdc.published_rows(latest),
        "newest_rows": ref("int_ticdc__newest_rows") | string,
        "history": ref("int_ticdc__keyed_history") | string,
        "keyless_history": "(" ~ ticdc.row_history(changes) ~ ")",
        "rows_as_of": ticdc.newest_as_of(ref("int_ticdc__keyed_changes")),
        "keyless_rows_as_of": ticdc.newest_as_of("(" ~ ticdc.live_changes(changes) ~ ")"),
        "bounds_as_of": "(" ~ ticdc.bounds_as_of("tso") ~ ")",
        "merged_rows": ticdc.merged_generations("{rows}", "row_key", "is_deleted"),
    }) %}
{% endmacro %}

{# A query in brackets of the newest of each row at `tso`, of tables that were there then. #}
{% macro newest_as_of(live_changes) -%}
    {%- set is_live = "live_from_ts <= tso and coalesce(live_to_ts > tso, true)" -%}
    {%- set changes = ticdc.changes_as_of("tso", "(select * from " ~ live_changes ~ " where " ~ is_live ~ ")") -%}
    ({{ ticdc.ranked_first(changes) }})
{%- endmacro %}

{# The first of ranked rows that is there, with the columns that typed tables are made of. #}
{% macro ranked_first(ranked_rows) %}
    select
        feed,
        table_id,
        table_incarnation,
        row_key,
        row,
        row_commit_ts as commit_ts,
        lossy
    from (
        {{ ranked_rows }}
    ) as ranked_rows
    where place = 1 and row is not null
{% endmacro %}

{# What storages are written of, as the run has it: `Written` in `typed/sql.py`. A table without key has no stored
   history. #}
{% macro written_rows() %}
    {% set changes = "(" ~ ticdc.row_changes(ref("int_ticdc__carried_rows"), has_keyless_rows=false) ~ ")" %}
    {% set states, mark = ticdc.rows_of(ref("int_ticdc__table_states")), ticdc.typed_mark() %}
    {% do return({
        "run_id": ticdc.run_id() | int,
        "latest_rows": ticdc.rows_of(ref("int_ticdc__latest")),
        "changes": changes,
        "history": "(" ~ ticdc.row_history(changes, states) ~ ")",
        "history_of_changes": ticdc.row_history("changes", states),
        "clauses": "using " ~ config.get("file_format", "parquet") ~ options_clause() ~ " partitioned by (generation)"
            ~ " tblproperties ('" ~ mark.name ~ "' = '" ~ mark.value ~ "')",
    }) %}
{% endmacro %}

{# The property that typed relations and storages of these models bear, with its value: a hash, as Spark hides
   properties whose text holds "token" or "secret". #}
{% macro typed_mark() %}
    {% set plans = graph.nodes["model.ticdc.int_ticdc__typed_plans"] %}
    {% set relation = this.incorporate(path={"schema": plans.schema, "identifier": plans.alias}) %}
    {% do return({"name": "ticdc.made_by", "value": local_md5(relation | string)}) %}
{% endmacro %}
