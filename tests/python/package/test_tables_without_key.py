"""A table without any key, end to end: equal rows count each, as of every commit, and late ones too."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pytest
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


FEED = "without_key"
TYPED = "select to_json(struct(a, b), map('ignoreNullFields', 'false')) as row from without_key_shop.t"


def counted_rows(rows: Iterable[Mapping[str, Any]], column: str = "row") -> Rows:
    return Counter(row[column] for row in rows)


def as_of(built: Built, tso: int) -> Rows:
    return counted_rows(built.rows(f"select row from ticdc__rows_as_of({tso}) where feed = '{FEED}'"))


class WithoutKey(Story):
    """What the tables held of it after the first build and after the second."""

    stages = (Stage.FIRST, Stage.SECOND)

    def feeds(self, stage: Stage) -> Sequence[Mapping[str, Any]]:
        members = {"protocol": "canal_json", "topics": ["without_key"], "partitions": 1}
        return [{"name": "without_key", **members, "target_schema": "{feed}_{schema}"}]

    def lines(self, stage: Stage) -> Sequence[str]:
        parts = {Stage.FIRST: (EARLY, 0), Stage.SECOND: (REST, len(EARLY))}
        messages, first = parts.get(stage, ((), 0))
        return records("without_key", [to_bytes(message) for message in messages], first)

    def after(self, stage: Stage, built: Built) -> None:
        if stage is Stage.FIRST:
            self.first = counted_rows(built.of("current_rows", FEED))
            self.first_as_of = as_of(built, FIRST)
        elif stage is Stage.SECOND:
            self.current = built.of("current_rows", FEED)
            self.typed = counted_rows(built.rows(TYPED))
            self.changes = built.of("changelog", FEED)
            self.history = built.of("row_history", FEED)
            self.known = built.of("row_history_bitemporal", FEED)
            self.as_of = [as_of(built, tso) for tso in (FIRST, LATE, SECOND, THIRD)]


STORY = WithoutKey()
story(STORY)
pytestmark = pytest.mark.usefixtures("built_cases")


def counted(a: int, b: int) -> Rows:
    rows = {'{"a":"1","b":"x"}': a, '{"a":"2","b":null}': b}
    return Counter({row: count for row, count in rows.items() if count})


def test_equal_rows_count_each() -> None:
    assert STORY.first == STORY.first_as_of == counted(a=3, b=1)


def test_changes_take_one_row_each_and_repeats_take_none() -> None:
    assert counted_rows(STORY.current) == STORY.typed == counted(a=0, b=3)
    keys = [f'{{"a":"2","b":null{copy}}}' for copy in ("", ',"":"2"', ',"":"3"')]
    assert counted_rows(STORY.current, "row_key") == Counter(keys)


def test_rows_as_of_a_commit_count_late_changes() -> None:
    assert STORY.as_of == [counted(3, 1), counted(2, 2), counted(1, 2), counted(0, 3)]


def test_the_changelog_has_each_change_once() -> None:
    assert Counter(row["op"] + (row["after"] or row["before"]) for row in STORY.changes) == {
        'insert{"a":"1","b":"x"}': 3,
        'insert{"a":"2","b":null}': 3,
        'delete{"a":"1","b":"x"}': 3,
    }


def test_the_history_that_is_known_now_is_the_history() -> None:
    known_now = [row for row in STORY.known if row.pop("known_to") is None and row.pop("known_from")]
    assert sorted(map(str, known_now)) == sorted(map(str, STORY.history))
