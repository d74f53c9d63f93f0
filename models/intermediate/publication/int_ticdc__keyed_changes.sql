{% set carried_rows = ref("int_ticdc__carried_rows") -%}
{% set changes = ticdc.row_changes(carried_rows, has_keyless_rows=false, of_publication=true) -%}
{{ ticdc.live_changes("(" ~ changes ~ ")") }}
