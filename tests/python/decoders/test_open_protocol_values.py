"""Open Protocol: types and values."""

from __future__ import annotations

import json
from base64 import b64encode
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.open_protocol import (
    BINARY,
    HANDLE,
    NULLABLE,
    PRIMARY,
    UNSIGNED,
    column,
    decode_row,
    ident,
    image,
    to_bytes,
)

from ticdc_udfs.contract.events import ErrorCode, Kind

TYPES = [
    (1, 0x41, "tinyint"),
    (1, 0xC1, "tinyint unsigned"),
    (2, 0xC1, "smallint unsigned"),
    (3, 0x41, "int"),
    (8, 0xC1, "bigint unsigned"),
    (9, 0xC1, "mediumint unsigned"),
    (4, 0x41, "float"),
    (5, 0xC1, "double unsigned"),
    (246, 0xC1, "decimal unsigned"),
    (16, 0xC1, "bit"),
    (13, 0xC1, "year"),
    (7, 0x41, "timestamp"),
    (10, 0x41, "date"),
    (14, 0x41, "date"),
    (11, 0x41, "time"),
    (12, 0x41, "datetime"),
    (245, 0x41, "json"),
    (225, 0x41, "vector"),
    (247, 0x40, "enum"),
    (248, 0x40, "set"),
    (15, 0x40, "varchar"),
    (15, 0x41, "varbinary"),
    (253, 0x40, "varchar"),
    (253, 0x41, "varbinary"),
    (254, 0x40, "char"),
    (254, 0x41, "binary"),
    (249, 0x40, "tinytext"),
    (249, 0x41, "tinyblob"),
    (250, 0x40, "mediumtext"),
    (250, 0x41, "mediumblob"),
    (251, 0x40, "longtext"),
    (251, 0x41, "longblob"),
    (252, 0x40, "text"),
    (252, 0x41, "blob"),
]


def test_types_of_codes_and_flags() -> None:
    """Bit and year bear the unsigned flag; the binary flag of numbers and dates means nothing."""
    event = decode_row({"u": {f"c{place}": column(code, None, flags) for place, (code, flags, _) in enumerate(TYPES)}})
    schema = orjson.loads(event.table_schema or b"")
    assert [told["type"] for told in schema] == [column_type for _, _, column_type in TYPES]
    assert all(told["nullable"] for told in schema)


def test_the_table_schema_tells_key_places_and_nullability() -> None:
    key = PRIMARY | HANDLE
    columns = {"b": column(3, 1, key), "a": column(15, "x", 0), "c": column(3, 2, key), "d": {"t": 3, "v": 1}}
    event = decode_row({"u": columns})
    assert orjson.loads(event.table_schema or b"") == [
        {"name": "b", "type": "int", "key": 1, "nullable": False},
        {"name": "a", "type": "varchar", "key": None, "nullable": False},
        {"name": "c", "type": "int", "key": 2, "nullable": False},
        {"name": "d", "type": "int", "key": None},
    ]
    other = decode_row({"u": {**columns, "a": column(15, "x", NULLABLE)}})
    assert decode_row({"u": columns}).table_schema_id == event.table_schema_id != other.table_schema_id


def _value(code: int, value: Any, flags: int = NULLABLE, options: str = "{}") -> tuple[str | None, tuple[str, ...]]:
    event = decode_row({"u": {"id": ident(), "v": column(code, value, flags)}}, options)
    assert event.kind == Kind.ROW, event.error_message
    return (image(event.after) or {})["v"], event.lossy


