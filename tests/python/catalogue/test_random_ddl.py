"""Random upstreams: whatever DDL moves tables about, each row is of the table that it was written to.

A small model of TiDB runs random DDL and sends what each protocol sends of it: no code of the package tells it where
tables go.
"""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import dataclass, field, replace
from random import Random

import pytest

from ticdc_udfs.catalogue.fold import DdlEvent, Fold, ProblemCode, fold

SCHEMAS, NAMES = ("one", "two"), ("a", "b", "c", "d")
Name = tuple[str, str]


@dataclass(frozen=True)
class Table:
    """A set of rows with its columns; `number` is what no other one has."""

    number: int
    columns: tuple[str, ...]
    version: int


@dataclass(frozen=True)
class Row:
    """A row that was written: to which table under which name."""

    commit_ts: int
    name: Name
    table: Table


@dataclass
class Upstream:
    """Tables by name, those that were dropped, and what messages tell of both."""

    random: Random
    protocol: str
    starts: int
    now: int = 0
    live: dict[Name, Table] = field(default_factory=dict)
    dropped: list[tuple[int, Name, Table]] = field(default_factory=list)
    messages: list[DdlEvent] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    numbers: int = 0
    brought_back: bool = False
    ends: dict[Name, set[int]] = field(default_factory=lambda: defaultdict(set))

    def number(self) -> int:
        self.numbers += 1
        return self.numbers

    def name(self) -> Name:
        return self.random.choice(SCHEMAS), self.random.choice(NAMES)

    def send(self, name: Name, text: str, table: Table | None = None) -> None:
        """A DDL message that bears a name; Simple and Debezium tell the columns too, Simple the table's number."""
        if self.now < self.starts:
            return
        told = None if table is None or self.protocol in ("canal_json", "open_protocol") else schema(table)
        number = table.number if table is not None and self.protocol == "simple" else None
        self.messages.append(DdlEvent(self.now, *name, text, None, told, number))

    def step(self) -> None:
        self.now += 10
        rare = [self.drop, self.truncate, self.recover, self.flashback, self.by_job, self.drop_database]
        altering = [self.create, self.rename, self.rename_some, self.add, self.drop_column]
        self.random.choice([*rare, *altering, *[self.write] * 9])()

    def write(self) -> None:
        for name, table in self.random.sample(sorted(self.live.items()), k=min(2, len(self.live))):
            self.rows.append(Row(self.now, name, table))

    def create(self) -> None:
        name = self.name()
        if name not in self.live:
            columns = ("id", self.random.choice("vw"))
            self.live[name] = Table(self.number(), columns, self.now)
            definition = ", ".join(f"`{column}` INT" for column in columns)
            self.send(name, f"CREATE TABLE {quoted(name)} ({definition}, PRIMARY KEY (id))", self.live[name])

    def drop(self) -> None:
        if (name := self.name()) in self.live:
            table = self.live.pop(name)
            self.dropped.append((self.now, name, table))
            self.ends[name].add(self.now)
            self.send(name, f"DROP TABLE {quoted(name)}", table if self.protocol == "simple" else None)

    def drop_database(self) -> None:
        if self.random.random() < 0.8:
            return
        schema_name = self.random.choice(SCHEMAS)
        for name in [name for name in self.live if name[0] == schema_name]:
            self.dropped.append((self.now, name, self.live.pop(name)))
        for name in NAMES:
            self.ends[schema_name, name].add(self.now)
        self.send((schema_name, ""), f"DROP DATABASE `{schema_name}`")

    def truncate(self) -> None:
        if (name := self.name()) in self.live:
            self.dropped.append((self.now, name, self.live[name]))
            self.live[name] = replace(self.live[name], number=self.number())
            self.send(name, f"TRUNCATE TABLE {quoted(name)}", None if self.protocol == "debezium" else self.live[name])

    def rename(self) -> None:
        name, to = self.name(), self.name()
        if name in self.live and to not in self.live:
            self.live[to] = self.live.pop(name)
            self.ends[name].add(self.now)
            self.send(to, f"RENAME TABLE {quoted(name)} TO {quoted(to)}", self.live[to])

    def rename_some(self) -> None:
        """A chain or a swap: each step is a message of its own, with the final name, in any order."""
        names = self.random.sample([(schema_name, name) for schema_name in SCHEMAS for name in NAMES], k=3)
        names = [name for name in names if name in self.live]
        if len(names) < 2:
            return
        free = (names[0][0], "spare")
        if self.random.random() < 0.5:
            moves, steps = dict(zip(names, [*names[1:], names[0]], strict=True)), []
            tables = {to: self.live[name] for name, to in moves.items()}
            last = names[-1]
            steps = [(last, free, moves[last]), *((n, moves[n], moves[n]) for n in reversed(names[:-1]))]
            steps.append((free, moves[last], moves[last]))
        else:
            ends = [*names[1:], (names[-1][0], f"new{self.now}")]
            tables = {to: self.live[name] for name, to in zip(names, ends, strict=True)}
            steps = [(name, to, to) for name, to in zip(names, ends, strict=True)]
        for name in names:
            del self.live[name]
            self.ends[name].add(self.now)
        self.live.update(tables)
        self.random.shuffle(steps)
        for name, to, final in steps:
            self.send(final, f"RENAME TABLE {quoted(name)} TO {quoted(to)};", tables[final])

    def add(self) -> None:
        if (name := self.name()) in self.live:
            column = f"x{self.now}"
            table = self.live[name]
            self.live[name] = replace(table, columns=(*table.columns, column), version=self.now)
            self.send(name, f"ALTER TABLE {quoted(name)} ADD COLUMN `{column}` INT", self.live[name])

    def drop_column(self) -> None:
        if (name := self.name()) in self.live and len(self.live[name].columns) > 2:
            *rest, column = self.live[name].columns
            self.live[name] = replace(self.live[name], columns=tuple(rest), version=self.now)
            self.send(name, f"ALTER TABLE {quoted(name)} DROP COLUMN `{column}`", self.live[name])

    def recover(self) -> None:
        name = self.name()
        found = [each for each in self.dropped if each[1] == name]
        if found and name not in self.live:
            self.bring_back(found[-1], name, f"RECOVER TABLE {quoted(name)}")

    def flashback(self) -> None:
        name, to = self.name(), (self.random.choice(SCHEMAS), self.random.choice(NAMES))
        found = [each for each in self.dropped if each[1] == name]
        if found and (name[0], to[1]) not in self.live:
            self.bring_back(found[-1], (name[0], to[1]), f"FLASHBACK TABLE {quoted(name)} TO `{to[1]}`")

    def by_job(self) -> None:
        name = self.name()
        found = [each for each in self.dropped if each[1] == name and each[0] >= self.starts]
        if found and name not in self.live:
            one = self.random.choice(found)
            self.bring_back(one, name, f"RECOVER TABLE BY JOB {one[0]}")

    def bring_back(self, end: tuple[int, Name, Table], name: Name, text: str) -> None:
        self.brought_back = True
        self.dropped.remove(end)
        self.live[name] = replace(end[2], version=self.now)
        if self.protocol != "debezium":
            self.send(name, text, self.live[name])

    def events(self) -> list[DdlEvent]:
        """The messages, and the first rows as the view of the catalogue's events adds them."""
        first: dict[tuple[object, ...], Row] = {}
        for row in self.rows:
            if row.commit_ts > self.starts:
                since = sum(self.starts <= commit_ts < row.commit_ts for commit_ts in self.ends[row.name])
                first.setdefault((row.name, row.table.columns, since), row)
        told = [DdlEvent(row.commit_ts, *row.name, None, None, schema(row.table)) for row in first.values()]
        return [*self.messages, *told]


