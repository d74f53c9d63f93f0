"""The effect of one DDL text: what it does to which tables, whoever wrote it and whatever the protocol calls it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple

from sqlglot import TokenType

from ticdc_udfs.catalogue.changes import (
    MAX_PARTITIONS,
    NUMBERED_PARTITIONS,
    AddIndex,
    Change,
    Charset,
    ColumnDefinition,
    CreateTable,
    DdlKind,
    Index,
    Named,
    NotRead,
    Partition,
    PartitionChange,
    Partitioning,
    Recover,
    RenameTable,
    SetColumn,
    SetDefault,
    Table,
)
from ticdc_udfs.catalogue.column_types import (
    BYTES,
    KNOWN_TYPES,
    Default,
    Literal,
    computed_default,
    default_of,
    type_text,
)
from ticdc_udfs.catalogue.dialect import Cursor, TiDB, TiDBEscaped, Unreadable, cursors

MAX_LENGTH = 4 * 1024 * 1024
# What TiDB takes at most; columns and indexes of a text beyond cost time that grows with their square.
_MAX_COLUMNS, _MAX_INDEXES = 4096, 512
_MAX_CHANGES = _MAX_COLUMNS + _MAX_INDEXES


@lru_cache(maxsize=8192)
def statements(sql: str, schema_name: str | None) -> tuple[Change, ...]:
    """The effects of a DDL text in order; `schema_name` is the database of names without one.

    Never raises: a text that cannot be read gives one `NotRead`. Backslashes are plain characters, as in the text that
    TiCDC restores; a text that cannot be read so is read with backslash escapes.
    """
    try:
        return _statements(sql, schema_name, TiDB)
    except Unreadable as error:
        reason = str(error)
    if "\\" in sql:
        try:
            return _statements(sql, schema_name, TiDBEscaped)
        except Unreadable:
            pass
    return (NotRead(DdlKind.UNREADABLE, schema_name, None, reason),)


def kind_and_tables(sql: str, schema_name: str | None) -> tuple[DdlKind, tuple[Table, ...]]:
    """A DDL's kind in one vocabulary, and the tables it touches, each once."""
    changes = statements(sql, schema_name)
    kinds = {change.kind for change in changes}
    kind = changes[0].kind if len(kinds) == 1 else DdlKind.MULTI_SCHEMA_CHANGE
    return kind, tuple(dict.fromkeys(table for change in changes for table in change.tables))


def _statements(sql: str, schema: str | None, dialect: type[TiDB]) -> tuple[Change, ...]:
    if len(sql) > MAX_LENGTH:
        raise Unreadable(f"longer than {MAX_LENGTH} characters")
    changes = tuple(change for cursor in cursors(sql, dialect) for change in _statement(cursor, schema))
    if not changes:
        raise Unreadable("no statement")
    if len(changes) > _MAX_CHANGES:
        raise Unreadable(f"more than {_MAX_CHANGES} changes")
    return changes


def _statement(c: Cursor, schema: str | None) -> list[Change]:
    read = _STATEMENTS.get(c.word)
    if read is None:
        raise c.error("a DDL statement")
    c.skip()
    changes = read(c, schema)
    if c:
        raise c.error("the end")
    return changes


# CREATE

_OBJECTS = frozenset({"TABLE", "VIEW", "DATABASE", "SCHEMA", "SEQUENCE", "INDEX"})
_OTHER_OBJECTS = frozenset({"PLACEMENT", "RESOURCE", "USER", "ROLE", "BINDING", "STATISTICS"})


def _create(c: Cursor, schema: str | None) -> list[Change]:
    unique = False
    while not (found := c.take_any(_OBJECTS | _OTHER_OBJECTS)):
        unique |= c.at("UNIQUE")
        c.skip()
    if found in ("DATABASE", "SCHEMA"):
        c.take("IF", "NOT", "EXISTS")
        name = c.name()
        return [Charset(DdlKind.CREATE_DATABASE, name, None, *_table_options(c))]
    if found == "TABLE":
        return [_create_table(c, schema)]
    if found == "INDEX":
        c.take("IF", "NOT", "EXISTS")
        name = c.name()
        if not c.at("ON"):
            _skip_index_type(c)
        c.need("ON")
        table = c.table(schema)
        return [AddIndex(DdlKind.ADD_INDEX, *table, _index_columns(c, name, unique=unique))]
    kinds = {"VIEW": DdlKind.CREATE_VIEW, "SEQUENCE": DdlKind.CREATE_SEQUENCE}
    if found not in kinds:
        return _other(c, schema)
    c.take("IF", "NOT", "EXISTS")
    view = c.table(schema)
    _skip_rest(c)
    return [Change(kinds[found], *view)]


