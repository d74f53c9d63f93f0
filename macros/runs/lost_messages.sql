{% macro lost_messages() %}
    {% set lost = [] %}
    {% for protocol in ticdc.protocols_in_use() %}
        {% set staged = ticdc.relation_of("stg_ticdc__" ~ protocol) %}
        {% for row in (run_query(
            "select staged.feed, topic, `partition`, min(`offset`), max(`offset`), count(*), bool_and(configured.feed is null) "
            ~ "from " ~ ticdc.rows_of(staged) ~ " as staged left join (select explode(array(" ~ ticdc.text_literals(ticdc.feeds() | map(attribute="name"))
            ~ ")) as feed) as configured on staged.feed = configured.feed left join (select distinct topic as of_topic, `partition` as of_partition, "
            ~ "`offset` as of_offset from " ~ source("ticdc", "messages").replace(limit=none) ~ ") as kept "
            ~ "on topic = of_topic and `partition` = of_partition and `offset` = of_offset "
            ~ "where event_index = 0 and not is_redriven and (configured.feed is null or of_topic is null) "
            ~ "group by staged.feed, topic, `partition` order by staged.feed, topic, `partition` limit 20"
        ).rows if staged else []) %}
            {% do lost.append(
                "feed " ~ row[0] ~ ", topic " ~ row[1] ~ ", partition " ~ row[2] ~ ": " ~ row[5] ~ " message(s), offsets " ~ row[3] ~ " to " ~ row[4]
                ~ (", as the feed is not configured" if row[6] else ", which the source no longer holds")
            ) %}
        {% endfor %}
    {% endfor %}
    {% do return(lost) %}
{% endmacro %}
