"""One scenario after the other, each with a table of its own: what TiDB held after each commit, in every table of rows.

All of them are one feed that is replayed as a whole by a second run, with deletes and the other rows in partitions of
their own, as rows dispatched by a column may come. A scenario counts its commits from 0, which creates its first table.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from support import session
from support import warehouse as embedded
from support.messages import COMMIT_TS
from support.stories import STEP, Feed, Message, Table, Value

DAY = 24 * 3600 * 1000 << 18
STALLED_TS = COMMIT_TS + 3 * DAY
END = 1 << 40
TIMES = ("valid_from_ts", "valid_to_ts", "op", "closed_by")
Tuples = Sequence[tuple[Any, ...]]
Texts = Sequence[Mapping[str, str]]


# Stories


Scenario = Callable[[Feed], None]
Written = tuple[int, list[str]]
"""How many messages the first run has, and all of them."""
SCENARIOS: list[Scenario] = []


def scenario(write: Scenario) -> Scenario:
    """A scenario of the feed `shop`."""
    SCENARIOS.append(write)
    return write


def created(feed: Feed, name: str, columns: str, definition: str, **more: Any) -> Table:
    """A table, created by the next commit."""
    table = Table(feed, name, columns, **more)
    table.ddl("CREATE", f"CREATE TABLE {{}} {definition}")
    return table


def pairs(feed: Feed, name: str, *rows: Sequence[Value], schema: str = "shop") -> Table:
    """A table of an id and a text, with these rows of one commit."""
    table = created(feed, name, "id int, v varchar", "(`id` INT PRIMARY KEY,`v` VARCHAR(9))", schema=schema)
    table.insert_all(*rows)
    return table


def with_unique(feed: Feed, name: str) -> Table:
    """A table of an id and a unique number, with the rows (1, 10) and (2, 20)."""
    table = created(feed, name, "id int, u int", "(`id` INT PRIMARY KEY,`u` INT UNIQUE KEY)")
    table.insert_all((1, 10), (2, 20))
    return table


def in_ranges(feed: Feed, name: str) -> Table:
    """A table of three partitions, with a row in each."""
    bounds = ",".join(f"PARTITION `p{bound}` VALUES LESS THAN ({bound})" for bound in (10, 20, 30))
    by = f"PARTITION BY RANGE (`id`) ({bounds})"
    table = created(feed, name, "id int, v varchar", f"(`id` INT PRIMARY KEY,`v` VARCHAR(9)) {by}")
    table.insert_all((5, "a"), (15, "b"), (25, "c"))
    return table


# What the tables hold


@dataclass(frozen=True)
class Outcome:
    """The warehouse after both runs, and what of it was read after the first."""

    warehouse: Path
    feeds: Mapping[str, Feed]
    first: Mapping[str, list[dict[str, Any]]]
    last: Mapping[str, list[dict[str, Any]]]
    snapshots: dict[int, list[dict[str, Any]]] = field(default_factory=dict)

    def answers(self, *queries: str, schema: str = "ticdc") -> list[Any]:
        """The rows of queries in which names without a schema are of this one, or why there are none."""
        return session.ask(session.answers, self.warehouse, schema, queries)

    def rows_as_of(self, commit: int) -> list[dict[str, Any]]:
        """The rows of all tables as of a commit, numbered as those of stories are."""
        if commit not in self.snapshots:
            (self.snapshots[commit],) = self.answers(f"select * from ticdc__rows_as_of({tso_of(commit)})")
        return self.snapshots[commit]

    def tables(self, schema: str) -> set[str]:
        """The tables of a schema that have typed relations."""
        return {row["table_name"] for row in self.last["tables"] if row["schema_name"] == schema}

    def keys(self, table: str) -> set[str]:
        """The keys of a table's rows."""
        return {row["row_key"] for row in self.last["current"] if row["table_name"] == table}

    def expect(
        self,
        header: str,
        *history: tuple[Any, ...],
        now: Tuples | None = None,
        as_of: Mapping[int, Tuples | None] | None = None,
        texts: Mapping[str | int, Texts] | None = None,
        story: str | None = None,
        schema: str = "shop",
        names: Mapping[int, str] | None = None,
    ) -> None:
        """Holds all tables of rows against what is expected of one table of a story.

        The header is its name and all columns that it ever had. A row of the history has its values, `from-to op
        closed_by` in commits of the story, and its flags. What there is now, and was as of each of these commits and
        those of `as_of`, follows from it, but for what `now` (with the first columns) and `as_of` say. The generic
        tables hold the same as text, without what is NULL, but for what `texts` says of `history` and of commits.
        `names` are those that the table had at commits.
        """
        name, columns = header.split(": ")
        feed, every = schema if schema in self.feeds else "shop", columns.split(", ")
        begin, width, texts = self.feeds[feed].begun[story or name], len(every), texts or {}
        times = [row[width].split()[0].split("-") for row in history]
        told = list(zip(history, times, texts.get("history") or _texts(every, history), strict=True))

        def state(commit: int) -> tuple[Tuples, Texts]:
            """Rows as of a commit, typed and generic, as the history has them."""
            found = [
                (row[:width] + row[width + 1 :], text)
                for row, (since, until), text in told
                if int(since) <= commit < int(until or END + 1)
            ]
            return [row for row, _ in found], [text for _, text in found]

        def images(rows: Sequence[Message], table: str, times: Callable[[Message], Any] = lambda _: None) -> list[Any]:
            of_table = {"feed": feed, "schema_name": schema, "table_name": table}
            return _sorted((_image(row), times(row)) for row in rows if row.items() >= of_table.items())

        commits = sorted({int(commit) for row in times for commit in row if commit} | {*(as_of or {})})
        typed, typed_history, *snapshots = self.answers(
            f"select * from {name}",
            f"select * from {name}_history",
            *(f"select * from {name}_as_of({tso_of(commit)})" for commit in commits),
            schema=schema,
        )
        rows, of_rows = state(END) if now is None else (now, _texts(every, now))
        assert _typed(typed, every[: len(rows[0])] if rows else every) == _sorted(rows), "typed table"
        assert images(self.last["current"], name) == _sorted((text, None) for text in of_rows), "current rows"
        for commit, snapshot in zip(commits, snapshots, strict=True):
            rows, of_rows = state(commit)
            told_rows = (as_of or {}).get(commit)
            if told_rows is not None:
                rows, of_rows = told_rows, _texts(every, told_rows)
            of_rows, then = texts.get(commit, of_rows), (names or {}).get(commit, name)
            assert _typed(snapshot, every) == _sorted(rows), f"typed rows as of {commit}"
            of_snapshot = images(self.rows_as_of(commit), then)
            assert of_snapshot == _sorted((text, None) for text in of_rows), f"rows as of {commit}"
        of_history = _sorted((text, row[width]) for row, _, text in told)
        assert images(self.last["history"], name, partial(_times, begin)) == of_history, "row history"
        assert _typed(typed_history, every, partial(_times, begin, prefix="_")) == _sorted(history), "typed history"


