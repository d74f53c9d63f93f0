"""A user's incremental model on the changelog gets each change once, late ones and those of feeds built again too."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from support import documents
from support.cases import Built, Stage, Story, story

pytestmark = pytest.mark.usefixtures("built_cases")
CHANGE = ("feed", "table_id", "table_incarnation", "commit_ts", "row_key", "op", "before", "after", "copy")
PAGES = ("README.md", "docs/tables.md")


def change(row: Mapping[str, Any]) -> tuple[Any, ...]:
    return tuple(row[name] for name in CHANGE)


class Increments(Story):
    """What the model of each page gets in each build, as dbt runs it in a project, and the changelog in the end."""

    stages = tuple(Stage)

    def begin(self, folder: Path) -> None:
        self.folder = folder
        self.got: dict[str, list[Counter[tuple[Any, ...]]]] = {page: [] for page in PAGES}

    def after(self, stage: Stage, built: Built) -> None:
        for number, (page, got) in enumerate(self.got.items()):
            table = f"my_changes_{number}"
            block = documents.the_block(page, "sql", "{{ config(materialized=")
            query = documents.query_in(block, table, is_incremental=bool(got)).text
            # beside the warehouse, as another story looks that the last build wrote nothing there
            making = f"create table {table} using parquet location '{self.folder / table}' as"
            built.rows(f"{f'insert into {table}' if got else making} {query}")
            rows = built.rows(f"select * from {table}")
            got.append(Counter(map(change, rows)) - sum(got, Counter()))
        if stage is Stage.SECOND:
            self.changelog = built.rows("select * from ticdc__changelog")


INCREMENTS = Increments()
story(INCREMENTS)


@pytest.mark.parametrize("page", PAGES)
def test_each_change_comes_once(page: str) -> None:
    """What came in the first build and is no more was made otherwise by the second, which knew more of the table.

    Of one the rows were loaded before a message told its types, of another half of an update came late, of the others
    DDL came later than rows.
    """
    first, second, idle = INCREMENTS.got[page]
    assert idle == Counter()
    assert sum(second.values()) > 50
    wanted = Counter(map(change, INCREMENTS.changelog))
    assert not wanted - (first + second)
    superseded = (first + second) - wanted
    assert not superseded - first
    anew = {"early", "skewed", "split_bounded", "split_unbounded"}
    assert {one[0] for one in superseded if not one[0].startswith("late_")} <= anew


def test_the_time_is_that_of_the_run() -> None:
    for row in INCREMENTS.changelog:
        assert row["known_from"].timestamp() * 1_000_000 == pytest.approx(row["run_id"], abs=1)