@pytest.mark.parametrize(
    ("code", "flags", "wire", "text"),
    [
        (8, NULLABLE | BINARY | UNSIGNED, 18446744073709551615, "18446744073709551615"),
        (8, NULLABLE | BINARY, -9223372036854775808, "-9223372036854775808"),
        (16, NULLABLE | BINARY | UNSIGNED, 18446744073709551615, "18446744073709551615"),
        (1, NULLABLE | BINARY, 0, "0"),
        (13, NULLABLE | BINARY | UNSIGNED, 2155, "2155"),
        (13, NULLABLE | BINARY | UNSIGNED, 0, "0000"),
        (246, NULLABLE | BINARY, "-0.000000000000000000000000000001", "-0.000000000000000000000000000001"),
        (10, NULLABLE | BINARY, "0000-00-00", "0000-00-00"),
        (11, NULLABLE | BINARY, "-838:59:59.000000", "-838:59:59.000000"),
        (12, NULLABLE | BINARY, "9999-12-31 23:59:59.9", "9999-12-31 23:59:59.9"),
        (7, NULLABLE | BINARY, "0000-00-00 00:00:00", "0000-00-00 00:00:00"),
        (245, NULLABLE | BINARY, '{"key1": "value1"}', '{"key1": "value1"}'),
        (245, NULLABLE | BINARY, "null", "null"),
        (225, NULLABLE | BINARY, "[1,2.5,-30000000000]", "[1,2.5,-30000000000]"),
        (
            15,
            NULLABLE,
            'a\u2028b\u2029c\x00d\r\n\t"\\ <&> \U0001f69a \ufffd',
            'a\u2028b\u2029c\x00d\r\n\t"\\ <&> \U0001f69a \ufffd',
        ),
        (15, NULLABLE, "ZGQ=", "ZGQ="),
        (15, NULLABLE, "\\x89", "\\x89"),
        (254, NULLABLE, "", ""),
        (15, NULLABLE, None, None),
        (3, NULLABLE, None, None),
    ],
)
def test_values(code: int, flags: int, wire: Any, text: str | None) -> None:
    assert _value(code, wire, flags) == (text, ())


@pytest.mark.parametrize(
    ("code", "wire", "text"),
    [
        (4, b"3.14", "3.14"),
        (4, b"3.4028235e+38", "3402823" + "5" + "0" * 31),
        (4, b"1.1754944e-38", "0." + "0" * 37 + "11754944"),
        (4, b"16777216", "16777216"),
        (5, b"1e-7", "0.0000001"),
        (5, b"1e-07", "0.0000001"),
        (5, b"-1e+21", "-1" + "0" * 21),
        (5, b"100000000000000000000", "1" + "0" * 20),
        (5, b"1.7976931348623157e+308", "17976931348623157" + "0" * 292),
        (5, b"5e-324", "0." + "0" * 323 + "5"),
        (5, b"0", "0"),
        (5, b"-0", "-0"),
        (5, b"2.5", "2.5"),
    ],
)
def test_floats_lose_their_exponent_and_keep_every_digit(code: int, wire: bytes, text: str) -> None:
    body = to_bytes({"u": {"id": ident(), "v": column(code, 77, NULLABLE)}}).replace(b":77}", b":" + wire + b"}")
    assert image(decode_row(body).after) == {"id": "1", "v": text}


@pytest.mark.parametrize(
    ("quoted", "data"),
    [
        ("", b""),
        ("plain", b"plain"),
        (r"\x89PNG\r\n\x1a\n", b"\x89PNG\r\n\x1a\n"),
        (r"\a\b\f\n\r\t\v\\\"", b'\a\b\f\n\r\t\v\\"'),
        (r"\x00\x7f\xff", b"\x00\x7f\xff"),
        (r"\\x41", rb"\x41"),
        (r"\\\x41", b"\\A"),
        (r"\\u0041", rb"\u0041"),
        ("测试'", "测试'".encode()),
        ("测\\xff", "测".encode() + b"\xff"),
        (r"\u0080\u200b", "\u0080\u200b".encode()),
        (r"\U000e0001", "\U000e0001".encode()),
        ("\\x00\ufffd", b"\x00\xef\xbf\xbd"),
    ],
)
@pytest.mark.parametrize("code", [15, 253, 254])
def test_binary_comes_go_quoted_and_becomes_base64(code: int, quoted: str, data: bytes) -> None:
    assert _value(code, quoted, NULLABLE | BINARY) == (b64encode(data).decode(), ())


