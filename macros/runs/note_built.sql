{% macro note_built(relation, has_written=false) %}
    {% set unbuilt = ticdc.state().setdefault("unbuilt", {}) %}
    {% do unbuilt.pop(relation.identifier, none) %}
    {% for table in (ticdc.tables_after(relation) if has_written else []) %}{% do unbuilt.update({table: true}) %}{% endfor %}
{% endmacro %}
