"""Odd tables, and relations of somebody else where typed ones would go: told, left alone, and no harm to other tables.

One warehouse is built in three runs. Before the first one somebody's relations are there; before the third one, one of
them is gone, and a typed table looks as a run made it before there was a mark.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from support import session
from support import warehouse as embedded
from support.stories import Feed, Table

LONG = "s" * 300
THEIRS = (
    "create schema finance",
    "create view finance.revenue as select 'theirs' as owner",
    "create table finance.ledger as select 'theirs' as owner",
    "create view finance.budget_history as select 'theirs' as owner",
    "create function finance.costs_as_of(tso bigint) returns table return select 'theirs' as owner",
    "create view finance.never as select 'theirs' as owner",
)
# As a run made it before relations bore a mark.
UNMARKED = (
    "create or replace view shop.fine as select 1 as old",
    "create table old_plans using parquet as select * except (plan), if(table_name = 'fine', regexp_replace(plan, "
    "'tblproperties [(][^)]*[)] ', ''), plan) as plan from int_ticdc__typed_tables",
    "insert overwrite table int_ticdc__typed_tables by name select * from old_plans",
    "drop table finance.ledger",
)
SHARED_TOPIC = "app2_orders"


def lines_of(feed: Feed, parts: int) -> list[list[str]]:
    """The messages of each run: rows of every table in each, and in the second one a new table and two that go."""
    fine = Table(feed, "fine", "id int, v int")
    tables = [
        fine,
        Table(feed, "alike", "id int, A int, a int"),
        Table(feed, "t", "id int, v int", schema=LONG),
        Table(feed, "t", "id int, v int", schema="spark_catalog"),
        Table(feed, "bad_type", "id int, v decimal(5,10)"),
        *(Table(feed, name, "id int, v int", schema="finance") for name in ("revenue", "ledger", "budget", "costs")),
        Table(feed, "ticdc__changelog", "id int, v int", schema="ticdc"),
        Table(feed, "orders", "id int, v int"),
    ]
    begins = [0]
    feed.begin("all")
    for part in range(parts):
        for table in tables:
            table.insert(*[part, *[7] * (table.columns.count(", "))])
        if part == 1:
            tables.append(Table(feed, "orders_history", "id int, v int"))
            tables[-1].insert(1, 7)
            for name in ("revenue", "costs"):
                (gone,) = (table for table in tables if table.name == name)
                gone.ddl("ERASE", "DROP TABLE `finance`.{}")
                tables.remove(gone)
        feed.watermark(feed.commit_ts, 0)
        begins.append(len(feed.messages))
    lines = feed.lines()
    return [lines[begin:end] for begin, end in zip(begins, begins[1:], strict=False)]


@dataclass(frozen=True)
class Runs:
    """What was there after each run: problems, relations of tables, and the rows of queries."""

    problems: list[list[dict[str, Any]]]
    tables: list[dict[tuple[str, str], tuple[str | None, str | None]]]
    rows: list[dict[str, Any]]

    def reasons(self, run: int, table: str) -> list[tuple[str, str, str]]:
        """Code, severity and detail of each problem of a table, `schema.table`."""
        found = [each for each in self.problems[run] if f"{each['schema_name']}.{each['table_name']}" == table]
        return [(each["code"], each["severity"], each["detail"]) for each in found]


QUERIES = {
    "fine": "select id, v from shop.fine order by id",
    "fine as of": "select count(*) as rows from fine_as_of(%d)",
    "history": "select count(*) as rows from shop.fine_history",
    "revenue": "select owner from finance.revenue",
    "ledger": "select * from finance.ledger",
    "budget": "select count(*) as rows from finance.budget",
    "budget history": "select * from finance.budget_history",
    "costs": "select count(*) as rows from finance.costs",
    "never": "select owner from finance.never",
    "orders_history": "select * from shop.orders_history",
    "changelog": "select count(*) as rows from ticdc.ticdc__changelog where feed = 'odd'",
    "bad type": "select typeof(v) as type from shop.bad_type",
    "storage": "select count(*) as rows from (select explode(split(plan, 'ticdc__typed_')) from int_ticdc__typed_tables)",
}


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    folder = tmp_path_factory.mktemp("odd")
    warehouse, dump = folder / "warehouse", folder / "messages"
    dump.mkdir()
    feed, shared = Feed("odd"), Feed(SHARED_TOPIC)
    parts = lines_of(feed, 3)
    shared.begin("all")
    Table(shared, "orders", "id int", schema="app2").insert(1)
    shared.watermark(shared.commit_ts, 0)
    feeds = [{"name": "odd", "protocol": "canal_json", "topics": ["odd"]}]
    patterns = {"app": "app_%", "app2": "app2_%"}
    feeds += [{"name": name, "protocol": "canal_json", "topics": [topic], "target_schema": None} for name, topic in patterns.items()]  # fmt: skip
    settings = {"feeds": feeds, "ticdc__stored_from_rows": 2}
    (folder / "feeds.yml").write_text(json.dumps(settings), encoding="utf-8")

    def ask(query: str) -> Any:
        return session.ask(session.rows, warehouse, query)

    def queried(query: str) -> Any:
        (found,) = session.ask(session.answers, warehouse, "shop", [query])
        return found if isinstance(found, list) else found.split("]")[0].strip("[")

    found = Runs([], [], [])
    for number, lines in enumerate(parts):
        for statement in {0: THEIRS, 2: UNMARKED}.get(number, ()):
            ask(statement)
        text = "".join(lines) + ("".join(shared.lines()) if number == 0 else "")
        (dump / f"{number}.jsonl").write_text(text, encoding="utf-8")
        assert session.ask(session.run, warehouse, dump, folder / "feeds.yml")
        found.problems.append(ask("select * from ticdc__problems where code not in ('lossy_values')"))
        found.tables.append(
            {
                (row["schema_name"], row["table_name"]): (row["current_relation"], row["history_relation"])
                for row in ask("select * from ticdc__tables where feed = 'odd'")
            }
        )
        commit = ask("select max(complete_through_ts) as ts from ticdc__completeness where feed = 'odd'")[0]["ts"]
        found.rows.append({name: queried(query.replace("%d", str(commit))) for name, query in QUERIES.items()})
    return found


def test_show(runs: Runs) -> None:
    for run in range(3):
        print("RUN", run)
        for p in runs.problems[run]: print("  ", p)
        for t, r in runs.tables[run].items(): print("  ", t, r)
        for q, r in runs.rows[run].items(): print("  ", q, r)
    raise AssertionError