def _create_table(c: Cursor, schema: str | None) -> Change:
    c.take("IF", "NOT", "EXISTS")
    named, table = c.table(None)
    schema, session = (schema, schema) if named is None else (named, None)
    if c.take("LIKE"):
        return CreateTable(DdlKind.CREATE_TABLE, schema, table, like=c.table(session))
    columns: list[ColumnDefinition] = []
    own_indexes: list[Index] = []
    inline_indexes: list[Index] = []
    if c.at("("):
        for item in c.each():
            if item.take("LIKE"):
                like = item.table(session)
                item.need(")")
                return CreateTable(DdlKind.CREATE_TABLE, schema, table, like=like)
            if _at_constraint(item):
                constraint = _constraint(item)
                if isinstance(constraint, Index):
                    own_indexes.append(constraint)
            else:
                column, indexes = _column(item)
                columns.append(column)
                inline_indexes.extend(indexes)
        if len(columns) > _MAX_COLUMNS or len(own_indexes) + len(inline_indexes) > _MAX_INDEXES:
            raise c.error(f"at most {_MAX_COLUMNS} columns and {_MAX_INDEXES} indexes")
    charset, collation = _table_options(c)
    partitioning = None
    if c.take("PARTITION", "BY"):
        partitioning = _partitioning(c)
        _table_options(c)
    as_select = bool(c)
    _skip_rest(c)
    return CreateTable(
        DdlKind.CREATE_TABLE,
        schema,
        table,
        tuple(columns),
        # TiDB numbers the indexes of a table's own list before those of its columns
        (*own_indexes, *inline_indexes),
        partitioning,
        charset,
        collation,
        as_select=as_select,
    )


def _table_options(c: Cursor, until: Sequence[str] = ()) -> tuple[str | None, str | None]:
    """Character set and collation; all other options are stepped over, up to partitioning, a query or `until`."""
    charset = collation = None
    while c and not _at_partitioning(c) and c.word not in ("AS", "SELECT", "WITH", "TABLE", "VALUES", *until):
        if _take_charset(c):
            c.take("=")
            # DEFAULT is that of what the table belongs to
            charset = None if c.take("DEFAULT") else c.name().lower()
        elif c.take("COLLATE"):
            c.take("=")
            collation = c.name().lower()
        else:
            c.skip()
    return charset, collation


def _take_charset(c: Cursor) -> bool:
    return c.take("CHARSET") or c.take("CHARACTER", "SET") or c.take("CHAR", "SET")


# Columns

_COLUMN_END = frozenset({"", ",", ")", "FIRST", "AFTER"})


def _column(c: Cursor, *, is_known: bool = False) -> tuple[ColumnDefinition, tuple[Index, ...]]:
    """A column's definition, and the indexes that it declares; AUTO_INCREMENT makes a new column NOT NULL."""
    name = _column_name(c)
    spec = _type(c)
    literal: Literal | None = None
    expression: str | None = None
    nullable, primary, unique, clustered = not spec.serial, False, spec.serial, None
    auto_increment, generated, charset, collation = spec.serial, None, spec.charset, None
    unsigned, binary = spec.serial, False
    while c.word not in _COLUMN_END:
        if c.take("UNSIGNED") or c.take("ZEROFILL"):
            unsigned = True
        elif c.take("BINARY"):
            binary = True
        elif c.take("SIGNED") or c.take("UNICODE") or c.take("VISIBLE") or c.take("INVISIBLE"):
            pass
        elif c.take("ASCII"):
            charset = "latin1"
        elif c.take("BYTE"):
            charset = "binary"
        elif _take_charset(c):
            charset = c.name().lower()
        elif c.take("COLLATE"):
            collation = c.name().lower()
        elif c.take("NOT", "NULL"):
            nullable = False
        elif c.take("NULL"):
            nullable = True
        elif c.take("DEFAULT"):
            literal, expression = _default(c)
        elif c.take("ON", "UPDATE"):
            _default(c)
        elif c.take("AUTO_INCREMENT"):
            auto_increment, nullable = True, nullable and is_known
        elif c.take("AUTO_RANDOM"):
            auto_increment = True
            if c.at("("):
                c.skip()
        elif c.take("PRIMARY", "KEY") or c.take("PRIMARY") or c.take("KEY"):
            primary = True
            clustered = _clustered(c)
            c.take_any(("GLOBAL", "LOCAL"))
        elif c.take("UNIQUE"):
            c.take("KEY")
            unique = True
            c.take_any(("GLOBAL", "LOCAL"))
        elif c.take("SERIAL", "DEFAULT", "VALUE"):
            nullable, unique, auto_increment = False, True, True
        elif c.take("COMMENT"):
            c.string()
        elif c.take("SECONDARY_ENGINE_ATTRIBUTE"):
            c.take("=")
            c.plain_string()
        elif c.take_any(("COLUMN_FORMAT", "STORAGE")):
            c.name()
        elif c.take("GENERATED", "ALWAYS", "AS") or c.take("AS"):
            c.parenthesized()
            generated = "stored" if c.take("STORED") else "virtual"
            c.take("VIRTUAL")
        elif c.take("REFERENCES"):
            _skip_reference(c)
        elif c.take("CHECK"):
            c.parenthesized()
            _ = c.take("ENFORCED") or c.take("NOT", "ENFORCED")
        elif c.take("CONSTRAINT"):
            if not c.at("CHECK"):
                c.name()
        else:
            raise c.error("an option of a column")
    column_type = type_text(spec.word, spec.parameters, unsigned=unsigned, charset=charset)
    default = default_of(column_type, literal) if literal is not None else Default()
    of_bytes = literal if literal is not None and literal[0] in BYTES else None
    if expression is not None:
        default = computed_default(expression)
    column = ColumnDefinition(
        name, column_type, nullable, default, generated, auto_increment, charset, collation, binary, of_bytes
    )
    indexes = []
    if primary:
        indexes.append(Index("PRIMARY", (name,), True, True, clustered))
    if unique:
        indexes.append(Index(None, (name,), True))
    return column, tuple(indexes)


