"""What the changes of a run are made of, and what is noted of them for the next one."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from ticdc_udfs.runs.progress import Cause, Settled, feeds_to_rebuild, newest_causes

_MOST_TABLES = 200
"""Readers carry the list of tables with split changes: of more than these it tells the feed."""


class SettledChanges(Settled, frozen=True, rename={"has_keyless_rows": "has_bags"}):
    """What `int_ticdc__changes` was made of, besides what its rows tell.

    `has_keyless_rows`, which states name `has_bags`, says whether a table has no key, `first_commits` has the first
    commit of each feed, `updated` the feeds that have updates, `split` the tables whose commits may change a key twice
    (feed and table id, which is empty where all of the feed may; none where an older version noted nothing), `loads`
    the ids of the initial loads that were taken, `loaded` the hash of each one's table as it was then. `exact` has
    feeds with rows that tell their commit, and `inexact` those with rows that tell its millisecond, as far as asked.
    """

    has_keyless_rows: bool = False
    first_commits: Mapping[str, int] = {}
    updated: tuple[str, ...] = ()
    split: tuple[tuple[str, str], ...] | None = None
    loads: tuple[str, ...] = ()
    loaded: Mapping[str, str | None] = {}
    exact: tuple[str, ...] = ()
    inexact: tuple[str, ...] = ()


class Arrival(Struct, frozen=True):
    """The rows of a feed that a run takes, as `arrivals` of `int_ticdc__changes_plan` tells of them."""

    feed: str
    first_commit_ts: int = 0
    first_keyless_commit_ts: int | None = None
    some_are_updates: bool = False
    some_are_inexact: bool = False
    some_are_exact: bool = True
    some_are_whole: bool = False
    some_wait_for_cells: bool = False
    some_have_gaps: bool = False


class Load(Struct, frozen=True, rename={"schema_name": "schema", "table_name": "table"}):
    """An initial load, as `initial_loads` gives it, and its table as it is now.

    `fingerprint` is a hash of the table's version that begins with the load, none where there is no such version;
    `is_changed` says whether the load was taken when it was another one.
    """

    id: str
    feed: str
    schema_name: str
    table_name: str
    commit_ts: int
    key_columns: str
    fingerprint: str | None = None
    has_key: bool = True
    is_changed: bool = False


class ChangesProgress(Struct, frozen=True):
    """What a run takes: `progress`, which is noted, `loads`, and what its queries are rendered by.

    `first_commit_ts` is that of the first row, `first_keyless_commit_ts` of the first one without key, 0 where there
    is none; `is_exact` says whether each row tells its commit, `waits_for_cells` which rows there are: whole ones
    (false), and those that wait for cells (true); `some_have_gaps` says whether offsets have gaps, or come twice,
    `is_mixed` whether rows may come again that told their commit otherwise: a millisecond alone, or a TSO. `rebuilt`
    are the feeds that are rebuilt. Changes through the commits in `shown_through` are late, as their feeds were shown
    through these: not those of feeds whose dead letters are read again. Of feeds that are `shown_again`, as DDL came
    below their bound, only changes are late that were late, or were not there. `is_idle` says that there is nothing to
    take.
    """

    progress: SettledChanges
    loads: Sequence[Load]
    first_commit_ts: int
    has_keyless_rows: bool
    first_keyless_commit_ts: int
    is_exact: bool
    waits_for_cells: Sequence[bool]
    some_have_gaps: bool
    is_mixed: bool
    rebuilt: Sequence[str]
    shown_through: Mapping[str, int]
    shown_again: Sequence[str]
    is_idle: bool


def changes_progress(
    arrivals: Sequence[Arrival], loads: Sequence[Load], settled: SettledChanges, rows: Settled, run_id: int
) -> ChangesProgress:
    """What a run takes of `arrivals` and `loads`, where `rows` says how far rows go.

    What came since may tell of the table at the commit of its load: its key, its types, its incarnation. Its feed is
    rebuilt then, as those that `rows` names.
    """
    redriven = {feed: max(rows.redriven.get(feed, 0), settled.redriven.get(feed, 0)) for feed in _keys(rows, settled)}
    changed = {load.feed: load for load in loads if load.is_changed}
    redriven.update(dict.fromkeys(changed, run_id))
    of_loads = {feed: Cause("changed_load", run_id, load.commit_ts) for feed, load in changed.items()}
    rebuilt = feeds_to_rebuild(settled, redriven)
    shown_again = [feed for feed in rebuilt if rows.late.get(feed) == redriven[feed]]
    taken = [id for id in settled.loads if json.loads(id)[0] not in rebuilt]
    to_take = [
        load for load in loads if load.id not in taken and load.commit_ts <= rows.bounds.get(load.feed, load.commit_ts)
    ]
    first_keyless = [each.first_keyless_commit_ts for each in arrivals if each.first_keyless_commit_ts is not None]
    firsts = {feed: commit_ts for feed, commit_ts in settled.first_commits.items() if feed not in rebuilt}
    begun = [(each.feed, each.first_commit_ts) for each in arrivals] + [(load.feed, load.commit_ts) for load in to_take]
    for feed, commit_ts in begun:
        firsts[feed] = min(firsts.get(feed, commit_ts), commit_ts)
    some_are_whole = any(each.some_are_whole for each in arrivals)
    some_wait = any(each.some_wait_for_cells for each in arrivals)
    exact = {*settled.exact, *(each.feed for each in arrivals if each.some_are_exact)}
    inexact = {*settled.inexact, *(each.feed for each in arrivals if each.some_are_inexact)}
    # a state of a version that noted neither
    untold = settled.first_commits.keys() - {*settled.exact, *settled.inexact}
    return ChangesProgress(
        progress=SettledChanges(
            run_id=rows.run_id,
            bounds=rows.bounds,
            redriven=redriven,
            newest=rows.newest,
            late=rows.late,
            causes=newest_causes(settled.causes, rows.causes, of_loads),
            has_keyless_rows=settled.has_keyless_rows
            or bool(first_keyless)
            or any(_lacks_key(load) for load in to_take),
            first_commits=firsts,
            updated=tuple(sorted({*settled.updated, *(each.feed for each in arrivals if each.some_are_updates)})),
            split=settled.split if settled.run_id else (),
            loads=(*taken, *(load.id for load in to_take)),
            loaded={id: settled.loaded[id] for id in taken if id in settled.loaded}
            | {load.id: load.fingerprint for load in to_take},
            exact=tuple(sorted(exact)),
            inexact=tuple(sorted(inexact)),
        ),
        loads=to_take,
        first_commit_ts=min((each.first_commit_ts for each in arrivals), default=0),
        has_keyless_rows=bool(first_keyless),
        first_keyless_commit_ts=min(first_keyless, default=0),
        is_exact=not any(each.some_are_inexact for each in arrivals),
        waits_for_cells=[False] * (some_are_whole or not some_wait) + [True] * some_wait,
        some_have_gaps=any(each.some_have_gaps for each in arrivals),
        is_mixed=any(each.feed in exact & inexact | untold for each in arrivals),
        rebuilt=rebuilt,
        shown_through={
            feed: commit_ts for feed, commit_ts in settled.bounds.items() if feed not in rebuilt or feed in shown_again
        },
        shown_again=shown_again,
        is_idle=bool(settled.run_id)
        and (settled.run_id, settled.bounds) == (rows.run_id, rows.bounds)
        and not rebuilt
        and not to_take,
    )


def split_tables(written: Iterable[tuple[str, str]], split: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """The tables of which a commit may change a key twice: those known, and those written now.

    A table is its feed and its id, which is empty where any table of the feed may be one.
    """
    tables = {*split, *written}
    counts = Counter(feed for feed, _ in tables)
    whole = {feed for feed, table_id in tables if not table_id or counts[feed] > _MOST_TABLES}
    return sorted({(feed, "" if feed in whole else table_id) for feed, table_id in tables})


def _keys(*states: Settled) -> dict[str, None]:
    return dict.fromkeys(feed for state in states for feed in state.redriven)


def _lacks_key(load: Load) -> bool:
    return load.key_columns == "[]" and not load.has_key
