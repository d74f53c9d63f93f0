"""Debezium JSON: the vectors, named cases, and every message of the corpus against the same rows through canal-json."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any
from zoneinfo import ZoneInfo

import cramjam
import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.corpus import DATA, Variant, json_lines, root
from support.debezium import (
    COMMIT_TS,
    INT,
    VARCHAR,
    DebeziumVariant,
    Finished,
    change,
    column,
    ddl_message,
    decode,
    field,
    finished,
    key_message,
    row_message,
    source,
    to_bytes,
    variants,
    watermark_message,
)

from ticdc_udfs import arrow
from ticdc_udfs.events import ErrorCode, Event, Kind
from ticdc_udfs.protocols import canal_json, debezium
from ticdc_udfs.protocols.debezium_values import told_default

VECTOR_LIST = [
    vector for name in ("debezium", "seed_docs_debezium") for vector in json_lines(DATA / "vectors" / f"{name}.jsonl")
]
NOT_DECODED = {
    "debezium/testdata/datatype": ErrorCode.BAD_SHAPE,  # of Debezium's own connector for MySQL: no commit_ts
}


def _image(text: bytes | None) -> dict[str, str | None] | None:
    return None if text is None else dict(orjson.loads(text))


def _schema(text: bytes | None) -> list[dict[str, Any]] | None:
    return None if text is None else list(orjson.loads(text))


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
        schema = _schema(event.table_schema)
        assert columns is schema is None or [c["name"] for c in columns] == [c["name"] for c in schema or ()]
        return
    texts = {
        name: None if expect[name] is None else {k: str(v) for k, v in expect[name].items()}
        for name in ("before", "after")
    }
    assert (event.kind, event.op) == (Kind.ROW, expect["kind"])
    assert (_image(event.before), _image(event.after)) == (texts["before"], texts["after"])
    assert _image(event.row_key) == {name: str(value) for name, value in expect["key"].items()}
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
    assert _image(event.after) == CANONICAL
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
    for name, text in (_image(event.after) or {}).items():
        convert = debezium.converter(types[name])
        got[name] = text if convert is None or text is None else convert(text)[0]
    assert got == CANONICAL | {"col_numeric": "12345.123450", "col_bigint_unsigned": str(2**64 - 1)}


FIELDS = [field("id", INT, optional=False), field("a", VARCHAR), field("b", VARCHAR)]
NEW, OLD = {"id": 1, "a": "x", "b": None}, {"id": 1, "a": "y", "b": "z"}
TEXT = {"id": "1", "a": "x", "b": None}
KEY = key_message({"id": 1}, FIELDS)
BOTH = pytest.mark.parametrize("fields", [FIELDS, None], ids=["schema", "no schema"])


def _flags(fields: Any, *more: str) -> tuple[str, ...]:
    return (*(() if fields else ("*:no_schema",)), *more)


@BOTH
def test_insert(fields: Any) -> None:
    event = decode(row_message(NEW, fields), key_message({"id": 1}, fields))
    assert (event.kind, event.op, event.before, _image(event.after)) == (Kind.ROW, "insert", None, TEXT)
    assert (event.schema_name, event.table_name, event.row_key) == ("shop", "t", b'{"id":"1"}')
    assert (event.commit_ts, event.commit_ts_exact, event.start_ts) == (COMMIT_TS, True, None)
    assert (event.before_key, event.lossy) == (None, _flags(fields))
    assert (event.table_schema is not None) is bool(fields)


@BOTH
def test_update_and_delete(fields: Any) -> None:
    event = decode(row_message(NEW, fields, op="u", before=OLD), key_message({"id": 1}, fields))
    assert (event.op, _image(event.before), _image(event.after)) == ("update", {**TEXT, "a": "y", "b": "z"}, TEXT)
    assert (event.row_key, event.before_key) == (b'{"id":"1"}', None)
    event = decode(row_message(None, fields, op="d", before=NEW), key_message({"id": 1}, fields))
    assert (event.op, _image(event.before), event.after, event.row_key) == ("delete", TEXT, None, b'{"id":"1"}')


@BOTH
def test_an_update_without_old_value_lacks_before(fields: Any) -> None:
    """0.1 and 2.3: with `output-old-value=false` the member is missing."""
    message = row_message(NEW, fields, op="u")
    del message["payload"]["before"]
    event = decode(message, KEY)
    assert (event.op, event.before, event.before_key, _image(event.after)) == ("update", None, None, TEXT)


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
    assert event.lossy == _flags(fields, "*:no_key")
    assert (_image(event.row_key), _image(event.before_key)) == (TEXT, {**TEXT, "a": "y", "b": "z"})


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
            assert event.lossy == _flags(fields, "*:no_key")


@BOTH
def test_the_key_has_the_order_of_the_message_key(fields: Any) -> None:
    event = decode(row_message(NEW, fields), key_message({"a": "x", "id": 1}, fields and [FIELDS[1], FIELDS[0]]))
    assert event.row_key == b'{"a":"x","id":"1"}'
    if fields:
        schema = _schema(event.table_schema) or []
        assert [(c["name"], c["key"]) for c in schema] == [("id", 2), ("a", 1), ("b", None)]


def test_a_table_whose_key_changes_under_the_same_row_schema() -> None:
    for key in ({"id": 1}, {"a": "x"}, {}, {"id": 1, "a": "x"}, {"id": 1}):
        event = decode(row_message(NEW, FIELDS), key_message(key, FIELDS))
        want = {name: str(value) for name, value in key.items()} or TEXT
        assert _image(event.row_key) == want
        assert event.lossy == (() if key else ("*:no_key",))
        places = {c["name"]: c["key"] for c in _schema(event.table_schema) or ()}
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
        assert [c["type"] for c in _schema(other.table_schema) or ()] == ["int", "varchar", "blob"]
        assert (_image(again.after), _image(fewer.after)) == ({**TEXT, "a": "y"}, {"id": "1", "b": "z"})


def test_columns_named_like_members_of_the_envelope() -> None:
    row = {"schema": "x", "payload": "y", "after": None, "op": "m", "ddl": "z"}
    fields = [field(name, VARCHAR) for name in row]
    for shape in (fields, None):
        for _ in range(2):
            event = decode(row_message(row, shape), key_message({"schema": "x"}, shape))
            assert (event.kind, event.op, _image(event.after)) == (Kind.ROW, "insert", row)
            assert event.row_key == b'{"schema":"x"}'
    event = decode(row_message({"id": 1, "schema": 5}, [FIELDS[0], field("schema", INT)]), KEY)
    assert _image(event.after) == {"id": "1", "schema": "5"}


def test_virtual_columns_are_in_the_schema_alone() -> None:
    """2.3: the encoder lists them twice, and no row holds them."""
    virtual = field("v", INT)
    event = decode(row_message(NEW, [*FIELDS[:1], virtual, *FIELDS[1:], virtual]), KEY)
    assert _image(event.after) == TEXT
    assert [c["name"] for c in _schema(event.table_schema) or ()] == ["id", "a", "b"]


def test_members_in_another_order_and_with_spaces() -> None:
    message = row_message(NEW, FIELDS)
    spaced = json.dumps({"schema": message["schema"], "payload": message["payload"]}, indent=1).encode()
    assert decode(spaced, KEY) == decode(message, KEY)


def test_a_column_that_the_encoder_writes_twice() -> None:
    """3.6: of a NULL binary column with a default, by the classic TiCDC."""
    value = to_bytes(row_message(NEW, FIELDS)).replace(b'"a":"x"', b'"a":null,"a":"x"')
    assert _image(decode(value, KEY).after) == TEXT


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


def _cell(
    value: Any, shape: Mapping[str, Any], column_type: str | None = None, options: str = "{}", **members: Any
) -> tuple[str | None, tuple[str, ...]]:
    """Canonical text and flags of a cell; with `column_type` finished by the table's schema."""
    fields = [field("id", INT, optional=False), field("v", shape, **members)]
    event = decode(row_message({"id": 1, "v": value}, fields), KEY, options)
    assert event.kind == Kind.ROW, event.error_message
    text, reasons = orjson.loads(event.after or b"")["v"], [flag.removeprefix("v:") for flag in event.lossy]
    if column_type is not None and "no_schema" in reasons and text is not None:
        convert = debezium.converter(column_type, nullable=members.get("optional", True))
        assert convert is not None
        text, reason = convert(text)
        reasons = [each for each in reasons if each != "no_schema"] + ([reason.value] if reason is not None else [])
    return text, tuple(reasons)