def _column_name(c: Cursor) -> str:
    """A column's name; that of its table, and of its database, may stand before it."""
    name = c.name()
    while c.take("."):
        name = c.name()
    return name


class _Type(NamedTuple):
    word: str
    parameters: tuple[str, ...] = ()
    charset: str | None = None
    serial: bool = False


def _type(c: Cursor) -> _Type:
    word = c.word.lower()
    if word not in KNOWN_TYPES:
        raise c.error("a type")
    c.skip()
    if word in ("bool", "boolean"):
        return _Type("tinyint", ("1",))
    if word == "serial":
        return _Type("bigint", serial=True)
    charset = None
    if word == "national":
        word, charset = c.name().lower(), "utf8"
    if word == "long":
        if c.take("VARBINARY"):
            return _Type("mediumblob")
        _ = c.take("VARCHAR") or c.take("CHAR", "VARYING") or c.take("CHARACTER", "VARYING")
        return _Type("mediumtext", charset=charset)
    if word == "double":
        c.take("PRECISION")
    elif word in ("char", "character", "nchar", "binary") and c.take("VARYING"):
        word = "varbinary" if word == "binary" else "varchar"
    elif word in ("nchar", "nvarchar"):
        charset = "utf8"
    elif word == "vector":
        c.take("<", "FLOAT", ">")
    parameters: list[str] = []
    if c.at("("):
        for item in c.each():
            parameters.append(item.plain_string() if word in ("enum", "set") else str(item.number()))
    return _Type(word, tuple(parameters), charset)


def _default(c: Cursor) -> tuple[Literal | None, str | None]:
    """A literal, or the text of an expression, or neither for NULL."""
    if c.at("("):
        # a signed number is restored in parentheses too, which make it no expression
        inner = c.parenthesized()
        return (literal, None) if (literal := _signed_number(inner)) else (None, inner)
    if c.take("NULL"):
        return None, None
    if word := c.take_any(("TRUE", "FALSE")):
        return (TokenType.NUMBER, "1" if word == "TRUE" else "0"), None
    start, is_signed = c.mark(), c.word in ("+", "-")
    literal = _signed_literal(c)
    if literal is not None:
        return literal, None
    if is_signed:
        raise c.error("a number")
    if c.take("NEXT", "VALUE", "FOR"):
        c.table(None)
    else:
        c.name()
        if c.at("("):
            c.skip()
    return None, c.since(start)


def _signed_number(text: str) -> Literal | None:
    c = next(cursors(text), None)
    literal = _signed_literal(c) if c and c.word in ("+", "-") else None
    return None if not literal or c or literal[0] is not TokenType.NUMBER else literal


def _signed_literal(c: Cursor) -> Literal | None:
    sign = c.take_any(("+", "-"))
    literal = c.literal()
    return (literal[0], "-" + literal[1]) if literal and sign == "-" else literal


def _clustered(c: Cursor) -> bool | None:
    if c.take("NONCLUSTERED"):
        return False
    return True if c.take("CLUSTERED") else None


def _skip_reference(c: Cursor) -> None:
    c.table(None)
    if c.at("("):
        c.skip()
    if c.take("MATCH"):
        c.name()
    while c.take("ON", "DELETE") or c.take("ON", "UPDATE"):
        c.take_any(("SET", "NO"))
        c.name()


# Indexes and constraints

_CONSTRAINTS = ("CONSTRAINT", "PRIMARY", "UNIQUE", "INDEX", "KEY", "FULLTEXT", "SPATIAL", "FOREIGN", "CHECK")


