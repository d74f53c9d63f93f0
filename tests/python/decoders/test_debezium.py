"""Debezium JSON: the vectors, rows and keys, and messages that are none."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections import defaultdict
from collections.abc import Mapping
from typing import Any

import cramjam
import pytest
from support.corpus import DATA, json_lines
from support.debezium import (
    BIT12,
    BOTH,
    COMMIT_TS,
    DATE,
    FIELDS,
    INT,
    KEY,
    MILLIS,
    NEW,
    OLD,
    TEXT,
    UBIGINT,
    VARCHAR,
    ZONED,
    ddl_message,
    decode,
    field,
    flags_of,
    key_message,
    row_message,
    source,
    to_bytes,
    watermark_message,
)
from support.images import image_of, schema_of

from ticdc_udfs.contract.events import ErrorCode, Event, Kind
from ticdc_udfs.protocols.debezium.values import converter

VECTOR_LIST = [
    vector for name in ("debezium", "seed_docs_debezium") for vector in json_lines(DATA / "vectors" / f"{name}.jsonl")
]
NOT_DECODED = {
    "debezium/testdata/datatype": ErrorCode.BAD_SHAPE,  # of Debezium's own connector for MySQL: no commit_ts
}


@pytest.mark.parametrize("vector", VECTOR_LIST, ids=lambda v: v["id"])
def test_vector_messages(vector: Mapping[str, Any]) -> None:
    expect = vector["expect"]
    event = decode(b64decode(vector["value_b64"]), b64decode(vector["key_b64"]))
    if vector["id"] in NOT_DECODED:
        assert (event.kind, event.error_code) == (Kind.ERROR, NOT_DECODED[vector["id"]])
        return
    assert (event.commit_ts, event.commit_ts_exact) == (expect["commit_ts"], True)
    if expect["kind"] == "watermark":
        assert event == Event(Kind.WATERMARK, commit_ts=expect["commit_ts"])
        return
    assert (event.schema_name, event.table_name) == (expect["schema"], expect["table"])
    if expect["kind"] == "ddl":
        changes = json.loads(b64decode(vector["value_b64"]))["payload"]["tableChanges"]
        assert (event.kind, event.ddl_query, event.ddl_type) == (Kind.DDL, expect["sql"], changes[0]["type"])
        columns = (changes[0]["table"] or {}).get("columns")
        schema = schema_of(event.table_schema)
        assert columns is schema is None or [c["name"] for c in columns] == [c["name"] for c in schema or ()]
        return
    texts = {
        name: None if expect[name] is None else {k: str(v) for k, v in expect[name].items()}
        for name in ("before", "after")
    }
    assert (event.kind, event.op) == (Kind.ROW, expect["kind"])
    assert (image_of(event.before), image_of(event.after)) == (texts["before"], texts["after"])
    assert image_of(event.row_key) == {name: str(value) for name, value in expect["key"].items()}
    inline = "schema" in json.loads(b64decode(vector["value_b64"]))
    assert event.lossy == (() if inline else ("*:no_schema",))


def _all_types() -> tuple[dict[str, Any], dict[str, Any], Mapping[str, Any]]:
    vector = next(v for v in VECTOR_LIST if v["id"] == "debezium/testdata/datatype")
    key, value = (json.loads(b64decode(vector[name])) for name in ("key_b64", "value_b64"))
    value["payload"]["source"]["commit_ts"] = COMMIT_TS
    return key, value, vector["expect"]


CANONICAL = {
    "pk": "1",
    "col_d_2023": "2023-11-30",
    "col_d_1000": "1000-01-01",
    "col_d_9999": "9999-12-31",
    "col_d_0000": None,
    "col_dt": "2023-11-30 12:34:56",
    "col_dt_fsp_0": "2023-11-30 12:34:56",
    "col_dt_fsp_1": "2023-11-30 12:34:56.1",
    "col_dt_fsp_4": "2023-11-30 12:34:56.1235",
    "col_dt_fsp_6": "2023-11-30 12:34:56.123456",
    "col_dt_0000": None,
    "col_t": "12:34:56",
    "col_t_fsp_0": "12:34:56",
    "col_t_fsp_1": "12:34:56.1",
    "col_t_fsp_4": "12:34:56.1235",
    "col_t_fsp_6": "12:34:56.123456",
    "col_t_neg": "-12:34:56.123456",
    "col_ts": "2023-11-30 12:34:56",
    "col_ts_fsp_0": "2023-11-30 12:34:56",
    "col_ts_fsp_1": "2023-11-30 12:34:56.1",
    "col_ts_fsp_5": "2023-11-30 12:34:56.12346",
    "col_ts_fsp_6": "2023-11-30 12:34:56.123456",
    "col_y": "2023",
    "col_bit_1": "1",
    "col_bit_5": "16",
    "col_bit_6": "16",
    "col_bit_60": "16",
    "col_varchar": "foo",
    "col_char": "foo",
    "col_varbinary": b64encode(b"foo").decode(),
    "col_binary": b64encode(b"foo".ljust(100, b"\0")).decode(),
    "col_blob": b64encode(b"foo").decode(),
    "col_decimal": "12345.12345",
    "col_numeric": "12345.12345",
    "col_float": "12345.123",
    "col_double": "12345.12345",
    "col_int": "-2147483648",
    "col_int_unsigned": "4294967295",
    "col_tinyint": "-128",
    "col_tinyint_unsigned": "255",
    "col_smallint": "-32768",
    "col_smallint_unsigned": "65535",
    "col_mediumint": "-8388608",
    "col_mediumint_unsigned": "16777215",
    "col_bigint": "-9223372036854775808",
    "col_bigint_unsigned": "-1",
    "col_enum": "a",
    "col_enum_invalid": "",
    "col_set": "a,b",
    "col_set_invalid": "",
    "col_json": '["foo"]',
}


def test_every_type_of_the_recorded_row_by_its_inline_schema() -> None:
    """Without the extension only what Kafka Connect's types tell is known: numbers may be decimal or unsigned."""
    key, value, _ = _all_types()
    event = decode(value, key)
    assert event.kind == Kind.ROW, event.error_message
    assert image_of(event.after) == CANONICAL
    by_reason: dict[str, set[str]] = defaultdict(set)
    for flag in event.lossy:
        by_reason[flag.rpartition(":")[2]].add(flag.rpartition(":")[0])
    assert by_reason["zero_date"] == {"col_d_0000", "col_dt_0000"}
    temporal = {name for name in CANONICAL if name.startswith(("col_dt", "col_t_")) or name == "col_t"}
    open_numbers = {"col_decimal", "col_numeric", "col_double", "col_bigint", "col_bigint_unsigned"}
    assert by_reason["no_schema"] == temporal | open_numbers
    assert by_reason.keys() == {"zero_date", "no_schema"}


