{% macro check_run(models) %}
    {% set variables, protocols, missing_seeds, deferred = ticdc.variables(), {}, [], [] %}
    {% for protocol in ticdc.protocols() %}
        {% do protocols.update({protocol: ticdc.protocol_macro(protocol, "options")()}) %}
    {% endfor %}
    {% for model in models %}
        {% for id in graph.nodes["model.ticdc." ~ model].depends_on.nodes if id.startswith("seed.ticdc.") and id not in selected_resources %}
            {% set seed = graph.nodes[id] %}
            {% if not adapter.get_relation(database=seed.database, schema=seed.schema, identifier=seed.alias) %}
                {% do missing_seeds.append(seed.name) %}
            {% endif %}
        {% endfor %}
    {% endfor %}
    {% set args = invocation_args_dict %}
    {% for model in ticdc.stored_models() if args.get("defer") and model not in models and (args.get("favor_state") or not ticdc.relation_of(model)) %}
        {% do deferred.append(model) %}
    {% endfor %}
    {% set request = {
        "variables": variables, "protocols": protocols, "relations": ticdc.source_relations(), "models": models, "stored": ticdc.stored_models(),
        "missing_seeds": missing_seeds, "is_full_refresh": ticdc.is_refresh(),
        "deferred": deferred, "settings": ticdc.memory().settings + ticdc.settings_of_hooks(models),
        "configured": ticdc.configured_nodes("model") + ticdc.configured_nodes("seed"),
    } %}
    {% do ticdc.check_request(request) %}
{% endmacro %}
