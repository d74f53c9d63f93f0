"""A reader over Thrift, open all the time, sees whole runs and never fails while builds with DDL go by."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import pytest
from pyhive import hive
from support import session
from support import warehouse as embedded
from support.cases import record
from support.messages import ddl_message, row_message, to_bytes, watermark_message

from dbt_ticdc import server
from ticdc_udfs import registrar

BUILDS = 20
# These commits are there before the reader is; from the second build after it on tables are stored.
FIRST_COMMITS = 3
STORED_FROM = 5
TABLES = ("a", "b", "c")
TYPES = {"id": "int", "n": "int"}
FIRST_TS = 500_000_000_000_000_000
# Each commit adds a row to all tables, so that they are never of another size.
SUMS = "select " + ", ".join(
    f"(select count(*) from {table}) as rows_{table}, (select sum(n) from {table}) as sum_{table}" for table in TABLES
)
# What was there at a commit that the feed is complete through stays as it was.
AS_OF = "select sum(id), sum(n), count(*) from {}_as_of(" + str(FIRST_TS + FIRST_COMMITS * 2**20) + ")"
THEN = (sum(range(FIRST_COMMITS + 1)), sum(range(FIRST_COMMITS + 1)), FIRST_COMMITS)
OTHERS = (
    "select count(*) from ticdc.ticdc__changelog",
    "select count(*) from ticdc.ticdc__row_history",
    *(f"select count(*) from {table}_history" for table in TABLES),
    "select count(*) from ticdc.ticdc__tables",
)


class Reader(threading.Thread):
    """A client that asks in a loop until it is told to stop, and what it saw.

    `seen` are the sums, `then` the rows as of the commit, `failures` what went wrong.
    """

    def __init__(self, port: int) -> None:
        super().__init__(daemon=True)
        self.cursor = hive.connect(host="127.0.0.1", port=port, database="shop").cursor()
        self.stopped = threading.Event()
        self.seen: list[dict[str, int]] = []
        self.then: set[tuple[int, ...]] = set()
        self.failures: list[str] = []

    def ask(self, query: str) -> list[tuple[Any, ...]]:
        self.cursor.execute(query)
        return list(self.cursor.fetchall())

    def run(self) -> None:
        while not self.stopped.is_set():
            try:
                self.seen.append(self.sums())
                self.ask(OTHERS[len(self.seen) % len(OTHERS)])
                self.then.update(self.ask(AS_OF.format(TABLES[len(self.seen) % len(TABLES)])))
            except Exception as failure:
                self.failures.append(str(failure)[:2000])
            self.stopped.wait(1)

    def sums(self) -> dict[str, int]:
        ((*values,),) = self.ask(SUMS)
        return {name[0]: value for name, value in zip(self.cursor.description, values, strict=True)}


def commit(number: int) -> list[str]:
    """One commit to all tables, every second one after a DDL of all but the last, and the watermark after it."""
    ts = FIRST_TS + number * 2**20
    row: dict[str, str | None] = {"id": str(number), "n": str(number)}
    columns = [f"c{at}" for at in range(2, number + 1, 2)]
    messages = []
    for table in TABLES:
        own = columns if table != TABLES[-1] else []
        types = {**TYPES, **dict.fromkeys(own, "int")}
        create = f"create table {table} (id int primary key, n int)"
        if number == 1:
            messages.append(ddl_message(create, "CREATE", table=table, _tidb={"commitTs": ts - 9}))
        elif own and number % 2 == 0:
            add = f"alter table {table} add column c{number} int"
            messages.append(ddl_message(add, "ALTER", table=table, _tidb={"commitTs": ts - 9}))
        messages.append(row_message(row | dict.fromkeys(own, "7"), types, table=table, tidb={"commitTs": ts}))
    messages.append(watermark_message(ts + 1))
    return [
        record("shop", to_bytes(message), offset=number * 10 + at, timestamp=1_795_238_204_129 + number)
        for at, message in enumerate(messages)
    ]


@pytest.mark.soak("readers")
def test_a_reader_never_fails_and_never_sees_half_a_run(tmp_path: Path) -> None:
    home, dump = tmp_path / "warehouse", tmp_path / "dump"
    dump.mkdir()
    feed = {"name": "shop", "protocol": "canal_json", "topics": ["shop"]}
    feeds = embedded.write_feeds(tmp_path / "feeds.yml", [feed], {"ticdc__stored_from_rows": STORED_FROM})

    def build(*numbers: int) -> None:
        lines = "".join(line for number in numbers for line in commit(number))
        (dump / f"{numbers[0]}.jsonl").write_text(lines, encoding="utf-8", newline="\n")
        assert session.run(home, dump, feeds)

    port = serve(home)
    build(*range(1, FIRST_COMMITS + 1))
    assert not stored(home)
    reader = Reader(port)
    reader.start()
    last = FIRST_COMMITS + BUILDS
    try:
        for number in range(FIRST_COMMITS + 1, last + 1):
            build(number)
    finally:
        reader.stopped.set()
        reader.join(60)
    assert not reader.failures, f"{len(reader.failures)} of {len(reader.seen)}: {reader.failures[0]}"
    assert len(reader.seen) > BUILDS
    torn = [seen for seen in reader.seen if len({(seen[f"rows_{name}"], seen[f"sum_{name}"]) for name in TABLES}) > 1]
    assert not torn, json.dumps(torn)
    sizes = [seen["rows_a"] for seen in reader.seen]
    assert sizes == sorted(sizes)
    assert reader.then == {THEN}
    assert reader.sums()["rows_a"] == last
    assert stored(home) == {*TABLES}
    reader.ask("select * from a limit 1")
    assert {f"c{at}" for at in range(2, last + 1, 2)} <= {name for name, *_ in reader.cursor.description}


def serve(home: Path) -> int:
    """Lets the Spark of this process, which builds, answer clients too, as `ticdc serve` does; gives the port."""
    host = "127.0.0.1"
    port = server._free_port(host, 0)
    spark = session.opened(home, server._settings(host, port))
    registrar.inject(spark)
    server._start(spark, host, port)
    return port


def stored(home: Path) -> set[str]:
    """The tables whose rows and histories are stored, and published."""
    (published,) = session.rows(home, "select batches from ticdc.int_ticdc__publication")
    plans = session.rows(home, "select table_name, plan from ticdc.int_ticdc__typed_tables")
    storages = {row["table_name"]: json.loads(row["plan"])["history_storage"] or "" for row in plans}
    return {table for table, storage in storages.items() if published["batches"].get(storage.split(".")[-1])}
