{% macro changes_progress(settled) %}
    {% set rows, progress = ref("int_ticdc__rows"), ticdc.settled(ref("int_ticdc__resolved_rows")) %}
    {% set catalogue, exported_rows = ref("int_ticdc__catalogue"), ref("int_ticdc__exported_rows") %}
    {% set loads = ticdc.initial_loads(exported_rows) if execute else [] %}
    {% set of = {"catalogue": ticdc.batches(catalogue), "others": local_md5(tojson([progress, loads, ticdc.views_key()]))} %}
    {# a taken load can only have changed with the versions of its table #}
    {% set may_be_changed = loads and settled.get("loaded") and settled.get("of", {}).get("catalogue") != of.catalogue %}
    {% set query %}
    {% if loads -%}
    with loads as (

        {{ ticdc.loads_with_tables(loads, settled.get("loaded", {})) }}

    )
    {% endif %}
    select ticdc_changes_progress(arrivals, loads, {{ ticdc.text_literals([tojson(settled), tojson(progress), ticdc.run_id()]) }})
    from (
        select to_json(collect_list(struct(*))) as arrivals
        from (
            {{ ticdc.arrivals_by_feed(settled, progress, rows, "feed in (select feed from loads where is_changed)" if may_be_changed else none) }}
        )
    )
    cross join (select {{ "to_json(collect_list(struct(*))) as loads from loads" if loads else "'[]' as loads" }})
    {% endset %}
    {% set found = ticdc.rows_if_built(rows, query) if settled.of != of else [] %}
    {% if found %}
        {% set found = fromjson(found[0][0]) %}
        {% do found.progress.update({"of": of}) %}
        {% do return(found) %}
    {% endif %}
    {% do return({
        "progress": settled, "loads": [], "first_commit_ts": 0, "has_keyless_rows": false, "first_keyless_commit_ts": 0, "is_exact": true,
        "waits_for_cells": [false], "may_be_doubled": false, "is_mixed": false,
    }) %}
{% endmacro %}
