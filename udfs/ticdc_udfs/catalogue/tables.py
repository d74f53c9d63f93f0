"""A table as DDL leaves it: its columns, indexes and partitions, and what turns one state into the next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import NamedTuple

import msgspec
from sqlglot import TokenType

from ticdc_udfs import values
from ticdc_udfs.catalogue.changes import (
    NUMBERED_PARTITIONS,
    ColumnDefinition,
    DdlKind,
    Index,
    Partition,
    PartitionChange,
    Partitioning,
)
from ticdc_udfs.catalogue.column_types import binary_type, default_collation, default_of, exported_default, is_text

Key = tuple[str, str]
"""A table's schema and name in lower case."""
Identity = tuple[str, int]
"""A table's lineage and incarnation."""
TIDB_CHARSET = ("utf8mb4", "utf8mb4_bin")


class ExportedColumn(NamedTuple):
    """A row of the user's export of `information_schema.columns`."""

    schema_name: str
    table_name: str
    column_name: str
    ordinal_position: int
    column_type: str
    is_nullable: bool | None = None
    column_default: str | None = None
    column_key: str = ""
    extra: str = ""
    collation_name: str | None = None


class Origin(StrEnum):
    """Where a version's columns come from."""

    DDL = "ddl"
    WIRE = "wire"
    EXPORT = "export"
    NONE = "none"


class Column(NamedTuple):
    """A column of a version.

    `column_id` is the column's identity from CREATE to DROP TABLE: it survives RENAME, CHANGE and MODIFY. `key` is the
    1-based place in the row key: PRIMARY KEY order, else table order within the NOT NULL UNIQUE index that TiCDC takes
    (the one with the fewest columns, the older of two; protocol facts 2). `generated` is virtual or stored. `default`
    is canonical text; where the default is no constant, `default_expression` has its SQL. `added_value` is what rows
    hold that were there before the column, as canonical text of the type it was added with.
    """

    column_id: int
    name: str
    type: str
    key: int | None = None
    nullable: bool | None = None
    default: str | None = None
    default_expression: str | None = None
    generated: str | None = None
    auto_increment: bool = False
    collation: str | None = None
    added_value: str | None = None


class PartitionRange(NamedTuple):
    """The rows of a partition: RANGE `lower` ≤ x < `upper` (None: no bound), LIST `values`, HASH and KEY `number`."""

    name: str
    number: int
    lower: tuple[str, ...] | None
    upper: tuple[str, ...] | None
    values: tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class TableIndex:
    """An index of columns by their ids; None stands for an expression."""

    name: str
    columns: tuple[int | None, ...]
    unique: bool = False
    primary: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """A table as of now; `columns` hold no `key`, which follows from the indexes. None: no one told them."""

    table_id: str
    incarnation: int
    incarnation_ts: int
    schema: str
    name: str
    columns: tuple[Column, ...] | None = None
    indexes: tuple[TableIndex, ...] = ()
    partitioning: Partitioning | None = None
    charset: str = TIDB_CHARSET[0]
    collation: str = TIDB_CHARSET[1]
    origin: Origin = Origin.NONE
    next_column_id: int = 1

    @property
    def key(self) -> Key:
        """What its name is compared by."""
        return key_of(self.schema, self.name)

    @property
    def identity(self) -> Identity:
        """What tells its rows from those of all other tables."""
        return self.table_id, self.incarnation

    def column(self, name: str) -> Column | None:
        """The column of that name."""
        return next((column for column in self.columns or () if column.name.lower() == name.lower()), None)

    def version_columns(self) -> tuple[Column, ...]:
        """The columns with their places in the row key."""
        places = self._key_places()
        return tuple(column._replace(key=places.get(column.column_id)) for column in self.columns or ())

    def _key_places(self) -> Mapping[int | None, int]:
        primary = next((index for index in self.indexes if index.primary), None)
        if primary is not None:
            return {column_id: place for place, column_id in enumerate(primary.columns, start=1)}
        able = {
            column.column_id
            for column in self.columns or ()
            if column.nullable is False and column.generated != "virtual"
        }
        unique = [index for index in self.indexes if index.unique and able.issuperset(index.columns)]
        if not unique:
            return {}
        chosen = min(unique, key=lambda index: len(index.columns)).columns
        in_order = [column.column_id for column in self.columns or () if column.column_id in chosen]
        return {column_id: place for place, column_id in enumerate(in_order, start=1)}


def key_of(schema: str | None, name: str | None) -> Key:
    """TiDB compares names without case."""
    return (schema or "").lower(), (name or "").lower()


def table_id_of(schema: str, name: str, commit_ts: int) -> str:
    """The lineage of a table first created with this name at this commit (0: before the first message)."""
    quoted = (part.replace("`", "``") for part in (schema, name))
    return ".".join(f"`{part}`" for part in quoted) + f"@{commit_ts}"


def same(one: Table, other: Table) -> bool:
    """Whether both look the same to whoever reads rows of the table."""
    return (one.schema, one.name, one.partitioning, one.version_columns()) == (
        other.schema,
        other.name,
        other.partitioning,
        other.version_columns(),
    )


