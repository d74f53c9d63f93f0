"""Avro: the vectors, rows and keys, checksums, frames, and messages that are none."""

from __future__ import annotations

import json
from base64 import b64decode
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import orjson
import pytest
from support.avro import (
    CHECKSUM,
    COLUMNS,
    COMMIT_TS,
    EXTENSION,
    ID,
    KEY,
    OPTIONS,
    UUID_TEXT,
    before,
    body,
    column,
    column_type,
    decode,
    extension,
    framed,
    message,
    record,
    row,
)
from support.corpus import VECTORS, json_lines
from support.images import image_of

from ticdc_udfs.contract.events import ErrorCode, Event, Kind
from ticdc_udfs.wire.avro_binary import schema_id

VECTOR_LIST = [
    vector for name in ("avro", "seed_docs_avro") for vector in json_lines(VECTORS.with_name(f"{name}.jsonl"))
]
SEEN: set[str] = set()


def _vectors(*prefixes: str) -> Any:
    found = [vector for vector in VECTOR_LIST if vector["id"].startswith(prefixes)]
    SEEN.update(vector["id"] for vector in found)
    return pytest.mark.parametrize("vector", found, ids=[vector["id"] for vector in found])


# Records that no message can show: why
NOT_CASES = {
    "seed/avro/block1": "the outline of a schema, with placeholders for all that is in it",
    "seed/avro/block2": "the same",
    "seed/avro/block3": "the same; the extension's fields have defaults today, which changes no message",
    "avro/names/getAvroNamespace/3": "a table always has a schema",
    "avro/names/debezium getSchemaTopicName/0": "a name of Debezium's schemas, which no event shows",
}


@_vectors("avro/envelope-confluent")
def test_vector_envelope(vector: Mapping[str, Any]) -> None:
    value, expect = b64decode(vector["value_b64"]), vector["expect"]
    assert schema_id(value, "confluent") == str(expect["schema_id"])
    event = decode(value, expect["writer_schema"])
    assert (event.schema_name, event.table_name, event.op) == ("", "avroenvelope", "upsert")
    assert image_of(event.after) == {"id": str(expect["native"]["id"])}


@_vectors("avro/envelope-glue")
def test_vector_glue(vector: Mapping[str, Any]) -> None:
    value, expect = framed(bytes.fromhex("0e"), "glue"), vector["expect"]
    assert (len(value) - 1, value[0], value[1]) == (expect["header_len"], expect["byte0"], expect["byte1"])
    assert schema_id(value, "glue") == UUID_TEXT
    assert image_of(decode(value, record(ID), options=OPTIONS["glue"]).after) == {"id": "7"}


@_vectors(
    "avro/names/SanitizeName", *(f"avro/names/getAvroNamespace/{n}" for n in range(3)), "avro/names/schemaAndTableName"
)
def test_vector_names(vector: Mapping[str, Any]) -> None:
    """Names come sanitized and stay so; the schema is the namespace's second part."""
    expect = vector["expect"]
    function, output = expect["function"], expect["output"]
    name, namespace, want = ("t", output, output.partition(".")[2])
    if function == "SanitizeName":
        name, namespace, want = (output, f"default.{output}", output)
    elif function.startswith("schemaAndTableName"):
        namespace, want = expect["input"], output
    data = framed(body(record(ID), {"id": 1}))
    event = decode(data, record(column(name, "int", "INT"), name=name, namespace=namespace))
    if not namespace:
        assert event.error_code == ErrorCode.BAD_SHAPE
        return
    assert (event.schema_name, event.table_name, image_of(event.after)) == (want, name, {name: "1"})


