{% macro carried_since(known, ddl_commits) -%}
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
    "carried", known, "xxhash64(table_id, table_incarnation, op, cause, row_commit_ts, before, after)",
    "cause <> 'new_columns' and (" ~ ticdc.is_of_ddl_commits(ddl_commits, "commit_ts") ~ ")"
) }}
{%- endif %}
{% endmacro %}
