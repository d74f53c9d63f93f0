{% macro staged_offsets(feed, relation) %}
    {% if not execute %}{% do return([]) %}{% endif %}
    {% set staged_messages %}
        from {{ relation }} where feed = {{ ticdc.text_literal(feed.name) }} and event_index = 0 and not is_redriven
    {% endset %}
    {% set partitions = [] %}
    {% set ranges = run_query(
        "select topic, `partition`, min(`offset`), max(`offset`), count(*) " ~ staged_messages ~ " group by topic, `partition`"
    ) %}
    {% for row in ranges.rows %}
        {% set partition = {"topic": row[0], "number": row[1], "first_offset": row[2], "last_offset": row[3], "gaps": []} %}
        {% if row[4] != row[3] - row[2] + 1 %}
            {% set gaps = run_query(
                "select `offset` + 1, next_offset - 1 from (select `offset`, lead(`offset`) over (order by `offset`) as next_offset "
                ~ staged_messages ~ " and topic = " ~ ticdc.text_literal(row[0]) ~ " and `partition` = " ~ row[1]
                ~ ") where next_offset > `offset` + 1 order by `offset`"
            ) %}
            {% for gap in gaps.rows %}{% do partition.gaps.append([gap[0], gap[1]]) %}{% endfor %}
        {% endif %}
        {% do partitions.append(partition) %}
    {% endfor %}
    {% do return(partitions) %}
{% endmacro %}
