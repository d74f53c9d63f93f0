"""The TiDB extension is switched on, or off, as a changefeed goes on from an earlier checkpoint: messages repeat."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest
from support import messages
from support.cases import Built, Case, records, story
from support.corpus import SOAKED

SECOND = 1000 << 18
COLUMNS = {"id": "int", "v": "varchar"}


class Sent:
    """A message, whose commit is its second after the first one, and what it counts to within the millisecond."""

    def __init__(self, second: int, logical: int, message: Mapping[str, Any]) -> None:
        self.ts = messages.COMMIT_TS - messages.COMMIT_TS % SECOND + second * SECOND + logical
        self.message = message

    def with_tso(self, is_exact: bool) -> bytes:
        members = {"es": self.ts >> 18, "_tidb": {"commitTs": self.ts} if is_exact else {}}
        return messages.to_bytes({**self.message, **members})


def ddl(second: int, table: str, sql: str) -> Sent:
    return Sent(second, second, messages.ddl_message(sql, "QUERY", table=table))


def row(second: int, table: str, number: int, text: str, *old: str, type: str = "INSERT", **more: str) -> Sent:
    image = {"id": str(number), "v": text, **more}
    types = COLUMNS | dict.fromkeys(more, "int")
    before = [{**image, "v": each} for each in old] or None
    return Sent(second, number, messages.row_message(image, types, type=type, old=before, table=table))


def created(second: int, table: str) -> Sent:
    return ddl(second, table, f"CREATE TABLE `{table}` (`id` INT PRIMARY KEY,`v` VARCHAR(20))")


BEFORE = [
    created(1, "a"),
    created(2, "c"),
    created(3, "d"),
    row(4, "a", 1, "x"),
    row(4, "c", 1, "x"),
    row(4, "d", 1, "x"),
]
AGAIN = [
    *(row(5, "a", 2, "y"), row(5, "a", 2, "z", "y", type="UPDATE"), row(5, "a", 3, "gone"), row(5, "d", 3, "gone")),
    *(row(6, "a", 3, "gone", type="DELETE"), ddl(7, "b", "RENAME TABLE `shop`.`a` TO `shop`.`b`;")),
    *(ddl(8, "c", "TRUNCATE TABLE `c`"), ddl(9, "d", "ALTER TABLE `d` ADD COLUMN `n` INT DEFAULT 7")),
    *(row(10, "b", 4, "later"), row(10, "c", 2, "later"), row(10, "d", 2, "later", n="8")),
]
AFTER = [row(11, "b", 5, "new"), row(11, "d", 3, "gone", type="DELETE", n="7"), row(12, "c", 3, "new")]
EXPECTED = {
    "shop.b": [["1", "x"], ["2", "z"], ["4", "later"], ["5", "new"]],
    "shop.c": [["2", "later"], ["3", "new"]],
    "shop.d": [["1", "x", "7"], ["2", "later", "8"]],
}
CHANGES = len([sent for sent in (*BEFORE, *AGAIN, *AFTER) if not sent.message["isDdl"]])
STATEMENTS = len(BEFORE) + len(AGAIN) + len(AFTER) - CHANGES
AT_THE_SWITCH = len(BEFORE) + len(AGAIN)
PART = "cuts_canal_json"
CUTS = range(1, AT_THE_SWITCH + len(AGAIN), 3) if PART in SOAKED else (AT_THE_SWITCH + 2,)
pytestmark = pytest.mark.in_soak(PART)


def told(is_exact: bool) -> list[bytes]:
    """What is sent before the switch, and again from an earlier checkpoint after it."""
    first = [sent.with_tso(is_exact) for sent in (*BEFORE, *AGAIN)]
    return first + [sent.with_tso(not is_exact) for sent in (*AGAIN, *AFTER)]


def feeds() -> Iterator[tuple[str, Sequence[str], int]]:
    for name, is_exact in (("switched_on", False), ("switched_off", True)):
        yield name, records(name, told(is_exact)), 0
        for cut in CUTS:
            yield f"{name}_{cut}", records(f"{name}_{cut}", told(is_exact)), cut


class Switched(Case):
    """A feed whose first run ends at a message; the long tests have more of them."""

    part = PART if PART in SOAKED else None


FEEDS = {name: (lines, cut) for name, lines, cut in feeds()}
for _name, (_lines, _cut) in FEEDS.items():
    story(Switched(_name, "canal_json", (_lines[:_cut], _lines[_cut:]) if _cut else (_lines,), {}))


@pytest.mark.parametrize("feed", FEEDS)
def test_what_comes_again_with_another_commit_is_known(built_cases: Built, feed: str) -> None:
    """A RENAME came twice, and its table's rows were lost; each row was two changes."""
    rows = {table: [list(row.values()) for row in rows] for table, rows in built_cases.current(feed).items()}
    assert rows == EXPECTED
    assert len(built_cases.of("changelog", feed)) == CHANGES
    assert len(built_cases.of("ddl_history", feed)) == STATEMENTS
    assert not built_cases.problems(feed)
