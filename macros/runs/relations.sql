{# The number of this run: its start in microseconds since 1970. #}
{% macro run_id() -%}
    {{ (run_started_at.timestamp() * 1000000) | int }}
{%- endmacro %}

{# Says whether `--full-refresh` makes the tables after staging anew. #}
{% macro is_refresh() %}
    {# the flag alone: dbt's should_full_refresh() asks the configuration of a model first, which any project may give
       for all of them #}
    {% do return(flags.FULL_REFRESH | default(false, true)) %}
{% endmacro %}

{# Gives the relation of a model, without depending on the model; none where there is none yet. #}
{% macro relation_of(model) %}
    {% if not execute %}{% do return(none) %}{% endif %}
    {# ref() would make the asking model depend on it, and it depends on the asking model #}
    {% set node = graph.nodes["model.ticdc." ~ model] %}
    {% do return(adapter.get_relation(database=node.database, schema=node.schema, identifier=node.alias)) %}
{% endmacro %}

{# Gives the relation of a model as it is before this run; none where all messages are decoded again. #}
{% macro relation_before(model) %}
    {% do return(none if var("ticdc__redecode", false) else ticdc.relation_of(model)) %}
{% endmacro %}

{# Gives the name of a model in the database. #}
{% macro relation_name(model) %}
    {# where dbt parses, and in its unit tests, the graph is empty #}
    {% do return(graph.nodes["model.ticdc." ~ model].alias if execute and "nodes" in graph else model) %}
{% endmacro %}

{# Gives the staging table of a protocol, also of one that no feed has now: its model is disabled, dbt tells nothing of
   it, and its table may hold messages of feeds that had it. #}
{% macro staged_relation(protocol) %}
    {% set name = "stg_ticdc__" ~ protocol %}
    {% set known = graph.nodes["model.ticdc.stg_ticdc__" ~ ticdc.protocols_in_use()[0]] %}
    {% set node = graph.nodes.get("model.ticdc." ~ name) %}
    {# a version of the package that did not note where it is gave it its own name #}
    {% set noted = ticdc.state().get("staged", {}).get(protocol) or [known.schema, name] %}
    {% set schema, alias = [node.schema, node.alias] if node else noted %}
    {% do return(api.Relation.create(database=known.database, schema=schema, identifier=alias)) %}
{% endmacro %}

{# Gives the models of the package that store rows, by name. #}
{% macro stored_models() %}
    {% set found, others = [], ["ticdc_view", "ticdc_table_function", "ticdc_state", "ticdc_log"] %}
    {% for node in graph.nodes.values() if node.package_name == "ticdc" and node.resource_type == "model" %}
        {% do found.append(node.name) if node.config.materialized not in others %}
    {% endfor %}
    {% do return(found | sort) %}
{% endmacro %}

{# Says whether a model of the package can be asked: not where dbt compiles before the first build, and not in a unit
   test, where the model is a query. #}
{% macro is_built(relation) %}
    {% do return(execute and not ticdc.is_query(relation) and load_cached_relation(relation) is not none) %}
{% endmacro %}
