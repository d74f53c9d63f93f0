{% macro first_runs(settled, progress) %}
    {% set feeds = ticdc.redriven_feeds(settled, progress) %}
    {% if not feeds and (settled.run_id or not flags.FULL_REFRESH) %}{% do return([]) %}{% endif %}
    {% do return(ticdc.rows_if_built(
        this,
        "select feed, to_json(array_sort(collect_list(struct(run_id, commit_ts)))) from ("
        ~ "select feed, first_run_id as run_id, max(max(commit_ts)) over (partition by feed order by first_run_id) as commit_ts from " ~ this
        ~ (" where feed in (" ~ ticdc.text_literals(feeds) ~ ")" if feeds else "") ~ " group by feed, first_run_id) group by feed order by feed"
    ) | list) %}
{% endmacro %}
