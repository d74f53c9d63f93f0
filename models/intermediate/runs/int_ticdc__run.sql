{{ config(materialized="ticdc_state") }}
{{ ticdc.state_view(ticdc.state()) }}