@_vectors("avro/before-value/")
def test_vector_before_values(vector: Mapping[str, Any]) -> None:
    expect, with_extension = vector["expect"], vector["config"]["enable-tidb-extension"]
    columns = (ID, column("age", "int", "INT", nullable=True))
    extra = EXTENSION if with_extension else EXTENSION[:1]
    checksum = CHECKSUM if "_tidb_row_level_checksum" in expect else ()
    schema = record(
        *columns, before(*columns, name="person"), *extra, *checksum, name="person", namespace="default.test"
    )
    now = expect.get("row", {"id": 1, "age": 20})
    old = None if expect.get("_ticdc_before_is_null") else expect.get("_ticdc_before", now)
    wire = {**now, "_ticdc_before": old, **extension(expect["_tidb_op"])}
    if with_extension:
        wire["_tidb_commit_ts"] = expect.get("_tidb_commit_ts", 1024)
    if checksum:
        wire |= {"_tidb_row_level_checksum": "22", "_tidb_corrupted": False, "_tidb_checksum_version": 0}
    event = decode(message(schema, wire), schema, message(KEY, wire), KEY)
    texts = {name: str(number) for name, number in now.items()}
    old_texts = old and {name: str(number) for name, number in old.items()}
    deleted = expect["_tidb_op"] == "d"
    assert event.op == {"c": "insert", "u": "update", "d": "delete"}[expect["_tidb_op"]]
    assert (image_of(event.after), image_of(event.before)) == (None if deleted else texts, old_texts)
    assert (event.commit_ts, event.commit_ts_exact) == (
        (wire["_tidb_commit_ts"], True) if with_extension else (None, False)
    )
    assert event.lossy == (() if with_extension else ("*:no_commit_ts",))
    if checksum:
        assert orjson.loads(event.checksum_mismatch or b"")["sent"] == expect["checksum_previous"]


@_vectors("seed/avro/type/")
def test_vector_types(vector: Mapping[str, Any]) -> None:
    expect = vector["expect"]
    value: Any = {"string": "x", "bytes": b"\x01", "int": 1, "long": 1, "double": 1.5}[expect["avro_type"]]
    kinds = {expect["avro_type"], "float"} if expect["sql_type"] == "FLOAT" else {expect["avro_type"]}
    for kind in kinds:
        field = column(
            "v",
            kind,
            expect["tidb_type"],
            **({"logicalType": "decimal", "precision": 10, "scale": 4} if expect["tidb_type"] == "DECIMAL" else {}),
        )
        event = row(field, v=Decimal("1.5") if expect["tidb_type"] == "DECIMAL" else value)
        want = {"BLOB": "AQ==", "BIT": "1", "DECIMAL": "1.5000"}.get(expect["tidb_type"], str(value))
        assert image_of(event.after) == {"id": "1", "v": want}
        types = [each["type"] for each in orjson.loads(event.table_schema or b"")]
        assert types == ["int", "decimal(10,4)" if expect["tidb_type"] == "DECIMAL" else expect["tidb_type"].lower()]


FRAGMENTS = {
    "seed/avro/block4": "text",
    "seed/avro/block5": "text",
    "seed/avro/block6": "bit(64)",
    "seed/avro/block7": "enum('a','b','c')",
    "seed/avro/block8": "decimal(10,4)",
}


@_vectors(*FRAGMENTS)
def test_vector_fragments_of_schemas(vector: Mapping[str, Any]) -> None:
    """The documents' placeholders filled in; `ENUM/SET` stands for one word or the other."""
    text = json.dumps(vector["expect"]).replace("{{TIDB_TYPE}}", "TEXT").replace("{{AVRO_TYPE}}", "string")
    field = json.loads(text.replace("{{ColumnName}}", "v").replace("ENUM/SET", "ENUM"))
    assert column_type(field) == FRAGMENTS[vector["id"]]


def test_every_vector_is_a_case_or_says_why_not() -> None:
    assert {vector["id"] for vector in VECTOR_LIST} == SEEN | NOT_CASES.keys()
    assert not SEEN & NOT_CASES.keys()


