{# Gives what SQL is rendered by of each protocol that a feed can have, by its name:
   - `decode`, the expression that decodes a message; it gives one event, or a list where `gives_list` says so;
   - `sends_ddl`;
   - `types_of_rows`, what its rows tell of their table: `current` or `stale` types, or none that the row itself does
     not hold;
   - `tells_updates`, whether an update differs from an insert where the changefeed sends no old values;
   - `hides_nulls_of`, of which columns it writes the default in the place of NULL: those with `defaults`, those whose
     default is one of `expressions`, or none;
   - where true, `has_writer_schemas`, whether messages are read beside the schemas that they were written with;
     `may_lack_commits` and `changes_names`: whether rows may lack their commit, and names of tables and columns be
     others on the wire than in TiDB.
   The options of its feeds are in `contract/options.py`. #}
{% macro protocols() %}
    {% do return({
        "avro": {
            "decode": "ticdc_decode_avro(key, value, options, key_schema, value_schema)", "gives_list": false,
            "sends_ddl": false, "types_of_rows": "current", "tells_updates": true, "hides_nulls_of": none,
            "has_writer_schemas": true, "may_lack_commits": true, "changes_names": true,
        },
        "canal_json": {
            "decode": "ticdc_decode_canal_json(key, value, options)", "gives_list": false,
            "sends_ddl": true, "types_of_rows": "current", "tells_updates": true, "hides_nulls_of": none,
        },
        "debezium": {
            "decode": "ticdc_decode_debezium(key, value, options)", "gives_list": false,
            "sends_ddl": true, "types_of_rows": none, "tells_updates": true, "hides_nulls_of": "expressions",
        },
        "debezium_avro": {
            "decode": "ticdc_decode_debezium_avro(key, value, options, key_schema, value_schema)", "gives_list": false,
            "sends_ddl": false, "types_of_rows": none, "tells_updates": true, "hides_nulls_of": "defaults",
            "has_writer_schemas": true,
        },
        "open_protocol": {
            "decode": "ticdc_decode_open_protocol(key, value, options)", "gives_list": true,
            "sends_ddl": true, "types_of_rows": "stale", "tells_updates": false, "hides_nulls_of": none,
        },
        "simple": {
            "decode": "ticdc_decode_simple(key, value, options)", "gives_list": false,
            "sends_ddl": true, "types_of_rows": "current", "tells_updates": true, "hides_nulls_of": none,
        },
        "storage_canal_json": {
            "decode": "ticdc_decode_storage_canal_json(key, value, options)", "gives_list": false,
            "sends_ddl": true, "types_of_rows": "current", "tells_updates": true, "hides_nulls_of": none,
        },
        "storage_csv": {
            "decode": "ticdc_decode_storage_csv(key, value, options, table_schema, header)", "gives_list": false,
            "sends_ddl": true, "types_of_rows": "current", "tells_updates": true, "hides_nulls_of": none,
        },
    }) %}
{% endmacro %}

{# Gives the protocols of the configured feeds, each once, in order of name. #}
{% macro protocols_in_use() %}
    {% do return(ticdc.feeds() | map(attribute="protocol") | unique | sort | list) %}
{% endmacro %}
