"""Odd tables, and relations of somebody else where the package's would go: told, left alone, no harm to other tables.

One warehouse is built in three runs, on a server whose timestamps have no time zone by default. Before the first run
somebody's relations are there. Before the third one a table is gone that stood in the way, a typed table looks as a run
made it before there was a mark, and somebody's relations stand where two of the package's were.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from support import session
from support.stories import Feed, Table

from dbt_ticdc import build, cli, package_path, summary
from dbt_ticdc.errors import TicdcError

pytestmark = pytest.mark.soak("odd_tables")
SETTINGS = {**session.IN_MEMORY, "spark.sql.timestampType": "TIMESTAMP_NTZ"}
LONG = "s" * 300
SHARED_TOPIC = "app2_orders"
FEEDS = [
    {"name": "odd", "protocol": "canal_json", "topics": ["odd"]},
    {"name": "app", "protocol": "canal_json", "topics": ["app_%"], "target_schema": None},
    {"name": "app2", "protocol": "canal_json", "topics": ["app2_%"], "target_schema": None},
]
AT = datetime(2026, 11, 21, 5, 16, 44)
THEIRS = "select 'theirs' as owner"
BEFORE_ALL = (
    "create schema finance",
    f"create view finance.revenue as {THEIRS}",
    f"create table finance.ledger as {THEIRS}",
    f"create view finance.budget_history as {THEIRS}",
    f"create function finance.costs_as_of(tso bigint) returns table return {THEIRS}",
    "create schema raw",
    "create table raw.messages (topic string, `partition` int, `offset` bigint, timestamp bigint, value binary)",
)
BEFORE_THE_THIRD = (
    "drop table finance.ledger",
    "create or replace view shop.fine as select 1 as old",
    # plans had the statements themselves when there was no mark
    "create table old_plans as select * except (plan), "
    "regexp_replace(plan, '\"[0-9a-f]{32}\"', '\"create view\"') as plan "
    "from int_ticdc__typed_plans",
    "insert overwrite table int_ticdc__typed_plans by name select * from old_plans",
    f"create or replace view ticdc.ticdc__transactions as {THEIRS}",
    f"create or replace function ticdc.ticdc__rows_as_of(tso bigint) returns table return {THEIRS}",
)
QUERIES = {
    "fine": "select id, at, v, typeof(at) as type from shop.fine order by id",
    "fine as of": "select count(*) as rows from fine_as_of(%d)",
    "fine history": "select count(*) as rows from fine_history",
    "revenue": "select * from finance.revenue",
    "ledger": "select * from finance.ledger",
    "budget": "select count(*) as rows from finance.budget",
    "budget history": "select * from finance.budget_history",
    "costs": "select count(*) as rows from finance.costs",
    "typeless": "select typeof(v) as type from shop.typeless limit 1",
    "orders_history": "select * from shop.orders_history",
    "renamed": "select * except (_commit_ts, _lossy) from shop.renamed order by id",
    "changelog": "select count(distinct feed) as feeds from ticdc.ticdc__changelog",
    "transactions": "select * from ticdc.ticdc__transactions limit 1",
    "message times": "select distinct typeof(message_at) as type from ticdc.int_ticdc__events",
    "stored": "select count(*) as tables from ticdc.int_ticdc__typed_tables where plan like '%.ticdc__history_%'",
}


def parts_of(feed: Feed) -> list[list[str]]:
    """The messages of each run: rows of every table, in the second one a new table, a DDL, and two tables that go."""
    renamed = Table(feed, "renamed", "id int, s int")
    tables = [
        Table(feed, "fine", "id int, at timestamp, v int"),
        Table(feed, "alike", "id int, A int, a int"),
        Table(feed, "t", "id int", schema=LONG),
        Table(feed, "t", "id int", schema="spark_catalog"),
        Table(feed, "typeless", "id int, v decimal(5,10)"),
        *(Table(feed, name, "id int", schema="finance") for name in ("revenue", "ledger", "budget", "costs")),
        Table(feed, "ticdc__changelog", "id int", schema="ticdc"),
        Table(feed, "orders", "id int"),
        renamed,
    ]
    bounds = [0]
    feed.begin("all")
    for part in range(3):
        if part == 1:
            tables.append(Table(feed, "orders_history", "id int"))
            for name in ("revenue", "costs"):
                (gone,) = (table for table in tables if table.name == name)
                gone.ddl("ERASE", "DROP TABLE `finance`.{}")
                tables.remove(gone)
            renamed.ddl("ALTER", "ALTER TABLE `shop`.{} RENAME COLUMN `s` TO `\u017f`")
            tables[tables.index(renamed)] = Table(feed, "renamed", "id int, \u017f int")
        for table in tables:
            values = ("2026-11-21 05:16:44" if " timestamp" in column else "7" for column in table.columns.split(", "))
            table.insert(part, *list(values)[1:])
        feed.watermark(feed.commit_ts, 0)
        bounds.append(len(feed.messages))
    lines = feed.lines()
    return [lines[begin:end] for begin, end in pairwise(bounds)]


@dataclass(frozen=True)
class Runs:
    """What was there after each run, and how the ends of builds that failed read."""

    problems: list[list[dict[str, Any]]]
    tables: list[dict[str, tuple[str | None, str | None]]]
    rows: list[dict[str, Any]]
    errors: list[str]
    waits: list[bool]

    def about(self, table: str) -> list[list[tuple[str, str, str]]]:
        """Of each run code, severity and detail of the problems of a table, `schema.table`.

        Tables that one reason leaves without a relation are one row, whose detail has them one after the other.
        """
        return [
            [
                (each["code"], each["severity"], detail)
                for each in found
                for named, detail in _details(each)
                if named == table
            ]
            for found in self.problems
        ]

    def answers(self, query: str) -> list[Any]:
        """The rows of a query after each run."""
        return [rows[query] for rows in self.rows]

    def relations(self, table: str) -> list[tuple[str | None, str | None] | None]:
        """The current and the history relation after each run."""
        return [tables.get(table) for tables in self.tables]


def _details(problem: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The tables of a problem, `schema.table`, and what is told of each."""
    detail = problem["detail"].partition(" (")[2].removesuffix(")")
    if problem["table_name"] is not None:
        yield f"{problem['schema_name']}.{problem['table_name']}", detail
    elif problem["code"] == "table_not_typed":
        for told in detail.partition("such as ")[2].split("; "):
            table, _, of_table = told.partition(": ")
            yield table, of_table