def test_every_type_of_the_recorded_row_by_the_tables_schema() -> None:
    key, value, _ = _all_types()
    del value["schema"]
    event = decode(value, {"payload": key["payload"]})
    assert event.lossy == ("*:no_schema",)
    types = {name: name.removeprefix("col_").replace("_unsigned", " unsigned") for name in CANONICAL}
    for name in CANONICAL:
        for prefix, word in (("col_dt", "datetime"), ("col_ts", "timestamp"), ("col_t_", "time"), ("col_d_", "date")):
            if name.startswith(prefix):
                types[name] = word + (f"({name[-1]})" if "_fsp_" in name else "")
    types |= {"col_dt_0000": "datetime(6)", "col_t": "time", "col_t_neg": "time(6)", "col_y": "year(4)", "pk": "int"}
    types |= {"col_decimal": "decimal(10,5)", "col_numeric": "decimal(12,6)", "col_set": "set('a','b')"}
    types |= {"col_bit_1": "bit", "col_bit_5": "bit(5)", "col_bit_6": "bit(6)", "col_bit_60": "bit(60)"}
    types |= {"col_set_invalid": "set('a')", "col_enum": "enum('a')", "col_enum_invalid": "enum('a')"}
    got = {}
    for name, text in (image_of(event.after) or {}).items():
        convert = converter(types[name])
        got[name] = text if convert is None or text is None else convert(text)[0]
    assert got == CANONICAL | {"col_numeric": "12345.123450", "col_bigint_unsigned": str(2**64 - 1)}


