"""A user's incremental model on the changelog gets each change once, late ones and those of feeds built again too."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import pytest
from support.cases import Built, Stage, Story, story

pytestmark = pytest.mark.usefixtures("built_cases")
# Of its initial load messages tell the types and the key only in the second build, which makes them of the rows there.
TOLD_LATER = "early"
CHANGE = ("feed", "schema_name", "table_name", "commit_ts", "row_key", "op", "before", "after", "image_hash", "copy")


def change(row: Mapping[str, Any]) -> tuple[Any, ...]:
    return tuple(row[name] for name in CHANGE)


class Increments(Story):
    """What a model gets that asks after each build for the runs that it has not seen, and the changelog in the end."""

    stages = tuple(Stage)

    def begin(self, folder: object) -> None:
        self.last_run_id = 0
        self.got: list[Counter[tuple[Any, ...]]] = []

    def after(self, stage: Stage, built: Built) -> None:
        rows = built.rows(f"select * from ticdc__changelog where run_id > {self.last_run_id}")
        self.last_run_id = max([self.last_run_id, *(row["run_id"] for row in rows)])
        self.got.append(Counter(change(row) for row in rows if row["feed"] != TOLD_LATER))
        if stage is Stage.SECOND:
            self.changelog = built.rows(f"select * from ticdc__changelog where feed <> '{TOLD_LATER}'")


INCREMENTS = Increments()
story(INCREMENTS)


def test_each_change_comes_once() -> None:
    """But for updates of which one half came in a later build than the other: these come whole, with the second."""
    first, second, idle = INCREMENTS.got
    assert idle == Counter()
    assert sum(second.values()) > 100
    wanted = Counter(map(change, INCREMENTS.changelog))
    assert not wanted - (first + second)
    superseded = (first + second) - wanted
    assert {one[5] for one in superseded} <= {"delete", "insert"}
    assert sum(superseded.values()) < 20


def test_the_time_is_that_of_the_run() -> None:
    for row in INCREMENTS.changelog:
        assert row["known_from"].timestamp() * 1_000_000 == pytest.approx(row["run_id"], abs=1)
