"""Debezium-Avro: the vectors, rows, values, and messages that are none."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Mapping
from typing import Any

import numpy as np
import orjson
import pytest
from support.avro import COMMIT_TS, Message, arrays, decode_by, framed, message, record
from support.batches import FEW, read_together
from support.corpus import VECTORS, json_lines
from support.debezium_avro import ID, KEY, SOURCE, column, connect, decimal, envelope, wire
from support.images import image_of

from ticdc_udfs.contract.events import ErrorCode, Event, Kind
from ticdc_udfs.contract.schemas import Column, table_schema, write_json
from ticdc_udfs.protocols import debezium_avro
from ticdc_udfs.protocols.debezium_avro.message import converter
from ticdc_udfs.protocols.resolution import Row, resolve

VECTOR_LIST = {vector["id"]: vector for vector in json_lines(VECTORS.with_name("debezium_avro.jsonl"))}
# Records that no message can show: why
NOT_CASES = {"debezium-avro/ddl-checkpoint-gating": "that DDL and watermarks are not sent, but in TiCDC's own tests"}


def decode(
    value: bytes | None, value_schema: Any, key: bytes | None = None, key_schema: Any = None, options: str = "{}"
) -> Event:
    return decode_by(debezium_avro.decode, key, value, key_schema, value_schema, options)


def row(op: str, before: Any, after: Any, *columns: Mapping[str, Any], key: Any = KEY) -> Event:
    """The event of a row; the key is the new row's, or the deleted row's."""
    schema = envelope(ID, *columns)
    return decode(
        message(schema, wire(op, before, after)), schema, message(key, before if after is None else after), key
    )


def cell(field: Mapping[str, Any], value: Any) -> tuple[str | None, tuple[str, ...]]:
    event = row("c", None, {"id": 1, field["name"]: value}, field)
    assert event.kind == Kind.ROW, event.error_message
    return (image_of(event.after) or {})[field["name"]], event.lossy


def test_every_vector_is_a_case_or_says_why_not() -> None:
    assert VECTOR_LIST.keys() == NOT_CASES.keys() | {"debezium-avro/encode-row", "debezium-avro/sanitize"}


def test_vector_encode_row() -> None:
    expect = VECTOR_LIST["debezium-avro/encode-row"]["expect"]
    columns = (
        column("id", "int"),
        column("name", "string"),
        column("bin", "bytes"),
        column("price", decimal(10, 4)),
        column("ubig", "string"),
        column("v", "long"),
    )
    schema, key_schema = envelope(*columns, name="foo", namespace="dbserver1.test"), record(columns[0], name="fooKey")
    values = {
        "id": 1,
        "name": "alice",
        "bin": b"\x01\x02\x03",
        "price": None,
        "ubig": "18446744073709551615",
        "v": None,
    }
    plain = {**schema, "fields": json.loads(json.dumps(schema["fields"]).replace('"logicalType": "decimal", ', ""))}
    value = message(
        plain,
        wire(expect["op"], expect["before"], {**values, "price": (123400).to_bytes(3, "big")}, **expect["source"]),
    )
    event = decode(
        value, schema, message(key_schema, expect["key"]["id"] and {"id": expect["key"]["id"]["int"]}), key_schema
    )
    assert (event.schema_name, event.table_name, event.op) == ("test", "foo", "insert")
    assert (event.before, event.row_key, event.start_ts) == (None, b'{"id":"1"}', None)
    want = expect["after"]["dbserver1.test.foo"]
    assert image_of(event.after) == {
        "id": str(want["id"]["int"]),
        "name": want["name"]["string"],
        "bin": want["bin"]["bytes"].removesuffix("(base64)"),
        "price": "12.3400",
        "ubig": want["ubig"]["string"],
        "v": want["v"],
    }
    assert [each["type"] for each in orjson.loads(event.table_schema or b"")] == [
        "int",
        "text",
        "blob",
        "decimal(10,4)",
        "text",
        "bigint",
    ]


def test_vector_sanitize() -> None:
    """Names of schemas are sanitized; the source, and the columns' `connect.field`, have them as they are."""
    expect = VECTOR_LIST["debezium-avro/sanitize"]["expect"]
    odd = column("a b", "int", "int", field="a_b")
    schema = envelope(ID, odd, name="foo_bar", namespace=expect["namespace"])
    key_schema = record(odd, ID, name="foo_barKey", namespace=expect["namespace"])
    after = {**expect["value"]["after"], "a_b": 5}
    value = message(schema, wire(expect["value"]["op"], None, after, db=expect["db"], table=expect["table"]))
    event = decode(value, schema, message(key_schema, after), key_schema)
    assert schema["name"] == expect["record"]
    assert (event.schema_name, event.table_name) == (expect["db"], expect["table"])
    assert (image_of(event.after), event.row_key) == ({"id": "1", "a b": "5"}, b'{"a b":"5","id":"1"}')


