"""Runs that end anywhere, between messages or within a step, come to the tables of one run. `make soak` runs most."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from support import session
from support import warehouse as embedded
from support.corpus import Variant, lines_about, plain, rearranged_lines, root

from dbt_ticdc import warehouse

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# They are renamed, truncated, given columns and other keys, and have rows that swap their keys.
TABLES = ("customers", "evolve", "orders", "sales", "swappy", "trunc_me", "ren1", "ren2", "ren1b")
CUTS = (2, 7, 30)
KILLS = 20
START_SECONDS = 5  # before that a run has not begun

# What a run decides by itself: which of two equal messages it saw first, and when.
POSITION = "topic, `partition`, `offset`, event_index"
RUN = "run_id, known_from"
QUERIES = {
    "current rows": "select * from ticdc__current_rows",
    "history": "select * from ticdc__row_history",
    "history that is known now": "select * except (known_from, known_to) from ticdc__row_history_bitemporal "
    "where known_to is null",
    "changelog": f"select * except ({POSITION}, {RUN}) from ticdc__changelog",
    "accounting": "select * from ticdc__accounting",
    "dead letters": "select * from ticdc__dead_letters",
}
TYPED = ("customers", "swappy", "ren1")
STORED_FROM = 1  # rows, so that what is typed is stored as well


def check_same(got: dict[str, list[str]], want: dict[str, list[str]], what: str) -> None:
    for name, rows in want.items():
        differing = sorted(set(rows) ^ set(got[name]))
        assert got[name] == rows, f"{what}: {name} differs\n" + "\n".join(differing[:6])


class Feed:
    """A feed of one topic, whose messages arrive bit by bit in the folder `dump`."""

    def __init__(self, folder: Path, protocol: str, lines: Sequence[str]) -> None:
        self.dump, self.home, self.lines = folder / "dump", folder / "warehouse", lines
        self.dump.mkdir(parents=True)
        self.typed = TYPED if protocol == "canal_json" else ()  # the others have all tables of the corpus
        feed = {"name": "shop", "protocol": protocol, "topics": [json.loads(lines[0])["topic"]]}
        target = "{schema}" if self.typed else None
        variables = {"ticdc__stored_from_rows": STORED_FROM}
        self.feeds = embedded.write_feeds(folder / "feeds.yml", [{**feed, "target_schema": target}], variables)
        self._arrived = 0

    def arrive(self, count: int) -> None:
        """All messages up to that number are there."""
        if count > self._arrived:
            text = "".join(self.lines[self._arrived : count])
            (self.dump / f"{count:06}.jsonl").write_text(text, encoding="utf-8", newline="\n")
            self._arrived = count

    def run(self) -> None:
        assert session.run(self.home, self.dump, self.feeds)

    def stored(self) -> list[str]:
        """The typed tables whose history is stored."""
        plans = session.rows(self.home, "select table_name, plan from int_ticdc__typed_tables")
        found = {row["table_name"] for row in plans if json.loads(row["plan"])["history_storage"]}
        return sorted(found.intersection(self.typed))

    def contents(self) -> dict[str, list[str]]:
        """The marts and some of the typed tables with their histories, each as sorted rows."""
        relations = [name for table in self.typed for name in (table, f"{table}_history")]
        typed = {relation: f"select * from shop.{relation}" for relation in relations}
        return {
            name: sorted(json.dumps(row, default=str, sort_keys=True) for row in session.rows(self.home, query))
            for name, query in {**QUERIES, **typed}.items()
        }


def canal_lines() -> list[str]:
    return list(lines_about(plain(), TABLES))


def replayed_lines(name: str) -> list[str]:
    """The messages with offset ranges sent again, and the partitions in another interleaving."""
    return rearranged_lines(Variant(root(), name).records, name, random.Random(name))


LINES: dict[str, Callable[[], list[str]]] = {
    "canal_json": canal_lines,
    "simple": partial(replayed_lines, "simple_json"),
    "open_protocol": partial(replayed_lines, "open_protocol"),
}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], dict[str, list[str]]]:
    """What one run makes of a protocol's messages."""
    made: dict[str, dict[str, list[str]]] = {}

    def contents_of(protocol: str) -> dict[str, list[str]]:
        if protocol not in made:
            feed = Feed(tmp_path_factory.mktemp(f"whole_{protocol}"), protocol, LINES[protocol]())
            feed.arrive(len(feed.lines))
            feed.run()
            made[protocol] = feed.contents()
            assert len(made[protocol]["current rows"]) > 100
            assert len(feed.stored()) == len(feed.typed)
        return made[protocol]

    return contents_of


