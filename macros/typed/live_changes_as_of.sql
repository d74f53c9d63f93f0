{% macro live_changes_as_of(table) -%}
    {%- set changes = ticdc.base_of(table, "as_of_function") -%}
    {%- set live_changes = "(select * from " ~ changes ~ " where live_from_ts <= tso and coalesce(live_to_ts > tso, true))" -%}
    {{ ticdc.ranked_first(ticdc.changes_as_of("tso", live_changes)) }}
{%- endmacro %}