def same_name(name: str, other: str) -> bool:
    """Whether two names of columns or indexes are the same one."""
    return name.lower() == other.lower()


def charset_of(charset: str | None, collation: str | None, base: tuple[str, str]) -> tuple[str, str]:
    """The character set and collation where either may be named; `base` are those of what it belongs to."""
    if collation is not None:
        return charset or collation.partition("_")[0], collation
    return (charset, default_collation(charset)) if charset is not None else base


def with_column(table: Table, column: Column) -> Table:
    """The table with another definition of a column that it has."""
    columns = [column if other.column_id == column.column_id else other for other in table.columns or ()]
    return replace(table, columns=tuple(columns))


def defined(table: Table, new: ColumnDefinition, known: Column | None = None) -> Table:
    """The table with a new last column, or with a known one's new definition."""
    charset, collation = charset_of(new.charset, new.collation, (table.charset, table.collation))
    if new.binary and new.collation is None:
        collation = default_collation(charset)
    if charset == "binary" and binary_type(new.type) != new.type:
        new = new._replace(type=binary_type(new.type))
        if new.default.text is not None:
            new = new._replace(default=default_of(new.type, (TokenType.STRING, new.default.text)))
    primary = {part for index in table.indexes if index.primary for part in index.columns}
    column = Column(
        table.next_column_id if known is None else known.column_id,
        new.name,
        new.type,
        None,
        new.nullable and (known is None or known.column_id not in primary),
        new.default.text,
        new.default.expression,
        new.generated,
        new.auto_increment,
        collation if is_text(new.type) else None,
        None if known is None else known.added_value,
    )
    if known is not None:
        return with_column(table, column)
    return replace(table, columns=(*(table.columns or ()), column), next_column_id=column.column_id + 1)


def moved(table: Table, name: str, after: str | None) -> Table:
    """The table with a column in another place: behind `after`, or first."""
    columns = list(table.columns or ())
    column = table.column(name)
    anchor = None if after is None else table.column(after)
    if column is None or (after is not None and anchor is None) or column is anchor:
        return table
    columns.remove(column)
    columns.insert(0 if anchor is None else columns.index(anchor) + 1, column)
    return replace(table, columns=tuple(columns))


def with_indexes(table: Table, indexes: Sequence[Index]) -> Table:
    """The table with more indexes in this order; one whose name is there already is the same one again."""
    taken = {index.name.lower() for index in table.indexes}
    named = {index.name.lower() for index in indexes if index.name is not None}
    for index in indexes:
        if index.name is not None and index.name.lower() in taken:
            continue
        name = index.name or _index_name(index, taken | named)
        taken.add(name.lower())
        columns = [None if part is None else table.column(part) for part in index.columns]
        ids = tuple(column and column.column_id for column in columns)
        table = replace(table, indexes=(*table.indexes, TableIndex(name, ids, index.unique, index.primary)))
        for column in columns if index.primary else ():
            if column is not None:
                table = with_column(table, column._replace(nullable=False))
    return table


def _index_name(index: Index, taken: set[str]) -> str:
    """The name that TiDB gives an index without one: its first column's, with a number where that is taken."""
    first = "expression_index" if None in index.columns else index.columns[0] or ""
    name, number = (f"{first}_2" if first.lower() == "primary" else first), 2
    while name.lower() in taken:
        name = f"{first}_{number}"
        number += 1
    return name


def changed_partitions(partitions: tuple[Partition, ...], change: PartitionChange) -> tuple[Partition, ...]:
    """A table's partitions after a partition DDL."""
    named = {name.lower() for name in change.names or ()}
    rest = tuple(partition for partition in partitions if partition.name.lower() not in named)
    match change.kind:
        case DdlKind.ADD_PARTITION:
            added = NUMBERED_PARTITIONS[len(partitions) : len(partitions) + (change.count or 0)]
            return (*partitions, *change.partitions, *added)
        case DdlKind.DROP_PARTITION:
            return rest
        case DdlKind.COALESCE_PARTITION:
            return partitions[: max(len(partitions) - (change.count or 0), 1)]
        case DdlKind.REORGANIZE_PARTITION if named:
            first = next((at for at, one in enumerate(partitions) if one.name.lower() in named), len(partitions))
            return (*rest[:first], *change.partitions, *rest[first:])
    return partitions


def partition_ranges(partitioning: Partitioning | None) -> dict[str, PartitionRange]:
    """What rows each partition of a table holds, by its name."""
    ranges: dict[str, PartitionRange] = {}
    lower = None
    for number, partition in enumerate(partitioning.partitions if partitioning else ()):
        upper = None if partition.less_than == ("MAXVALUE",) else partition.less_than
        ranges[partition.name] = PartitionRange(partition.name, number, lower, upper, partition.values)
        lower = upper
    return ranges


class WireColumn(msgspec.Struct):
    """A column as `schemas.TableSchema` has it."""

    name: str
    type: str
    key: int | None = None
    nullable: bool | None = None
    default: str | None = None


_read_wire = msgspec.json.Decoder(list[WireColumn]).decode