def test_what_a_killed_run_left_is_put_right(spark: SparkSession, home: Path) -> None:
    """Files whose table was not made yet, in whose place Spark makes none, a new partition, and the lease."""
    database = home / "tables" / "interrupted.db"
    nowhere = home / "tables" / "not_made.db" / "t"
    with suppress(KeyboardInterrupt), warehouse.writing(spark, home):
        spark.sql("create database interrupted")
        spark.sql("create table interrupted.kept using parquet partitioned by (p) as select 1 as n, 'a' as p")
        spark.sql("create table interrupted.ticdc__lease_3 (run_id bigint) using parquet")
        shutil.copytree(database / "kept" / "p=a", database / "kept" / "p=b")
        for folder in (database / "not_made", nowhere):
            shutil.copytree(database / "kept" / "p=a", folder)
        raise KeyboardInterrupt
    try:
        with warehouse.writing(spark, home):
            rows = spark.sql("select p from interrupted.kept order by p").collect()
        assert [row[0] for row in rows] == ["a", "b"]
        assert [row.tableName for row in spark.sql("show tables in interrupted").collect()] == ["kept"]
        assert not nowhere.parent.exists()
        spark.sql("create table interrupted.not_made using parquet as select 2 as n")
        assert not (warehouse.work_folder(home) / "unfinished").exists()
    finally:
        spark.sql("drop database interrupted cascade")


@pytest.mark.soak("kills")
def test_staging_that_is_gone_is_read_anew(tmp_path: Path) -> None:
    """What runs noted of their messages was of the table that is gone; what came after it counts again."""
    feed = Feed(tmp_path, "canal_json", canal_lines())
    feed.arrive(40)
    feed.run()
    session.rows(feed.home, "drop table stg_ticdc__canal_json")
    for count in (60, 80):
        feed.arrive(count)
        feed.run()
        found = session.rows(feed.home, "select `partition`, `offset` from stg_ticdc__canal_json")
        sent = [(line["partition"], line["offset"]) for line in map(json.loads, feed.lines[:count])]
        assert sorted((row["partition"], row["offset"]) for row in found) == sorted(sent)
    runs = "select count(distinct run_id) as runs from stg_ticdc__canal_json"
    assert session.rows(feed.home, runs) == [{"runs": 2}]


@pytest.mark.parametrize("runs", CUTS)
@pytest.mark.parametrize("protocol", [pytest.param(each, marks=pytest.mark.soak(f"cuts_{each}")) for each in LINES])
def test_runs_of_parts_come_to_the_tables_of_one_run(
    tmp_path: Path, whole: Callable[[str], dict[str, list[str]]], protocol: str, runs: int
) -> None:
    want = whole(protocol)
    feed = Feed(tmp_path, protocol, LINES[protocol]())
    cuts = sorted(random.Random(f"{protocol} {runs}").sample(range(1, len(feed.lines)), runs - 1))
    for count in (*cuts, len(feed.lines)):
        feed.arrive(count)
        feed.run()
    check_same(feed.contents(), want, f"{protocol} in {runs} runs")


@pytest.mark.soak("kills")
def test_runs_that_are_killed_come_to_the_tables_of_one_run(
    tmp_path: Path, whole: Callable[[str], dict[str, list[str]]], show: Callable[[str], None]
) -> None:
    want = whole("canal_json")
    session.close()  # the runs need its memory
    feed = Feed(tmp_path, "canal_json", LINES["canal_json"]())
    rng = random.Random(1)
    kills, ended, seconds = 0, 0, 60.0
    while kills < KILLS:
        feed.arrive(max(1, len(feed.lines) * (kills + 1) // KILLS))
        took = killed_run(feed, rng.uniform(START_SECONDS, seconds))
        if took is None:
            kills += 1
        else:
            ended += 1
            seconds = took
    show(f"killed {kills} times, {ended} runs came to their end before")
    feed.run()
    check_same(feed.contents(), want, "after being killed")


def killed_run(feed: Feed, seconds: float) -> float | None:
    """Kills `ticdc run` after that time, Java and all; gives how long it took where it was through before."""
    began = time.monotonic()
    with embedded.started_run(feed.home, feed.dump, feed.feeds) as process:
        try:
            output, _ = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            return None
        assert process.returncode == 0, output[-4000:]
        return time.monotonic() - began
