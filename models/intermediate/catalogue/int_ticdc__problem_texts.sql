{{ config(materialized="ticdc_snapshot", partition_by=["batch_id"]) }}
{%- set seeds = ["ticdc__catalogue_problems", "ticdc__typed_reasons"] -%}
{%- do ticdc.to_settle({"seeds": ticdc.seed_checksums(seeds)}) %}

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
