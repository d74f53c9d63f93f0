{% macro staged_offsets(protocol, relation, first_run_id) %}
    {% if not (execute and relation) %}{% do return([]) %}{% endif %}
    {% set ranges = [] %}
    {% set runs = ticdc.relation_before("int_ticdc__staged_runs") %}
    {% set tables = [relation, runs] if runs else [relation] %}
    {% for row in ticdc.asked(ticdc.staged_offset_ranges(protocol, relation, first_run_id), tables) %}
        {% set firsts, lasts = [row[3]], [row[4]] %}
        {% if not row[5] %}
            {% for gap in ticdc.asked(
                "select `offset`, next_offset from (select `offset`, lead(`offset`) over (order by `offset`) as next_offset "
                ~ "from " ~ ticdc.rows_of(relation) ~ " where event_index = 0 and not is_redriven and feed = " ~ ticdc.text_literal(row[0])
                ~ " and topic = " ~ ticdc.text_literal(row[1]) ~ " and `partition` = " ~ row[2]
                ~ ") where next_offset > `offset` + 1 order by `offset`",
                tables
            ) %}
                {% do firsts.append(gap[1]) %}
                {% do lasts.insert(loop.index0, gap[0]) %}
            {% endfor %}
        {% endif %}
        {% for first_offset in firsts %}
            {% do ranges.append({
                "feed": row[0], "topic": row[1], "partition": row[2], "first_offset": first_offset, "last_offset": lasts[loop.index0],
            }) %}
        {% endfor %}
    {% endfor %}
    {% do return(ranges) %}
{% endmacro %}