@BOTH
def test_insert(fields: Any) -> None:
    event = decode(row_message(NEW, fields), key_message({"id": 1}, fields))
    assert (event.kind, event.op, event.before, image_of(event.after)) == (Kind.ROW, "insert", None, TEXT)
    assert (event.schema_name, event.table_name, event.row_key) == ("shop", "t", b'{"id":"1"}')
    assert (event.commit_ts, event.commit_ts_exact, event.start_ts) == (COMMIT_TS, True, None)
    assert (event.before_key, event.lossy) == (None, flags_of(fields))
    assert (event.table_schema is not None) is bool(fields)


@BOTH
def test_update_and_delete(fields: Any) -> None:
    event = decode(row_message(NEW, fields, op="u", before=OLD), key_message({"id": 1}, fields))
    assert (event.op, image_of(event.before), image_of(event.after)) == ("update", {**TEXT, "a": "y", "b": "z"}, TEXT)
    assert (event.row_key, event.before_key) == (b'{"id":"1"}', None)
    event = decode(row_message(None, fields, op="d", before=NEW), key_message({"id": 1}, fields))
    assert (event.op, image_of(event.before), event.after, event.row_key) == ("delete", TEXT, None, b'{"id":"1"}')


@BOTH
def test_an_update_without_old_value_lacks_before(fields: Any) -> None:
    """0.1 and 2.3: with `output-old-value=false` the member is missing."""
    message = row_message(NEW, fields, op="u")
    del message["payload"]["before"]
    event = decode(message, KEY)
    assert (event.op, event.before, event.before_key, image_of(event.after)) == ("update", None, None, TEXT)


@BOTH
def test_an_update_that_moves_the_row_names_both_keys(fields: Any) -> None:
    message = row_message({**NEW, "id": 2}, fields, op="u", before=OLD)
    event = decode(message, key_message({"id": 2}, fields))
    assert (event.row_key, event.before_key) == (b'{"id":"2"}', b'{"id":"1"}')


@BOTH
@pytest.mark.parametrize("key", [None, b"", {"payload": {}}], ids=["null", "empty", "no handle key"])
def test_without_key_the_whole_row_is_the_key(fields: Any, key: Any) -> None:
    """1.8: releases before v8.5.0 send no key."""
    event = decode(row_message(NEW, fields, op="u", before=OLD), key)
    assert event.lossy == flags_of(fields, "*:no_key")
    assert (image_of(event.row_key), image_of(event.before_key)) == (TEXT, {**TEXT, "a": "y", "b": "z"})


@BOTH
@pytest.mark.parametrize("key", [{"nowhere": 1}, {"id": 1, "nowhere": 1}])
def test_without_a_column_of_the_key_the_whole_row_is_the_key(fields: Any, key: Any) -> None:
    """Column selectors may leave the primary key out where a unique key stays (facts 2); part of it is no key."""
    wire_key = key_message(key, fields and [*FIELDS, field("nowhere", INT)])
    for message in (
        row_message(NEW, fields),
        row_message(NEW, fields, op="u", before=OLD),
        row_message(None, fields, op="d", before=OLD),
    ):
        for _ in range(2):  # before and after a row of the table was read
            event = decode(message, wire_key)
            assert event == decode(message, None)
            assert event.lossy == flags_of(fields, "*:no_key")


@BOTH
def test_the_key_has_the_order_of_the_message_key(fields: Any) -> None:
    event = decode(row_message(NEW, fields), key_message({"a": "x", "id": 1}, fields and [FIELDS[1], FIELDS[0]]))
    assert event.row_key == b'{"a":"x","id":"1"}'
    if fields:
        schema = schema_of(event.table_schema) or []
        assert [(c["name"], c["key"]) for c in schema] == [("id", 2), ("a", 1), ("b", None)]


