{{ config(pre_hook="{{ ticdc.remember_typed_tables() }}") }}
{%- set made = [
    ref("int_ticdc__typed_views"),
    ref("int_ticdc__typed_histories"),
    ref("int_ticdc__typed_functions"),
] -%}
{{ ticdc.newest_plans(ref("int_ticdc__typed_plans")) }}