def _shape(tidb_type: str, connect_type: str, name: str | None = None, **parameters: str) -> dict[str, Any]:
    shape: dict[str, Any] = {"tidb_type": tidb_type, "type": connect_type}
    if name is not None:
        shape |= {"name": name, "version": 1}
    return {**shape, "parameters": parameters} if parameters else shape


DATE = _shape("date", "int32", "io.debezium.time.Date")
MILLIS = _shape("datetime", "int64", "io.debezium.time.Timestamp")
MICROS = _shape("datetime", "int64", "io.debezium.time.MicroTimestamp")
ZONED = _shape("timestamp", "string", "io.debezium.time.ZonedTimestamp")
TIME = _shape("time", "int64", "io.debezium.time.MicroTime")
DECIMAL = _shape("decimal", "double")
UBIGINT = _shape("bigint unsigned", "int64")
BIT1, BIT12 = _shape("bit", "boolean"), _shape("bit", "bytes", "io.debezium.data.Bits", length="12")
BINARY = _shape("varbinary", "string")


@pytest.mark.parametrize(
    ("value", "shape", "column_type", "want"),
    [
        (255, _shape("tinyint unsigned", "int16"), None, "255"),
        (-9223372036854775808, _shape("bigint", "int64"), None, "-9223372036854775808"),
        (-1, UBIGINT, None, "18446744073709551615"),
        (-9223372036854775808, UBIGINT, None, "9223372036854775808"),
        (9223372036854775807, UBIGINT, None, "9223372036854775807"),
        (0, _shape("year", "int32", "io.debezium.time.Year"), None, "0000"),
        (12345.123, _shape("float", "float"), None, "12345.123"),
        (3.4028235e38, _shape("float", "float"), None, "340282350000000000000000000000000000000"),
        (1234567.9, _shape("float", "double"), None, "1234567.9"),
        (0.10000000149011612, _shape("float", "double"), None, "0.1"),
        (-1e100, _shape("double", "double"), None, "-1" + "0" * 100),
        (123456789012345.12, _shape("double", "double"), None, "123456789012345.12"),
        (20277.7, DECIMAL, "decimal(10,2)", "20277.70"),
        (20277, DECIMAL, "decimal(10,2)", "20277.00"),
        (1e-8, DECIMAL, "decimal(20,8)", "0.00000001"),
        (0, DECIMAL, "decimal(5,0)", "0"),
        (-0.5, DECIMAL, "decimal(15,15)", "-0.500000000000000"),
        (True, BIT1, None, "1"),
        (False, BIT1, None, "0"),
        ("qgo=", BIT12, None, "2730"),
        ("//////////8=", _shape("bit", "bytes", "io.debezium.data.Bits", length="64"), None, str(2**64 - 1)),
        ("Zm9v", BINARY, None, "Zm9v"),
        (-354285, DATE, None, "1000-01-01"),
        (2932896, DATE, None, "9999-12-31"),
        (0, DATE, None, "1970-01-01"),
        (1701347696100, MILLIS, "datetime(3)", "2023-11-30 12:34:56.100"),
        (1701347696000, MILLIS, "datetime", "2023-11-30 12:34:56"),
        (-1, MILLIS, "datetime(3)", "1969-12-31 23:59:59.999"),
        (-12219292799990000, MICROS, "datetime(6)", "1582-10-15 00:00:00.010000"),
        (1701347696123500, MICROS, "datetime(4)", "2023-11-30 12:34:56.1235"),
        (253402300799999999, MICROS, "datetime(6)", "9999-12-31 23:59:59.999999"),
        (0, TIME, "time(3)", "00:00:00.000"),
        (-45296123456, TIME, "time(6)", "-12:34:56.123456"),
        (3020399000000, TIME, "time", "838:59:59"),
        (-1, TIME, "time(6)", "-00:00:00.000001"),
        ("2023-11-30T12:34:56.12346Z", ZONED, None, "2023-11-30 12:34:56.12346"),
        ("2023-11-30T12:34:56.00Z", ZONED, None, "2023-11-30 12:34:56.00"),
        ("2023-11-30T12:34:56Z", ZONED, None, "2023-11-30 12:34:56"),
        ('{"a": "\u2028"}', _shape("json", "string", "io.debezium.data.Json"), None, '{"a": "\u2028"}'),
        ("[1,2.5]", _shape("vector", "string", "io.debezium.data.TiDBVectorFloat32"), None, "[1,2.5]"),
    ],
)
def test_values(value: Any, shape: Mapping[str, Any], column_type: str | None, want: str) -> None:
    assert _cell(value, shape, column_type) == (want, ())


