"""What the changes of a run are made of: rows that arrive, loads, and feeds that are made anew."""

from __future__ import annotations

import json
from typing import Any

import pyarrow as pa
import pytest

from ticdc_udfs.contract.json_texts import by_json
from ticdc_udfs.runs.changes import Arrival, Load, SettledChanges, changes_progress, split_tables
from ticdc_udfs.runs.progress import Cause, Settled

NOW = 90


def load_of(feed: str, commit_ts: int, **told: Any) -> Load:
    id = json.dumps([feed, "s", "t", commit_ts])
    return Load(id, feed, "s", "t", commit_ts, told.pop("key_columns", "[]"), told.pop("fingerprint", "f"), **told)


def progress_of(
    arrivals: list[Arrival], settled: SettledChanges, rows: Settled, *loads: Load
) -> tuple[SettledChanges, list[Load]]:
    found = changes_progress(arrivals, loads, settled, rows, NOW)
    return found.progress, list(found.loads)


def test_what_arrives_is_summed_up() -> None:
    arrivals = [
        Arrival("web", 30, 35, some_are_updates=True, some_are_whole=True),
        Arrival("shop", 20, some_are_inexact=True, some_are_exact=False, some_wait_for_cells=True, some_have_gaps=True),
    ]
    found = changes_progress(arrivals, [], SettledChanges(), Settled(9), NOW)
    assert (found.first_commit_ts, found.has_keyless_rows, found.first_keyless_commit_ts) == (20, True, 35)
    assert (found.is_exact, list(found.waits_for_cells), found.some_have_gaps) == (False, [False, True], True)
    assert found.progress == SettledChanges(
        9,
        has_keyless_rows=True,
        first_commits={"web": 30, "shop": 20},
        updated=("web",),
        split=(),
        exact=("web",),
        inexact=("shop",),
    )


def test_changes_through_what_was_shown_are_late() -> None:
    """Not of feeds whose dead letters are read again; where DDL came below a bound, those that were late."""
    settled = SettledChanges(7, {"shop": 50, "web": 60, "old": 70}, {"shop": 5, "web": 5})
    rows = Settled(9, {}, {"shop": 8, "web": 8, "old": 0}, late={"web": 8, "shop": 5})
    found = changes_progress([], [], settled, rows, NOW)
    assert found.rebuilt == ["shop", "web"]
    assert found.shown_again == ["web"]
    assert found.shown_through == {"web": 60, "old": 70}
    assert not found.is_idle


def test_why_a_feed_is_made_anew_is_the_cause_of_the_newest_run() -> None:
    known = {"shop": Cause("changed_load", 8, 10), "web": Cause("dead_letters", 5)}
    rows = Settled(9, causes={"shop": Cause("dead_letters", 7), "web": Cause("ddl_below_bound", 9, 20)})
    found = changes_progress([], [], SettledChanges(7, causes=known), rows, NOW)
    assert found.progress.causes == {"shop": known["shop"], "web": rows.causes["web"]}


def test_where_nothing_arrives_what_was_settled_stays() -> None:
    settled = SettledChanges(
        9, {"shop": 50}, {"shop": 8}, {"web": (4, 5)}, {}, {}, True, {"shop": 3}, ("shop",), (("shop", ""),)
    )
    found = changes_progress([], [], settled, Settled(9, {"shop": 50}, {"shop": 8}, {"web": (4, 5)}), NOW)
    assert found.progress == settled
    assert found.is_idle
    assert (found.first_commit_ts, found.first_keyless_commit_ts, found.is_exact, list(found.waits_for_cells)) == (
        0,
        0,
        True,
        [False],
    )


def test_rows_that_wait_for_cells_alone() -> None:
    found = changes_progress([Arrival("shop", 1, some_wait_for_cells=True)], [], SettledChanges(), Settled(9), NOW)
    assert list(found.waits_for_cells) == [True]


def test_a_feed_that_is_made_anew_begins_where_its_rows_do() -> None:
    settled = SettledChanges(7, redriven={"web": 5}, first_commits={"shop": 3, "web": 4}, updated=("web",), split=None)
    progress, _ = progress_of([Arrival("shop", 20)], settled, Settled(9, redriven={"shop": 9, "web": 5}))
    assert progress.first_commits == {"shop": 20, "web": 4}
    assert progress.redriven == {"shop": 9, "web": 5}
    assert progress.split is None