def _at_constraint(c: Cursor) -> bool:
    return c.word in _CONSTRAINTS or any(
        c.at(kind, word) for kind in ("VECTOR", "COLUMNAR") for word in ("INDEX", "KEY")
    )


def _constraint(c: Cursor) -> Index | DdlKind:
    """An index, or what else a constraint is."""
    name = None
    if c.take("CONSTRAINT") and c.word not in ("PRIMARY", "UNIQUE", "FOREIGN", "CHECK"):
        name = c.name()
    if c.take("FOREIGN", "KEY"):
        _skip_action(c)
        return DdlKind.ADD_FOREIGN_KEY
    if c.take("CHECK"):
        _skip_action(c)
        return DdlKind.CHECK_CONSTRAINT
    primary = c.take("PRIMARY", "KEY")
    unique = primary or c.take("UNIQUE")
    special = c.take_any(("FULLTEXT", "SPATIAL", "VECTOR", "COLUMNAR"))
    if not (primary or c.take("INDEX") or c.take("KEY") or unique or special in ("FULLTEXT", "SPATIAL")):
        raise c.error("an index")
    c.take("IF", "NOT", "EXISTS")
    if not c.at("(") and not c.at("USING"):
        name = c.name()
    return _index_columns(c, "PRIMARY" if primary else name, unique=unique, primary=primary)


def _index_columns(c: Cursor, name: str | None, *, unique: bool, primary: bool = False) -> Index:
    _skip_index_type(c)
    columns: list[str | None] = []
    for item in c.each():
        if item.at("("):
            item.skip()
            columns.append(None)
        else:
            columns.append(_column_name(item))
            if item.at("("):
                item.skip()
        item.take_any(("ASC", "DESC"))
    clustered, partial = None, False
    while not _at_end(c):
        found = _clustered(c)
        if found is not None:
            clustered = found
            continue
        partial |= c.at("WHERE")
        c.skip()
    return Index(name, tuple(columns), unique, primary, clustered, partial)


def _skip_index_type(c: Cursor) -> None:
    if c.take("USING") or c.take("TYPE"):
        c.name()


# Partitions


def _partitioning(c: Cursor) -> Partitioning:
    linear = c.take("LINEAR")
    method = (c.take_any(("HASH", "KEY", "RANGE", "LIST")) or "").lower()
    if not method or (linear and method not in ("hash", "key")):
        raise c.error("a kind of partitions")
    if method == "key" and c.take("ALGORITHM", "="):
        c.number()
    columns = c.take("COLUMNS")
    by = tuple(_names(c, parentheses=True)) if columns or method == "key" else (c.parenthesized(),)
    count = 0
    partitions: tuple[Partition, ...] = ()
    while c and not c.at(","):
        if c.take("PARTITIONS"):
            count = c.number()
        elif c.at("("):
            partitions = _partitions(c)
        elif c.word in ("SUBPARTITION", "SUBPARTITIONS", "INTERVAL", "FIRST", "LAST", "NULL", "MAXVALUE", "UPDATE"):
            c.skip()
            while c and c.word not in ("PARTITIONS", "SUBPARTITIONS", ",") and not _at_partitions(c):
                c.skip()
        else:
            break
    if not partitions and method in ("hash", "key"):
        partitions = NUMBERED_PARTITIONS[: _bounded(c, count or 1)]
    return Partitioning(method + ("_columns" if columns else ""), by, partitions)


def _bounded(c: Cursor, count: int) -> int:
    if count > MAX_PARTITIONS:
        raise c.error(f"at most {MAX_PARTITIONS} partitions")
    return count


def _at_partitions(c: Cursor) -> bool:
    return c.at("(", "PARTITION")


def _partitions(c: Cursor) -> tuple[Partition, ...]:
    partitions = []
    for item in c.each():
        item.need("PARTITION")
        name = item.name()
        less_than = in_values = None
        if item.take("VALUES", "LESS", "THAN"):
            less_than = ("MAXVALUE",) if item.take("MAXVALUE") else _bounds(item)
        elif item.take("VALUES", "IN"):
            in_values = _bounds(item)
        elif item.take("DEFAULT"):
            in_values = ("DEFAULT",)
        while item and item.word not in (",", ")"):
            item.skip()
        partitions.append(Partition(name, less_than, in_values))
    return tuple(partitions)


def _bounds(c: Cursor) -> tuple[str, ...]:
    return tuple(_bound(text, c.dialect) for text in c.items())


