{% macro staged_offsets(relation) %}
    {% if not (execute and relation) %}{% do return([]) %}{% endif %}
    {% set staged_messages = "from " ~ relation ~ " where event_index = 0 and not is_redriven" %}
    {% set partitions = [] %}
    {% set ranges = run_query(
        "select feed, topic, `partition`, min(`offset`), max(`offset`), count(*) " ~ staged_messages ~ " group by feed, topic, `partition`"
    ) %}
    {% for row in ranges.rows %}
        {% set partition = {
            "feed": row[0], "topic": row[1], "number": row[2], "first_offset": row[3], "last_offset": row[4], "gaps": [],
        } %}
        {% if row[5] != row[4] - row[3] + 1 %}
            {% set gaps = run_query(
                "select `offset` + 1, next_offset - 1 from (select `offset`, lead(`offset`) over (order by `offset`) as next_offset "
                ~ staged_messages ~ " and feed = " ~ ticdc.text_literal(row[0]) ~ " and topic = " ~ ticdc.text_literal(row[1])
                ~ " and `partition` = " ~ row[2] ~ ") where next_offset > `offset` + 1 order by `offset`"
            ) %}
            {% for gap in gaps.rows %}{% do partition.gaps.append([gap[0], gap[1]]) %}{% endfor %}
        {% endif %}
        {% do partitions.append(partition) %}
    {% endfor %}
    {% do return(partitions) %}
{% endmacro %}
