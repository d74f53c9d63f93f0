"""In which order what DDL does to rows is written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from msgspec import Struct

from ticdc_udfs.runs.progress import CauseKind


class DdlCommit(Struct, frozen=True):
    """A commit (TSO) of a feed at which DDL moves rows of some tables, by their ids, or gives rows of some new columns.

    What is `new` lies after all that is settled. Of the rest, what is `settled` was applied, what is `late` was not
    known then, and what is `gone` was another one.
    """

    feed: str
    commit_ts: int
    moved_tables: Sequence[str] = ()
    widened_tables: Sequence[str] = ()
    state: Literal["new", "settled", "late", "gone"] = "new"

    def is_changed_by(self, late: DdlCommit) -> bool:
        """Whether it would have found other rows, had it come after another one, or is written together with that."""
        if self.feed != late.feed or self.commit_ts < late.commit_ts:
            return False
        tables = {*self.moved_tables, *self.widened_tables}
        return self.commit_ts == late.commit_ts or not tables.isdisjoint((*late.moved_tables, *late.widened_tables))


class DdlPasses(Struct, frozen=True):
    """Commits of DDL that move rows, pass after pass (feed and commit), and what all of them tell.

    `last_commits` has the last commit of each feed that has any; `gives_columns` says whether one gives new columns.
    `late` are those at or below what is settled. Feeds with `causes` are to be carried again first: there are no passes
    then. A cause says why, and by which commit of DDL.
    """

    passes: Sequence[Sequence[tuple[str, int]]]
    gives_columns: bool
    last_commits: dict[str, int]
    late: Sequence[tuple[str, int]] = ()
    causes: Mapping[str, tuple[CauseKind, int | None]] = {}


def ddl_passes(ddl_commits: Iterable[DdlCommit], late_rows: Iterable[str] = ()) -> DdlPasses:
    """Puts each commit into the first pass after those that touch one of its tables before it.

    `late_rows` are feeds of which rows came that lie before DDL of their table that is settled.
    """
    in_order = sorted(ddl_commits, key=lambda each: each.commit_ts)
    settled = [each for each in in_order if each.state == "settled"]
    late = [each for each in in_order if each.state == "late"]
    changed = [each for each in late if any(other.is_changed_by(each) for other in settled)]
    causes: dict[str, tuple[CauseKind, int | None]] = {feed: ("late_row", None) for feed in late_rows}
    # the first commit of a feed counts
    for each in reversed([*changed, *(each for each in in_order if each.state == "gone")]):
        causes[each.feed] = "late_effect", each.commit_ts
    if causes:
        return DdlPasses([], False, {}, causes=causes)
    to_write = [each for each in in_order if each.state in ("new", "late")]
    passes: list[list[tuple[str, int]]] = []
    seen: dict[tuple[str, str], int] = {}
    for commit in to_write:
        if not commit.moved_tables:
            continue
        tables = [(commit.feed, table) for table in commit.moved_tables]
        number = max(seen.get(table, 0) for table in tables)
        if number == len(passes):
            passes.append([])
        passes[number].append((commit.feed, commit.commit_ts))
        seen.update(dict.fromkeys(tables, number + 1))
    return DdlPasses(
        passes,
        any(commit.widened_tables for commit in to_write),
        {commit.feed: commit.commit_ts for commit in to_write},
        tuple((each.feed, each.commit_ts) for each in late),
    )