@pytest.mark.parametrize("shape", [_shape("float", "float"), _shape("double", "double"), None])
def test_negative_zero_keeps_its_sign(shape: Mapping[str, Any] | None) -> None:
    """It comes without point; what looks like it in a text is text."""
    text = 'a:-0,"b":-0} \\":-0,\\\\'
    fields = [field("id", shape, optional=False), field("v", shape), field("t", VARCHAR)] if shape else None
    key = key_message({"id": 1}, fields)
    for old, new in (("-0", "0"), ("0", "-0"), ("-0", "-0")):
        message = row_message({"id": 1, "v": "new", "t": text}, fields, op="u", before={"id": 1, "v": "old", "t": text})
        value = to_bytes(message).replace(b'"id":1', b'"id":-0')
        value = value.replace(b'"old"', old.encode()).replace(b'"new"', new.encode())
        for _ in range(2):  # before and after a row of the table was read
            event = decode(value, key)
            assert orjson.loads(event.before or b"") == {"id": "-0", "v": old, "t": text}
            assert orjson.loads(event.after or b"") == {"id": "-0", "v": new, "t": text}
            assert (event.row_key, event.before_key) == (b'{"id":"-0"}', None)


@BOTH
def test_invalid_utf8_is_replaced_and_flagged(fields: Any) -> None:
    """The encoder writes such bytes as they are, as that of Open Protocol does, with which it shares its JSON writer.

    So the row is none that another wrote: it is read, as the reason `invalid_utf8` says, and no dead letter.
    """
    new, old = {"id": 1, "a": "NEW", "b": "\ufffd"}, {"id": 1, "a": "OLD", "b": "x"}
    for first in (False, True):
        for message, want, flags in (
            (row_message(new, fields), ("x\ufffdy", None), ["a"]),
            (row_message(new, fields, op="u", before=old), ("x\ufffdy", "\ufffd"), ["a"]),
            (row_message(new, fields, op="u", before={**new, "a": "fine"}), ("x\ufffdy", "fine"), ["a"]),
            (row_message(None, fields, op="d", before=old), (None, "\ufffd"), ["a"]),
        ):
            value = to_bytes(message).replace(b"NEW", b"x\xffy").replace(b"OLD", b"\xe6")
            key = to_bytes(key_message({"a": "KEY"}, fields)).replace(b"KEY", b"x\xffy")
            event = decode(value, key)
            assert tuple((_image(image) or {}).get("a") for image in (event.after, event.before)) == want
            assert event.lossy == (*_flags(fields), *(f"{column}:invalid_utf8" for column in flags))
            assert _image(event.row_key) == {"a": want[0] or want[1]}
        if not first:
            decode(row_message(NEW, fields), key_message({"a": "x"}, fields))