NEW, OLD = {"id": 1, "a": "x", "b": None}, {"id": 1, "a": "y", "b": "z"}
NEW_TEXTS, OLD_TEXTS = {**NEW, "id": "1"}, {**OLD, "id": "1"}
NULL_FLAGS = ("b:null_or_generated",)


def test_insert_and_update_without_old_image() -> None:
    schema = record(*COLUMNS, *EXTENSION)
    for letter, op in (("c", "insert"), ("u", "update")):
        event = decode(message(schema, {**NEW, **extension(letter)}), schema, message(KEY, NEW), KEY)
        assert (event.kind, event.op, event.before, image_of(event.after)) == (Kind.ROW, op, None, NEW_TEXTS)
        assert (event.schema_name, event.table_name, event.row_key) == ("shop", "t", b'{"id":"1"}')
        assert (event.commit_ts, event.commit_ts_exact, event.before_key) == (COMMIT_TS, True, None)
        assert event.lossy == NULL_FLAGS


def test_without_extension_an_insert_looks_like_an_update() -> None:
    schema = record(*COLUMNS)
    event = decode(message(schema, NEW), schema, message(KEY, NEW), KEY)
    assert (event.op, event.before, image_of(event.after)) == ("upsert", None, NEW_TEXTS)
    assert (event.commit_ts, event.commit_ts_exact, event.lossy) == (None, False, ("*:no_commit_ts", *NULL_FLAGS))


def test_a_deletion_is_a_tombstone_with_the_row_in_the_key() -> None:
    key_schema = record(column("b", "string", "TEXT"), ID, column("u", "long", "BIGINT UNSIGNED"))
    key = message(key_schema, {"b": "x", "id": 1, "u": -1})
    event = decode(None, None, key, key_schema)
    want = {"b": "x", "id": "1", "u": "18446744073709551615"}
    assert (event.kind, event.op, event.after) == (Kind.ROW, "delete", None)
    assert list((image_of(event.row_key) or {}).items()) == list(want.items())
    assert (event.before, event.schema_name, event.table_name) == (event.row_key, "shop", "t")
    assert (event.commit_ts, event.commit_ts_exact, event.lossy) == (None, False, ("*:no_commit_ts",))
    table = orjson.loads(event.table_schema or b"")
    assert [(each["name"], each["key"]) for each in table] == [("b", 1), ("id", 2), ("u", 3)]


@pytest.mark.parametrize("key", [None, b""])
def test_a_deletion_without_key_names_no_row(key: bytes | None) -> None:
    event = decode(None, None, key)
    assert event == Event(Kind.ROW, commit_ts_exact=False, op="delete")


def test_an_empty_value_is_no_tombstone() -> None:
    assert decode(b"", None, message(KEY, {"id": 1}), KEY).error_code == ErrorCode.EMPTY_VALUE


@pytest.mark.parametrize("key", [None, b""])
def test_without_kafka_key_the_whole_row_is_the_key(key: bytes | None) -> None:
    """TiCDC's key is the primary key alone, the unique key of a table without one is not in it (facts 2.5)."""
    schema = record(*COLUMNS, *EXTENSION)
    event = decode(message(schema, {**NEW, **extension("c")}), schema, key)
    assert (event.lossy, event.row_key) == (("*:no_key", *NULL_FLAGS), event.after)


def test_the_key_has_its_own_order() -> None:
    columns = (column("a", "string", "TEXT"), column("b", "int", "INT"), column("c", "int", "INT"))
    schema, key_schema = record(*columns, *EXTENSION), record(columns[2], columns[0])
    wire = {"a": "x", "b": 1, "c": 2, **extension("c")}
    event = decode(message(schema, wire), schema, message(key_schema, wire), key_schema)
    assert event.row_key == b'{"c":"2","a":"x"}'
    table = orjson.loads(event.table_schema or b"")
    assert [(each["name"], each["key"]) for each in table] == [("a", 2), ("b", None), ("c", 1)]


