{# Gives what a model reads of a protocol whose messages lie in topics, where `staged` is its staging, none where all
   is made anew: `new`, the SQL of the messages that no run has staged; `redriven`, the names of the feeds whose dead
   letters are decoded again, and `again`, the SQL of their messages, as far as they are there still, and maybe of
   others, none where there is no such feed; what staging `settles`; `is_idle`. #}
{% macro messages_in_topics(protocol, staged) %}
    {% set feeds = ticdc.feeds() | selectattr("protocol", "equalto", protocol) | list %}
    {% set redriven, first_run_id = ticdc.feeds_to_redrive(protocol, staged), ticdc.first_run_id(staged) %}
    {% set before, settles = ticdc.settled(staged) if staged else {}, {"run_id": first_run_id} %}
    {% set new, again, by_place = [], [], {} %}
    {% for feed in feeds %}{% do by_place.setdefault(feed.reads, []).append(feed) %}{% endfor %}
    {% set held %}
select
    feed,
    topic,
    `partition`,
    `offset`,
    message_at,
    key,
    value
from {{ ref("int_ticdc__messages") }}
where protocol = {{ ticdc.text_literal(protocol) }}
    {%- endset %}
    {% if by_place.relation %}
        {% set ranges = ticdc.staged_offsets(protocol, staged, first_run_id) %}
        {% set is_new = ticdc.is_not_staged(by_place.relation, ranges, ticdc.rows_of(staged) if staged) %}
        {% do new.append(held ~ " and not is_copy and " ~ ("false" if flags.EMPTY else is_new)) %}
    {% endif %}
    {% if by_place.kept %}
        {% do new.append(held ~ " and is_copy and run_id > " ~ (before.kept_run_id or 0)) %}
        {% do settles.update({"kept_run_id": ticdc.facts(ref("int_ticdc__kept_messages")).newest_run_id or 0}) %}
    {% endif %}
    {% if by_place.kafka %}
        {% set plans, read = ref("int_ticdc__kafka_offsets"), before.plan_run_id or 0 %}
        {% do new.append(ticdc.kafka_messages(by_place.kafka)) %}
        {% do settles.update({"plan_run_id": read if flags.EMPTY else (ticdc.facts(plans).newest_run_id or 0)}) %}
    {% endif %}
    {% for feed in feeds if feed.name in redriven %}
        {% do again.append(
            ticdc.kafka_messages_again(feed) if feed.reads == "kafka"
            else held ~ " and feed = " ~ ticdc.text_literal(feed.name)
        ) %}
    {% endfor %}
    {% set new = new | join("\nunion all\n") %}
    {% set may_be_idle = execute and staged and not redriven %}
    {% do return({
        "new": new, "again": again | join("\nunion all\n"), "redriven": redriven, "settles": settles,
        "is_idle": may_be_idle and not run_query("select 1 from (" ~ new ~ ") limit 1").rows | length,
    }) %}
{% endmacro %}

{# Gives the SQL of no messages, in the columns of messages. #}
{% macro no_messages() -%}
select
    '' as feed,
    '' as topic,
    0 as `partition`,
    cast(0 as bigint) as `offset`,
    current_timestamp() as message_at,
    cast('' as binary) as key,
    cast('' as binary) as value
where false
{%- endmacro %}