def test_without_its_schema_a_text_is_as_short_as_it_can_be_and_flagged() -> None:
    for value, shape, text in (
        (20277.7, DECIMAL, "20277.7"),
        (1e21, DECIMAL, "1000000000000000000000"),
        (1701347696100, MILLIS, "2023-11-30 12:34:56.1"),
        (1701347696000000, MICROS, "2023-11-30 12:34:56"),
        (36672130000, TIME, "10:11:12.13"),
        (12.5, {"type": "double"}, "12.5"),
        (-1, {"type": "int64"}, "-1"),
    ):
        assert _cell(value, shape) == (text, ("no_schema",))
    assert _cell(1, {"type": "int64"}) == ("1", ())


@pytest.mark.parametrize(
    ("column_type", "text"),
    [
        ("decimal(10,2)", "1.50"),
        ("decimal(38,19)", "-0.1000000000000000000"),
        ("datetime(6)", "2023-11-30 12:34:56.100000"),
        ("datetime", "2023-11-30 12:34:56"),
        ("time(2)", "-838:59:59.10"),
        ("timestamp(3)", "2023-11-30 12:34:56.000"),
        ("timestamp", "0000-00-00 00:00:00"),
        ("date", "2023-11-30"),
        ("double", "0.1"),
        ("year", "0000"),
        ("bigint unsigned", "18446744073709551615"),
    ],
)
def test_canonical_text_stays(column_type: str, text: str) -> None:
    convert = debezium.converter(column_type)
    assert convert is not None
    assert convert(text)[0] == text


@pytest.mark.parametrize("fraction", range(7))
def test_the_zero_date_of_a_timestamp_is_told(fraction: int) -> None:
    """The start of 1970 is beyond TIMESTAMP's range, so that it stands for the zero date alone."""
    digits = "." + "0" * fraction if fraction else ""
    column_type = f"timestamp({fraction})" if fraction else "timestamp"
    for nullable in (True, False):
        text = _cell("1970-01-01T00:00:00Z", ZONED, column_type, optional=nullable)
        assert text == ("0000-00-00 00:00:00" + digits, ())


def test_what_may_be_a_zero_date_is_flagged() -> None:
    """3.6: NOT NULL gives 0, nullable gives NULL."""
    assert _cell(0, DATE, optional=False) == ("1970-01-01", ("zero_date",))
    assert _cell(0, MILLIS, "datetime(2)", optional=False) == ("1970-01-01 00:00:00.00", ("zero_date",))
    assert _cell(0, MICROS, optional=False) == ("1970-01-01 00:00:00", ("no_schema", "zero_date"))
    assert _cell(0, MILLIS, "datetime") == ("1970-01-01 00:00:00", ())
    assert _cell(None, DATE) == (None, ("zero_date",))
    assert _cell(None, MILLIS) == (None, ("no_schema", "zero_date"))
    assert _cell(None, ZONED) == _cell(None, VARCHAR) == (None, ())
    assert debezium.null_reason("datetime(3)", None) == debezium.null_reason("date", True) == "zero_date"
    assert debezium.null_reason("date", False) is debezium.null_reason("time", True) is None
    unknown = debezium.converter("date")
    assert unknown is not None and unknown("0") == ("1970-01-01", "zero_date")


@pytest.mark.parametrize(("days", "text"), [(11323, "2001-01-01"), (36284, "2069-05-05"), (10592, "1999-01-01")])
def test_shifted_years_cannot_be_told(days: int, text: str) -> None:
    """0.1 line 7: 0001-01-01, 0069-05-05 and 0099-01-01 come as these."""
    assert _cell(days, DATE) == (text, ())


@pytest.mark.parametrize(
    ("column_type", "texts", "lost"),
    [
        ("decimal(15,2)", ["9999999999999.99"], False),
        ("decimal(16,2)", ["12345678901234.56", "1.5"], False),
        ("decimal(16,2)", ["99999999999999.98"], True),
        ("decimal(17,0)", ["9007199254740993"], True),
        ("decimal(20,8)", ["-1.5", "123456.12345678"], False),
        ("decimal(20,8)", ["123456789012.12345678"], True),
        ("decimal(38,19)", ["0.1", "1"], True),
        ("decimal(30,30)", ["0.1", "0"], None),
        ("decimal(65,30)", ["1e+34"], True),
        ("decimal(10,2)", ["1.234"], True),
    ],
)
def test_decimals_beyond_a_double(column_type: str, texts: list[str], lost: bool | None) -> None:
    """Flagged where another decimal of that scale reads as the same double."""
    convert = debezium.converter(column_type)
    assert convert is not None
    for text in texts:
        _, reason = convert(repr(float(text)))
        expected = lost if lost is not None else text != "0"
        assert reason == ("double_precision" if expected else None), text


@given(st.decimals(min_value=-(10**12), max_value=10**12, places=3, allow_nan=False))
def test_a_decimal_is_exact_or_flagged(number: Any) -> None:
    for column_type in ("decimal(15,3)", "decimal(40,3)"):
        convert = debezium.converter(column_type)
        assert convert is not None
        text, reason = convert(repr(float(number)).replace("e-", "E-"))
        assert reason is not None or text.removeprefix("-") == f"{abs(number):.3f}"
        assert reason is None


