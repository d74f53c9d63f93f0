"""Open Protocol: the flags of a partitioned table's columns may be older than a DDL (protocol facts 0.1 line 16)."""

from __future__ import annotations

from base64 import b64encode
from typing import Any

import pyarrow as pa
import pytest
from support.batches import FEW, read_together
from support.open_protocol import BINARY, NULLABLE, column, decode, decode_row, ident, image, message, row_key

from ticdc_udfs.contract.schemas import Column, table_schema
from ticdc_udfs.protocols import open_protocol, resolution

ID = Column("id", "int(11)", 1)
STALE = NULLABLE  # as text has them
STALE_BINARY = NULLABLE | BINARY


def finished(wire: dict[str, Any], column_type: str | None, **members: Any) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The new image and flags of a row with the column `v`, resolved by the type that the DDL told."""
    event = decode_row({"u": {"id": ident(), "v": wire}}, **{"ptn": 143, **members})
    row = resolution.Row(event.row_key, event.before_key, event.before, event.after, event.lossy)
    schema = None if column_type is None else table_schema([ID, Column("v", column_type)]).text.decode()
    row = resolution.resolve(row, "open_protocol", schema, "{}", None)
    after = row.after.encode() if isinstance(row.after, str) else row.after
    return image(after) or {}, row.lossy


def base64(data: bytes) -> str:
    return b64encode(data).decode()


BECAME_BYTES = [
    ("binary(4)", column(254, r"\xff\x00\x00\x00", 0), base64(b"\xff\0\0\0")),
    ("varbinary(10)", column(15, r"\a\xd0K,", STALE), base64(b"\x07\xd0K,")),
    ("varbinary(10)", column(15, "plain", STALE), base64(b"plain")),
    ("tinyblob", column(249, base64(b"fjord"), STALE), base64(b"fjord")),
    ("blob", column(252, base64(b"\xff\xfe"), STALE), base64(b"\xff\xfe")),
]
BECAME_TEXT = [
    ("char(4)", column(254, r"a\tb", STALE_BINARY), r"a\tb"),
    ("varchar(10)", column(15, r"C:\files", STALE_BINARY), r"C:\files"),
    ("tinytext", column(249, base64(b"fjord"), STALE_BINARY), "fjord"),
    ("longtext", column(251, base64("日本".encode()), STALE_BINARY), "日本"),
]


@pytest.mark.parametrize(("column_type", "wire", "text"), BECAME_BYTES)
def test_text_whose_flags_are_old_is_bytes(column_type: str, wire: dict[str, Any], text: str) -> None:
    assert finished(wire, column_type) == ({"id": "1", "v": text}, ())


@pytest.mark.parametrize(("column_type", "wire", "text"), BECAME_TEXT)
def test_bytes_whose_flags_are_old_are_text(column_type: str, wire: dict[str, Any], text: str) -> None:
    assert finished(wire, column_type) == ({"id": "1", "v": text}, ())


@pytest.mark.parametrize(("column_type", "wire", "text"), [*BECAME_BYTES, *BECAME_TEXT])
def test_without_the_type_the_column_is_flagged(column_type: str, wire: dict[str, Any], text: str) -> None:
    assert finished(wire, None) == ({"id": "1", "v": wire["v"]}, ("v:no_schema",))


def test_what_is_none_of_the_type_stays_flagged() -> None:
    assert finished(column(15, r"\q", STALE), "varbinary(9)") == ({"id": "1", "v": r"\q"}, ("v:no_schema",))
    assert finished(column(252, "YQ", STALE), "text") == ({"id": "1", "v": "YQ"}, ("v:no_schema",))


def test_text_that_is_no_utf8() -> None:
    wire = column(252, base64(b"a\xff"), STALE)
    assert finished(wire, "text") == ({"id": "1", "v": "a\ufffd"}, ("v:invalid_utf8",))


def test_flags_of_other_tables_are_as_they_should_be() -> None:
    image_and_flags = finished(column(15, r"\xff", STALE_BINARY), None, ptn=None)
    assert image_and_flags == ({"id": "1", "v": base64(b"\xff")}, ())


def test_rows_without_key_that_are_sent_again_have_flags_of_a_later_time() -> None:
    """As `a` became a DECIMAL since, its flags are those of one; the classic encoder names such a row."""
    body = {"u": {"a": column(252, base64(b"kelp"), STALE_BINARY)}}
    event = decode_row(body)
    row = resolution.Row(event.row_key, event.before_key, event.before, event.after, event.lossy)
    schema = table_schema([Column("a", "text")]).text.decode()
    row = resolution.resolve(row, "open_protocol", schema, "{}", None)
    assert (row.after, row.row_key, row.lossy) == (b'{"a":"kelp"}', b'{"a":"kelp"}', ("*:no_key",))
    assert decode_row(body, rid=1).lossy == ("*:no_key",)


def test_flags_of_the_classic_encoder_are_as_they_should_be() -> None:
    """It forgets them by table, and writes the partition before the type of the event (facts 2.2)."""
    key = b'{"ts":470610923863932929,"scm":"shop","tbl":"t","rid":1,"ptn":143,"t":1}'
    (event,) = decode(*message((key, {"u": {"id": ident(), "v": column(15, r"\xff", STALE_BINARY)}})))
    assert (event.physical_table_id, event.lossy) == (143, ())


def test_a_key_of_such_text_is_that_of_the_type() -> None:
    body = {"u": {"k": column(15, r"\x00\x01", 10) | {"h": True}, "n": column(3, 1)}}
    event = decode_row(body, ptn=7)
    row = resolution.Row(event.row_key, event.before_key, event.before, event.after, event.lossy)
    schema = table_schema([Column("k", "varbinary(2)", 1), Column("n", "int(11)")]).text.decode()
    assert resolution.resolve(row, "open_protocol", schema, "{}", None).row_key == b'{"k":"AAE="}'


def test_a_table_that_becomes_partitioned_is_read_anew() -> None:
    body = {"u": {"id": ident(), "v": column(15, r"\xff", STALE_BINARY)}}
    flags = [decode_row(body, tbl="becomes", ptn=partition).lossy for partition in (None, 3, None)]
    assert flags == [(), ("v:no_schema",), ()]


@pytest.mark.parametrize("flags", [0, STALE, STALE_BINARY])
def test_rows_of_partitions_that_are_read_together(flags: int) -> None:
    bodies = [{"u": {"id": ident(number), "v": column(15, f"text {number}", flags)}} for number in range(FEW)]
    messages = [message((row_key(ptn=number % 3), body)) for number, body in enumerate(bodies)]
    keys, values = zip(*messages, strict=True)
    columns = [pa.array(keys, pa.binary()), pa.array(values, pa.binary()), pa.array(["{}"] * FEW)]
    assert read_together(open_protocol, columns) == FEW
