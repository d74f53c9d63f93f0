"""Simple: values in both encodings, and how the table's schema finishes them."""

from __future__ import annotations

from base64 import b64encode
from typing import Any

import pytest
from support.images import image_of
from support.simple import BOTH, Single, Unsigned, decode, row_message, to_avro, to_json

from ticdc_udfs.contract.events import ErrorCode, Kind
from ticdc_udfs.protocols.simple.message import converter


def _cell(cell: Any, encoding: str = "json", **options: str) -> tuple[str | None, tuple[str, ...]]:
    event = decode(row_message({"id": "1", "v": cell}), encoding, **options)
    assert event.kind == Kind.ROW, event.error_message
    image = image_of(event.after)
    assert image is not None and image["id"] == "1"
    return image["v"], tuple(flag for flag in event.lossy if flag != "*:no_schema")


@BOTH
@pytest.mark.parametrize("text", ["", "null", "测试", "a\u2028b\u2029c", "\0", '"\\', "<&>", "\ufffd", "x" * 70_000])
def test_text_stays(text: str, encoding: str) -> None:
    assert _cell(text, encoding) == (text, ())


def test_binary_is_base64() -> None:
    data = bytes(range(256))
    assert _cell(data, "avro") == (b64encode(data).decode(), ())
    assert _cell(b64encode(data).decode(), "json") == (b64encode(data).decode(), ())
    assert converter("varbinary(300)", None) is None


@pytest.mark.parametrize("number", [0, 1, -1, 63, 64, -64, -65, 2**31, 2**63 - 1, -(2**63)])
def test_numbers_of_avro(number: int) -> None:
    assert _cell(number, "avro") == (str(number), ())


@pytest.mark.parametrize("number", [0, 1, 2**63 - 1, 2**63, 2**64 - 1])
def test_unsigned_bigint(number: int) -> None:
    """A record with the signed 64 bits in Avro, digits in JSON."""
    signed = number - 2**64 if number >= 2**63 else number
    assert _cell(Unsigned(signed), "avro") == (str(number), ())
    assert _cell(str(number), "json") == (str(number), ())


@pytest.mark.parametrize("number", [0, 65, 2**63, 2**64 - 1])
def test_bit_in_both_forms(number: int) -> None:
    """Digits from TiCDC, a signed number from tiflow (protocol facts 3.5)."""
    signed = number - 2**64 if number >= 2**63 else number
    convert = converter("bit(64)", None)
    assert convert is not None
    for cell in (str(number), signed):
        text, _ = _cell(cell, "avro")
        assert text is not None and convert(text) == (str(number), None)


@pytest.mark.parametrize(
    ("number", "text"),
    [(0.0, "0"), (-0.0, "-0"), (3.14, "3.14"), (1e22, "1" + "0" * 22), (1e-7, "0.0000001"), (-2.5, "-2.5")],
)
def test_floats_of_avro(number: float, text: str) -> None:
    assert _cell(number, "avro") == (text, ())
    assert _cell(Single(number), "avro") == ("10000000000000000000000" if number == 1e22 else text, ())


@pytest.mark.parametrize("encoding", ["<f", "<d"])
def test_a_number_that_is_not_finite_is_an_error(encoding: str) -> None:
    kind: type[float] = Single if encoding == "<f" else float
    for number in (float("nan"), float("inf")):
        assert decode(row_message({"v": kind(number)}), "avro").error_code == ErrorCode.BAD_AVRO


@pytest.mark.parametrize(
    ("column_type", "wire", "text"),
    [
        ("double", "1e+22", "1" + "0" * 22),
        ("double", "2.5E-7", "0.00000025"),
        ("double", "3.14", "3.14"),
        ("float", "1e+10", "10000000000"),
        ("float", "3.4028235e+38", "340282350000000000000000000000000000000"),
        ("float", "3.14", "3.14"),
        ("year(4)", "0", "0000"),
        ("year(4)", "2024", "2024"),
        ("enum('a','b')", "2", "b"),
        ("enum('a','b')", "0", ""),
        ("set('a','b')", "3", "a,b"),
        ("set('a','b')", "0", ""),
        (f"set({','.join(repr(f'm{n}') for n in range(64))})", str(-(2**63)), "m63"),
        (f"set({','.join(repr(f'm{n}') for n in range(64))})", str(2**63), "m63"),
        ("bit(1)", "1", "1"),
    ],
)
def test_what_needs_the_type(column_type: str, wire: str, text: str) -> None:
    convert = converter(column_type, None)
    assert convert is not None
    assert convert(wire) == (text, None)


