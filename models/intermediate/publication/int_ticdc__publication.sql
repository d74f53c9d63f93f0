{{ config(materialized="ticdc_state") }}
{% for model in ticdc.published_models() -%}
-- depends_on: {{ ref(model) }}
{% endfor -%}
{{ ticdc.state_view(ticdc.state()) }}
