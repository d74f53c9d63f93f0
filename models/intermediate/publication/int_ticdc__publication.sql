{{ config(materialized="ticdc_state") }}
{#- after all stored tables whose rows it shows readers: these are what `note_built` counts -#}
{%- set models, feeds = [
    "int_ticdc__exported_rows", "int_ticdc__claim_checks", "int_ticdc__staged_runs", "int_ticdc__seen_tables",
    "int_ticdc__catalogue", "int_ticdc__resolved_rows", "int_ticdc__changes", "int_ticdc__carried_rows",
    "int_ticdc__latest", "int_ticdc__table_states", "int_ticdc__typed_storages",
], ticdc.feeds() -%}
{%- for protocol in ticdc.protocols_in_use() -%}
{%- do models.append("stg_ticdc__" ~ protocol) -%}
{%- endfor -%}
{%- do models.append("int_ticdc__writer_schemas") if feeds | selectattr("schemas", "string") | list -%}
{%- for reads in feeds | map(attribute="reads") | unique -%}
{%- do models.append("int_ticdc__files") if reads == "files" -%}
{%- do models.append("int_ticdc__kafka_offsets") if reads in ["kafka", "kept"] -%}
{%- do models.append("int_ticdc__kept_messages") if reads == "kept" -%}
{%- endfor -%}
{% for model in models -%}
-- depends_on: {{ ref(model) }}
{% endfor -%}
{{ ticdc.state_view(ticdc.state()) }}