@pytest.mark.parametrize(
    ("column_type", "text"),
    [("double", "1e400"), ("float", "1e39"), ("float", "e"), ("enum('a')", "2"), ("set('a')", "x"), ("bit(1)", "-x")],
)
def test_text_that_is_none_of_its_type(column_type: str, text: str) -> None:
    convert = converter(column_type, None)
    assert convert is not None
    with pytest.raises(ValueError):
        convert(text)


@pytest.mark.parametrize("column_type", ["int(11)", "varchar(9)", "timestamp(3)", "datetime", "json", "blob", "vector"])
def test_what_is_canonical_in_the_image(column_type: str) -> None:
    assert converter(column_type, None) is None


@BOTH
@pytest.mark.parametrize(
    ("location", "value", "utc", "flags"),
    [
        ("UTC", "2020-02-20 10:20:20.123", "2020-02-20 10:20:20.123", ()),
        ("Asia/Shanghai", "2020-02-20 10:20:20", "2020-02-20 02:20:20", ()),
        ("Asia/Shanghai", "0000-00-00 00:00:00", "0000-00-00 00:00:00", ()),
        ("Europe/Berlin", "2024-10-27 02:30:00", "2024-10-27 00:30:00", ("v:ambiguous_time",)),
        ("Europe/Berlin", "2024-10-27 03:30:00", "2024-10-27 02:30:00", ()),
        ("Local", "2020-02-20 10:20:20", "2020-02-20 15:20:20", ()),
    ],
)
def test_timestamps_by_their_own_location(
    location: str, value: str, utc: str, flags: tuple[str, ...], encoding: str
) -> None:
    """`Local` names no zone: there the feed's option does, and nowhere else."""
    cell = {"location": location, "value": value}
    assert _cell(cell, encoding, time_zone="America/New_York") == (utc, flags)


@BOTH
@pytest.mark.parametrize(
    "cell",
    [
        {"location": "Mars/Olympus", "value": "2020-02-20 10:20:20"},
        {"location": "../etc/passwd", "value": "2020-02-20 10:20:20"},
        {"location": "", "value": "2020-02-20 10:20:20"},
        {"location": "Asia/Shanghai", "value": "soon"},
    ],
    ids=["unknown", "no name", "empty", "no time"],
)
def test_timestamps_that_cannot_be_read(cell: Any, encoding: str) -> None:
    assert decode(row_message({"v": cell}), encoding).error_code == ErrorCode.BAD_VALUE


def test_numbers_of_json_that_are_no_text() -> None:
    """An encoder between releases wrote them so (protocol facts 3.4)."""
    wire = to_json(row_message({"v": "MARK"}))
    for number, text in [(b"-7", "-7"), (b"18446744073709551615", str(2**64 - 1)), (b"1e+22", "1" + "0" * 22)]:
        assert image_of(decode(wire.replace(b'"MARK"', number)).after) == {"v": text}


def test_escaped_replacement_is_invalid_utf8_and_a_literal_one_is_not() -> None:
    wire = to_json(row_message({"a": "MARK", "b": "\ufffd"}, type="UPDATE", old={"a": "x", "b": "MARK"}))
    event = decode(wire.replace(b"MARK", rb"\ufffd"))
    assert image_of(event.after) == {"a": "\ufffd", "b": "\ufffd"}
    assert event.lossy == ("*:no_schema", "a:invalid_utf8", "b:invalid_utf8")
    assert decode(wire.replace(b"MARK", rb"\\ufffd")).lossy == ("*:no_schema",)


def test_invalid_utf8_of_avro_is_replaced_and_flagged() -> None:
    wire = to_avro(row_message({"id": "1", "a": "MARK", "b": "测"}))
    event = decode(wire.replace(b"MARK", b"\xff\xfea\xed"), "avro")
    image = image_of(event.after)
    assert image is not None and image["b"] == "测"
    assert image["a"] is not None and image["a"].startswith("\ufffd\ufffda")
    assert event.lossy == ("*:no_schema", "a:invalid_utf8")
