{% macro latest_state() %}
    {% set state = {"run_id": 0, "base": ticdc.run_id() | int, "merge": false, "late": false, "redriven": [], "settled": {}} %}
    {% set settled = ticdc.settled() %}
    {% if settled.get("base") %}
        {% set counted = run_query(
            "select count_if(generation = " ~ settled.base ~ "), count_if(generation > " ~ settled.base ~ "), max(commit_ts) from " ~ this
        ).rows[0] %}
        {% set arrivals = run_query(
            "select count(*), min(commit_ts), max(late_run_id), max(run_id) from ("
            ~ ticdc.row_changes(ref("int_ticdc__carried_rows"), settled.run_id) ~ ") where run_id > " ~ settled.run_id
        ).rows[0] %}
        {# a late change of a bag numbers its copies anew: all is built again #}
        {% if (arrivals[2] or 0) > settled.run_id %}{% do return(state) %}{% endif %}
        {% set redriven = ticdc.redriven_feeds(settled, ticdc.settled(ref("int_ticdc__changes"))) %}
        {% do state.update({
            "redriven": redriven,
            "run_id": settled.run_id,
            "base": settled.base,
            "merge": redriven | length > 0 or (arrivals[0] > 0 and (counted[1] + arrivals[0]) * 4 > counted[0]),
            "late": arrivals[0] > 0 and arrivals[1] <= counted[2],
        }) %}
        {% if not state.merge %}
            {% do state.update({
                "settled": settled if not arrivals[0] else dict(settled, run_id=arrivals[3] | int, last=ticdc.run_id() | int),
            }) %}
        {% endif %}
    {% endif %}
    {% do return(state) %}
{% endmacro %}
