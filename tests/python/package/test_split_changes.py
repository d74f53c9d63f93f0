"""A commit that changes a key twice is one change, and only tables that may have such commits are searched for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from support.cases import Built, Feed, Stage, Story, case, records, story
from support.messages import COMMIT_TS, ddl_message, row_message, to_bytes
from support.stories import STEP, Table
from support.stories import Feed as Told

BOUNDED, UNBOUNDED = "split_bounded", "split_unbounded"
COLUMNS = "id int, v varchar"
CREATE = "CREATE TABLE {} (`id` INT PRIMARY KEY,`v` VARCHAR(9) UNIQUE)"
PLAIN = {("1", "insert"): 1, ("1", "update"): 1, ("2", "insert"): 1, ("2", "delete"): 1}
HALVES = {**PLAIN, ("3", "insert"): 1, ("3", "update"): 1}
PARTED = {**PLAIN, ("3", "insert"): 1, ("3", "delete"): 1}
EXPECTED = {
    Stage.FIRST: {"plain": PLAIN, "halves": HALVES, "late": PLAIN, "unbounded": PLAIN, "parted": PARTED},
    Stage.SECOND: {
        "plain": {**PLAIN, ("5", "insert"): 1},
        "halves": HALVES,
        # the other half of the delete came
        "late": {key: 1 for key in PLAIN if key != ("2", "delete")} | {("2", "update"): 1},
        "unbounded": {**PLAIN, ("5", "insert"): 1},
        # a run ended between both halves
        "parted": HALVES,
    },
}
"""Of each table how many changes of each key and kind there are."""


def told_in_two() -> dict[str, list[list[str]]]:
    """Lines of two runs of each feed."""
    feed, unbounded = Told(BOUNDED), Told(UNBOUNDED)
    tables = {name: Table(feed, name, COLUMNS, schema="split") for name in ("plain", "halves", "late")}
    tables.update((name, Table(unbounded, name, COLUMNS, schema="split")) for name in ("unbounded", "parted"))
    for table in tables.values():
        table.feed.begin(table.name)
        table.ddl("CREATE", CREATE)
        table.insert_all((1, "a"), (2, "b"))
        table.update((1, "a"), (1, "c"))
        table.delete(2, "b")
    deleted_ts = tables["late"].feed.commit_ts
    halves = tables["halves"]
    halves.insert(3, "d")
    with feed.one_commit():
        halves.send("DELETE", (3, "d"))
        halves.insert(3, "e")
    feed.watermark(feed.commit_ts, 0, 1)
    first = len(feed.messages)
    last_ts = feed.commit_ts
    feed.commit_ts = deleted_ts - STEP
    tables["late"].insert(2, "f")
    feed.commit_ts = last_ts
    tables["plain"].insert(5, "g")
    feed.watermark(feed.commit_ts, 0, 1)
    parted = tables["parted"]
    parted.insert(3, "d")
    with unbounded.one_commit():
        parted.send("DELETE", (3, "d"))
        first_of_unbounded = len(unbounded.messages)
        parted.insert(3, "e")
    tables["unbounded"].insert(5, "g")
    lines, of_unbounded = feed.lines(), unbounded.lines()
    return {
        BOUNDED: [lines[:first], lines[first:]],
        UNBOUNDED: [of_unbounded[:first_of_unbounded], of_unbounded[first_of_unbounded:]],
    }


class Split(Story):
    """The feeds, and what the changelog and the publication told of them after each run."""

    stages = (Stage.FIRST, Stage.SECOND)

    def __init__(self) -> None:
        self.parts = told_in_two()
        self.changes: dict[tuple[Stage, str], dict[tuple[str, str], int]] = {}
        self.searched: dict[Stage, set[tuple[str, str]]] = {}
        self.late: list[dict[str, Any]] = []

    def feeds(self, stage: Stage) -> Sequence[Feed]:
        return [
            {"name": name, "protocol": "canal_json", "topics": [name], "target_schema": None} for name in self.parts
        ]

    def lines(self, stage: Stage) -> Sequence[str]:
        return [line for parts in self.parts.values() if stage < len(parts) for line in parts[stage]]

    def variables(self, stage: Stage) -> Mapping[str, Any]:
        return {}

    def after(self, stage: Stage, built: Built) -> None:
        for table in EXPECTED.get(stage, ()):
            rows = built.rows(
                "select get_json_object(row_key, '$.id') as id, op, count(*) as changes from ticdc__changelog "
                f"where schema_name = 'split' and table_name = '{table}' group by all"
            )
            self.changes[stage, table] = {(row["id"], row["op"]): row["changes"] for row in rows}
        rows = built.rows(
            "select each.feed, split(each.table_id, '`')[3] as name from int_ticdc__publication "
            "lateral view explode(split_tables) exploded as each"
        )
        self.searched[stage] = {(row["feed"], row["name"] or "") for row in rows if row["feed"] in self.parts}
        if stage is Stage.SECOND:
            self.late = built.rows(
                "select before, after, run_id, known_from from ticdc__changelog "
                "where schema_name = 'split' and table_name = 'late' and op = 'update' and row_key = '{\"id\":\"2\"}'"
            ) + built.rows("select max(run_id) as run_id from ticdc__runs")


SPLIT = Split()
story(SPLIT)


@pytest.mark.parametrize("stage", EXPECTED)
@pytest.mark.parametrize("table", EXPECTED[Stage.FIRST])
def test_a_commit_changes_a_key_once(built_cases: Built, stage: Stage, table: str) -> None:
    assert SPLIT.changes[stage, table] == EXPECTED[stage][table]


def test_tables_that_no_commit_changed_twice_are_not_searched(built_cases: Built) -> None:
    first = {(BOUNDED, "halves")}
    assert SPLIT.searched[Stage.FIRST] == first
    assert SPLIT.searched[Stage.SECOND] == {*first, (BOUNDED, "late"), (UNBOUNDED, "parted")}


def test_a_half_that_comes_late_makes_a_change_another_one(built_cases: Built) -> None:
    change, run = SPLIT.late
    assert (change["before"], change["after"]) == ('{"id":"2","v":"b"}', '{"id":"2","v":"f"}')
    assert change["run_id"] == run["run_id"]


def of_millisecond(millisecond: int, type: str, row: Mapping[str, str], *old: Mapping[str, str]) -> bytes:
    """A message without the TiDB extension."""
    members = {"tidb": {}, "es": (COMMIT_TS >> 18) + millisecond}
    return to_bytes(row_message(row, {"id": "int", "v": "varchar"}, type=type, old=list(old) or None, **members))


SWAPPED = [
    to_bytes(ddl_message("CREATE TABLE `t` (`id` INT PRIMARY KEY,`v` VARCHAR(9))", "CREATE", tidb={})),
    of_millisecond(1, "INSERT", {"id": "1", "v": "a"}),
    of_millisecond(1, "INSERT", {"id": "2", "v": "b"}),
    of_millisecond(2, "UPDATE", {"id": "2", "v": "a"}, {"id": "1", "v": "a"}),
    of_millisecond(2, "UPDATE", {"id": "1", "v": "b"}, {"id": "2", "v": "b"}),
]
case("swapped_in_a_millisecond", "canal_json", records("swapped_in_a_millisecond", SWAPPED))
case(
    "swapped_in_two_runs",
    "canal_json",
    records("swapped_in_two_runs", SWAPPED[:-1]),
    records("swapped_in_two_runs", SWAPPED[-1:], len(SWAPPED) - 1),
)


@pytest.mark.parametrize("feed", ["swapped_in_a_millisecond", "swapped_in_two_runs"])
def test_rows_that_swap_their_keys_in_a_millisecond_both_stay(built_cases: Built, feed: str) -> None:
    """One was lost where a run ended between both messages: its key was deleted after it was put."""
    assert built_cases.current(feed) == {"shop.t": [{"id": "1", "v": "b"}, {"id": "2", "v": "a"}]}
    assert not built_cases.problems(feed)
