{% macro carried_since(known, moments) -%}
select
    carried.*,
    {% if known -%}
    coalesce(known_before.first_run_id, carried.run_id) as first_run_id
    {%- else -%}
    run_id as first_run_id
    {%- endif %}
from carried
{%- if known %}
{{ ticdc.join_first_runs(
    "carried", known, ticdc.carried_identity(), "cause <> 'new_columns' and (" ~ ticdc.is_of_moments(moments, "commit_ts") ~ ")"
) }}
{%- endif %}
{% endmacro %}