def test_an_update_that_moves_the_row_names_both_keys() -> None:
    schema = record(*COLUMNS, before(*COLUMNS), *EXTENSION)
    for letter, before_key in (("u", b'{"id":"2"}'), ("d", None)):
        wire = {**NEW, "_ticdc_before": {**OLD, "id": 2}, **extension(letter)}
        event = decode(message(schema, wire), schema, message(KEY, wire), KEY)
        assert (event.row_key, event.before_key) == (b'{"id":"1"}', before_key)


def test_a_deletion_with_before_value_holds_the_row() -> None:
    schema = record(*COLUMNS, before(*COLUMNS), *EXTENSION)
    for old in (OLD, None):
        event = decode(message(schema, {**OLD, "_ticdc_before": old, **extension("d")}), schema, message(KEY, OLD), KEY)
        assert (event.op, image_of(event.before), event.after, event.row_key) == (
            "delete",
            OLD_TEXTS,
            None,
            b'{"id":"1"}',
        )


def test_an_unknown_operation() -> None:
    assert row(op="r").error_code == row(op="").error_code == ErrorCode.UNKNOWN_KIND


def test_a_commit_beyond_doubles_is_exact() -> None:
    for commit_ts in (2**53 + 1, 470610923863932929, 2**63 - 1):
        schema = record(ID, *EXTENSION)
        wire = {"id": 1, **extension("c", _tidb_commit_ts=commit_ts)}
        assert decode(message(schema, wire), schema).commit_ts == commit_ts
    for commit_ts in (0, -1):
        wire = {"id": 1, **extension("c", _tidb_commit_ts=commit_ts)}
        assert decode(message(schema, wire), schema).error_code == ErrorCode.BAD_VALUE


def test_columns_named_like_the_extension_stay_columns() -> None:
    fields = (column("_tidb_x", "string", "TEXT"), column("_tidb_op", "string", "TEXT"))
    schema = record(ID, *fields)
    event = decode(message(schema, {"id": 1, "_tidb_x": "x", "_tidb_op": "c"}), schema)
    assert (event.op, image_of(event.after)) == ("upsert", {"id": "1", "_tidb_x": "x", "_tidb_op": "c"})


def test_virtual_columns_come_as_null() -> None:
    """0.1 line 9: the classic encoder leaves them out, the new one sends NULL, and nothing tells them from others."""
    event = row(column("area", "int", "INT", nullable=True), area=None)
    assert (image_of(event.after), event.lossy) == ({"id": "1", "area": None}, ("area:null_or_generated",))


def _checksummed(sent: str, **changed: Any) -> Event:
    """A row of a real feed, whose columns' ids are in another order than the columns (0.1 line 2)."""
    labels = 'a,b,c\\,d,it\'s,"q",, sp,日本'
    fields = (
        ID,
        column("e", "string", "ENUM", nullable=True, allowed=labels),
        column("enn", "string", "ENUM", default="m", allowed="n,m"),
        column("s", "string", "SET", nullable=True, allowed="a,b,c d,e'f"),
        column("s64", "string", "SET", nullable=True, allowed=",".join(f"m{n}" for n in range(64))),
        column("snn", "string", "SET", default="", allowed="x,y"),
        column("j", "string", "JSON", nullable=True),
        column("v", "string", "TiDBVECTORFloat32", nullable=True),
        column("v3", "string", "TiDBVECTORFloat32", nullable=True),
    )
    schema = record(*fields, *EXTENSION, *CHECKSUM)
    wire = {"id": 2, "e": "c,d", "enn": "n", "s": "a,e'f", "s64": ",".join(f"m{n}" for n in range(64)), "snn": "y"}
    wire |= {"j": None, "v": "[1,2.5,-30000000000]", "v3": "[1,2,3]", **changed, **extension("c")}
    wire |= {"_tidb_row_level_checksum": sent, "_tidb_corrupted": False, "_tidb_checksum_version": 2}
    return decode(message(schema, wire), schema, message(KEY, wire), KEY)


