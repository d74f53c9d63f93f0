{% macro source_relation(feed) %}
    {% set messages = source("ticdc", "messages") %}
    {% if not feed.source.relation %}{% do return(messages) %}{% endif %}
    {% set parts = [] %}
    {% for part in feed.source.relation.split(".") %}{% do parts.append(ticdc.identifier(part)) %}{% endfor %}
    {# a name may have three parts, of which dbt-spark knows two #}
    {% do return(api.Relation.create(schema=parts[:-1] | join(".") or none, identifier=parts[-1]).replace(limit=messages.limit)) %}
{% endmacro %}
