{% macro arrivals_by_feed(settled, progress, rows, also=none) %}
{%- set staged_runs = ref("int_ticdc__staged_runs") -%}
{%- set redriven = ticdc.redriven_feeds(settled, progress) -%}
{%- set marks = ticdc.staged_marks() -%}
{%- if ticdc.is_keyed_anew() != "false" or marks.some_wait or marks.redriven_run_id is not none %}
select
    feed,
    min(commit_ts) as first_commit_ts,
    min(if(is_keyless, commit_ts, null)) as first_keyless_commit_ts,
    bool_or(op = 'update') as some_are_updates,
    bool_or(not commit_ts_exact) as some_are_inexact,
    bool_or(commit_ts_exact) as some_are_exact,
    bool_or(not waits_for_cells) as some_are_whole,
    bool_or(waits_for_cells) as some_wait_for_cells,
    {{ marks.some_have_gaps }} as some_may_be_doubled
from {{ rows }}
where {{ ticdc.is_unsettled_event(settled, progress, also) }}
group by feed
{%- else %}
select
    feed,
    min(first_commit_ts) as first_commit_ts,
    min(first_keyless_commit_ts) as first_keyless_commit_ts,
    bool_or(some_are_updates) as some_are_updates,
    bool_or(some_are_inexact) as some_are_inexact,
    {% if marks.some_are_inexact %}bool_or(exact_feeds.is_exact) is not null as some_are_exact,{% endif %}
    bool_or(some_are_whole) as some_are_whole,
    bool_or(some_wait_for_cells) as some_wait_for_cells,
    bool_or(not is_gapless) as some_may_be_doubled
from {{ ticdc.rows_of(staged_runs) }} as staged_runs
{%- if marks.some_are_inexact %}
-- runs note whether some rows lack their commit, not whether all do
left join (
    select distinct feed, true as is_exact from {{ ref("int_ticdc__events") }}
    where kind = 'row' and commit_ts_exact and {{ ticdc.is_unsettled_event(settled, progress, also) }}
) as exact_feeds using (feed)
{%- endif %}
where
    protocol in ({{ ticdc.text_literals([""] + ticdc.protocols_in_use()) }})
    and (
        run_id > {{ settled.run_id }}
        {%- if settled.bounds %}
        or last_commit_ts > {{ ticdc.of_feed(settled.bounds) }}
        {%- endif %}
        {%- if redriven %}
        or feed in ({{ ticdc.text_literals(redriven) }})
        {%- endif %}
        {%- if also %}
        or {{ also }}
        {%- endif %}
    )
group by feed
having
    min(first_commit_ts) is not null
    {%- if progress.bounds %}
    and {{ ticdc.is_within("min(first_commit_ts)", progress.bounds) }}
    {%- endif %}
{%- endif %}
{% endmacro %}