def test_a_row_checksum_that_agrees() -> None:
    event = _checksummed("481311273")
    assert (event.kind, event.checksum_mismatch) == (Kind.ROW, None), event.error_message


@pytest.mark.parametrize("sent", ["", "0"])
def test_a_row_checksum_that_was_not_taken(sent: str) -> None:
    assert _checksummed(sent).checksum_mismatch is None


def test_a_row_checksum_that_differs_drops_nothing() -> None:
    for event in (_checksummed("481311274"), _checksummed("481311273", snn="x")):
        assert event.kind == Kind.ROW and event.after is not None
        found = orjson.loads(event.checksum_mismatch or b"")
        assert found["sent"] != found["computed"]


@pytest.mark.parametrize("sent", ["x", "-1", "9" * 11, "1.5", "٣"])
def test_a_row_checksum_that_is_none(sent: str) -> None:
    assert _checksummed(sent).error_code in (ErrorCode.BAD_VALUE, None)
    assert sent == "٣" or _checksummed(sent).error_code == ErrorCode.BAD_VALUE


def test_text_that_is_not_utf_8_is_flagged() -> None:
    schema = record(ID, column("v", "string", "TEXT"), *EXTENSION)
    wire = {"id": 1, "v": "ab", **extension("c")}
    value = message(schema, wire).replace(b"ab", b"a\xff")
    event = decode(value, schema, message(KEY, wire), KEY)
    assert (image_of(event.after), event.lossy) == ({"id": "1", "v": "a\ufffd"}, ("v:invalid_utf8",))
    key_schema = record(column("v", "string", "TEXT"))
    deleted = decode(None, None, framed(b"\x02\xff"), key_schema)
    assert deleted.lossy == ("*:no_commit_ts", "v:invalid_utf8")


@pytest.mark.parametrize("framing", ["confluent", "glue"])
def test_framing(framing: Any) -> None:
    schema = record(ID, *EXTENSION)
    wire = {"id": 1, **extension("c")}
    value, key = message(schema, wire, framing), message(KEY, wire, framing)
    event = decode(value, schema, key, KEY, OPTIONS[framing])
    assert image_of(event.after) == {"id": "1"}
    other = "glue" if framing == "confluent" else "confluent"
    for end in (0, 1, 4):
        assert schema_id(value[:end], framing) is None
    assert decode(value, schema, key, KEY, OPTIONS[other]).error_code == ErrorCode.BAD_FRAME
    assert decode(value, schema, b"x", KEY, OPTIONS[framing]).error_code == ErrorCode.BAD_FRAME
    assert decode(None, None, b"x", KEY, OPTIONS[framing]).error_code == ErrorCode.BAD_FRAME


def test_a_schema_that_is_missing_is_told_with_its_id() -> None:
    schema = record(ID, *EXTENSION)
    wire = {"id": 1, **extension("c")}
    value, key = message(schema, wire), framed(body(KEY, wire), schema_id=9)
    for event, text in (
        (decode(value, None, key, KEY), "the value's writer schema 7 is not known"),
        (decode(value, schema, key, None), "the key's writer schema 9 is not known"),
        (decode(None, None, key, None), "the key's writer schema 9 is not known"),
    ):
        assert (event.error_code, event.error_message) == (ErrorCode.SCHEMA_MISSING, text)


