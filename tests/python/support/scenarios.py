"""One scenario after the other, each with a table of its own: what TiDB held after each commit, in every table of rows.

All of them are one feed that is replayed as a whole by a second build, with deletes and the other rows in partitions of
their own, as rows dispatched by a column may come. A scenario counts its commits from 0, which creates its first table.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from support import session
from support.cases import Built, Stage, Story, story
from support.messages import COMMIT_TS
from support.stories import STEP, Feed, Message, Table, Value

DAY = 24 * 3600 * 1000 << 18
END = 1 << 40
TIMES = ("valid_from_ts", "valid_to_ts", "op", "closed_by")
Tuples = Sequence[tuple[Any, ...]]
Texts = Sequence[Mapping[str, str]]


# Stories


Scenario = Callable[[Feed], None]
Written = tuple[int, list[str]]
"""How many messages the first build has, and all of them."""
Writer = Callable[[Feed], Written]
SCENARIOS: dict[str, list[Scenario]] = {"shop": [], "untyped": []}


def scenario(write: Scenario) -> Scenario:
    """A scenario of the feed `shop`, whose tables are typed."""
    SCENARIOS["shop"].append(write)
    return write


def untyped_scenario(write: Scenario) -> Scenario:
    """A scenario of a feed without typed tables: what it shows, these have of the generic ones."""
    SCENARIOS["untyped"].append(write)
    return write


def whole_feed(name: str, partitions: int = 2) -> Callable[[Writer], Writer]:
    """What is decorated writes a feed of its own."""

    def add(write: Writer) -> Writer:
        WRITERS[name], PARTITIONS[name] = write, partitions
        return write

    return add


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
    """The warehouse after both builds, and what of it was read after the first."""

    warehouse: Path
    feeds: Mapping[str, Feed]
    first: Mapping[str, list[dict[str, Any]]]
    last: Mapping[str, list[dict[str, Any]]]
    snapshots: dict[tuple[str, int], list[dict[str, Any]]] = field(default_factory=dict)

    def answers(self, *queries: str, schema: str = "ticdc") -> list[Any]:
        """The rows of queries in which names without a schema are of this one, or why there are none."""
        return session.answers(self.warehouse, schema, queries)

    def rows_as_of(self, feed: str, commit: int) -> list[dict[str, Any]]:
        """The rows of all tables of a feed as of a commit, numbered as those of stories are."""
        if (feed, commit) not in self.snapshots:
            query = f"select * from ticdc__rows_as_of({tso_of(commit)}) where feed = '{feed}'"
            (self.snapshots[feed, commit],) = self.answers(query)
        return self.snapshots[feed, commit]

    def tables(self, schema: str) -> set[str]:
        """The tables of a schema that have typed relations."""
        return {
            row["table_name"]
            for row in self.last["tables"]
            if row["schema_name"] == schema and row["current_relation"] is not None
        }

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
        feeds = [schema] if schema in WRITERS and schema != "shop" else list(SCENARIOS)
        feed = next(each for each in feeds if (story or name) in self.feeds[each].begun)
        every = columns.split(", ")
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
            return in_order((_image(row), times(row)) for row in rows if row.items() >= of_table.items())

        commits = sorted({int(commit) for row in times for commit in row if commit} | {*(as_of or {})})
        rows, of_rows = state(END) if now is None else (now, _texts(every, now))
        assert images(self.last["current"], name) == in_order((text, None) for text in of_rows), "current rows"
        of_history = in_order((text, row[width]) for row, _, text in told)
        assert images(self.last["history"], name, partial(times_of, begin)) == of_history, "row history"
        as_of_commits: dict[int, Tuples] = {}
        for commit in commits:
            rows_then, of_then = state(commit)
            told_rows = (as_of or {}).get(commit)
            if told_rows is not None:
                rows_then, of_then = told_rows, _texts(every, told_rows)
            of_then, then = texts.get(commit, of_then), (names or {}).get(commit, name)
            of_snapshot = images(self.rows_as_of(feed, commit), then)
            assert of_snapshot == in_order((text, None) for text in of_then), f"rows as of {commit}"
            as_of_commits[commit] = rows_then
        if feed == "untyped":
            return
        typed, typed_history, *snapshots = self.answers(
            f"select * from {name}",
            f"select * from {name}_history",
            *(f"select * from {name}_as_of({tso_of(commit)})" for commit in commits),
            schema=schema,
        )
        assert typed_rows(typed, every[: len(rows[0])] if rows else every) == in_order(rows), "typed table"
        for (commit, rows_then), snapshot in zip(as_of_commits.items(), snapshots, strict=True):
            assert typed_rows(snapshot, every) == in_order(rows_then), f"typed rows as of {commit}"
        assert typed_rows(typed_history, every, partial(times_of, begin, prefix="_")) == in_order(history), (
            "typed history"
        )


def tso_of(commit: int) -> int:
    """A moment after that commit of all stories."""
    return COMMIT_TS + commit * STEP + (1 << 10)


def in_order(rows: Any) -> list[Any]:
    return sorted(rows, key=str)


def typed_rows(
    rows: Sequence[Message], columns: Sequence[str], times: Callable[[Message], str] | None = None
) -> list[Any]:
    """The values of typed rows, their times and flags; they have these columns, in this order."""
    for row in rows:
        assert [name for name in row if name in columns or not name.startswith("_")] == list(columns)
    return in_order(
        (*(_plain(row[name]) for name in columns), *([times(row)] if times else []), *row["_lossy"]) for row in rows
    )


def _plain(value: Any) -> Any:
    return bytes(value) if isinstance(value, bytearray) else value


def times_of(begin: int, row: Message, prefix: str = "") -> str:
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


def write_scenarios(feed: Feed) -> Written:
    """All stories, then a range of their messages again; and the whole of it once more for the second build."""
    for write in SCENARIOS[feed.name]:
        feed.begin(write.__name__)
        write(feed)
    feed.messages.sort(key=lambda sent: sent[1]["_tidb"]["commitTs"])
    feed.watermark(COMMIT_TS + 4 * DAY, 0, 1)
    stories = list(feed.messages)
    feed.messages += stories[len(stories) // 2 : -10]
    first = len(feed.messages)
    feed.messages += stories
    return first, feed.lines()


WRITERS: dict[str, Writer] = dict.fromkeys(SCENARIOS, write_scenarios)
PARTITIONS: dict[str, int] = dict.fromkeys(SCENARIOS, 2)
AFTER_A_BUILD = {
    "current": "current_rows",
    "history": "row_history",
    "changelog": "changelog",
    "tables": "tables",
    "problems": "problems",
    "completeness": "completeness",
}


class Scenarios(Story):
    """The feeds of all modules of scenarios, and what the marts held of them after both builds."""

    stages = (Stage.FIRST, Stage.SECOND)
    outcome: Outcome

    def begin(self, folder: Path) -> None:
        # some tests ask for what several modules wrote, also where their own is run alone
        for module in sorted((Path(__file__).parents[1] / "package").glob("test_scenarios_of_*.py")):
            import_module(module.stem)
        self.of_name = {name: Feed(name) for name in WRITERS}
        self.sent = {name: write(self.of_name[name]) for name, write in WRITERS.items()}
        self.found: list[dict[str, Any]] = []

    def feeds(self, stage: Stage) -> Sequence[Mapping[str, Any]]:
        return [
            {
                "name": name,
                "protocol": "canal_json",
                "topics": [name],
                "partitions": partitions,
                "target_schema": None if name == "untyped" else "{schema}",
            }
            for name, partitions in PARTITIONS.items()
        ]

    def lines(self, stage: Stage) -> Sequence[str]:
        if stage is Stage.FIRST:
            return [line for first, lines in self.sent.values() for line in lines[:first]]
        if stage is Stage.SECOND:
            return [line for first, lines in self.sent.values() for line in lines[first:]]
        return []

    def after(self, stage: Stage, built: Built) -> None:
        if stage not in self.stages:
            return
        self.found.append({name: built.of(mart, *WRITERS) for name, mart in AFTER_A_BUILD.items()})
        if stage is Stage.SECOND:
            self.outcome = Outcome(built.warehouse, self.of_name, *self.found)


SCENARIO_FEEDS = Scenarios()
story(SCENARIO_FEEDS)
