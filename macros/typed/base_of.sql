{% macro base_of(table, kind) %}
    {% if kind == "view" %}{% do return(ref("int_ticdc__newest_rows")) %}{% endif %}
    {% if not table.is_keyless %}{% do return(ref("int_ticdc__keyed_history") if kind == "history_view" else ref("int_ticdc__keyed_changes")) %}{% endif %}
    {% set changes = ref("int_ticdc__row_changes") %}
    {% do return("(" ~ (ticdc.row_history(changes) if kind == "history_view" else ticdc.live_changes(changes)) ~ ")") %}
{% endmacro %}