def _bound(text: str, dialect: type[TiDB], *, in_tuple: bool = False) -> str:
    """A bound without introducers, keywords in upper case, strings in single quotes; also of a tuple's members.

    Strings have their backslashes doubled, as in text that TiDB restored.
    """
    c = next(cursors(text, dialect), None)
    if c is None:
        return text
    if c.at("("):
        members = (_bound(member, dialect, in_tuple=True) for member in c.items())
        return text if in_tuple else f"({','.join(members)})"
    if word := c.take_any(("MAXVALUE", "NULL", "DEFAULT")):
        return text if c else word
    sign = c.take_any(("+", "-")) or ""
    literal = c.literal()
    if literal is None or c:
        return text
    kind, value = literal
    if kind is TokenType.STRING:
        return "'" + value.replace("\\", r"\\").replace("'", "''") + "'"
    return ("-" if sign == "-" else "") + value if kind is TokenType.NUMBER else text


def _names(c: Cursor, *, parentheses: bool = False) -> list[str]:
    if parentheses:
        if c.take("(", ")"):
            return []
        return [_column_name(item) for item in c.each()]
    names = [c.name()]
    while c.take(","):
        names.append(c.name())
    return names


# ALTER


def _alter(c: Cursor, schema: str | None) -> list[Change]:
    c.take("IGNORE")
    if c.take("DATABASE") or c.take("SCHEMA"):
        name = schema
        if c.has_name() and c.word not in ("DEFAULT", "CHARACTER", "CHARSET", "COLLATE", "PLACEMENT", "SET"):
            name = c.name()
        return [Charset(DdlKind.ALTER_DATABASE, name, None, *_table_options(c))]
    if c.take("SEQUENCE"):
        sequence = c.table(schema)
        _skip_rest(c)
        return [Change(DdlKind.ALTER_SEQUENCE, *sequence)]
    if not c.take("TABLE"):
        return _other(c, schema)
    default_schema, (named, table) = schema, c.table(None)
    schema = default_schema if named is None else named
    changes: list[Change] = []
    while c:
        if c.take("EXCHANGE"):
            changes.append(_exchange(c, schema, table, default_schema))
        elif c.take("RENAME"):
            changes.append(_rename_action(c, named, table, default_schema))
        else:
            changes.extend(_action(c, schema, table))
        if c and not _at_partitioning(c):
            c.need(",")
    return changes or [Change(DdlKind.TABLE_OPTION, schema, table)]


def _action(c: Cursor, schema: str | None, table: str) -> list[Change]:
    read = _ACTIONS.get(c.word)
    if read is not None:
        c.skip()
        return read(c, schema, table)
    if c.at("PARTITION", "BY"):
        c.take("PARTITION", "BY")
        return [PartitionChange(DdlKind.PARTITION_BY, schema, table, partitioning=_partitioning(c))]
    kind = _OPTIONS.get(c.word)
    if kind is None:
        raise c.error("an action of ALTER TABLE")
    if kind is DdlKind.PARTITION_OPTION:
        _skip_action(c)
        return [Change(kind, schema, table)]
    charset, collation = _table_options(c, (",",))
    changes = [] if kind in (DdlKind.TABLE_CHARSET, DdlKind.TABLE_OPTION) else [Change(kind, schema, table)]
    if charset or collation:
        changes.append(Charset(DdlKind.TABLE_CHARSET, schema, table, charset, collation))
    return changes or [Change(kind, schema, table)]


def _add(c: Cursor, schema: str | None, table: str) -> list[Change]:
    if c.take("PARTITION"):
        c.take("IF", "NOT", "EXISTS")
        c.take_any(("NO_WRITE_TO_BINLOG", "LOCAL"))
        if c.take("PARTITIONS"):
            count = _bounded(c, c.number())
            return [PartitionChange(DdlKind.ADD_PARTITION, schema, table, count=count)]
        return [PartitionChange(DdlKind.ADD_PARTITION, schema, table, partitions=_partitions(c))]
    if c.take("STATS_EXTENDED"):
        _skip_action(c)
        return [Change(DdlKind.TABLE_OPTION, schema, table)]
    if not c.at("COLUMN") and _at_constraint(c):
        constraint = _constraint(c)
        if not isinstance(constraint, Index):
            return [Change(constraint, schema, table)]
        kind = DdlKind.ADD_PRIMARY_KEY if constraint.primary else DdlKind.ADD_INDEX
        return [AddIndex(kind, schema, table, constraint)]
    c.take("COLUMN")
    conditional = c.take("IF", "NOT", "EXISTS")
    if not c.at("("):
        return [_set_column(c, DdlKind.ADD_COLUMN, schema, table, None, conditional)]
    changes: list[Change] = []
    for item in c.each():
        if _at_constraint(item):
            changes.extend(_add(item, schema, table))
        else:
            changes.append(_set_column(item, DdlKind.ADD_COLUMN, schema, table, None, conditional))
    return changes


