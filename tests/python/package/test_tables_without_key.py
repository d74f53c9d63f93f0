"""A table without any key, end to end: equal rows count each, as of every commit, and late ones too."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from support import warehouse as embedded
from support.cases import Built, Stage, Story, records, story
from support.messages import COMMIT_TS, row_message, to_bytes, watermark_message

FIRST, LATE, SECOND, THIRD = (COMMIT_TS + (seconds << 28) for seconds in range(4))
EARLIER = (FIRST - 2, FIRST - 1, FIRST - 1, FIRST)
A, B = {"a": "1", "b": "x"}, {"a": "2", "b": None}


def change(commit_ts: int, type: str, row: Mapping[str, str | None], old: Any = None) -> dict[str, Any]:
    return row_message(row, type=type, old=old, key=None, tidb={"commitTs": commit_ts})


THRICE = [change(commit_ts, "INSERT", row) for commit_ts, row in zip(EARLIER, (A, A, B, A), strict=True)]
CHANGES = [change(SECOND, "DELETE", A), change(THIRD, "UPDATE", B, [A])]
EARLY = [*THRICE, watermark_message(LATE)]
REST = [
    *CHANGES,
    *THRICE,
    *CHANGES,
    # late, as the first build was complete through their commit
    change(LATE, "INSERT", B),
    change(LATE, "DELETE", A),
    watermark_message(THIRD),
]


Rows = Mapping[str, int]


HISTORY = f"{embedded.HISTORY} where feed = 'without_key'"
KNOWN_NOW = f"{embedded.KNOWN_NOW} and feed = 'without_key'"
QUERIES = {
    "typed": "select to_json(struct(a, b), map('ignoreNullFields', 'false')) from without_key_shop.t",
    "current": "select row from ticdc__current_rows where feed = 'without_key'",
    "changelog": "select op || coalesce(after, before) from ticdc__changelog where feed = 'without_key'",
    "keys": "select row_key from ticdc__current_rows where feed = 'without_key'",
    "differences": f"select row from (({HISTORY} except all {KNOWN_NOW}) union all ({KNOWN_NOW} except all {HISTORY}))",
}
AS_OF = {
    str(tso): f"select row from ticdc__rows_as_of({tso}) where feed = 'without_key'"
    for tso in (FIRST, LATE, SECOND, THIRD)
}


def contents(built: Built, queries: Mapping[str, str]) -> dict[str, Rows]:
    return {
        name: Counter(value for row in built.rows(query) for value in row.values()) for name, query in queries.items()
    }


class WithoutKey(Story):
    """How many of each row the tables held after the first build and after the second, by table."""

    stages = (Stage.FIRST, Stage.SECOND)
    first: Mapping[str, Rows]
    last: Mapping[str, Rows]

    def feeds(self, stage: Stage) -> Sequence[Mapping[str, Any]]:
        members = {"protocol": "canal_json", "topics": ["without_key"], "partitions": 1}
        return [{"name": "without_key", **members, "target_schema": "{feed}_{schema}"}]

    def lines(self, stage: Stage) -> Sequence[str]:
        parts = {Stage.FIRST: (EARLY, 0), Stage.SECOND: (REST, len(EARLY))}
        messages, first = parts.get(stage, ((), 0))
        return records("without_key", [to_bytes(message) for message in messages], first)

    def after(self, stage: Stage, built: Built) -> None:
        if stage is Stage.FIRST:
            self.first = contents(built, {"current": QUERIES["current"], str(FIRST): AS_OF[str(FIRST)]})
        elif stage is Stage.SECOND:
            self.last = contents(built, QUERIES | AS_OF)


STORY = WithoutKey()
story(STORY)
pytestmark = pytest.mark.usefixtures("built_cases")


def counted(a: int, b: int) -> Rows:
    rows = {'{"a":"1","b":"x"}': a, '{"a":"2","b":null}': b}
    return Counter({row: count for row, count in rows.items() if count})


def test_equal_rows_count_each() -> None:
    assert STORY.first["current"] == counted(a=3, b=1)
    assert STORY.first[str(FIRST)] == counted(a=3, b=1)


def test_changes_take_one_row_each_and_repeats_take_none() -> None:
    assert STORY.last["current"] == STORY.last["typed"] == counted(a=0, b=3)
    assert STORY.last["keys"] == Counter(f'{{"a":"2","b":null{copy}}}' for copy in ("", ',"":"2"', ',"":"3"'))


def test_rows_as_of_a_commit_count_late_changes() -> None:
    as_of = [STORY.last[str(tso)] for tso in (FIRST, LATE, SECOND, THIRD)]
    assert as_of == [counted(3, 1), counted(2, 2), counted(1, 2), counted(0, 3)]


def test_the_changelog_has_each_change_once() -> None:
    assert STORY.last["changelog"] == {
        'insert{"a":"1","b":"x"}': 3,
        'insert{"a":"2","b":null}': 3,
        'delete{"a":"1","b":"x"}': 3,
    }


def test_the_history_that_is_known_now_is_the_history() -> None:
    assert STORY.last["differences"] == {}
