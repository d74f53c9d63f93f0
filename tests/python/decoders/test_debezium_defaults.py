"""Debezium JSON: NULL that came as the column's default."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Mapping
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from support.debezium import (
    BINARY,
    BIT1,
    BIT12,
    DATE,
    DECIMAL,
    INT,
    MILLIS,
    TIME,
    UBIGINT,
    VARCHAR,
    ZONED,
    cell_of,
    shape_of,
)

from ticdc_udfs.protocols.debezium.values import converter, told_default
from ticdc_udfs.protocols.debezium_avro import message as debezium_avro

NULLS = [
    (VARCHAR, "anon", "anon", "varchar(30)", "anon", "anon"),
    (VARCHAR, "", "", "varchar(30)", "", ""),
    (INT, 7, 7, "int", "7", "7"),
    (shape_of("int unsigned", "int64"), 4000000000, 4000000000, "int unsigned", "4000000000", "4000000000"),
    (DECIMAL, -1.5, -1.5, "decimal(20,8)", "-1.5", "-1.50000000"),
    (DECIMAL, 1.25, 1.25, "decimal(8,3)", "1.250", "1.250"),
    (shape_of("float", "float"), 0.1, 0.1, "float", "0.1", "0.1"),
    (shape_of("double", "double"), -1e100, -1e100, "double", "-1" + "0" * 100, "-1" + "0" * 100),
    (BIT1, True, True, "bit", "1", "1"),
    (BIT12, "qgo=", "qgo=", "bit(12)", "1010111011111011111110111101", "2730"),
    (shape_of("year", "int32", "io.debezium.time.Year"), 1999, 1999, "year", "1999", "1999"),
    (shape_of("binary", "string"), "ab\0\0", "YWIAAA==", "binary(4)", "ab\0\0", "YWIAAA=="),
    (BINARY, "\0\ufffd", "AO+/vQ==", "varbinary(10)", "\0\ufffd", "AO+/vQ=="),
    (shape_of("enum", "string", "io.debezium.data.Enum", allowed="a,b"), "b", "b", "enum('a','b')", "b", "b"),
    (shape_of("set", "string", "io.debezium.data.EnumSet", allowed="a,b"), "a,b", "a,b", "set('a','b')", "a,b", "a,b"),
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
    got, reasons = cell_of(wire, shape, default=default)
    assert "null_or_default" in reasons or "no_schema" in reasons
    known = told_default(column_type, expression)
    convert = converter(column_type, nullable=True, default=known)
    assert convert is not None
    wire_text = wire if isinstance(wire, str) else json.dumps(wire)
    assert convert(wire_text) == (text, "null_or_default")
    if "no_schema" in reasons:
        assert convert(got or "") == (text, "null_or_default")
    for members in ({"default": None}, {"default": default, "optional": False}):
        assert "null_or_default" not in cell_of(wire, shape, **members)[1]
    required = converter(column_type, nullable=False, default=known)
    assert required is None or required(wire_text)[1] != "null_or_default"


def test_other_values_than_the_default_are_not_flagged() -> None:
    for column_type, default, other in (
        ("varchar(9)", "a", "A"),
        ("time", "10:11:12", "36673000000"),
        ("bigint unsigned", str(2**64 - 1), "-2"),
        ("bit(12)", "1010111011111011111110111101", b64encode(b"\x0a\x0a").decode()),
        ("bit(12)", "101", b64encode(b"\x0a\x00").decode()),
        ("varbinary(10)", "\0\ufffd", b64encode(b"\0\xff").decode()),
        ("timestamp", "1970-01-01 00:00:00", "1970-01-01T00:00:00Z"),
        ("decimal(8,3)", "1.250", "1.251"),
        ("int", "no number", "1"),
        ("decimal(8,3)", "no number", "1"),
    ):
        convert = converter(column_type, nullable=True, default=told_default(column_type, default))
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
    convert = converter(column_type, nullable=True, default=default)
    assert convert is not None
    assert convert(wire) == (text or wire, "null_or_default")


@pytest.mark.parametrize(
    ("shape", "default", "wire", "column_type", "expression", "text"),
    [
        (TIME, 36672130000, 36672130000, "time(3)", "10:11:12.130", "10:11:12.130"),
        (TIME, -1, -1, "time(6)", "-00:00:00.000001", "-00:00:00.000001"),
        (UBIGINT, 18446744073709552000, -1, "bigint unsigned", "18446744073709551615", "18446744073709551615"),
        (UBIGINT, 9223372036854776000, -(2**63), "bigint unsigned", "9223372036854775808", "9223372036854775808"),
    ],
)
def test_classic_ticdc_writes_the_default_of_times_and_large_numbers(
    shape: Mapping[str, Any], default: Any, wire: int, column_type: str, expression: str, text: str
) -> None:
    """In place of NULL, as of any other column; the newer one writes 0."""
    assert "null_or_default" in cell_of(wire, shape, default=default)[1]
    convert = converter(column_type, nullable=True, default=expression)
    assert convert is not None
    assert convert(str(wire)) == (text, "null_or_default")
    of_avro = debezium_avro.converter(column_type, default=expression)
    assert of_avro is not None
    assert of_avro(text)[1] is None, "classic TiCDC has no Debezium-Avro"


def test_a_time_whose_default_cannot_be_read() -> None:
    convert = converter("time", nullable=True, default="curtime()")
    assert convert is not None
    assert convert("0") == ("00:00:00", "null_or_default")


def test_null_stays_where_a_timestamp_has_the_present_time_as_default() -> None:
    for default in ("CURRENT_TIMESTAMP", "1970-01-01 00:00:00"):
        convert = converter("timestamp", ZoneInfo("Asia/Shanghai"), nullable=True, default=default)
        assert convert is not None
        assert convert("1970-01-01T00:00:00Z")[1] is convert("2001-02-03T04:05:06Z")[1] is None


def test_the_default_of_a_timestamp_is_read_in_the_changefeeds_zone() -> None:
    """0.1 line 6: a NULL comes as another moment than the default itself."""
    zone = json.dumps({"time_zone": "Asia/Shanghai"})
    default = "2001-02-03T04:05:06Z"
    assert cell_of("2001-02-02T20:05:06Z", ZONED, None, zone, default=default)[1] == ("null_or_default",)
    assert cell_of(default, ZONED, None, zone, default=default)[1] == ()
    assert cell_of(default, ZONED, None, "{}", default=default)[1] == ("null_or_default",)
    convert = converter("timestamp", ZoneInfo("Asia/Shanghai"), nullable=True, default="2001-02-03 04:05:06")
    assert convert is not None
    assert convert("2001-02-02T20:05:06Z") == ("2001-02-02 20:05:06", "null_or_default")
    assert convert(default) == ("2001-02-03 04:05:06", None)


BIGINT = shape_of("bigint", "int64")
YEAR = shape_of("year", "int32", "io.debezium.time.Year")


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
        (UBIGINT, 18446744073709552000, 0, True),
        (UBIGINT, 18446744073709552000, -1, True),
        (UBIGINT, 18446744073709552000, -4096, False),
        ({"type": "int64"}, 9223372036854776000, 9223372036854775807, True),
        ({"type": "int64"}, 9223372036854776000, 0, True),
    ],
)
def test_a_default_that_went_through_a_double(shape: Any, default: int, value: int, flagged: bool) -> None:
    """An inline schema tells it so, while rows hold it exactly in place of NULL."""
    assert cell_of(value, shape, default=default)[1] == (("null_or_default",) if flagged else ())


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
    assert cell_of(value, YEAR, default=default)[1] == (("null_or_default",) if flagged else ())


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
    assert cell_of(value, shape, default=default)[1] == reasons