def wire_columns(table_schema: str | None) -> list[WireColumn]:
    """The columns of a text of `schemas.TableSchema`; none where there is no such text."""
    try:
        return _read_wire(table_schema or "[]")
    except (msgspec.DecodeError, UnicodeError):
        return []


def with_wire(table: Table, wire: Sequence[WireColumn]) -> Table:
    """The table with columns as a message gives them; a column of a known name keeps its identity."""
    columns: list[Column] = []
    next_id = table.next_column_id
    for column in wire:
        known = table.column(column.name)
        if known is None:
            known = Column(next_id, column.name, column.type)
            next_id += 1
        columns.append(
            known._replace(
                name=column.name,
                type=column.type,
                nullable=known.nullable if column.nullable is None else column.nullable,
                default=known.default if column.default is None else column.default,
            )
        )
    key = sorted((column.key, new.column_id) for column, new in zip(wire, columns, strict=True) if column.key)
    return _with_key(
        replace(table, columns=tuple(columns), next_column_id=next_id, origin=Origin.WIRE),
        [column_id for _, column_id in key],
    )


def _with_key(table: Table, column_ids: Sequence[int]) -> Table:
    """A key whose index nobody names stands for a primary key."""
    indexes = (TableIndex("PRIMARY", tuple(column_ids), True, True),) if column_ids else ()
    return replace(table, indexes=indexes)


_MAY_BE_TOLD_AS: Mapping[str, frozenset[str]] = {
    **dict.fromkeys(("tinyint", "smallint", "mediumint", "int"), frozenset({"smallint", "int", "bigint"})),
    "bigint": frozenset({"bigint"}),
    "float": frozenset({"double"}),
    "decimal": frozenset({"double", "text"}),
    **dict.fromkeys(("char", "varchar", "tinytext", "text", "mediumtext", "longtext"), frozenset({"text"})),
    **dict.fromkeys(("binary", "varbinary", "tinyblob", "blob", "mediumblob", "longblob"), frozenset({"text", "blob"})),
}
"""The words that messages of Avro, and of Debezium without the TiDB extension, have for a type."""
_EXACT_ALONE = _MAY_BE_TOLD_AS.keys() - frozenset[str]().union(*_MAY_BE_TOLD_AS.values()) - {"float", "decimal"}
_SIZED = frozenset({"decimal", "char", "varchar", "binary", "varbinary", "bit", "datetime", "timestamp", "time"})


def with_told_types(table: Table, wire: Sequence[WireColumn], exported: Sequence[ExportedColumn]) -> Table:
    """A table of an export with the types that a row's message tells: the export may be of a later time.

    Where they are others, not all of a type is known, such as fraction digits: its origin is then the wire.
    """
    is_exact = any(values.base_type(column.type) in _EXACT_ALONE for column in wire)
    told = {column.name.lower(): column.type for column in wire}
    later = {column.column_name.lower(): column.column_type for column in exported}
    columns = []
    for column in table.columns or ():
        name = column.name.lower()
        now = told.get(name, column.type)
        if _is_another_type(now, column.type, is_exact):
            best = later.get(name, now)
            best = now if _is_another_type(now, best, is_exact) else best
            column = column._replace(type=best, collation=column.collation if is_text(best) else None)
        columns.append(column)
    differs = any(
        _is_another_type(column.type, later.get(column.name.lower(), column.type), True) for column in columns
    )
    return replace(table, columns=tuple(columns), origin=Origin.WIRE if differs else Origin.EXPORT)


def _is_another_type(told: str, known: str, is_exact: bool) -> bool:
    """Whether a message tells another type than is known, `is_exact` that it has TiDB's words for types."""
    word, known_word = values.base_type(told), values.base_type(known)
    if word != known_word:
        return is_exact or word not in _MAY_BE_TOLD_AS.get(known_word, ())
    if word in _SIZED and "(" in told and told.partition(")")[0] != known.partition(")")[0]:
        return True
    return is_exact and (" unsigned" in told.rpartition(")")[2]) != (" unsigned" in known.rpartition(")")[2])


def from_export(table: Table, exported: Sequence[ExportedColumn]) -> Table:
    """The table with the columns of an export, whose keys name neither their order nor composite unique indexes."""
    columns: list[Column] = []
    unique: list[TableIndex] = []
    primary: list[int] = []
    for number, column in enumerate(sorted(exported, key=lambda column: column.ordinal_position), start=1):
        column_type = values.certain_type(column.column_type)
        default = exported_default(column_type, column.column_default)
        extra = column.extra.lower()
        generated = next((word for word in ("virtual", "stored") if f"{word} generated" in extra), None)
        columns.append(
            Column(
                number,
                column.column_name,
                column_type,
                None,
                column.is_nullable,
                default.text,
                default.expression,
                generated,
                "auto_increment" in extra,
                column.collation_name,
            )
        )
        if column.column_key == "PRI":
            primary.append(number)
        elif column.column_key == "UNI":
            unique.append(TableIndex(column.column_name, (number,), True))
    table = replace(table, columns=tuple(columns), next_column_id=len(columns) + 1, origin=Origin.EXPORT)
    table = _with_key(table, primary)
    return replace(table, indexes=(*table.indexes, *unique))
