"""Values and shapes that older releases of TiCDC write (protocol facts 0.1 line 18): read, or told by column."""

from __future__ import annotations

import json
from typing import Any

import pyarrow as pa
import pytest
from support import avro
from support.batches import FEW, read_together
from support.open_protocol import BINARY, NULLABLE, UNSIGNED, column, decode, decode_row, ident, image, message, row_key

from ticdc_udfs.contract import arrow
from ticdc_udfs.contract.events import ErrorCode, Event, Kind
from ticdc_udfs.contract.schemas import Column, table_schema
from ticdc_udfs.protocols import canal_json, open_protocol, resolution

# Open Protocol: the old image of a column that was added with a default holds the default's text

DEFAULTS: list[tuple[int, int, Any, str, str]] = [
    (1, NULLABLE, -1, "7", "7"),
    (3, NULLABLE, 17, "17", "17"),
    (8, NULLABLE | UNSIGNED, 2**64 - 1, "18446744073709551615", "18446744073709551615"),
    (4, NULLABLE, 2, "1.5", "1.5"),
    (5, NULLABLE, 2.5, "1e-7", "0.0000001"),
    (13, NULLABLE, 2024, "0", "0000"),
    (16, NULLABLE | UNSIGNED, 1, "\x05", "5"),
    (16, NULLABLE | UNSIGNED, 1, "\x01\x00", "256"),
    (246, NULLABLE | BINARY, "2.50", "1.50", "1.50"),
    (15, NULLABLE, "new", "17", "17"),
    (10, NULLABLE | BINARY, "2024-01-01", "2020-02-29", "2020-02-29"),
]


@pytest.mark.parametrize(("code", "flags", "new", "default", "text"), DEFAULTS)
def test_old_images_with_the_text_of_a_default(code: int, flags: int, new: Any, default: str, text: str) -> None:
    wire = {"id": ident(), "c": column(code, default, flags)}
    update = decode_row({"u": {"id": ident(), "c": column(code, new, flags)}, "p": wire})
    deletion = decode_row({"d": wire})
    for event in (update, deletion):
        assert (event.error_message, image(event.before)) == (None, {"id": "1", "c": text})
    assert update.op == "update" and deletion.op == "delete"


def resolved(event: Event, column_type: str) -> tuple[dict[str, str | None] | None, tuple[str, ...]]:
    row = resolution.Row(event.row_key, event.before_key, event.before, event.after, event.lossy)
    schema = table_schema([Column("id", "int(11)", 1), Column("c", column_type)]).text.decode()
    row = resolution.resolve(row, "open_protocol", schema, "{}", None)
    return None if row.before is None else json.loads(row.before), row.lossy


LABELS = [
    (247, "enum('a','b','c')", 3, "b"),
    (248, "set('a','b','c')", 1, "a,c"),
    (248, "set('a','b','c')", 1, ""),
]


@pytest.mark.parametrize(("code", "column_type", "new", "label"), LABELS)
def test_old_images_with_the_label_of_a_default(code: int, column_type: str, new: int, label: str) -> None:
    body = {"u": {"id": ident(), "c": column(code, new)}, "p": {"id": ident(), "c": column(code, label)}}
    assert resolved(decode_row(body), column_type) == ({"id": "1", "c": label}, ())


def test_a_label_that_is_none_of_the_type_is_flagged() -> None:
    body = {"u": {"id": ident(), "c": column(247, 1)}, "p": {"id": ident(), "c": column(247, "x")}}
    assert resolved(decode_row(body), "enum('a')") == ({"id": "1", "c": "x"}, ("c:no_schema",))


UNREAD = [
    ("u", column(3, "s3cr3t"), False),
    ("d", column(3, "s3cr3t"), True),
    ("d", column(247, "2"), True),
    ("d", column(5, "s3cr3t"), True),
    ("d", column(15, 1), True),
    ("d", column(252, "*", BINARY), False),
]


@pytest.mark.parametrize(("member", "wire", "by_release"), UNREAD)
def test_a_dead_letter_names_the_column_and_the_releases(member: str, wire: dict[str, Any], by_release: bool) -> None:
    """A label that looks like a number could be either."""
    event = decode_row({member: {"id": ident(), "odd column": wire}})
    text = event.error_message or ""
    assert event.error_code == ErrorCode.BAD_VALUE
    assert text.startswith("the value of column 'odd column' is none of its type")
    assert ("6.5.0 to 6.5.8, 7.1.0 to 7.1.4, 7.5.0 and 7.5.1" in text) is by_release
    assert "s3cr3t" not in text


def test_such_images_among_many_rows() -> None:
    bodies: list[dict[str, Any]] = [
        {"u": {"id": ident(number), "c": column(3, number)}, "p": {"id": ident(number), "c": column(3, 17)}}
        for number in range(FEW)
    ]
    bodies[3]["p"]["c"] = column(3, "17")
    messages = [message((row_key(), body)) for body in bodies]
    keys, values = zip(*messages, strict=True)
    columns = [pa.array(keys, pa.binary()), pa.array(values, pa.binary()), pa.array(["{}"] * len(bodies))]
    assert read_together(open_protocol, columns, FEW - 1) == FEW - 1


