{% macro carried_since(known, moments) -%}
select
    carried.*,
    {% if known -%}
    coalesce(carried_before.first_run_id, carried.run_id) as first_run_id
    {%- else -%}
    run_id as first_run_id
    {%- endif %}
from carried
{%- if known %}
left join (
    select
        feed,
        commit_ts,
        row_key,
        {{ ticdc.carried_identity() }} as identity,
        min(first_run_id) as first_run_id
    from {{ known }} as known
    where cause <> 'new_columns' and ({{ ticdc.is_of_moments(moments, "commit_ts") }})
    group by all
) as carried_before
    on
        carried.feed = carried_before.feed
        and carried.commit_ts = carried_before.commit_ts
        and carried.row_key = carried_before.row_key
        and {{ ticdc.carried_identity() }} = carried_before.identity
{%- endif %}
{% endmacro %}
