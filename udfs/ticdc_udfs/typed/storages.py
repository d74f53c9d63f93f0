"""What is stored of large typed tables and their histories, and what a run adds to it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from ticdc_udfs.typed.plans import Column, LeftBehind, PastColumn
from ticdc_udfs.typed.sql import Counted, Shape, Written, counts, history_statements, name_of, row_statements

Batch = tuple[int, int]
"""The run that wrote a batch, and how often it was compacted."""

_MOST_BATCHES = 8


class Settled(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a stored history was made of, besides the changes that arrived; nothing of the rows of a table.

    `run_id` is the run whose changes it has, `rows_of` the hash of the batches that it asked, as the macro
    `rows_of_histories` gives it.
    """

    run_id: int | None = None
    made_of: tuple[str | tuple[int | None, int | None], ...] | None = None
    rows_of: str | None = None


class Stored(msgspec.Struct, frozen=True):
    """What the state of a run says of a storage, as of any stored table."""

    batches: tuple[Batch, ...] = ()
    since: Mapping[str, int] = {}
    settled: Settled = Settled()

    @property
    def generations(self) -> tuple[int, ...]:
        """The runs that wrote it."""
        return tuple(run_id for run_id, _ in self.batches)


class Built(msgspec.Struct, frozen=True):
    """Since which run the rows of a model count that histories are made of: all, and those of a feed."""

    anew: int | None = None
    since: Mapping[str, int] = {}


class Run(msgspec.Struct, frozen=True):
    """The run: its state of what histories are made of, and of storages by their names without schema."""

    run_id: int
    rows_of: str
    models: tuple[Built, ...]
    storages: Mapping[str, Stored]
    is_refresh: bool = False


class NamedStorage(msgspec.Struct, frozen=True):
    """A storage by its name without schema, and what the state is to say of it after the run."""

    name: str
    state: Stored


class Addition(msgspec.Struct, frozen=True):
    """What a run makes of a stored history.

    `since` is the run after which rows changed whose versions are to be stored: 0 for all, None where there are none.
    `statements` store them.
    """

    state: Stored
    since: int | None
    is_made: bool = False
    statements: tuple[str, ...] = ()


class History(msgspec.Struct, frozen=True):
    """A stored history, `storage` quoted. Where `choice` is None, the storage and the changes are to be counted.

    `choices` are by name: `kept` where no change arrived, `whole` where what came since the base is a quarter of it,
    `added` otherwise.
    """

    name: str
    storage: str
    choices: Mapping[str, Addition]
    choice: str | None = None


class FoundStorage(msgspec.Struct, frozen=True):
    """An incarnation of a table, by what `int_ticdc__typed_storages` asks of it.

    `incarnations` is a hash of when each incarnation of the table was there.
    """

    feed: str
    table_id: str
    table_incarnation: int
    incarnations: str
    generations: tuple[int, ...] = ()
    last_generation: int = 0
    is_keyless: bool = False


class KnownStorage(msgspec.Struct, frozen=True):
    """What a plan says of the storages of a table; without columns it has none, or is of a version that told none."""

    storage: str | None = None
    history_storage: str | None = None
    columns: tuple[Column, ...] = ()
    past_columns: tuple[PastColumn, ...] | None = None
    left_behind: tuple[LeftBehind, ...] = ()


class KnownRow(msgspec.Struct, frozen=True):
    """A row of `int_ticdc__typed_plans`, the newest of a table; `key_columns` and `plan` are JSON texts."""

    feed: str
    schema_name: str
    table_name: str
    table_id: str | None = None
    key_columns: str | None = None
    current_relation: str | None = None
    history_relation: str | None = None
    plan: str = "{}"
    table_incarnation: int | None = None


class StoredTable(msgspec.Struct, frozen=True, kw_only=True):
    """What a run stores of a typed table by `statements`, and notes of it: of its rows, and of its history."""

    stored_rows: NamedStorage | None
    history: History | None
    statements: tuple[str, ...] = ()


class StorageRequest(msgspec.Struct, frozen=True):
    """What a run is told that adds to storages."""

    run: Run
    written: Written


class StorageAnswer(msgspec.Struct, frozen=True):
    """The tables that a run adds to; `counts` are queries that choose, by the places of tables, as `History` says."""

    tables: tuple[StoredTable, ...]
    counts: tuple[str, ...]


