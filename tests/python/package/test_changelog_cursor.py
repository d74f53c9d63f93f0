"""A user's incremental model on the changelog gets each change once, late ones and those of feeds built again too."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import pytest
from support.cases import Built, Stage, Story, story

pytestmark = pytest.mark.usefixtures("built_cases")
CHANGE = ("feed", "table_id", "table_incarnation", "commit_ts", "row_key", "op", "before", "after", "copy")


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
        self.got.append(Counter(map(change, rows)))
        if stage is Stage.SECOND:
            self.changelog = built.rows("select * from ticdc__changelog")


INCREMENTS = Increments()
story(INCREMENTS)


def test_each_change_comes_once() -> None:
    """What came in the first build and is no more was made otherwise by the second, which knew more of the table.

    Of one the rows were loaded before a message told its types, of another half of an update came late, of the others
    DDL came later than rows.
    """
    first, second, idle = INCREMENTS.got
    assert idle == Counter()
    assert sum(second.values()) > 50
    wanted = Counter(map(change, INCREMENTS.changelog))
    assert not wanted - (first + second)
    superseded = (first + second) - wanted
    assert not superseded - first
    assert {one[0] for one in superseded} <= {"early", "skewed", "split_bounded"}


def test_the_time_is_that_of_the_run() -> None:
    for row in INCREMENTS.changelog:
        assert row["known_from"].timestamp() * 1_000_000 == pytest.approx(row["run_id"], abs=1)