def test_a_table_whose_key_changes_under_the_same_row_schema() -> None:
    for key in ({"id": 1}, {"a": "x"}, {}, {"id": 1, "a": "x"}, {"id": 1}):
        event = decode(row_message(NEW, FIELDS), key_message(key, FIELDS))
        want = {name: str(value) for name, value in key.items()} or TEXT
        assert image_of(event.row_key) == want
        assert event.lossy == (() if key else ("*:no_key",))
        places = {c["name"]: c["key"] for c in schema_of(event.table_schema) or ()}
        assert [name for name in places if places[name]] == list(key)


def test_start_ts_where_sent() -> None:
    assert decode(row_message(NEW, source=source(start_ts=7))).start_ts == 7


def test_commit_ts_beyond_doubles_is_exact() -> None:
    for commit_ts in (2**53 + 1, 470610923863932929, 2**63 - 1):
        assert decode(row_message(NEW, source=source(commit_ts=commit_ts))).commit_ts == commit_ts


def test_the_same_row_read_first_and_read_again() -> None:
    """Later rows of a table do not have their inline schema read again."""
    for _ in range(2):
        first = decode(row_message(NEW, FIELDS), KEY)
        other = decode(row_message(NEW, [*FIELDS[:2], field("b", {"tidb_type": "blob", "type": "string"})]), KEY)
        again = decode(row_message({**NEW, "a": "y"}, FIELDS), KEY)
        fewer = decode(row_message({"id": 1, "b": "z"}, FIELDS), KEY)
        assert first.table_schema_id == again.table_schema_id != other.table_schema_id
        assert [c["type"] for c in schema_of(other.table_schema) or ()] == ["int", "varchar", "blob"]
        assert (image_of(again.after), image_of(fewer.after)) == ({**TEXT, "a": "y"}, {"id": "1", "b": "z"})


def test_columns_named_like_members_of_the_envelope() -> None:
    row = {"schema": "x", "payload": "y", "after": None, "op": "m", "ddl": "z"}
    fields = [field(name, VARCHAR) for name in row]
    for shape in (fields, None):
        for _ in range(2):
            event = decode(row_message(row, shape), key_message({"schema": "x"}, shape))
            assert (event.kind, event.op, image_of(event.after)) == (Kind.ROW, "insert", row)
            assert event.row_key == b'{"schema":"x"}'
    event = decode(row_message({"id": 1, "schema": 5}, [FIELDS[0], field("schema", INT)]), KEY)
    assert image_of(event.after) == {"id": "1", "schema": "5"}


def test_virtual_columns_are_in_the_schema_alone() -> None:
    """2.3: the encoder lists them twice, and no row holds them."""
    virtual = field("v", INT)
    event = decode(row_message(NEW, [*FIELDS[:1], virtual, *FIELDS[1:], virtual]), KEY)
    assert image_of(event.after) == TEXT
    assert [c["name"] for c in schema_of(event.table_schema) or ()] == ["id", "a", "b"]


def test_members_in_another_order_and_with_spaces() -> None:
    message = row_message(NEW, FIELDS)
    spaced = json.dumps({"schema": message["schema"], "payload": message["payload"]}, indent=1).encode()
    assert decode(spaced, KEY) == decode(message, KEY)


def test_a_member_that_is_there_twice() -> None:
    value = to_bytes(row_message(NEW, FIELDS)).replace(b'"a":"x"', b'"a":null,"a":"x"')
    assert image_of(decode(value, KEY).after) == TEXT


