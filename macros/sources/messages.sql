{# Gives what a staging model reads of a protocol whose messages lie in topics: `new`, the SQL of those that no run has
   staged, in the columns of `relation_messages`; `redriven`, the names of the feeds whose dead letters are decoded
   again, and `again`, the SQL of their messages, none where there is no such feed; what it `settles`; `is_idle`. #}
{% macro messages_in_topics(protocol) %}
    {% set feeds = ticdc.feeds() | selectattr("protocol", "equalto", protocol) | list %}
    {% set staged = this if ticdc.has_rows() else none %}
    {% set redriven, first_run_id = ticdc.feeds_to_redrive(protocol, staged), ticdc.first_run_id(staged) %}
    {% set settles, before = {"run_id": first_run_id}, ticdc.settled().get("plan_run_id", 0) %}
    {% set new = ticdc.new_messages(feeds, ticdc.staged_offsets(protocol, staged, first_run_id)) %}
    {% set again = ticdc.sent_messages(feeds | selectattr("name", "in", redriven) | list) if redriven %}
    {% if "kafka" in feeds | map(attribute="reads") %}
        {% set newest = before if flags.EMPTY else ticdc.facts(ref("int_ticdc__kafka_offsets")).newest_run_id or 0 %}
        {% do settles.update({"plan_run_id": newest}) %}
    {% endif %}
    {% if "kept" in feeds | map(attribute="reads") %}
        {% do settles.update({"kept_run_id": ticdc.facts(ref("int_ticdc__kept_messages")).newest_run_id or 0}) %}
    {% endif %}
    {% set may_be_idle = execute and staged and not redriven %}
    {% set is_idle = may_be_idle and not run_query("select 1 from (" ~ new ~ ") limit 1").rows | length %}
    {% do return({"new": new, "again": again, "redriven": redriven, "settles": settles, "is_idle": is_idle}) %}
{% endmacro %}

{# Gives the SQL of the messages in topics of feeds that no run has staged, once for each feed, whose name is in the
   column `feed`; `staged` is what `staged_offsets` gives. #}
{% macro new_messages(feeds, staged) %}
    {% set found, by_place = [], {} %}
    {% for feed in feeds %}{% do by_place.setdefault(feed.reads, []).append(feed) %}{% endfor %}
    {% if by_place.relation %}
        {% do found.append(ticdc.relation_messages(by_place.relation, staged.ranges)) %}
    {% endif %}
    {% if by_place.kafka %}{% do found.append(ticdc.kafka_messages(by_place.kafka)) %}{% endif %}
    {% if by_place.kept %}
        {% set since = ticdc.settled(staged.relation).get("kept_run_id") or 0 if staged.relation else 0 %}
        {% do found.append(ticdc.kept_messages(by_place.kept, since)) %}
    {% endif %}
    {% do return(found | join("\nunion all\n")) %}
{% endmacro %}

{# Gives the SQL of all messages in topics of feeds that relations and raw copies hold, as no view can read what is in
   Kafka alone, in the columns of `relation_messages`. #}
{% macro held_messages(feeds) %}
    {% set found, kept = [], feeds | selectattr("reads", "equalto", "kept") | list %}
    {% set in_relations = feeds | selectattr("reads", "equalto", "relation") | list %}
    {% if in_relations %}{% do found.append(ticdc.relation_messages(in_relations)) %}{% endif %}
    {% if kept %}{% do found.append(ticdc.kept_messages(kept)) %}{% endif %}
    {% do return(found | join("\nunion all\n") or ticdc.no_messages()) %}
{% endmacro %}

{# Gives the SQL of the messages of dead letters of feeds, and maybe others, as far as they are there still, in the
   columns of `relation_messages`. #}
{% macro sent_messages(feeds) %}
    {% set held = feeds | rejectattr("reads", "equalto", "kafka") | list %}
    {% set found = [ticdc.held_messages(held)] if held else [] %}
    {% for feed in feeds | selectattr("reads", "equalto", "kafka") %}
        {% do found.append(ticdc.kafka_messages_again(feed)) %}
    {% endfor %}
    {% do return(found | join("\nunion all\n")) %}
{% endmacro %}

{# Gives the SQL of no messages, in the columns of `relation_messages`. #}
{% macro no_messages() -%}
select
    '' as topic,
    0 as `partition`,
    cast(0 as bigint) as `offset`,
    current_timestamp() as message_at,
    cast('' as binary) as key,
    cast('' as binary) as value,
    '' as feed
where false
{%- endmacro %}
