{% macro typed_request() %}
    {% if not execute %}{% do return("{}") %}{% endif %}
    {% set memory, patterns, wanted = ticdc.memory(), {}, {} %}
    {% for feed in ticdc.feeds() if feed.target_schema %}
        {% do patterns.update({feed.name: feed.target_schema}) %}
        {% do wanted.update({feed.name: {"tables": feed.tables, "relations": feed.typed_relations}}) %}
    {% endfor %}
    {% set latest = ref("int_ticdc__latest") %}
    {% set published = {"models": fromjson(memory.get("published", "{}"))} %}
    {% do return(tojson({
        "settings": {"target": target.schema, "feeds": patterns, "own_schemas": ticdc.own_schemas(), "wanted": wanted},
        "run": ticdc.typed_run(),
        "rendering": ticdc.typed_rendering(),
        "mark": ticdc.typed_mark().name,
        "schema": latest.include(identifier=false) | string,
        "stored_from_rows": var("ticdc__stored_from_rows", 100000) | int,
        "configured": ticdc.feeds() | map(attribute="name") | list,
        "catalogs": memory.get("catalogs", []),
        "published": published.models | reject("in", ticdc.outdated_storages(published)) | list,
        "is_published": memory.get("is_published", false),
        "alias": "" if latest.identifier == "int_ticdc__latest" else latest.identifier,
    })) %}
{% endmacro %}