@pytest.mark.parametrize("default", ["", "ab", "abcd", "00ff", "xyz", "a b", 'q"\\', "\0\ufffd"])
@pytest.mark.parametrize("feed", ["{}", '{"binary_handling_mode": "base64"}'])
@pytest.mark.parametrize("shape", [{"tidb_type": "varbinary", "type": "string"}, {"type": "string"}, None])
def test_null_of_a_binary_column_that_the_encoder_writes_twice(
    default: str, feed: str, shape: dict[str, Any] | None
) -> None:
    """3.6: classic TiCDC writes its default in base64, and once more as it stands."""
    fields = None if shape is None else [*FIELDS, field("c", shape, default=default)]
    base64 = b64encode(default.encode())
    other = b'"c":"' + base64 + b'"'
    twice = other + b',"c":' + json.dumps(default, ensure_ascii=False).encode()
    for old, new in ((other, twice), (twice, other), (twice, twice), (twice, b'"c":"eHg="')):
        message = row_message({**NEW, "c": "new"}, fields, op="u", before={**NEW, "c": "old"})
        value = to_bytes(message).replace(b'"c":"old"', old).replace(b'"c":"new"', new)
        for _ in "12":  # a schema is read once
            event = decode(value, KEY, feed)
            for image, wire in ((event.before, old), (event.after, new)):
                cell = image_of(image)["c"]
                assert (cell is None) is (wire is twice)
        once = value.replace(twice, b'"c":null')
        assert event == decode(once, KEY, feed)


def _packed(value: bytes, codec: str) -> bytes:
    return bytes(cramjam.snappy.compress_raw(value) if codec == "snappy" else cramjam.lz4.compress(value))


@pytest.mark.parametrize("codec", ["snappy", "lz4"])
def test_key_and_value_are_compressed(codec: str) -> None:
    """1.2."""
    text = json.dumps({"compression": codec})
    for value, key in (
        (row_message(NEW, FIELDS), KEY),
        (watermark_message(5), {"payload": {}}),
        (row_message(NEW), KEY),
    ):
        packed, packed_key = (_packed(to_bytes(part), codec) for part in (value, key))
        assert decode(packed, packed_key, text) == decode(value, key)
    bare = decode(_packed(to_bytes(row_message(NEW, FIELDS)), codec), KEY, text)
    assert bare.error_code == ErrorCode.BAD_COMPRESSION


def test_watermark() -> None:
    assert decode(watermark_message(470610923774279681)) == Event(Kind.WATERMARK, commit_ts=470610923774279681)


def test_columns_that_came_later_than_the_schema_are_told() -> None:
    event = decode(row_message({**NEW, "late": 1}, FIELDS), KEY)
    assert event.error_code == ErrorCode.BAD_SHAPE


def _without(message: Mapping[str, Any], *path: str) -> dict[str, Any]:
    copy: dict[str, Any] = json.loads(json.dumps(message))
    inner = copy
    for name in path[:-1]:
        inner = inner[name]
    del inner[path[-1]]
    return copy


