{% macro stored_history(table, columns) %}
    {#- a run is published with what is stored of it: to find nothing would be to lose rows -#}
    {%- set missing = "ticdc: the rows of " ~ table.history_storage ~ " are not published: build int_ticdc__typed_plans, which stores them anew" -%}
    {%- set batches = ticdc.stored_batches(table.history_storage, "raise_error(" ~ ticdc.text_literal(missing) ~ ")") -%}
    select
        {% for column in columns -%}
        stored.{{ column }}{{ "," if not loop.last }}
        {% endfor -%}
    from {{ table.history_storage }} as stored
    left anti join (
        select distinct
            table_incarnation,
            row_key,
            generation,
            replaces_from_ts
        from {{ table.history_storage }}
        where array_contains({{ ticdc.published_batches(ticdc.storage_name(table.history_storage), "later_batches") }}, generation)
    ) as later
        on
            stored.table_incarnation = later.table_incarnation
            and stored.row_key = later.row_key
            and stored.generation < later.generation
            and (stored.valid_to_ts is null or stored.valid_to_ts >= later.replaces_from_ts)
    where
        array_contains({{ batches }}, stored.generation)
        and stored.valid_from_ts is not null
{% endmacro %}
