"""Random partitioned tables in Spark, against a model of TiDB: rows are right, or flagged, counted and listed."""

from __future__ import annotations

import json
from collections import defaultdict
from random import Random
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

import pytest
from support.cases import Built, Case, story
from support.corpus import SOAKED
from support.random_partitions import ZONES, Table, altered, columns, expressions, timestamps
from support.stories import Feed
from support.stories import Table as Written

pytestmark = pytest.mark.in_soak("fuzz")
TABLES = 20 if "fuzz" in SOAKED else 2
METHODS = ("hash", "key", "range", "list", "range_columns", "list_columns", "zoned_range", "zoned_list")


class Expected(NamedTuple):
    """A table in the end: its rows, those that left it, by their numbers, and how many each DDL took, in order."""

    rows: set[int]
    left: set[int]
    taken: list[int]


def rule_of(rng: Random, method: str) -> Any:
    if method.startswith("zoned"):
        return timestamps(ZoneInfo(rng.choice(ZONES)))
    if method in ("hash", "range", "list"):
        return rng.choice(expressions())
    sure = [one for one in columns() if "VARCHAR" not in one.column or "_bin" in one.column or "general" in one.column]
    return rng.choice([one for one in sure if "gb" not in one.column] if method == "key" else columns())


def named(ddl: str) -> str:
    """The text with a place for the name of the table."""
    return ddl.replace("{", "{{").replace("}", "}}").replace("TABLE t ", "TABLE {} ")


def told_by(feed: Feed, name: str, rng: Random, method: str) -> Expected:
    """Tells a random table and what becomes of it to the feed; the first rows are there before all DDL."""
    rule = rule_of(rng, method)
    model = Table(rng, method.removeprefix("zoned_"), rule)
    numbers = {number: row for number, row in enumerate(model.rows)}
    first_rows = list(model.rows)
    by_row: dict[str, list[int]] = defaultdict(list)
    for number, row in numbers.items():
        by_row[repr(row)].append(number)
    ddl = altered(model)
    feed.begin(name)
    written = Written(feed, name, f"id int, c {rule.column.split(' ')[0].lower()}")
    create, *alters = model.texts[1:]
    written.ddl("CREATE", named(create).replace("TABLE {} (", "TABLE {} (`id` INT PRIMARY KEY, "))
    for number, row in enumerate(first_rows):
        written.insert(number, None if row is None else rule.canonical(row))
    for place, text in enumerate(alters):
        if text.endswith("WITH TABLE x"):
            other = Written(feed, f"{name}_x{place}", written.columns)
            other.ddl("CREATE", f"CREATE TABLE {{}} (`id` INT PRIMARY KEY, c {rule.column})")
            text = text.removesuffix("x") + f"`shop`.`{other.name}` WITH VALIDATION"
        written.ddl("ALTER", named(text))
    left = {number for row in model.rows for number in by_row[repr(row)]}
    return Expected(left, numbers.keys() - left, [sum(is_gone for _, is_gone in goes) for _, _, goes in ddl])


FEED = Feed("random_partitions")
EXPECTED = {
    name: told_by(FEED, name, Random(name), method)
    for method in METHODS
    for name in (f"{method}_{number}" for number in range(TABLES))
}


class RandomTables(Case):
    """The feed of all of them."""

    part = "fuzz" if "fuzz" in SOAKED else None


story(RandomTables(FEED.name, "canal_json", (FEED.lines(),), {}))


def test_rows_of_random_partitioned_tables_are_right_or_told(built_cases: Built) -> None:
    feed = FEED.name
    current = {
        name.removeprefix("shop."): {int(row["id"] or 0) for row in rows}
        for name, rows in built_cases.current(feed).items()
    }
    doubted: dict[str, set[int]] = defaultdict(set)
    doubts: dict[tuple[str, int], int] = defaultdict(int)
    for row in built_cases.of("uncertain_rows", feed):
        doubted[row["table_name"]].add(int(json.loads(row["row_key"])["id"]))
        doubts[row["table_name"], row["commit_ts"]] += 1
    taken: dict[str, list[int]] = defaultdict(list)
    for row in sorted(built_cases.of("ddl_history", feed), key=lambda row: row["commit_ts"]):
        if row["rows_uncertain"] is not None:
            taken[row["table_name"]].append(row["rows_taken"])
            assert row["rows_uncertain"] == doubts.get((row["table_name"], row["commit_ts"]), 0)
    for name, want in EXPECTED.items():
        assert current.get(name, set()) ^ want.rows <= doubted[name], name
        if not doubted[name]:
            assert taken[name] == want.taken, name
    unsettled = {
        (row["table_name"], row["commit_ts"]) for row in built_cases.of("uncertain_rows", feed) if not row["is_settled"]
    }
    problems = [row for row in built_cases.problems(feed) if row["code"] == "uncertain_rows"]
    assert {(row["table_name"], row["commit_ts"]) for row in problems} == unsettled
    assert {name for name, rows in doubted.items() if rows} <= {
        name for name in EXPECTED if name.startswith(("zoned", "range_columns", "list_columns"))
    }