A = column("a", "string", "varchar")


def test_operations() -> None:
    new, old = {"id": 1, "a": "x"}, {"id": 1, "a": None}
    new_texts, old_texts = {"id": "1", "a": "x"}, {"id": "1", "a": None}
    for op, before, after, want in (
        ("c", None, new, ("insert", None, new_texts)),
        ("u", old, new, ("update", old_texts, new_texts)),
        ("u", None, new, ("update", None, new_texts)),  # debezium.output-old-value=false
        ("d", old, None, ("delete", old_texts, None)),
    ):
        event = row(op, before, after, A)
        assert (event.op, image_of(event.before), image_of(event.after)) == want
        assert (event.schema_name, event.table_name, event.row_key) == ("shop", "t", b'{"id":"1"}')
        assert (event.commit_ts, event.commit_ts_exact, event.before_key, event.lossy) == (COMMIT_TS, True, None, ())


def test_an_update_that_moves_the_row_names_both_keys() -> None:
    event = row("u", {"id": 1, "a": "x"}, {"id": 2, "a": "x"}, A)
    assert (event.row_key, event.before_key) == (b'{"id":"2"}', b'{"id":"1"}')


@pytest.mark.parametrize("key", [None, b""])
def test_without_key_the_whole_row_is_the_key(key: bytes | None) -> None:
    schema = envelope(ID, A)
    event = decode(message(schema, wire("c", None, {"id": 1, "a": "x"})), schema, key)
    assert (event.lossy, event.row_key) == (("*:no_key",), event.after)


def test_without_a_column_of_the_key_the_whole_row_is_the_key() -> None:
    """Column selectors may leave the primary key out where a unique key stays (facts 2); part of it is no key."""
    schema = envelope(A)
    value = message(schema, wire("u", {"a": "x"}, {"a": "y"}))
    event = decode(value, schema, message(KEY, {"id": 1}), KEY)
    assert event == decode(value, schema)
    assert (event.lossy, event.row_key, event.before_key) == (("*:no_key",), event.after, event.before)
    many: list[Message] = [(message(KEY, {"id": 1}), value, "{}", json.dumps(KEY), json.dumps(schema))] * FEW
    assert read_together(debezium_avro, arrays(many)) == FEW


@pytest.mark.parametrize(("op", "before", "after"), [("c", {"id": 1}, None), ("u", None, None), ("d", None, {"id": 1})])
def test_a_row_that_is_not_there(op: str, before: Any, after: Any) -> None:
    schema = envelope(ID)
    assert decode(message(schema, wire(op, before, after)), schema).error_code == ErrorCode.BAD_SHAPE


def test_watermarks_and_unknown_operations() -> None:
    schema = envelope(ID)
    event = decode(message(schema, wire("m", None, None, db="", table="")), schema)
    assert event == Event(Kind.WATERMARK, commit_ts=COMMIT_TS)
    assert decode(message(schema, wire("r", None, {"id": 1})), schema).error_code == ErrorCode.UNKNOWN_KIND
    for commit_ts in (0, -1):
        value = message(schema, wire("c", None, {"id": 1}, commit_ts=commit_ts))
        assert decode(value, schema).error_code == ErrorCode.BAD_VALUE


NO_SCHEMA, ZERO_DATE = ("v:no_schema",), ("v:zero_date",)
SINGLE = float(np.float32(3.14))