ROW = row_message(NEW, FIELDS)
BROKEN = [
    (None, ErrorCode.EMPTY_VALUE),
    (b"", ErrorCode.EMPTY_VALUE),
    (b"{", ErrorCode.BAD_JSON),
    (b"\xff\xfe", ErrorCode.BAD_JSON),
    (to_bytes(ROW) + b"{}", ErrorCode.BAD_JSON),
    (to_bytes(ROW)[:-1], ErrorCode.BAD_JSON),
    (b'{"x":' + b"[" * 100_000, ErrorCode.BAD_JSON),
    (b"[]", ErrorCode.BAD_SHAPE),
    (b"{}", ErrorCode.BAD_SHAPE),
    (to_bytes(ROW).replace(b'"shop"', b'"\xff"'), ErrorCode.NOT_UTF8),
    (to_bytes(row_message(NEW)).replace(b'"a"', b'"\xff"'), ErrorCode.NOT_UTF8),
    (to_bytes(ddl_message("ddl")).replace(b'"ddl":"ddl"', b'"ddl":"\xff"'), ErrorCode.NOT_UTF8),
    (_without(ROW, "payload", "source"), ErrorCode.BAD_SHAPE),
    (_without(ROW, "payload", "source", "commit_ts"), ErrorCode.BAD_SHAPE),
    (_without(ROW, "payload", "op"), ErrorCode.UNKNOWN_KIND),
    (row_message(NEW, FIELDS, op="r"), ErrorCode.UNKNOWN_KIND),
    (row_message(None, FIELDS), ErrorCode.BAD_SHAPE),
    (row_message(NEW, FIELDS, op="d"), ErrorCode.BAD_SHAPE),
    (row_message(None, FIELDS, op="u", before=NEW), ErrorCode.BAD_SHAPE),
    (row_message(NEW, FIELDS, op="u", before={"id": 1}), ErrorCode.BAD_SHAPE),
    (row_message({"id": 1}, op="d", before={"a": "x"}), ErrorCode.BAD_SHAPE),
    (row_message(NEW, FIELDS[:2]), ErrorCode.BAD_SHAPE),
    (row_message(NEW, []), ErrorCode.BAD_SHAPE),
    (row_message({**NEW, "a": {}}, FIELDS), ErrorCode.BAD_SHAPE),
    (row_message({**NEW, "a": ["x"]}), ErrorCode.BAD_SHAPE),
    ({**ROW, "schema": 5}, ErrorCode.BAD_SHAPE),
    ({**ROW, "schema": {}}, ErrorCode.BAD_SHAPE),
    (row_message(NEW, source=source(commit_ts=-1)), ErrorCode.BAD_SHAPE),
    (row_message(NEW, source=source(commit_ts=2**63)), ErrorCode.BAD_SHAPE),
    (row_message(NEW, source=source(commit_ts=1.5)), ErrorCode.BAD_SHAPE),
    (ddl_message("ddl", [{"type": "ALTER"}]), ErrorCode.BAD_SHAPE),
    (row_message({"id": 1, "v": "soon"}, [FIELDS[0], field("v", ZONED)]), ErrorCode.BAD_VALUE),
    (row_message({"id": 1, "v": "soon"}, [FIELDS[0], field("v", DATE)]), ErrorCode.BAD_VALUE),
    (row_message({"id": 1, "v": 10**30}, [FIELDS[0], field("v", DATE)]), ErrorCode.BAD_VALUE),
    (row_message({"id": 1, "v": 2**62}, [FIELDS[0], field("v", MILLIS)]), ErrorCode.BAD_VALUE),
    (row_message({"id": 1, "v": "?"}, [FIELDS[0], field("v", BIT12)]), ErrorCode.BAD_VALUE),
    (row_message({"id": 1, "v": "-"}, [FIELDS[0], field("v", UBIGINT)]), ErrorCode.BAD_VALUE),
]


@pytest.mark.parametrize(("value", "code"), BROKEN, ids=range(len(BROKEN)))
def test_broken_messages(value: Any, code: ErrorCode) -> None:
    for _ in range(2):  # before and after a row of the table was read
        event = decode(value, KEY)
        assert (event.kind, event.error_code) == (Kind.ERROR, code), event.error_message
        assert event.error_message
        assert decode(ROW, KEY).kind == Kind.ROW


@pytest.mark.parametrize(
    ("key", "code"),
    [
        (b"{", ErrorCode.BAD_JSON),
        (b'{"payload":[]}', ErrorCode.BAD_SHAPE),
        (b"{}", ErrorCode.BAD_SHAPE),
    ],
)
def test_broken_keys(key: bytes, code: ErrorCode) -> None:
    for fields in (FIELDS, None):
        event = decode(row_message(NEW, fields), key)
        assert (event.kind, event.error_code) == (Kind.ERROR, code)


def test_error_messages_hold_no_value_of_the_message() -> None:
    secret = "s3cr3t"
    for value, key in (
        (row_message({secret: {}}, FIELDS), KEY),
        (row_message({"id": 1, "a": {secret: 1}, "b": None}, FIELDS), KEY),
        (row_message({"id": 1, "v": secret}, [FIELDS[0], field("v", DATE)]), KEY),
        (row_message(NEW, FIELDS, op=secret), KEY),
        (row_message(NEW, source={secret: 1}), KEY),
        ({"payload": {"source": source(db={secret: 1})}}, KEY),
    ):
        event = decode(value, key)
        assert event.kind == Kind.ERROR
        assert secret not in (event.error_message or "")