def refused_source(folder: Path) -> str:
    """How a build ends on messages that do not fit, and what it made."""
    spark = session.opened(folder)
    (folder / "work").mkdir(exist_ok=True)
    try:
        build.build(package_path(), folder / "work", {"ticdc__feeds": FEEDS, "ticdc__messages_schema": "raw"})
    except TicdcError as error:
        return f"{error}\nmade: {spark.sql('show tables in ticdc').count()}"
    return "nothing was refused"


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    folder = tmp_path_factory.mktemp("odd")
    warehouse, dump, feeds = folder / "warehouse", folder / "messages", folder / "feeds.yml"
    dump.mkdir()
    feeds.write_text(json.dumps({"feeds": FEEDS, "ticdc__stored_from_rows": 2}), encoding="utf-8")
    feed, shared = Feed("odd"), Feed(SHARED_TOPIC)
    parts = parts_of(feed)
    shared.begin("all")
    Table(shared, "orders", "id int", schema="app2").insert(1)
    shared.watermark(shared.commit_ts, 0)
    parts[0] += shared.lines()

    def ask(query: str) -> list[dict[str, Any]]:
        return session.rows(warehouse, query)

    session.opened(warehouse, SETTINGS)
    found = Runs([], [], [], [], [])
    for number, lines in enumerate(parts):
        for statement in (BEFORE_ALL, (), BEFORE_THE_THIRD)[number]:
            ask(statement)
        if number == 0:
            found.errors.append(refused_source(warehouse))
        (dump / f"{number}.jsonl").write_text("".join(lines), encoding="utf-8")
        try:
            session.run(warehouse, dump, feeds)
        except TicdcError as error:
            found.errors.append(str(error))
        found.problems.append(ask("select * from ticdc__problems"))
        found.tables.append(
            {
                f"{row['schema_name']}.{row['table_name']}": (row["current_relation"], row["history_relation"])
                for row in ask("select * from ticdc__tables where feed = 'odd'")
            }
        )
        commit = ask("select max(complete_through_ts) as ts from ticdc__completeness where feed = 'odd'")[0]["ts"]
        queries = [query.replace("%d", str(commit)) for query in QUERIES.values()]
        answers = session.answers(warehouse, "shop", queries)
        # Spark takes the name of a table function without a schema
        answers += session.answers(warehouse, "finance", ["select * from costs_as_of(1)"])
        texts = [answer if isinstance(answer, list) else answer.split("]")[0] for answer in answers]
        found.rows.append(dict(zip([*QUERIES, "costs as of"], texts, strict=True)))
        found.waits.append(summary.waits(session.opened(warehouse)))
    return found