def stored_rows(storage: str | None, generations: Iterable[int]) -> NamedStorage | None:
    """What the state is to say of the stored rows of a table; None where it is not stored, or has none."""
    batches = tuple((generation, 0) for generation in generations)
    return NamedStorage(name_of(storage), Stored(batches)) if storage and batches else None


def history_of(table: FoundStorage, storage: str, run: Run) -> History:
    """What the run makes of a stored history, quoted.

    All is stored again where something else than arriving changes made it another one, or where what came since the
    base is a quarter of it; what came since is written once more as one before its batches are many.
    """
    name = name_of(storage)
    known = run.storages.get(name, Stored())
    before = known.settled
    built = tuple((model.anew, model.since.get(table.feed)) for model in run.models)
    now = Settled(run.run_id, (table.incarnations, *built), run.rows_of)
    kept = Addition(Stored(known.batches, {}, msgspec.structs.replace(before, rows_of=run.rows_of)), None)
    whole = Addition(Stored(((run.run_id, 0),), {}, now), 0, not known.batches)
    if before.run_id == run.run_id and before.rows_of == run.rows_of:
        return History(name, storage, {"kept": kept}, "kept")
    if not known.batches or before.run_id is None or before.made_of != now.made_of or run.is_refresh:
        return History(name, storage, {"whole": whole}, "whole")
    if before.rows_of == run.rows_of or table.last_generation <= before.run_id:
        return History(name, storage, {"kept": kept}, "kept")
    is_merged = len(known.batches) > _MOST_BATCHES
    batches = (*(known.batches[:1] if is_merged else known.batches), (run.run_id, 0))
    added = Addition(Stored(batches, {}, now), known.batches[0][0] if is_merged else before.run_id)
    return History(name, storage, {"kept": kept, "whole": whole, "added": added})


def history_to_store(shape: Shape, history: History, written: Written) -> History:
    """The history with the statements of each choice."""
    choices = {
        name: msgspec.structs.replace(
            choice, statements=history_statements(shape, written, history.storage, choice.since, choice.is_made)
        )
        for name, choice in history.choices.items()
    }
    return msgspec.structs.replace(history, choices=choices)


def choosing_queries(histories: Iterable[tuple[Shape, History | None]], written: Written) -> tuple[str, ...]:
    """The queries that choose what becomes of histories, by their places."""
    return counts(
        (
            Counted(place, shape, history.storage, kept.settled.run_id or 0, kept.generations)
            for place, (shape, history) in enumerate(histories)
            if history is not None and history.choice is None
            for kept in [history.choices["kept"].state]
        ),
        written,
    )


def stored_tables(found: Iterable[FoundStorage], known: Iterable[KnownRow], request: StorageRequest) -> StorageAnswer:
    """The typed tables with storages that the run may add to: those of `run`, which a plan tells the columns of."""
    plans = {(row.feed, row.table_id, row.table_incarnation): row for row in known}
    storages = request.run.storages
    tables = []
    for table in found:
        row = plans.get((table.feed, table.table_id, table.table_incarnation))
        if row is None or table.is_keyless:
            continue
        plan = _read_plan(row.plan)
        storage, history = (
            each if each and storages.get(name_of(each), Stored()).batches else None
            for each in (plan.storage, plan.history_storage)
        )
        if plan.columns and (storage or history):
            shape = _shape(table, row, plan)
            tables.append((shape, _stored_table(table, shape, storage, history, request)))
    choosing = choosing_queries(((shape, table.history) for shape, table in tables), request.written)
    return StorageAnswer(tuple(table for _, table in tables), choosing)


def _shape(table: FoundStorage, row: KnownRow, plan: KnownStorage) -> Shape:
    return Shape(
        table.feed,
        table.table_id,
        table.table_incarnation,
        plan.columns,
        _read_names(row.key_columns or "[]"),
        plan.past_columns,
        plan.left_behind,
    )


def _stored_table(
    table: FoundStorage, shape: Shape, storage: str | None, history: str | None, request: StorageRequest
) -> StoredTable:
    run, written = request.run, request.written
    stored = run.storages[name_of(storage)].generations if storage else ()
    return StoredTable(
        stored_rows=stored_rows(storage, table.generations),
        history=history_to_store(shape, history_of(table, history, run), written) if history else None,
        statements=row_statements(shape, written, storage, table.generations, stored) if storage else (),
    )


_read_plan = msgspec.json.Decoder(KnownStorage).decode
_read_names = msgspec.json.Decoder(tuple[str, ...]).decode