# Open Protocol: floats came as doubles before 6.5.2


@pytest.mark.parametrize(
    ("code", "number", "text"),
    [
        (4, 3.140000104904175, "3.14"),
        (4, 3.4028234663852886e38, "340282350000000000000000000000000000000"),
        (4, 16777216, "16777216"),
        (5, 3.140000104904175, "3.140000104904175"),
    ],
)
def test_floats_that_came_as_doubles(code: int, number: float, text: str) -> None:
    event = decode_row({"u": {"id": ident(), "c": column(code, number)}})
    assert (event.error_message, image(event.after)) == (None, {"id": "1", "c": text})


def test_such_floats_among_many_rows() -> None:
    bodies = [{"u": {"id": ident(number), "c": column(4, 3.140000104904175)}} for number in range(FEW)]
    keys, values = zip(*(message((row_key(), body)) for body in bodies), strict=True)
    columns = [pa.array(keys, pa.binary()), pa.array(values, pa.binary()), pa.array(["{}"] * len(bodies))]
    assert read_together(open_protocol, columns) == FEW


# Open Protocol: a row that was inserted and deleted in one transaction


def test_a_row_without_change_is_no_error() -> None:
    row = (row_key(), {"u": {"id": ident()}})
    nothing, after = decode(*message((row_key(), b"{}"), row))
    assert (nothing.kind, nothing.table_name, nothing.error_code) == (Kind.BOOTSTRAP, None, None)
    assert (after.kind, image(after.after)) == (Kind.ROW, {"id": "1"})


def test_rows_without_change_among_many() -> None:
    bodies: list[Any] = [{"u": {"id": ident(number)}} for number in range(FEW)]
    keys, values = message(*((row_key(), body) for body in [*bodies, b"{}", *bodies]))
    columns = [pa.array([keys], pa.binary()), pa.array([values], pa.binary()), pa.array(["{}"])]
    assert read_together(open_protocol, columns) == 2 * FEW


# Canal-JSON


def canal_message(**members: Any) -> bytes:
    wire = {
        "id": 0,
        "database": "shop",
        "table": "t",
        "pkNames": ["id"],
        "isDdl": False,
        "type": "INSERT",
        "es": 1_780_000_001_000,
        "ts": 1,
        "sql": "",
        "sqlType": {"id": 4, "v": 12},
        "mysqlType": {"id": "int", "v": "varchar"},
        "data": [{"id": "1", "v": "a"}],
        "old": [None],
        **members,
    }
    return json.dumps(wire).encode()


def canal(**members: Any) -> Event:
    (event,) = arrow.decode_message(canal_json.decode, None, canal_message(**members), "{}")
    return event


@pytest.mark.parametrize("value", ["a", "\\ufffd"])
def test_old_is_a_list_of_null(value: str) -> None:
    for kind, op in (("INSERT", "insert"), ("UPDATE", "update"), ("DELETE", "delete")):
        event = canal(type=kind, data=[{"id": "1", "v": value}])
        assert (event.kind, event.op, event.error_message) == (Kind.ROW, op, None)
        assert (event.before is None) is (op != "delete")


@pytest.mark.parametrize("old", [{"id": "1", "v": "b"}, {"v": "b"}, {}])
def test_columns_that_selectors_leave_out_stand_empty_in_old(old: dict[str, str]) -> None:
    event = canal(type="UPDATE", old=[{"left_out": "", **old}])
    assert event._replace(table_schema=None) == canal(type="UPDATE", old=[old])._replace(table_schema=None)
    assert image(event.before) == {"id": "1", "v": "a", **old}


@pytest.mark.parametrize("text", ["x", None])
def test_other_columns_that_old_alone_has_are_an_error(text: str | None) -> None:
    assert canal(type="UPDATE", old=[{"id": "1", "more": text}]).error_code == ErrorCode.BAD_SHAPE


BYTES = [
    ("varbinary", 0, 12, "é测", "w6nmtYs="),
    ("binary", 0, 1, "a\x00", "YQA="),
    ("blob", 0, 2004, "\u00e9", "6Q=="),
    ("varbinary", 1, 2004, "\u00e9", "6Q=="),
    ("varbinary", 1, 12, "\u00e9", "6Q=="),
    ("varchar", 0, 12, "é", "é"),
]


@pytest.mark.parametrize(("column_type", "built_at", "java_type", "wire", "text"), BYTES)
def test_bytes_that_came_as_text_before_5_4(
    column_type: str, built_at: int, java_type: int, wire: str, text: str
) -> None:
    row = {"id": "1", "v": wire}
    types: dict[str, Any] = {"mysqlType": {"id": "int", "v": column_type}, "sqlType": {"id": 4, "v": java_type}}
    event = canal(type="UPDATE", ts=built_at, data=[row], old=[row], **types)
    assert (image(event.before), image(event.after)) == ({"id": "1", "v": text},) * 2
    without = canal(ts=0, data=[{"id": "1", "v": "\u00e9"}], **types | {"sqlType": None})
    assert image(without.after) == {"id": "1", "v": "é" if column_type == "varchar" else "6Q=="}