NULLS = [
    (VARCHAR, "anon", "anon", "varchar(30)", "anon", "anon"),
    (VARCHAR, "", "", "varchar(30)", "", ""),
    (INT, 7, 7, "int", "7", "7"),
    (_shape("int unsigned", "int64"), 4000000000, 4000000000, "int unsigned", "4000000000", "4000000000"),
    (DECIMAL, -1.5, -1.5, "decimal(20,8)", "-1.5", "-1.50000000"),
    (DECIMAL, 1.25, 1.25, "decimal(8,3)", "1.250", "1.250"),
    (_shape("float", "float"), 0.1, 0.1, "float", "0.1", "0.1"),
    (_shape("double", "double"), -1e100, -1e100, "double", "-1" + "0" * 100, "-1" + "0" * 100),
    (BIT1, True, True, "bit", "1", "1"),
    (BIT12, "qgo=", "qgo=", "bit(12)", "1010111011111011111110111101", "2730"),
    (_shape("year", "int32", "io.debezium.time.Year"), 1999, 1999, "year", "1999", "1999"),
    (_shape("binary", "string"), "ab\0\0", "YWIAAA==", "binary(4)", "ab\0\0", "YWIAAA=="),
    (BINARY, "\0\ufffd", "AO+/vQ==", "varbinary(10)", "\0\ufffd", "AO+/vQ=="),
    (_shape("enum", "string", "io.debezium.data.Enum", allowed="a,b"), "b", "b", "enum('a','b')", "b", "b"),
    (_shape("set", "string", "io.debezium.data.EnumSet", allowed="a,b"), "a,b", "a,b", "set('a','b')", "a,b", "a,b"),
    (MILLIS, 981173106000, 981173106000, "datetime", "2001-02-03 04:05:06", "2001-02-03 04:05:06"),
    (MILLIS, 0, 0, "datetime(3)", "1970-01-01 00:00:00", "1970-01-01 00:00:00.000"),
    (TIME, 36672130000, 0, "time(3)", "10:11:12.130", "00:00:00.000"),
    (UBIGINT, 18446744073709552000, 0, "bigint unsigned", "18446744073709551615", "0"),
    (ZONED, "2001-02-03T04:05:06Z", "2001-02-03T04:05:06Z", "timestamp", "2001-02-03 04:05:06", "2001-02-03 04:05:06"),
    (DATE, 18262, 18262, "date", "2020-01-01", "2020-01-01"),
]


@pytest.mark.parametrize(("shape", "default", "wire", "column_type", "expression", "text"), NULLS)
def test_null_that_became_the_default_is_flagged(
    shape: Mapping[str, Any], default: Any, wire: Any, column_type: str, expression: str, text: str
) -> None:
    """0.1 line 6 and 3.6, by the default of the inline schema and by that of `tableChanges`."""
    got, reasons = _cell(wire, shape, default=default)
    assert "null_or_default" in reasons or "no_schema" in reasons
    known = told_default(column_type, expression)
    convert = debezium.converter(column_type, nullable=True, default=known)
    assert convert is not None
    wire_text = wire if isinstance(wire, str) else json.dumps(wire)
    assert convert(wire_text) == (text, "null_or_default")
    if "no_schema" in reasons:
        assert convert(got or "") == (text, "null_or_default")
    for members in ({"default": None}, {"default": default, "optional": False}):
        assert "null_or_default" not in _cell(wire, shape, **members)[1]
    required = debezium.converter(column_type, nullable=False, default=known)
    assert required is None or required(wire_text)[1] != "null_or_default"


def test_other_values_than_the_default_are_not_flagged() -> None:
    for column_type, default, other in (
        ("varchar(9)", "a", "A"),
        ("time", "10:11:12", "36672000000"),
        ("bigint unsigned", str(2**64 - 1), "-1"),
        ("bit(12)", "1010111011111011111110111101", b64encode(b"\x0a\x0a").decode()),
        ("bit(12)", "101", b64encode(b"\x0a\x00").decode()),
        ("varbinary(10)", "\0\ufffd", b64encode(b"\0\xff").decode()),
        ("timestamp", "1970-01-01 00:00:00", "1970-01-01T00:00:00Z"),
        ("decimal(8,3)", "1.250", "1.251"),
        ("int", "no number", "1"),
        ("decimal(8,3)", "no number", "1"),
    ):
        convert = debezium.converter(column_type, nullable=True, default=told_default(column_type, default))
        assert convert is None or convert(other)[1] is None, column_type


@pytest.mark.parametrize(
    ("column_type", "default", "wire", "text"),
    [
        ("bit(12)", "2730", "qgo=", "2730"),
        ("bit(4)", "10", "Cg==", "10"),
        (
            "varbinary(10)",
            b64encode(b"\0\xff\xe6\xb5").decode(),
            b64encode("\0\ufffd\ufffd\ufffd".encode()).decode(),
            None,
        ),
        ("binary(4)", b64encode(b"ab\0\0").decode(), "YWIAAA==", None),
        ("datetime(3)", "CURRENT_TIMESTAMP(3)", "0", "1970-01-01 00:00:00.000"),
        ("datetime(3)", "1970-01-01 00:00:00.120", "120", "1970-01-01 00:00:00.120"),
        ("time(3)", "10:11:12.130", "0", "00:00:00.000"),
        ("decimal(20,8)", "-1.50000000", "-1.5", "-1.50000000"),
    ],
)
def test_null_that_became_a_default_known_from_ddl(column_type: str, default: str, wire: str, text: str | None) -> None:
    """0.1 line 6, by the canonical text of a default."""
    convert = debezium.converter(column_type, nullable=True, default=default)
    assert convert is not None
    assert convert(wire) == (text or wire, "null_or_default")


