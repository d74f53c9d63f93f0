"""Debezium: bytes as an option of the changefeed writes them, decimals and BIGINT UNSIGNED as text (0.1 line 19)."""

from __future__ import annotations

import json
from base64 import b64encode, urlsafe_b64encode
from typing import Any

import pyarrow as pa
import pytest
from support.avro import COMMIT_TS, decode_by, message, record
from support.batches import FEW, read_together
from support.debezium import INT, Image, decode, field, key_message, row_message, to_bytes

from ticdc_udfs.contract.events import ErrorCode, Event
from ticdc_udfs.contract.options import parse
from ticdc_udfs.contract.schemas import Column, table_schema
from ticdc_udfs.protocols import debezium, debezium_avro
from ticdc_udfs.protocols.resolution import Row, resolve, unsure_cells

DATA = b"\xfb\xef\xff\x3e\x00"
WANTED = b64encode(DATA).decode()
WIRE = {
    "bytes": WANTED,
    "base64": WANTED,
    "base64-url-safe": urlsafe_b64encode(DATA).decode(),
    "hex": DATA.hex(),
}
BINARY = {"tidb_type": "varbinary", "type": "string"}
NO_EXTENSION = {"type": "string"}
CONNECT_BYTES = {"tidb_type": "varbinary", "type": "bytes"}
ID = field("id", INT, optional=False)
SCHEMA = table_schema([Column("id", "int(11)", 1), Column("v", "varbinary(8)", None, True)]).text.decode()
TEXT_SCHEMA = table_schema([Column("id", "int(11)", 1), Column("v", "varchar(20)", None, True)]).text.decode()


def options(mode: str | None) -> str:
    return json.dumps({} if mode is None else {"binary_handling_mode": mode})


def row(value: Any, shape: dict[str, Any] | None, mode: str | None, **members: Any) -> Event:
    fields = None if shape is None else [ID, field("v", shape, **members)]
    return decode(row_message({"id": 1, "v": value}, fields), key_message({"id": 1}, fields), options(mode))


def cell(text: str | bytes | None) -> Any:
    return json.loads(text or b"{}").get("v", "absent")


def finished(event: Event, mode: str | None, schema: str = SCHEMA) -> tuple[Any, tuple[str, ...]]:
    line = Row(event.row_key, event.before_key, event.before, event.after, event.lossy)
    line = resolve(line, "debezium", schema, options(mode), None)
    return cell(line.after), line.lossy


@pytest.mark.parametrize("mode", WIRE)
def test_with_the_extension(mode: str) -> None:
    event = row(WIRE[mode], BINARY, mode)
    assert (cell(event.after), event.lossy) == (WANTED, ())


@pytest.mark.parametrize("shape", [NO_EXTENSION, None], ids=["no extension", "no schema"])
@pytest.mark.parametrize("mode", WIRE)
def test_bytes_that_are_known_by_the_table(mode: str, shape: dict[str, Any] | None) -> None:
    assert finished(row(WIRE[mode], shape, mode), mode) == (WANTED, ())


@pytest.mark.parametrize("mode", WIRE)
def test_text_stays_text(mode: str) -> None:
    assert finished(row("cafe", NO_EXTENSION, mode), mode, TEXT_SCHEMA) == ("cafe", ())


@pytest.mark.parametrize("mode", ["base64-url-safe", "hex"])
def test_without_the_table_it_is_not_known_what_is_bytes(mode: str) -> None:
    event = row(WIRE[mode], NO_EXTENSION, mode)
    assert (cell(event.after), event.lossy) == (WIRE[mode], ("v:no_schema",))


def test_keys_of_bytes() -> None:
    fields = [field("k", {"tidb_type": "binary", "type": "string"}, optional=False)]
    event = decode(row_message({"k": "fbefff3e"}, fields), key_message({"k": "fbefff3e"}, fields), options("hex"))
    assert event.row_key == b'{"k":"++//Pg=="}'


def test_the_default_in_place_of_null_is_found_in_every_mode() -> None:
    default = b"a\xff".decode("utf-8", "replace")
    for mode, text in {"hex": default.encode().hex(), "base64": b64encode(default.encode()).decode()}.items():
        event = row(text, BINARY, mode, default=default)
        assert event.lossy == ("v:null_or_default",)


def test_a_field_of_bytes_is_base64_in_every_mode() -> None:
    for mode in (None, *WIRE):
        event = row("cafe", CONNECT_BYTES, mode)
        assert (cell(event.after), event.lossy) == ("cafe", ())


@pytest.mark.parametrize(("mode", "text"), [("hex", "abc"), ("hex", "zz"), ("hex", "ab cd"), ("base64-url-safe", "a")])
def test_what_is_not_of_the_mode_is_a_dead_letter(mode: str, text: str) -> None:
    event = row(text, BINARY, mode)
    assert (event.error_code, event.error_message) == (
        ErrorCode.BAD_VALUE,
        "the value of column 'v' is none of its type",
    )


# Without the option

UNSAID: list[tuple[str, str | None, tuple[str, ...]]] = [
    (WANTED, WANTED, ()),
    ("", "", ()),
    ("cafe", "cafe", ("v:binary_unsure",)),
    ("00000000", "00000000", ("v:binary_unsure",)),
    ("AAAA", "AAAA", ()),
    (DATA.hex(), WANTED, ()),
    (WIRE["base64-url-safe"], WANTED, ()),
    ("abc", None, ()),
    ("no base64", None, ()),
]


