"""A small TiDB with its changefeed: tables with indexes of every kind, DDL, rows, and the messages of each protocol.

What it knows of keys is its own, written after TiDB's and TiCDC's behaviour (protocol facts 2): tests compare the
package with it.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from support import avro, debezium, debezium_avro, messages, open_protocol, simple
from support.replay import Placed
from ticdc_udfs.catalogue.tables import ExportedColumn
from ticdc_udfs.contract import arrow
from ticdc_udfs.protocols import avro as avro_decoder
from ticdc_udfs.protocols import canal_json as canal_decoder
from ticdc_udfs.protocols import debezium as debezium_decoder
from ticdc_udfs.protocols import debezium_avro as debezium_avro_decoder
from ticdc_udfs.protocols import open_protocol as open_decoder
from ticdc_udfs.protocols import simple as simple_decoder

STEP = 1 << 18
DECODERS: Mapping[str, arrow.Decode] = {
    "avro": avro_decoder.decode,
    "canal_json": canal_decoder.decode,
    "debezium": debezium_decoder.decode,
    "debezium_avro": debezium_avro_decoder.decode,
    "open_protocol": open_decoder.decode,
    "simple": simple_decoder.decode,
}
Value = int | str | None
Row = dict[int, Value]
"""A row by the ids of its columns."""


class Kind(NamedTuple):
    """A type in SQL, and what the protocols call it."""

    sql: str
    word: str
    code: int
    length: int
    connect: str
    avro: str


INT = Kind("INT", "int", 3, 11, "int32", "int")
BIGINT = Kind("BIGINT", "bigint", 8, 20, "int64", "long")
VARCHAR = Kind("VARCHAR(20)", "varchar", 15, 20, "string", "string")
SHORT = Kind("VARCHAR(12)", "varchar", 15, 12, "string", "string")


@dataclass
class Column:
    """A column; `of` is the id of the column that a virtual one shows."""

    id: int
    name: str
    kind: Kind
    nullable: bool = True
    auto: bool = False
    of: int | None = None

    @property
    def sql(self) -> str:
        """The column's definition."""
        words = [f"`{self.name}` {self.kind.sql}"]
        words += ["AUTO_INCREMENT"] if self.auto else []
        words += ["NOT NULL"] if not self.nullable and not self.auto else []
        return " ".join(words)


@dataclass
class Index:
    """An index: ids of columns; `expression`: of the value of one column, `prefix`: of its first letters.

    `partial` is the id of a column: of the rows alone that have 1 there.
    """

    number: int
    name: str
    columns: list[int]
    unique: bool = True
    primary: bool = False
    expression: bool = False
    prefix: bool = False
    partial: int | None = None


