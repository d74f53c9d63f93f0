{{ config(materialized="ticdc_append", replaces=true, partition_by=["batch_id"]) }}
{%- set seeds = ["ticdc__catalogue_problems", "ticdc__typed_reasons"] -%}
{%- set checksums = [] -%}
{%- for seed in seeds if execute and "nodes" in graph -%}
{%- do checksums.append(graph.nodes["seed.ticdc." ~ seed].checksum.checksum) -%}
{%- endfor %}
{{ ticdc.takes({"seeds": checksums | join(" ")}) }}
select
    'catalogue' as kind,
    code as reason,
    severity,
    code,
    description,
    remedy
from {{ ref("ticdc__catalogue_problems") }}

union all

select
    'typed' as kind,
    reason,
    severity,
    code,
    description,
    remedy
from {{ ref("ticdc__typed_reasons") }}