@pytest.mark.parametrize(("text", "want", "flags"), UNSAID)
def test_without_the_option(text: str, want: str | None, flags: tuple[str, ...]) -> None:
    event = row(text, BINARY, None)
    if want is None:
        assert event.error_code == ErrorCode.BAD_VALUE
    else:
        assert (cell(event.after), event.lossy) == (want, flags)
        assert finished(row(text, None, None), None) == (want, flags)


@pytest.mark.parametrize(
    ("text", "want", "flags"),
    [
        (WANTED, WANTED, None),
        ("cafe", "cafe", ("v:binary_unsure",)),
        ("no base64", "no base64", ("v:binary_unsure",)),
        ("fb", "+w==", ()),
        ("_-==", "/w==", ()),
    ],
)
def test_without_option_and_extension_the_catalogue_tells(text: str, want: str, flags: tuple[str, ...] | None) -> None:
    """Its message is whole, as far as it tells, and nobody has converted the text."""
    event = row(text, NO_EXTENSION, None)
    assert (cell(event.after), event.lossy) == (text, ())
    image = (event.after or b"").decode()
    told = unsure_cells("debezium", SCHEMA, options(None), None, image)
    assert (None if told is None else (cell(told.after), told.lossy)) == (None if flags is None else (want, flags))
    assert unsure_cells("debezium", TEXT_SCHEMA, options(None), None, image) is None
    assert unsure_cells("debezium", SCHEMA, options("base64"), None, image) is None


@pytest.mark.parametrize("mode", [None, *WIRE])
def test_many_rows(mode: str | None) -> None:
    fields = [ID, field("v", BINARY)]
    texts = [WIRE[mode or "base64"], None, *(["cafe", "", "fb"] if mode in (None, "hex") else [""])]
    messages = [
        (
            to_bytes(key_message({"id": number}, fields)),
            to_bytes(row_message({"id": number, "v": texts[number % len(texts)]}, fields)),
        )
        for number in range(3 * FEW)
    ]
    keys, values = zip(*messages, strict=True)
    columns = [pa.array(keys, pa.binary()), pa.array(values, pa.binary()), pa.array([options(mode)] * len(messages))]
    assert read_together(debezium, columns) == len(messages)


def test_an_unknown_mode_is_no_option() -> None:
    assert parse(options("hex")).binary == "hex"
    assert row("00", BINARY, "octal").error_code == ErrorCode.BAD_OPTIONS


# Debezium-Avro has bytes; text by option is converted where the type is known


@pytest.mark.parametrize(("mode", "text"), [("hex", DATA.hex()), (None, WANTED), ("base64-url-safe", "--__PgA=")])
def test_bytes_as_text_in_avro(mode: str | None, text: str) -> None:
    column = {"name": "v", "type": ["null", "string"], "connect.field": "v", "default": None, "tidb_type": "varbinary"}
    image = record(column, name="t", namespace="c.shop")
    source = record(
        {"name": "db", "type": "string"}, {"name": "table", "type": "string"}, {"name": "commit_ts", "type": "long"}
    )
    schema = record(
        {"name": "before", "type": ["null", image], "default": None},
        {"name": "after", "type": ["null", "c.shop.t"], "default": None},
        {"name": "source", "type": {**source, "name": "Source"}},
        {"name": "op", "type": "string"},
        name="tEnvelope",
        namespace="c.shop",
    )
    wire = {"before": None, "after": {"v": text}, "op": "c"}
    wire["source"] = {"db": "shop", "table": "t", "commit_ts": COMMIT_TS}
    event = decode_by(debezium_avro.decode, None, message(schema, wire), None, schema, options(mode))
    assert cell(event.after) == (WANTED if text != "--__PgA=" else b64encode(b"\xfb\xef\xff\x3e\x00").decode())


# Decimals and BIGINT UNSIGNED as text


def numbers(column_type: str, text: str, shape: dict[str, Any] | None) -> tuple[Image, tuple[str, ...]]:
    schema = table_schema([Column("id", "int(11)", 1), Column("v", column_type, None, True)]).text.decode()
    event = row(text, shape, None)
    line = Row(event.row_key, event.before_key, event.before, event.after, event.lossy)
    if event.lossy:
        line = resolve(line, "debezium", schema, "{}", None)
    return cell(line.after), line.lossy


DECIMAL = {"tidb_type": "decimal", "type": "string"}


@pytest.mark.parametrize("text", ["1.50", "-12345678901234567890.10", "12345678901234567890.12", "0.00"])
@pytest.mark.parametrize("shape", [DECIMAL, None], ids=["inline", "no schema"])
def test_decimals_as_text_are_exact(text: str, shape: dict[str, Any] | None) -> None:
    assert numbers("decimal(30,2)", text, shape) == (text, ())


def test_a_decimal_that_may_have_come_through_a_double_is_flagged() -> None:
    assert numbers("decimal(30,2)", "1234567890123456.7", None)[1] == ("v:double_precision",)


@pytest.mark.parametrize("text", ["18446744073709551615", "0"])
@pytest.mark.parametrize("shape", [{"tidb_type": "bigint unsigned", "type": "string"}, None])
def test_unsigned_numbers_as_text(text: str, shape: dict[str, Any] | None) -> None:
    assert numbers("bigint(20) unsigned", text, shape) == (text, ())
