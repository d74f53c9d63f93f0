"""Which DDL a run applies to rows: what is new, in passes, and all of a feed anew where something came late."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pytest

from ticdc_udfs.contract.json_texts import by_json
from ticdc_udfs.runs.ddl_commits import DdlEffect, DdlPasses, DdlStep, ddl_passes
from ticdc_udfs.runs.progress import Cause, Settled

NOW = 90
SETTLED = Settled(7, {"shop": 35, "web": 35}, {"web": 6}, causes={"web": Cause("late_row", 6)})
SHOWN = Settled(9, {"shop": 80})


def moves(feed: str, commit_ts: int, *tables: str, **told: Any) -> list[DdlEffect]:
    return [DdlEffect(feed, commit_ts, table, moves_rows=True, **told) for table in tables]


def widens(feed: str, commit_ts: int, table: str, **told: Any) -> list[DdlEffect]:
    return [DdlEffect(feed, commit_ts, table, **told)]


KNOWN = [*moves("shop", 20, "t", is_known=True), *widens("shop", 20, "u", is_known=True)]
NEW = moves("shop", 50, "t")


def found(
    effects: Sequence[DdlEffect], settled: Settled = SETTLED, changes: Settled = SHOWN, late_rows: Sequence[str] = ()
) -> DdlPasses:
    return ddl_passes(effects, late_rows, settled, changes, NOW)


def test_ddl_commits_of_one_table_come_one_after_the_other() -> None:
    effects = [
        *moves("shop", 30, "t"),
        *moves("shop", 10, "t", "u"),
        *moves("shop", 20, "v"),
        *widens("shop", 20, "w"),
        *moves("shop", 40, "u", to_table_id="v"),
        *widens("shop", 50, "t"),
        *moves("web", 60, "t"),
    ]
    plan = found(effects, Settled(), SHOWN)
    assert plan.steps == [
        DdlStep("moves", {"shop": [10, 20], "web": [60]}),
        DdlStep("moves", {"shop": [30, 40]}),
        DdlStep("columns", {"shop": [20, 50]}),
    ]
    assert plan.progress == Settled(NOW, {"shop": 80, "web": 60})
    assert not plan.is_idle


def test_ddl_beyond_the_bound_waits() -> None:
    assert found(moves("shop", 81, "t")).is_idle
    assert found(moves("web", 81, "t")).steps == [DdlStep("moves", {"web": [81]})]
    assert found(moves("shop", 50, "t", is_known=True, is_there=False)).is_idle


def test_where_nothing_is_new_what_was_settled_stays() -> None:
    """A bound that grew does not count: what comes below it is new then, not late."""
    noted = Settled(NOW, SETTLED.bounds, SETTLED.redriven, causes=SETTLED.causes)
    assert found(KNOWN) == DdlPasses(noted, is_idle=True)


def test_the_first_run_notes_its_bounds() -> None:
    assert found([], Settled()) == DdlPasses(Settled(NOW, SHOWN.bounds), [], [])


def test_a_bound_may_lie_before_ddl_that_is_applied() -> None:
    settled = Settled(7, {"shop": 100, "web": 35})
    assert found(moves("web", 50, "t"), settled).progress.bounds == {"shop": 100, "web": 50}


@pytest.mark.parametrize(
    ("late", "commit_ts"),
    [
        (moves("shop", 30, "t"), None),
        (moves("shop", 10, "v"), None),
        (moves("web", 10, "t"), None),
        (moves("shop", 10, "t"), 10),
        (moves("shop", 10, "v", to_table_id="t"), 10),
        (widens("shop", 10, "u"), 10),
        (moves("shop", 20, "v"), 20),
        (moves("shop", 30, "t", is_known=True, is_there=False), 30),
        ([*moves("shop", 15, "t"), *moves("shop", 10, "t")], 10),
    ],
)
def test_late_ddl_is_applied_alone_where_nothing_was_applied_after_it(
    late: Sequence[DdlEffect], commit_ts: int | None
) -> None:
    plan = found([*KNOWN, *NEW, *late])
    if commit_ts is None:
        assert plan.rebuilt == []
        assert sorted(each for step in plan.steps for each in step.ddl_commits.get(late[0].feed, [])) == sorted(
            each.commit_ts for each in (*NEW, *late) if each.feed == late[0].feed
        )
        return
    there = sorted({each.commit_ts for each in (*KNOWN, *NEW, *late) if each.is_there and each.moves_rows})
    assert plan.rebuilt == ["shop"]
    assert sorted(each for step in plan.steps if step.effect == "moves" for each in step.ddl_commits["shop"]) == there
    assert plan.progress == Settled(
        NOW,
        {"shop": 80, "web": 35},
        {"shop": NOW, "web": 6},
        causes={**SETTLED.causes, "shop": Cause("late_effect", NOW, commit_ts)},
    )


def test_late_rows_before_ddl_make_its_rows_anew() -> None:
    plan = found([*KNOWN, *NEW], late_rows=["shop"])
    assert (plan.rebuilt, plan.progress.causes["shop"]) == (["shop"], Cause("late_row", NOW))
    assert plan.steps == [
        DdlStep("moves", {"shop": [20]}),
        DdlStep("moves", {"shop": [50]}),
        DdlStep("columns", {"shop": [20]}),
    ]


def test_a_feed_whose_changes_are_rebuilt_has_no_cause_of_its_own() -> None:
    """Neither late rows nor DDL that is gone count there: all of it is applied anew."""
    gone = moves("shop", 10, "t", is_known=True, is_there=False)
    plan = found([*KNOWN, *gone], changes=Settled(9, {"shop": 80}, {"shop": 8, "web": 5}), late_rows=["shop"])
    assert plan.rebuilt == ["shop"]
    assert plan.progress.redriven == {"shop": 8, "web": 6}
    assert plan.progress.causes == SETTLED.causes
    assert plan.steps == [DdlStep("moves", {"shop": [20]}), DdlStep("columns", {"shop": [20]})]


def test_the_function_is_called_with_json_texts() -> None:
    function = by_json(ddl_passes, list[DdlEffect], list[str], Settled, Settled, int)
    effects = '[{"feed":"shop","commit_ts":1,"table_id":"t","table_incarnation":1,"moves_rows":true,"is_there":true}]'
    texts = [effects, "[]", '{"run_id":7,"bounds":{},"of":{"catalogue":[1]}}', '{"run_id":9,"bounds":{}}', "90"]
    plan = json.loads(function(*(pa.array([text]) for text in texts)).to_pylist()[0])
    assert plan["steps"] == [{"effect": "moves", "ddl_commits": {"shop": [1]}}]
    assert (plan["progress"]["run_id"], plan["progress"]["bounds"]) == (90, {"shop": 1})
