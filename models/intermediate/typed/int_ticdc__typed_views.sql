{{ config(materialized="ticdc_typed_relations", kind="view") }}
-- depends_on: {{ ref("int_ticdc__typed_plans") }}
-- depends_on: {{ ref("int_ticdc__publication") }}
-- depends_on: {{ ref("int_ticdc__latest") }}
-- depends_on: {{ ref("int_ticdc__newest_rows") }}
select '{{ config.get("kind") }}' as kind