@pytest.mark.parametrize(
    ("schema", "tidb_type", "value", "text", "lossy"),
    [
        ({"type": "int", "connect.type": "int16"}, "tinyint unsigned", 255, "255", ()),
        ("long", "int unsigned", 2**32 - 1, "4294967295", ()),
        ("long", "bigint", -7, "-7", ()),
        ("long", None, -7, "-7", NO_SCHEMA),  # signed, or unsigned beyond 2^63
        ("long", "bigint unsigned", -1, "18446744073709551615", ()),
        ("string", "bigint unsigned", "18446744073709551615", "18446744073709551615", ()),
        ("float", "float", 3.14, "3.14", ()),
        ("float", None, 1e-7, "0.0000001", ()),
        ("double", "float", SINGLE, "3.14", ()),  # 0.1 line 8: FLOAT(M,D)
        ("double", "float unsigned", SINGLE, "3.14", ()),
        ("double", "double", SINGLE, "3.140000104904175", ()),
        ("double", None, SINGLE, "3.140000104904175", NO_SCHEMA),
        ("double", None, 3.14, "3.14", ()),
        ("double", None, 0.5, "0.5", ()),
        ("string", "decimal", "-0.10", "-0.10", ()),
        ("string", None, "-0.10", "-0.10", ()),
        ("boolean", "bit", True, "1", ()),
        ("boolean", None, False, "0", ()),
        (connect("bytes", "io.debezium.data.Bits", length="12"), "bit", b"\xaa\x0a", "2730", ()),  # little-endian
        (connect("bytes", "io.debezium.data.Bits", length="64"), None, b"\xff" * 8, "18446744073709551615", ()),
        ("string", "varchar", 'a"\\\u2028', 'a"\\\u2028', ()),
        ("bytes", "varbinary", bytes(range(256)), b64encode(bytes(range(256))).decode(), ()),
        (connect("string", "io.debezium.data.Enum", allowed="a,b"), "enum", "b", "b", ()),
        (connect("string", "io.debezium.data.Enum", allowed="a,b"), "enum", "", "", ()),  # index 0
        (connect("string", "io.debezium.data.EnumSet", allowed="a,b"), None, "a,b", "a,b", ()),
        (connect("int", "io.debezium.time.Date"), "date", -354285, "1000-01-01", ()),
        (connect("int", "io.debezium.time.Date"), "date", 0, "1970-01-01", ZERO_DATE),
        (connect("int", "io.debezium.time.Date"), "date", None, None, ZERO_DATE),
        (connect("long", "io.debezium.time.Timestamp"), "datetime", 1701347696100, "2023-11-30 12:34:56.1", NO_SCHEMA),
        (
            connect("long", "io.debezium.time.MicroTimestamp"),
            None,
            1701347696123500,
            "2023-11-30 12:34:56.1235",
            NO_SCHEMA,
        ),
        (connect("long", "io.debezium.time.MicroTime"), "time", -45296123456, "-12:34:56.123456", NO_SCHEMA),
        (
            connect("string", "io.debezium.time.ZonedTimestamp"),
            "timestamp",
            "2023-11-30T12:34:56.12346Z",
            "2023-11-30 12:34:56.12346",
            (),
        ),
        (connect("int", "io.debezium.time.Year"), "year", 0, "0000", ()),
        (connect("string", "io.debezium.data.Json"), "json", '["foo"]', '["foo"]', ()),
        (connect("string", "io.debezium.data.TiDBVectorFloat32"), "vector", "[1,2,3]", "[1,2,3]", ()),
    ],
    ids=str,
)
def test_values(schema: Any, tidb_type: str | None, value: Any, text: str | None, lossy: tuple[str, ...]) -> None:
    assert cell(column("v", schema, tidb_type), value) == (text, lossy)


def test_types() -> None:
    columns = (
        column("e", connect("string", "io.debezium.data.Enum", allowed="a,c\\,d,it's"), "enum"),
        column("bits", connect("bytes", "io.debezium.data.Bits", length="12"), "bit"),
        column("d", decimal(10, 2), "decimal"),
        column("s", "string", "decimal"),
        column("t", {"type": "int", "connect.type": "int16"}, "tinyint"),
        column("u", {"type": "int", "connect.type": "int16"}),
    )
    event = row("c", None, {"id": 1, **{each["name"]: None for each in columns}}, *columns)
    table = orjson.loads(event.table_schema or b"")
    assert [each["type"] for each in table] == [
        "int",
        "enum('a','c,d','it''s')",
        "bit(12)",
        "decimal(10,2)",
        "decimal",
        "tinyint",
        "smallint",
    ]
    assert [each["key"] for each in table] == [1, None, None, None, None, None, None]
    assert "nullable" not in table[0], "every column is optional on the wire"


@pytest.mark.parametrize(
    ("column_type", "text", "want"),
    [
        ("datetime(3)", "2023-11-30 12:34:56.1", "2023-11-30 12:34:56.100"),
        ("datetime", "2023-11-30 12:34:56", "2023-11-30 12:34:56"),
        ("time(6)", "-12:34:56", "-12:34:56.000000"),
        ("timestamp(2)", "0000-00-00 00:00:00", "0000-00-00 00:00:00.00"),
        ("bigint unsigned", "-1", "18446744073709551615"),
        ("bigint", "-1", "-1"),
        ("float", "3.140000104904175", "3.14"),
        ("bit(12)", "2730", "2730"),
        ("decimal(65,30)", "0." + "1" * 30, "0." + "1" * 30),
        ("decimal(20,8)", "-1.5", "-1.50000000"),
        ("decimal(20,0)", "-1", "-1"),
        ("decimal", "-1.5", "-1.5"),
        ("year", "1999", "1999"),
    ],
)
def test_texts_of_images_by_the_table_schema(column_type: str, text: str, want: str) -> None:
    convert = converter(column_type)
    assert (text if convert is None else convert(text)[0]) == want