def _set_column(
    c: Cursor, kind: DdlKind, schema: str | None, table: str, name: str | None, conditional: bool
) -> SetColumn:
    column, indexes = _column(c, is_known=kind is DdlKind.MODIFY_COLUMN)
    first = c.take("FIRST")
    after = _column_name(c) if c.take("AFTER") else None
    if kind is DdlKind.MODIFY_COLUMN and name is None:
        name = column.name
    return SetColumn(kind, schema, table, name, column, indexes, first, after, conditional)


def _modify(c: Cursor, schema: str | None, table: str) -> list[Change]:
    c.take("COLUMN")
    conditional = c.take("IF", "EXISTS")
    return [_set_column(c, DdlKind.MODIFY_COLUMN, schema, table, None, conditional)]


def _change(c: Cursor, schema: str | None, table: str) -> list[Change]:
    c.take("COLUMN")
    conditional = c.take("IF", "EXISTS")
    name = _column_name(c)
    return [_set_column(c, DdlKind.MODIFY_COLUMN, schema, table, name, conditional)]


def _drop_action(c: Cursor, schema: str | None, table: str) -> list[Change]:
    if c.take("PRIMARY", "KEY"):
        return [Named(DdlKind.DROP_PRIMARY_KEY, schema, table, "PRIMARY")]
    if c.take("PARTITION"):
        c.take("IF", "EXISTS")
        return [PartitionChange(DdlKind.DROP_PARTITION, schema, table, tuple(_names(c)))]
    if c.take("STATS_EXTENDED"):
        _skip_action(c)
        return [Change(DdlKind.TABLE_OPTION, schema, table)]
    kind = DdlKind.DROP_COLUMN
    if c.take("INDEX") or c.take("KEY"):
        kind = DdlKind.DROP_INDEX
    elif c.take("FOREIGN", "KEY"):
        kind = DdlKind.DROP_FOREIGN_KEY
    elif c.take("CHECK") or c.take("CONSTRAINT"):
        kind = DdlKind.CHECK_CONSTRAINT
    else:
        c.take("COLUMN")
    conditional = c.take("IF", "EXISTS")
    name = _column_name(c)
    c.take_any(("RESTRICT", "CASCADE"))
    return [Named(_drop_kind(kind, name), schema, table, name, conditional=conditional)]


def _drop_kind(kind: DdlKind, name: str) -> DdlKind:
    """No other index than the primary key bears its name."""
    return DdlKind.DROP_PRIMARY_KEY if kind is DdlKind.DROP_INDEX and name.upper() == "PRIMARY" else kind


def _alter_action(c: Cursor, schema: str | None, table: str) -> list[Change]:
    if c.take("INDEX"):
        name = c.name()
        if not c.take_any(("VISIBLE", "INVISIBLE")):
            raise c.error("VISIBLE or INVISIBLE")
        return [Named(DdlKind.INDEX_VISIBILITY, schema, table, name)]
    if c.take("CHECK") or c.take("CONSTRAINT"):
        _skip_action(c)
        return [Change(DdlKind.CHECK_CONSTRAINT, schema, table)]
    c.take("COLUMN")
    name = _column_name(c)
    if c.take("DROP", "DEFAULT"):
        return [SetDefault(DdlKind.SET_DEFAULT, schema, table, name, None, None)]
    c.need("SET", "DEFAULT")
    return [SetDefault(DdlKind.SET_DEFAULT, schema, table, name, *_default(c))]


def _rename_action(c: Cursor, named: str | None, table: str, default_schema: str | None) -> Change:
    for words, kind in _RENAMED.items():
        if c.take(words):
            name = _column_name(c)
            c.need("TO")
            schema = default_schema if named is None else named
            return Named(kind, schema, table, name, _column_name(c))
    _ = c.take("TO") or c.take("AS") or c.take("=")
    return _renamed((named, table), c.table(None), default_schema)


def _renamed(old: tuple[str | None, str], new: tuple[str | None, str], schema: str | None) -> Change:
    """The rename of a table between names with or without a database; `schema` is that of names without one."""
    (from_schema, table), (to_schema, to_table) = old, new
    return RenameTable(
        DdlKind.RENAME_TABLE,
        schema if from_schema is None else from_schema,
        table,
        schema if to_schema is None else to_schema,
        to_table,
        of_session=from_schema is None and to_schema is not None,
    )


_RENAMED = {"COLUMN": DdlKind.RENAME_COLUMN, "INDEX": DdlKind.RENAME_INDEX, "KEY": DdlKind.RENAME_INDEX}


def _convert(c: Cursor, schema: str | None, table: str) -> list[Change]:
    c.need("TO")
    charset, collation = _table_options(c, (",",))
    return [Charset(DdlKind.TABLE_CHARSET, schema, table, charset, collation, convert=True)]


