"""What `avro-enable-watermark` adds to Avro and Debezium-Avro (protocol facts 2.5, 2.6)."""

from __future__ import annotations

import json
import struct
from typing import Any

import pytest
from support.avro import (
    COMMIT_TS,
    EXTENSION,
    Message,
    arrays,
    column,
    decode_by,
    extension,
    framed,
    message,
    record,
)
from support.batches import FEW, read_together

from ticdc_udfs.contract.events import DecodeError, ErrorCode, Event, Kind
from ticdc_udfs.protocols import avro, debezium_avro
from ticdc_udfs.wire.avro_binary import parse_schema, read

# Avro: none of it has a writer schema but the key of a deletion

ID = column("id", "int", "INT")
KEY = record(ID)
DDL = {"query": "CREATE TABLE `t` (`id` INT PRIMARY KEY)", "type": 3, "schema": "shop", "table": "t"}
GLUE = '{"framing":"glue"}'


def moment(kind: int, commit_ts: int = COMMIT_TS) -> bytes:
    return struct.pack(">BQ", kind, commit_ts)


def ddl(**members: Any) -> bytes:
    return b"\x01" + json.dumps({**DDL, "commitTs": COMMIT_TS, **members}).encode()


def of_avro(value: bytes | None, key: bytes | None = None, options: str = "{}") -> Event:
    return decode_by(avro.decode, key, value, KEY if key else None, None, options)


@pytest.mark.parametrize("options", ["{}", GLUE])
@pytest.mark.parametrize("key", [None, b""])
def test_watermarks_and_ddl(options: str, key: bytes | None) -> None:
    assert of_avro(moment(2), key, options) == Event(Kind.WATERMARK, commit_ts=COMMIT_TS)
    assert of_avro(ddl(), key, options) == Event(
        Kind.DDL, COMMIT_TS, schema_name="shop", table_name="t", ddl_query=DDL["query"], ddl_type="3"
    )


@pytest.mark.parametrize("framing", ["confluent", "glue"])
def test_a_deletion_tells_its_commit(framing: Any) -> None:
    """It begins as a header of Glue does, which is longer."""
    event = of_avro(moment(3), message(KEY, {"id": 7}, framing), json.dumps({"framing": framing}))
    assert (event.kind, event.op, event.before, event.row_key) == (Kind.ROW, "delete", b'{"id":"7"}', b'{"id":"7"}')
    assert (event.commit_ts, event.commit_ts_exact, event.lossy) == (COMMIT_TS, True, ())


def test_a_deletion_of_a_table_without_primary_key_names_no_row() -> None:
    assert of_avro(moment(3)).error_code == ErrorCode.BAD_FRAME


def test_rows_with_glue_framing_are_no_deletions() -> None:
    schema = record(ID, *EXTENSION)
    value = message(schema, {"id": 1, **extension("c")}, "glue")
    event = decode_by(avro.decode, message(KEY, {"id": 1}, "glue"), value, KEY, schema, GLUE)
    assert (event.op, event.after) == ("insert", b'{"id":"1"}')


NEITHER = [
    (moment(2, 0), None, ErrorCode.BAD_VALUE),
    (moment(2, 2**63), None, ErrorCode.BAD_VALUE),
    (moment(3, 0), framed(b"\x0e"), ErrorCode.BAD_VALUE),
    (moment(2)[:-1], None, ErrorCode.BAD_FRAME),
    (moment(2) + b"\0", None, ErrorCode.BAD_FRAME),
    (moment(2), framed(b"\x0e"), ErrorCode.BAD_FRAME),
    (ddl(), framed(b"\x0e"), ErrorCode.BAD_FRAME),
    (b"\x01{", None, ErrorCode.BAD_JSON),
    (b"\x01[]", None, ErrorCode.BAD_SHAPE),
    (b'\x01{"query":"\xff"}', None, ErrorCode.NOT_UTF8),
    (ddl(query=None), None, ErrorCode.BAD_SHAPE),
    (ddl(commitTs=0), None, ErrorCode.BAD_SHAPE),
    (ddl(commitTs=2**63), None, ErrorCode.BAD_SHAPE),
]


@pytest.mark.parametrize(("value", "key", "code"), NEITHER, ids=range(len(NEITHER)))
def test_what_is_neither(value: bytes, key: bytes | None, code: ErrorCode) -> None:
    assert of_avro(value, key).error_code == code


