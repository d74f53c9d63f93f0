"""In which order what DDL does to rows is written."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct


class Moment(Struct, frozen=True):
    """A commit (TSO) of a feed at which DDL moves rows of these tables, by their ids, or gives rows new columns."""

    feed: str
    commit_ts: int
    moved_tables: Sequence[str]
    gives_columns: bool


class Rounds(Struct, frozen=True):
    """Moments that move rows, round after round (feed and commit), and what all of them tell.

    `last_moments` has the last commit of each feed that has any; `gives_columns` says whether one gives new columns.
    """

    rounds: Sequence[Sequence[tuple[str, int]]]
    gives_columns: bool
    last_moments: dict[str, int]


def rounds_of_moments(moments: Iterable[Moment]) -> Rounds:
    """Puts each moment into the first round after those that touch one of its tables before it."""
    in_order = sorted(moments, key=lambda each: each.commit_ts)
    rounds: list[list[tuple[str, int]]] = []
    seen: dict[tuple[str, str], int] = {}
    for moment in in_order:
        if not moment.moved_tables:
            continue
        tables = [(moment.feed, table) for table in moment.moved_tables]
        number = max(seen.get(table, 0) for table in tables)
        if number == len(rounds):
            rounds.append([])
        rounds[number].append((moment.feed, moment.commit_ts))
        seen.update(dict.fromkeys(tables, number + 1))
    return Rounds(
        rounds,
        any(moment.gives_columns for moment in in_order),
        {moment.feed: moment.commit_ts for moment in in_order},
    )
