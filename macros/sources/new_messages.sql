{% macro new_messages(feeds, staged) %}
    {% set found, in_relations = [], ticdc.feeds_of_kind("relation", feeds) %}
    {% if in_relations %}{% do found.append(ticdc.relation_messages(in_relations, staged.ranges)) %}{% endif %}
    {% do return(found | join("\nunion all\n")) %}
{% endmacro %}
