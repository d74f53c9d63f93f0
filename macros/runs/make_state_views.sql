{% macro make_state_views(state) %}
    {% set built = [] %}
    {% for model in ticdc.stored_models() %}
        {% set relation = ticdc.relation_of(model) %}
        {% if relation %}{% do built.append(relation | string) %}{% endif %}
    {% endfor %}
    {% for model in ["int_ticdc__publication", "int_ticdc__run"] %}
        {% set existing = ticdc.relation_of(model) %}
        {% if built and not existing %}
            {% do ticdc.refuse_run(
                "the view " ~ model ~ " is gone, and nothing else tells which rows of these tables count: " ~ built | join(", ")
                ~ ". Drop them, if the source has all messages, or rename them: what is decoded is in those of staging"
            ) %}
        {% endif %}
        {% if not existing %}
            {% set node = graph.nodes["model.ticdc." ~ model] %}
            {% set relation = api.Relation.create(schema=node.schema, identifier=node.alias, type="view") %}
            {% do run_query("create view " ~ relation ~ " tblproperties ('ticdc.package' = 'ticdc') as " ~ ticdc.state_view(state)) %}
            {% do adapter.cache_added(relation) %}
        {% endif %}
    {% endfor %}
{% endmacro %}
