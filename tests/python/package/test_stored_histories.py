"""Histories of large tables are stored, and tell what `ticdc__row_history` and `ticdc__rows_as_of` tell."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from support import session
from support.cases import Built, Feed, Stage, Story, story
from support.stories import STEP, Table
from support.stories import Feed as Told

from dbt_ticdc import build, cli
from dbt_ticdc.errors import TicdcError

Ask = Callable[[str], list[dict[str, Any]]]
FEED = "stored_histories"
TABLES = {"large": 2, "altered": 1, "emptied": 1}
"""The tables, and how many batches of each are published after the second run."""
STORED_FROM = 60
PAIRS, TRIPLES = "id int, v varchar", "id int, v varchar, w int"
CREATE = "CREATE TABLE {} (`id` INT PRIMARY KEY,`v` VARCHAR(9))"


def told_in_two() -> list[list[str]]:
    """Lines of two runs; the second has late changes among others, and a DDL for two of the tables."""
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


def histories(ask: Ask, table: str, columns: str) -> tuple[list[Any], list[Any]]:
    """The rows of `<table>_history` and of `ticdc__row_history`, each as sorted tuples of the same texts."""
    carried = "row_key, valid_from_ts, valid_to_ts, op, closed_by"
    typed = ask(f"select {columns}, _{carried.replace(', ', ', _')}, _lossy from stored.{table}_history")
    untyped = ask(
        f"select row, {carried}, lossy from ticdc__row_history where feed = '{FEED}' and table_name = '{table}'"
    )
    names = columns.split(", ")
    for row in untyped:
        image = json.loads(row.pop("row"))
        row.update({name: image.get(name) for name in names})
    texts = [{key.removeprefix("_"): value for key, value in row.items()} for row in typed]
    for row in texts:
        row.update({name: None if row[name] is None else str(row[name]) for name in names})
    first, second = (sorted((tuple(sorted(row.items())) for row in rows), key=repr) for rows in (texts, untyped))
    return first, second


def batches(ask: Ask) -> dict[str, int | None]:
    """How many batches of each stored history are published; None where it is not read."""
    (published,) = ask("select batches from int_ticdc__publication")
    found = {}
    for row in ask(f"select table_name, plan from int_ticdc__typed_tables where feed = '{FEED}'"):
        storage = json.loads(row["plan"])["history_storage"] or ""
        found[row["table_name"]] = len(published["batches"].get(storage.split(".")[-1], ())) or None
    return found


class Histories(Story):
    """The feed, and what was asked of it after each run."""

    stages = (Stage.FIRST, Stage.SECOND, Stage.IDLE)

    def __init__(self) -> None:
        self.parts = dict(zip(self.stages, told_in_two(), strict=False))
        self.found: dict[tuple[Stage, str], tuple[list[Any], list[Any]]] = {}
        self.batches: dict[Stage, dict[str, int | None]] = {}
        self.texts: dict[Stage, str] = {}

    def feeds(self, stage: Stage) -> Sequence[Feed]:
        return [{"name": FEED, "protocol": "canal_json", "topics": [FEED], "target_schema": "stored"}]

    def lines(self, stage: Stage) -> Sequence[str]:
        return self.parts.get(stage, ())

    def variables(self, stage: Stage) -> Mapping[str, Any]:
        return {"ticdc__stored_from_rows": STORED_FROM}

    def after(self, stage: Stage, built: Built) -> None:
        self.batches[stage] = batches(built.rows)
        views = ("stored.large", "stored.large_history", "stored.altered_history", "stored.emptied")
        self.texts[stage] = "".join(built.rows(f"show create table {view}")[0]["createtab_stmt"] for view in views)
        for table in TABLES:
            columns = "id, v" if table != "altered" or stage is Stage.FIRST else "id, v, w"
            self.found[stage, table] = histories(built.rows, table, columns)


HISTORIES = Histories()
story(HISTORIES)


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("stage", list(Stage))
def test_a_stored_history_is_the_history(built_cases: Built, table: str, stage: Stage) -> None:
    typed, untyped = HISTORIES.found[stage, table]
    assert typed == untyped
    assert len(typed) > STORED_FROM


@pytest.mark.parametrize("table", TABLES)
def test_what_is_stored_is_published(built_cases: Built, table: str) -> None:
    assert [HISTORIES.batches[stage][table] for stage in Stage] == [1, TABLES[table], TABLES[table]]


@pytest.mark.parametrize("stage", list(Stage))
def test_what_is_stored_is_all_that_is_read(built_cases: Built, stage: Stage) -> None:
    """The changes of all tables beside it took half of the time of a query, which only planned them."""
    text = HISTORIES.texts[stage]
    assert "ticdc__history_" in text
    assert not [
        rows for rows in ("keyed_history", "keyed_changes", "newest_rows", "latest") if f"int_ticdc__{rows}" in text
    ]


def test_a_late_change_replaces_versions_that_are_stored(built_cases: Built) -> None:
    rows = [dict(row) for row in HISTORIES.found[Stage.SECOND, "large"][0]]
    of_one = sorted((row["valid_from_ts"], row["valid_to_ts"], row["v"]) for row in rows if row["id"] == "1")
    begins = [begin for begin, _, _ in of_one]
    assert [value for _, _, value in of_one] == ["a", "late", "b"]
    assert [end for _, end, _ in of_one] == [*begins[1:], None]


def test_rows_now_and_as_of_a_commit_are_those_of_the_history(built_cases: Built) -> None:
    """Where the columns of the table never changed, both read what is stored."""
    rows = [dict(row) for row in HISTORIES.found[Stage.SECOND, "large"][0]]
    (bound,) = built_cases.rows(
        f"select complete_through_ts as ts from ticdc__completeness where feed = '{FEED}' limit 1"
    )
    moments = sorted({bound["ts"], *(row["valid_from_ts"] for row in rows)})
    queries = ["select id, v from large", *(f"select id, v from large_as_of({moment})" for moment in moments)]
    answers = session.answers(built_cases.warehouse, "stored", queries)
    for moment, found in zip((bound["ts"], *moments), answers, strict=True):
        then = [row for row in rows if row["valid_from_ts"] <= moment < (row["valid_to_ts"] or moment + 1)]
        assert not isinstance(found, str), found
        assert sorted((str(row["id"]), row["v"]) for row in found) == sorted((row["id"], row["v"]) for row in then)


@pytest.mark.soak("builds")
def test_a_run_is_published_with_what_it_stores_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A stored table asked all changes until the run that was published had stored it, too."""
    feed = Told(FEED)
    table = Table(feed, "large", PAIRS)
    feed.begin("large")
    table.ddl("CREATE", CREATE)
    table.insert_all(*((number, "a") for number in range(STORED_FROM)))
    ends = []
    for row in range(5):
        table.update((row, "a"), (row, "b"))
        feed.watermark(feed.commit_ts, 0, 1)
        ends.append(len(feed.messages))
    lines = feed.lines()
    feeds = [{"name": FEED, "protocol": "canal_json", "topics": [FEED], "target_schema": "stored"}]
    variables = {"ticdc__feeds": feeds, "ticdc__stored_from_rows": STORED_FROM}
    folder, dump = tmp_path / "warehouse", tmp_path / "messages.jsonl"
    parts = iter("".join(lines[begin:end]) for begin, end in zip((0, *ends), ends, strict=False))

    def run(*arguments: str) -> tuple[str, list[int]]:
        """dbt on the next messages: its errors, and how many updated rows there are: now, in the history, untyped."""
        dump.write_text(next(parts), encoding="utf-8")
        said = ""
        with monkeypatch.context() as patched:
            patched.setattr(build, "_dbt", lambda *told: dbt(*told[:3], [*told[3], *arguments], *told[4:]))
            try:
                cli.run(session.opened(folder), folder, variables, [dump])
            except TicdcError as error:
                said = str(error)
        return said, [
            session.rows(folder, f"select count(*) as rows from {relation}")[0]["rows"]
            for relation in (
                "stored.large where v = 'b'",
                "stored.large_history where v = 'b' and _valid_to_ts is null",
                "ticdc__current_rows where row like '%\"b\"%'",
            )
        ]

    dbt, ask = build._dbt, partial(session.rows, folder)
    assert (run(), batches(ask)["large"]) == (("", [1, 1, 1]), 1)
    assert (run("--exclude", "int_ticdc__typed_plans"), batches(ask)["large"]) == (("", [2, 2, 2]), 2)
    said, rows = run("--exclude", "int_ticdc__typed_storages")
    assert "Build int_ticdc__typed_storages" in said
    assert rows == [2, 2, 2]
    assert (run(), batches(ask)["large"]) == (("", [4, 4, 4]), 3)
    (storage,) = (row["tableName"] for row in ask("show tables like 'ticdc__history_*'"))
    ask(f"drop table {storage}")
    assert (run(), batches(ask)["large"]) == (("", [5, 5, 5]), 1)


