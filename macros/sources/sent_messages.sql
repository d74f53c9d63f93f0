{% macro sent_messages(feeds, positions) %}
    {% set found, in_relations = [], ticdc.feeds_of_kind("relation", feeds) %}
    {% if in_relations %}{% do found.append(ticdc.relation_messages(in_relations)) %}{% endif %}
    {% do return(found | join("\nunion all\n")) %}
{% endmacro %}