def test_null_stays_where_a_timestamp_has_the_present_time_as_default() -> None:
    for default in ("CURRENT_TIMESTAMP", "1970-01-01 00:00:00"):
        convert = debezium.converter("timestamp", ZoneInfo("Asia/Shanghai"), nullable=True, default=default)
        assert convert is not None
        assert convert("1970-01-01T00:00:00Z")[1] is convert("2001-02-03T04:05:06Z")[1] is None


def test_the_default_of_a_timestamp_is_read_in_the_changefeeds_zone() -> None:
    """0.1 line 6: a NULL comes as another moment than the default itself."""
    zone = json.dumps({"time_zone": "Asia/Shanghai"})
    default = "2001-02-03T04:05:06Z"
    assert _cell("2001-02-02T20:05:06Z", ZONED, None, zone, default=default)[1] == ("null_or_default",)
    assert _cell(default, ZONED, None, zone, default=default)[1] == ()
    assert _cell(default, ZONED, None, "{}", default=default)[1] == ("null_or_default",)
    convert = debezium.converter("timestamp", ZoneInfo("Asia/Shanghai"), nullable=True, default="2001-02-03 04:05:06")
    assert convert is not None
    assert convert("2001-02-02T20:05:06Z") == ("2001-02-02 20:05:06", "null_or_default")
    assert convert(default) == ("2001-02-03 04:05:06", None)


def test_bits_whose_base64_is_a_word() -> None:
    """`true` and `false` are words for BIT(1) alone: other bits come as base64."""
    assert _cell("true", _shape("bit", "bytes", "io.debezium.data.Bits", length="24")) == ("10402742", ())
    convert = debezium.converter("bit(24)")
    assert convert is not None
    assert convert("true") == ("10402742", None)
    for column_type in ("bit", "bit(1)"):
        convert = debezium.converter(column_type)
        assert convert is not None
        assert (convert("true"), convert("false"), convert("AQ==")) == (("1", None), ("0", None), ("1", None))


BIGINT = _shape("bigint", "int64")
YEAR = _shape("year", "int32", "io.debezium.time.Year")


@pytest.mark.parametrize(
    ("shape", "default", "value", "flagged"),
    [
        (BIGINT, 9223372036854776000, 9223372036854775807, True),
        (BIGINT, 9223372036854776000, 9223372036854775806, True),
        (BIGINT, 9223372036854776000, 0, False),
        (BIGINT, -9223372036854776000, -9223372036854775807, True),
        (BIGINT, 9007199254740992, 9007199254740993, True),
        (BIGINT, 9007199254740991, 9007199254740992, False),
        (BIGINT, 9007199254740996, 9007199254740995, True),
        (BIGINT, 9007199254740996, 9007199254740999, False),
        (UBIGINT, 9223372036854776000, 9223372036854775807, True),
        (UBIGINT, 9223372036854776000, 0, True),
        (UBIGINT, 18446744073709552000, -1, False),
        ({"type": "int64"}, 9223372036854776000, 9223372036854775807, True),
        ({"type": "int64"}, 9223372036854776000, 0, True),
    ],
)
def test_a_default_that_went_through_a_double(shape: Any, default: int, value: int, flagged: bool) -> None:
    """An inline schema tells it so, while rows hold it exactly in place of NULL."""
    assert _cell(value, shape, default=default)[1] == (("null_or_default",) if flagged else ())


@pytest.mark.parametrize(
    ("default", "value", "flagged"),
    [
        (2000, 2000, True),
        (2000, 0, True),
        (2069, 69, True),
        (2069, 2069, True),
        (1970, 70, True),
        (1999, 99, True),
        (1999, 1999, True),
        (1999, 98, False),
        (2070, 70, False),
        (1969, 69, False),
        (2155, 255, False),
    ],
)
def test_a_default_year_of_two_digits(default: int, value: int, flagged: bool) -> None:
    """An inline schema adds its century, while rows hold it as it is in place of NULL."""
    assert _cell(value, YEAR, default=default)[1] == (("null_or_default",) if flagged else ())


@pytest.mark.parametrize(
    ("shape", "default", "value", "reasons"),
    [
        ({"type": "string"}, "dflt", b64encode(b"dflt").decode(), ("null_or_default",)),
        ({"type": "string"}, "dflt", "dflt", ("null_or_default",)),
        ({"type": "string"}, "dflt", "Dflt", ()),
        ({"type": "int64"}, 18446744073709552000, 0, ("null_or_default",)),
        ({"type": "int64"}, -7, -7, ("no_schema",)),
        ({"type": "int64"}, 7, 7, ("null_or_default",)),
        ({"type": "double"}, 1.5, 1.5, ("no_schema", "null_or_default")),
    ],
)
def test_defaults_without_extension(
    shape: Mapping[str, Any], default: Any, value: Any, reasons: tuple[str, ...]
) -> None:
    """A string may be text or binary, a number unsigned."""
    assert _cell(value, shape, default=default)[1] == reasons