def _truncate_action(c: Cursor, schema: str | None, table: str) -> list[Change]:
    c.need("PARTITION")
    names = None if c.take("ALL") else tuple(_names(c))
    return [PartitionChange(DdlKind.TRUNCATE_PARTITION, schema, table, names)]


def _reorganize(c: Cursor, schema: str | None, table: str) -> list[Change]:
    c.need("PARTITION")
    c.take_any(("NO_WRITE_TO_BINLOG", "LOCAL"))
    if not c or c.at(","):
        return [PartitionChange(DdlKind.REORGANIZE_PARTITION, schema, table)]
    names = tuple(_names(c))
    c.need("INTO")
    return [PartitionChange(DdlKind.REORGANIZE_PARTITION, schema, table, names, _partitions(c))]


def _exchange(c: Cursor, schema: str | None, table: str, default_schema: str | None) -> Change:
    c.need("PARTITION")
    name = c.name()
    c.need("WITH", "TABLE")
    counterpart = c.table(default_schema)
    _ = c.take("WITH", "VALIDATION") or c.take("WITHOUT", "VALIDATION")
    return PartitionChange(DdlKind.EXCHANGE_PARTITION, schema, table, (name,), counterpart=counterpart)


def _coalesce(c: Cursor, schema: str | None, table: str) -> list[Change]:
    c.need("PARTITION")
    c.take_any(("NO_WRITE_TO_BINLOG", "LOCAL"))
    return [PartitionChange(DdlKind.COALESCE_PARTITION, schema, table, count=c.number())]


def _remove(c: Cursor, schema: str | None, table: str) -> list[Change]:
    if c.take("TTL"):
        return [Change(DdlKind.TABLE_TTL, schema, table)]
    c.need("PARTITIONING")
    return [PartitionChange(DdlKind.REMOVE_PARTITIONING, schema, table)]


def _partition_option(c: Cursor, schema: str | None, table: str) -> list[Change]:
    _skip_action(c)
    return [Change(DdlKind.PARTITION_OPTION, schema, table)]


def _order(c: Cursor, schema: str | None, table: str) -> list[Change]:
    """ORDER BY has commas between its columns too; these are in backquotes, as TiDB restores them, actions are not."""
    c.need("BY")
    _column_name(c)
    c.take_any(("ASC", "DESC"))
    while c.at(",", ""):
        c.skip()
        _column_name(c)
        c.take_any(("ASC", "DESC"))
    return [Change(DdlKind.TABLE_OPTION, schema, table)]


def _validation(c: Cursor, schema: str | None, table: str) -> list[Change]:
    c.need("VALIDATION")
    return [Change(DdlKind.TABLE_OPTION, schema, table)]


_Action = Callable[[Cursor, str | None, str], list[Change]]
_ACTIONS: dict[str, _Action] = {
    "ADD": _add,
    "DROP": _drop_action,
    "MODIFY": _modify,
    "CHANGE": _change,
    "ALTER": _alter_action,
    "CONVERT": _convert,
    "TRUNCATE": _truncate_action,
    "REORGANIZE": _reorganize,
    "COALESCE": _coalesce,
    "REMOVE": _remove,
    "ORDER": _order,
    "WITH": _validation,
    "WITHOUT": _validation,
    **dict.fromkeys(("REBUILD", "OPTIMIZE", "REPAIR", "ANALYZE", "CHECK"), _partition_option),
}
_TABLE_OPTIONS = """
    AFFINITY ALGORITHM ATTRIBUTES AUTOEXTEND_SIZE AUTO_ID_CACHE AUTO_INCREMENT AUTO_RANDOM_BASE AVG_ROW_LENGTH CACHE
    CHECKSUM COMPACT COMPRESSION CONNECTION DELAY_KEY_WRITE DISABLE ENABLE ENCRYPTION ENGINE ENGINE_ATTRIBUTE FORCE
    INSERT_METHOD KEY_BLOCK_SIZE LOCK MAX_ROWS MIN_ROWS MODE NOCACHE PACK_KEYS PLACEMENT PRE_SPLIT_REGIONS
    ROW_FORMAT SECONDARY_ENGINE SECONDARY_ENGINE_ATTRIBUTE SECONDARY_LOAD SECONDARY_UNLOAD SET SHARD_ROW_ID_BITS
    STATS_AUTO_RECALC STATS_BUCKETS STATS_COL_CHOICE STATS_COL_LIST STATS_OPTIONS STATS_PERSISTENT STATS_SAMPLE_PAGES
    STATS_SAMPLE_RATE STATS_TOPN UNION
"""
_OPTIONS = {
    **dict.fromkeys(_TABLE_OPTIONS.split(), DdlKind.TABLE_OPTION),
    **dict.fromkeys(("DEFAULT", "CHARACTER", "CHARSET", "CHAR", "COLLATE"), DdlKind.TABLE_CHARSET),
    **dict.fromkeys(("TTL", "TTL_ENABLE", "TTL_JOB_INTERVAL"), DdlKind.TABLE_TTL),
    "COMMENT": DdlKind.TABLE_COMMENT,
    "PARTITION": DdlKind.PARTITION_OPTION,
}


