"""How far events go: through watermarks, through runs, and again where a feed came out of order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import pytest

from ticdc_udfs.runs.progress import (
    Cause,
    EventSettings,
    OutOfOrder,
    SeenFeed,
    Settled,
    ShownOtherwise,
    Suspect,
    event_progress,
    rebuilds,
)

NOTHING = Settled()
DDL = EventSettings(is_bounded=True, ddl_feeds=["shop", "web"])


@dataclass(frozen=True)
class Case:
    seen: list[SeenFeed]
    settled: Settled = NOTHING
    settings: EventSettings = DDL
    progress: Settled = NOTHING
    suspects: list[Suspect] = field(default_factory=list)


CASES: Mapping[str, Case] = {
    "nothing is staged": Case([]),
    "the first run": Case(
        [SeenFeed("web", 7, complete_through_ts=40), SeenFeed("shop", 9, complete_through_ts=0)],
        progress=Settled(9, {"shop": 0, "web": 40}, newest={"shop": (0, 0), "web": (0, 0)}),
    ),
    "a row at a settled DDL before the feed had a bound": Case(
        [SeenFeed("shop", 9, complete_through_ts=60, first_row_ts=30, last_row_ts=30)],
        Settled(7, newest={"shop": (40, 30)}),
        progress=Settled(9, {"shop": 60}, newest={"shop": (40, 30)}),
        suspects=[Suspect("shop", rows_through_ts=30, ddl_through_ts=40)],
    ),
    "a bound never goes back": Case(
        [SeenFeed("shop", 9, complete_through_ts=30)], Settled(7, {"shop": 40}), progress=Settled(9, {"shop": 40})
    ),
    "a feed that is gone has no bound": Case(
        [SeenFeed("shop", 9, complete_through_ts=30)],
        Settled(7, {"shop": 20, "web": 40}),
        progress=Settled(9, {"shop": 30}),
    ),
    "no row waits for a watermark": Case(
        [SeenFeed("shop", 9, complete_through_ts=30, last_row_ts=50)],
        settings=EventSettings(is_bounded=False, ddl_feeds=["shop"]),
        progress=Settled(9, newest={"shop": (50, 0)}),
    ),
    "the newest re-drive counts": Case(
        [SeenFeed("shop", 9, redriven_run_id=8), SeenFeed("web", 9, redriven_run_id=3)],
        Settled(7, redriven={"web": 5, "other": 2}),
        EventSettings(is_bounded=True, ddl_feeds=[]),
        Settled(9, redriven={"shop": 8, "web": 5, "other": 2}, causes={"shop": Cause("dead_letters", 8)}),
    ),
    "rows and DDL in order": Case(
        [SeenFeed("shop", 9, first_row_ts=31, last_row_ts=50, first_ddl_ts=41, last_ddl_ts=45)],
        Settled(7, newest={"shop": (40, 30)}),
        progress=Settled(9, newest={"shop": (50, 45)}),
    ),
    "a row at a settled DDL": Case(
        [SeenFeed("shop", 9, first_row_ts=30, last_row_ts=35)],
        Settled(7, newest={"shop": (40, 30)}),
        progress=Settled(9, newest={"shop": (40, 30)}),
        suspects=[Suspect("shop", rows_through_ts=30, ddl_through_ts=40)],
    ),
    "a DDL at a settled row": Case(
        [SeenFeed("shop", 9, first_ddl_ts=40, last_ddl_ts=60)],
        Settled(7, newest={"shop": (40, 30)}),
        progress=Settled(9, newest={"shop": (40, 60)}),
        suspects=[Suspect("shop", rows_through_ts=30, ddl_through_ts=40)],
    ),
    "watermarks hold back what comes late": Case(
        [SeenFeed("shop", 9, complete_through_ts=60, first_row_ts=30)],
        Settled(7, {"shop": 50}, newest={"shop": (40, 30)}),
        progress=Settled(9, {"shop": 60}, newest={"shop": (40, 30)}),
    ),
    "a feed without DDL has no order": Case(
        [SeenFeed("avro", 9, first_row_ts=30, last_row_ts=30)],
        Settled(7, newest={"shop": (40, 30)}),
        progress=Settled(9, newest={"shop": (40, 30)}),
    ),
    "no run since": Case(
        [SeenFeed("shop", 7, first_row_ts=30, last_row_ts=50)],
        Settled(7, newest={"shop": (40, 30)}),
        progress=Settled(7, newest={"shop": (40, 30)}),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_how_far_events_go(name: str) -> None:
    case = CASES[name]
    found = event_progress(case.seen, case.settled, case.settings)
    assert (found.progress, list(found.suspects)) == (case.progress, case.suspects)


@pytest.mark.parametrize("name", CASES)
def test_events_that_are_settled_go_no_further(name: str) -> None:
    case = CASES[name]
    again = event_progress(case.seen, case.progress, case.settings)
    assert (again.progress, list(again.suspects)) == (case.progress, [])


def test_changes_are_shown_through_bounds_and_what_came_before_there_was_one() -> None:
    settled = Settled(7, {"shop": 50, "web": 50}, newest={"shop": (60, 10), "other": (70, 10)})
    assert event_progress([], settled, DDL).shown == {"shop": 60, "web": 50}


def test_a_feed_is_rebuilt_that_came_out_of_order_or_is_shown_otherwise() -> None:
    """One that is rebuilt for its dead letters, or for its order, is not late."""
    settled = Settled(7, redriven={"letters": 5, "web": 6})
    progress = Settled(9, {"shop": 1}, {"letters": 8, "web": 6}, causes={"letters": Cause("dead_letters", 8)})
    found = rebuilds(
        [OutOfOrder("shop", "row", 30), OutOfOrder("other", "ddl", 31)],
        [ShownOtherwise(feed, 20) for feed in ("shop", "web", "letters")],
        progress,
        settled,
        10,
    )
    assert found == Settled(
        9,
        {"shop": 1},
        {"letters": 10, "web": 10, "shop": 10, "other": 9},
        late={"web": 10},
        causes={
            "letters": Cause("dead_letters", 8),
            "shop": Cause("row_out_of_order", 9, 30),
            "other": Cause("ddl_out_of_order", 9, 31),
            "web": Cause("ddl_below_bound", 10, 20),
        },
    )
