{% macro sources_progress(feeds) %}
    {% set in_kafka = ticdc.kafka_feeds(feeds) %}
    {% if not in_kafka or not execute %}{% do return({}) %}{% endif %}
    {% if flags.EMPTY %}{% do return({"plan_run_id": ticdc.settled().get("plan_run_id") or 0}) %}{% endif %}
    {% do return({"plan_run_id": ticdc.newest_plan()}) %}
{% endmacro %}
