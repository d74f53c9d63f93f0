"""DDL and rows that come after a watermark that promised that none would: a run may end before them, at any message."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest
from support import messages
from support.cases import Built, Case, records, story
from support.corpus import SOAKED

STEP = 1 << 28
COLUMNS = {"id": "int", "v": "varchar"}
PARTITIONED = "PARTITION BY RANGE (`id`) (PARTITION `p0` VALUES LESS THAN (100),PARTITION `p1` VALUES LESS THAN (200))"


def ts(second: float) -> int:
    return messages.COMMIT_TS + int(second * STEP)


def ddl(second: int, table: str, sql: str) -> bytes:
    members = {"table": table, "_tidb": {"commitTs": ts(second)}, "es": ts(second) >> 18}
    return messages.to_bytes(messages.ddl_message(sql, "QUERY", **members))


def created(second: int, table: str, partitioned: str = "") -> bytes:
    return ddl(second, table, f"CREATE TABLE `{table}` (`id` INT PRIMARY KEY,`v` VARCHAR(20)) {partitioned}")


def row(second: int, table: str, number: int, text: str, *old: str, type: str = "INSERT", **more: str) -> bytes:
    image = {"id": str(number), "v": text, **more}
    return messages.to_bytes(
        messages.row_message(
            image,
            COLUMNS | dict.fromkeys(more, "int"),
            type=type,
            old=[{**image, "v": each} for each in old] or None,
            table=table,
            tidb={"commitTs": ts(second)},
            es=ts(second) >> 18,
        )
    )


def watermark(second: int) -> bytes:
    return messages.to_bytes(messages.watermark_message(ts(second)))


CREATED = [
    *(
        created(1, "widened"),
        created(2, "parted", PARTITIONED),
        created(3, "swapped", PARTITIONED),
        created(4, "plain"),
    ),
    *(created(5, "emptied"), created(6, "named"), created(7, "remade"), created(8, "other")),
]
ROWS = [
    *(row(10, "widened", 1, "a"), row(11, "parted", 1, "p0"), row(12, "parted", 101, "p1"), row(13, "parted", 2, "p0")),
    *(row(14, "swapped", 1, "of swapped"), row(15, "swapped", 101, "stays"), row(16, "plain", 2, "of plain")),
    *(row(17, "emptied", 1, "gone"), row(18, "named", 1, "n"), row(19, "remade", 1, "gone"), row(20, "other", 1, "o")),
]
DDL = [
    ddl(30, "widened", "ALTER TABLE `widened` ADD COLUMN `n` INT DEFAULT 7"),
    ddl(31, "parted", "ALTER TABLE `parted` DROP PARTITION `p0`"),
    ddl(32, "emptied", "TRUNCATE TABLE `emptied`"),
    ddl(33, "plain", "ALTER TABLE `swapped` EXCHANGE PARTITION `p0` WITH TABLE `plain`"),
    ddl(34, "renamed", "RENAME TABLE `shop`.`named` TO `shop`.`renamed`;"),
    ddl(35, "remade", "DROP TABLE `remade`"),
    created(36, "remade"),
    ddl(37, "widened", "ALTER TABLE `widened` ADD COLUMN `m` INT DEFAULT 8"),
]
LATER = [
    *(row(40, "widened", 2, "b", n="1", m="2"), row(41, "parted", 102, "p1")),
    *(row(42, "swapped", 2, "changed", "of plain", type="UPDATE"), row(43, "plain", 3, "later")),
    *(row(44, "emptied", 2, "later"), row(45, "renamed", 2, "later"), row(46, "remade", 2, "later")),
    row(47, "other", 1, "changed", "o", type="UPDATE"),
]
LATE_ROWS = [
    *(row(21, "widened", 3, "late"), row(22, "parted", 3, "late p0"), row(23, "plain", 5, "late")),
    *(row(24, "parted", 2, "p0", type="DELETE"), row(25, "other", 2, "late")),
]
ORDERS: dict[str, Sequence[bytes]] = {
    # each watermark comes before the DDL of its commit
    "exchanged": [
        *(*CREATED, *ROWS, watermark(29)),
        *(each for second, one in enumerate(DDL, start=30) for each in (watermark(second), one)),
        *(*LATER, watermark(50)),
    ],
    "after_rows": [
        *CREATED,
        *ROWS,
        watermark(29),
        *LATER,
        watermark(50),
        *DDL[:4],
        watermark(51),
        *DDL[4:],
        watermark(52),
    ],
    "one_by_one": [*CREATED, *ROWS, watermark(36), *DDL[1::2], watermark(38), *LATER, watermark(50), *DDL[::2]],
    "late_rows": [*CREATED, *ROWS, *DDL, watermark(38), *LATE_ROWS, *LATER, watermark(50)],
}
FIRST_CUT = len(CREATED) + 3
EXPECTED = {
    "shop.emptied": [["2", "later"]],
    "shop.other": [["1", "changed"]],
    "shop.parted": [["101", "p1"], ["102", "p1"]],
    "shop.plain": [["1", "of swapped"], ["3", "later"]],
    "shop.remade": [["2", "later"]],
    "shop.renamed": [["1", "n"], ["2", "later"]],
    "shop.swapped": [["101", "stays"], ["2", "changed"]],
    "shop.widened": [["1", "a", "7", "8"], ["2", "b", "1", "2"]],
}
WITH_LATE_ROWS = {
    **EXPECTED,
    "shop.other": [["1", "changed"], ["2", "late"]],
    "shop.swapped": [["101", "stays"], ["2", "changed"], ["5", "late"]],
    "shop.widened": [["1", "a", "7", "8"], ["2", "b", "1", "2"], ["3", "late", "7", "8"]],
}


PART = "cuts_canal_json"
EVERY = 1 if PART in SOAKED else 18
pytestmark = pytest.mark.in_soak(PART)


class Cut(Case):
    """A feed whose first run ends at a message; the long tests have one for each message."""

    part = PART if PART in SOAKED else None


CUTS = {f"late_{order}_{cut}": (order, cut) for order in ORDERS for cut in range(FIRST_CUT, len(ORDERS[order]), EVERY)}
WHOLE = {"late_ddl": "exchanged", "late_rows": "late_rows"}
for _name, (_order, _cut) in CUTS.items():
    _lines = records(_name, ORDERS[_order])
    story(Cut(_name, "canal_json", (_lines[:_cut], _lines[_cut:]), {}))
for _name, _order in WHOLE.items():
    story(Cut(_name, "canal_json", (records(_name, ORDERS[_order]),), {}))
# a feed without watermarks is shown as far as it was seen
UNBOUNDED = "late_unbounded"
_lines = records(
    UNBOUNDED,
    [created(1, "widened"), row(10, "widened", 1, "a"), row(40, "widened", 2, "b", n="1"), *DDL[:1]],
)
story(Cut(UNBOUNDED, "canal_json", (_lines[:-1], _lines[-1:]), {}))


def told(built: Built, mart: str, feed: str) -> list[Any]:
    """The rows of a mart without what tells the run, or where a message lies."""
    left_out = {"feed", "topic", "partition", "offset", "run_id", "known_from"}
    rows = built.of(mart, feed)
    return sorted(([(name, cell) for name, cell in row.items() if name not in left_out] for row in rows), key=str)


@pytest.mark.parametrize("feed", WHOLE)
def test_one_run_applies_ddl_in_the_order_of_commits(built_cases: Built, feed: str) -> None:
    rows = {table: [list(row.values()) for row in rows] for table, rows in built_cases.current(feed).items()}
    assert rows == (WITH_LATE_ROWS if feed == "late_rows" else EXPECTED)
    assert not built_cases.problems(feed)


@pytest.mark.parametrize("feed", CUTS)
def test_ddl_and_rows_that_come_after_their_watermark_in_a_later_run(built_cases: Built, feed: str) -> None:
    """Rows of a partition that was dropped stayed, those of before a column lacked its default, and nothing told it."""
    whole = "late_rows" if CUTS[feed][0] == "late_rows" else "late_ddl"
    for mart in ("current_rows", "row_history", "changelog", "tables", "ddl_history", "columns"):
        assert told(built_cases, mart, feed) == told(built_cases, mart, whole), mart
    assert {row["code"] for row in built_cases.problems(feed)} <= {"late_changes"}


def test_late_ddl_gives_no_change_of_another_table_another_run(built_cases: Built) -> None:
    """Who reads the changelog by its cursor gets what came out otherwise, and nothing else again."""
    before_ddl = ORDERS["after_rows"].index(DDL[0])
    changes = built_cases.of("changelog", f"late_after_rows_{before_ddl}")
    first, second = sorted({row["run_id"] for row in changes})
    runs_of: dict[str, set[int]] = {}
    for row in changes:
        runs_of.setdefault(row["table_name"], set()).add(row["run_id"])
    assert runs_of["other"] == runs_of["parted"] == {first}
    assert runs_of["emptied"] == {first, second}


def test_the_log_of_runs_says_why_a_feed_was_rebuilt(built_cases: Built) -> None:
    feed = f"late_after_rows_{ORDERS['after_rows'].index(DDL[0])}"
    plans = [json.loads(row["plan"]) for row in built_cases.rows("select plan from ticdc__runs order by run_id")]
    (plan,) = [plan for plan in plans if feed in {each["feed"] for each in plan["rebuilt"]}]
    assert plan is not plans[0]
    rebuilt = {each["feed"]: each for each in plan["rebuilt"]}
    commit_ts = rebuilt[feed]["commit_ts"]
    assert ts(30) <= commit_ts <= ts(37)
    assert rebuilt[feed]["reason"] == f"DDL of commit {commit_ts} came after changes of later commits were shown"
    assert rebuilt[UNBOUNDED]["commit_ts"] == ts(30)
    assert rebuilt[UNBOUNDED]["reason"] == f"DDL of commit {ts(30)} came after rows of later commits"
    assert plan["models"]["stg_ticdc__canal_json"] == {"took": "new messages"}
    assert feed in plan["models"]["int_ticdc__changes"]["feeds"]