TYPES = [
    (INT, "int"),
    (UBIGINT, "bigint unsigned"),
    (DECIMAL, "decimal"),
    (BIT1, "bit(1)"),
    (BIT12, "bit(12)"),
    (MICROS, "datetime"),
    (ZONED, "timestamp"),
    (_shape("enum", "string", "io.debezium.data.Enum", allowed='a,b,c\\,d,it\'s,"q",, sp,日本'), None),
    (_shape("enum", "string", "io.debezium.data.Enum", allowed="a,c\\,d,,\\,"), "enum('a','c,d','',',')"),
    (_shape("set", "string", "io.debezium.data.EnumSet", allowed="a\\,e'f"), "set('a\\','e''f')"),
    (_shape("vector", "string", "io.debezium.data.TiDBVectorFloat32"), "vector"),
    ({"type": "int16"}, "smallint"),
    ({"type": "string"}, "text"),
    ({"type": "double"}, "double"),
    ({"type": "int64", "name": "io.debezium.time.Timestamp"}, "datetime"),
    ({"type": "string", "name": "io.debezium.time.ZonedTimestamp"}, "timestamp"),
    ({"type": "string", "name": "io.debezium.data.Enum", "parameters": {"allowed": "a,b"}}, "enum('a','b')"),
    ({"type": "boolean"}, "bit(1)"),
]


@pytest.mark.parametrize(("shape", "column_type"), TYPES)
def test_types_of_inline_schemas(shape: Mapping[str, Any], column_type: str | None) -> None:
    fields = [field("id", INT, optional=False), field("v", shape)]
    event = decode(row_message({"id": 1, "v": None}, fields), KEY)
    want = column_type or "enum('a','b','c,d','it''s','\"q\"','',' sp','日本')"
    assert _schema(event.table_schema) == [
        {"name": "id", "type": "int", "key": 1, "nullable": False},
        {"name": "v", "type": want, "key": None, "nullable": True},
    ]


COLUMNS = [
    (column("id", "BIGINT UNSIGNED", optional=False, autoIncremented=True), "bigint unsigned", None),
    (column("i", "INT", 10, defaultValueExpression="7"), "int(10)", "7"),
    (column("z", "INT UNSIGNED ZEROFILL", 8), "int(8) unsigned zerofill", None),
    (column("d", "DECIMAL", 10, 2, defaultValueExpression="0.00"), "decimal(10,2)", "0.00"),
    (column("d0", "DECIMAL", 65, 0), "decimal(65,0)", None),
    (column("b", "BIT", defaultValueExpression="1"), "bit", "1"),
    (column("v", "VARCHAR", 40, defaultValueExpression="it's"), "varchar(40)", "it's"),
    (column("v0", "VARCHAR", 9, defaultValueExpression=""), "varchar(9)", ""),
    (column("dt", "DATETIME", 0), "datetime", None),
    (column("ts", "TIMESTAMP", 3), "timestamp(3)", None),
    (column("dd", "DOUBLE", 20, 5), "double(20,5)", None),
    (column("e", "ENUM", 1, enumValues=["'a'", "'it's'", "'c,d'", "''"]), "enum('a','it''s','c,d','')", None),
    (column("s", "SET", 3, enumValues=["'x'", "'y'"], defaultValueExpression="x"), "set('x','y')", "x"),
]


def test_ddl_tells_the_tables_schema() -> None:
    """2.3: labels come in plain quotes, and defaults as plain text."""
    event = decode(ddl_message("ALTER TABLE `t`", [change([each for each, _, _ in COLUMNS], ["i", "id"])]))
    assert (event.kind, event.ddl_query, event.ddl_type) == (Kind.DDL, "ALTER TABLE `t`", "ALTER")
    assert (event.schema_name, event.table_name, event.commit_ts, event.lossy) == ("shop", "t", COMMIT_TS, ())
    keys = {"i": 1, "id": 2}
    want = []
    for each, column_type, default in COLUMNS:
        name = each["name"]
        wire = {"name": name, "type": column_type, "key": keys.get(name), "nullable": name != "id"}
        want.append(wire if default is None else {**wire, "default": default})
    assert _schema(event.table_schema) == want


@pytest.mark.parametrize(
    ("table", "changes", "ddl_type", "with_schema"),
    [
        ("", [], None, False),
        ("t", [], None, False),
        ("t", [change(None, type="DROP")], "DROP", False),
        ("t", [change([column("id", "INT")], type="DROP")], "DROP", True),
        ("t", [change([column("id", "INT")], type="CREATE")], "CREATE", True),
        ("v", [change([column("id", "UNSPECIFIED")], id='"shop"."v"', type="CREATE")], "CREATE", False),
        ("new", [change([column("id", "INT")], id='"shop"."old","shop"."new"')], "ALTER", True),
        ("last", [change([column("id", "INT")], id='"shop"."tmp","shop"."last"')], "ALTER", True),
        ("exch", [change([column("id", "INT")], id='"shop"."sales"')], "ALTER", False),
        ('d"q', [change([column("id", "INT")], id='"shop"."d"q"')], "ALTER", True),
    ],
    ids=[
        "create database",
        "truncate",
        "drop table",
        "drop index",
        "create table",
        "create view",
        "rename",
        "rename of several tables",
        "exchange partition",
        "quote in the name",
    ],
)
def test_ddl_messages(
    table: str, changes: Sequence[Mapping[str, Any]], ddl_type: str | None, with_schema: bool
) -> None:
    """0.1 lines 3, 4 and 8: EXCHANGE names the normal table and gives the partitioned one's columns; RENAME of several
    tables gives the final name; a view comes as a created table without types."""
    event = decode(ddl_message("ddl", changes, table=table))
    assert (event.kind, event.schema_name, event.table_name, event.ddl_type) == (Kind.DDL, "shop", table, ddl_type)
    assert (event.table_schema is not None, event.table_schema_id is not None) == (with_schema, with_schema)


