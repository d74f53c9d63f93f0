{% macro latest_state() %}
    {% set settled, now = ticdc.settled(), ticdc.run_id() | int %}
    {% set changes, carried_rows = ref("int_ticdc__changes"), ref("int_ticdc__carried_rows") %}
    {% set redriven = ticdc.settled(changes).get("redriven", {}) %}
    {% for feed, run_id in ticdc.settled(carried_rows).get("redriven", {}).items() %}
        {% do redriven.update({feed: [run_id, redriven.get(feed, 0)] | max}) %}
    {% endfor %}
    {% set query %}
    select ticdc_latest_state(to_json(struct(*)), {{ ticdc.text_literals([tojson(settled), tojson(redriven)]) }})
    from (
        select count(*) as arrivals, min(commit_ts) as first_commit_ts, max(late_run_id) as late_run_id
        from ({{ ticdc.row_changes(carried_rows, settled.run_id) }})
        where run_id > {{ settled.run_id }}
    )
    cross join (
        select
            count_if(generation = {{ settled.get("base", 0) }}) as base_rows,
            count_if(generation > {{ settled.get("base", 0) }}) as later_rows,
            max(commit_ts) as last_commit_ts
        from {{ ticdc.rows_of(this) }}
    )
    {% endset %}
    {% set state = {"run_id": 0, "merge": true, "late": false, "redriven": [], "nothing_new": false} %}
    {% set is_idle = not (ticdc.has_news([changes, carried_rows], settled.run_id) or ticdc.redriven_feeds(settled, {"redriven": redriven})) %}
    {% if settled.get("base") and is_idle %}
        {% do state.update({"run_id": settled.run_id, "merge": false, "nothing_new": true}) %}
    {% elif settled.get("base") %}
        {% do state.update(fromjson(ticdc.asked(query, [changes, carried_rows, this])[0][0])) %}
    {% endif %}
    {% set noted = {"run_id": now, "base": now if state.merge else settled.base, "redriven": redriven} %}
    {% do return(dict(state, settled=settled if state.nothing_new else noted)) %}
{% endmacro %}