@pytest.mark.soak("builds")
def test_batches_of_a_history_are_merged_before_they_are_many(tmp_path: Path) -> None:
    feed = Told(FEED)
    table = Table(feed, "large", PAIRS)
    feed.begin("large")
    table.ddl("CREATE", CREATE)
    values = ["a"] * 200
    table.insert_all(*enumerate(values))
    ends = []
    for run in range(12):
        for row in range(60 if run == 11 else 2):
            table.update((row, values[row]), (row, str(run)))
            values[row] = str(run)
        table.delete(100 + run, "a")
        feed.watermark(feed.commit_ts, 0, 1)
        ends.append(len(feed.messages))
    lines, counts = feed.lines(), []
    feeds = [{"name": FEED, "protocol": "canal_json", "topics": [FEED], "target_schema": "stored"}]
    variables = {"ticdc__feeds": feeds, "ticdc__stored_from_rows": STORED_FROM}
    dump = tmp_path / "messages.jsonl"

    def ask(query: str) -> list[dict[str, Any]]:
        return session.rows(tmp_path / "warehouse", query)

    for begin, end in zip((0, *ends), ends, strict=False):
        dump.write_text("".join(lines[begin:end]), encoding="utf-8")
        cli.run(session.opened(tmp_path / "warehouse"), tmp_path / "warehouse", variables, [dump])
        typed, untyped = histories(ask, "large", "id, v")
        assert typed == untyped
        counts.append(batches(ask)["large"])
    # eight over the base become one; what reaches a quarter of the base becomes a new one
    assert counts == [1, 2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 1]
