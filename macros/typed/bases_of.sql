{% macro bases_of(table, kind) %}
    {% if kind == "view" %}{% do return([ref("int_ticdc__newest_rows")]) %}{% endif %}
    {% if kind == "history_view" %}{% do return([ref("int_ticdc__keyless_history") if table.is_keyless else ref("int_ticdc__keyed_history")]) %}{% endif %}
    {% do return([ref("int_ticdc__keyless_changes") if table.is_keyless else ref("int_ticdc__keyed_changes"), ref("int_ticdc__typed_bounds")]) %}
{% endmacro %}