def tso_of(commit: int) -> int:
    """A moment after that commit of all stories."""
    return COMMIT_TS + commit * STEP + (1 << 10)


def _sorted(rows: Any) -> list[Any]:
    return sorted(rows, key=str)


def _typed(rows: Sequence[Message], columns: Sequence[str], times: Callable[[Message], str] | None = None) -> list[Any]:
    """The values of typed rows, their times and flags; they have these columns, in this order."""
    for row in rows:
        assert [name for name in row if name in columns or not name.startswith("_")] == list(columns)
    return _sorted(
        (*(_plain(row[name]) for name in columns), *([times(row)] if times else []), *row["_lossy"]) for row in rows
    )


def _plain(value: Any) -> Any:
    return bytes(value) if isinstance(value, bytearray) else value


def _times(begin: int, row: Message, prefix: str = "") -> str:
    """`from-to op closed_by` of a row of the history."""
    since, until, op, closed_by = (row[prefix + name] for name in TIMES)
    commits = ("" if ts is None else f"{(ts - begin) / STEP:.12g}" for ts in (since, until))
    return f"{'-'.join(commits)} {op} {closed_by or ''}".strip()


def _image(row: Mapping[str, Any]) -> dict[str, str]:
    return {name: text for name, text in json.loads(row["row"]).items() if text is not None}


def _texts(columns: Sequence[str], rows: Tuples) -> list[dict[str, str]]:
    """What generic tables hold of typed rows."""
    return [
        {
            name: b64encode(value).decode() if isinstance(value, bytes) else str(value)
            for name, value in zip(columns, row, strict=False)
            if value is not None
        }
        for row in rows
    ]


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    folder = tmp_path_factory.mktemp("scenarios")
    warehouse, dumps = folder / "warehouse", folder / "messages"
    dumps.mkdir()
    feeds = {name: Feed(name) for name in ("shop", "late", "stalls", "skewed")}
    file = embedded.write_feeds(
        folder / "feeds.yml",
        [
            {"name": name, "protocol": "canal_json", "topics": [name], "partitions": 1 if name == "stalls" else 2}
            for name in feeds
        ],
    )
    writers = {"shop": write_shop, "late": write_late, "stalls": write_stalls, "skewed": write_skewed}
    sent = {name: write(feeds[name]) for name, write in writers.items()}
    found: list[Any] = []
    for run in ("first", "last"):
        for name, (first, lines) in sent.items():
            part = lines[:first] if run == "first" else lines[first:]
            (dumps / f"{name}_{run}.jsonl").write_text("".join(part), encoding="utf-8")
        session.ask(session.run, warehouse, dumps, file)
        rows = session.ask(session.answers, warehouse, "ticdc", list(AFTER_A_RUN.values()))
        found.append(dict(zip(AFTER_A_RUN, rows, strict=True)))
    return Outcome(warehouse, feeds, *found)


AFTER_A_RUN = {
    "current": "select feed, schema_name, table_name, row_key, row, lossy, commit_ts from ticdc__current_rows",
    "history": "select * from ticdc__row_history",
    "changelog": "select * from ticdc__changelog",
    "tables": "select feed, schema_name, table_name from ticdc__tables where current_relation is not null",
    "problems": "select feed, table_name, code, severity, detail from ticdc__problems",
    "completeness": "select feed, `partition`, watermark_ts, regressions, complete_through_ts from ticdc__completeness",
}


