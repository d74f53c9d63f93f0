{% macro history_to_store(table, storage) %}
    {% set state, now = ticdc.state(), ticdc.run_id() | int %}
    {% set made_of = [table.lives] %}
    {% for model in ["int_ticdc__changes", "int_ticdc__carried_rows"] %}
        {% set rows = state.models.get(ticdc.relation_name(model), {}) %}
        {% do made_of.append([rows.get("anew"), rows.get("since", {}).get(table.feed)]) %}
    {% endfor %}
    {% set known = state.models.get(ticdc.storage_name(storage), {"batches": [], "settled": {}}) %}
    {% set settled = {"run_id": now, "made_of": made_of, "rows_of": ticdc.rows_of_histories(state)} %}
    {% set is_stored = known.settled.get("run_id") == now and known.settled.get("rows_of") == settled.rows_of %}
    {% if is_stored %}{% do return({"batches": known.batches, "settled": known.settled, "since": none}) %}{% endif %}
    {% set whole = {"batches": [[now, 0]], "settled": settled, "since": 0, "is_made": known.batches == []} %}
    {% if known.settled.get("made_of") != made_of or should_full_refresh() %}{% do return(whole) %}{% endif %}
    {% set base = known.batches[0][0] %}
    {% set is_changed = known.settled.rows_of != settled.rows_of and table.last_generation > known.settled.run_id %}
    {% set counted = [0, 0, 0] if not is_changed else run_query(
        "select count_if(generation = " ~ base ~ "), count_if(generation <> " ~ base ~ "), (" ~ ticdc.arrived_changes(table, known.settled.run_id)
        ~ ") from " ~ storage ~ " where generation in (" ~ known.batches | map(attribute=0) | join(", ") ~ ")"
    ).rows[0] %}
    {% if not counted[2] %}{% do return({"batches": known.batches, "settled": dict(known.settled, rows_of=settled.rows_of), "since": none}) %}{% endif %}
    {% if (counted[1] + counted[2]) * 4 > counted[0] %}{% do return(whole) %}{% endif %}
    {# what came since the base is written once more before its batches are many #}
    {% set is_merged = known.batches | length > 8 %}
    {% do return({
        "batches": (known.batches[:1] if is_merged else known.batches) + [[now, 0]],
        "settled": settled,
        "since": base if is_merged else known.settled.run_id,
    }) %}
{% endmacro %}
