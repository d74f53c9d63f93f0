"""How the newest states of rows take in what came since."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from ticdc_udfs.runs.progress import Settled, feeds_to_rebuild

_LEAST_SHARE = 4
"""All states become one batch again where those over the first one have more rows than one of so many in that."""


class SettledLatest(Settled, frozen=True):
    """What `int_ticdc__latest` was made of; `base` is the run of its first batch, which the later ones lie over."""

    base: int = 0


class LatestFacts(Struct, frozen=True):
    """The changes that came since, and the states that are there.

    `late_run_id` is the last run with a change of a row without key that lies before known ones.
    """

    arrivals: int
    base_rows: int
    later_rows: int
    first_commit_ts: int | None = None
    late_run_id: int | None = None
    last_commit_ts: int | None = None


class LatestState(Struct, frozen=True):
    """How changes are taken in.

    `run_id` is the newest run that the states have, 0 where all are rebuilt; `merge` says whether they become one
    batch, `late` whether a change may be older than a state, `redriven` has the feeds that are rebuilt. `settles` is
    noted.
    """

    run_id: int
    merge: bool
    late: bool
    redriven: Sequence[str]
    is_idle: bool
    settles: SettledLatest


def latest_state(facts: LatestFacts, settled: SettledLatest, redriven: Mapping[str, int], run_id: int) -> LatestState:
    """Says how a run takes the changes in; `redriven` has, by feed, the last run by which its changes were rebuilt."""
    whole = SettledLatest(run_id, redriven=redriven, base=run_id)
    # a late change of a keyless row numbers its copies again
    if (facts.late_run_id or 0) > settled.run_id:
        return LatestState(0, True, False, [], False, whole)
    feeds = feeds_to_rebuild(settled, redriven)
    is_much = facts.arrivals > 0 and (facts.later_rows + facts.arrivals) * _LEAST_SHARE > facts.base_rows
    is_late = (
        facts.first_commit_ts is not None
        and facts.last_commit_ts is not None
        and facts.first_commit_ts <= facts.last_commit_ts
    )
    merge = is_much or bool(feeds)
    settles = whole if merge else replace(whole, base=settled.base)
    return LatestState(settled.run_id, merge, is_late, feeds, not facts.arrivals and not feeds, settles)
