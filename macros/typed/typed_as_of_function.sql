{% macro typed_as_of_function(table) %}
    {%- set past = ticdc.past_of(table) -%}
    {%- set columns = past.columns | map(attribute="stored_as") | list + ["commit_ts", "lossy"] -%}
    {#- of all tables beside this one, which `typed_rows` leaves out -#}
    {%- set live_changes = "(select * from " ~ ticdc.base_of(table, "as_of_function") ~ " where live_from_ts <= tso and coalesce(live_to_ts > tso, true))" -%}
    {%- set rows = "(" ~ ticdc.ranked_first(ticdc.changes_as_of("tso", live_changes)) ~ ")" -%}
    {#- what a DDL made of the columns of a row is in no history #}
    {%- set is_stored = table.history_storage and not table.past_columns and not table.left_behind -%}
    select
        {{ ticdc.named_columns(past, ["commit_ts"]) }}
    from (
        {% if is_stored -%}
        select
            versions.{{ columns | join(", versions.") }}
        from (
            {{ ticdc.stored_history(table, columns + ["valid_from_ts", "valid_to_ts"]) }}
        ) as versions
        inner join (
            {{ ticdc.bounds_as_of("tso") }}
        ) as bounds
            on
                bounds.feed = {{ ticdc.text_literal(table.feed) }}
                and versions.valid_from_ts <= bounds.as_of_ts
        where coalesce(versions.valid_to_ts > tso, true)
        {%- else -%}
        select
            {{ columns | join(", ") }}
        from (
            {{ ticdc.typed_rows(past, rows, [], ["row_key"], "tso") }}
        )
        {%- endif %}
    )
{% endmacro %}
