"""Histories of large tables are stored, and tell what `ticdc__row_history` and `ticdc__rows_as_of` tell."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from support.cases import Built, Feed, Stage, Story, story
from support.stories import STEP, Table
from support.stories import Feed as Told

FEED = "stored_histories"
TABLES = {"large": 2, "altered": 1, "emptied": 1}
"""The tables, and how many batches of each are published after the second run."""
STORED_FROM = 60
PAIRS, TRIPLES = "id int, v varchar", "id int, v varchar, w int"
CREATE = "CREATE TABLE {} (`id` INT PRIMARY KEY,`v` VARCHAR(9))"


def told_in_two() -> list[list[str]]:
    """Lines of two runs: of each table the second has an update, a delete, a row and a late change, or a DDL besides."""
    feed = Told(FEED)
    late: dict[str, int] = {}
    tables = {name: Table(feed, name, PAIRS) for name in TABLES}
    for name, table in tables.items():
        feed.begin(name)
        table.ddl("CREATE", CREATE)
        table.insert_all(*((number, "a") for number in range(STORED_FROM + 2)))
        late[name] = feed.commit_ts + STEP // 2
        table.update((1, "a"), (1, "b"))
        with feed.one_commit():
            table.send("DELETE", (2, "a"))
            table.insert(2, "c")
        table.delete(3, "a")
    feed.watermark(feed.commit_ts, 0, 1)
    first = len(feed.messages)
    now_ts = feed.commit_ts
    for name, table in tables.items():
        feed.commit_ts = late[name] - STEP
        table.send("UPDATE", (1, "late"), (1, "a"))
        table.send("UPDATE", (4, "late"), (4, "a"))
        now_ts += STEP
        feed.commit_ts = now_ts - STEP
        with feed.one_commit():
            table.insert(1000, "x")
            table.update((5, "a"), (5, "d"))
        table.delete(6, "a")
        table.insert(3, "again")
        now_ts = feed.commit_ts
    tables["altered"].ddl("ALTER", "ALTER TABLE {} ADD COLUMN `w` INT DEFAULT 7")
    Table(feed, "altered", TRIPLES).update((7, "a", 7), (7, "e", 8))
    tables["emptied"].ddl("TRUNCATE", "TRUNCATE TABLE {}")
    tables["emptied"].insert_all(*((number, "n") for number in range(STORED_FROM + 2)))
    feed.watermark(feed.commit_ts, 0, 1)
    lines = feed.lines()
    return [lines[:first], lines[first:]]


class Histories(Story):
    """The feed, and what was asked of it after each run."""

    stages = (Stage.FIRST, Stage.SECOND, Stage.IDLE)

    def __init__(self) -> None:
        self.parts = dict(zip(self.stages, told_in_two(), strict=False))
        self.typed: dict[tuple[Stage, str], list[tuple[Any, ...]]] = {}
        self.untyped: dict[tuple[Stage, str], list[tuple[Any, ...]]] = {}
        self.batches: dict[tuple[Stage, str], int | None] = {}

    def feeds(self, stage: Stage) -> Sequence[Feed]:
        return [{"name": FEED, "protocol": "canal_json", "topics": [FEED], "target_schema": "stored"}]

    def lines(self, stage: Stage) -> Sequence[str]:
        return self.parts.get(stage, ())

    def variables(self, stage: Stage) -> Mapping[str, Any]:
        return {"ticdc__stored_from_rows": STORED_FROM}

    def after(self, stage: Stage, built: Built) -> None:
        plans = built.rows(f"select table_name, plan from int_ticdc__typed_tables where feed = '{FEED}'")
        (published,) = built.rows("select batches from int_ticdc__publication")
        for row in plans:
            storage = json.loads(row["plan"])["history_storage"]
            batches = published["batches"].get((storage or "").split(".")[-1])
            self.batches[stage, row["table_name"]] = batches and len(batches)
        carried = "row_key, valid_from_ts, valid_to_ts, op, closed_by"
        for table in TABLES:
            columns = "id, v" if table != "altered" or stage is Stage.FIRST else "id, v, w"
            typed = built.rows(
                f"select {columns}, _{carried.replace(', ', ', _')}, _lossy as lossy from stored.{table}_history"
            )
            untyped = built.rows(
                f"select row, {carried}, lossy from ticdc__row_history where feed = '{FEED}' and table_name = '{table}'"
            )
            names = columns.split(", ")
            for row in untyped:
                image = json.loads(row.pop("row"))
                row.update({name: image.get(name) for name in names})
            for row in typed:
                row.update({name: None if row[name] is None else str(row[name]) for name in names})
                row.update({key.removeprefix("_"): row.pop(key) for key in list(row)})
            for found, rows in ((self.typed, typed), (self.untyped, untyped)):
                found[stage, table] = sorted((tuple(sorted(row.items())) for row in rows), key=repr)


HISTORIES = Histories()
story(HISTORIES)
RUNS = [stage for stage in Stage]


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("stage", RUNS)
def test_a_stored_history_is_the_history(built_cases: Built, table: str, stage: Stage) -> None:
    assert HISTORIES.typed[stage, table] == HISTORIES.untyped[stage, table]
    assert len(HISTORIES.typed[stage, table]) > STORED_FROM


@pytest.mark.parametrize("table", TABLES)
def test_what_is_stored_is_published(built_cases: Built, table: str) -> None:
    counts = [HISTORIES.batches[stage, table] for stage in RUNS]
    assert counts == [1, TABLES[table], TABLES[table]]


def test_a_late_change_replaces_versions_that_are_stored(built_cases: Built) -> None:
    rows = [dict(row) for row in HISTORIES.typed[Stage.SECOND, "large"]]
    of_one = sorted((row["valid_from_ts"], row["v"]) for row in rows if row["id"] == "1")
    assert [value for _, value in of_one] == ["a", "late", "b"]
    ends = {value: end for value, end in ((row["v"], row["valid_to_ts"]) for row in rows if row["id"] == "1")}
    assert [ends["a"], ends["late"], ends["b"]] == [of_one[1][0], of_one[2][0], None]


def test_rows_as_of_a_commit_are_those_of_the_history(built_cases: Built) -> None:
    """Where the columns of the table never changed, the function reads what is stored."""
    (bounds,) = built_cases.rows(f"select complete_through_ts as ts from ticdc__completeness where feed = '{FEED}' limit 1")
    rows = [dict(row) for row in HISTORIES.typed[Stage.SECOND, "large"]]
    moments = sorted({row["valid_from_ts"] for row in rows})
    built_cases.rows("use stored")
    try:
        for moment in (*moments, bounds["ts"]):
            found = built_cases.rows(f"select id, v from large_as_of({moment})")
            then = [row for row in rows if row["valid_from_ts"] <= moment < (row["valid_to_ts"] or moment + 1)]
            assert sorted((str(row["id"]), row["v"]) for row in found) == sorted((row["id"], row["v"]) for row in then)
    finally:
        built_cases.rows("use ticdc")
