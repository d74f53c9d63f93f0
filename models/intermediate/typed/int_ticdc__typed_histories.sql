{{ config(materialized="ticdc_typed_relations", kind="history_view") }}
-- depends_on: {{ ref("int_ticdc__typed_plans") }}
-- depends_on: {{ ref("int_ticdc__publication") }}
-- depends_on: {{ ref("int_ticdc__keyed_history") }}
-- depends_on: {{ ref("int_ticdc__row_changes") }}
-- depends_on: {{ ref("int_ticdc__table_states") }}
select '{{ config.get("kind") }}' as kind
