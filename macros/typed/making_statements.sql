{% macro making_statements(table, change, standing) %}
    {% if change.kind == "history_storage" %}{% do return(ticdc.history_statements(table)) %}{% endif %}
    {% set written = ticdc.typed_storage(table) if change.is_written else [] %}
    {% if not change.is_other %}{% do return(written) %}{% endif %}
    {% set mark, query, stands = ticdc.typed_mark(), ticdc.typed_query(table, change.kind), standing.get(change.key) %}
    {% set properties = "tblproperties ('" ~ mark.name ~ "' = '" ~ mark.value ~ "')" %}
    {% if change.kind == "as_of_function" %}
        {% do return(written + [
            "create or replace function " ~ change.relation ~ "(tso bigint) returns table comment '" ~ mark.name ~ "=" ~ mark.value ~ "' return " ~ query
        ]) %}
    {% elif not stands %}
        {% do return(written + ["create view " ~ change.relation ~ " " ~ properties ~ " as " ~ query]) %}
    {% endif %}
    {# `create or replace view` drops the view first, so that readers would miss it #}
    {% set marking = ["alter view " ~ change.relation ~ " set " ~ properties] if stands == "unmarked" else [] %}
    {% do return(written + ["alter view " ~ change.relation ~ " as " ~ query] + marking) %}
{% endmacro %}