BAD_SCHEMAS = [
    "",
    "{",
    "[]",
    '"string"',
    "[" * 100_000,
    '{"type":"record"}',
    '{"type":"record","name":"t","fields":{}}',
    '{"type":"record","name":"t","fields":[]}',
    '{"type":"record","name":"t","fields":[1]}',
    json.dumps(record(ID, ID)),
    json.dumps(record({"name": "v"})),
    json.dumps(record({"name": "v", "type": ["null", "int", "string"]})),
    json.dumps(record({"name": "v", "type": ["int"]})),
    json.dumps(record({"name": "v", "type": {"type": "array", "items": "int"}})),
    json.dumps(record({"name": "v", "type": "default.shop.t"})),
    json.dumps(record({"name": "v", "type": record(ID, name="x")})),
    json.dumps(record({"name": "v", "type": record({"name": "w", "type": record(ID, name="y")}, name="x")})),
    json.dumps(record(column("v", "bytes", "DECIMAL", logicalType="decimal", precision=-1, scale=2))),
    json.dumps(record(column("v", "bytes", "DECIMAL", logicalType="decimal", precision="5"))),
    json.dumps(record({"name": "v", "type": "int"}, name="t") | {"namespace": 5}),
]


@pytest.mark.parametrize("schema", BAD_SCHEMAS, ids=range(len(BAD_SCHEMAS)))
def test_schemas_of_another_kind(schema: str) -> None:
    value, key = framed(b"\x02" * 8), message(KEY, {"id": 1})
    for event in (
        decode(value, schema, key, KEY),
        decode(value, record(ID), key, schema),
        decode(None, None, key, schema),
    ):
        assert event.error_code in (ErrorCode.BAD_AVRO, ErrorCode.BAD_SHAPE), event.error_message


def test_a_key_of_another_table() -> None:
    schema = record(column("a", "int", "INT"))
    event = decode(message(schema, {"a": 1}), schema, message(KEY, {"id": 1}), KEY)
    assert event.error_code == ErrorCode.BAD_SHAPE


@pytest.mark.parametrize("key_schema", [KEY, None])
def test_an_old_row_that_lacks_a_column_of_the_key(key_schema: Any) -> None:
    """Without message key the whole row is the key."""
    schema = record(ID, before(column("a", "int", "INT")))
    value = message(schema, {"id": 1, "_ticdc_before": {"a": 1}})
    event = decode(value, schema, key_schema and message(KEY, {"id": 1}), key_schema)
    assert event.error_code == ErrorCode.BAD_SHAPE


BROKEN = [
    (b"", "ends"),
    (b"\x02", "ends"),
    (b"\x02\x08abc", "ends"),
    (b"\x02\x01", "ends"),
    (b"\x02\x06abc\x00", "after"),
    (b"\x80" * 9, "ends"),
    (b"\xff" * 10 + b"\x01", "64 bits"),
    (b"\xff" * 9 + b"\x02\x00", "64 bits"),
    (b"\x02\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01", "ends"),
]


@pytest.mark.parametrize(("data", "place"), BROKEN, ids=range(len(BROKEN)))
def test_bodies_of_another_kind(data: bytes, place: str) -> None:
    event = decode(framed(data), record(ID, column("v", "string", "TEXT")))
    assert event.error_code == ErrorCode.BAD_AVRO
    assert place in (event.error_message or "")


def test_a_union_has_two_branches_and_a_boolean_two_values() -> None:
    assert decode(framed(b"\x04"), record(column("v", "int", "INT", nullable=True))).error_code == ErrorCode.BAD_AVRO
    assert decode(framed(b"\x02"), record(column("v", "boolean", "BIT"))).error_code == ErrorCode.BAD_AVRO
    assert image_of(decode(framed(b"\x01"), record(column("v", "boolean", "BIT"))).after) == {"v": "1"}


def test_error_messages_hold_no_value_of_the_message() -> None:
    secret = "s3cr3t"
    field = column("v", "string", "TIMESTAMP")
    for event in (
        row(field, v=secret, options='{"time_zone":"Asia/Tokyo"}'),
        row(op=secret),
        decode(framed(secret.encode()), record(column(secret, "string", "TEXT"))),
        decode(framed(b"\x02"), '{"type":"record","name":"' + secret),
        decode(framed(b"\x02"), record({"name": secret, "type": secret})),
        _checksummed(secret),
    ):
        assert event.kind == Kind.ERROR
        assert secret not in (event.error_message or "")