def test_such_messages_among_rows() -> None:
    schema = record(ID, *EXTENSION)
    texts = json.dumps(KEY), json.dumps(schema)
    rows: list[Message] = [
        (message(KEY, {"id": number}), message(schema, {"id": number, **extension("c")}), "{}", *texts)
        for number in range(FEW)
    ]
    others: list[Message] = [(None, moment(2), "{}", None, None), (None, ddl(), "{}", None, None)]
    others.append((message(KEY, {"id": 1}), moment(3), "{}", texts[0], None))
    assert read_together(avro, arrays([*rows, *others, *rows])) == 2 * FEW


# Debezium-Avro: envelopes without rows


def field(name: str, schema: Any, *, optional: bool = False) -> dict[str, Any]:
    members = {"name": name, "type": ["null", schema] if optional else schema, "connect.field": name}
    return {**members, "default": None} if optional else members


SOURCE_FIELDS = [
    *(field(name, "string") for name in ("version", "connector", "name", "db", "table", "file", "cluster_id")),
    *(field(name, "long") for name in ("ts_ms", "server_id", "pos", "commit_ts")),
    *(field(name, "string", optional=True) for name in ("snapshot", "gtid", "query")),
    field("row", "int"),
    field("thread", "long", optional=True),
]
TEXTS = {
    "version": "2.4.0.Final",
    "connector": "TiCDC",
    "name": "c",
    "file": "",
    "cluster_id": "c",
    "snapshot": "false",
}
SOURCE = {**TEXTS, **dict.fromkeys(("ts_ms", "server_id", "pos", "row", "thread"), 0), "gtid": None, "query": None}


def envelope(*fields: dict[str, Any], namespace: str) -> dict[str, Any]:
    source = field("source", record(*SOURCE_FIELDS, name="Source", namespace=namespace))
    return record(source, *fields, name="Envelope", namespace=namespace)


BLOCK = record(field("id", "string"), field("total_order", "long"), name="block", namespace="event")
WATERMARK = envelope(
    field("op", "string"),
    field("ts_ms", "long", optional=True),
    field("transaction", BLOCK, optional=True),
    namespace="c.watermark",
)
TEXT_LIST = {"type": "array", "items": "string"}
COLUMN = record(
    *(field(name, "string") for name in ("name", "typeName")),
    *(field(name, "string", optional=True) for name in ("typeExpression", "charsetName", "comment")),
    *(field(name, "int", optional=True) for name in ("length", "scale", "position")),
    *(field(name, "boolean", optional=True) for name in ("optional", "autoIncremented", "generated")),
    field("defaultValueExpression", "string", optional=True),
    field("enumValues", TEXT_LIST, optional=True),
    name="Column",
    namespace="io.debezium.connector.schema",
)
TABLE = record(
    field("defaultCharsetName", "string", optional=True),
    field("primaryKeyColumnNames", TEXT_LIST, optional=True),
    field("columns", {"type": "array", "items": COLUMN}),
    field("comment", "string", optional=True),
    name="Table",
    namespace="io.debezium.connector.schema",
)
CHANGE = record(
    field("type", "string"),
    field("id", "string"),
    field("table", TABLE, optional=True),
    name="Change",
    namespace="io.debezium.connector.schema",
)
CHANGES = envelope(
    field("ts_ms", "long"),
    field("databaseName", "string", optional=True),
    field("ddl", "string", optional=True),
    field("tableChanges", {"type": "array", "items": CHANGE}),
    namespace="c.shop",
)


def of_debezium(schema: Any, wire: dict[str, Any], options: str = "{}", **source: Any) -> Event:
    origin = {**SOURCE, "db": "shop", "table": "t", "commit_ts": COMMIT_TS, **source}
    key_schema = record(name="Key", namespace="c.watermark")
    value = message(schema, {"source": origin, "ts_ms": 1, **wire}, "glue" if "glue" in options else "confluent")
    key = framed(b"", "glue" if "glue" in options else "confluent")
    return decode_by(debezium_avro.decode, key, value, key_schema, schema, options)


@pytest.mark.parametrize("options", ["{}", GLUE])
def test_watermarks_of_debezium_avro(options: str) -> None:
    event = of_debezium(WATERMARK, {"op": "m", "transaction": None}, options, db="", table="")
    assert event == Event(Kind.WATERMARK, commit_ts=COMMIT_TS)


