{% macro sources_progress(feeds) %}
    {% set progress, before = {}, ticdc.settled() %}
    {% if ticdc.kafka_feeds(feeds) %}
        {% do progress.update({"plan_run_id": before.get("plan_run_id", 0) if flags.EMPTY else ticdc.newest_plan()}) %}
    {% endif %}
    {% if ticdc.kafka_feeds(feeds, are_kept=true) %}
        {% set kept = ref("int_ticdc__kept_messages") %}
        {% set found = ticdc.asked("select max(run_id) from " ~ ticdc.rows_of(kept), [kept]) if ticdc.batches(kept) else [] %}
        {% do progress.update({"kept_run_id": found[0][0] if found and found[0][0] else 0}) %}
    {% endif %}
    {% do return(progress) %}
{% endmacro %}
