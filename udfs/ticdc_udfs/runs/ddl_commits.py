"""Which DDL a run applies to rows, in which order, and of which feeds it applies all anew."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from ticdc_udfs.runs.progress import Cause, CauseKind, Settled, feeds_to_rebuild


class DdlEffect(Struct, frozen=True):
    """What a commit (TSO) of DDL does to the rows of a table: it moves some, or gives them new columns.

    `is_known` says whether the catalogue had it when DDL was last applied, `is_there` whether it has it now.
    """

    feed: str
    commit_ts: int
    table_id: str
    to_table_id: str | None = None
    moves_rows: bool = False
    is_known: bool = False
    is_there: bool = True


class DdlCommit(Struct):
    """A commit of a feed, with the tables whose rows move and those whose rows get new columns, by their ids.

    What is `new` lies after all that is settled. Of the rest, what is `settled` was applied, what is `late` was not
    known then, and what is `gone` was another one.
    """

    feed: str
    commit_ts: int
    state: Literal["new", "settled", "late", "gone"]
    moved_tables: set[str]
    widened_tables: set[str]

    def is_changed_by(self, late: DdlCommit) -> bool:
        """Whether it would have found other rows, had it come after another one, or is written together with that."""
        if self.feed != late.feed or self.commit_ts < late.commit_ts:
            return False
        tables = self.moved_tables | self.widened_tables
        return self.commit_ts == late.commit_ts or not tables.isdisjoint(late.moved_tables | late.widened_tables)


class DdlStep(Struct, frozen=True):
    """A statement that applies some commits, feed to TSOs: it moves rows, or gives them new columns."""

    effect: Literal["moves", "columns"]
    ddl_commits: Mapping[str, Sequence[int]]


class DdlPasses(Struct, frozen=True):
    """What a run writes, and `progress`, which is noted.

    Of the feeds that are `rebuilt`, all DDL is applied anew. `is_idle` says that there is nothing to write.
    """

    progress: Settled
    steps: Sequence[DdlStep] = ()
    rebuilt: Sequence[str] = ()
    is_idle: bool = False


def ddl_passes(
    effects: Sequence[DdlEffect], late_rows: Iterable[str], settled: Settled, changes: Settled, run_id: int
) -> DdlPasses:
    """Decides what a run applies of the `effects`, by what was `settled` and how far the changes go.

    `late_rows` are feeds of which rows came that lie before DDL of their table that is settled.
    """
    redriven = dict(changes.redriven)
    # what was carried anew for itself stays noted for those that follow
    for feed, rebuilt_by in settled.redriven.items():
        redriven[feed] = max(rebuilt_by, redriven.get(feed, 0))
    rebuilt = feeds_to_rebuild(settled, redriven)
    bounds = _without(settled.bounds, rebuilt)
    # what came late changes what was carried after it
    causes = _causes(_ddl_commits(effects, bounds, changes.bounds), [feed for feed in late_rows if feed in bounds])
    rebuilt += causes
    bounds = _without(bounds, causes)
    to_apply = [commit for commit in _ddl_commits(effects, bounds, changes.bounds) if commit.state in ("new", "late")]
    if settled.run_id and not to_apply and not rebuilt:
        return DdlPasses(replace(settled, run_id=run_id), is_idle=True)
    widened = _by_feed(commit for commit in to_apply if commit.widened_tables)
    # a bound that comes after DDL that is applied may lie before it
    for feed, commit_ts in [*((each.feed, each.commit_ts) for each in to_apply), *changes.bounds.items()]:
        bounds[feed] = max(commit_ts, bounds.get(feed, 0))
    noted = {feed: Cause(kind, run_id, commit_ts) for feed, (kind, commit_ts) in causes.items()}
    return DdlPasses(
        Settled(run_id, bounds, redriven | dict.fromkeys(causes, run_id), causes={**settled.causes, **noted}),
        [DdlStep("moves", moved) for moved in _passes(to_apply)] + ([DdlStep("columns", widened)] if widened else []),
        rebuilt,
    )


def _ddl_commits(
    effects: Iterable[DdlEffect], bounds: Mapping[str, int], through: Mapping[str, int]
) -> list[DdlCommit]:
    """The commits through those of `through`, in their order; those through `bounds` are settled."""
    found: dict[tuple[str, int, str], DdlCommit] = {}
    for effect in effects:
        feed, commit_ts = effect.feed, effect.commit_ts
        state: Literal["new", "settled", "late", "gone"]
        if commit_ts > bounds.get(feed, 0):
            if not effect.is_there or commit_ts > through.get(feed, commit_ts):
                continue
            state = "new"
        elif effect.is_there:
            state = "settled" if effect.is_known else "late"
        else:
            state = "gone"
        commit = found.setdefault((feed, commit_ts, state), DdlCommit(feed, commit_ts, state, set(), set()))
        tables = commit.moved_tables if effect.moves_rows else commit.widened_tables
        tables.update({effect.table_id, effect.to_table_id or effect.table_id})
    return sorted(found.values(), key=lambda each: each.commit_ts)


def _causes(in_order: Sequence[DdlCommit], late_rows: Iterable[str]) -> dict[str, tuple[CauseKind, int | None]]:
    """Why feeds are to be carried anew, and by which commit of DDL: the first one of a feed counts."""
    settled = [each for each in in_order if each.state == "settled"]
    causes: dict[str, tuple[CauseKind, int | None]] = {feed: ("late_row", None) for feed in late_rows}
    changing = [
        each
        for each in in_order
        if each.state == "gone" or (each.state == "late" and any(other.is_changed_by(each) for other in settled))
    ]
    for each in reversed(changing):
        causes[each.feed] = "late_effect", each.commit_ts
    return causes


def _passes(in_order: Iterable[DdlCommit]) -> list[dict[str, list[int]]]:
    """Puts each commit that moves rows into the first pass after those that touch one of its tables before it."""
    passes: list[list[DdlCommit]] = []
    seen: dict[tuple[str, str], int] = {}
    for commit in in_order:
        if not commit.moved_tables:
            continue
        tables = [(commit.feed, table) for table in commit.moved_tables]
        number = max(seen.get(table, 0) for table in tables)
        if number == len(passes):
            passes.append([])
        passes[number].append(commit)
        seen.update(dict.fromkeys(tables, number + 1))
    return [_by_feed(each) for each in passes]


def _by_feed(ddl_commits: Iterable[DdlCommit]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for commit in ddl_commits:
        found.setdefault(commit.feed, []).append(commit.commit_ts)
    return found


def _without(bounds: Mapping[str, int], feeds: Collection[str]) -> dict[str, int]:
    return {feed: bound for feed, bound in bounds.items() if feed not in feeds}
