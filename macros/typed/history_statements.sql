{% macro history_statements(table) %}
    {% set history, past = table.history, ticdc.past_of(table) %}
    {% if not history or history.since is none %}{% do return([]) %}{% endif %}
    {# who asks for the rows that are there reads a part of each file #}
    {% set sorted = ["valid_to_ts is not null"] + ticdc.stored_keys(table, past.columns) %}
    {% set carried = ticdc.history_columns() + ["table_incarnation", "replaces_from_ts"] %}
    {% set rows = ticdc.typed_rows(past, ticdc.versions_to_store(table, history.since), [], carried, "valid_from_ts") %}
    {% set empty = "select *, cast(0 as bigint) as generation from (" ~ rows ~ ") where false" %}
    {% set making = ["drop table if exists " ~ history.storage, ticdc.new_storage(history.storage, empty)] if history.is_made else [] %}
    {% do return(making + [ticdc.written_batch(history.storage, ticdc.run_id(), ticdc.sorted_rows(rows, sorted))]) %}
{% endmacro %}
