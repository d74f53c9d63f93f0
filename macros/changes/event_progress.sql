{% macro event_progress(settled) %}
    {% set catalogue = ref("int_ticdc__catalogue") %}
    {% set staged_runs, visibility = ref("int_ticdc__staged_runs"), var("ticdc__visibility", "complete") %}
    {% set of = local_md5(tojson([ticdc.batches(staged_runs), ticdc.batches(catalogue), visibility, ticdc.views_key()])) %}
    {% set ddl_feeds = ticdc.feeds_whose_protocol("sends_ddl", true) | map(attribute="name") | list %}
    {% set query %}
    select ticdc_event_progress(
        to_json(collect_list(struct(*))),
        {{ ticdc.text_literals([tojson(settled), tojson({"is_bounded": visibility == "complete", "ddl_feeds": ddl_feeds})]) }}
    )
    from (
        select
            feed, max(complete_through_ts) as complete_through_ts, max(last_run_id) as last_run_id,
            max(redriven_run_id) as redriven_run_id
        from {{ ref("int_ticdc__completeness") }}
        group by feed
    )
    left join (
        select
            feed, min(first_row_ts) as first_row_ts, max(last_row_ts) as last_row_ts, min(first_ddl_ts) as first_ddl_ts,
            max(last_ddl_ts) as last_ddl_ts
        from {{ ticdc.rows_of(staged_runs) }}
        where run_id > {{ settled.run_id }}
        group by feed
    ) using (feed)
    {% endset %}
    {% set rows = ticdc.rows_if_built(staged_runs, query) if settled.of != of else [] %}
    {% if not rows %}{% do return(settled) %}{% endif %}
    {% set found = fromjson(rows[0][0]) %}
    {% set progress = dict(found.progress, of=of, catalogue=ticdc.batches(catalogue)) %}
    {% for row in (run_query(ticdc.events_out_of_order(found.suspects, settled.run_id)).rows if found.suspects else []) %}
        {% do progress.redriven.update({row[0]: progress.run_id}) %}
    {% endfor %}
    {% for feed in ticdc.feeds_shown_otherwise(settled) %}
        {# one that is made anew for its dead letters is no other for its DDL #}
        {% if progress.redriven.get(feed, 0) == settled.get("redriven", {}).get(feed, 0) %}
            {% do progress.late.update({feed: ticdc.run_id() | int}) %}
        {% endif %}
        {% do progress.redriven.update({feed: ticdc.run_id() | int}) %}
    {% endfor %}
    {% do return(progress) %}
{% endmacro %}
