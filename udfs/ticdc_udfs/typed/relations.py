"""What a run makes, writes, remembers and drops of typed tables: one answer for all of them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import md5
from typing import Any

import msgspec
import pyarrow as pa

from ticdc_udfs.contract.identifiers import identifier
from ticdc_udfs.contract.json_texts import rows_by_json
from ticdc_udfs.typed import sql
from ticdc_udfs.typed.names import OF_PACKAGE, Problem, Settings, TypedReason
from ticdc_udfs.typed.plans import LeftBehind, Plan, PlannedTable, Version, plans_of
from ticdc_udfs.typed.sql import Shape, Sources, Written, name_of
from ticdc_udfs.typed.storages import (
    FoundStorage,
    History,
    KnownRow,
    KnownStorage,
    NamedStorage,
    Run,
    StorageAnswer,
    StorageRequest,
    Stored,
    StoredTable,
    choosing_queries,
    history_of,
    history_to_store,
    stored_rows,
    stored_tables,
)
from ticdc_udfs.typed.types import Digits

VIEW, HISTORY_VIEW, AS_OF_FUNCTION = "view", "history_view", "as_of_function"
_NAMED_IN = {VIEW: "current_relation", HISTORY_VIEW: "history_relation", AS_OF_FUNCTION: "as_of_function"}
_STORAGE, _HISTORY_STORAGE = "storage", "history_storage"
_MOST_WITHOUT_STUB = 20

Key = tuple[str, str, str]
Row = dict[str, Any]


class FoundTable(FoundStorage, frozen=True, kw_only=True):
    """A table that is there, by what `int_ticdc__typed_plans` asks of it; `measured` as `PlannedTable` has it.

    `versions` are all that the table had, where its columns changed.
    """

    schema_name: str
    table_name: str
    table_schema: str
    newest_generation: int = 0
    row_count: int = 0
    versions: tuple[Version, ...] | None = None
    left_behind: tuple[LeftBehind, ...] = ()
    measured: Mapping[str, Digits] | None = None

    @property
    def key(self) -> Key:
        """What plans are known by."""
        return self.feed, self.schema_name, self.table_name


class KnownPlan(KnownStorage, frozen=True):
    """What the plan of the run before says; of a version without mark `statements` are SQL, else hashes."""

    observed: Mapping[str, Digits] = {}
    statements: Mapping[str, str | None] = {}
    as_of_function: str | None = None


class Base(msgspec.Struct, frozen=True):
    """A view of the rows of all tables that may be made a stub: its query, and its columns with their types."""

    sql: str
    columns: Mapping[str, str]


class Request(msgspec.Struct, frozen=True):
    """What a run is told besides the tables.

    `mark` is the name of the property that relations bear, `made_by` its value, `schema` where storages lie, quoted.
    `catalogs` are those of Spark, in which no schema is made. Histories are read where
    they are `published` (among other names), or where the run is (`is_published`), with what it stores. `alias` tells
    installations apart that lie in one schema, as a project gives their models other names.
    """

    settings: Settings
    run: Run
    sources: Sources
    written: Written
    mark: str
    made_by: str
    schema: str
    stored_from_rows: int
    configured: tuple[str, ...]
    catalogs: tuple[str, ...] = ()
    published: tuple[str, ...] = ()
    is_published: bool = False
    alias: str = ""
    bases: Mapping[str, Base] = {}


class Unmade(msgspec.Struct, frozen=True, kw_only=True):
    """What is told of a relation where it is not made.

    `was` is what stays of the run before, `otherwise` what the plan says then, `named_in` the member that names it. The
    macros add the `problem`, and whether the relation of the run before `stands`.
    """

    kind: str
    named_in: str | None = None
    was: Mapping[str, str | None] | None = None
    otherwise: Mapping[str, Any] = {}
    problem: Mapping[str, str] = {}
    stands: bool = False


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """A relation that is to be made or replaced (`is_other`), with the rows that are stored of it (`is_written`).

    `writing` are the statements that store rows. `query` stands after `making`, or after `altering` where the relation
    is there; `marking` gives one that bears no mark its mark. `names` has what may stand in its way, by what the
    catalogue is asked for. Where it cannot be made, there is a `problem`, and the plan tells of it as `unmade` says.
    """

    kind: str
    relation: str
    key: str
    schema: str
    names: Mapping[str, str]
    unmade: Unmade
    is_other: bool = False
    is_written: bool = False
    writing: tuple[str, ...] = ()
    query: str | None = None
    making: str | None = None
    altering: str | None = None
    marking: str | None = None
    problem: Mapping[str, str] | None = None


class Reading(msgspec.Struct, frozen=True, kw_only=True):
    """What a run makes of a table that reads its stored history, or does not; `row` is what it remembers of it.

    `is_pending`: what is stored has to be remembered before it is read.
    """

    history: History | None
    changes: tuple[Change, ...]
    row: Row
    is_pending: bool


class Remembered(msgspec.Struct, frozen=True, kw_only=True):
    """What a run remembers of a table: its row, and `known_row`, which is there.

    The macros say which relations were not made (`unmade`), why its history could not be stored (`unstored_for`), and
    whether relations are still to be made (`is_pending`).
    """

    row: Row
    known_row: Row | None = None
    unmade: tuple[Unmade, ...] = ()
    unstored_for: tuple[Mapping[str, str], ...] = ()
    is_pending: bool = False


class TypedTable(StoredTable, frozen=True, kw_only=True):
    """A table of which a run makes or remembers something, which it tells as `Remembered`.

    `unstored` is what it is if its history cannot be stored.
    """

    changes: tuple[Change, ...]
    row: Row
    is_pending: bool
    known_row: Row | None
    unmade: tuple[Unmade, ...] = ()
    unstored_for: tuple[Mapping[str, str], ...] = ()
    storing: Change | None
    unstored: Reading | None


class Stub(msgspec.Struct, frozen=True):
    """What a script runs `before` and `after` relations are made upon a view, so that it has no rows meanwhile.

    Spark resolves all that a view reads wherever another one is made upon it, and of one that is not ready there is
    nothing to resolve.
    """

    before: str
    after: str


class Stale(msgspec.Struct, frozen=True):
    """A relation or storage that the run before made and no table needs any more.

    `dropping` drops a relation; a storage, which the state knows by `name`, is left to what reads it.
    """

    kind: str
    relation: str
    key: str
    name: str
    dropping: str | None


class Answer(msgspec.Struct, frozen=True):
    """All that a run decides: the tables that it does something for, in order, and what it drops or forgets.

    `schemas` has the statements that make those of the relations. `names` are those that the catalogue is asked for, by
    schema, functions apart; `unmarked` are those among them that a run made before there was a `mark`, as Spark tells
    it. `gone` are tables that are there no more. `stubs` are for the kinds of relations of which many are made.
    `is_published`: the run is, as `Request` says. `counts` as `StorageAnswer` has them.
    """

    tables: tuple[TypedTable, ...]
    stale: tuple[Stale, ...]
    storages: tuple[str, ...]
    gone: tuple[Remembered, ...]
    schemas: Mapping[str, str]
    names: Mapping[str, Mapping[str, Sequence[str]]]
    unmarked: tuple[str, ...]
    mark: str
    stubs: Mapping[str, Stub]
    is_published: bool
    counts: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Known:
    row: KnownRow
    plan: KnownPlan

    @property
    def relations(self) -> dict[str, str | None]:
        return {
            VIEW: self.row.current_relation,
            HISTORY_VIEW: self.row.history_relation,
            AS_OF_FUNCTION: self.plan.as_of_function,
        }

    @property
    def all_relations(self) -> Iterator[tuple[str, str]]:
        storages = {_STORAGE: self.plan.storage, _HISTORY_STORAGE: self.plan.history_storage}
        return ((kind, name) for kind, name in {**self.relations, **storages}.items() if name)


@dataclass(frozen=True)
class _Table:
    """A table with its relations, and where it and its history are stored."""

    found: FoundTable
    plan: Plan
    known: _Known | None
    shape: Shape
    relations: Mapping[str, str]
    storage: str | None
    history_storage: str | None
    stored_generations: tuple[int, ...]


def relations_of(found: Iterable[FoundTable], rows: Iterable[KnownRow], request: Request) -> Answer:
    """What is to be done for all tables that are there, given the newest plans of those that were."""
    known = {(row.feed, row.schema_name, row.table_name): _Known(row, _read_plan(row.plan)) for row in rows}
    found = sorted(found, key=lambda table: table.key)
    plans = plans_of([_planned(table, known.get(table.key), request.run) for table in found], request.settings)
    tables = [_table(table, plan, known.get(table.key), request) for table, plan in zip(found, plans, strict=True)]
    typed = [_typed(table, request) for table in tables]
    listed = [(of, table) for of, table in zip(tables, typed, strict=True) if _is_listed(table, request.run)]
    read = [table.row["plan"][_HISTORY_STORAGE] for table in typed]
    storages = tuple(filter(None, [of.storage for of in tables] + read))
    stale = tuple(_stale(tables, storages, known, request))
    keys = {table.key for table in found}
    made = tuple(table for _, table in listed)
    return Answer(
        made,
        stale,
        storages,
        tuple(Remembered(row=_row(*key)) for key in known if key not in keys),
        _schemas(made),
        _names(made, stale),
        tuple(_unmarked(known.values(), request.mark)),
        f"{request.mark}={request.made_by}",
        # where somebody reads a typed table, readers would miss what it reads
        {} if known else _stubs(made, request),
        request.is_published,
        choosing_queries(((of.shape, table.history) for of, table in listed), request.written),
    )


def _planned(found: FoundTable, known: _Known | None, run: Run) -> PlannedTable:
    return PlannedTable(
        found.feed,
        found.schema_name,
        found.table_name,
        found.table_id,
        found.table_schema,
        known.row.current_relation if known else None,
        known.plan.observed if known and not run.is_refresh else {},
        found.measured,
        found.versions,
    )


def _table(found: FoundTable, plan: Plan, known: _Known | None, request: Request) -> _Table:
    names = {VIEW: plan.current, HISTORY_VIEW: plan.history, AS_OF_FUNCTION: plan.as_of}
    relations = {kind: f"{identifier(plan.schema or '')}.{identifier(name)}" for kind, name in names.items() if name}
    identity = [*filter(None, [request.alias]), found.feed, found.table_id, found.table_incarnation, plan.columns]
    of_past = [plan.past_columns, found.left_behind, found.is_keyless]
    is_large = found.row_count >= request.stored_from_rows
    storage = history = None
    if is_large and HISTORY_VIEW in relations and not found.is_keyless:
        history = f"{request.schema}.ticdc__history_{_hash([identity, of_past])}"
    # where the columns never changed, the rows are the versions that did not end
    if is_large and VIEW in relations and (plan.past_columns or not history):
        storage = f"{request.schema}.ticdc__typed_{_hash(identity)}"
    is_stored = storage is not None and known is not None and known.plan.storage == storage
    state = request.run.storages.get(name_of(storage), Stored()) if storage and is_stored else Stored()
    shape = Shape(
        found.feed,
        found.table_id,
        found.table_incarnation,
        plan.columns,
        plan.key_columns,
        plan.past_columns,
        found.left_behind,
        found.is_keyless,
    )
    return _Table(found, plan, known, shape, relations, storage, history, state.generations)


def _typed(table: _Table, request: Request) -> TypedTable:
    found, known, shape, storage = table.found, table.known, table.shape, table.history_storage
    history = history_to_store(shape, history_of(found, storage, request.run), request.written) if storage else None
    is_read = history is not None and (request.is_published or history.name in request.published)
    reading = _reading(table, history, is_read, request)
    may_be_stored = history is not None and history.choice != "kept"
    return TypedTable(
        stored_rows=stored_rows(table.storage, found.generations),
        history=history,
        changes=reading.changes,
        row=reading.row,
        is_pending=reading.is_pending,
        known_row=None if known is None or request.run.is_refresh else msgspec.structs.asdict(known.row),
        storing=_change(_HISTORY_STORAGE, history.storage, request) if history and may_be_stored else None,
        unstored=_reading(table, None, False, request) if may_be_stored else None,
    )


def _reading(table: _Table, history: History | None, is_read: bool, request: Request) -> Reading:
    known, storage = table.known, table.history_storage if is_read else None
    queries = {kind: _query(kind, table, storage, request.sources) for kind in table.relations}
    hashes = {kind: _hash([table.relations[kind], query]) for kind, query in queries.items()}
    is_known = known is not None and known.plan.history_storage == storage and bool(known.plan.columns)
    return Reading(
        history=history,
        changes=tuple(_changes(table, queries, hashes, request)),
        row=_plan_row(table, storage, hashes, request.settings),
        is_pending=storage is not None and not is_known,
    )


def _query(kind: str, table: _Table, history_storage: str | None, sources: Sources) -> str:
    if kind == VIEW:
        return sql.view(table.shape, sources, table.storage, history_storage)
    return (sql.history_view if kind == HISTORY_VIEW else sql.as_of_function)(table.shape, sources, history_storage)


def _changes(
    table: _Table, queries: Mapping[str, str], hashes: Mapping[str, str], request: Request
) -> Iterator[Change]:
    known, generations = table.known, table.found.generations
    statements, relations = (known.plan.statements, known.relations) if known else ({}, {})
    lacks_rows = bool(set(generations).difference(table.stored_generations))
    for kind, relation in table.relations.items():
        storage = table.storage if kind == VIEW and (not table.stored_generations or lacks_rows) else None
        is_other = request.run.is_refresh or hashes[kind] != statements.get(kind)
        if storage or is_other:
            yield _change(
                kind,
                relation,
                request,
                storage,
                is_other=is_other,
                is_written=storage is not None,
                writing=_writing(table, storage, request.written),
                **(_making(kind, relation, queries[kind], request) if is_other else {}),
                unmade=Unmade(
                    kind=kind,
                    named_in=_NAMED_IN[kind],
                    was={"statement": statements.get(kind)} if relations.get(kind) == relation else None,
                    otherwise=_otherwise(table) if kind == VIEW else {},
                ),
            )


def _writing(table: _Table, storage: str | None, written: Written) -> tuple[str, ...]:
    if storage is None:
        return ()
    return sql.row_statements(table.shape, written, storage, table.found.generations, table.stored_generations)


def _making(kind: str, relation: str, query: str, request: Request) -> Mapping[str, str]:
    if kind == AS_OF_FUNCTION:
        head = f"create or replace function {relation}(tso bigint) returns table"
        making = f"{head} comment '{request.mark}={request.made_by}' return "
        return {"query": query, "making": making, "altering": making}
    properties = f"tblproperties ('{request.mark}' = '{request.made_by}')"
    return {
        "query": query,
        "making": f"create view {relation} {properties} as ",
        # `create or replace view` drops the view first, so that readers would miss it
        "altering": f"alter view {relation} as ",
        "marking": f"alter view {relation} set {properties}",
    }


def _otherwise(table: _Table) -> Row:
    """What a plan says of the storage of a table whose view cannot be made: that of the view that is there."""
    storage = table.known.plan.storage if table.known else None
    return {_STORAGE: storage, **(_of_storages(table) if storage else {})}


def _stubs(tables: Sequence[TypedTable], request: Request) -> Mapping[str, Stub]:
    """To make few relations is no dearer than to alter what they read."""
    sources = request.sources
    read = {VIEW: sources.newest_rows, HISTORY_VIEW: sources.keyed_history, AS_OF_FUNCTION: sources.keyed_changes}
    counted = Counter(change.kind for table in tables for change in table.changes)
    return {
        kind: _stub(relation, request.bases[relation])
        for kind, relation in read.items()
        if counted[kind] > _MOST_WITHOUT_STUB and relation in request.bases
    }


def _stub(relation: str, base: Base) -> Stub:
    altering, noting = f"alter view {relation} as ", f"alter view {relation} set tblproperties ('ticdc.fingerprint' = '"
    # without fingerprint, the next run makes it anew
    before = f"{noting}')", altering + sql.unready_rows(base.columns)
    after = altering + base.sql, f"{noting}{_md5(base.sql)}')"
    return Stub(sql.executed(before), sql.executed(after))


def _change(kind: str, relation: str, request: Request, storage: str | None = None, **others: Any) -> Change:
    key = _key(kind, relation)
    schema = key.partition(".")[0]
    names = {key: relation, **({_key(_STORAGE, storage): storage} if storage else {})}
    problem = Problem(TypedReason.SCHEMA_IS_CATALOG, relation)._asdict() if schema in request.catalogs else None
    return Change(
        kind=kind,
        relation=relation,
        key=key,
        schema=schema,
        names=names,
        problem=problem,
        **{"unmade": Unmade(kind=kind), **others},
    )


def _plan_row(table: _Table, history_storage: str | None, hashes: Mapping[str, str], settings: Settings) -> Row:
    found, plan, relations = table.found, table.plan, table.relations
    told: Row = {
        "target_schema": settings.feeds[found.feed],
        "observed": plan.observed,
        "seen": found.newest_generation if plan.observed else None,
        _STORAGE: table.storage,
        _HISTORY_STORAGE: history_storage,
        "statements": dict(hashes),
        AS_OF_FUNCTION: relations.get(AS_OF_FUNCTION),
        "problems": plan.problems,
        "refused": {},
    }
    if table.storage or history_storage:
        told |= _of_storages(table)
    return _row(
        *found.key,
        found.table_id,
        _json(plan.key_columns),
        relations.get(VIEW),
        relations.get(HISTORY_VIEW),
        told,
        found.table_incarnation,
    )


def _of_storages(table: _Table) -> Row:
    """What the next run writes to the storages of a table is made of."""
    return {
        "columns": table.plan.columns,
        "past_columns": table.plan.past_columns,
        "left_behind": table.found.left_behind,
    }


def _row(*values: Any) -> Row:
    """A row of `int_ticdc__typed_plans`, with the plan itself; without values a table is gone."""
    fields = KnownRow.__struct_fields__
    return dict(zip(fields, (*values, *[None] * (len(fields) - len(values))), strict=True))


def _is_listed(table: TypedTable, run: Run) -> bool:
    history = table.history
    notes = [table.stored_rows] if table.stored_rows else []
    if history is not None:
        if history.choice != "kept":
            return True
        notes.append(NamedStorage(history.name, history.choices["kept"].state))
    told = {**table.row, "plan": _json(table.row["plan"], sort_keys=True)}
    return (
        bool(table.changes)
        or told != table.known_row
        or any(run.storages.get(note.name) != note.state for note in notes)
    )


def _stale(
    tables: Sequence[_Table], storages: Iterable[str], known: Mapping[Key, _Known], request: Request
) -> Iterator[Stale]:
    wanted = {_key(kind, relation) for table in tables for kind, relation in table.relations.items()}
    wanted |= {_key(_STORAGE, storage) for storage in storages}
    own_schemas = [schema.lower() for schema in request.settings.own_schemas]
    for (feed, *_), each in known.items():
        for kind, relation in each.all_relations if feed in request.configured else ():
            key = _key(kind, relation)
            schema, _, name = key.partition(".")
            # a model of the package may have the name of a typed table that it once wrote
            is_own = kind not in (_STORAGE, _HISTORY_STORAGE) and schema in own_schemas and OF_PACKAGE.match(name)
            if key not in wanted and not is_own:
                is_storage = kind in (_STORAGE, _HISTORY_STORAGE)
                what = "function" if kind == AS_OF_FUNCTION else "view"
                dropping = None if is_storage else f"drop {what} if exists {relation}"
                yield Stale(kind, relation, key, name_of(relation), dropping)


def _schemas(tables: Iterable[TypedTable]) -> Mapping[str, str]:
    schemas = sorted({change.schema for table in tables for change in table.changes if not change.problem})
    return {schema: f"create schema if not exists {identifier(schema)}" for schema in schemas}


def _names(tables: Iterable[TypedTable], stale: Iterable[Stale]) -> Mapping[str, Mapping[str, Sequence[str]]]:
    keys = {each.key for each in stale}
    for table in tables:
        of_table = [*table.changes, *(table.unstored.changes if table.unstored else ())]
        keys.update(key for change in [*of_table, table.storing] if change for key in change.names)
    names: dict[str, dict[str, list[str]]] = {}
    for key in sorted(keys):
        schema, _, name = key.partition(".")
        of_schema = names.setdefault(schema, {"relations": [], "functions": []})
        of_schema["functions" if name.endswith(_FUNCTION) else "relations"].append(name.removesuffix(_FUNCTION))
    return names


def _unmarked(known: Iterable[_Known], mark: str) -> Iterator[str]:
    """What a run made before there was a mark, when plans held the statements themselves."""
    for each in known:
        for kind, statement in each.plan.statements.items():
            relation = each.relations.get(kind)
            if relation and statement and " " in statement and mark not in statement:
                yield _key(kind, relation)


_FUNCTION = "()"


def _key(kind: str, relation: str) -> str:
    """What tells relations apart, as functions and tables may have the same name."""
    return relation.replace("`", "").lower() + (_FUNCTION if kind == AS_OF_FUNCTION else "")


def _json(value: Any, sort_keys: bool = False) -> str:
    """The JSON text that dbt's `tojson` gives."""
    return json.dumps(msgspec.to_builtins(value), sort_keys=sort_keys)


