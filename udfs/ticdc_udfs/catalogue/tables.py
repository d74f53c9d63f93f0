"""A table as DDL leaves it: its columns, indexes and partitions, and what turns one state into the next."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from operator import itemgetter
from typing import NamedTuple

import msgspec
from sqlglot import TokenType

from ticdc_udfs.catalogue.changes import (
    NUMBERED_PARTITIONS,
    ColumnDefinition,
    DdlKind,
    Partition,
    PartitionChange,
    Partitioning,
)
from ticdc_udfs.catalogue.changes import Index as NewIndex
from ticdc_udfs.catalogue.column_types import (
    default_collation,
    default_in,
    exported_default,
    is_text,
    stored_type,
    type_of_both,
)
from ticdc_udfs.catalogue.handle_key import TableIndex, is_rebuilt, key_index, tells_apart
from ticdc_udfs.contract import internal_columns, values
from ticdc_udfs.contract.identifiers import quoted

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
    1-based place in the row key: PRIMARY KEY order, else table order within what `handle_key` takes, or messages name.
    `generated` is virtual or stored. `default` is canonical text; where the default is no constant,
    `default_expression` has its SQL. `added_value` is what rows hold that were there before the column, as canonical
    text of the type it was added with.
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


Index = TableIndex[int]
"""An index of columns by their ids."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table as of now; `columns` hold no `key`, which follows from the indexes. None: no one told them.

    `named` are the ids of the key's columns where messages tell them otherwise than the indexes do. With `keys_rows`
    the key is not the one that messages name, or has another order: rows get theirs from here.
    """

    table_id: str
    incarnation: int
    incarnation_ts: int
    schema: str
    name: str
    columns: tuple[Column, ...] | None = None
    indexes: tuple[Index, ...] = ()
    named: tuple[int, ...] | None = None
    keys_rows: bool = False
    partitioning: Partitioning | None = None
    charset: str = TIDB_CHARSET[0]
    collation: str = TIDB_CHARSET[1]
    origin: Origin = Origin.NONE
    next_column_id: int = 1
    next_index: int = 1

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

    def _key_places(self) -> Mapping[int, int]:
        index = None if self.named is not None else self.index
        if index is not None and index.primary:
            return {column_id: place for place, column_id in enumerate(index.columns, start=1) if column_id is not None}
        return {column_id: place for place, column_id in enumerate(self.key_ids, start=1)}

    @property
    def index(self) -> Index | None:
        """The index that is the key, as far as the indexes tell."""
        on_wire = self.on_wire
        not_null = {column.column_id for column in self.columns or () if column.nullable is False}
        return key_index(self.indexes, not_null & on_wire)

    @property
    def on_wire(self) -> set[int]:
        """The columns whose values messages hold."""
        return {column.column_id for column in self.columns or () if column.generated != "virtual"}

    @property
    def key_ids(self) -> tuple[int, ...]:
        """The ids of the key's columns in table order, as row keys have them; none where the whole row is the key."""
        index = self.index
        key: Collection[int | None] = () if index is None else index.columns
        if self.named is not None:
            key = self.named
        return tuple(column.column_id for column in self.columns or () if column.column_id in key)


def key_of(schema: str | None, name: str | None) -> Key:
    """TiDB compares names without case."""
    return (schema or "").lower(), (name or "").lower()


def table_id_of(schema: str, name: str, commit_ts: int) -> str:
    """The lineage of a table first created with this name at this commit (0: before the first message)."""
    return f"{quoted(schema)}.{quoted(name)}@{commit_ts}"


