{% macro history_statements(table) %}
    {% set history = table.history %}
    {% if not history or history.since is none %}{% do return([]) %}{% endif %}
    {% set past = ticdc.past_of(table) %}
    {# who asks for the rows that are there, or for a key, reads a part of each file #}
    {% set sorted = ["valid_to_ts is not null"] %}
    {% for column in past.columns if column.name in table.key_columns %}{% do sorted.append(column.stored_as) %}{% endfor %}
    {% set carried = ticdc.history_columns() + ["table_incarnation", "replaces_from_ts"] %}
    {% set rows = ticdc.typed_rows(past, ticdc.versions_to_store(table, history.since), [], carried, "valid_from_ts") %}
    {% set empty = "select *, cast(0 as bigint) as generation from (" ~ rows ~ ") where false" %}
    {% do return((ticdc.new_storage(history.storage, empty) if history.is_made else []) + [
        "insert overwrite table " ~ history.storage ~ " partition (generation = " ~ ticdc.run_id() ~ ") select * from (" ~ rows
        ~ ") sort by " ~ sorted | join(", ")
    ]) %}
{% endmacro %}
