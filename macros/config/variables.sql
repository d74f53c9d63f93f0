{% macro variables() %}
    {% do return({
        "ticdc__accept_lost_messages": var("ticdc__accept_lost_messages", false),
        "ticdc__dead_letter_payloads": var("ticdc__dead_letter_payloads", "keep"),
        "ticdc__feeds": var("ticdc__feeds", none),
        "ticdc__information_schema": var("ticdc__information_schema", none),
        "ticdc__initial_loads": var("ticdc__initial_loads", none),
        "ticdc__lease_minutes": var("ticdc__lease_minutes", 60),
        "ticdc__messages_per_run": var("ticdc__messages_per_run", none),
        "ticdc__messages_schema": var("ticdc__messages_schema", "ticdc_raw"),
        "ticdc__redecode": var("ticdc__redecode", false),
        "ticdc__redrive": var("ticdc__redrive", false),
        "ticdc__stalled_after_minutes": var("ticdc__stalled_after_minutes", 60),
        "ticdc__stored_from_rows": var("ticdc__stored_from_rows", 100000),
        "ticdc__unit_tests": var("ticdc__unit_tests", false),
        "ticdc__visibility": var("ticdc__visibility", "complete"),
    }) %}
{% endmacro %}