NOT_TYPED = "table_not_typed", "error"


def test_a_source_that_does_not_fit_is_one_error_before_anything_runs(runs: Runs) -> None:
    said, made = runs.errors[0].split("made: ")
    assert made == "0"
    source = "source raw.messages (ticdc__messages_schema says where it is)"
    assert "ticdc: the configuration has 2 problem(s):" in said
    assert [line.strip() for line in said.splitlines() if line.strip().startswith("- ")] == [
        f"- {source}: timestamp: got bigint, expected timestamp",
        f"- {source}: key: got no such column, expected binary",
    ]


@pytest.mark.parametrize(
    ("table", "about"),
    [
        ("shop.alike", "A, a"),
        (f"{LONG}.t", f"{LONG[:40]}… of 300 characters"),
        ("spark_catalog.t", "spark_catalog"),
        ("ticdc.ticdc__changelog", "ticdc.ticdc__changelog"),
    ],
)
def test_a_table_that_cannot_be_typed_is_one_problem_in_each_run(runs: Runs, table: str, about: str) -> None:
    assert runs.about(table) == [[(*NOT_TYPED, about)]] * 3
    assert runs.relations(table) == [(None, None)] * 3


def test_tables_that_one_reason_leaves_untyped_are_one_problem(runs: Runs) -> None:
    told = [each["detail"] for each in runs.problems[0] if each["table_name"] is None and each["code"] == NOT_TYPED[0]]
    names = ("budget: finance.budget_history", "costs: finance.costs_as_of", "ledger: finance.ledger")
    listed = "; ".join(f"finance.{name}" for name in (*names, "revenue: finance.revenue"))
    assert told == [
        "A relation is there that this package did not make, and it was left as it is: the package has none of that "
        f"name. (4 tables, such as {listed})"
    ]


def test_other_tables_go_on_beside_odd_ones(runs: Runs) -> None:
    rows = [{"id": number, "at": AT, "v": 7, "type": "timestamp"} for number in range(3)]
    assert runs.answers("fine") == [rows[:1], rows[:2], rows]
    assert runs.answers("fine as of") == runs.answers("fine history") == [[{"rows": n}] for n in (1, 2, 3)]
    assert runs.relations("shop.fine") == [("shop.fine", "shop.fine_history")] * 3
    assert runs.about("shop.fine") == [[], [], []]
    assert [found[0]["tables"] > 0 for found in runs.answers("stored")] == [False, True, True]


def test_a_mart_of_the_package_is_not_taken_for_a_typed_table(runs: Runs) -> None:
    assert runs.answers("changelog") == [[{"feeds": 3}]] * 3


def test_a_view_of_somebody_else_is_neither_replaced_nor_dropped(runs: Runs) -> None:
    """Not by the rows of a table of that name, nor by its DROP."""
    assert runs.about("finance.revenue") == [[(*NOT_TYPED, "finance.revenue")], [], []]
    assert runs.relations("finance.revenue") == [(None, "finance.revenue_history"), None, None]
    assert runs.answers("revenue") == [[{"owner": "theirs"}]] * 3


def test_a_table_of_somebody_else_makes_way_only_when_it_is_gone(runs: Runs) -> None:
    assert runs.about("finance.ledger") == [[(*NOT_TYPED, "finance.ledger")]] * 2 + [[]]
    assert runs.answers("ledger")[:2] == [[{"owner": "theirs"}]] * 2
    assert [row["id"] for row in sorted(runs.answers("ledger")[2], key=lambda row: row["id"])] == [0, 1, 2]


def test_a_view_where_a_history_would_go_leaves_the_table_typed(runs: Runs) -> None:
    assert runs.about("finance.budget") == [[(*NOT_TYPED, "finance.budget_history")]] * 3
    assert runs.relations("finance.budget") == [("finance.budget", None)] * 3
    assert runs.answers("budget") == [[{"rows": n}] for n in (1, 2, 3)]
    assert runs.answers("budget history") == [[{"owner": "theirs"}]] * 3


def test_a_function_of_somebody_else_is_neither_replaced_nor_dropped(runs: Runs) -> None:
    """The table itself is typed, and dropped with its DROP."""
    assert runs.about("finance.costs") == [[(*NOT_TYPED, "finance.costs_as_of")], [], []]
    assert runs.answers("costs") == [[{"rows": 1}], *["[TABLE_OR_VIEW_NOT_FOUND"] * 2]
    assert runs.answers("costs as of") == [[{"owner": "theirs"}]] * 3