def same(one: Table, other: Table) -> bool:
    """Whether both look the same to whoever reads rows of the table."""
    return (one.schema, one.name, one.partitioning, one.keys_rows, one.version_columns()) == (
        other.schema,
        other.name,
        other.partitioning,
        other.keys_rows,
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
    column_type = stored_type(new.type, charset)
    literal = new.literal
    if literal is None and new.default.text is not None and is_text(new.type) and not is_text(column_type):
        literal = TokenType.STRING, new.default.text
    default = new.default if literal is None else default_in(charset, column_type, literal)
    new = new._replace(type=column_type, default=default)
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
        table = with_column(table, column)
        return _renumbered(table, column.column_id) if is_rebuilt(known.type, column.type) else table
    return replace(table, columns=(*(table.columns or ()), column), next_column_id=column.column_id + 1)


def without_column(table: Table, column: Column) -> Table:
    """The table without one of its columns; indexes that had it alone go with it."""
    cut = (
        index._replace(columns=tuple(part for part in index.columns if part != column.column_id))
        for index in table.indexes
    )
    return replace(
        table,
        columns=tuple(other for other in table.columns or () if other is not column),
        indexes=tuple(index for index in cut if index.columns),
    )


def _renumbered(table: Table, column_id: int) -> Table:
    """The table after its indexes with a column were rebuilt, in their order."""
    indexes, number = [], table.next_index
    for index in table.indexes:
        if column_id in index.columns:
            index, number = index._replace(number=number), number + 1
        indexes.append(index)
    return replace(table, indexes=tuple(indexes), next_index=number)


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


def with_indexes(table: Table, indexes: Sequence[NewIndex]) -> Table:
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
        new = Index(name, ids, index.unique, index.primary, table.next_index, index.partial)
        table = replace(table, indexes=(*table.indexes, new), next_index=table.next_index + 1)
        for column in columns if index.primary else ():
            if column is not None:
                table = with_column(table, column._replace(nullable=False))
    return table


def _index_name(index: NewIndex, taken: set[str]) -> str:
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


def regrouped_partitions(old: Partitioning | None, new: Partitioning | None, change: PartitionChange) -> set[str]:
    """The names of the partitions whose rows a DDL distributed again, by their values: those before and after it."""
    was, now = ({partition.name for partition in each.partitions} if each else set() for each in (old, new))
    is_numbered = old is not None and old.method in ("hash", "key")
    match change.kind:
        case DdlKind.REORGANIZE_PARTITION if change.names and not is_numbered:
            return {*change.names, *(partition.name for partition in change.partitions)}
        case DdlKind.ADD_PARTITION if not is_numbered:
            return set()
        case (
            DdlKind.ADD_PARTITION
            | DdlKind.COALESCE_PARTITION
            | DdlKind.PARTITION_BY
            | DdlKind.REMOVE_PARTITIONING
            | DdlKind.REORGANIZE_PARTITION
        ):
            return was | now
    return set()


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
        columns = _read_wire(table_schema or "[]")
    except (msgspec.DecodeError, UnicodeError):
        return []
    internal = internal_columns.among(column.name for column in columns)
    return [column for column in columns if column.name not in internal]


def with_wire(table: Table, wire: Sequence[WireColumn], *, rows_were_seen: bool = False) -> Table:
    """The table with columns as a message gives them; a column of a known name keeps its identity.

    Messages of DDL do not tell virtual columns from others: `rows_were_seen` makes those virtual that rows lacked.
    """
    columns: list[Column] = []
    next_id = table.next_column_id
    for column in wire:
        known = table.column(column.name)
        if known is None:
            known = Column(next_id, column.name, column.type, generated="virtual" if rows_were_seen else None)
            next_id += 1
        columns.append(_as_told(known, column)._replace(name=column.name, type=column.type))
    ids = {column.column_id for column in columns}
    indexes = tuple(index for index in table.indexes if ids.issuperset(index.columns))
    key = table.key_ids
    table = replace(
        table,
        columns=tuple(columns),
        indexes=indexes,
        named=None,
        keys_rows=False,
        next_column_id=next_id,
        origin=Origin.WIRE,
    )
    told = told_key(table, wire)
    return replace(table, named=(key if ids.issuperset(key) else ()) if told is None else told)


def with_wire_of_later(table: Table, before: Table, wire: Sequence[WireColumn]) -> tuple[Table, list[str]]:
    """The table with all columns of rows that no DDL parts, in types that hold the values of all of them.

    Columns that later rows lack stay, as those from before have them. A column of the key is not a new one, which rows
    from before would lack. Also gives the columns that no type holds for both: those keep the type that they had.
    """
    known = {column.name.lower(): column.type for column in before.columns or ()}
    told = {column.name.lower(): column.type for column in wire}
    columns, unlike = [], []
    for column in table.columns or ():
        name = column.name.lower()
        if name in known and name in told:
            both = type_of_both(known[name], told[name])
            unlike += [column.name] if both is None else []
            column = column._replace(type=both or known[name])
        columns.append(column)
    new = [column for column in wire if table.column(column.name) is None and not column.key]
    columns += [
        _as_told(Column(column_id, column.name, column.type), column)
        for column_id, column in enumerate(new, start=table.next_column_id)
    ]
    return replace(table, columns=tuple(columns), next_column_id=table.next_column_id + len(new)), unlike


def _as_told(known: Column, told: WireColumn) -> Column:
    return known._replace(
        nullable=known.nullable if told.nullable is None else told.nullable,
        default=known.default if told.default is None else told.default,
    )


def with_told_nulls(table: Table, wire: Sequence[WireColumn]) -> Table:
    """The table with what a message of the same columns tells of their NULLs, which decide on the key."""
    nullable = {column.name: column.nullable for column in wire if column.nullable is not None}
    columns = (column._replace(nullable=nullable.get(column.name, column.nullable)) for column in table.columns or ())
    return replace(table, columns=tuple(columns))


def told_key(table: Table, wire: Sequence[WireColumn]) -> tuple[int, ...] | None:
    """The ids of the columns that a message names as the key, in its order; None where it does not tell them.

    A row with the key's columns alone may not name them as such: they are those of an index.
    """
    columns = [(column.key, table.column(column.name)) for column in wire]
    named = sorted(((place, column) for place, column in columns if place), key=itemgetter(0))
    if named or all(place == 0 for place, _ in columns):
        ids = tuple(column.column_id for _, column in named if column is not None)
        return ids if len(ids) == len(named) else None
    ids = tuple(column.column_id for _, column in columns if column is not None)
    of_index = any((index.unique or index.primary) and set(index.columns) == set(ids) for index in table.indexes)
    return ids if of_index and len(ids) < len(table.on_wire) else None


def with_told_key(table: Table, told: tuple[int, ...]) -> Table:
    """The table with the key that messages name, unless DDL tells that it does not tell all rows apart."""
    if set(told) != set(table.key_ids):
        if not tells_apart(told, table.indexes, table.on_wire):
            return replace(table, keys_rows=bool(told))
        table = replace(table, named=None)
        if set(told) != set(table.key_ids):
            table = replace(table, named=told)
    return replace(table, keys_rows=told != table.key_ids)


def with_key_of_ddl(table: Table, before: Table) -> Table:
    """The table after a DDL, with the key that messages named before as long as the DDL does not move it."""
    if table.named is None and not table.keys_rows:
        return table
    old, new = before.index, table.index
    is_moved = (old and (old.columns, old.primary)) != (new and (new.columns, new.primary))
    if is_moved and (table.origin is Origin.DDL or not table.named or (new is not None and new.primary)):
        return replace(table, named=None, keys_rows=False)
    can_be_null = {column.column_id for column in table.columns or () if column.nullable}
    could_be_null = {column.column_id for column in before.columns or () if column.nullable}
    if table.named is not None and not set(table.named) <= table.on_wire - (can_be_null - could_be_null):
        return replace(table, named=None, keys_rows=False)
    return table


def with_told_values(table: Table, names: Collection[str]) -> Table:
    """The table after a row that shows values of these columns: they are not virtual."""
    columns = (one._replace(generated=None) if one.name in names else one for one in table.columns or ())
    return replace(table, columns=tuple(columns))


def with_told_names(table: Table, names: Sequence[str], exported: Collection[str], is_first: bool) -> Table:
    """The table with the names that a message gives its columns, where an export tells that they were renamed.

    So columns were renamed without a DDL: the names that an export has are the later ones, which the table leaves for
    others only at its first message.
    """
    told = {name.lower() for name in names}
    columns = [one for one in table.columns or () if one.generated != "virtual" or one.name.lower() in told]
    if len(names) < len(columns):
        # a row may have the columns of the key alone
        columns = [one for one in columns if one.column_id in table.key_ids]
    later = {name.lower() for name in exported}
    if len(columns) != len(names) or not later:
        return table
    for column, name in zip(columns, names, strict=True):
        if same_name(column.name, name):
            continue
        was, is_later = column.name.lower() in later, name.lower() in later
        if was == is_later or (was and not is_first) or table.column(name) is not None:
            return table
    renamed = {column.column_id: name for column, name in zip(columns, names, strict=True)}
    new = (one._replace(name=renamed.get(one.column_id, one.name)) for one in table.columns or ())
    return replace(table, columns=tuple(new))


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
        # with an option unsigned BIGINTs are texts
        is_bigint_as_text = (known_word, word) == ("bigint", "text") and values.is_unsigned(known)
        return is_exact or not (is_bigint_as_text or word in _MAY_BE_TOLD_AS.get(known_word, ()))
    if word in _SIZED and "(" in told and told.partition(")")[0] != known.partition(")")[0]:
        return True
    return is_exact and values.is_unsigned(told) != values.is_unsigned(known)


def from_export(table: Table, exported: Sequence[ExportedColumn]) -> Table:
    """The table with the columns of an export, whose keys name neither their order nor composite unique indexes."""
    columns: list[Column] = []
    unique: list[Index] = []
    primary: list[int] = []
    for number, column in enumerate(sorted(exported, key=lambda column: column.ordinal_position), start=1):
        column_type = values.certain_type(column.column_type)
        extra = column.extra.lower()
        # beside ON UPDATE the word stands for a constant too
        default = exported_default(column_type, column.column_default, is_expression=extra == "default_generated")
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
            # the export does not tell its name
            unique.append(Index("", (number,), True, number=number))
    indexes = (Index("PRIMARY", tuple(primary), True, True), *unique) if primary else tuple(unique)
    return replace(
        table,
        columns=tuple(columns),
        indexes=indexes,
        next_column_id=len(columns) + 1,
        next_index=len(columns) + 1,
        origin=Origin.EXPORT,
    )
