{% macro published_models() %}
    {% set models = [
        "int_ticdc__exported_rows", "int_ticdc__claim_checks", "int_ticdc__staged_runs", "int_ticdc__seen_tables", "int_ticdc__catalogue",
        "int_ticdc__resolved_rows", "int_ticdc__changes", "int_ticdc__carried_rows",
        "int_ticdc__latest", "int_ticdc__table_states", "int_ticdc__typed_storages",
    ] %}
    {% for protocol in ticdc.protocols_in_use() %}{% do models.append("stg_ticdc__" ~ protocol) %}{% endfor %}
    {% if ticdc.feeds() | selectattr("schemas", "string") | list %}{% do models.append("int_ticdc__writer_schemas") %}{% endif %}
    {% if ticdc.feeds_of_kind("files", ticdc.feeds()) %}{% do models.append("int_ticdc__files") %}{% endif %}
    {% if ticdc.feeds_of_kind("kafka", ticdc.feeds()) %}{% do models.append("int_ticdc__kafka_offsets") %}{% endif %}
    {% if ticdc.kafka_feeds(ticdc.feeds(), are_kept=true) %}{% do models.append("int_ticdc__kept_messages") %}{% endif %}
    {% do return(models) %}
{% endmacro %}
