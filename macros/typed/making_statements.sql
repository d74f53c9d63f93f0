{% macro making_statements(change, standing) %}
    {% set mark = ticdc.typed_mark() %}
    {% set properties = "tblproperties ('" ~ mark.name ~ "' = '" ~ mark.value ~ "')" %}
    {% set stands = standing.get(ticdc.relation_key(change.kind, change.relation)) %}
    {% if not change.query %}
        {% do return(change.before) %}
    {% elif change.kind == "as_of_function" %}
        {% do return(change.before + [
            "create or replace function " ~ change.relation ~ "(tso bigint) returns table comment '" ~ mark.name ~ "=" ~ mark.value ~ "' return "
            ~ change.query
        ]) %}
    {% elif not stands %}
        {% do return(change.before + ["create view " ~ change.relation ~ " " ~ properties ~ " as " ~ change.query]) %}
    {% endif %}
    {# `create or replace view` drops the view first, so that readers would miss it #}
    {% set marking = ["alter view " ~ change.relation ~ " set " ~ properties] if stands == "unmarked" else [] %}
    {% do return(change.before + ["alter view " ~ change.relation ~ " as " ~ change.query] + marking) %}
{% endmacro %}