def table_column(name: str, word: str, **members: Any) -> dict[str, Any]:
    return {**dict.fromkeys(each["name"] for each in COLUMN["fields"]), "name": name, "typeName": word, **members}


def test_ddl_of_debezium_avro() -> None:
    columns = [
        table_column("id", "INT", optional=False),
        table_column("d", "DECIMAL", length=10, scale=2, optional=True, defaultValueExpression="1.50"),
        table_column("e", "ENUM", optional=True, enumValues=["'a'", "'b'"]),
    ]
    table = {"defaultCharsetName": "utf8mb4", "primaryKeyColumnNames": ["id"], "columns": columns, "comment": None}
    changes = [{"type": "CREATE", "id": '"shop"."t"', "table": table}]
    sql = "CREATE TABLE `t` (…)"
    event = of_debezium(CHANGES, {"databaseName": "shop", "ddl": sql, "tableChanges": changes})
    assert (event.kind, event.commit_ts, event.ddl_query, event.ddl_type) == (Kind.DDL, COMMIT_TS, sql, "CREATE")
    assert (event.schema_name, event.table_name) == ("shop", "t")
    assert json.loads(event.table_schema or b"") == [
        {"name": "id", "type": "int", "key": 1, "nullable": False},
        {"name": "d", "type": "decimal(10,2)", "key": None, "nullable": True, "default": "1.50"},
        {"name": "e", "type": "enum('a','b')", "key": None, "nullable": True},
    ]


def test_ddl_of_a_database_or_a_dropped_table() -> None:
    event = of_debezium(CHANGES, {"databaseName": "shop", "ddl": "DROP DATABASE `shop`", "tableChanges": []}, table="")
    assert (event.kind, event.ddl_query, event.table_schema) == (Kind.DDL, "DROP DATABASE `shop`", None)
    dropped = [{"type": "DROP", "id": '"shop"."t"', "table": None}]
    event = of_debezium(CHANGES, {"databaseName": "shop", "ddl": "DROP TABLE `t`", "tableChanges": dropped})
    assert (event.ddl_type, event.table_schema) == ("DROP", None)


def test_envelopes_without_row_that_are_neither() -> None:
    assert of_debezium(WATERMARK, {"op": "c", "transaction": None}).error_code == ErrorCode.UNKNOWN_KIND
    event = of_debezium(CHANGES, {"databaseName": "shop", "ddl": None, "tableChanges": []})
    assert event.error_code == ErrorCode.UNKNOWN_KIND
    assert of_debezium(record(ID), {"id": 1}).error_code == ErrorCode.BAD_SHAPE


ARRAYS = [
    (b"\x00", []),
    (b"\x02\x02\x04\x04\x06\x00", [1, 2, 3]),
    (b"\x03\x04\x02\x04\x00", [1, 2]),
    (b"\x80\x80\x80\x08", "more than"),
    (b"\x02\x02", "ends"),
]


@pytest.mark.parametrize(("data", "want"), ARRAYS)
def test_blocks_of_an_array(data: bytes, want: Any) -> None:
    """A block of a negative count has its size in bytes before its items."""
    schema = parse_schema(json.dumps(record(field("v", {"type": "array", "items": "int"}))), "value")
    if isinstance(want, str):
        with pytest.raises(DecodeError, match=want):
            read(schema, framed(data), "confluent", "value")
    else:
        assert read(schema, framed(data), "confluent", "value")[0] == [want]


@pytest.mark.parametrize("items", [None, "nowhere", TEXT_LIST, {"type": "record", "name": "e", "fields": []}])
def test_arrays_of_what_no_encoder_writes(items: Any) -> None:
    schema = record(field("tableChanges", {"type": "array", "items": items}))
    assert decode_by(debezium_avro.decode, None, framed(b"\x00"), None, schema).error_code == ErrorCode.BAD_AVRO


def test_watermarks_among_each_other_are_read_one_by_one() -> None:
    origin = {**SOURCE, "db": "", "table": "", "commit_ts": COMMIT_TS}
    value = message(WATERMARK, {"source": origin, "ts_ms": 1, "op": "m", "transaction": None})
    messages: list[Message] = [(framed(b""), value, "{}", json.dumps(record(name="Key")), json.dumps(WATERMARK))] * FEW
    assert read_together(debezium_avro, arrays(messages)) == 0
