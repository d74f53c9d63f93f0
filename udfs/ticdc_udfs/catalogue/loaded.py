"""A row of a user's export of a table as a change bears it: canonical text, columns and key of the table's version."""

from __future__ import annotations

import json
from base64 import b64decode
from collections.abc import Mapping
from decimal import Decimal
from functools import lru_cache
from typing import Any

import msgspec
import pyarrow as pa

from ticdc_udfs.catalogue import moments
from ticdc_udfs.catalogue.casts import BITS
from ticdc_udfs.catalogue.projection import projected_text, structs_of
from ticdc_udfs.contract import values
from ticdc_udfs.contract.arrow import collector_off
from ticdc_udfs.contract.events import Lossy
from ticdc_udfs.contract.schemas import write_json

Value = str | bool | list[Any] | dict[str, Any] | None

_read_columns = msgspec.json.Decoder(list[dict[str, Any]]).decode
_read_names = msgspec.json.Decoder(list[str]).decode
_LARGEST_EXACT = 2**53
"""Of the whole numbers that a DOUBLE holds."""


@collector_off()
def loaded_batch(rows: pa.Array[Any], columns: pa.Array[Any], key_columns: pa.Array[Any]) -> pa.Array[Any]:
    """Structs like those of `projection.project_batch`, one for each row of an export.

    A row is JSON text as Spark's `to_json` writes a struct; `columns` is the column list of the table's version, empty
    where nothing tells them, and `key_columns` a JSON list of names that are the key where that list has none. Columns
    are the same in any case of letters; those that the table lacks, or whose value is none of their type, are flagged
    `<column>:not_converted`, and so is a column that the row lacks.
    """
    found = [
        (None, None, None) if text is None else _loaded(text, of or "[]", keys or "[]")
        for text, of, keys in zip(rows.to_pylist(), columns.to_pylist(), key_columns.to_pylist(), strict=True)
    ]
    return structs_of(found)


def _loaded(text: str, columns: str, key_columns: str) -> tuple[str | bytes, bytes | None, Any]:
    wire: Mapping[str, Value] = json.loads(text, parse_int=str, parse_float=str)
    names = None if columns != "[]" else tuple(wire)
    chain, types = _table(columns, key_columns, names)
    flags = []
    image: dict[str, str | None] = {}
    for name, value in wire.items():
        known, column_type = types.get(name.lower(), (name, ""))
        try:
            image[known] = canonical(value, column_type)
        except (ValueError, ArithmeticError):
            image[known] = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            flags.append(Lossy.NOT_CONVERTED.of(known))
    return projected_text(write_json(image).decode(), chain, flags)


@lru_cache(maxsize=1000)
def _table(columns: str, key_columns: str, names: tuple[str, ...] | None) -> tuple[str, Mapping[str, tuple[str, str]]]:
    """The column list as a chain of versions, with its key, and name and type of each column by its lower-case name."""
    listed = (
        _read_columns(columns)
        if names is None
        else [{"column_id": place, "name": name, "type": ""} for place, name in enumerate(names, start=1)]
    )
    keys = [name.lower() for name in _read_names(key_columns)]
    if not any(column.get("key") for column in listed):
        for column in listed:
            column["key"] = keys.index(column["name"].lower()) + 1 if column["name"].lower() in keys else None
    types = {column["name"].lower(): (column["name"], column["type"]) for column in listed}
    return json.dumps([listed]), types


def canonical(value: Value, column_type: str) -> str | None:
    """Canonical text of a value as Spark's `to_json` writes it; raises `ValueError` where it is none of the type."""
    base = values.base_type(column_type)
    match value:
        case None:
            return None
        case bool():
            return str(int(value))
        case list():
            return _of_list(value, base, column_type)
        case dict():
            raise ValueError("no single value")
    if base == "float":
        return values.float_text(float(value))
    if base == "double":
        return values.double_text(float(value))
    if base == "decimal":
        return _decimal(value, column_type)
    if base in BITS or base == "bit":
        return _whole(value)
    if base in ("date", "datetime", "timestamp", "time"):
        return _moment(value, base, int(_parameter(column_type) or 0))
    if base == "char":
        return value.rstrip(" ")  # TiDB keeps none, Spark's CHAR fills up with them
    if base.endswith(("binary", "blob")):
        b64decode(value, validate=True)
    return values.year(_whole(value)) if base == "year" else value


def _of_list(value: list[Any], base: str, column_type: str) -> str:
    if base == "set":
        known = values.labels(column_type) or ()
        return ",".join(sorted(value, key=lambda label: known.index(label) if label in known else len(known)))
    return "[" + ",".join(values.float_text(float(item)) for item in value) + "]"


def _decimal(text: str, column_type: str) -> str:
    parameters = _parameter(column_type)
    number = Decimal(text)
    if parameters is None:
        return f"{number:f}"
    scale = int(parameters.partition(",")[2] or 0)
    if -int(number.as_tuple().exponent) > scale and number != round(number, scale):
        raise ValueError("more digits than the type has")
    return f"{number:.{scale}f}"


def _whole(text: str) -> str:
    """Spark has integers that may be NULL as DOUBLE or DECIMAL, too: `5.0` is another key than `5`."""
    if text.isdecimal() and text.isascii() and text[0] != "0":
        return text
    number = Decimal(text)
    if number != int(number) or ("E" in text and abs(number) > _LARGEST_EXACT):
        raise ValueError("no whole number")
    return str(int(number))


def _moment(text: str, base: str, digits: int) -> str:
    """Spark has a DATE as TIMESTAMP, too, and the other way about."""
    if base == "time":
        moments.stored_clock(text)
        return _with_fraction(text, digits)
    moment = moments.stored_moment(text)
    if base == "date":
        if moment.clock():
            raise ValueError("a date with a time")
        return moment.date()
    return _with_fraction(text if " " in text else f"{text} 00:00:00", digits)


def _with_fraction(text: str, digits: int) -> str:
    seconds, _, fraction = text.partition(".")
    if fraction[digits:].strip("0"):
        raise ValueError("more digits than the type has")
    return f"{seconds}.{fraction[:digits]:0<{digits}}" if digits else seconds


def _parameter(column_type: str) -> str | None:
    return column_type.partition("(")[2].partition(")")[0] or None
