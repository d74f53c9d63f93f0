{# What UDF `ticdc_typed_tables` is told of the run, as JSON: `Request` in `typed/relations.py`. #}
{% macro typed_request() %}
    {% if not execute %}{% do return("{}") %}{% endif %}
    {% set run, latest, request = ticdc.typed_context(), ref("int_ticdc__latest"), ticdc.storage_request() %}
    {% set changes = ref("int_ticdc__row_changes") %}
    {# a hash, as Spark hides properties whose text holds "token" or "secret" #}
    {% set mark = {"name": "ticdc.made_by", "value": local_md5(this | string)} %}
    {% do request.written.update({
        "clauses": "using " ~ config.get("file_format", "parquet") ~ options_clause() ~ " partitioned by (generation)"
            ~ " tblproperties ('" ~ mark.name ~ "' = '" ~ mark.value ~ "')",
    }) %}
    {% set patterns, wanted, bases, sources = {}, {}, {}, {} %}
    {% for feed in ticdc.feeds() if feed.target_schema %}
        {% do patterns.update({feed.name: feed.target_schema}) %}
        {% do wanted.update({feed.name: {"tables": feed.tables, "relations": feed.typed_relations}}) %}
    {% endfor %}
    {% set own_schemas = [var("ticdc__messages_schema", "ticdc_raw") | string] %}
    {% for node in graph.nodes.values() if node.package_name == "ticdc" and node.resource_type in ["model", "seed"] %}
        {% do own_schemas.append(node.schema) %}
    {% endfor %}
    {% for base in ["newest_rows", "keyed_history", "keyed_changes"] %}
        {% set relation, columns = ref("int_ticdc__" ~ base) | string, {} %}
        {% for column in run.views.get(relation, {}).columns %}
            {% do columns.update({column.name: column.data_type}) %}
        {% endfor %}
        {% do bases.update({relation: {"sql": run.views[relation].sql, "columns": columns}}) if columns %}
        {% do sources.update({base: relation}) %}
    {% endfor %}
    {% do sources.update({
        "publication": ref("int_ticdc__publication") | string,
        "latest": ticdc.relation_name("int_ticdc__latest"),
        "latest_rows": ticdc.published_rows(latest),
        "keyless_history": "(" ~ ticdc.row_history(changes) ~ ")",
        "keyless_changes": "(" ~ ticdc.live_changes(changes) ~ ")",
        "changes_as_of": ticdc.changes_as_of("tso", "{changes}"),
        "bounds_as_of": "(" ~ ticdc.bounds_as_of("tso") ~ ")",
        "merged_rows": ticdc.merged_generations("{rows}", "row_key", "is_deleted"),
    }) %}
    {% do return(tojson(dict(
        request, sources=sources, bases=bases, made_by=mark.value, mark=mark.name, is_published=run.is_published,
        settings={
            "target": target.schema, "feeds": patterns, "wanted": wanted, "own_schemas": own_schemas | unique | sort,
        },
        configured=ticdc.feeds() | map(attribute="name") | list, catalogs=run.catalogs,
        published=run.published.models | reject("in", ticdc.outdated_storages(run.published)) | list,
        schema=latest.include(identifier=false) | string,
        alias="" if latest.identifier == "int_ticdc__latest" else latest.identifier,
        stored_from_rows=var("ticdc__stored_from_rows", 100000) | int,
    ))) %}
{% endmacro %}

{# What the run adds to storages of, and its state: `StorageRequest` in `typed/storages.py`. With the relation of the
   plans, only storages that stand beside it: one that somebody dropped is made with the relations that read it. #}
{% macro storage_request(standing_in=none) %}
    {% set state, models, storages, place = ticdc.state(), [], {}, standing_in %}
    {% for model in ["int_ticdc__changes", "int_ticdc__carried_rows"] %}
        {% set rows = state.models.get(ticdc.relation_name(model), {}) %}
        {% do models.append({"anew": rows.get("anew"), "since": rows.get("since", {})}) %}
    {% endfor %}
    {% for name, model in state.models.items() | list %}
        {% set is_storage = modules.re.fullmatch("ticdc__(typed|history)_[0-9a-f]{32}", name) %}
        {% if is_storage and (
            not place or adapter.get_relation(database=place.database, schema=place.schema, identifier=name)
        ) %}
            {% do storages.update({name: model}) %}
        {% endif %}
    {% endfor %}
    {# a table without key has no stored history #}
    {% set changes = ticdc.row_changes(ref("int_ticdc__carried_rows"), has_keyless_rows=false) %}
    {% set run_id = ticdc.run_id() | int %}
    {% do return({
        "run": {
            "run_id": run_id, "rows_of": ticdc.rows_of_histories(state), "models": models, "storages": storages,
            "is_refresh": ticdc.is_refresh(),
        },
        "written": {
            "run_id": run_id,
            "latest_rows": ticdc.rows_of(ref("int_ticdc__latest")),
            "changes": "(" ~ changes ~ ")",
            "history_of_changes": ticdc.row_history("changes", ticdc.rows_of(ref("int_ticdc__table_states"))),
        },
    }) %}
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
