"""What typed tables are made of: their names, their columns with Spark types, and the columns that they once had."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any

import msgspec
import pyarrow as pa

from ticdc_udfs.typed.names import Names, Settings, UpstreamTable, names_of
from ticdc_udfs.typed.types import BARE_TYPES, Digits, spark_type, told_type

_spark_type, _told_type = (lru_cache(4_096)(each) for each in (spark_type, told_type))


class Version(msgspec.Struct, frozen=True):
    """The columns of a table from a commit on (TSO); `table_schema` is JSON as in `int_ticdc__catalogue`."""

    from_ts: int
    table_schema: str


class LeftBehind(msgspec.Struct, frozen=True):
    """An incarnation whose rows a table left at a commit (TSO)."""

    incarnation: int
    at_ts: int


class PlannedTable(msgspec.Struct, frozen=True):
    """A table that is there, by what `int_ticdc__typed_plans` asks of it.

    `table_schema` is JSON as in `int_ticdc__catalogue`. `versions` are all that the table had, in order of commit,
    where its columns changed. `known_observed` has the digits that the plan of before had, by column; `measured` those
    of rows that came after it.
    """

    feed: str
    schema_name: str
    table_name: str
    table_id: str
    table_schema: str
    known_relation: str | None = None
    known_observed: Mapping[str, Digits] = {}
    measured: Mapping[str, Digits] | None = None
    versions: tuple[Version, ...] | None = None


class UpstreamColumn(msgspec.Struct, frozen=True):
    """A column as a table schema has it; `key` is its place in the key, from 1 on."""

    name: str
    type: str
    key: int | None = None


class Column(msgspec.Struct, frozen=True):
    """A column of a typed relation: its name, its alias while it is computed, and its Spark type."""

    name: str
    stored_as: str
    type: str


class Recoding(msgspec.Struct, frozen=True):
    """Commits (TSO, the end excluded, None: no end) in which a column was text and is binary now, or the reverse."""

    from_ts: int
    to_ts: int | None


class PastColumn(msgspec.Struct, frozen=True):
    """A column that a table has or had, under each spelling that its name had; the first is its name."""

    name: str
    stored_as: str
    type: str
    spellings: tuple[str, ...]
    recodings: tuple[Recoding, ...]


class Plan(msgspec.Struct, frozen=True):
    """What the relations of a table are made of; names and problems are those of `Names`.

    `observed` has the digits of columns without precision, `past_columns` those of the history, None where the
    columns never changed.
    """

    schema: str | None
    current: str | None
    history: str | None
    as_of: str | None
    problems: tuple[Mapping[str, str], ...]
    key_columns: tuple[str, ...]
    columns: tuple[Column, ...]
    observed: Mapping[str, Digits]
    past_columns: tuple[PastColumn, ...] | None


def plans_of(tables: Iterable[PlannedTable], settings: Settings) -> list[Plan]:
    """The plan of each table, in their order."""
    tables = list(tables)
    schemas = [read_schema(table.table_schema) for table in tables]
    named = names_of(map(_upstream, tables, schemas), settings)
    return [_plan(*each) for each in zip(tables, schemas, named, strict=True)]


def columns_of(schema: Iterable[UpstreamColumn], observed: Mapping[str, Digits]) -> tuple[Column, ...]:
    """The columns of one version of a table; one without precision that was never observed is text."""
    return _columns((column.name, told_type(column.type, observed.get(column.name))) for column in schema)


def _upstream(table: PlannedTable, schema: tuple[UpstreamColumn, ...]) -> UpstreamTable:
    names = tuple(column.name for column in schema)
    return UpstreamTable(table.feed, table.schema_name, table.table_name, table.table_id, names, table.known_relation)


def _plan(table: PlannedTable, schema: tuple[UpstreamColumn, ...], names: Names) -> Plan:
    observed = _observed(table, schema)
    columns = _columns((column.name, _told_type(column.type, observed.get(column.name))) for column in schema)
    keys = sorted((column.key, column.name) for column in schema if column.key)
    return Plan(
        names.schema,
        names.current,
        names.history,
        names.as_of,
        tuple(problem._asdict() for problem in names.problems),
        tuple(name for _, name in keys),
        columns,
        observed,
        None if table.versions is None else tuple(past_columns(columns, table.versions)),
    )


def _observed(table: PlannedTable, schema: Iterable[UpstreamColumn]) -> dict[str, Digits]:
    observed = dict(table.known_observed)
    for column in schema:
        if column.type in BARE_TYPES:
            known = observed.get(column.name, Digits())
            measured = (table.measured or {}).get(column.name, Digits())
            observed[column.name] = Digits(*map(max, known, measured))
    return observed


def _columns(typed: Iterable[tuple[str, str]]) -> tuple[Column, ...]:
    return tuple(Column(name, f"c{place}", spark) for place, (name, spark) in enumerate(typed, 1))


def past_columns(columns: Iterable[Column], versions: Iterable[Version]) -> Iterator[PastColumn]:
    """The columns of now in their types of now, then those that went; TiDB's names differ in more than case."""
    types = {column.name.lower(): (column.name, column.type) for column in columns}
    spellings = {key: [name] for key, (name, _) in types.items()}
    encodings: dict[str, list[tuple[int, bool]]] = {key: [] for key in types}
    present = frozenset(types)
    for version in versions:
        for column in read_schema(version.table_schema):
            key = column.name.lower()
            if key not in present:
                types[key] = column.name, told_type(column.type, None)
            if column.name not in spellings.setdefault(key, []):
                spellings[key].append(column.name)
            is_binary = _spark_type(column.type) == "binary"
            of_column = encodings.setdefault(key, [])
            if not of_column or of_column[-1][1] != is_binary:
                of_column.append((version.from_ts, is_binary))
    for place, (key, (name, spark)) in enumerate(types.items(), 1):
        others = tuple(spelling for spelling in spellings[key] if spelling != name)
        yield PastColumn(name, f"c{place}", spark, (name, *others), _recodings(encodings[key], spark == "binary"))


def _recodings(encodings: list[tuple[int, bool]], is_binary: bool) -> tuple[Recoding, ...]:
    ends = [from_ts for from_ts, _ in encodings[1:]]
    return tuple(
        Recoding(from_ts, to_ts)
        for (from_ts, was_binary), to_ts in zip(encodings, [*ends, None], strict=False)
        if was_binary != is_binary
    )


_read_observed = msgspec.json.Decoder(dict[str, Digits]).decode
read_schema = lru_cache(4_096)(msgspec.json.Decoder(tuple[UpstreamColumn, ...]).decode)
"""The columns in a JSON text of a table schema."""
_write = msgspec.json.Encoder().encode


def columns_batch(schemas: pa.Array[Any], observed: pa.Array[Any]) -> pa.Array[Any]:
    """`columns_of` for JSON texts of schemas and of observed digits (null: none), as JSON texts; null for no schema."""
    pairs = zip(schemas.to_pylist(), observed.to_pylist(), strict=True)
    return pa.array([None if schema is None else _column_text(schema, digits) for schema, digits in pairs], pa.string())


def _column_text(schema: str, observed: str | None) -> str:
    return _write(columns_of(read_schema(schema), _read_observed(observed or "{}"))).decode()