def schema(table: Table) -> str:
    columns = [{"name": name, "type": "int", "key": 1 if name == "id" else None} for name in table.columns]
    return json.dumps(columns)


def quoted(name: Name) -> str:
    return f"`{name[0]}`.`{name[1]}`"


def astray(upstream: Upstream, result: Fold) -> list[str]:
    """Rows that are not of the one set of rows that was theirs upstream, or have other columns."""
    found = []
    ours: dict[int, tuple[str, int]] = {}
    theirs: dict[tuple[str, int], int] = {}
    for row in upstream.rows:
        if row.commit_ts <= upstream.starts:
            continue
        versions = [
            one
            for one in result.versions
            if (one.schema_name, one.table_name) == row.name
            and one.valid_from_ts < row.commit_ts
            and (one.valid_to_ts is None or row.commit_ts <= one.valid_to_ts)
        ]
        if len(versions) != 1:
            found.append(f"{row}: {len(versions)} versions")
            continue
        identity = versions[0].table_id, versions[0].incarnation
        ours.setdefault(row.table.number, identity)
        theirs.setdefault(identity, row.table.number)
        if (ours[row.table.number], theirs[identity]) != (identity, row.table.number):
            found.append(f"{row}: {identity}, was {ours[row.table.number]}, of {theirs[identity]}")
        elif tuple(column.name for column in versions[0].columns) != row.table.columns:
            found.append(f"{row}: {[column.name for column in versions[0].columns]}")
    return found


def run(protocol: str, seed: int, starts: int = 0) -> tuple[Upstream, Fold]:
    upstream = Upstream(Random(seed), protocol, starts)
    for _ in range(80):
        upstream.step()
    return upstream, fold(upstream.events(), protocol=protocol)


SEEDS = range(150)
UNTOLD = {ProblemCode.UNSURE_RECOVERY, ProblemCode.NOTHING_TO_RECOVER, ProblemCode.UNKNOWN_TABLE}
"""What no protocol tells: the job of a RECOVER (Simple does), and tables that were there before the first message."""


@pytest.mark.parametrize("starts", [0, 200])
@pytest.mark.parametrize("protocol", ["canal_json", "simple"])
def test_each_row_is_of_the_table_that_it_was_written_to(protocol: str, starts: int) -> None:
    told = 0
    for seed in SEEDS:
        upstream, result = run(protocol, seed, starts)
        codes = {problem.code for problem in result.problems}
        if protocol == "simple" and starts == 0:
            assert not codes, (seed, result.problems)
        if not codes & UNTOLD:
            assert not codes, (seed, result.problems)
            assert not astray(upstream, result), seed
            told += 1
    assert told > len(SEEDS) * 0.8


@pytest.mark.parametrize("starts", [0, 200])
def test_what_debezium_does_not_send_is_a_problem(starts: int) -> None:
    went_astray = 0
    for seed in SEEDS:
        upstream, result = run("debezium", seed, starts)
        went_astray += bool(astray(upstream, result))
        assert result.problems or not astray(upstream, result), seed
        assert upstream.brought_back or not result.problems, (seed, result.problems)
    assert went_astray > len(SEEDS) * 0.05
