{% macro latest_state() %}
    {% set settled, now = ticdc.settled(), ticdc.run_id() | int %}
    {% set changes, carried_rows = ref("int_ticdc__changes"), ref("int_ticdc__carried_rows") %}
    {% set progress = ticdc.settled(changes) %}
    {% set state = {
        "run_id": 0, "merge": true, "late": false, "redriven": [], "nothing_new": false,
        "settled": {"run_id": now, "base": now, "redriven": progress.get("redriven", {})},
    } %}
    {% if not settled.get("base") %}{% do return(state) %}{% endif %}
    {% set arrivals = [0, none, none] if not ticdc.has_news([changes, carried_rows], settled.run_id) else ticdc.asked(
        "select count(*), min(commit_ts), max(late_run_id) from ("
        ~ ticdc.row_changes(carried_rows, settled.run_id) ~ ") where run_id > " ~ settled.run_id,
        [changes, carried_rows]
    )[0] %}
    {# a late change of a bag numbers its copies anew: all is built again #}
    {% if (arrivals[2] or 0) > settled.run_id %}{% do return(state) %}{% endif %}
    {% set redriven = ticdc.redriven_feeds(settled, progress) %}
    {% do state.update({"run_id": settled.run_id, "redriven": redriven, "merge": redriven | length > 0}) %}
    {% if arrivals[0] %}
        {% set counted = run_query(
            "select count_if(generation = " ~ settled.base ~ "), count_if(generation > " ~ settled.base ~ "), max(commit_ts) from "
            ~ ticdc.rows_of(this)
        ).rows[0] %}
        {% do state.update({
            "merge": redriven | length > 0 or (counted[1] + arrivals[0]) * 4 > counted[0],
            "late": counted[2] is not none and arrivals[1] <= counted[2],
        }) %}
    {% endif %}
    {% if not state.merge %}
        {% do state.update({
            "nothing_new": arrivals[0] == 0,
            "settled": dict(settled, run_id=now) if arrivals[0] else settled,
        }) %}
    {% endif %}
    {% do return(state) %}
{% endmacro %}
