"""A table without any key, end to end: equal rows count each, as of every commit, and late ones too."""

from __future__ import annotations

import json
from base64 import b64encode
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from support import session
from support import warehouse as embedded
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
    # late, as the first run was complete through their commit
    change(LATE, "INSERT", B),
    change(LATE, "DELETE", A),
    watermark_message(THIRD),
]


def lines_of(messages: Iterable[Mapping[str, Any]], first_offset: int) -> str:
    records = (
        {
            "topic": "shop",
            "partition": 0,
            "offset": offset,
            "timestamp": 0,
            "key": None,
            "value": b64encode(to_bytes(message)).decode(),
        }
        for offset, message in enumerate(messages, first_offset)
    )
    return "".join(json.dumps(record) + "\n" for record in records)


Rows = Mapping[str, int]


@dataclass(frozen=True)
class Story:
    """How many of each row the tables held after the first run and after the last, by table."""

    first: Mapping[str, Rows]
    last: Mapping[str, Rows]


QUERIES = {
    "typed": "select to_json(struct(a, b), map('ignoreNullFields', 'false')) from shop.t",
    "current": "select row from ticdc__current_rows",
    "changelog": "select op || coalesce(after, before) from ticdc__changelog",
    "keys": "select row_key from ticdc__current_rows",
    "differences": f"select row from (({embedded.HISTORY} except all {embedded.KNOWN_NOW}) "
    f"union all ({embedded.KNOWN_NOW} except all {embedded.HISTORY}))",
}
AS_OF = {str(tso): f"select row from ticdc__rows_as_of({tso})" for tso in (FIRST, LATE, SECOND, THIRD)}


def contents(warehouse: Path, queries: Mapping[str, str]) -> dict[str, Rows]:
    return {
        name: Counter(value for row in session.ask(session.rows, warehouse, query) for value in row.values())
        for name, query in queries.items()
    }


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> Story:
    folder = tmp_path_factory.mktemp("without_key")
    messages, warehouse = folder / "messages", folder / "warehouse"
    messages.mkdir()
    feeds = embedded.write_feeds(
        folder / "feeds.yml", [{"name": "shop", "protocol": "canal_json", "topics": ["shop"], "partitions": 1}]
    )
    (messages / "1.jsonl").write_text(lines_of(EARLY, 0), encoding="utf-8")
    session.ask(session.run, warehouse, messages, feeds)
    first = contents(warehouse, {"current": QUERIES["current"], str(FIRST): AS_OF[str(FIRST)]})
    (messages / "2.jsonl").write_text(lines_of(REST, len(EARLY)), encoding="utf-8")
    session.ask(session.run, warehouse, messages, feeds)
    return Story(first, contents(warehouse, QUERIES | AS_OF))


def counted(a: int, b: int) -> Rows:
    rows = {'{"a":"1","b":"x"}': a, '{"a":"2","b":null}': b}
    return Counter({row: count for row, count in rows.items() if count})


def test_equal_rows_count_each(story: Story) -> None:
    assert story.first["current"] == counted(a=3, b=1)
    assert story.first[str(FIRST)] == counted(a=3, b=1)


def test_changes_take_one_row_each_and_repeats_take_none(story: Story) -> None:
    assert story.last["current"] == story.last["typed"] == counted(a=0, b=3)
    assert story.last["keys"] == Counter(f'{{"a":"2","b":null{copy}}}' for copy in ("", ',"":"2"', ',"":"3"'))


def test_rows_as_of_a_commit_count_late_changes(story: Story) -> None:
    as_of = [story.last[str(tso)] for tso in (FIRST, LATE, SECOND, THIRD)]
    assert as_of == [counted(3, 1), counted(2, 2), counted(1, 2), counted(0, 3)]


def test_the_changelog_has_each_change_once(story: Story) -> None:
    assert story.last["changelog"] == {
        'insert{"a":"1","b":"x"}': 3,
        'insert{"a":"2","b":null}': 3,
        'delete{"a":"1","b":"x"}': 3,
    }


def test_the_history_that_is_known_now_is_the_history(story: Story) -> None:
    assert story.last["differences"] == {}
