"""Debezium JSON: values, and how the table's schema finishes them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any
from zoneinfo import ZoneInfo

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.debezium import (
    BINARY,
    BIT1,
    BIT12,
    BOTH,
    DATE,
    DECIMAL,
    FIELDS,
    KEY,
    MICROS,
    MILLIS,
    NEW,
    TIME,
    UBIGINT,
    VARCHAR,
    ZONED,
    cell_of,
    decode,
    field,
    flags_of,
    key_message,
    row_message,
    shape_of,
    to_bytes,
)
from support.images import image_of

from ticdc_udfs.protocols.debezium.values import converter, null_reason


@pytest.mark.parametrize(
    ("value", "shape", "column_type", "want"),
    [
        (255, shape_of("tinyint unsigned", "int16"), None, "255"),
        (-9223372036854775808, shape_of("bigint", "int64"), None, "-9223372036854775808"),
        (-1, UBIGINT, None, "18446744073709551615"),
        (-9223372036854775808, UBIGINT, None, "9223372036854775808"),
        (9223372036854775807, UBIGINT, None, "9223372036854775807"),
        (0, shape_of("year", "int32", "io.debezium.time.Year"), None, "0000"),
        (12345.123, shape_of("float", "float"), None, "12345.123"),
        (3.4028235e38, shape_of("float", "float"), None, "340282350000000000000000000000000000000"),
        (1234567.9, shape_of("float", "double"), None, "1234567.9"),
        (0.10000000149011612, shape_of("float", "double"), None, "0.1"),
        (-1e100, shape_of("double", "double"), None, "-1" + "0" * 100),
        (123456789012345.12, shape_of("double", "double"), None, "123456789012345.12"),
        (20277.7, DECIMAL, "decimal(10,2)", "20277.70"),
        (20277, DECIMAL, "decimal(10,2)", "20277.00"),
        (1e-8, DECIMAL, "decimal(20,8)", "0.00000001"),
        (0, DECIMAL, "decimal(5,0)", "0"),
        (-0.5, DECIMAL, "decimal(15,15)", "-0.500000000000000"),
        (True, BIT1, None, "1"),
        (False, BIT1, None, "0"),
        ("qgo=", BIT12, None, "2730"),
        ("//////////8=", shape_of("bit", "bytes", "io.debezium.data.Bits", length="64"), None, str(2**64 - 1)),
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
        ('{"a": "\u2028"}', shape_of("json", "string", "io.debezium.data.Json"), None, '{"a": "\u2028"}'),
        ("[1,2.5]", shape_of("vector", "string", "io.debezium.data.TiDBVectorFloat32"), None, "[1,2.5]"),
    ],
)
def test_values(value: Any, shape: Mapping[str, Any], column_type: str | None, want: str) -> None:
    assert cell_of(value, shape, column_type) == (want, ())


@pytest.mark.parametrize("shape", [shape_of("float", "float"), shape_of("double", "double"), None])
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
            assert tuple((image_of(image) or {}).get("a") for image in (event.after, event.before)) == want
            assert event.lossy == (*flags_of(fields), *(f"{column}:invalid_utf8" for column in flags))
            assert image_of(event.row_key) == {"a": want[0] or want[1]}
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
        assert cell_of(value, shape) == (text, ("no_schema",))
    assert cell_of(1, {"type": "int64"}) == ("1", ())


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
    convert = converter(column_type)
    assert convert is not None
    assert convert(text)[0] == text


@pytest.mark.parametrize("fraction", range(7))
def test_the_zero_date_of_a_timestamp_is_told(fraction: int) -> None:
    """The start of 1970 is beyond TIMESTAMP's range, so that it stands for the zero date alone."""
    digits = "." + "0" * fraction if fraction else ""
    column_type = f"timestamp({fraction})" if fraction else "timestamp"
    for nullable in (True, False):
        text = cell_of("1970-01-01T00:00:00Z", ZONED, column_type, optional=nullable)
        assert text == ("0000-00-00 00:00:00" + digits, ())


@pytest.mark.parametrize("sign", ["", "-"])
def test_a_float_beyond_its_range_is_no_value(sign: str) -> None:
    convert = converter("float")
    assert convert is not None
    assert convert(sign + "3.4028235e+38") == (sign + "34028235" + "0" * 31, None)
    for text in ("3.4028237e+38", "1e39"):
        with pytest.raises(ValueError, match="beyond a float"):
            convert(sign + text)


