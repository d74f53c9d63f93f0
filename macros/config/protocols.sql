{# Gives what each protocol that a feed can have tells, by its name:
   - `decode`, the expression that decodes a message; it gives one event, or a list where `gives_list` says so;
   - `sends_ddl`;
   - `types_of_rows`, what its rows tell of their table: `current` or `stale` types, or none that the row itself does
     not hold;
   - `tells_updates`, whether an update differs from an insert where the changefeed sends no old values;
   - `hides_nulls_of`, of which columns it writes the default in the place of NULL: those with `defaults`, those whose
     default is one of `expressions`, or none;
   - `may_lack_commits` and `changes_names`, where true: whether rows may lack their commit, and names of tables and
     columns be others on the wire than in TiDB;
   - `options`, those of its feeds, and which values each takes, as `contract/configuration.py` reads them. One with
     `schemas` reads messages beside the schemas that they were written with. #}
{% macro protocols() %}
    {% do return({
        "avro": {
            "decode": "ticdc_decode_avro(key, value, options, key_schema, value_schema)", "gives_list": false,
            "sends_ddl": false, "types_of_rows": "current", "tells_updates": true, "hides_nulls_of": none,
            "may_lack_commits": true, "changes_names": true,
            "options": {
                "time_zone": "time zone", "session_time_zone": "session time zone", "framing": ["confluent", "glue"],
                "schemas": "schemas", "target_schema": "pattern",
            },
        },
        "canal_json": {
            "decode": "ticdc_decode_canal_json(key, value, options)", "gives_list": false,
            "sends_ddl": true, "types_of_rows": "current", "tells_updates": true, "hides_nulls_of": none,
            "options": {
                "time_zone": "time zone", "session_time_zone": "session time zone",
                "compression": ["none", "snappy", "lz4"], "claim_check": "text", "target_schema": "pattern",
            },
        },
        "debezium": {
            "decode": "ticdc_decode_debezium(key, value, options)", "gives_list": false,
            "sends_ddl": true, "types_of_rows": none, "tells_updates": true, "hides_nulls_of": "expressions",
            "options": {
                "time_zone": "time zone", "session_time_zone": "session time zone",
                "compression": ["none", "snappy", "lz4"],
                "binary_handling_mode": ["bytes", "base64", "base64-url-safe", "hex"], "target_schema": "pattern",
            },
        },
        "debezium_avro": {
            "decode": "ticdc_decode_debezium_avro(key, value, options, key_schema, value_schema)", "gives_list": false,
            "sends_ddl": false, "types_of_rows": none, "tells_updates": true, "hides_nulls_of": "defaults",
            "options": {
                "time_zone": "time zone", "session_time_zone": "session time zone", "framing": ["confluent", "glue"],
                "schemas": "schemas", "binary_handling_mode": ["bytes", "base64", "base64-url-safe", "hex"],
                "target_schema": "pattern",
            },
        },
        "open_protocol": {
            "decode": "ticdc_decode_open_protocol(key, value, options)", "gives_list": true,
            "sends_ddl": true, "types_of_rows": "stale", "tells_updates": false, "hides_nulls_of": none,
            "options": {
                "time_zone": "time zone", "session_time_zone": "session time zone",
                "compression": ["none", "snappy", "lz4"], "claim_check": "text", "target_schema": "pattern",
            },
        },
        "simple": {
            "decode": "ticdc_decode_simple(key, value, options)", "gives_list": false,
            "sends_ddl": true, "types_of_rows": "current", "tells_updates": true, "hides_nulls_of": none,
            "options": {
                "time_zone": "time zone", "session_time_zone": "session time zone", "encoding": ["json", "avro"],
                "compression": ["none", "snappy", "lz4"], "claim_check": "text", "target_schema": "pattern",
            },
        },
        "storage_canal_json": {
            "decode": "ticdc_decode_storage_canal_json(key, value, options)", "gives_list": false,
            "sends_ddl": true, "types_of_rows": "current", "tells_updates": true, "hides_nulls_of": none,
            "options": {
                "time_zone": "time zone", "session_time_zone": "session time zone", "terminator": "text",
                "target_schema": "pattern",
            },
        },
        "storage_csv": {
            "decode": "ticdc_decode_storage_csv(key, value, options, table_schema, header)", "gives_list": false,
            "sends_ddl": true, "types_of_rows": "current", "tells_updates": true, "hides_nulls_of": none,
            "options": {
                "time_zone": "time zone", "session_time_zone": "session time zone", "terminator": "text",
                "delimiter": "delimiter", "quote": "quote", "null": "null", "include_commit_ts": [true],
                "binary_encoding_method": ["base64", "hex"], "output_old_value": [true, false],
                "output_handle_key": [true, false], "output_field_header": [true, false], "target_schema": "pattern",
            },
        },
    }) %}
{% endmacro %}

{# Gives the protocols of the configured feeds, each once, in order of name. #}
{% macro protocols_in_use() %}
    {% do return(ticdc.feeds() | map(attribute="protocol") | unique | sort | list) %}
{% endmacro %}
