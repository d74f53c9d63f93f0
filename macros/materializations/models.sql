{# What each materialization of the package begins with: raises an error where the run was not begun, or where what
   stands in the place of the model, `existing`, was not made by the package, as `check_own` tells by `column`; renews
   the lease; lets `timestamp` be the type of instants. #}
{% macro begin_model(existing=none, column=none) %}
    {# dbt leaves out the hooks after one that fails, and runs models all the same #}
    {% if not ticdc.memory().get("is_begun") %}
        {% set before = [] %}
        {% for hook in graph.nodes.values() if hook.resource_type == "operation" and "on-run-start" in hook.tags %}
            {% do before.append(hook.name) if hook.package_name < "ticdc" %}
        {% endfor %}
        {% do exceptions.raise_compiler_error(
            "ticdc: the run was not begun, and nothing is written: the on-run-start hook of this package, which takes"
            ~ " the lease and opens the state, did not run, as one before it failed (" ~ before | join(", ")
            ~ "). Its error stands above: mend it, and run again"
        ) %}
    {% endif %}
    {% do ticdc.keep_lease() %}
    {% do ticdc.use_timestamp_type(1) %}
    {% do ticdc.check_own(existing, column) %}
{% endmacro %}

{# What each materialization of the package ends with: gives `timestamp` its type back, and notes that the model was
   built. #}
{% macro end_model() %}
    {% do ticdc.use_timestamp_type(-1) %}
    {% do ticdc.memory().get("unfinished", {}).pop(model.name, none) %}
{% endmacro %}

{# Ends the run after the last model that dbt builds, as `end_run` is not reached where an on-run-end hook of another
   project fails. What materializations of views and typed relations end with: one of these is the last. #}
{% macro end_last_model() %}
    {% do ticdc.end_model() %}
    {# of two that end at once one pops it #}
    {% set memory = ticdc.memory() %}
    {% if memory.get("unfinished") == {} and memory.pop("unfinished", none) is not none %}
        {% do ticdc.finish_run([]) %}
    {% endif %}
{% endmacro %}

{# Lets `timestamp` be the type of instants while models of this session are built, where its default is another one;
   `change` is one model more or less that needs it. #}
{% macro use_timestamp_type(change) %}
    {# Spark 4.1 reads the type timestamp of Hive's catalogue as the session's default, and hands timestamp_ntz, which
       Hive does not know, back to it with each partition and property #}
    {% set memory = ticdc.memory() %}
    {% set default = memory.get("timestamp_type", "TIMESTAMP_LTZ") %}
    {% if default == "TIMESTAMP_LTZ" %}{% do return("") %}{% endif %}
    {# of the models that dbt builds side by side in one session the last one to end has the default again #}
    {% set users = memory.setdefault("timestamp_users", []) if target.method == "session" else [] %}
    {% if change > 0 %}{% do users.append(change) %}{% elif users %}{% do users.pop() %}{% endif %}
    {% if change > 0 or not users %}
        {% do run_query("set spark.sql.timestampType=" ~ ("TIMESTAMP_LTZ" if change > 0 else default)) %}
    {% endif %}
{% endmacro %}

{# Gives the relation of a model, whole also with `--empty`, which leaves out the messages of the source alone, and with
   `--sample`. In this package it stands for dbt's own `ref`. #}
{% macro ref() %}
    {# of no messages `dbt build --empty` makes empty tables; with limited models it would make the built ones forget
       what they hold, as `--sample` would with models that have an `event_time` #}
    {% do return(builtins.ref(*varargs, **kwargs).replace(limit=none, event_time_filter=none)) %}
{% endmacro %}

{# Gives the relation of a source, with all its messages also with `--sample`. In this package it stands for dbt's own
   `source`. #}
{% macro source() %}
    {# messages that `dbt build --sample` leaves out would never be read #}
    {% do return(builtins.source(*varargs, **kwargs).replace(event_time_filter=none)) %}
{% endmacro %}
