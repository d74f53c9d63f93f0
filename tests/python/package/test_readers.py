"""A reader in one session that is open all the time sees whole runs, and never fails, while builds with DDL go by."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from support import session
from support import warehouse as embedded
from support.cases import record
from support.messages import ddl_message, row_message, to_bytes, watermark_message

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

BUILDS = 20
TYPES = {"id": "int", "n": "int"}
FIRST_TS = 500_000_000_000_000_000
# Each commit adds a row to both tables, so that they are never of another size.
SUMS = (
    "select (select count(*) from shop.a) as a, (select count(*) from shop.b) as b, "
    "(select sum(n) from shop.a) as of_a, (select sum(n) from shop.b) as of_b"
)
OTHERS = (
    "select count(*) from ticdc__changelog",
    "select count(*) from ticdc__row_history",
    "select count(*) from shop.a_history",
    "select count(*) from ticdc__tables",
)


class Reader(threading.Thread):
    """Asks in a loop until it is told to stop; `seen` are the sums, `failures` what went wrong."""

    def __init__(self, spark: SparkSession) -> None:
        super().__init__(daemon=True)
        self.session = spark.newSession()
        self.session.sql("use ticdc")
        self.stopped = threading.Event()
        self.seen: list[dict[str, Any]] = []
        self.failures: list[str] = []

    def run(self) -> None:
        while not self.stopped.is_set():
            try:
                self.seen.append(self.session.sql(SUMS).collect()[0].asDict())
                self.session.sql(OTHERS[len(self.seen) % len(OTHERS)]).collect()
            except Exception as failure:
                self.failures.append(str(failure)[:2000])
            self.stopped.wait(1)


def commit(number: int) -> list[str]:
    """One commit to both tables, every second one after a DDL of both, and the watermark after it."""
    ts = FIRST_TS + number * 2**20
    row: dict[str, str | None] = {"id": str(number), "n": str(number)}
    columns = [f"c{at}" for at in range(2, number + 1, 2)]
    types = {**TYPES, **dict.fromkeys(columns, "int")}
    row |= dict.fromkeys(columns, "7")
    messages = []
    for table in ("a", "b"):
        create = f"create table {table} (id int primary key, n int)"
        if number == 1:
            messages.append(ddl_message(create, "CREATE", table=table, _tidb={"commitTs": ts - 9}))
        elif number % 2 == 0:
            add = f"alter table {table} add column c{number} int"
            messages.append(ddl_message(add, "ALTER", table=table, _tidb={"commitTs": ts - 9}))
        messages.append(row_message(row, types, table=table, tidb={"commitTs": ts}))
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
    feeds = embedded.write_feeds(tmp_path / "feeds.yml", [feed])

    def build(number: int) -> None:
        (dump / f"{number}.jsonl").write_text("".join(commit(number)), encoding="utf-8", newline="\n")
        assert session.run(home, dump, feeds)

    build(1)
    reader = Reader(session.opened(home))
    reader.start()
    try:
        for number in range(2, BUILDS + 2):
            build(number)
    finally:
        reader.stopped.set()
        reader.join(60)
    assert not reader.failures, f"{len(reader.failures)} of {len(reader.seen)}: {reader.failures[0]}"
    assert len(reader.seen) > BUILDS
    torn = [seen for seen in reader.seen if (seen["a"], seen["of_a"]) != (seen["b"], seen["of_b"])]
    assert not torn, json.dumps(torn)
    sizes = [seen["a"] for seen in reader.seen]
    assert sizes == sorted(sizes)
    assert reader.session.sql(SUMS).collect()[0]["a"] == BUILDS + 1
    columns = set(reader.session.table("shop.a").columns)
    assert {f"c{at}" for at in range(2, BUILDS + 2, 2)} <= columns
