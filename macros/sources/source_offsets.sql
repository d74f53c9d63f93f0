{% macro source_offsets(feeds) %}
    {% set found, in_relations, in_files = [], ticdc.feeds_of_kind("relation", feeds), ticdc.feeds_of_kind("files", feeds) %}
    {% if in_relations %}{% do found.append(ticdc.relation_offsets(in_relations)) %}{% endif %}
    {% if in_files %}{% do found.append(ticdc.file_offsets(in_files)) %}{% endif %}
    {% do return(found | join("\nunion all\n")) %}
{% endmacro %}