# Other statements


def _drop(c: Cursor, schema: str | None) -> list[Change]:
    c.take_any(("TEMPORARY", "GLOBAL"))
    c.take("TEMPORARY")
    if c.take("DATABASE") or c.take("SCHEMA"):
        c.take("IF", "EXISTS")
        return [Change(DdlKind.DROP_DATABASE, c.name(), None)]
    if c.take("INDEX"):
        c.take("IF", "EXISTS")
        name = c.name()
        c.need("ON")
        table = c.table(schema)
        _skip_rest(c)
        return [Named(_drop_kind(DdlKind.DROP_INDEX, name), *table, name)]
    kinds = {
        "TABLE": DdlKind.DROP_TABLE,
        "TABLES": DdlKind.DROP_TABLE,
        "VIEW": DdlKind.DROP_VIEW,
        "SEQUENCE": DdlKind.DROP_SEQUENCE,
    }
    found = c.take_any(kinds)
    if found is None:
        return _other(c, schema)
    c.take("IF", "EXISTS")
    changes: list[Change] = [Change(kinds[found], *c.table(schema))]
    while c.take(","):
        changes.append(Change(kinds[found], *c.table(schema)))
    c.take_any(("RESTRICT", "CASCADE"))
    return changes


def _truncate(c: Cursor, schema: str | None) -> list[Change]:
    c.take("TABLE")
    return [Change(DdlKind.TRUNCATE_TABLE, *c.table(schema))]


def _rename(c: Cursor, schema: str | None) -> list[Change]:
    if not (c.take("TABLE") or c.take("TABLES")):
        return _other(c, schema)
    changes: list[Change] = []
    while not changes or c.take(","):
        table = c.table(None)
        c.need("TO")
        changes.append(_renamed(table, c.table(None), schema))
    return changes


def _recover(c: Cursor, schema: str | None) -> list[Change]:
    c.need("TABLE")
    if c.take("BY", "JOB"):
        c.number()
        return [Recover(DdlKind.RECOVER_TABLE, schema, None)]
    table = c.table(schema)
    c.literal()
    return [Recover(DdlKind.RECOVER_TABLE, *table)]


def _flashback(c: Cursor, schema: str | None) -> list[Change]:
    kind = c.take_any(("TABLE", "DATABASE", "SCHEMA", "CLUSTER"))
    if kind == "TABLE":
        table = c.table(schema)
        if not c.at(",") and not _to_moment(c):
            return [Recover(DdlKind.RECOVER_TABLE, *table, c.name() if c.take("TO") else None)]
    elif kind in ("DATABASE", "SCHEMA"):
        name = c.name()
        if not _to_moment(c):
            return [Recover(DdlKind.RECOVER_DATABASE, name, None, c.name() if c.take("TO") else None)]
    elif kind is None:
        raise c.error("TABLE, DATABASE or CLUSTER")
    _skip_rest(c)
    return [Change(DdlKind.FLASHBACK_CLUSTER, None, None)]


def _to_moment(c: Cursor) -> bool:
    return c.at("TO", "TIMESTAMP") or c.at("TO", "TSO")


def _other(c: Cursor, schema: str | None) -> list[Change]:
    _skip_rest(c)
    return [Change(DdlKind.OTHER, schema, None)]


def _skip_rest(c: Cursor) -> None:
    while c:
        c.skip()


def _skip_action(c: Cursor) -> None:
    while not _at_end(c):
        c.skip()


def _at_end(c: Cursor) -> bool:
    """Whether an action, or a definition in a list, is over: how a table is partitioned follows without a comma."""
    return not c or c.word in (",", ")") or _at_partitioning(c)


def _at_partitioning(c: Cursor) -> bool:
    return c.at("PARTITION", "BY") or c.at("REMOVE", "PARTITIONING") or c.at("REORGANIZE", "PARTITION")


_STATEMENTS: dict[str, Callable[[Cursor, str | None], list[Change]]] = {
    "CREATE": _create,
    "ALTER": _alter,
    "DROP": _drop,
    "TRUNCATE": _truncate,
    "RENAME": _rename,
    "RECOVER": _recover,
    "FLASHBACK": _flashback,
    **dict.fromkeys(("ADMIN", "ANALYZE", "GRANT", "LOCK", "REFRESH", "REPAIR", "REVOKE", "SET", "UNLOCK"), _other),
}