@dataclass
class Table:
    """A table as TiDB has it now."""

    name: str
    columns: list[Column]
    indexes: list[Index]
    clustered: bool = False
    partitioned: bool = False
    rows: list[Row] = field(default_factory=list)
    next_index: int = 1
    next_column: int = 1

    def column(self, id: int) -> Column:
        """The column of that id."""
        return next(column for column in self.columns if column.id == id)

    @property
    def sent(self) -> list[Column]:
        """The columns that are in messages."""
        return [column for column in self.columns if column.of is None]

    def primary(self) -> Index | None:
        """The primary key."""
        return next((index for index in self.indexes if index.primary), None)

    def handle(self, classic: bool) -> list[Column]:
        """The columns of the index that TiCDC takes for the handle key, in table order."""
        taken = self.taken(classic)
        return [column for column in self.columns if taken is not None and column.id in taken.columns]

    def taken(self, classic: bool) -> Index | None:
        """What TiCDC takes: the classic architecture leaves out indexes with virtual columns."""
        taken = self.primary()
        for index in self.indexes:
            parts = [self.column(id) for id in index.columns]
            virtual = any(part.of is not None for part in parts)
            if self.primary() or not index.unique or index.expression or (classic and virtual):
                continue
            if any(part.nullable for part in parts):
                continue
            if taken is None or (len(index.columns), index.number) < (len(taken.columns), taken.number):
                taken = index
        return taken

    def takes(self, row: Row, instead: Row | None = None) -> bool:
        """Whether no constraint forbids a row, that goes in the place of another one."""
        if any(row[column.id] is None and not column.nullable for column in self.sent):
            return False
        others = [other for other in self.rows if other is not instead]
        for index in self.indexes:
            key = self._entry(index, row)
            if index.unique and key is not None and any(self._entry(index, other) == key for other in others):
                return False
        return True

    def _entry(self, index: Index, row: Row) -> tuple[Value, ...] | None:
        if index.partial is not None and row[index.partial] != 1:
            return None
        values = []
        for id in index.columns:
            column = self.column(id)
            value = row[id if column.of is None else column.of]
            values.append(value[:3] if index.prefix and isinstance(value, str) else value)
        return None if None in values else tuple(values)

    def definition(self, index: Index) -> str:
        """The index as CREATE TABLE and ALTER TABLE have it."""
        names = [f"`{self.column(id).name}`" for id in index.columns]
        if index.expression:
            names = [f"(LOWER({name}))" for name in names]
        if index.prefix:
            names = [
                f"{name}(3)" if self.column(id).kind.word == "varchar" else name
                for name, id in zip(names, index.columns, strict=True)
            ]
        parts = ",".join(names)
        if index.primary:
            return f"PRIMARY KEY ({parts}) {'CLUSTERED' if self.clustered else 'NONCLUSTERED'}"
        where = "" if index.partial is None else f" WHERE `{self.column(index.partial).name}` = 1"
        return f"{'UNIQUE ' if index.unique else ''}KEY `{index.name}` ({parts}){where}"


class Snapshot(NamedTuple):
    """A table after a commit."""

    commit_ts: int
    name: str
    rows: list[dict[str, str | None]]
    is_of_insert: bool