@given(st.binary(max_size=64))
def test_every_byte_string_survives_go_quoting(data: bytes) -> None:
    """Quoted as Go does it, but for the code points that Go takes for printable."""
    short = {0x07: "\\a", 0x08: "\\b", 0x0C: "\\f", 0x0A: "\\n", 0x0D: "\\r", 0x09: "\\t", 0x0B: "\\v"}
    short |= {0x5C: "\\\\", 0x22: '\\"'}
    quoted = ""
    for character in data.decode("utf-8", "surrogateescape"):
        code = ord(character)
        if code in short:
            quoted += short[code]
        elif 0xDC80 <= code <= 0xDCFF:
            quoted += f"\\x{code - 0xDC00:02x}"
        elif code < 0x20 or code == 0x7F:
            quoted += f"\\x{code:02x}"
        elif not character.isprintable():
            quoted += f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
        else:
            quoted += character
    assert _value(15, quoted, BINARY) == (b64encode(data).decode(), ())


@pytest.mark.parametrize(
    "quoted", ["\\", "\\q", "\\x4", "\\xzz", "\\u12", "\\ud800", "\\U00110000", "\\'", "\\101", "测\\x4"]
)
def test_what_go_does_not_write_is_a_bad_value(quoted: str) -> None:
    event = decode_row({"u": {"id": ident(), "v": column(15, quoted, BINARY)}})
    assert event.error_code == ErrorCode.BAD_VALUE


@pytest.mark.parametrize("code", [249, 250, 251, 252])
def test_text_and_blob_come_as_base64(code: int) -> None:
    assert _value(code, "5rWL6K+VdGV4dA==") == ("测试text", ())
    assert _value(code, "5rWL6K+VdGV4dA==", NULLABLE | BINARY) == ("5rWL6K+VdGV4dA==", ())
    assert _value(code, "/w==", NULLABLE | BINARY) == ("/w==", ())
    assert _value(code, "/w==") == ("\ufffd", ("v:invalid_utf8",))
    assert _value(code, "") == ("", ())
    assert _value(code, None) == (None, ())


def test_enum_and_set_are_numbers_with_a_flag() -> None:
    assert _value(247, 2) == ("2", ("v:label_unknown",))
    assert _value(247, 0) == ("0", ("v:label_unknown",))
    assert _value(248, 2**63 + 1) == (str(2**63 + 1), ("v:label_unknown",))
    assert _value(248, None) == (None, ())


@pytest.mark.parametrize(
    ("code", "text", "want", "flags"),
    [
        (7, "2024-07-01 12:00:00", "2024-07-01 10:00:00", ()),
        (7, "2024-01-01 00:30:00.120", "2023-12-31 23:30:00.120", ()),
        (7, "2024-10-27 02:30:00", "2024-10-27 00:30:00", ("v:ambiguous_time",)),
        (12, "2024-07-01 12:00:00", "2024-07-01 12:00:00", ()),
        (15, "2024-07-01 12:00:00", "2024-07-01 12:00:00", ()),
    ],
)
def test_the_time_zone_moves_timestamp_alone(code: int, text: str, want: str, flags: tuple[str, ...]) -> None:
    assert _value(code, text, NULLABLE, json.dumps({"time_zone": "Europe/Berlin"})) == (want, flags)


@pytest.mark.parametrize(
    ("wire", "flags"),
    [
        (rb"x\ufffdy", ("v:invalid_utf8",)),
        (b"x\xffy", ("v:invalid_utf8",)),
        ("x\ufffdy".encode(), ()),
        (rb"x\\ufffdy", ()),
    ],
    ids=["escaped by one encoder", "as it is by the other", "a true U+FFFD", "a backslash"],
)
def test_invalid_utf8_is_replaced_and_flagged(wire: bytes, flags: tuple[str, ...]) -> None:
    body = to_bytes({"u": {"id": ident(), "v": column(15, "MARK"), "w": column(15, "fine")}}).replace(b"MARK", wire)
    event = decode_row(body)
    assert event.lossy == flags
    assert (image(event.after) or {})["v"] == (r"x\ufffdy" if rb"\\" in wire else "x\ufffdy")
