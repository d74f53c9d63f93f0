{% macro join_first_runs(rows, known, identity, condition) -%}
left join (
    select
        feed,
        commit_ts,
        row_key,
        {{ identity }} as identity,
        min(first_run_id) as first_run_id
    from {{ known }} as known
    where {{ condition }}
    group by all
) as known_before
    on
        {{ rows }}.feed = known_before.feed
        and {{ rows }}.commit_ts = known_before.commit_ts
        and {{ rows }}.row_key = known_before.row_key
        and {{ identity }} = known_before.identity
{%- endmacro %}