def test_a_text_that_may_stand_for_null() -> None:
    """0.1 line 6: no default is on the wire, so that only the known table schema can tell."""
    convert = converter("int", nullable=True, default="7")
    assert convert is not None
    assert (convert("7"), convert("8")) == (("7", "null_or_default"), ("8", None))
    assert converter("int", nullable=False, default="7") is None
    convert = converter("decimal(20,8)", nullable=True, default="-1.5")
    assert convert is not None
    assert convert("-1.5") == convert("-1.50000000") == ("-1.50000000", "null_or_default")
    # bytes that are no UTF-8 are U+FFFD in an export too
    convert = converter("varbinary(10)", nullable=True, default="\0\ufffd")
    assert convert is not None
    assert convert("AO+/vQ==") == ("AO+/vQ==", "null_or_default")


def test_a_cell_that_the_writer_schema_told_is_only_checked_for_null() -> None:
    """0.1 line 6: a row of complete columns gets flags all the same, and keeps its texts."""
    known = table_schema(
        [
            Column("id", "int", 1, False),
            Column("n", "int", None, True, "7"),
            Column("f", "float", None, True, "2.5"),
            Column("at", "timestamp(3)", None, True, "2024-01-02 03:04:05.000"),
            Column("d", "decimal(20,8)", None, True, "-1.5"),
        ]
    ).text.decode()
    key, defaults = b'{"id":"7"}', {"n": "7", "f": "2.5", "at": "2024-01-02 03:04:05", "d": "-1.5"}
    image = {"id": "7", **defaults}
    row = resolve(Row(key, None, None, write_json(image), ()), "debezium_avro", known, "{}", None)
    assert row.lossy == tuple(f"{column}:null_or_default" for column in defaults)
    assert orjson.loads(row.after or b"") == {**image, "d": "-1.50000000"}
    others = {"id": "7", "n": "8", "f": "2.25", "at": "2024-01-02 03:04:06", "d": None}
    row = resolve(Row(key, None, None, write_json(others), ()), "debezium_avro", known, "{}", None)
    assert (row.lossy, orjson.loads(row.after or b"")) == ((), others)


def test_text_that_is_not_utf_8_is_flagged_by_its_own_name() -> None:
    schema = envelope(ID, column("a b", "string", "varchar", field="a_b"))
    value = message(schema, wire("c", None, {"id": 1, "a_b": "xyz"})).replace(b"xyz", b"x\xffz")
    event = decode(value, schema)
    assert (event.lossy, (image_of(event.after) or {})["a b"]) == (("*:no_key", "a b:invalid_utf8"), "x\ufffdz")


def _without(schema: Mapping[str, Any], name: str) -> dict[str, Any]:
    return {**schema, "fields": [each for each in schema["fields"] if each["name"] != name]}


@pytest.mark.parametrize(
    "schema",
    [
        record(ID),
        *(_without(envelope(ID), name) for name in ("before", "source", "op")),
        {**envelope(ID), "fields": [{**each, "type": "string"} for each in envelope(ID)["fields"]]},
        {
            **envelope(ID),
            "fields": [
                {**each, "type": SOURCE} if each["name"] == "after" else each for each in envelope(ID)["fields"]
            ],
        },
    ],
)
def test_schemas_of_another_kind(schema: Any) -> None:
    assert decode(framed(b"\x00" * 50), schema).error_code in (ErrorCode.BAD_SHAPE, ErrorCode.BAD_AVRO)


def test_schemas_that_are_missing_and_frames_of_another_kind() -> None:
    schema = envelope(ID)
    value, key = message(schema, wire("c", None, {"id": 1})), message(KEY, {"id": 1})
    assert decode(value, None, key, KEY).error_message == "the value's writer schema 7 is not known"
    assert decode(value, schema, key, None).error_message == "the key's writer schema 7 is not known"
    assert decode(value, schema, key, KEY, '{"framing":"glue"}').error_code == ErrorCode.BAD_FRAME
    for nothing in (None, b""):
        assert decode(nothing, schema, key, KEY).error_code == ErrorCode.EMPTY_VALUE


def test_error_messages_hold_no_value_of_the_message() -> None:
    secret = "s3cr3t"
    field = column("v", connect("string", "io.debezium.time.ZonedTimestamp"), "timestamp")
    for event in (
        row("c", None, {"id": 1, "v": secret}, field),
        row(secret, None, {"id": 1}),
        decode(framed(secret.encode()), envelope(column(secret, "string"))),
    ):
        assert event.kind == Kind.ERROR
        assert secret not in (event.error_message or "")
