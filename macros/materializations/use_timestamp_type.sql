{% macro use_timestamp_type(type=none) %}
    {# Spark 4.1 reads the type timestamp of Hive's catalogue as the session's default, and hands timestamp_ntz, which Hive
       does not know, back to it with each partition and property. #}
    {% set default = ticdc.memory().get("timestamp_type", "TIMESTAMP_LTZ") %}
    {% if default == "TIMESTAMP_LTZ" %}{% do return("") %}{% endif %}
    {# of the models that dbt builds side by side in one session the last one to end has the default again #}
    {% set users = ticdc.memory().setdefault("timestamp_users", []) if target.method == "session" else [] %}
    {% if type %}{% do users.append(type) %}{% elif users %}{% do users.pop() %}{% endif %}
    {% if type or not users %}{% do run_query("set spark.sql.timestampType=" ~ (type or default)) %}{% endif %}
{% endmacro %}
