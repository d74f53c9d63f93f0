"""Writes the rows of a query: an aligned table, JSON lines or CSV."""

from __future__ import annotations

import json
import math
import struct
import unicodedata
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date, datetime
from decimal import Decimal
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, Protocol

from dbt_ticdc.errors import TicdcError

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame


class Output(Protocol):
    """Where texts are written."""

    def write(self, text: str, /) -> object:
        """Writes a text."""


Row = tuple[Any, ...]
"""The values of a row, as JSON has them."""
_TABLE_ROWS = 1000
_TABLE_WIDTH = 120


def write_json(names: Sequence[str], rows: Iterable[Row], out: Output) -> None:
    """One object a line: binary as base64, timestamps as ISO 8601 text, decimals as text, NULL as null."""
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise TicdcError(
            f"--format json: the query has several columns named {', '.join(twice)}; give each a name of its own"
        )
    for row in rows:
        out.write(json.dumps(dict(zip(names, row, strict=True)), ensure_ascii=False) + "\n")


def write_csv(names: Sequence[str], rows: Iterable[Row], out: Output) -> None:
    """A header and the rows, with the texts of `write_json`; NULL is an empty field, an empty text is `""`."""
    for row in chain([names], rows):
        out.write(",".join("" if value is None else _field(_text(value)) for value in row) + "\r\n")


def _field(text: str) -> str:
    """The text in quotes where CSV needs them, and where it is empty: `csv` has no such way before Python 3.12."""
    return '"' + text.replace('"', '""') + '"' if text == "" or any(c in text for c in ',"\r\n') else text


def write_table(names: Sequence[str], rows: Iterable[Row], out: Output) -> None:
    """At most 1,000 rows, cells cut at 120 characters, control characters escaped."""
    first = list(islice(rows, _TABLE_ROWS + 1))
    out.write(_table(names, first[:_TABLE_ROWS]))
    if len(first) > _TABLE_ROWS:
        out.write(f"… more rows than {_TABLE_ROWS}: --format json or csv gives all\n")
    else:
        out.write(f"({len(first)} row{'' if len(first) == 1 else 's'})\n")


def table(frame: DataFrame) -> str:
    """All rows as `write_table` has them, without their number below."""
    return _table(frame.columns, list(rows_of(frame)))


def _table(names: Sequence[str], rows: Sequence[Row]) -> str:
    cells = [["NULL" if value is None else _cell(_text(value)) for value in row] for row in rows]
    return aligned([_cell(name) for name in names], cells)


def aligned(header: Sequence[str], rows: Sequence[Sequence[str]], right: frozenset[int] = frozenset()) -> str:
    """A table of texts, columns side by side; those in `right` are aligned there."""
    widths = [max(map(_width, column)) for column in zip(header, *rows, strict=True)]

    def line(cells: Sequence[str]) -> str:
        padded = (
            " " * (width - _width(cell)) + cell if place in right else cell + " " * (width - _width(cell))
            for place, (cell, width) in enumerate(zip(cells, widths, strict=True))
        )
        return "  ".join(padded).rstrip() + "\n"

    return "".join(map(line, [header, ["-" * width for width in widths], *rows]))


def printable(text: str) -> str:
    """The text on one line, with its control characters as escapes."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


WRITERS: dict[str, Callable[[Sequence[str], Iterable[Row], Output], None]] = {
    "table": write_table,
    "json": write_json,
    "csv": write_csv,
}


def rows_of(frame: DataFrame) -> Iterator[Row]:
    """The rows as JSON values."""
    from pyspark.sql.types import FloatType

    floats = [isinstance(field.dataType, FloatType) for field in frame.schema.fields]
    frame = frame.toDF(*(f"c{place}" for place in range(len(floats))))
    for row in frame.select(*_as_text(frame)).toLocalIterator():
        yield tuple(_plain(value, is_float) for value, is_float in zip(row, floats, strict=True))


def rows_of_server(cursor: Any) -> Iterator[Row]:
    """The rows of a query that a Thrift server answered, as JSON values: a server gives what is nested as text."""
    while rows := cursor.fetchmany(1000):
        for row in rows:
            yield tuple(map(_plain, row))


def _as_text(frame: DataFrame) -> list[Column]:
    """Times become text in Spark: Python's types hold neither all years nor Spark's zone."""
    from pyspark.sql import functions as f

    columns = []
    for name, kind in frame.dtypes:
        column = f.col(name)
        if kind in ("timestamp", "timestamp_ntz"):
            pattern = "yyyy-MM-dd'T'HH:mm:ss.SSSSSS" + ("XXX" if kind == "timestamp" else "")
            column = f.date_format(column, pattern)
        elif kind == "date" or kind.startswith("interval"):
            column = column.cast("string")
        columns.append(column)
    return columns


def _plain(value: Any, is_float: bool = False) -> Any:
    match value:
        case None | bool() | int() | str():
            return value
        case float():
            return _number(value, is_float)
        case bytes() | bytearray():
            return b64encode(value).decode("ascii")
        case Decimal():
            return f"{value:f}"
        case datetime() | date():
            return value.isoformat()
        case dict():
            return {str(_plain(key)): _plain(item) for key, item in value.items()}
        case list():
            return [_plain(item) for item in value]
        case tuple():
            fields = getattr(value, "__fields__", None)
            items = [_plain(item) for item in value]
            return items if fields is None else dict(zip(fields, items, strict=True))
    return str(value)


def _number(value: float, is_float: bool) -> float | str:
    """A number of JSON, or the text of one it has not; a 4-byte float with its own digits, not those of 8 bytes."""
    if not math.isfinite(value):
        return str(value)
    if not is_float:
        return value
    shortest = (float(f"{value:.{digits}g}") for digits in range(6, 10))
    return next(number for number in shortest if struct.pack("f", number) == struct.pack("f", value))


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _cell(text: str) -> str:
    return printable(text if len(text) <= _TABLE_WIDTH else text[: _TABLE_WIDTH - 1] + "…")


def _width(text: str) -> int:
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in ("W", "F") else 1 for c in text
    )