def test_the_first_commit_of_a_feed_may_come_late() -> None:
    settled = SettledChanges(7, first_commits={"shop": 10})
    assert progress_of([Arrival("shop", 4)], settled, Settled(9))[0].first_commits == {"shop": 4}
    assert progress_of([Arrival("shop", 14)], settled, Settled(9))[0].first_commits == {"shop": 10}


def test_a_load_is_taken_once_and_within_the_bound() -> None:
    rows = Settled(9, {"shop": 50})
    loads = [load_of("shop", 50), load_of("shop", 51), load_of("web", 70, fingerprint=None)]
    progress, taken = progress_of([], SettledChanges(), rows, *loads)
    assert taken == [loads[0], loads[2]]
    assert progress.loads == (loads[0].id, loads[2].id)
    assert progress.loaded == {loads[0].id: "f", loads[2].id: None}
    assert progress.first_commits == {"shop": 50, "web": 70}
    again, taken = progress_of([], progress, rows, *loads)
    assert (again, taken) == (progress, [])
    later, taken = progress_of([], progress, Settled(9, {"shop": 60}), *loads)
    assert taken == [loads[1]]
    assert later.loads == (loads[0].id, loads[2].id, loads[1].id)


def test_a_load_whose_table_changed_is_taken_again_with_its_feed() -> None:
    load, other = load_of("shop", 50, fingerprint="new", is_changed=True), load_of("web", 50)
    settled = SettledChanges(7, redriven={"web": 6}, loads=(load.id, other.id), loaded={load.id: "f", other.id: "f"})
    progress, taken = progress_of([], settled, Settled(9), load, other)
    assert taken == [load]
    assert progress.redriven == {"shop": NOW, "web": 6}
    assert progress.causes == {"shop": Cause("changed_load", NOW, 50)}
    assert progress.loads == (other.id, load.id)
    assert progress.loaded == {other.id: "f", load.id: "new"}
    assert progress_of([], progress, Settled(9), other)[0].redriven == progress.redriven


@pytest.mark.parametrize(
    ("told", "is_keyless"),
    [({"has_key": False}, True), ({"has_key": True}, False), ({"has_key": False, "key_columns": '["id"]'}, False)],
)
def test_a_load_of_a_table_without_key(told: dict[str, Any], is_keyless: bool) -> None:
    progress, _ = progress_of([], SettledChanges(), Settled(9), load_of("shop", 1, **told))
    assert progress.has_keyless_rows is is_keyless


@pytest.mark.parametrize(
    ("arrival", "exact", "inexact", "is_mixed"),
    [
        (Arrival("shop", 20), (), ("shop",), True),
        (Arrival("shop", 20, some_are_exact=False, some_are_inexact=True), ("shop",), (), True),
        (Arrival("shop", 20, some_are_inexact=True), (), (), True),
        (Arrival("shop", 20), ("shop",), (), False),
        (Arrival("shop", 20), (), ("web",), False),
        # of a version that noted neither
        (Arrival("web", 20), (), (), True),
    ],
)
def test_rows_may_come_again_with_their_exact_commit(
    arrival: Arrival, exact: tuple[str, ...], inexact: tuple[str, ...], is_mixed: bool
) -> None:
    settled = SettledChanges(7, first_commits={"web": 3}, exact=exact, inexact=inexact)
    assert changes_progress([arrival], [], settled, Settled(9), NOW).is_mixed is is_mixed


def test_tables_with_split_changes() -> None:
    assert split_tables([("b", "t"), ("a", "t"), ("a", "t")], [("a", "s")]) == [("a", "s"), ("a", "t"), ("b", "t")]
    assert split_tables([("a", "t"), ("b", "t")], [("a", "")]) == [("a", ""), ("b", "t")]
    many = [("a", str(number)) for number in range(200)]
    assert split_tables(many, []) == sorted(many)
    assert split_tables(many, [("a", "t")]) == [("a", "")]


def test_functions_are_called_with_json_texts() -> None:
    settled = by_json(lambda each: each, SettledChanges)
    noted = '{"run_id":7,"bounds":{"shop":5},"of":{"versions":[1]},"has_bags":true,"loaded":{"x":null}}'
    state = json.loads(settled(pa.array([noted])).to_pylist()[0])
    assert (state["has_bags"], state["loaded"]) == (True, {"x": None})