@pytest.mark.parametrize("zone", ["UTC", "America/New_York"])
@pytest.mark.parametrize("fraction", range(1, 7))
def test_the_zero_date_of_a_timestamp_with_fraction_digits(fraction: int, zone: str) -> None:
    """Releases before 8.5.1 write it so."""
    wire, text = f"1970-01-01T00:00:00.{'0' * fraction}Z", f"0000-00-00 00:00:00.{'0' * fraction}"
    assert cell_of(wire, ZONED, None, json.dumps({"time_zone": zone}), optional=False) == (text, ())
    convert = converter(f"timestamp({fraction})", ZoneInfo(zone))
    assert convert is not None and convert(wire) == (text, None)
    assert cell_of(wire.replace("0Z", "1Z"), ZONED)[0] == f"1970-01-01 00:00:00.{'0' * (fraction - 1)}1"


def test_what_may_be_a_zero_date_is_flagged() -> None:
    """3.6: NOT NULL gives 0, nullable gives NULL."""
    assert cell_of(0, DATE, optional=False) == ("1970-01-01", ("zero_date",))
    assert cell_of(0, MILLIS, "datetime(2)", optional=False) == ("1970-01-01 00:00:00.00", ("zero_date",))
    assert cell_of(0, MICROS, optional=False) == ("1970-01-01 00:00:00", ("no_schema", "zero_date"))
    assert cell_of(0, MILLIS, "datetime") == ("1970-01-01 00:00:00", ())
    assert cell_of(None, DATE) == (None, ("zero_date",))
    assert cell_of(None, MILLIS) == (None, ("no_schema", "zero_date"))
    assert cell_of(None, ZONED) == cell_of(None, VARCHAR) == (None, ())
    assert null_reason("datetime(3)", None) == null_reason("date", True) == "zero_date"
    assert null_reason("date", False) is null_reason("time", True) is None
    unknown = converter("date")
    assert unknown is not None and unknown("0") == ("1970-01-01", "zero_date")


@pytest.mark.parametrize(("days", "text"), [(11323, "2001-01-01"), (36284, "2069-05-05"), (10592, "1999-01-01")])
def test_shifted_years_cannot_be_told(days: int, text: str) -> None:
    """0.1 line 7: 0001-01-01, 0069-05-05 and 0099-01-01 come as these."""
    assert cell_of(days, DATE) == (text, ())


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
    convert = converter(column_type)
    assert convert is not None
    for text in texts:
        _, reason = convert(repr(float(text)))
        expected = lost if lost is not None else text != "0"
        assert reason == ("double_precision" if expected else None), text


@given(st.decimals(min_value=-(10**12), max_value=10**12, places=3, allow_nan=False))
def test_a_decimal_is_exact_or_flagged(number: Any) -> None:
    for column_type in ("decimal(15,3)", "decimal(40,3)"):
        convert = converter(column_type)
        assert convert is not None
        text, reason = convert(repr(float(number)).replace("e-", "E-"))
        assert reason is not None or text.removeprefix("-") == f"{abs(number):.3f}"
        assert reason is None


def test_bits_whose_base64_is_a_word() -> None:
    """`true` and `false` are words for BIT(1) alone: other bits come as base64."""
    assert cell_of("true", shape_of("bit", "bytes", "io.debezium.data.Bits", length="24")) == ("10402742", ())
    convert = converter("bit(24)")
    assert convert is not None
    assert convert("true") == ("10402742", None)
    for column_type in ("bit", "bit(1)"):
        convert = converter(column_type)
        assert convert is not None
        assert (convert("true"), convert("false"), convert("AQ==")) == (("1", None), ("0", None), ("1", None))


def test_text_with_line_separators() -> None:
    """0.1 line 14."""
    text = 'a\u2028b\u2029c\x00d\r\n\t"\\ <&> \U0001f69a \u0085'
    for fields in (FIELDS, None):
        assert (image_of(decode(row_message({**NEW, "a": text}, fields), KEY).after) or {})["a"] == text


@pytest.mark.parametrize(
    "column_type", ["decimal(x)", "decimal(10,999999999)", "decimal()", "datetime(x)", "time(99999999999)", "bit(", ""]
)
def test_odd_types_have_a_conversion_of_bounded_length(column_type: str) -> None:
    convert = converter(column_type, nullable=True, default="1")
    assert convert is not None
    text = {"datetime": "1701347696123", "time": "1"}.get(
        column_type.partition("(")[0], "AAI=" if "bit" in column_type else "1.5"
    )
    assert len(convert(text)[0]) < 40
