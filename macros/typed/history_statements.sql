{% macro history_statements(table) %}
    {% set history, past = table.history, ticdc.past_of(table) %}
    {% if not history or history.since is none %}{% do return([]) %}{% endif %}
    {# who asks for the rows that are there reads a part of each file #}
    {% set sorted = ["valid_to_ts is not null"] + ticdc.stored_keys(table, past.columns) %}
    {% set carried = ticdc.history_columns() + ["table_incarnation", "replaces_from_ts"] %}
    {% set rows = ticdc.typed_rows(past, ticdc.versions_to_store(table, history.since), [], carried, "valid_from_ts") %}
    {% if not history.is_made %}{% do return([ticdc.written_batch(history.storage, ticdc.run_id(), ticdc.sorted_rows(rows, sorted))]) %}{% endif %}
    {% set batch = "select *, cast(" ~ ticdc.run_id() ~ " as bigint) as generation from (" ~ rows ~ ")" %}
    {% set sorted_batch = ticdc.sorted_rows(batch, ["generation"] + sorted) %}
    {% do return(["drop table if exists " ~ history.storage, ticdc.new_storage(history.storage, sorted_batch)]) %}
{% endmacro %}