def _hash(value: Any) -> str:
    return _md5(_json(value))


def _md5(text: str) -> str:
    return md5(text.encode(), usedforsecurity=False).hexdigest()


def remembered_plans(tables: Iterable[Remembered]) -> list[Row]:
    """The rows of plans that changed, of what was made: of a relation that was not, what a run before made is there."""
    rows = []
    for table in tables:
        plan = table.row["plan"]
        row = _with_plan(table) if plan else table.row
        if row != table.known_row:
            rows.append(row)
    return rows


def _with_plan(table: Remembered) -> Row:
    row, plan = dict(table.row), dict(table.row["plan"])
    statements, refused = dict(plan["statements"]), dict(plan["refused"])
    for unmade in table.unmade:
        refused[unmade.kind] = statements.pop(unmade.kind)
        if unmade.was and unmade.stands:
            statements[unmade.kind] = unmade.was["statement"]
        elif unmade.named_in:
            (plan if unmade.kind == AS_OF_FUNCTION else row)[unmade.named_in] = None
        plan |= unmade.otherwise
    # a history that cannot be made is told of itself
    unstored = table.unstored_for if HISTORY_VIEW not in refused else ()
    plan |= {
        "problems": [*plan["problems"], *(unmade.problem for unmade in table.unmade), *unstored],
        "statements": {} if table.is_pending else statements,
        "refused": refused,
    }
    return {**row, "plan": _json(plan, sort_keys=True)}