def test_a_relation_that_spark_refuses_stands_as_it_was(runs: Runs) -> None:
    """A history with two columns that Spark takes for one: the table has one of them at a time."""
    assert runs.about("shop.renamed") == [[], *[[(*NOT_TYPED, "shop.renamed_as_of, shop.renamed_history")]] * 2]
    assert runs.relations("shop.renamed") == [("shop.renamed", "shop.renamed_history")] * 3
    assert [sorted(row["id"] for row in rows) for rows in runs.answers("renamed")] == [[0], [0, 1], [0, 1, 2]]


def test_a_run_without_messages_tries_again_what_was_refused(runs: Runs) -> None:
    assert runs.waits == [True, True, True]


def test_a_type_that_spark_does_not_have_is_text(runs: Runs) -> None:
    assert runs.answers("typeless") == [[{"type": "string"}]] * 3


def test_a_history_that_makes_way_for_a_table_is_told(runs: Runs) -> None:
    (first, *later) = runs.relations("shop.orders")
    assert first == ("shop.orders", "shop.orders_history")
    history = later[0] and later[0][1]
    assert later == [("shop.orders", history)] * 2
    assert str(history).startswith("shop.orders_history_")
    told = f"shop.orders_history is shop.orders_history of feed odd, the history is {history}"
    assert runs.about("shop.orders") == [[], *[[("history_renamed", "info", told)]] * 2]
    assert [["_op" in row for row in rows] for rows in runs.answers("orders_history")[:2]] == [[True], [False]]
    assert [row["id"] for row in runs.answers("orders_history")[1]] == [1]


def test_a_topic_in_two_feeds_is_told_of_both(runs: Runs) -> None:
    """The pattern `app_%` takes the topic of the feed `app2` too, as _ is any character."""
    for found in runs.problems:
        told = [(each["feed"], each["severity"], each["detail"]) for each in found if each["code"] == "topic_in_feeds"]
        detail = f"topic {SHARED_TOPIC} is decoded for each of the feeds app, app2"
        assert sorted(told) == [("app", "warning", detail), ("app2", "warning", detail)]


def test_relations_from_before_there_was_a_mark_go_on(runs: Runs) -> None:
    """Those that the plan names: the third run replaced them, and dropped none."""
    assert runs.answers("fine")[2]
    assert runs.tables[2].keys() == runs.tables[1].keys()


def test_models_do_not_replace_what_is_not_theirs(runs: Runs) -> None:
    (error,) = runs.errors[1:]
    assert error.startswith("2 node(s) failed\n")
    assert "ticdc__transactions: " in error
    assert "ticdc.ticdc__transactions is there already, and this package did not make it" in error
    assert "the function ticdc.ticdc__rows_as_of is there already, and this package did not make it" in error
    assert runs.answers("transactions")[2] == [{"owner": "theirs"}]


def test_an_instant_is_one_where_timestamps_have_no_zone_by_default(runs: Runs) -> None:
    assert runs.answers("message times") == [[{"type": "timestamp"}]] * 3


def test_relations_that_a_run_left_out_are_made_by_the_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was made is remembered where every kind of relation was, else a history would be missing for good."""
    feed = Feed("odd")
    table = Table(feed, "fine", "id int, v int")
    feed.begin("all")
    lines = []
    for value in range(2):
        table.insert(value, value)
        feed.watermark(feed.commit_ts, 0)
        lines.append(feed.lines()[sum(map(len, lines)) :])
    folder, dump = tmp_path / "warehouse", tmp_path / "messages.jsonl"
    dbt = build._dbt

    def histories(*arguments: str) -> tuple[str | None, list[dict[str, Any]] | str]:
        """After a run: the history that `ticdc__tables` names, and how many rows the relation has."""
        dump.write_text("".join(lines.pop(0)), encoding="utf-8")
        with monkeypatch.context() as patched:
            patched.setattr(build, "_dbt", lambda *told: dbt(*told[:3], [*told[3], *arguments], *told[4:]))
            cli.run(session.opened(folder, session.IN_MEMORY), folder, {"ticdc__feeds": FEEDS}, [dump])
        named = session.rows(folder, "select max(history_relation) as name from ticdc__tables")[0]["name"]
        (found,) = session.answers(folder, "shop", ["select count(*) as rows from fine_history"])
        return named, found if isinstance(found, list) else found.split("]")[0]

    assert histories("--exclude", "int_ticdc__typed_histories") == (None, "[TABLE_OR_VIEW_NOT_FOUND")
    assert histories() == ("shop.fine_history", [{"rows": 2}])
