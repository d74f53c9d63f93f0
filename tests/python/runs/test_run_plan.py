"""What a run took of each model, and the words for why it rebuilt feeds."""

from __future__ import annotations

import json
from typing import Any, get_args

import pyarrow as pa
import pytest

from ticdc_udfs.contract.json_texts import by_json
from ticdc_udfs.runs.plan import EndedRun, Rebuilt, StoredModel, Took, run_plan
from ticdc_udfs.runs.progress import CauseKind

RUN = 90
BOUNDS = {"shop": 70}
STAGING = "stg_ticdc__simple"


def ended(**models: StoredModel) -> EndedRun:
    return EndedRun(RUN, models, [STAGING])


def caused(kind: str, run_id: int = RUN, commit_ts: int | None = 40, feed: str = "shop") -> dict[str, Any]:
    return {"bounds": BOUNDS, "causes": {feed: {"kind": kind, "run_id": run_id, "commit_ts": commit_ts}}}


@pytest.mark.parametrize(
    ("name", "model", "took"),
    [
        ("t", StoredModel(), Took("nothing")),
        ("t", StoredModel([(80, 0)], settled={"bounds": BOUNDS}), Took("nothing")),
        ("t", StoredModel([(80, 0), (RUN, 0)], settled={"run_id": 1}), Took("new rows")),
        ("t", StoredModel([(80, 0), (RUN, 0)], settled={"bounds": BOUNDS}), Took("range", BOUNDS)),
        # batches that the run merged
        ("t", StoredModel([(RUN + 1, 1)], settled={"bounds": BOUNDS}), Took("range", BOUNDS)),
        ("t", StoredModel([(RUN, 0)], anew=RUN, settled={"bounds": BOUNDS}), Took("rebuilt", BOUNDS)),
        ("t", StoredModel([(RUN, 0)], anew=80), Took("new rows")),
        ("t", StoredModel([(80, 0), (RUN, 0)], {"shop": RUN, "web": 80}), Took("rebuilt", feeds=["shop"])),
        (STAGING, StoredModel([(RUN, 0)], anew=RUN), Took("new messages")),
    ],
)
def test_what_a_run_took_of_a_model(name: str, model: StoredModel, took: Took) -> None:
    assert run_plan(ended(**{name: model})).models == {name: took}


def test_typed_storages_that_took_nothing_are_left_out() -> None:
    storage = StoredModel([(80, 0)], settled={"rows_of": "hash"})
    added = StoredModel([(80, 0), (RUN, 0)], settled={"rows_of": "hash"})
    assert run_plan(ended(kept=storage, added=added)).models == {"added": Took("new rows")}


@pytest.mark.parametrize("kind", get_args(CauseKind))
def test_each_cause_has_words(kind: str) -> None:
    model = StoredModel([(RUN, 0)], {"shop": RUN}, settled=caused(kind))
    (rebuilt,) = run_plan(ended(changes=model)).rebuilt
    assert (rebuilt.feed, rebuilt.commit_ts) == ("shop", 40)
    assert "{}" not in rebuilt.reason
    assert ("commit 40" in rebuilt.reason) == (kind not in ("dead_letters", "late_row"))


def test_the_reason_is_the_newest_of_all_models() -> None:
    rows = StoredModel([(80, 0)], settled=caused("dead_letters", 80, None))
    changes = StoredModel([(RUN, 0)], {"shop": RUN}, settled=caused("ddl_out_of_order", 85))
    others = StoredModel([(RUN, 0)], settled=caused("late_row", RUN, None, "web"))
    assert run_plan(ended(rows=rows, changes=changes, others=others)).rebuilt == [
        Rebuilt("shop", "DDL of commit 40 came after rows of later commits", 40)
    ]


def test_a_feed_whose_reason_an_older_version_did_not_keep() -> None:
    (rebuilt,) = run_plan(ended(changes=StoredModel([(RUN, 0)], {"shop": RUN}, settled=None))).rebuilt
    assert rebuilt == Rebuilt("shop", "an older version of the package decided it and kept no reason")


def test_the_plan_is_asked_with_the_state_as_it_is_saved() -> None:
    models = {
        STAGING: {"batches": [[RUN, 0]], "since": {}, "settled": {"run_id": 3, "plan_run_id": 0}, "anew": RUN},
        "changes": {"batches": [[80, 0], [RUN, 0]], "since": {"shop": RUN}, "settled": caused("ddl_below_bound")},
        "unbuilt": {"batches": [], "since": {}, "settled": None},
    }
    text = json.dumps({"run_id": RUN, "models": models, "staged": [STAGING]})
    (found,) = by_json(run_plan, EndedRun)(pa.array([text])).to_pylist()
    assert json.loads(found) == {
        "models": {
            "changes": {"took": "rebuilt", "through": BOUNDS, "feeds": ["shop"]},
            STAGING: {"took": "new messages"},
            "unbuilt": {"took": "nothing"},
        },
        "rebuilt": [
            {
                "feed": "shop",
                "reason": "DDL of commit 40 came after changes of later commits were shown",
                "commit_ts": 40,
            }
        ],
    }