class Upstream:
    """One table and its changefeed. `classic`: the older architecture, whose open protocol sorts columns by name."""

    def __init__(
        self, protocol: str, table: Table, *, classic: bool = False, raw: bool = False, keys_only: bool = False
    ) -> None:
        self.protocol, self.table = protocol, table
        self.classic, self.raw, self.keys_only = classic, raw, keys_only
        self.commit_ts = messages.COMMIT_TS
        self.version = self.commit_ts
        self.sent: list[tuple[int, bytes | None, bytes | None, tuple[str | None, ...]]] = []
        self.snapshots: list[Snapshot] = []
        self.stale: dict[int, int] | None = None
        self.told_versions: set[tuple[str, int]] = set()

    def begin_anew(self) -> int:
        """A changefeed begins now; gives the number of messages before it."""
        self.snapshots.clear()
        self.told_versions.clear()
        return len(self.sent)

    # DDL

    def create(self) -> None:
        """The table comes to be, without rows."""
        table = self.table
        parts = [
            column.sql
            if column.of is None
            else f"`{column.name}` {column.kind.sql} GENERATED ALWAYS AS (`{table.column(column.of).name}`) VIRTUAL"
            + ("" if column.nullable else " NOT NULL")
            for column in table.columns
        ]
        parts += [table.definition(index) for index in table.indexes]
        partition = f" PARTITION BY HASH (`{table.sent[-1].name}`) PARTITIONS 2" if table.partitioned else ""
        self.ddl(f"CREATE TABLE `{table.name}` ({','.join(parts)}){partition}", "CREATE", 3)

    def ddl(self, sql: str, word: str = "ALTER", action: int = 5) -> None:
        """A DDL whose effect the table has already."""
        self.commit_ts += STEP
        self.version = self.commit_ts - 1
        if not self.table.partitioned:
            self.stale = None
        table, name = self.table, self.table.name
        match self.protocol:
            case "canal_json":
                members = {"table": name, "es": self.commit_ts >> 18, "_tidb": {"commitTs": self.commit_ts}}
                self._send(messages.to_bytes(messages.ddl_message(sql, word, **members)))
            case "open_protocol":
                key = {"ts": self.commit_ts, "scm": "shop", "tbl": name, "t": 2}
                self._send_pair(*open_protocol.message((key, {"q": sql, "t": action})))
            case "simple":
                self._send(simple.to_json(simple.ddl_message(sql, word, self._schema(), commitTs=self.commit_ts)))
                self.told_versions.add((name, self.version))
            case "debezium":
                columns = [
                    debezium.column(c.name, c.kind.word.upper(), c.kind.length, optional=c.nullable)
                    for c in table.columns
                ]
                change = debezium.change(columns, self._implicit(), id=f'"shop"."{name}"', type=word)
                wire = debezium.ddl_message(sql, [change], table=name, commit_ts=self.commit_ts)
                self._send(debezium.to_bytes(wire), debezium.to_bytes({"payload": {"databaseName": "shop"}}))
        self._note()

    def _implicit(self) -> list[str]:
        """What encoders take for the primary key of a table: else its first UNIQUE index without NULL."""
        found = self.table.primary()
        for index in self.table.indexes:
            parts = [self.table.column(id) for id in index.columns]
            if found is None and index.unique and not index.expression and not any(part.nullable for part in parts):
                found = index
        return [] if found is None else [self.table.column(id).name for id in found.columns]

    def _schema(self) -> dict[str, Any]:
        table = self.table
        columns = [simple.column(c.name, c.kind.word, nullable=c.nullable, length=c.kind.length) for c in table.columns]
        indexes = []
        for index in table.indexes:
            if index.primary and table.clustered and len(index.columns) == 1:
                continue
            names = [table.column(id).name for id in index.columns]
            nullable = any(table.column(id).nullable for id in index.columns)
            if index.expression:
                names = [f"_V$_{index.name}_{place}" for place in range(len(names))]
                columns += [simple.column(name, "varchar", length=20) for name in names]
                nullable = True
            name = "PRIMARY" if index.primary else index.name
            indexes.append(
                {
                    "name": name,
                    "unique": index.unique,
                    "primary": index.primary,
                    "nullable": nullable,
                    "columns": names,
                }
            )
        if not any(index["primary"] for index in indexes) and self._implicit():
            indexes.append(simple.index(*self._implicit(), primary=True))
        return simple.schema_of(columns, indexes, table=table.name, version=self.version)

    # Rows

    def insert(self, row: Row) -> None:
        """A row comes."""
        self.commit_ts += STEP
        self.table.rows.append(row)
        self._row("insert", None, row)
        self._note(is_of_insert=True)

    def delete(self, row: Row) -> None:
        """A row goes."""
        self.commit_ts += STEP
        self.table.rows[:] = [other for other in self.table.rows if other is not row]
        self._row("delete", row, None)
        self._note()

    def update(self, row: Row, changed: Mapping[int, Value]) -> None:
        """A row changes: where a unique column does, it goes and comes, but for raw changes."""
        self.commit_ts += STEP
        old = dict(row)
        row.update(changed)
        unique = {id for index in self.table.indexes if index.unique and not index.expression for id in index.columns}
        sources = unique | {column.of for column in self.table.columns if column.id in unique and column.of is not None}
        if not self.raw and any(old[id] != row[id] for id in sources if id in row):
            self._row("delete", old, None)
            self._row("insert", None, row)
        else:
            self._row("update", old, row)
        self._note()

    def _row(self, op: str, old: Row | None, new: Row | None) -> None:
        if self.protocol == "avro" and self.table.primary() is None:
            return
        row = new if new is not None else old
        assert row is not None
        send = getattr(self, f"_{self.protocol}")
        taken, handle = self.table.taken(self.classic), self.table.handle(self.classic)
        # no message tells which row a key means that several rows have
        is_key = taken is not None and taken.partial is None and all(column.of is None for column in handle)
        send(op, old, new, handle if self.keys_only and op == "delete" and is_key else self.table.sent)

    def _canal_json(self, op: str, old: Row | None, new: Row | None, columns: Sequence[Column]) -> None:
        data = _texts(columns, new if new is not None else old)
        primary = self.table.primary()
        message = messages.row_message(
            data,
            {column.name: column.kind.word for column in columns},
            type=op.upper(),
            old=[_texts(columns, old)] if op == "update" else None,
            key=[column.name for column in self.table.columns if primary and column.id in primary.columns],
            tidb={"commitTs": self.commit_ts},
            table=self.table.name,
            es=self.commit_ts >> 18,
        )
        self._send(messages.to_bytes(message))

    def _open_protocol(self, op: str, old: Row | None, new: Row | None, columns: Sequence[Column]) -> None:
        table = self.table
        handle = {column.id for column in table.handle(self.classic)}
        primary = table.primary()
        flags = {
            column.id: open_protocol.NULLABLE * column.nullable
            | open_protocol.PRIMARY * bool(primary and column.id in primary.columns)
            | open_protocol.UNIQUE * any(index.unique and column.id in index.columns for index in table.indexes)
            for column in table.columns
        }
        if table.partitioned:
            self.stale = flags = self.stale or flags
        if self.classic:
            columns = sorted(columns, key=lambda column: column.name)

        def cells(row: Row) -> dict[str, Any]:
            return {
                column.name: {
                    "t": column.kind.code,
                    **({"h": True} if column.id in handle else {}),
                    "f": flags.get(column.id, 0),
                    "v": row[column.id],
                }
                for column in columns
            }

        body: dict[str, Any] = {"d": cells(old)} if new is None and old is not None else {}
        if new is not None:
            body = {"u": cells(new), **({} if old is None else {"p": cells(old)})}
        key = open_protocol.row_key(ts=self.commit_ts, tbl=table.name, ptn=7 if table.partitioned else None)
        self._send_pair(*open_protocol.message((key, body)))

    def _simple(self, op: str, old: Row | None, new: Row | None, columns: Sequence[Column]) -> None:
        if (self.table.name, self.version) not in self.told_versions:
            self._send(simple.to_json(simple.bootstrap_message(self._schema())))
            self.told_versions.add((self.table.name, self.version))
        message = simple.row_message(
            None if new is None else _texts(self.table.sent, new),
            type=op.upper(),
            old=None if old is None else _texts(self.table.sent, old),
            table=self.table.name,
            commitTs=self.commit_ts,
            schemaVersion=self.version,
        )
        self._send(simple.to_json(message))

    def _debezium(self, op: str, old: Row | None, new: Row | None, columns: Sequence[Column]) -> None:
        table = self.table
        fields = [
            {
                "tidb_type": column.kind.word,
                "type": column.kind.connect,
                "optional": column.nullable,
                "field": column.name,
            }
            for column in table.columns
        ]

        def image(row: Row | None) -> dict[str, Value] | None:
            return None if row is None else {column.name: row[column.id] for column in table.sent}

        handle = table.handle(self.classic)
        row = new if new is not None else old or {}
        key = {column.name: row.get(column.id) for column in handle}
        members = {"source": debezium.source(table=table.name, commit_ts=self.commit_ts)}
        wire = debezium.row_message(image(new), fields, op=op[0].replace("i", "c"), before=image(old), **members)
        self._send(debezium.to_bytes(wire), debezium.to_bytes(debezium.key_message(key, fields)))

    def _debezium_avro(self, op: str, old: Row | None, new: Row | None, columns: Sequence[Column]) -> None:
        table = self.table

        def fields(columns: Iterable[Column]) -> list[dict[str, Any]]:
            return [debezium_avro.column(c.name, c.kind.avro, c.kind.word, _in_avro(c.name)) for c in columns]

        def values(columns: Iterable[Column], row: Row | None) -> dict[str, Value] | None:
            return None if row is None else {_in_avro(column.name): row.get(column.id) for column in columns}

        handle = table.handle(self.classic)
        key_schema = avro.record(*fields(handle), name=f"{table.name}Key", namespace="c.shop")
        schema = debezium_avro.envelope(*fields(table.sent), name=table.name)
        source = {"table": table.name, "commit_ts": self.commit_ts}
        wire = debezium_avro.wire(op[0].replace("i", "c"), values(table.sent, old), values(table.sent, new), **source)
        key = avro.message(key_schema, values(handle, new if new is not None else old) or {})
        self._send_pair(key, avro.message(schema, wire), json.dumps(key_schema), json.dumps(schema))

    def _avro(self, op: str, old: Row | None, new: Row | None, columns: Sequence[Column]) -> None:
        table, primary = self.table, self.table.primary()
        assert primary is not None

        def record(columns: Iterable[Column], *more: Any) -> dict[str, Any]:
            fields = [
                avro.column(_in_avro(c.name), c.kind.avro, c.kind.word.upper(), nullable=c.nullable or c.of is not None)
                for c in columns
            ]
            return avro.record(*fields, *more, name=table.name)

        def values(columns: Iterable[Column], row: Row) -> dict[str, Value]:
            return {_in_avro(c.name): row.get(c.id) for c in columns}

        shown = list(table.sent if self.classic else table.columns)
        for index in table.indexes if not self.classic else ():
            if index.expression:
                hidden = (Column(0, f"_V__{index.name}_{place}", VARCHAR) for place in range(len(index.columns)))
                shown += hidden
        key_columns = [column for column in table.columns if column.id in primary.columns]
        key_schema = record(key_columns)
        key = avro.message(key_schema, values(key_columns, new if new is not None else old or {}))
        if new is None:
            self._send_pair(key, None, json.dumps(key_schema), None)
            return
        schema = record(shown, *avro.EXTENSION)
        more = {**avro.extension("c" if op == "insert" else "u"), "_tidb_commit_ts": self.commit_ts}
        value = avro.message(schema, {**values(shown, new), **more})
        self._send_pair(key, value, json.dumps(key_schema), json.dumps(schema))

    def _send(self, value: bytes, key: bytes | None = None) -> None:
        self.sent.append((self.commit_ts, key, value, ()))

    def _send_pair(self, key: bytes | None, value: bytes | None, *schemas: str | None) -> None:
        self.sent.append((self.commit_ts, key, value, schemas))

    def _note(self, *, is_of_insert: bool = False) -> None:
        table = self.table
        rows = [_texts(table.sent, row) for row in table.rows]
        self.snapshots.append(Snapshot(self.commit_ts, table.name, copy.deepcopy(rows), is_of_insert))

    def placed(self, first: int = 0) -> list[Placed]:
        """The events of the messages from one on; a deletion in Avro has the commit of its place."""
        return [
            Placed(event._replace(commit_ts=commit_ts) if event.kind == "row" else event, 0, offset)
            for offset, (commit_ts, key, value, schemas) in enumerate(self.sent)
            if offset >= first
            for event in arrow.decode_message(DECODERS[self.protocol], key, value, "{}", *schemas)
        ]

    def export(self) -> list[ExportedColumn]:
        """The table in `information_schema.columns`, as of now."""
        table = self.table
        found = []
        for place, column in enumerate(table.columns, start=1):
            led = [index for index in table.indexes if index.columns[0] == column.id and not index.expression]
            word = "MUL" if led else ""
            if any(index.unique and len(index.columns) == 1 and not index.prefix for index in led):
                word = "UNI"
            if any(index.primary and column.id in index.columns for index in table.indexes):
                word = "PRI"
            found.append(
                ExportedColumn(
                    "shop",
                    table.name,
                    column.name,
                    place,
                    column.kind.sql.lower(),
                    column.nullable,
                    None,
                    word,
                    "VIRTUAL GENERATED" if column.of is not None else "auto_increment" if column.auto else "",
                )
            )
        return found


def _texts(columns: Iterable[Column], row: Row | None) -> dict[str, str | None]:
    return {column.name: None if row is None or row[column.id] is None else str(row[column.id]) for column in columns}


def _in_avro(name: str) -> str:
    return name.replace("$", "_")