def write_shop(feed: Feed) -> Written:
    """All stories, then a stretch of them again; and the whole of it once more for the second run."""
    for write in SCENARIOS:
        feed.begin(write.__name__)
        write(feed)
    feed.messages.sort(key=lambda sent: sent[1]["_tidb"]["commitTs"])
    feed.watermark(COMMIT_TS + 4 * DAY, 0, 1)
    stories = list(feed.messages)
    feed.messages += stories[len(stories) // 2 : -10]
    first = len(feed.messages)
    feed.messages += stories
    return first, feed.lines()


# Rows


@scenario
def key_change(feed: Feed) -> None:
    table = pairs(feed, "key_change", (1, "a"))
    with feed.one_commit():
        table.delete(1, "a")
        table.insert(2, "a")
    # as a changefeed with output-raw-change-event writes it
    table.update((2, "a"), (3, "b"))


def test_key_change(outcome: Outcome) -> None:
    outcome.expect(
        "key_change: id, v", (1, "a", "1-2 insert delete"), (2, "a", "2-3 insert delete"), (3, "b", "3- insert")
    )


@scenario
def name_of_a_variable(feed: Feed) -> None:
    columns = "(`id` INT PRIMARY KEY,`${{spark.app.name}}` VARCHAR(9))"
    created(feed, "name_of_a_variable", "id int, ${spark.app.name} varchar", columns).insert(1, "a")


def test_a_column_that_looks_like_a_variable_of_spark(outcome: Outcome) -> None:
    outcome.expect("name_of_a_variable: id, ${spark.app.name}", (1, "a", "1- insert"))


@scenario
def swap_of_keys(feed: Feed) -> None:
    table = pairs(feed, "swap_of_keys", (1, "a"), (2, "b"))
    with feed.one_commit():
        table.delete(1, "a")
        table.delete(2, "b")
        table.insert(2, "a")
        table.insert(1, "b")


def test_swap_of_keys(outcome: Outcome) -> None:
    outcome.expect(
        "swap_of_keys: id, v",
        (1, "a", "1-2 insert update"),
        (2, "b", "1-2 insert update"),
        (1, "b", "2- update"),
        (2, "a", "2- update"),
    )


@scenario
def reinsert(feed: Feed) -> None:
    table = pairs(feed, "reinsert", (1, "a"))
    with feed.one_commit():
        table.delete(1, "a")
        table.insert(1, "b")
    table.delete(1, "b")
    table.insert(1, "b")


def test_reinsert_in_one_commit(outcome: Outcome) -> None:
    outcome.expect(
        "reinsert: id, v", (1, "a", "1-2 insert update"), (1, "b", "2-3 update delete"), (1, "b", "4- insert")
    )


@scenario
def one_commit(feed: Feed) -> None:
    table = pairs(feed, "one_commit", (1, "a"), (2, "b"))
    with feed.one_commit():
        table.delete(1, "a")
        table.update((2, "b"), (2, "c"))
        table.insert(3, "d")


def test_insert_update_and_delete_in_one_commit(outcome: Outcome) -> None:
    outcome.expect(
        "one_commit: id, v",
        (1, "a", "1-2 insert delete"),
        (2, "b", "1-2 insert update"),
        (2, "c", "2- update"),
        (3, "d", "2- insert"),
    )


@scenario
def replace_row(feed: Feed) -> None:
    """REPLACE INTO … VALUES (1, 20) takes the place of both rows."""
    table = with_unique(feed, "replace_row")
    with feed.one_commit():
        table.delete(1, 10)
        table.delete(2, 20)
        table.insert(1, 20)


def test_replace(outcome: Outcome) -> None:
    outcome.expect(
        "replace_row: id, u", (1, 10, "1-2 insert update"), (2, 20, "1-2 insert delete"), (1, 20, "2- update")
    )


@scenario
def unique_swap(feed: Feed) -> None:
    table = with_unique(feed, "unique_swap")
    with feed.one_commit():
        table.delete(1, 10)
        table.delete(2, 20)
        table.insert(1, 20)
        table.insert(2, 10)


def test_unique_swap(outcome: Outcome) -> None:
    outcome.expect(
        "unique_swap: id, u",
        (1, 10, "1-2 insert update"),
        (2, 20, "1-2 insert update"),
        (1, 20, "2- update"),
        (2, 10, "2- update"),
    )


# Tables


@scenario
def truncated(feed: Feed) -> None:
    table = pairs(feed, "truncated", (1, "a"), (2, "b"))
    table.ddl("TRUNCATE", "TRUNCATE TABLE {}")
    table.insert(1, "c")


def test_truncate(outcome: Outcome) -> None:
    outcome.expect(
        "truncated: id, v",
        (1, "a", "1-2 insert truncate_table"),
        (2, "b", "1-2 insert truncate_table"),
        (1, "c", "3- insert"),
    )


@scenario
def rename(feed: Feed) -> None:
    table = pairs(feed, "rename_old", (1, "a"), (2, "b"))
    renamed = replace(table, name="rename_new")
    renamed.ddl("RENAME", "RENAME TABLE `shop`.`rename_old` TO `shop`.{}")
    renamed.update((2, "b"), (2, "c"))


def test_rename(outcome: Outcome) -> None:
    outcome.expect(
        "rename_new: id, v",
        (1, "a", "1- insert"),
        (2, "b", "1-3 insert update"),
        (2, "c", "3- update"),
        story="rename",
        names={1: "rename_old"},
        as_of={2: None},
    )
    assert "rename_old" not in outcome.tables("shop")


@scenario
def swap_rename(feed: Feed) -> None:
    """RENAME TABLE a TO t, b TO a, t TO b: each message bears the name that its table has in the end."""
    a = pairs(feed, "swap_a", (1, "a"))
    b = created(feed, "swap_b", "id int, n int", "(`id` INT PRIMARY KEY,`n` INT)")
    b.insert(1, 7)
    with feed.one_commit():
        b.ddl("RENAME", "RENAME TABLE `shop`.`swap_a` TO `shop`.`swap_t`;")
        a.ddl("RENAME", "RENAME TABLE `shop`.`swap_b` TO `shop`.`swap_a`;")
        b.ddl("RENAME", "RENAME TABLE `shop`.`swap_t` TO `shop`.`swap_b`;")
    replace(b, name="swap_a").update((1, 7), (1, 8))
    replace(a, name="swap_b").insert(2, "b")


def test_swap_rename(outcome: Outcome) -> None:
    outcome.expect(
        "swap_a: id, n",
        (1, 7, "3-5 insert update"),
        (1, 8, "5- update"),
        story="swap_rename",
        names={3: "swap_b"},
        texts={2: [{"id": "1", "v": "a"}]},
        as_of={2: None, 4: None},
    )
    outcome.expect(
        "swap_b: id, v",
        (1, "a", "1- insert"),
        (2, "b", "6- insert"),
        story="swap_rename",
        names={1: "swap_a", 3: "swap_a"},
        as_of={3: None, 4: None},
    )
    assert "swap_t" not in outcome.tables("shop")


@scenario
def recreated(feed: Feed) -> None:
    columns = "(`id` INT PRIMARY KEY,`a` VARCHAR(9),`b` INT)"
    table = created(feed, "recreated", "id int, a varchar, b int", columns)
    table.insert_all((1, "x", 5), (2, "6", None))
    table.ddl("ERASE", "DROP TABLE `shop`.{}")
    columns = "(`z` DATE,`a` INT,`id` VARCHAR(9) PRIMARY KEY)"
    table = created(feed, "recreated", "z date, a int, id varchar", columns)
    table.insert("2024-01-02", 8, "1")


def test_drop_and_recreate(outcome: Outcome) -> None:
    then = [{"id": "1", "a": "x", "b": "5"}, {"id": "2", "a": "6"}]
    now = {"z": "2024-01-02", "a": "8", "id": "1"}
    outcome.expect(
        "recreated: z, a, id, b",
        (None, None, "1", 5, "1-2 insert drop_table", "a:out_of_range"),
        (None, 6, "2", None, "1-2 insert drop_table"),
        (date(2024, 1, 2), 8, "1", None, "4- insert"),
        now=[(date(2024, 1, 2), 8, "1")],
        texts={"history": [*then, now]},
    )


@scenario
def recovered(feed: Feed) -> None:
    table = pairs(feed, "recovered", (1, "a"), (2, "b"))
    table.ddl("ERASE", "DROP TABLE `shop`.{}")
    table.ddl("QUERY", "RECOVER TABLE {}")
    table.update((1, "a"), (1, "c"))


def test_recover(outcome: Outcome) -> None:
    outcome.expect(
        "recovered: id, v",
        (1, "a", "1-2 insert drop_table"),
        (2, "b", "1-2 insert drop_table"),
        (1, "a", "3-4 insert update"),
        (2, "b", "3- insert"),
        (1, "c", "4- update"),
    )


@scenario
def recovered_unsaid(feed: Feed) -> None:
    """Debezium sends no RECOVER TABLE: a row alone tells that the table is there again."""
    table = pairs(feed, "recovered_unsaid", (1, "a"), (2, "b"))
    table.ddl("ERASE", "DROP TABLE `shop`.{}")
    table.update((1, "a"), (1, "c"))


def test_a_row_after_a_drop_tells_that_its_table_was_recovered(outcome: Outcome) -> None:
    outcome.expect(
        "recovered_unsaid: id, v",
        (1, "a", "1-3 insert update"),  # when it came back is not known
        (2, "b", "1- insert"),
        (1, "c", "3- update"),
    )


@scenario
def came_back_beside(feed: Feed) -> None:
    """What was truncated comes back under another name, beside the table that goes on."""
    table = pairs(feed, "emptied", (1, "a"))
    table.ddl("TRUNCATE", "TRUNCATE TABLE {}")
    table.insert(2, "b")
    back = replace(table, name="came_back")
    back.ddl("QUERY", "FLASHBACK TABLE `shop`.`emptied` TO `came_back`")
    back.update((1, "a"), (1, "c"))
    table.insert(3, "d")


@scenario
def one_name_for_three(feed: Feed) -> None:
    """A table is dropped, the next one of its name renamed, and the third one of that name is another one again."""
    pairs(feed, "one_name", (1, "a")).ddl("ERASE", "DROP TABLE `shop`.{}")
    pairs(feed, "one_name", (2, "b")).ddl("RENAME", "RENAME TABLE `shop`.{} TO `shop`.`second`")
    pairs(feed, "one_name", (3, "c"))


@pytest.mark.parametrize(
    "table, story, history, as_of",
    [
        (
            "emptied",
            "came_back_beside",
            [(1, "a", "1-2 insert truncate_table"), (2, "b", "3- insert"), (3, "d", "6- insert")],
            {1: [(1, "a")], 4: [(2, "b")], 6: [(2, "b"), (3, "d")]},
        ),
        (
            "came_back",
            "came_back_beside",
            [(1, "a", "1-2 insert truncate_table"), (1, "a", "4-5 insert update"), (1, "c", "5- update")],
            {1: [(1, "a")], 3: [], 6: [(1, "c")]},
        ),
        ("one_name", "one_name_for_three", [(3, "c", "7- insert")], {1: [], 4: [], 7: [(3, "c")]}),
        (
            "second",
            "one_name_for_three",
            [(1, "a", "1-2 insert drop_table"), (2, "b", "4- insert")],
            {1: [(1, "a")], 4: [(2, "b")], 7: [(2, "b")]},
        ),
    ],
)
def test_rows_of_another_table_that_was_one_with_this(
    outcome: Outcome, table: str, story: str, history: Tuples, as_of: Mapping[int, Tuples]
) -> None:
    found, *snapshots = outcome.answers(
        f"select * from {table}_history",
        *(f"select * from {table}_as_of({tso_of(commit)})" for commit in as_of),
        schema="shop",
    )
    begin = outcome.feeds["shop"].begun[story]
    assert _typed(found, ["id", "v"], partial(_times, begin, prefix="_")) == _sorted(history)
    assert [_typed(snapshot, ["id", "v"]) for snapshot in snapshots] == [_sorted(rows) for rows in as_of.values()]


@scenario
def drop_database(feed: Feed) -> None:
    database = Table(feed, "", "", schema="archive")
    database.ddl("QUERY", "CREATE DATABASE `archive`")
    pairs(feed, "gone", (1, "a"), schema="archive")
    pairs(feed, "again", (1, "7"), (2, "x"), schema="archive")
    database.ddl("QUERY", "DROP DATABASE `archive`")
    database.ddl("QUERY", "CREATE DATABASE `archive`")
    columns = "(`v` INT,`id` INT PRIMARY KEY)"
    created(feed, "again", "v int, id int", columns, schema="archive").insert(9, 1)


def test_drop_of_a_database(outcome: Outcome) -> None:
    then = [{"id": "1", "v": "7"}, {"id": "2", "v": "x"}]
    outcome.expect(
        "again: v, id",
        (7, 1, "4-5 insert drop_database"),
        (None, 2, "4-5 insert drop_database", "v:out_of_range"),
        (9, 1, "8- insert"),
        story="drop_database",
        schema="archive",
        texts={"history": [*then, {"v": "9", "id": "1"}]},
    )
    assert outcome.tables("archive") == {"again"}
    begin = outcome.feeds["shop"].begun["drop_database"]
    gone = [row for row in outcome.last["history"] if row["table_name"] == "gone"]
    assert [(row["row"], _times(begin, row)) for row in gone] == [('{"id":"1","v":"a"}', "2-5 insert drop_database")]


# Partitions


@scenario
def drop_partition(feed: Feed) -> None:
    table = in_ranges(feed, "drop_partition")
    table.ddl("ALTER", "ALTER TABLE `shop`.{} DROP PARTITION `p10`")
    # the next partition has no lower bound but that of the one before it
    table.insert(5, "d")


def test_drop_partition(outcome: Outcome) -> None:
    outcome.expect(
        "drop_partition: id, v",
        (5, "a", "1-2 insert drop_partition"),
        (15, "b", "1- insert"),
        (25, "c", "1- insert"),
        (5, "d", "3- insert"),
    )


@scenario
def truncate_partition(feed: Feed) -> None:
    table = in_ranges(feed, "truncate_partition")
    table.ddl("ALTER", "ALTER TABLE `shop`.{} TRUNCATE PARTITION `p20`,`p30`")
    table.insert(25, "d")


def test_truncate_partition(outcome: Outcome) -> None:
    outcome.expect(
        "truncate_partition: id, v",
        (5, "a", "1- insert"),
        (15, "b", "1-2 insert truncate_partition"),
        (25, "c", "1-2 insert truncate_partition"),
        (25, "d", "3- insert"),
    )


@scenario
def exchange_partition(feed: Feed) -> None:
    table = in_ranges(feed, "exchange_partition")
    other = pairs(feed, "exchanged", (12, "x"))
    other.ddl("QUERY", "ALTER TABLE `shop`.`exchange_partition` EXCHANGE PARTITION `p20` WITH TABLE `shop`.{}")
    table.update((12, "x"), (12, "y"))
    other.delete(15, "b")


def test_exchange_partition(outcome: Outcome) -> None:
    outcome.expect(
        "exchange_partition: id, v",
        (5, "a", "1- insert"),
        (15, "b", "1-4 insert exchange_partition"),
        (25, "c", "1- insert"),
        (12, "x", "4-5 insert update"),
        (12, "y", "5- update"),
    )
    outcome.expect(
        "exchanged: id, v",
        (12, "x", "3-4 insert exchange_partition"),
        (15, "b", "4-6 insert delete"),
        story="exchange_partition",
    )


# Columns


@scenario
def add_column(feed: Feed) -> None:
    columns = "(`id` INT PRIMARY KEY)"
    table = created(feed, "add_column", "id int", columns)
    table.insert_all((1,), (2,))
    table.ddl("ALTER", "ALTER TABLE {} ADD COLUMN `n` INT NOT NULL DEFAULT 7 FIRST, ADD COLUMN `v` VARCHAR(9)")
    table = replace(table, columns="n int, id int, v varchar")
    table.insert(9, 3, "x")
    table.update((7, 1, None), (8, 1, None))


def test_add_column_with_default(outcome: Outcome) -> None:
    outcome.expect(
        "add_column: n, id, v",
        (None, 1, None, "1-4 insert update"),
        (None, 2, None, "1- insert"),
        (9, 3, "x", "3- insert"),
        (8, 1, None, "4- update"),
        now=[(8, 1, None), (7, 2, None), (9, 3, "x")],
        as_of={
            2: [(7, 1, None), (7, 2, None)],
            3: [(7, 1, None), (7, 2, None), (9, 3, "x")],
            4: [(8, 1, None), (7, 2, None), (9, 3, "x")],
        },
    )


@scenario
def rename_column(feed: Feed) -> None:
    table = pairs(feed, "rename_column", (1, "a"), (2, "b"))
    table.ddl("ALTER", "ALTER TABLE {} RENAME COLUMN `v` TO `w`")
    replace(table, columns="id int, w varchar").update((1, "a"), (1, "c"))


def test_rename_column(outcome: Outcome) -> None:
    outcome.expect(
        "rename_column: id, w, v",
        (1, None, "a", "1-3 insert update"),
        (2, None, "b", "1- insert"),
        (1, "c", None, "3- update"),
        now=[(1, "c"), (2, "b")],
        as_of={2: [(1, "a", None), (2, "b", None)], 3: [(1, "c", None), (2, "b", None)]},
    )


@scenario
def rename_case(feed: Feed) -> None:
    columns = "(`id` INT PRIMARY KEY,`Name` VARCHAR(9))"
    table = created(feed, "rename_case", "id int, Name varchar", columns)
    table.insert_all((1, "a"), (2, None))
    table.ddl("ALTER", "ALTER TABLE {} RENAME COLUMN `Name` TO `name`")
    replace(table, columns="id int, name varchar").insert(3, "c")


def test_rename_of_a_column_in_case_alone(outcome: Outcome) -> None:
    then = [{"id": "1", "Name": "a"}, {"id": "2"}]
    outcome.expect(
        "rename_case: id, name",
        (1, "a", "1- insert"),
        (2, None, "1- insert"),
        (3, "c", "3- insert"),
        now=[(1, "a"), (2, None), (3, "c")],
        as_of={2: [(1, "a"), (2, None)], 3: [(1, "a"), (2, None), (3, "c")]},
        texts={"history": [*then, {"id": "3", "name": "c"}]},
    )


@scenario
def corrupt_record(feed: Feed) -> None:
    columns = "(`id` INT PRIMARY KEY,`_corrupt_record` VARCHAR(9))"
    created(feed, "corrupt_record", "id int, _corrupt_record varchar", columns).insert_all((1, "a"), (2, None))


def test_a_column_that_bears_sparks_name_for_what_it_cannot_read(outcome: Outcome) -> None:
    outcome.expect("corrupt_record: id, _corrupt_record", (1, "a", "1- insert"), (2, None, "1- insert"))


@scenario
def case_and_type(feed: Feed) -> None:
    table = created(feed, "case_and_type", "id int, V varchar", "(`id` INT PRIMARY KEY,`V` VARCHAR(9))")
    table.insert_all((1, "x"), (2, "7"))
    table.delete(1, "x")
    table.ddl("ALTER", "ALTER TABLE {} CHANGE COLUMN `V` `v` INT")
    replace(table, columns="id int, v int").insert(3, 8)


def test_rename_in_case_alone_to_a_type_that_holds_less(outcome: Outcome) -> None:
    of_text = [{"id": "1", "V": "x"}, {"id": "2", "V": "7"}]
    outcome.expect(
        "case_and_type: id, v",
        (1, None, "1-2 insert delete", "v:out_of_range"),
        (2, 7, "1- insert"),
        (3, 8, "4- insert"),
        now=[(2, 7), (3, 8)],
        as_of={4: [(2, 7), (3, 8)]},
        texts={"history": [*of_text, {"id": "3", "v": "8"}]},
    )


@scenario
def type_change(feed: Feed) -> None:
    table = created(feed, "type_change", "id int, v int", "(`id` INT PRIMARY KEY,`v` INT)")
    table.insert_all((1, 5), (2, None))
    table.ddl("ALTER", "ALTER TABLE {} MODIFY COLUMN `v` VARCHAR(9)")
    text = replace(table, columns="id int, v varchar")
    text.insert_all((3, "x"), (4, "07"))
    text.delete(3, "x")
    table.ddl("ALTER", "ALTER TABLE {} MODIFY COLUMN `v` INT")
    table.update((1, 5), (1, 6))


def test_type_change(outcome: Outcome) -> None:
    of_text = [{"id": "1", "v": "5"}, {"id": "2"}, {"id": "3", "v": "x"}, {"id": "4", "v": "07"}]
    outcome.expect(
        "type_change: id, v",
        (1, 5, "1-6 insert update"),
        (2, None, "1- insert"),
        (3, None, "3-4 insert delete", "v:out_of_range"),
        (4, 7, "3- insert"),
        (1, 6, "6- update"),
        now=[(1, 6), (2, None), (4, 7)],
        as_of={5: [(1, 5), (2, None), (4, 7)], 6: [(1, 6), (2, None), (4, 7)]},
        texts={"history": [*of_text, {"id": "1", "v": "6"}]},
    )


@scenario
def binary_to_text(feed: Feed) -> None:
    """`b` becomes text, `t` becomes binary, and `gone`, which was binary and then text, is dropped."""
    columns = "(`id` INT PRIMARY KEY,`b` VARBINARY(9),`t` VARCHAR(9),`gone` VARBINARY(9))"
    table = created(feed, "binary_to_text", "id int, b varbinary, t varchar, gone varbinary", columns)
    table.insert_all((1, "ä".encode(), "ü", b"g"), (2, b"\xff\x00", None, None))
    table.delete(2, b"\xff\x00", None, None)
    table.ddl("ALTER", "ALTER TABLE {} MODIFY COLUMN `b` VARCHAR(9)")
    table.ddl("ALTER", "ALTER TABLE {} MODIFY COLUMN `t` VARBINARY(9), MODIFY COLUMN `gone` VARCHAR(9)")
    table = replace(table, columns="id int, b varchar, t varbinary, gone varchar")
    # a text that is base64 too, and bytes that are none
    table.insert(3, "YQ==", b"\xfe", "g3")
    table.ddl("ALTER", "ALTER TABLE {} DROP COLUMN `gone`")
    replace(table, columns="id int, b varchar, t varbinary").insert(4, "d", None)


def test_change_between_binary_and_text(outcome: Outcome) -> None:
    old = [{"id": "1", "b": "w6Q=", "t": "ü", "gone": "Zw=="}, {"id": "2", "b": "/wA="}]
    outcome.expect(
        "binary_to_text: id, b, t, gone",
        (1, "ä", "ü".encode(), "g", "1- insert"),
        (2, None, None, None, "1-2 insert delete", "b:out_of_range"),
        (3, "YQ==", b"\xfe", "g3", "5- insert"),
        (4, "d", None, None, "7- insert"),
        now=[(1, "ä", "ü".encode()), (3, "YQ==", b"\xfe"), (4, "d", None)],
        as_of={
            3: [(1, "ä", "ü".encode(), "g")],
            4: [(1, "ä", "ü".encode(), "g")],
            5: [(1, "ä", "ü".encode(), "g"), (3, "YQ==", b"\xfe", "g3")],
            6: [(1, "ä", "ü".encode(), None), (3, "YQ==", b"\xfe", None)],
            7: [(1, "ä", "ü".encode(), None), (3, "YQ==", b"\xfe", None), (4, "d", None, None)],
        },
        texts={
            "history": [*old, {"id": "3", "b": "YQ==", "t": "/g==", "gone": "g3"}, {"id": "4", "b": "d"}],
            3: [{"id": "1", "b": "ä", "t": "ü", "gone": "Zw=="}],
        },
    )


@scenario
def new_key(feed: Feed) -> None:
    columns = "(`a` INT NOT NULL,`b` INT NOT NULL,PRIMARY KEY(`a`) /*T![clustered_index] NONCLUSTERED */)"
    table = created(feed, "new_key", "a int, b int", columns, key=("a",))
    table.insert_all((1, 10), (2, 20))
    table.ddl("DINDEX", "ALTER TABLE {} DROP PRIMARY KEY")
    table.ddl("CINDEX", "ALTER TABLE {} ADD PRIMARY KEY(`b`)")
    replace(table, key=("b",)).update((1, 10), (2, 10))


def test_key_change_by_ddl(outcome: Outcome) -> None:
    outcome.expect(
        "new_key: a, b",
        *((a, b, "1-2 insert key_change") for a, b in ((1, 10), (2, 20))),
        *((a, b, "2-3 insert key_change", "*:no_key") for a, b in ((1, 10), (2, 20))),
        (1, 10, "3-4 insert update"),
        (2, 20, "3- insert"),
        (2, 10, "4- update"),
    )
    assert outcome.keys("new_key") == {'{"b":"10"}', '{"b":"20"}'}


@scenario
def other_key(feed: Feed) -> None:
    """The unique column is the key that is left; canal-json names primary keys alone."""
    columns = (
        "(`a` INT NOT NULL,`b` INT NOT NULL,PRIMARY KEY(`a`) /*T![clustered_index] NONCLUSTERED */,UNIQUE `u`(`b`))"
    )
    table = created(feed, "other_key", "a int, b int", columns, key=("a",))
    table.insert_all((1, 10), (2, 20))
    table.ddl("DINDEX", "ALTER TABLE {} DROP PRIMARY KEY")
    replace(table, key=()).update((1, 10), (2, 10))


def test_key_change_to_a_unique_column(outcome: Outcome) -> None:
    outcome.expect(
        "other_key: a, b",
        *((a, b, "1-2 insert key_change") for a, b in ((1, 10), (2, 20))),
        (1, 10, "2-3 insert update"),
        (2, 20, "2- insert"),
        (2, 10, "3- update"),
    )
    assert outcome.keys("other_key") == {'{"b":"10"}', '{"b":"20"}'}


# Time


def write_late(feed: Feed) -> Written:
    """Partition 1 stands still for two days; what it then brings is older than what partition 0 brought."""
    feed.begin("visits")
    table = pairs(feed, "visits", (1, "a"), schema="late")
    feed.watermark(feed.commit_ts, 0, 1)
    feed.commit_ts = COMMIT_TS + DAY
    table.ddl("ALTER", "ALTER TABLE {} ADD COLUMN `n` INT DEFAULT 7")
    feed.commit_ts = COMMIT_TS + 2 * DAY - STEP
    replace(table, columns="id int, v varchar, n int").update((1, "b", 7), (1, "c", 8))
    feed.watermark(feed.commit_ts, 0)
    first = len(feed.messages)
    feed.commit_ts = COMMIT_TS + DAY - STEP
    with feed.one_commit():
        table.send("UPDATE", (1, "b"), (1, "a"), partition=1)
        table.send("INSERT", (2, "x"), partition=1)
    feed.watermark(COMMIT_TS + 4 * DAY, 0, 1)
    return first, feed.lines()


def test_late_partition(outcome: Outcome) -> None:
    assert [row["row"] for row in outcome.first["current"] if row["feed"] == "late"] == ['{"id":"1","v":"a"}']
    day = DAY // STEP
    outcome.expect(
        "visits: id, v, n",
        (1, "a", None, f"1-{day} insert update"),
        (1, "b", None, f"{day}-{2 * day} update update"),
        (2, "x", None, f"{day}- insert"),
        (1, "c", 8, f"{2 * day}- update"),
        schema="late",
        now=[(1, "c", 8), (2, "x", 7)],
        as_of={day - 1: [(1, "a", None)], day + 1: [(1, "b", 7), (2, "x", 7)], 2 * day: [(1, "c", 8), (2, "x", 7)]},
    )


def test_a_table_is_shown_as_of_what_its_own_feed_is_complete_through(outcome: Outcome) -> None:
    tso = STALLED_TS + 1
    (found,) = outcome.answers(f"select * from visits_as_of({tso})", schema="late")
    assert _typed(found, ["id", "v", "n"]) == [(1, "c", 8), (2, "x", 7)]
    (refusal,) = outcome.answers(f"select * from ticdc__rows_as_of({tso})")
    assert f"feed stalls is complete through commit {STALLED_TS}, got {tso}" in refusal


def write_skewed(feed: Feed) -> Written:
    """No watermark holds anything back: the last run brings a row from before a DDL, and a DDL from before a row."""
    feed.begin("widened")
    table = pairs(feed, "widened", (1, "a"), schema="skewed")
    feed.commit_ts += STEP
    table.ddl("ALTER", "ALTER TABLE {} ADD COLUMN `n` INT DEFAULT 7")
    replace(table, columns="id int, v varchar, n int").insert(3, "c", 8)
    feed.begin("moved")
    table = pairs(feed, "moved_old", (1, "a"), schema="skewed")
    feed.commit_ts += STEP
    moved = replace(table, name="moved")
    moved.send("INSERT", (2, "b"), partition=1)
    first = len(feed.messages)
    feed.commit_ts = feed.begun["moved"] + STEP
    moved.ddl("RENAME", "RENAME TABLE `skewed`.`moved_old` TO `skewed`.{}")
    feed.commit_ts = feed.begun["widened"] + STEP
    replace(table, name="widened").send("INSERT", (2, "b"), partition=1)
    return first, feed.lines()


def test_a_row_that_comes_after_a_ddl_of_a_later_commit(outcome: Outcome) -> None:
    outcome.expect(
        "widened: id, v, n",
        (1, "a", None, "1- insert"),
        (2, "b", None, "2- insert"),
        (3, "c", 8, "4- insert"),
        schema="skewed",
        now=[(1, "a", 7), (2, "b", 7), (3, "c", 8)],
        as_of={3: [(1, "a", 7), (2, "b", 7)], 4: [(1, "a", 7), (2, "b", 7), (3, "c", 8)]},
    )


def test_a_ddl_that_comes_after_rows_of_later_commits(outcome: Outcome) -> None:
    outcome.expect(
        "moved: id, v", (1, "a", "1- insert"), (2, "b", "3- insert"), schema="skewed", names={1: "moved_old"}
    )
    assert outcome.tables("skewed") == {"widened", "moved"}


def write_stalls(feed: Feed) -> Written:
    """The watermark goes back, and then stands still for two hours."""
    feed.begin("ticks")
    table = pairs(feed, "ticks", (1, "a"), schema="stalls")
    feed.commit_ts = STALLED_TS - STEP
    table.update((1, "a"), (1, "b"))
    feed.watermark(STALLED_TS, 0)
    feed.watermark(COMMIT_TS, 0)
    table.insert(2, "unseen")
    return len(feed.messages) - 1, feed.lines(2 * 3600 * 1000)


@pytest.mark.parametrize("run", ["first", "last"])
def test_a_watermark_that_goes_back_counts_as_the_latest(outcome: Outcome, run: str) -> None:
    found = getattr(outcome, run)
    (progress,) = (row for row in found["completeness"] if row["feed"] == "stalls")
    assert progress | {"watermark_ts": STALLED_TS, "complete_through_ts": STALLED_TS, "regressions": 1} == progress
    assert [row["row"] for row in found["current"] if row["feed"] == "stalls"] == ['{"id":"1","v":"b"}']


def test_a_stalled_watermark_and_a_recovery_that_was_not_sent_are_the_only_problems(outcome: Outcome) -> None:
    first, last = (
        [
            (row["feed"], row["code"], row["severity"], row["detail"])
            for row in found["problems"]
            if row["code"] != "missing_ddl"
        ]
        for found in (outcome.first, outcome.last)
    )
    for found in (outcome.first, outcome.last):
        (unsent,) = [row for row in found["problems"] if row["code"] == "missing_ddl"]
        assert (unsent["feed"], unsent["table_name"]) == ("shop", "recovered_unsaid")
    code, is_old = ("stalled_watermark", "warning"), "is {} minute(s) older than the newest message"
    assert first == [("late", *code, f"the watermark of topic late, partition 1 {is_old.format(2 * 24 * 60 - 1)}")]
    assert last == [("stalls", *code, f"the watermark of topic stalls, partition 0 {is_old.format(120)}")]


@pytest.mark.parametrize("table", ["current", "history", "changelog", "tables"])
def test_replay_changes_nothing(outcome: Outcome, table: str) -> None:
    before, after = (
        _sorted(row for row in found[table] if row["feed"] == "shop") for found in (outcome.first, outcome.last)
    )
    assert before
    assert after == before