def test_ddl_text_is_as_restored() -> None:
    """0.1 line 5: introducers stay, and backslashes are not escaped."""
    sql = "CREATE TABLE `t` (`v` VARCHAR(9) DEFAULT _UTF8MB4'a\\b',`e` ENUM('three\\3'),`x` BINARY(2) DEFAULT x'00ff')"
    assert decode(ddl_message(sql)).ddl_query == sql


def test_text_with_line_separators() -> None:
    """0.1 line 14."""
    text = 'a\u2028b\u2029c\x00d\r\n\t"\\ <&> \U0001f69a \u0085'
    for fields in (FIELDS, None):
        assert (_image(decode(row_message({**NEW, "a": text}, fields), KEY).after) or {})["a"] == text


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


ALL = pytest.mark.parametrize("variant", variants(), ids=lambda variant: variant.name)
_Change = tuple[str | None, str | None, int | None, str | None]


@cache
def _events(variant: DebeziumVariant) -> list[Event]:
    return variant.events


@cache
def _canal_rows() -> dict[_Change, dict[tuple[bytes | None, bytes | None], Event]]:
    """The row events of canal-json with full types, by what Debezium tells of them too and by their images."""
    canal = Variant(root(), "canal_json_compatible")
    rows: dict[_Change, dict[tuple[bytes | None, bytes | None], Event]] = defaultdict(dict)
    for record in canal.records:
        (event,) = arrow.decode_message(canal_json.decode, record.key, record.value, canal.options_text)
        if event.kind == Kind.ROW:
            change = (event.schema_name, event.table_name, event.commit_ts, event.op)
            rows[change][event.before, event.after] = event
    return rows


@ALL
def test_every_message_of_the_corpus_decodes(variant: DebeziumVariant) -> None:
    events = _events(variant)
    assert [event for event in events if event.kind == Kind.ERROR] == []
    assert any(event.kind == Kind.WATERMARK for event in events) is variant.has_extension
    options = variant.meta["sink_uri_options"]
    rows = [event for event in events if event.kind == Kind.ROW]
    without_schema = options.get("debezium-disable-schema") == "true"
    assert {event.table_schema is None for event in rows} == {without_schema}
    assert {"*:no_schema" in event.lossy for event in rows} == {without_schema}
    assert {event.start_ts is None for event in rows} == {"debezium-include-start-ts" not in options}
    old_values = {event.before is not None for event in rows if event.op == "update"}
    assert old_values == {variant.meta["output_old_value"]}
    ddl = [event for event in events if event.kind == Kind.DDL]
    assert len({(event.commit_ts, event.ddl_query) for event in ddl}) > 130
    assert {event.ddl_type for event in ddl} == {"CREATE", "ALTER", "DROP", None}


@ALL
def test_rows_of_the_corpus_equal_those_of_canal_json(variant: DebeziumVariant) -> None:
    """Cell by cell; only years below 100, which cannot be told, are wrong without a flag."""
    changes: dict[_Change, dict[tuple[bytes | None, bytes | None, bytes | None], Finished]] = defaultdict(dict)
    for row in finished(_events(variant), variant.zone):
        event = row.event
        changes[event.schema_name, event.table_name, event.commit_ts, event.op].setdefault(
            (event.row_key, event.before, event.after), row
        )
    counts: Counter[str] = Counter()
    for change_of, rows in changes.items():
        wanted = _canal_rows()[change_of].values()
        assert len(rows) == len(wanted), change_of
        for row, canal in zip(rows.values(), wanted, strict=True):
            _compare(row, canal, counts)
    print(variant.name, dict(counts))
    assert counts["wrong"] == 0
    assert 0 < counts["shifted year"] < 60
    assert 0 < counts["flagged"] < 0.1 * counts["cells"]
    assert counts["cells"] > 5_000


def _compare(row: Finished, canal: Event, counts: Counter[str]) -> None:
    for image, text in ((row.before, canal.before), (row.after, canal.after)):
        want = _image(text)
        if image is None or want is None:
            assert image is None and (want is None or row.event.op == "update"), row
            continue
        assert list(image) == list(want)
        for name, cell in image.items():
            counts["cells"] += 1
            counts[_judged(name, cell, want[name], row)] += 1
    now = row.after if row.after is not None else row.before
    assert row.key == {name: (now or {})[name] for name in row.key}
    if "*:no_key" not in canal.lossy:
        assert list(row.key) == list(_image(canal.row_key) or ())


def _judged(name: str, cell: str | None, want: str | None, row: Finished) -> str:
    if any(flag.rpartition(":")[0] == name for flag in row.lossy):
        return "flagged"
    if cell == want:
        return "exact"
    year = (want or "")[:4]
    if (
        year.isdigit()
        and 0 < int(year) < 100
        and cell == f"{2000 + int(year) - 100 * (year >= '0070')}{(want or '')[4:]}"
    ):
        return "shifted year"
    return "wrong"


@pytest.mark.parametrize(
    "column_type", ["decimal(x)", "decimal(10,999999999)", "decimal()", "datetime(x)", "time(99999999999)", "bit(", ""]
)
def test_odd_types_have_a_conversion_of_bounded_length(column_type: str) -> None:
    convert = debezium.converter(column_type, nullable=True, default="1")
    assert convert is not None
    text = {"datetime": "1701347696123", "time": "1"}.get(
        column_type.partition("(")[0], "AAI=" if "bit" in column_type else "1.5"
    )
    assert len(convert(text)[0]) < 40
