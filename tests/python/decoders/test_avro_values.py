"""Avro: values, types and defaults of columns."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from support.avro import EXTENSION, ID, KEY, cell, column, column_type, decode, extension, message, record, row
from support.images import image_of

from ticdc_udfs.contract.events import ErrorCode
from ticdc_udfs.protocols.avro.message import row_plan


@pytest.mark.parametrize("value", [None, "x"])
def test_unions_are_read_by_the_writer_schema(value: str | None) -> None:
    """A nullable column with a default has its union the other way round."""
    assert cell(column("v", "string", "TEXT", nullable=True), value) == value
    assert cell(column("v", "string", "TEXT", nullable=True, default="d"), value) == value


@pytest.mark.parametrize(
    ("field", "value", "text"),
    [
        (column("v", "int", "INT"), -(2**31), "-2147483648"),
        (column("v", "long", "INT UNSIGNED"), 2**32 - 1, "4294967295"),
        (column("v", "long", "BIGINT"), -(2**63), "-9223372036854775808"),
        (column("v", "long", "BIGINT UNSIGNED"), -1, "18446744073709551615"),
        (column("v", "long", "BIGINT UNSIGNED"), -(2**63), "9223372036854775808"),
        (column("v", "long", "BIGINT UNSIGNED"), 2**63 - 1, "9223372036854775807"),
        (column("v", "string", "BIGINT UNSIGNED"), "18446744073709551615", "18446744073709551615"),
        (column("v", "float", "FLOAT"), 3.14, "3.14"),
        (column("v", "float", "FLOAT"), 1e-7, "0.0000001"),
        (column("v", "float", "FLOAT"), 1e20, "100000000000000000000"),
        (column("v", "double", "FLOAT"), float(np.float32(3.14)), "3.14"),
        (column("v", "double", "FLOAT"), 3.14, "3.14"),
        (column("v", "double", "DOUBLE"), float(np.float32(3.14)), "3.140000104904175"),
        (column("v", "double", "DOUBLE"), 1e23, "100000000000000000000000"),
        (column("v", "double", "DOUBLE"), -5e-7, "-0.0000005"),
        (column("v", "double", "DOUBLE"), -0.0, "-0"),
        (column("v", "string", "DECIMAL"), "-12.30", "-12.30"),
        (column("v", "bytes", "BIT", length="1"), b"\x01", "1"),
        (column("v", "bytes", "BIT", length="12"), b"\x0a\xaa", "2730"),
        (column("v", "bytes", "BIT", length="64"), b"\xff" * 8, "18446744073709551615"),
        (column("v", "bytes", "BIT", length="64"), b"\x05", "5"),  # the classic encoder strips leading zeros
        (column("v", "bytes", "BIT", length="64"), b"", "0"),
        (column("v", "bytes", "BLOB"), bytes(range(256)), b64encode(bytes(range(256))).decode()),
        (column("v", "bytes", "BLOB"), b"", ""),
        (column("v", "string", "ENUM", allowed="a,b"), "b", "b"),
        (column("v", "string", "SET", allowed="a,b"), "a,b", "a,b"),
        (column("v", "string", "SET", allowed="a,b"), "", ""),
        (column("v", "int", "YEAR"), 0, "0000"),
        (column("v", "int", "YEAR"), 2155, "2155"),
        (column("v", "string", "TIME"), "-838:59:59.000000", "-838:59:59.000000"),
        (column("v", "string", "DATE"), "0000-00-00", "0000-00-00"),
        (column("v", "string", "DATETIME"), "2024-00-15 00:00:00.000", "2024-00-15 00:00:00.000"),
        (column("v", "string", "TIMESTAMP"), "2020-02-20 02:20:20.123", "2020-02-20 02:20:20.123"),
        (column("v", "string", "JSON"), '{"a": "\\"\\u0000"}', '{"a": "\\"\\u0000"}'),
        (column("v", "string", "TiDBVECTORFloat32"), "[1,2.5]", "[1,2.5]"),
        (
            column("v", "string", "TEXT"),
            'a\u2028b\x00\r\n\t"\\ <&> \U0001f69a\x7f',
            'a\u2028b\x00\r\n\t"\\ <&> \U0001f69a\x7f',
        ),
    ],
    ids=str,
)
def test_values(field: Mapping[str, Any], value: Any, text: str) -> None:
    assert cell(field, value) == text


@pytest.mark.parametrize(
    ("precision", "scale", "text"),
    [
        (10, 4, "129012.1230"),
        (10, 4, "-0.0001"),
        (5, 0, "-12345"),
        (5, 5, "0.00001"),
        (65, 30, "-" + "9" * 35 + "." + "9" * 30),
        (38, 19, "0.0000000000000000001"),
        (30, 30, "0." + "0" * 29 + "1"),
        (10, 2, "0.00"),
    ],
)
def test_decimals_of_either_mode(precision: int, scale: int, text: str) -> None:
    for nullable in (False, True):
        field = column(
            "v", "bytes", "DECIMAL", nullable=nullable, logicalType="decimal", precision=precision, scale=scale
        )
        unscaled = int(text.replace(".", ""))
        data = unscaled.to_bytes(unscaled.bit_length() // 8 + 1, "big", signed=True)
        plain = column("v", "bytes", "BLOB", nullable=nullable)
        wire = {"id": 1, "v": data, **extension("c")}
        event = decode(message(record(ID, plain, *EXTENSION), wire), record(ID, field, *EXTENSION))
        assert (image_of(event.after) or {})["v"] == text
        assert column_type(field) == f"decimal({precision},{scale})"
    assert cell(column("v", "string", "DECIMAL"), text) == text
    assert column_type(column("v", "string", "DECIMAL")) == "decimal"


@pytest.mark.parametrize(
    ("local", "utc", "flags"),
    [
        ("2020-01-15 08:00:00", "2020-01-15 13:00:00", ()),
        ("2020-07-15 08:00:00.5", "2020-07-15 12:00:00.5", ()),
        ("0000-00-00 00:00:00", "0000-00-00 00:00:00", ()),
        ("2020-11-01 01:30:00", "2020-11-01 05:30:00", ("v:ambiguous_time",)),
    ],
)
def test_timestamps_become_utc(local: str, utc: str, flags: tuple[str, ...]) -> None:
    options = '{"time_zone":"America/New_York"}'
    field = column("v", "string", "TIMESTAMP")
    event = row(field, v=local, options=options)
    assert ((image_of(event.after) or {})["v"], event.lossy) == (utc, flags)
    assert cell(column("v", "string", "DATETIME"), local, options) == local
    key_schema = record(field)
    deleted = decode(None, None, message(key_schema, {"v": local}), key_schema, options)
    assert image_of(deleted.row_key) == {"v": utc}


@pytest.mark.parametrize(
    ("word", "allowed", "labels"),
    [
        ("ENUM", "a,b", ["a", "b"]),
        ("ENUM", 'a,b,c\\,d,it\'s,"q",, sp,日本', ["a", "b", "c,d", "it's", '"q"', "", " sp", "日本"]),
        ("ENUM", "three\\3", ["three\\3"]),
        ("ENUM", "", [""]),
        ("ENUM", "\\,,", [",", ""]),
        ("SET", 'a,it\'s,"q",, sp,日本', ["a", "it's", '"q"', "", " sp", "日本"]),
        ("SET", "a\\,b", ["a\\", "b"]),
    ],
)
def test_labels(word: str, allowed: str, labels: list[str]) -> None:
    quoted = ",".join("'" + label.replace("'", "''") + "'" for label in labels)
    assert column_type(column("v", "string", word, allowed=allowed)) == f"{word.lower()}({quoted})"


def test_the_table_schema_tells_types_keys_and_defaults() -> None:
    fields = (
        ID,
        column("u", "int", "INT UNSIGNED", nullable=True, default=18),
        column("f", "float", "FLOAT", nullable=True, default=0.10000000149011612),
        column("b", "bytes", "BLOB", nullable=True, default="ZGZsdA=="),
        column("bits", "bytes", "BIT", nullable=True, default="Cqo=", length="12"),
        column("big", "long", "BIGINT UNSIGNED", default=-1),
        column("e", "string", "ENUM", default="m", allowed="n,m"),
        column("at", "string", "DATETIME", default="CURRENT_TIMESTAMP"),
        column("n", "string", "TEXT", nullable=True),
    )
    plan = row_plan(json.dumps(record(*fields, *EXTENSION)), json.dumps(KEY), None)
    assert [tuple(each) for each in plan.columns] == [
        ("id", "int", 1, False, None),
        ("u", "int unsigned", None, True, "18"),
        ("f", "float", None, True, "0.1"),
        ("b", "blob", None, True, "ZGZsdA=="),
        ("bits", "bit(12)", None, True, "2730"),
        ("big", "bigint unsigned", None, False, "18446744073709551615"),
        ("e", "enum('n','m')", None, False, "m"),
        ("at", "datetime", None, False, "CURRENT_TIMESTAMP"),
        ("n", "text", None, True, None),
    ]


@pytest.mark.parametrize("default", [True, "x", [], {}, 2**70])
def test_a_default_that_is_none_of_its_type_costs_no_row(default: Any) -> None:
    sent, told = (record(column("v", "double", "DOUBLE", **more)) for more in ({}, {"default": default}))
    assert image_of(decode(message(sent, {"v": 1.5}), told).after) == {"v": "1.5"}


@pytest.mark.parametrize("bits", ["nan", "inf", "-inf"])
def test_numbers_that_tidb_has_not(bits: str) -> None:
    for kind, tidb_type in (("float", "FLOAT"), ("double", "DOUBLE"), ("double", "FLOAT")):
        assert row(column("v", kind, tidb_type), v=float(bits)).error_code == ErrorCode.BAD_VALUE