def test_bytes_that_are_no_text_are_flagged() -> None:
    wire = canal_message(ts=0, mysqlType={"id": "int", "v": "varbinary"}, data=[{"id": "1", "v": "\ufffd"}])
    (event,) = arrow.decode_message(canal_json.decode, None, wire, "{}")
    assert (image(event.after), event.lossy) == ({"id": "1", "v": "77+9"}, ("v:invalid_utf8",))


FLOATS = [
    ("float", "3.140000104904175", "3.14"),
    ("float", "-0.10000000149011612", "-0.1"),
    ("float", "340282346638528860000000000000000000000", "340282350000000000000000000000000000000"),
    ("float", "340282350000000000000000000000000000000", "340282350000000000000000000000000000000"),
    ("float(10,3)", "1234567.875", "1234567.9"),
    ("float", "262144.13", "262144.13"),
    ("float", "16777216", "16777216"),
    ("double", "3.140000104904175", "3.140000104904175"),
]


@pytest.mark.parametrize(("column_type", "wire", "text"), FLOATS)
def test_floats_that_came_as_doubles_before_6_5_2(column_type: str, wire: str, text: str) -> None:
    event = canal(mysqlType={"id": "int", "v": column_type}, data=[{"id": "1", "v": wire}])
    assert (image(event.after), event.lossy) == ({"id": "1", "v": text}, ())


@pytest.mark.parametrize("wire", ["s3cr3ts3cr3t", "1" + "0" * 39, "-inf" * 3])
def test_a_float_that_is_none_is_a_dead_letter(wire: str) -> None:
    event = canal(mysqlType={"id": "int", "v": "float"}, data=[{"id": "1", "v": wire}])
    assert event.error_message == "the value of column 'v' is none of its type"


def test_canal_json_with_the_label_of_a_default() -> None:
    types = {"id": "int", "v": "enum('a','b')"}
    event = canal(type="UPDATE", mysqlType=types, data=[{"id": "1", "v": "1"}], old=[{"id": "1", "v": "b"}])
    assert (image(event.before), image(event.after)) == ({"id": "1", "v": "b"}, {"id": "1", "v": "a"})


def test_a_dead_letter_of_canal_json_names_the_column() -> None:
    event = canal(mysqlType={"id": "int", "v": "enum('a','b')"}, data=[{"id": "1", "v": "s3cr3t"}])
    assert (event.error_code, event.error_message) == (
        ErrorCode.BAD_VALUE,
        "the value of column 'v' is none of its type",
    )


# Canal-JSON: the text `null` came as NULL from 8.5.4 to 8.5.5-release.4 of the new architecture


@pytest.mark.parametrize(
    ("column_type", "text"),
    [("varchar", "null"), ("char(4)", "null"), ("text", "null"), ("varbinary", "bnVsbA=="), ("int", None)],
)
def test_a_key_that_came_as_null_is_that_text(column_type: str, text: str | None) -> None:
    wire: dict[str, Any] = {"pkNames": ["id", "k"], "mysqlType": {"id": "int", "k": column_type, "v": "varchar"}}
    row = {"id": "1", "k": None, "v": None}
    event = canal(type="UPDATE", data=[row], old=[row], **wire)
    assert image(event.row_key) == {"id": "1", "k": text}
    assert image(event.after) == image(event.before) == {"id": "1", "k": text, "v": None}
    event = canal(type="UPDATE", data=[{**row, "k": "x"}], old=[{"k": None}], **wire)
    assert image(event.before_key) == {"id": "1", "k": text}
    assert image(canal(type="DELETE", data=[row], old=None, **wire).before) == {"id": "1", "k": text, "v": None}


def test_without_primary_key_null_stays() -> None:
    event = canal(pkNames=None, data=[{"id": "1", "v": None}])
    assert image(event.row_key) == {"id": "1", "v": None}


# Avro before 6.1: no database, and moments and labels as numbers that bear no type of TiDB

UNTYPED = {
    "type": "record",
    "name": "t",
    "fields": [
        {"name": "id", "type": "int"},
        {"name": "at", "type": ["null", {"type": "long", "logicalType": "timestamp-millis"}], "default": None},
    ],
}
UNTYPED_KEY = {**UNTYPED, "fields": UNTYPED["fields"][:1]}


@pytest.mark.parametrize("value", [avro.message(UNTYPED, {"id": 1, "at": 1_582_165_220_000}), None])
def test_rows_of_no_database_are_dead_letters(value: bytes | None) -> None:
    event = avro.decode(value, UNTYPED, avro.message(UNTYPED_KEY, {"id": 1}), UNTYPED_KEY)
    assert (event.kind, event.error_code) == (Kind.ERROR, ErrorCode.BAD_SHAPE)
    assert "names no database, which TiCDC does since 6.1" in (event.error_message or "")
