"""In which order what DDL does to rows is written."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct


class DdlCommit(Struct, frozen=True):
    """A commit (TSO) of a feed at which DDL moves rows of these tables, by their ids, or gives rows new columns."""

    feed: str
    commit_ts: int
    moved_tables: Sequence[str]
    gives_columns: bool


class DdlPasses(Struct, frozen=True):
    """Commits of DDL that move rows, pass after pass (feed and commit), and what all of them tell.

    `last_commits` has the last commit of each feed that has any; `gives_columns` says whether one gives new columns.
    """

    passes: Sequence[Sequence[tuple[str, int]]]
    gives_columns: bool
    last_commits: dict[str, int]


def ddl_passes(ddl_commits: Iterable[DdlCommit]) -> DdlPasses:
    """Puts each commit into the first pass after those that touch one of its tables before it."""
    in_order = sorted(ddl_commits, key=lambda each: each.commit_ts)
    passes: list[list[tuple[str, int]]] = []
    seen: dict[tuple[str, str], int] = {}
    for commit in in_order:
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
        any(commit.gives_columns for commit in in_order),
        {commit.feed: commit.commit_ts for commit in in_order},
    )
