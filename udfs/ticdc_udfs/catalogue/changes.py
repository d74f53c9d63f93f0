"""What one DDL text does, as data: `ddl` reads it, `fold` applies it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from ticdc_udfs.catalogue.column_types import Default, Literal

Table = tuple[str | None, str | None]
"""Schema and table as they were written; the table is None where the DDL is of a database."""


class DdlKind(StrEnum):
    """What a DDL does, in one vocabulary."""

    CREATE_DATABASE = "create_database"
    ALTER_DATABASE = "alter_database"
    DROP_DATABASE = "drop_database"
    RECOVER_DATABASE = "recover_database"
    CREATE_TABLE = "create_table"
    DROP_TABLE = "drop_table"
    TRUNCATE_TABLE = "truncate_table"
    RENAME_TABLE = "rename_table"
    RECOVER_TABLE = "recover_table"
    CREATE_VIEW = "create_view"
    DROP_VIEW = "drop_view"
    CREATE_SEQUENCE = "create_sequence"
    ALTER_SEQUENCE = "alter_sequence"
    DROP_SEQUENCE = "drop_sequence"
    ADD_COLUMN = "add_column"
    DROP_COLUMN = "drop_column"
    MODIFY_COLUMN = "modify_column"
    RENAME_COLUMN = "rename_column"
    SET_DEFAULT = "set_default"
    ADD_PRIMARY_KEY = "add_primary_key"
    DROP_PRIMARY_KEY = "drop_primary_key"
    ADD_INDEX = "add_index"
    DROP_INDEX = "drop_index"
    RENAME_INDEX = "rename_index"
    INDEX_VISIBILITY = "index_visibility"
    ADD_FOREIGN_KEY = "add_foreign_key"
    DROP_FOREIGN_KEY = "drop_foreign_key"
    CHECK_CONSTRAINT = "check_constraint"
    TABLE_CHARSET = "table_charset"
    TABLE_COMMENT = "table_comment"
    TABLE_TTL = "table_ttl"
    TABLE_OPTION = "table_option"
    ADD_PARTITION = "add_partition"
    DROP_PARTITION = "drop_partition"
    TRUNCATE_PARTITION = "truncate_partition"
    REORGANIZE_PARTITION = "reorganize_partition"
    EXCHANGE_PARTITION = "exchange_partition"
    COALESCE_PARTITION = "coalesce_partition"
    PARTITION_OPTION = "partition_option"
    PARTITION_BY = "partition_by"
    REMOVE_PARTITIONING = "remove_partitioning"
    MULTI_SCHEMA_CHANGE = "multi_schema_change"
    FLASHBACK_CLUSTER = "flashback_cluster"
    INITIAL_LOAD = "initial_load"
    KEY_NAMED = "key_named"
    OTHER = "other"
    UNREADABLE = "unreadable"


class ColumnDefinition(NamedTuple):
    """A column as a DDL defines it; `nullable` without the keys that make it NOT NULL.

    `literal` is that of the default if it is of bytes: which text they are, the character set tells.
    `binary` (the attribute BINARY): it has the default collation of its character set, whatever its table has.
    """

    name: str
    type: str
    nullable: bool = True
    default: Default = Default()
    generated: str | None = None
    auto_increment: bool = False
    charset: str | None = None
    collation: str | None = None
    binary: bool = False
    literal: Literal | None = None


class Index(NamedTuple):
    """An index; a column is None where it is an expression. `partial`: it holds some of the rows alone."""

    name: str | None
    columns: tuple[str | None, ...]
    unique: bool = False
    primary: bool = False
    clustered: bool | None = None
    partial: bool = False


class Partition(NamedTuple):
    """A partition: RANGE has `less_than`, LIST has `values`, HASH and KEY neither.

    Bounds are SQL texts: numbers, strings in single quotes, MAXVALUE, NULL, DEFAULT, or an expression; a tuple of LIST
    COLUMNS keeps its parentheses.
    """

    name: str
    less_than: tuple[str, ...] | None = None
    values: tuple[str, ...] | None = None


MAX_PARTITIONS = 8192
NUMBERED_PARTITIONS = tuple(Partition(f"p{number}") for number in range(MAX_PARTITIONS))
"""Partitions of HASH and KEY that a DDL only counts, by the names that TiDB gives them: as many as it takes at most."""


class Partitioning(NamedTuple):
    """How a table is partitioned. `by` holds the expression of HASH, RANGE and LIST, else the columns' names.

    `partitions` is empty where the text does not name them (INTERVAL partitioning).
    """

    method: str
    by: tuple[str, ...]
    partitions: tuple[Partition, ...]


@dataclass(frozen=True, slots=True)
class Change:
    """One effect on one table, view, sequence or database; the plain class where the kind says all."""

    kind: DdlKind
    schema: str | None
    table: str | None

    @property
    def tables(self) -> tuple[Table, ...]:
        """Every table that the change touches."""
        return ((self.schema, self.table),)


@dataclass(frozen=True, slots=True)
class NotRead(Change):
    """A text that cannot be read; nothing but the reason is known."""

    reason: str

    @property
    def tables(self) -> tuple[Table, ...]:
        """None is known."""
        return ()


@dataclass(frozen=True, slots=True)
class Charset(Change):
    """The default character set and collation of a database or table; `convert` if its columns change too."""

    charset: str | None
    collation: str | None
    convert: bool = False


@dataclass(frozen=True, slots=True)
class CreateTable(Change):
    """A new table; `like` is the table whose columns and indexes it copies.

    Its database is None where it stands without one beside a new name that has one: it is that of the session.
    """

    columns: tuple[ColumnDefinition, ...] = ()
    indexes: tuple[Index, ...] = ()
    partitioning: Partitioning | None = None
    charset: str | None = None
    collation: str | None = None
    like: tuple[str | None, str] | None = None
    as_select: bool = False


@dataclass(frozen=True, slots=True)
class RenameTable(Change):
    """A table's new name; `of_session`: the old one has no database though the new one has, so it is the session's."""

    to_schema: str | None
    to_table: str
    of_session: bool = False

    @property
    def tables(self) -> tuple[Table, ...]:
        """The table under both names."""
        return ((self.schema, self.table), (self.to_schema, self.to_table))


@dataclass(frozen=True, slots=True)
class Recover(Change):
    """A dropped or truncated table, or a dropped database, comes back, maybe under a new name.

    `table` is None where a table is named by its job alone.
    """

    to: str | None = None

    @property
    def tables(self) -> tuple[Table, ...]:
        """The table, or database, under both names."""
        table = (self.schema, self.table)
        if self.to is None:
            return (table,)
        return (table, (self.to, None) if self.table is None else (self.schema, self.to))


@dataclass(frozen=True, slots=True)
class SetColumn(Change):
    """ADD, MODIFY and CHANGE COLUMN. `name` is the column's name so far (None: a new one), `after` a column's name.

    `conditional` (IF NOT EXISTS, IF EXISTS): nothing is done where the column is there already, or is not.
    """

    name: str | None
    column: ColumnDefinition
    indexes: tuple[Index, ...] = ()
    first: bool = False
    after: str | None = None
    conditional: bool = False


@dataclass(frozen=True, slots=True)
class Named(Change):
    """A column, index or constraint that is dropped, or renamed to `to`; `conditional` (IF EXISTS): if it is there."""

    name: str
    to: str | None = None
    conditional: bool = False


@dataclass(frozen=True, slots=True)
class SetDefault(Change):
    """ALTER COLUMN … SET or DROP DEFAULT; a literal becomes canonical by the column's type."""

    name: str
    literal: Literal | None
    expression: str | None


@dataclass(frozen=True, slots=True)
class AddIndex(Change):
    """A new index or primary key."""

    index: Index


@dataclass(frozen=True, slots=True)
class PartitionChange(Change):
    """A partition DDL on `names` (None: all of them); `partitions`, `count` or `partitioning` say what is new.

    `counterpart` is the table with which a partition is exchanged.
    """

    names: tuple[str, ...] | None = ()
    partitions: tuple[Partition, ...] = ()
    count: int | None = None
    partitioning: Partitioning | None = None
    counterpart: tuple[str | None, str] | None = None

    @property
    def tables(self) -> tuple[Table, ...]:
        """The partitioned table, and the exchanged one."""
        table = (self.schema, self.table)
        return (table,) if self.counterpart is None else (table, self.counterpart)
