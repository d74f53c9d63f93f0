"""The comparison of typed tables with the truth: Spark types and values (design of the typed columns)."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from support.truth import Cell, Row, Table, Tally, canonical, ieee, is_bit

# A value as SQL text: floats and timestamps cast to string in a UTC session, binary as base64, arrays as lists.
Value = str | list[str] | None

_INTEGERS = {"tinyint": "tinyint", "smallint": "smallint", "mediumint": "int", "int": "int", "bigint": "bigint"}
_UNSIGNED = {"tinyint": "smallint", "smallint": "int", "mediumint": "int", "int": "bigint", "bigint": "decimal(20,0)"}
_PLAIN = {
    "float": "float",
    "double": "double",
    "date": "date",
    "datetime": "timestamp_ntz",
    "timestamp": "timestamp",
    "year": "int",
    "set": "array<string>",
    "vector": "array<float>",
}


@dataclass(frozen=True)
class TypedRow:
    """A row of a typed table, upstream column name to value, and the row's `_lossy`."""

    values: Mapping[str, Value]
    lossy: Sequence[str]

    def flagged(self, column: str, key: Sequence[str]) -> bool:
        """Whether the wire lost the value."""
        return Row({}, [flag for flag in self.lossy if not flag.endswith(":out_of_range")]).flagged(column, key)


def base_of(column_type: str) -> str:
    """The type's name without parameters."""
    return re.split(r"[( ]", column_type, maxsplit=1)[0]


def spark_type(column_type: str, parameters_known: bool) -> str | None:
    """The type that a typed table gives a column; None where the wire lacks the parameters that decide it."""
    base = base_of(column_type)
    if base in _INTEGERS:
        return (_UNSIGNED if "unsigned" in column_type else _INTEGERS)[base]
    if is_bit(column_type):
        return ("decimal(20,0)" if "(64)" in column_type else "bigint") if parameters_known else None
    if base == "decimal":
        found = re.search(r"\((\d+),(\d+)\)", column_type)
        if found is None or not parameters_known:
            return None
        return f"decimal({found[1]},{found[2]})" if int(found[1]) <= 38 else "string"
    return _PLAIN.get(base, "binary" if base.endswith(("blob", "binary")) else "string")


def equal(cell: Cell, column_type: str, value: Value) -> bool:
    """Whether a typed value is what the cell holds."""
    want = canonical(cell, column_type)
    if want is None or value is None:
        return want is value
    base = base_of(column_type)
    if base == "set":
        return value == (want.split(",") if want else [])
    if base == "vector":
        return isinstance(value, list) and _floats(value) == _floats(filter(None, want.strip("[]").split(",")))
    if isinstance(value, list):
        return False
    bits = cell.get("bits")
    if bits is not None:
        return ieee(value, bits)
    if base in _INTEGERS or base in ("year", "bit"):
        return int(value) == int(want)
    if base == "decimal":
        return Decimal(value) == Decimal(want)
    if base in ("datetime", "timestamp"):
        return value == (want.rstrip("0").rstrip(".") if "." in want else want)
    return value == want


def _floats(texts: Iterable[str]) -> list[bytes]:
    return [struct.pack(">f", float(text)) for text in texts]


def unholdable(cell: Cell, column_type: str) -> bool:
    """Whether Spark's type may not hold the value: dates with a zero month or day, and the year 0."""
    want = canonical(cell, column_type)
    if want is None or base_of(column_type) not in ("date", "datetime", "timestamp"):
        return False
    try:
        date.fromisoformat(want[:10])
    except ValueError:
        return True
    return False


def compare(table: Table, keys: Iterable[TypedRow], parameters_known: bool, types: Mapping[str, str]) -> Tally:
    """The rows of a typed table against the truth, matched by the primary key."""
    tally = Tally(tables=1)
    for column in table.columns:
        want = spark_type(table.types[column], parameters_known)
        if column not in types or (want is not None and types[column] != want):
            tally.wrong += 1
            tally.note(f"{table.name}.{column} {table.types[column]} is {types.get(column, 'absent')}, not {want}")
    left = list(table.rows)
    for row in keys:
        truth = next((candidate for candidate in left if _same_key(table, candidate, row)), None)
        if truth is None:
            tally.extra += 1
            tally.note(f"{table.name}: extra typed row {[row.values.get(name) for name in table.primary_key]}")
            continue
        left.remove(truth)
        for column in table.columns:
            tally.cells += 1
            _judge(tally, table, truth, row, column)
    tally.missing += len(left)
    return tally


def _same_key(table: Table, truth: Mapping[str, Cell], row: TypedRow) -> bool:
    return all(
        equal(truth[name], table.types[name], row.values.get(name))
        or (f"{name}:label_unknown" in row.lossy and row.values.get(name) == truth[name].get("num"))
        for name in table.primary_key
    )


def _judge(tally: Tally, table: Table, truth: Mapping[str, Cell], row: TypedRow, column: str) -> None:
    cell, column_type, value = truth[column], table.types[column], row.values.get(column)
    flagged = row.flagged(column, table.primary_key)
    same = column in row.values and equal(cell, column_type, value)
    if f"{column}:label_unknown" in row.lossy:
        right = value in (cell.get("num"), [cell.get("num")])
    elif value is None and unholdable(cell, column_type):
        right = flagged = flagged or f"{column}:out_of_range" in row.lossy
    else:
        right = flagged or same
    if right:
        tally.flagged += flagged
        tally.lost += flagged and not same
    else:
        tally.wrong += 1
        tally.note(f"{table.name}.{column} {column_type}: {cell} became {value!r}, lossy {list(row.lossy)}")