def remembered_batch(texts: pa.Array[Any]) -> pa.Array[Any]:
    """`remembered_plans` for JSON texts."""
    # no decoder is kept, as Spark sends this function to its workers
    read = partial(msgspec.json.decode, type=tuple[Remembered, ...])
    return pa.array([None if text is None else remembered_plans(read(text)) for text in texts.to_pylist()], _PLANS)


_FIELDS = [(name, pa.int64() if name == "table_incarnation" else pa.string()) for name in KnownRow.__struct_fields__]
_PLANS = pa.list_(pa.struct(_FIELDS))
PLANS_SQL_TYPE = (
    "array<struct<"
    + ", ".join(f"{name}: {'bigint' if kind == pa.int64() else 'string'}" for name, kind in _FIELDS)
    + ">>"
)
"""Rows of `int_ticdc__typed_plans`, without the run."""

_read_plan = msgspec.json.Decoder(KnownPlan).decode


def _in_rows(answer: Answer | StorageAnswer) -> list[Answer | StorageAnswer | StoredTable]:
    """What is of all tables, then the tables: servers refuse a row of a hundred megabytes."""
    return [msgspec.structs.replace(answer, tables=()), *answer.tables]


def _relations(found: Iterable[FoundTable], rows: Iterable[KnownRow], request: Request) -> list[Any]:
    return _in_rows(relations_of(found, rows, request))


def _storages(found: Iterable[FoundStorage], rows: Iterable[KnownRow], request: StorageRequest) -> list[Any]:
    return _in_rows(stored_tables(found, rows, request))


relations_batch = rows_by_json(_relations, tuple[FoundTable, ...], tuple[KnownRow, ...], Request)
"""`relations_of` for JSON texts: the answer without its tables, then these."""

storages_batch = rows_by_json(_storages, tuple[FoundStorage, ...], tuple[KnownRow, ...], StorageRequest)
"""`stored_tables` for JSON texts, alike."""
