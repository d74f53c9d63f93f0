"""How far the events and the changes of each feed go: what a run takes, and what it notes for the next one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from msgspec import Struct

CauseKind = Literal[
    "dead_letters", "row_out_of_order", "ddl_out_of_order", "ddl_below_bound", "changed_load", "late_effect", "late_row"
]


class Cause(Struct, frozen=True):
    """Why a feed is made anew: what caused it, by which run it is, and at which commit (TSO), where one is known."""

    kind: CauseKind
    run_id: int
    commit_ts: int | None = None


class Settled(Struct, frozen=True):
    """What a table was made of, as the state notes it; commits are TSOs, runs are microseconds since 1970.

    `bounds` has the commit through which a feed is complete; a feed without watermarks has none. `redriven` has the
    last run by which a feed is to be rebuilt; `late` says by which of them because a DDL came below its bound.
    `newest` has, of feeds without bounds, the newest commit of a row and of a DDL.
    `causes` says why a feed was rebuilt last.
    """

    run_id: int = 0
    bounds: Mapping[str, int] = {}
    redriven: Mapping[str, int] = {}
    newest: Mapping[str, tuple[int, int]] = {}
    late: Mapping[str, int] = {}
    causes: Mapping[str, Cause] = {}


class SeenFeed(Struct, frozen=True):
    """What staging has of a feed, and the first and last commits of rows and DDL that came since a table was made."""

    feed: str
    last_run_id: int
    complete_through_ts: int | None = None
    redriven_run_id: int | None = None
    first_row_ts: int | None = None
    last_row_ts: int | None = None
    first_ddl_ts: int | None = None
    last_ddl_ts: int | None = None


class EventSettings(Struct, frozen=True):
    """Whether rows wait for watermarks, and which of the configured feeds send DDL."""

    is_bounded: bool
    ddl_feeds: Sequence[str]


class Suspect(Struct, frozen=True):
    """A feed of which rows or DDL came that belong before a DDL or rows that are settled, unless they are repeats.

    They are rows through the newest settled DDL, and DDL through the newest settled row.
    """

    feed: str
    rows_through_ts: int
    ddl_through_ts: int


class EventProgress(Struct, frozen=True):
    """How far events go now, and the feeds that may have come out of order.

    `shown` has the commit (TSO) through which changes of a feed with a bound are shown already.
    """

    progress: Settled
    suspects: Sequence[Suspect]
    shown: Mapping[str, int]


class OutOfOrder(Struct, frozen=True):
    """The first event of a feed, a row or a DDL, that came after others which lie behind it: its commit (TSO)."""

    feed: str
    kind: Literal["row", "ddl"]
    commit_ts: int


class ShownOtherwise(Struct, frozen=True):
    """A feed with changes that are shown with another version of their table, as DDL came below its bound.

    `commit_ts` (TSO) is that of the first such version.
    """

    feed: str
    commit_ts: int


def event_progress(seen: Iterable[SeenFeed], settled: Settled, settings: EventSettings) -> EventProgress:
    """How far events go: through the bounds of feeds, which never go back, and through the last run.

    Watermarks hold rows back until every DDL before them is there. Feeds without any have what came to go by.
    """
    run_id, bounds, redriven, newest, suspects = 0, {}, dict(settled.redriven), dict(settled.newest), []
    causes = dict(settled.causes)
    by_name = sorted(seen, key=lambda each: each.feed)
    for feed in by_name:
        run_id = max(run_id, feed.last_run_id)
        if feed.redriven_run_id is not None and feed.redriven_run_id > redriven.get(feed.feed, 0):
            redriven[feed.feed] = feed.redriven_run_id
            causes[feed.feed] = Cause("dead_letters", feed.redriven_run_id)
        if settings.is_bounded and feed.complete_through_ts is not None:
            bounds[feed.feed] = max(settled.bounds.get(feed.feed, 0), feed.complete_through_ts)
    for feed in by_name if run_id > settled.run_id else []:
        if feed.feed not in settings.ddl_feeds or feed.feed in settled.bounds:
            continue
        last_row, last_ddl = newest.get(feed.feed, (0, 0))
        if _is_through(feed.first_row_ts, last_ddl) or _is_through(feed.first_ddl_ts, last_row):
            suspects.append(Suspect(feed.feed, rows_through_ts=last_ddl, ddl_through_ts=last_row))
        newest[feed.feed] = max(last_row, feed.last_row_ts or 0), max(last_ddl, feed.last_ddl_ts or 0)
    # rows beyond the bound are shown where the feed had none before
    shown = {feed: max(bound, settled.newest.get(feed, (0, 0))[0]) for feed, bound in settled.bounds.items()}
    return EventProgress(Settled(run_id, bounds, redriven, newest, dict(settled.late), causes), suspects, shown)


def rebuilds(
    out_of_order: Iterable[OutOfOrder],
    shown_otherwise: Iterable[ShownOtherwise],
    progress: Settled,
    settled: Settled,
    run_id: int,
) -> Settled:
    """`progress`, with the feeds that `run_id` (microseconds since 1970) rebuilds for what came out of order or late.

    A feed that is rebuilt for its dead letters, or for its order, is not late for its DDL.
    """
    redriven, late, causes = dict(progress.redriven), dict(progress.late), dict(progress.causes)
    for each in out_of_order:
        redriven[each.feed] = progress.run_id
        kind: CauseKind = "row_out_of_order" if each.kind == "row" else "ddl_out_of_order"
        causes[each.feed] = Cause(kind, progress.run_id, each.commit_ts)
    for feed, commit_ts in ((each.feed, each.commit_ts) for each in shown_otherwise):
        if redriven.get(feed, 0) == settled.redriven.get(feed, 0):
            late[feed] = run_id
            causes[feed] = Cause("ddl_below_bound", run_id, commit_ts)
        redriven[feed] = run_id
    return Settled(progress.run_id, progress.bounds, redriven, progress.newest, late, causes)


def feeds_to_rebuild(settled: Settled, redriven: Mapping[str, int]) -> list[str]:
    """The feeds that a table has from before their rebuild, as the macro of this name says."""
    return [feed for feed, run_id in redriven.items() if settled.run_id and run_id > settled.redriven.get(feed, 0)]


def newest_causes(*told: Mapping[str, Cause]) -> dict[str, Cause]:
    """Of each feed the cause of the newest run, and of those of one run the last that is given."""
    found: dict[str, Cause] = {}
    for causes in told:
        for feed, cause in causes.items():
            if feed not in found or found[feed].run_id <= cause.run_id:
                found[feed] = cause
    return found


def _is_through(commit_ts: int | None, through_ts: int) -> bool:
    return commit_ts is not None and 0 < commit_ts <= through_ts
