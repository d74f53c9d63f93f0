"""A configuration in which all is wrong that can be, and what the package says of it."""

from __future__ import annotations

from typing import Any

WRONG: dict[str, Any] = {
    "ticdc__feeds": [
        {"name": "shop", "protocol": "canal_jsn", "topics": ["shop"]},
        {"name": "shop", "protocol": "canal_json", "topics": ["shop"], "options": {"compresion": "lz4"}},
        {"name": "a b", "protocol": "canal_json", "topics": "shop", "partitions": -3},
        {
            "name": "zones",
            "protocol": "canal_json",
            "topics": ["zones"],
            "options": {"time_zone": "Berlin", "session_time_zone": "+15:00", "compression": "zip", "claim_check": 7},
            "target_schema": "my {schema}",
            "tables": ["a.%", "!!b", "c\\d", "!", ""],
            "typed_relations": ["current", "past"],
            "topic": "zones",
        },
        {
            "protocol": "canal_json",
            "topics": [],
            "partitions": "3",
            "options": ["lz4"],
            "tables": "shop.%",
            "typed_relations": [],
        },
        {"name": "avro", "protocol": "avro", "topics": ["avro"], "options": {"framing": "gleu"}},
        {"name": "avro2", "protocol": "debezium_avro", "topics": ["a"], "options": {"schemas": "ftp://host/a"}},
        {"name": "avro3", "protocol": "avro", "topics": ["a"]},
        "orders",
        {"name": "patterns", "protocol": "simple", "topics": ["a.b", "a\\_b\\\\%", "a\\.b", "a\\", ""]},
        {"name": "topics", "protocol": "simple", "topics": {"shop": 1}, "finished_topics": ["a", "a.\\b"]},
    ],
    "ticdc__visibility": "newest",
    "ticdc__messages_schema": "",
    "ticdc__information_schema": ["raw.columns"],
    "ticdc__stored_from_rows": -1,
    "ticdc__dead_letter_payloads": "drop",
    "ticdc__lease_minutes": 0,
    "ticdc__redecode": "shop",
    "ticdc__redrive": ["shop", "shoes"],
    "ticdc__initial_loads": [
        {"feed": "shop", "schema": "s", "table": "t", "relation": "x.t", "commit_ts": 1, "key_columns": ["id"]},
        {"feed": "shop", "schema": "S", "table": "T", "relation": "x.t", "commit_ts": 1},
        {"feed": "none", "schema": "", "table": 7, "commit_ts": "1", "key_columns": "id", "tso": 1},
        "x.t",
    ],
}
BACKSLASH = "in it a backslash stands before %, _ or another one"
WRONG_PATTERNS = (r'"a\\.b"', r'"a\\"', '""')
SCHEMAS = "the http or https URL of a schema registry, a JSON file, or a relation"
OF_TABLES = (
    "expected a SQL like pattern, with ! before it for tables to leave out; in it a backslash stands before %, _ or "
    "another one"
)
PROBLEMS = (
    'ticdc__feeds[0].protocol: got "canal_jsn", did you mean canal_json? allowed: avro, canal_json, debezium, '
    "debezium_avro, open_protocol, simple, storage_canal_json, storage_csv",
    'ticdc__feeds[1].name: got "shop" a second time; each feed needs a name of its own',
    'ticdc__feeds[1].options: unknown option "compresion", did you mean compression? allowed for canal_json: '
    "time_zone, session_time_zone, compression, claim_check",
    'ticdc__feeds[2].name: got "a b", expected letters, digits and _',
    'ticdc__feeds[2].topics: got "shop", expected a list of SQL like patterns',
    "ticdc__feeds[2].partitions: got -3, expected the number of partitions of each topic",
    'ticdc__feeds[3]: unknown member "topic", did you mean topics? allowed: name, protocol, source, topics, '
    "finished_topics, partitions, keep_messages, options, target_schema, tables, typed_relations",
    'ticdc__feeds[3].target_schema: got "my {schema}", allowed: null (no typed tables) or letters, digits, _, '
    "{schema}, {feed} and {target}",
    *(f"ticdc__feeds[3].tables: got {pattern}, {OF_TABLES}" for pattern in ('"!!b"', r'"c\\d"', '"!"', '""')),
    'ticdc__feeds[3].typed_relations: got ["current", "past"], allowed: a list of current, history, as_of',
    'ticdc__feeds[3].options.time_zone: got "Berlin", allowed: names of the IANA time zone database, '
    "such as UTC or Asia/Shanghai",
    'ticdc__feeds[3].options.session_time_zone: got "+15:00", allowed: names of the IANA time zone database, '
    "such as Asia/Shanghai, or offsets from -14:00 to +14:00, such as +08:00",
    'ticdc__feeds[3].options.compression: got "zip", allowed: none, snappy, lz4',
    "ticdc__feeds[3].options.claim_check: got 7, allowed: a text",
    "ticdc__feeds[4].name: got null, expected letters, digits and _",
    "ticdc__feeds[4].topics: got [], expected a list of SQL like patterns",
    'ticdc__feeds[4].partitions: got "3", expected the number of partitions of each topic',
    'ticdc__feeds[4].tables: got "shop.%", expected a list of SQL like patterns of schema.table',
    "ticdc__feeds[4].typed_relations: got [], allowed: a list of current, history, as_of",
    'ticdc__feeds[4].options: got ["lz4"], expected a mapping with: '
    "time_zone, session_time_zone, compression, claim_check",
    'ticdc__feeds[5].options.framing: got "gleu", allowed: confluent, glue',
    f"ticdc__feeds[5].options.schemas: got null, allowed: {SCHEMAS}",
    f'ticdc__feeds[6].options.schemas: got "ftp://host/a", allowed: {SCHEMAS}',
    f"ticdc__feeds[7].options.schemas: got null, allowed: {SCHEMAS}",
    'ticdc__feeds[8]: got "orders", expected a mapping with name, protocol and topics',
    *(f"ticdc__feeds[9].topics: got {topic}, expected a SQL like pattern; {BACKSLASH}" for topic in WRONG_PATTERNS),
    'ticdc__feeds[10].topics: got {"shop": 1}, expected a list of SQL like patterns',
    rf'ticdc__feeds[10].finished_topics: got "a.\\b", expected a SQL like pattern; {BACKSLASH}',
    'ticdc__visibility: got "newest", allowed: complete, latest',
    'ticdc__messages_schema: got "", expected the name of a schema',
    'ticdc__information_schema: got ["raw.columns"], expected the name of a relation',
    "ticdc__stored_from_rows: got -1, expected a number of rows, 0 or more",
    'ticdc__dead_letter_payloads: got "drop", allowed: keep, hash, cut',
    "ticdc__lease_minutes: got 0, expected a number of minutes, more than 0",
    'ticdc__redecode: got "shop", allowed: true, false',
    'ticdc__redrive: got ["shop", "shoes"], allowed: true, false, or a list of names of feeds',
    "ticdc__initial_loads[1]: a second load of the same table as of the same commit",
    'ticdc__initial_loads[2]: unknown member "tso", allowed: feed, schema, table, relation, commit_ts, key_columns',
    'ticdc__initial_loads[2].feed: got "none", allowed: shop, shop, a b, zones, avro, avro2, avro3, patterns, topics',
    'ticdc__initial_loads[2].schema: got "", expected a name',
    "ticdc__initial_loads[2].table: got 7, expected a name",
    "ticdc__initial_loads[2].relation: got null, expected a name",
    'ticdc__initial_loads[2].commit_ts: got "1", expected the TSO of the export',
    'ticdc__initial_loads[2].key_columns: got "id", expected a list of names of columns',
    'ticdc__initial_loads[3]: got "x.t", expected a mapping with feed, schema, table, relation, commit_ts',
)
