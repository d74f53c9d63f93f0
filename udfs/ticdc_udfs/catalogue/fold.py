"""A feed's DDL in order becomes table versions: which table bore which name, with which columns, when."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

import msgspec
from sqlglot import TokenType

from ticdc_udfs.catalogue import changes as do
from ticdc_udfs.catalogue.changes import Change, DdlKind, Partitioning
from ticdc_udfs.catalogue.column_types import (
    Default,
    computed_default,
    default_in,
    default_of,
    is_text,
    is_zoned,
    moment,
    zero_value,
)
from ticdc_udfs.catalogue.ddl import statements
from ticdc_udfs.catalogue.partitions import is_readable
from ticdc_udfs.catalogue.renames import Step, moves
from ticdc_udfs.catalogue.tables import (
    TIDB_CHARSET,
    Column,
    ExportedColumn,
    Identity,
    Key,
    Origin,
    PartitionRange,
    Table,
    WireColumn,
    changed_partitions,
    charset_of,
    defined,
    from_export,
    key_of,
    moved,
    partition_ranges,
    regrouped_partitions,
    same,
    same_name,
    table_id_of,
    told_key,
    wire_columns,
    with_column,
    with_indexes,
    with_key_of_ddl,
    with_told_key,
    with_told_names,
    with_told_nulls,
    with_told_types,
    with_told_values,
    with_wire,
    with_wire_of_later,
    without_column,
)
from ticdc_udfs.contract.identifiers import quoted


class DdlEvent(msgspec.Struct, frozen=True):
    """A DDL message, or a message that bears a table's schema alone (no `ddl_query`), or of a row that shows its table.

    With the `ddl_type` `initial_load` it is no message: the table's rows are those of an export as of the commit.
    `table_schema` is the text of `schemas.TableSchema`: the columns after the DDL. `physical_table_id` is TiDB's id of
    the table after it, of DROP TABLE that of the table dropped. A schema that no row bears has the commit 0. In JSON
    members that are null may be left out, as Spark's `to_json` does.
    """

    commit_ts: int
    schema_name: str | None = None
    table_name: str | None = None
    ddl_query: str | None = None
    ddl_type: str | None = None
    table_schema: str | None = None
    physical_table_id: int | None = None


class ProblemCode(StrEnum):
    """What a DDL could not be turned into."""

    UNREADABLE_DDL = "unreadable_ddl"
    UNKNOWN_TABLE = "unknown_table"
    UNKNOWN_COLUMN = "unknown_column"
    UNKNOWN_PARTITION = "unknown_partition"
    NOTHING_TO_RECOVER = "nothing_to_recover"
    UNSURE_RECOVERY = "unsure_recovery"
    MISSING_DDL = "missing_ddl"
    ROWS_LOST = "rows_lost"
    KEY_DIFFERS = "key_differs"
    KEY_NOT_UNIQUE = "key_not_unique"
    KEY_UNKNOWN = "key_unknown"
    SCHEMA_DIFFERS = "schema_differs"
    DEFAULT_NOT_CONSTANT = "default_not_constant"
    DEFAULT_IN_SESSION_ZONE = "default_in_session_zone"
    ROWS_FROM_QUERY = "rows_from_query"
    FLASHBACK_OF_ROWS = "flashback_of_rows"


class TableVersion(NamedTuple):
    """A table from one DDL to the next: rows with `valid_from_ts` < commit_ts ≤ `valid_to_ts` (None: no end) are its.

    `table_id` is the table's lineage: the name and commit it was first created with. `incarnation` counts its CREATE,
    TRUNCATE and DROP + CREATE. Both together name a set of rows, whatever the table is called. `incarnation_ts` is the
    commit at which that set began, 0 where it was not seen. `columns` is empty where nothing tells them. `started_by`
    is None for a version that was there before the first message. With `keys_rows` rows get their keys by the version,
    also those whose messages name one.
    """

    table_id: str
    incarnation: int
    incarnation_ts: int
    schema_name: str
    table_name: str
    valid_from_ts: int
    valid_to_ts: int | None
    columns: tuple[Column, ...]
    partitioning: Partitioning | None
    started_by: str | None
    ended_by: str | None
    origin: Origin
    keys_rows: bool = False


class Effect(NamedTuple):
    """A partition DDL that changes rows without sending them: DROP, TRUNCATE and EXCHANGE PARTITION.

    `partitioning` is the table's before the DDL, `partitions` what the DDL names of it (empty where unknown).
    `physical_id` is TiDB's id of the whole table, where messages tell it. `regrouped` has, by name in lower case, the
    last commit at which a DDL distributed the rows of a partition again, by their values.
    """

    commit_ts: int
    kind: DdlKind
    table_id: str
    incarnation: int
    schema_name: str
    table_name: str
    partition_names: tuple[str, ...]
    partitions: tuple[PartitionRange, ...]
    partitioning: Partitioning | None
    physical_id: int | None = None
    regrouped: tuple[tuple[str, int], ...] = ()
    counterpart_table_id: str | None = None
    counterpart_incarnation: int | None = None
    counterpart_schema_name: str | None = None
    counterpart_table_name: str | None = None


class Problem(NamedTuple):
    """What cannot be derived from the messages."""

    commit_ts: int
    schema_name: str | None
    table_name: str | None
    code: ProblemCode
    detail: str


class Fold(NamedTuple):
    """Versions by table lineage and time, effects and problems in order of commit."""

    versions: tuple[TableVersion, ...]
    effects: tuple[Effect, ...]
    problems: tuple[Problem, ...]


def fold(events: Iterable[DdlEvent], export: Iterable[ExportedColumn] = (), protocol: str = "") -> Fold:
    """Folds a feed's DDL, given in order of arrival, into table versions.

    Copies of a DDL (same commit, table and changes) count once: after an upgrade of TiCDC a replay may have another
    text. Tables that no DDL creates have the columns of the first message that bears their schema, else of the export,
    from commit 0. Events without DDL stand before a DDL of the same commit, as rows do, and an export after it.
    Messages of one commit that rename a table each are steps of one statement, in any order. Debezium sends no RECOVER
    and FLASHBACK, and its rows tell no virtual generated columns.
    """
    state = _Catalogue(export, protocol)
    seen: set[Hashable] = set()
    ordered = sorted(events, key=lambda event: (event.commit_ts, _is_load(event), bool(event.ddl_query)))
    for _, of_commit in groupby(ordered, key=attrgetter("commit_ts")):
        once = []
        for event in of_commit:
            if event.ddl_query:
                copy = (event.commit_ts, event.schema_name, event.table_name, _changes(event.ddl_query, event))
                if copy in seen:
                    continue
                seen.add(copy)
            once.append(event)
        state.apply_all(once)
    return state.finish()


def _is_load(event: DdlEvent) -> bool:
    return event.ddl_type == DdlKind.INITIAL_LOAD


def _renames(event: DdlEvent) -> Sequence[do.RenameTable]:
    """The steps of a text that does nothing but rename tables."""
    read = statements(event.ddl_query, event.schema_name) if event.ddl_query else ()
    steps = [change for change in read if isinstance(change, do.RenameTable)]
    return steps if len(steps) == len(read) else ()


def _read(query: str, event: DdlEvent) -> tuple[Change, ...]:
    """The changes that a message is for: classic TiCDC before 6.1 sends a DROP of several tables whole for each."""
    read = statements(query, event.schema_name)
    if len(read) < 2 or any(change.kind is not DdlKind.DROP_TABLE for change in read):
        return read
    named = key_of(event.schema_name, event.table_name)
    return tuple(change for change in read if key_of(change.schema, change.table) == named)[:1] or read


def _changes(query: str, event: DdlEvent) -> Hashable:
    read = _read(query, event)
    return query if any(isinstance(change, do.NotRead) for change in read) else read


def _mentioned(change: Change) -> Iterable[str]:
    """The columns, or indexes, that a change names, in lower case."""
    match change:
        case do.SetColumn():
            return {(change.name or "").lower(), change.column.name.lower()}
        case do.Named():
            return {change.name.lower(), (change.to or "").lower()}
    return ()


def _named(schema: str, name: str) -> str:
    return f"{quoted(schema)}.{quoted(name)}"


# State


class _Open(NamedTuple):
    table: Table
    from_ts: int
    started_by: DdlKind | None


class _Dropped(NamedTuple):
    table: Table
    commit_ts: int
    kind: DdlKind


class _Rename(NamedTuple):
    schema: str
    name: str
    to_schema: str
    to_name: str
    columns: tuple[str, ...]

    @property
    def keys(self) -> tuple[Key, Key]:
        """What both names are compared by."""
        return key_of(self.schema, self.name), key_of(self.to_schema, self.to_name)


_NEED_COLUMNS = frozenset(
    {
        DdlKind.ADD_COLUMN,
        DdlKind.DROP_COLUMN,
        DdlKind.MODIFY_COLUMN,
        DdlKind.RENAME_COLUMN,
        DdlKind.SET_DEFAULT,
        DdlKind.ADD_PRIMARY_KEY,
    }
)


@dataclass
class _Catalogue:
    """All tables as of one commit, the versions that have ended, and what is told before its time.

    `told` are tables known from schemas without DDL alone, with the commit of the first row; 0: none bears the schema.
    `told_by_rows` are those whose virtual generated columns no message told. `sends_ddl` tells that there was a DDL
    already. `ids` are TiDB's ids, as far as messages tell them. `odd` are columns that rows of the commit bear and
    their tables lacked, `missed` those that they lack now; `borne` are the ids of those that rows of a table bore.
    `views` are the names of views and sequences, which DDL of tables may be of. `regrouped` is that of `Effect`.
    Of the DDL of now, `wire` are the columns in its message and `mentioned` those in its text, in lower case.
    """

    exported: Iterable[ExportedColumn]
    protocol: str = ""
    live: dict[Key, Table] = field(default_factory=dict)
    open: dict[Identity, _Open] = field(default_factory=dict)
    touched: dict[Identity, Table | None] = field(default_factory=dict)
    dropped: dict[Key, list[_Dropped]] = field(default_factory=lambda: defaultdict(list))
    incarnations: dict[str, int] = field(default_factory=dict)
    collations: dict[str, tuple[str, str]] = field(default_factory=dict)
    told: dict[Identity, int] = field(default_factory=dict)
    told_by_rows: set[Identity] = field(default_factory=set)
    sends_ddl: bool = False
    of_export: set[Identity] = field(default_factory=set)
    heard: set[Identity] = field(default_factory=set)
    named: set[Identity] = field(default_factory=set)
    ids: dict[Identity, int] = field(default_factory=dict)
    regrouped: dict[Identity, dict[str, int]] = field(default_factory=lambda: defaultdict(dict))
    known: set[Key] = field(default_factory=set)
    views: set[Key] = field(default_factory=set)
    gone: dict[Key, int] = field(default_factory=dict)
    told_defaults: dict[str, str] = field(default_factory=dict)
    versions: list[TableVersion] = field(default_factory=list)
    effects: list[Effect] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    odd: list[tuple[Key, Sequence[str]]] = field(default_factory=list)
    missed: list[tuple[Key, Sequence[str]]] = field(default_factory=list)
    borne: dict[Identity, set[int]] = field(default_factory=lambda: defaultdict(set))
    commit_ts: int = 0
    kind: DdlKind = DdlKind.OTHER
    wire: set[str] = field(default_factory=set)
    mentioned: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.is_debezium = self.protocol.startswith("debezium")
        self.export: dict[Key, list[ExportedColumn]] = defaultdict(list)
        for column in self.exported:
            self.export[key_of(column.schema_name, column.table_name)].append(column)

    # Events

    def apply_all(self, events: Sequence[DdlEvent]) -> None:
        """Applies the events of one commit; those that rename tables together."""
        steps = [event for event in events if len(_renames(event)) == 1]
        renamed = False
        for event in events:
            if len(steps) > 1 and event is steps[0]:
                renamed = self._apply_steps(steps)
            if not (renamed and len(_renames(event)) == 1):
                self.apply(event)
        has_ddl = any(event.ddl_query for event in events)
        for key, columns in self.odd:
            table = self.live.get(key)
            # where TSOs hold only milliseconds, the DDL that gave them may be of the row's own
            if table is not None and not (has_ddl and all(map(table.column, columns))):
                detail = f"rows have columns that no DDL added: {', '.join(columns)}"
                self._problem(ProblemCode.SCHEMA_DIFFERS, detail, table.schema, table.name)
        self.odd.clear()
        for key, columns in self.missed:
            table = self.live.get(key)
            if table is not None and all(map(table.column, columns)):
                detail = f"rows lack columns that no DDL dropped: {', '.join(columns)}"
                self._problem(ProblemCode.SCHEMA_DIFFERS, detail, table.schema, table.name)
        self.missed.clear()

    def _apply_steps(self, events: Sequence[DdlEvent]) -> bool:
        """Moves each table to where the steps lead it; False if they lead nowhere in any order."""
        self.commit_ts = events[0].commit_ts
        renames = [self._rename_of(change, event) for event in events for change in _renames(event)]
        finals = [key_of(event.schema_name, event.table_name) for event in events]
        for lost, final in self._lost_steps(renames, finals):
            renames.append(lost)
            finals.append(final)
        steps = [Step(*rename.keys, final) for rename, final in zip(renames, finals, strict=True)]
        found = moves(steps, self._exists)
        if found is None:
            return False
        self.kind = DdlKind.RENAME_TABLE
        self._rename(
            [
                renames[move.last]._replace(schema=renames[move.first].schema, name=renames[move.first].name)
                for move in found
            ]
        )
        for event in events:
            self._message(event, _renames(event))
        self._settle()
        return True

    def _lost_steps(self, renames: Sequence[_Rename], finals: Sequence[Key]) -> Iterator[tuple[_Rename, Key]]:
        """The step that did not come, if the others leave no doubt: it led a table away whose name one of them takes.

        Storage sinks write one schema file for the steps of a table (protocol facts 0.13). It led to the one name
        that a step leaves and that no table bore, and the message of that step tells the columns of that table.
        """
        left, taken = ({rename.keys[place] for rename in renames} for place in (0, 1))
        in_the_way = [table for key in taken - left if (table := self.live.get(key)) and not self._only_told(table)]
        from_nowhere = [
            (rename, final)
            for rename, final in zip(renames, finals, strict=True)
            if rename.keys[0] not in taken | self.known | self.views
        ]
        if len(in_the_way) == len(from_nowhere) == 1:
            (table,), ((after, final),) = in_the_way, from_nowhere
            if after.columns and after.columns == tuple(column.name for column in table.columns or ()):
                yield _Rename(table.schema, table.name, after.schema, after.name, after.columns), final

    def _exists(self, key: Key) -> bool | None:
        if key in self.views:
            return True
        table = self.live.get(key)
        if table is None or self._only_told(table):
            return False if table is None and key in self.known else None
        return True

    def apply(self, event: DdlEvent) -> None:
        """Applies one event."""
        self.commit_ts = event.commit_ts
        if _is_load(event):
            self.kind = DdlKind.INITIAL_LOAD
            self._load(event.schema_name or "", event.table_name or "")
        elif event.ddl_query:
            self.sends_ddl = True
            told = wire_columns(event.table_schema)
            self.told_defaults = {column.name.lower(): column.default for column in told if column.default is not None}
            read = _read(event.ddl_query, event)
            self.kind = read[0].kind if len({change.kind for change in read}) == 1 else DdlKind.MULTI_SCHEMA_CHANGE
            if self.kind is DdlKind.DROP_TABLE:
                self._note_id(event)
            self.wire = {column.name.lower() for column in wire_columns(event.table_schema)}
            self.mentioned = {name for change in read for name in _mentioned(change)}
            for change in read:
                self._change(change, event)
            self._message(event, read)
        elif event.table_schema:
            self._told(event)
        elif key_of(event.schema_name, event.table_name) in self.known:
            self._find(event.schema_name or "", event.table_name or "")
        self.wire, self.mentioned = set(), set()
        self._settle()

    def finish(self) -> Fold:
        """All versions, ended or not."""
        for key, columns in self.export.items():
            if key not in self.known and key not in self.views:
                self._unseen(columns[0].schema_name, columns[0].table_name)
        for identity in list(self.open):
            self._close(identity, None, None)
        self.versions.sort(key=lambda version: (version.table_id, version.incarnation, version.valid_from_ts))
        return Fold(tuple(self.versions), tuple(self.effects), tuple(self.problems))

    def _problem(self, code: ProblemCode, detail: str, schema: str | None, table: str | None) -> None:
        self.problems.append(Problem(self.commit_ts, schema, table, code, detail))

    def _message(self, event: DdlEvent, read: Sequence[Change]) -> None:
        """Takes what the message of a DDL tells of the table that it names, if its text changes that one."""
        readable = not isinstance(read[0], do.NotRead)
        touched = {key_of(*table) for change in read for table in change.tables}
        brings_back = any(isinstance(change, do.Recover) for change in read)
        if not readable or brings_back or key_of(event.schema_name, event.table_name) in touched:
            self._wire(event, readable)
            self._note_id(event)

    def _note_id(self, event: DdlEvent) -> None:
        table, number = self.live.get(key_of(event.schema_name, event.table_name)), event.physical_table_id or 0
        # of two steps that rename one table the first bears -1
        if table is not None and number > 0:
            self.ids[table.identity] = number

    # Tables and their versions

    def _put(self, table: Table) -> None:
        self.live[table.key] = table
        self.touched[table.identity] = table
        self.known.add(table.key)
        self.views.discard(table.key)
        self.told.pop(table.identity, None)
        self.named.discard(table.identity)

    def _remove(self, table: Table) -> None:
        del self.live[table.key]
        self.touched[table.identity] = None
        self.gone[table.key] = self.commit_ts

    def _settle(self) -> None:
        """Ends and starts the versions of the tables that the event touched."""
        for identity, table in self.touched.items():
            now = self.open.get(identity)
            if now is not None and table is not None and same(now.table, table):
                self.open[identity] = now._replace(table=table)
                continue
            by: DdlKind | None = self.kind
            if now is not None:
                by = now.started_by if now.from_ts == self.commit_ts else self.kind
                self._close(identity, self.commit_ts, self.kind)
            if table is not None:
                self.open[identity] = _Open(table, self.commit_ts, by)
        self.touched.clear()

    def _close(self, identity: Identity, commit_ts: int | None, by: DdlKind | None) -> None:
        table, from_ts, started_by = self.open.pop(identity)
        if commit_ts is not None and from_ts >= commit_ts:
            return
        self.versions.append(
            TableVersion(
                table.table_id,
                table.incarnation,
                table.incarnation_ts,
                table.schema,
                table.name,
                from_ts,
                commit_ts,
                table.version_columns(),
                table.partitioning,
                started_by,
                by,
                table.origin,
                table.keys_rows,
            )
        )

    def _unseen(self, schema: str, name: str, columns: Iterable[str] = ()) -> Table:
        """A table that was there before the first message."""
        if self.is_debezium:
            self._note_flashback(schema, name, columns)
        table_id = table_id_of(schema, name, 0)
        table = Table(table_id, self._new_incarnation(table_id), 0, schema, name)
        exported = self.export.get(table.key)
        if exported and table.key not in self.known:
            table = from_export(table, exported)
            self.of_export.add(table.identity)
        self.known.add(table.key)
        self._begin_unseen(table)
        return table

    def _note_flashback(self, schema: str, name: str, columns: Iterable[str]) -> None:
        """FLASHBACK TABLE … TO and FLASHBACK DATABASE … TO make a table that has a past; Debezium sends neither."""
        ends = [
            drop
            for drops in self.dropped.values()
            for drop in drops
            if drop.table.schema.lower() == schema.lower() or drop.kind is DdlKind.DROP_DATABASE
        ]
        past = [drop for drop in ends if drop.table.columns and self._may_be(drop.table, columns, unless_told=False)]
        if past:
            table, commit_ts, _ = max(past, key=attrgetter("commit_ts"))
            detail = (
                f"{_named(schema, name)} has the columns of {_named(table.schema, table.name)}, which ended at the "
                f"commit {commit_ts}: if a FLASHBACK brought that one back under this name, its rows are missing"
            )
            self._problem(ProblemCode.ROWS_LOST, detail, schema, name)

    def _may_be(self, table: Table, columns: Iterable[str], *, unless_told: bool) -> bool:
        """Whether rows with these columns, or else the DDL of now, may be of that table; what if nothing tells them."""
        told = {column.lower() for column in columns} or self.wire
        names = {column.name.lower() for column in table.columns or ()}
        unsent = {column.name.lower() for column in table.columns or () if column.generated == "virtual"}
        return (told ^ names) - unsent <= self.mentioned if told else unless_told

    def _begin_unseen(self, table: Table) -> None:
        self.live[table.key] = table
        self.open[table.identity] = _Open(table, 0, None)

    def _find(self, schema: str, name: str, columns: Iterable[str] = ()) -> Table:
        """The table of that name; one that no message told of is taken to have been there."""
        key = key_of(schema, name)
        if key in self.live:
            return self.live[key]
        return self._unannounced(schema, name, columns) if key in self.known else self._unseen(schema, name, columns)

    def _unannounced(self, schema: str, name: str, columns: Iterable[str]) -> Table:
        """A table whose name was given up: recovered if it has its old columns or none is told, else new.

        Debezium never sends RECOVER TABLE, and no protocol sends the CREATE of a table without key unless told to
        (protocol facts 0.1).
        """
        self._settle()
        drops = reversed(self._drops(schema, name))
        drop = next((drop for drop in drops if self._may_be(drop.table, columns, unless_told=True)), None)
        if drop is not None:
            detail = f"it exists again: the rows that it had at the commit {drop.commit_ts} are shown again"
            self._problem(ProblemCode.MISSING_DDL, detail, schema, name)
            table, by = drop.table, DdlKind.RECOVER_TABLE
            self.dropped[table.key].remove(drop)
        else:
            detail = f"{_named(schema, name)} exists again though no DDL created it, and its first rows may be missing"
            self._problem(ProblemCode.ROWS_LOST, detail, schema, name)
            table, by = replace(self._new_table(schema, name), origin=Origin.NONE), DdlKind.CREATE_TABLE
        self.live[table.key] = table
        self.open[table.identity] = _Open(table, self.gone[table.key], by)
        return table

    def _drops(self, schema: str, name: str) -> list[_Dropped]:
        return [drop for drop in self.dropped[key_of(schema, name)] if drop.kind is not DdlKind.TRUNCATE_TABLE]

    def _emptied(self, table: Table) -> Table:
        """The table with nothing of the rows that it had."""
        identity = self._next_identity(table.schema, table.name, table)
        for known in (self.told_by_rows, self.heard):
            if table.identity in known:
                known.add(identity)
        return replace(table, table_id=identity[0], incarnation=identity[1], incarnation_ts=self.commit_ts)

    def _next_identity(self, schema: str, name: str, before: Table | None) -> Identity:
        """What comes after a table: its lineage goes on, unless another table went on with it before."""
        goes_on = before is not None and before.incarnation == self.incarnations[before.table_id]
        table_id = before.table_id if before and goes_on else table_id_of(schema, name, self.commit_ts)
        return table_id, self._new_incarnation(table_id)

    def _new_incarnation(self, table_id: str) -> int:
        self.incarnations[table_id] = self.incarnations.get(table_id, 0) + 1
        return self.incarnations[table_id]

    def _make_room(self, schema: str, name: str, successor: str) -> None:
        """Ends a table whose name another one takes: its own end was not seen."""
        table = self.live.get(key_of(schema, name))
        if table is None:
            return
        if self._only_told(table):
            del self.live[table.key], self.open[table.identity]
            return
        detail = (
            f"{_named(schema, name)} gave up its name to {successor}, and no DDL says whether it was renamed or dropped"
        )
        self._problem(ProblemCode.ROWS_LOST, detail, schema, name)
        self._remove(table)

    def _only_told(self, table: Table) -> bool:
        """Whether a table is known from a schema alone that may be of a later time.

        No row bears it, or one of now: where TSOs hold only milliseconds, rows of a DDL's own come after it.
        """
        return self.told.get(table.identity) in (0, self.commit_ts)

    # Changes

    def _change(self, change: Change, event: DdlEvent) -> None:
        schema, name = change.schema or event.schema_name or "", change.table or ""
        match change:
            case do.NotRead(reason=reason):
                self._problem(ProblemCode.UNREADABLE_DDL, reason, event.schema_name, event.table_name)
            case do.CreateTable():
                self._create(change, schema, name)
            case do.RenameTable():
                self._rename([self._rename_of(change, event)])
            case do.Recover():
                self._recover(change, schema, name or event.table_name or "", event.physical_table_id)
            case do.PartitionChange():
                self._partitions(change, self._find(schema, name))
            case do.Charset(table=None):
                old = self.collations.get(schema.lower(), TIDB_CHARSET)
                base = TIDB_CHARSET if change.kind is DdlKind.CREATE_DATABASE else old
                self.collations[schema.lower()] = charset_of(change.charset, change.collation, base)
            case do.SetColumn() | do.Named() | do.SetDefault() | do.AddIndex() | do.Charset():
                table = self._find(schema, name)
                if table.columns is not None:
                    self._put(with_key_of_ddl(self._alter(table, change), table))
                elif change.kind in _NEED_COLUMNS and not event.table_schema:
                    self._problem(ProblemCode.UNKNOWN_TABLE, f"{change.kind} of a table without columns", schema, name)
            case _:
                self._plain(change, schema, name)

    def _plain(self, change: Change, schema: str, name: str) -> None:
        match change.kind:
            case DdlKind.DROP_TABLE:
                self._drop(self._find(schema, name), change.kind)
            case DdlKind.DROP_DATABASE:
                for table in [table for key, table in self.live.items() if key[0] == schema.lower()]:
                    self._drop(table, change.kind)
                self.views = {key for key in self.views if key[0] != schema.lower()}
            case DdlKind.CREATE_VIEW | DdlKind.CREATE_SEQUENCE:
                self.views.add(key_of(schema, name))
            case DdlKind.DROP_VIEW | DdlKind.DROP_SEQUENCE:
                self.views.discard(key_of(schema, name))
                # one that was there before the first message, and was renamed, was taken for a table
                if (taken := self.live.get(key_of(schema, name))) is not None:
                    self._remove(taken)
            case DdlKind.TRUNCATE_TABLE:
                table = self._find(schema, name)
                self._drop(table, change.kind)
                self._put(self._emptied(table))
            case DdlKind.FLASHBACK_CLUSTER:
                self._problem(ProblemCode.FLASHBACK_OF_ROWS, "rows went back in time unseen", None, None)

    def _create(self, change: do.CreateTable, schema: str, name: str) -> None:
        if change.as_select:
            self._problem(ProblemCode.ROWS_FROM_QUERY, "the rows of its query are not sent", schema, name)
        self._make_room(schema, name, "a new table")
        base = self.collations.get(schema.lower(), TIDB_CHARSET)
        charset, collation = charset_of(change.charset, change.collation, base)
        table = replace(self._new_table(schema, name), charset=charset, collation=collation)
        if change.like is not None:
            table = self._copy(table, change.like)
        elif change.columns:
            table = replace(table, columns=(), partitioning=change.partitioning)
            for column in change.columns:
                table = defined(table, column)
            table = with_indexes(table, change.indexes)
        self._put(table)

    def _schema_of_session(self, schema: str, name: str, new: Key) -> str:
        """The database of a table named without one beside a new name that has one, whose database is `schema`.

        The name is of the database of the session, which no message tells (tiflow `FromJobWithArgs`). Of several it is
        the one with the columns in the message; where these tell none, that of the new name's database is taken.
        """
        found = [table for table in self.live.values() if same_name(table.name, name) and table.key != new]
        if len(found) > 1 and self.wire:
            alike = [table for table in found if {one.name.lower() for one in table.columns or ()} == self.wire]
            found = alike if len(alike) == 1 else found
        key = key_of(schema, name)
        schemas = {table.schema.lower(): table.schema for table in found}
        if not schemas or (key != new and key not in self.live and key in self.export):
            schemas.setdefault(schema.lower(), schema)
        if len(schemas) > 1:
            detail = f"the DDL names no database, and these have such a table: {_listed(sorted(schemas.values()))}"
            self._problem(ProblemCode.UNKNOWN_TABLE, detail, schema, name)
        return next(iter(schemas.values())) if len(schemas) == 1 else schemas.get(schema.lower(), schema)

    def _new_table(self, schema: str, name: str) -> Table:
        """A table created now; it carries on the lineage of the table last dropped under its name."""
        key = key_of(schema, name)
        self.known.add(key)
        earlier = self._drops(schema, name)
        identity = self._next_identity(schema, name, earlier[-1].table if earlier else None)
        return Table(*identity, self.commit_ts, schema, name, origin=Origin.DDL)

    def _copy(self, table: Table, like: tuple[str | None, str]) -> Table:
        schema = self._schema_of_session(table.schema, like[1], table.key) if like[0] is None else like[0]
        key = key_of(schema, like[1])
        source = self.live.get(key)
        if source is None and key in self.export and key not in self.known:
            source = self._unseen(schema, like[1])
        if source is None or source.columns is None:
            self._problem(ProblemCode.UNKNOWN_TABLE, "the table whose columns it copies", table.schema, table.name)
            return table
        return replace(
            table,
            columns=tuple(column._replace(added_value=None) for column in source.columns),
            indexes=source.indexes,
            named=source.named,
            keys_rows=source.keys_rows,
            partitioning=source.partitioning,
            charset=source.charset,
            collation=source.collation,
            next_column_id=source.next_column_id,
            next_index=source.next_index,
        )

    def _load(self, schema: str, name: str) -> None:
        """From now on the table has the rows of an export, and nothing of those known before."""
        table = self._find(schema, name)
        self._remove(table)
        loaded = self._emptied(table)
        self._put(loaded)
        self.heard.add(loaded.identity)
        if table.identity in self.told:
            self.told[loaded.identity] = self.commit_ts

    def _drop(self, table: Table, kind: DdlKind) -> None:
        self._remove(table)
        self.dropped[table.key].append(_Dropped(table, self.commit_ts, kind))

    def _rename_of(self, change: do.RenameTable, event: DdlEvent) -> _Rename:
        schema = change.schema or event.schema_name or ""
        columns = tuple(column.name for column in wire_columns(event.table_schema))
        rename = _Rename(schema, change.table or "", change.to_schema or schema, change.to_table, columns)
        if change.of_session:
            rename = rename._replace(schema=self._schema_of_session(schema, rename.name, rename.keys[1]))
        return rename

    def _rename(self, renames: Sequence[_Rename]) -> None:
        """Renames tables, and views, at once: one may take the name that another one gives up."""
        views = [rename for rename in renames if rename.keys[0] in self.views]
        renames = [rename for rename in renames if rename not in views]
        self.views.difference_update(rename.keys[0] for rename in views)
        found = [
            self._find(rename.schema, rename.name, rename.columns)
            if rename.keys[0] in self.known
            else self._unseen_before(rename)
            for rename in renames
        ]
        for table, rename in zip(found, renames, strict=True):
            if table.key != rename.keys[1]:
                self._remove(table)
        for table, rename in zip(found, renames, strict=True):
            if table.key != rename.keys[1]:
                self._make_room(rename.to_schema, rename.to_name, _named(table.schema, table.name))
            self._put(replace(table, schema=rename.to_schema, name=rename.to_name))
        self.views.update(rename.keys[1] for rename in views)

    def _unseen_before(self, rename: _Rename) -> Table:
        """A table first seen when it is renamed: what is told of its later name is told of it."""
        table = self._unseen(rename.schema, rename.name, rename.columns)
        later = self.live.get(rename.keys[1])
        told = None
        if later is not None and self._only_told(later):
            told = later
        elif later is None and rename.keys[1] not in self.known:
            exported = self.export.get(rename.keys[1])
            told = from_export(table, exported) if exported else None
        if table.columns is None and told is not None:
            table = replace(
                table,
                columns=told.columns,
                indexes=told.indexes,
                named=told.named,
                keys_rows=told.keys_rows,
                origin=told.origin,
                next_column_id=told.next_column_id,
                next_index=told.next_index,
            )
            self._begin_unseen(table)
        return table

    def _to_recover(self, change: do.Recover, schema: str, name: str, physical_table_id: int | None) -> list[_Dropped]:
        """The table of the id in the message, else the newest of the name, as TiDB takes it if no job is named."""
        drops = self.dropped[key_of(schema, name)]
        if physical_table_id is not None:
            same_id = [drop for drop in drops if self.ids.get(drop.table.identity) == physical_table_id]
            untold = [drop for drop in drops if drop.table.identity not in self.ids]
            drops = same_id or untold
        if change.table is None and len(drops) > 1:
            commits = ", ".join(str(drop.commit_ts) for drop in drops)
            detail = f"of {_named(schema, name)}, which ended at the commits {commits}, the newest is taken"
            self._problem(ProblemCode.UNSURE_RECOVERY, detail, schema, name)
        return drops[-1:]

    def _recover(self, change: do.Recover, schema: str, name: str, physical_table_id: int | None) -> None:
        if change.kind is DdlKind.RECOVER_TABLE:
            found = self._to_recover(change, schema, name, physical_table_id)
        else:
            self.collations[(change.to or schema).lower()] = self.collations.get(schema.lower(), TIDB_CHARSET)
            ends = [drop for key, drops in self.dropped.items() if key[0] == schema.lower() for drop in drops]
            last = max((drop.commit_ts for drop in ends if drop.kind is DdlKind.DROP_DATABASE), default=None)
            found = [drop for drop in ends if drop.commit_ts == last and drop.kind is DdlKind.DROP_DATABASE]
        if not found:
            self._problem(ProblemCode.NOTHING_TO_RECOVER, "its end was not seen", schema, name or None)
            if change.kind is DdlKind.RECOVER_TABLE and name:
                self._make_room(schema, change.to or name, "a table that was brought back")
                self._put(replace(self._new_table(schema, change.to or name), origin=Origin.NONE))
        for drop in found:
            table = drop.table
            self.dropped[table.key].remove(drop)
            if change.kind is DdlKind.RECOVER_TABLE:
                table = replace(table, name=change.to or table.name)
            else:
                table = replace(table, schema=change.to or table.schema)
            self._make_room(table.schema, table.name, "a table that was brought back")
            self._put(table)

    # Columns and indexes

    def _alter(self, table: Table, change: Change) -> Table:
        match change:
            case do.SetColumn():
                return self._set_column(table, change)
            case do.Charset():
                base = (table.charset, table.collation)
                if change.convert:
                    base = self.collations.get(table.schema.lower(), TIDB_CHARSET)
                charset, collation = charset_of(change.charset, change.collation, base)
                table = replace(table, charset=charset, collation=collation)
                if not change.convert:
                    return table
                converted = [
                    column._replace(collation=collation) if is_text(column.type) else column
                    for column in table.columns or ()
                ]
                return replace(table, columns=tuple(converted))
            case do.SetDefault(name=name):
                column = self._column(table, name, change.kind)
                if column is None:
                    return table
                charset, _ = charset_of(None, column.collation, ("binary", "binary"))
                constant = None if change.literal is None else default_in(charset, column.type, change.literal)
                default = constant or (Default() if change.expression is None else computed_default(change.expression))
                return with_column(table, column._replace(default=default.text, default_expression=default.expression))
            case do.AddIndex(index=index):
                return with_indexes(self._without_primary(table) if index.primary else table, [index])
            case do.Named():
                return self._named(table, change)
        return table

    def _named(self, table: Table, change: do.Named) -> Table:
        if change.kind in (DdlKind.DROP_INDEX, DdlKind.DROP_PRIMARY_KEY):
            indexes = tuple(index for index in table.indexes if not same_name(index.name, change.name))
            if len(indexes) == len(table.indexes):
                indexes = tuple(index for index in indexes if index.name)
            named = None if change.kind is DdlKind.DROP_PRIMARY_KEY else table.named
            return replace(table, indexes=indexes, named=named)
        if change.kind is DdlKind.RENAME_INDEX:
            renamed = [
                index._replace(name=change.to or "") if same_name(index.name, change.name) else index
                for index in table.indexes
            ]
            return replace(table, indexes=tuple(renamed))
        if change.kind not in (DdlKind.DROP_COLUMN, DdlKind.RENAME_COLUMN):
            return table
        column = table.column(change.name) if change.conditional else self._column(table, change.name, change.kind)
        if column is None:
            return table
        if change.kind is DdlKind.RENAME_COLUMN:
            name = change.to or column.name
            return with_column(self._without_namesake(table, name, column), column._replace(name=name))
        return without_column(table, column)

    def _is_of_before(self, table: Table) -> bool:
        """Whether DDL alone tells the table, and none of this commit: one that comes again may be worded otherwise."""
        now = self.open.get(table.identity)
        return table.origin is Origin.DDL and now is not None and now.from_ts < self.commit_ts

    def _without_primary(self, table: Table) -> Table:
        """The table without its primary key, which a new one shows to be gone: its end was not seen.

        Classic TiCDC before 6.5.10, 7.1.6, 7.5.2 and 8.1 sends neither the DROP of the only key, nor what is written
        until there is one again.
        """
        if not self._is_of_before(table) or not any(index.primary for index in table.indexes):
            return table
        detail = "it gets a primary key though it has one: no DDL dropped that, and rows may have changed unseen since"
        self._problem(ProblemCode.MISSING_DDL, detail, table.schema, table.name)
        return replace(table, indexes=tuple(index for index in table.indexes if not index.primary), named=None)

    def _without_namesake(self, table: Table, name: str, column: Column | None = None) -> Table:
        """The table without the other column whose name this one takes: its end was not seen."""
        other = table.column(name)
        if other is None or other is column or not self._is_of_before(table):
            return table
        detail = f"it gets a column `{name}` though it has one: no DDL dropped or renamed that"
        self._problem(ProblemCode.MISSING_DDL, detail, table.schema, table.name)
        return without_column(table, other)

    def _set_column(self, table: Table, change: do.SetColumn) -> Table:
        known = table.column(change.column.name if change.name is None else change.name)
        if change.conditional and change.name is not None and known is None:
            return table
        # what was told of a later time may have the column from this very change
        is_of_now = table.origin is not Origin.EXPORT and table.identity not in self.told
        if change.conditional and change.name is None and known is not None and is_of_now:
            return table
        if change.name is not None and known is None:
            known = self._column(table, change.name, change.kind) or table.column(change.column.name)
        table = self._without_namesake(table, change.column.name, None if change.name is None else known)
        known = known if known in (table.columns or ()) else None
        table = defined(table, change.column, known)
        column = table.column(change.column.name)
        if change.name is None and column is not None and column.generated != "virtual":
            table = with_column(table, self._with_added_value(table, column))
        table = with_indexes(table, change.indexes)
        if change.first or change.after is not None:
            table = moved(table, change.column.name, change.after)
        return table

    def _with_added_value(self, table: Table, column: Column) -> Column:
        """The column with what rows from before it hold; a default that the session decides as the message has it.

        Debezium has moments as the DDL writes them, in the zone of its session, which no message tells.
        """
        text = self.told_defaults.get(column.name.lower())
        told = None if text is None else default_of(column.type, (TokenType.STRING, text)).text
        zoned = column.default is not None and is_zoned(column.type, column.default)
        is_told = zoned and not self.is_debezium
        if told is not None and (is_told or (column.default_expression or "").startswith("'")):
            return column._replace(default=told, default_expression=None, added_value=told)
        value = zero_value(column.type) if column.default is None and column.nullable is False else column.default
        code = ProblemCode.DEFAULT_IN_SESSION_ZONE if zoned else None
        detail = f"rows from before {column.name} hold it as UTC"
        if column.default_expression is not None:
            value = moment(column.type, column.default_expression, self.commit_ts)
            code = ProblemCode.DEFAULT_NOT_CONSTANT
            what = "the time of the ALTER TABLE, taken from its commit in UTC" if value else "what no message tells"
            detail = f"rows from before {column.name} hold {what}"
        if code is not None:
            self._problem(code, detail, table.schema, table.name)
        return column._replace(added_value=value)

    def _column(self, table: Table, name: str, kind: DdlKind) -> Column | None:
        """The column; a table that a DDL made has all that later ones name.

        Rows tell no virtual generated columns, and an export may be of a later time.
        """
        column = table.column(name)
        if column is None and table.origin is Origin.DDL:
            self._problem(ProblemCode.UNKNOWN_COLUMN, f"{kind} of {name}", table.schema, table.name)
        return column

    # Partitions

    def _partitions(self, change: do.PartitionChange, table: Table) -> None:
        old = table.partitioning
        if change.kind in (DdlKind.DROP_PARTITION, DdlKind.TRUNCATE_PARTITION, DdlKind.EXCHANGE_PARTITION):
            self._effect(change, table)
        new = old
        if change.kind in (DdlKind.PARTITION_BY, DdlKind.REMOVE_PARTITIONING):
            new = change.partitioning
        elif old is not None and old.partitions:
            new = old._replace(partitions=changed_partitions(old.partitions, change))
        if new is not old:
            self._put(replace(table, partitioning=new))
        for name in regrouped_partitions(old, new, change):
            self.regrouped[table.identity][name.lower()] = self.commit_ts

    def _effect(self, change: do.PartitionChange, table: Table) -> None:
        ranges = partition_ranges(table.partitioning)
        names = tuple(ranges) if change.names is None else change.names
        known = {name.lower(): rows for name, rows in ranges.items()}
        partitions = [known[name.lower()] for name in names if name.lower() in known]
        by = table.partitioning
        if len(partitions) < len(names) or not names or (by is not None and not is_readable(by, table.columns or ())):
            self._problem(ProblemCode.UNKNOWN_PARTITION, f"{change.kind}", table.schema, table.name)
        effect = Effect(
            self.commit_ts,
            change.kind,
            *table.identity,
            table.schema,
            table.name,
            tuple(names),
            tuple(partitions),
            table.partitioning,
            self.ids.get(table.identity),
            tuple(sorted(self.regrouped[table.identity].items())),
        )
        if change.counterpart is not None:
            other = self._find(change.counterpart[0] or table.schema, change.counterpart[1])
            # it has the partition's from now on
            self.ids.pop(other.identity, None)
            effect = effect._replace(
                counterpart_table_id=other.table_id,
                counterpart_incarnation=other.incarnation,
                counterpart_schema_name=other.schema,
                counterpart_table_name=other.name,
            )
            self.heard |= {table.identity, other.identity}
        self.effects.append(effect)

    # Schemas on the wire

    def _told(self, event: DdlEvent) -> None:
        """A schema without DDL tells the columns of a table of which nothing else is known."""
        schema, name = event.schema_name or "", event.table_name or ""
        columns = wire_columns(event.table_schema)
        if not columns:
            return
        unseen = key_of(schema, name) not in self.known
        table = self._find(schema, name, [column.name for column in columns])
        if unseen or self.told.get(table.identity) == 0:
            self.told[table.identity] = event.commit_ts
        before = table
        # Debezium of classic TiCDC sends none either
        tells_no_ddl = "avro" in self.protocol or (self.is_debezium and not self.sends_ddl)
        # a message of a key alone tells fewer columns than the table has
        more = {column.name.lower() for column in table.columns or ()} < {column.name.lower() for column in columns}
        new = [column.name for column in columns if table.column(column.name) is None]
        if not table.columns or (more and (table.identity in self.told or table.origin is Origin.WIRE)):
            table = with_wire(table, columns)
            is_whole = 0 < len(before.key_ids) < len(before.columns or ())
            if is_whole and event.commit_ts and not tells_no_ddl:
                self.odd.append((table.key, new))
            if self.is_debezium:
                self.told_by_rows.add(table.identity)
        elif table.identity in self.of_export:
            table = with_told_types(table, columns, self.export.get(table.key, ()))
        elif event.commit_ts and not tells_no_ddl and table.origin in (Origin.DDL, Origin.WIRE):
            self.odd.extend([(table.key, new)] if new else ())
            self._miss(table, columns)
        if event.commit_ts and tells_no_ddl and not self.sends_ddl and before.origin is Origin.WIRE:
            table = self._without_ddl(table, before, columns)
        self.live[table.key] = table
        self.open[table.identity] = self.open[table.identity]._replace(table=table)
        if event.commit_ts:
            self._heed(table, columns)

    def _miss(self, table: Table, wire: Sequence[WireColumn]) -> None:
        """Notes which columns rows lack that earlier ones had."""
        borne = {found.column_id for one in wire if (found := table.column(one.name)) is not None}
        if borne <= {*table.key_ids} or not self._is_of_before(table):
            return  # a message of a key alone, or of before a DDL of its millisecond
        earlier = self.borne[table.identity]
        missed = [one for one in table.columns or () if one.column_id in earlier - borne]
        self.missed.extend([(table.key, [one.name for one in missed])] if missed else ())
        self.borne[table.identity] = (earlier | borne) - {one.column_id for one in missed}

    def _without_ddl(self, table: Table, before: Table, wire: Sequence[WireColumn]) -> Table:
        """The table as rows from before and from after a DDL that was not sent have it."""
        if table.identity in self.of_export:
            return table
        table, unlike = with_wire_of_later(table, before, wire)
        if unlike:
            detail = f"rows have values of another kind in columns that no DDL changed: {', '.join(unlike)}"
            self._problem(ProblemCode.SCHEMA_DIFFERS, detail, table.schema, table.name)
        return table

    def _heed(self, table: Table, wire: Sequence[WireColumn]) -> None:
        """From the first row on that names another key than the table has, the key is the row's."""
        names = [column.name for column in wire]
        is_first = table.identity not in self.heard
        exported = [column.column_name for column in self.export.get(table.key, ())]
        now = with_told_names(table, names, exported, is_first)
        if table.origin is Origin.WIRE:
            now = with_told_values(now, names)
        told = told_key(now, wire)
        if told is not None:
            now = with_told_key(now, told)
            self._tell_key(table, now, told)
            self.named.add(table.identity)
        elif any(column.key for column in wire):
            unknown = [column.name for column in wire if column.key and not now.column(column.name)]
            self._problem(ProblemCode.KEY_UNKNOWN, f"messages name {_listed(unknown)}", table.schema, table.name)
        self.heard.add(table.identity)
        if now == table:
            return
        self.live[table.key] = now
        if is_first:
            # no row has been told apart by what was taken for the key before
            self.open[table.identity] = self.open[table.identity]._replace(table=now)
        else:
            self.touched[table.identity] = now
            self.commit_ts, self.kind = self.commit_ts - 1, DdlKind.KEY_NAMED

    def _tell_key(self, table: Table, now: Table, told: tuple[int, ...]) -> None:
        """Says what messages name as the key where something else was taken for it before."""
        names = [column.name for column in now.columns or () if column.column_id in told]
        if set(told) != set(now.key_ids):
            if now.keys_rows and not table.keys_rows:
                detail = f"messages name {_listed(names)}, rows are told apart by {_listed(_key_names(now))}"
                self._problem(ProblemCode.KEY_NOT_UNIQUE, detail, table.schema, table.name)
            return
        is_known = table.origin is Origin.DDL or table.identity in self.named
        if table.origin is Origin.EXPORT and table.key_ids:
            is_known = True
        if not is_known or _key_names(table) == names or _is_tie(table, told):
            return
        detail = f"messages name {_listed(names)}, before it was {_listed(_key_names(table))}"
        self._problem(ProblemCode.KEY_DIFFERS, detail, table.schema, table.name)

    def _wire(self, event: DdlEvent, readable: bool) -> None:
        """The columns after a DDL as the wire gives them: they win where the text says something else."""
        columns = wire_columns(event.table_schema)
        key = key_of(event.schema_name, event.table_name)
        table = self.live.get(key)
        if not columns or (table is None and readable):
            return
        if table is None:
            table = self._find(event.schema_name or "", event.table_name or "", [column.name for column in columns])
        told = with_wire(table, columns)
        if readable and table.columns is not None:
            known, names = ([column.name for column in each.columns or ()] for each in (table, told))
            if sorted(known) == sorted(names):
                told = with_key_of_ddl(with_told_nulls(table, columns), table)
                key_ids = told_key(told, columns)
                if key_ids is not None and table.origin is not Origin.DDL and table.identity not in self.heard:
                    told = with_told_key(told, key_ids)
            elif table.identity in self.told_by_rows and set(known) < set(names):
                told = with_wire(table, columns, rows_were_seen=True)
            elif table.origin is not Origin.EXPORT:
                detail = "the columns in the message are not those that the DDL gives"
                self._problem(ProblemCode.SCHEMA_DIFFERS, detail, table.schema, table.name)
        self.told_by_rows.discard(table.identity)
        if told != table:
            self._put(told)


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names) or "no columns"


def _key_names(table: Table) -> list[str]:
    return [column.name for column in table.columns or () if column.column_id in table.key_ids]


def _is_tie(table: Table, told: tuple[int, ...]) -> bool:
    """Whether messages name another index of as many columns: which of both is older is not always told."""
    index = table.index
    return (
        index is not None
        and not index.primary
        and any(
            one.unique and not one.partial and set(one.columns) == set(told) and len(one.columns) == len(index.columns)
            for one in table.indexes
        )
    )
