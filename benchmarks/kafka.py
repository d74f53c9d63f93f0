"""Messages of a real broker: a first build beside one from Parquet files, and later runs of a compacted topic."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from statistics import median

import pyarrow.parquet as pq
from support.broker import COMPACTED, Broker
from support.corpus import Record

from benchmarks.encoders import CanalJson
from benchmarks.measure import Contender, Cost, alternate, measured, progress, say
from benchmarks.messages import PARTITIONS, TOPIC, Changefeed, Message
from benchmarks.report import check, line
from benchmarks.session import Bench
from benchmarks.tables import DATABASE, Shape
from dbt_ticdc import warehouse

_LATER = 300
_HOLES = 200_000
_SEGMENT_SECONDS = 2
_STAGING = f"{warehouse.DATABASE}.stg_ticdc__canal_json"


def kafka(bench: Bench, broker: Broker, shape: Shape, messages: int, rounds: int) -> list[str]:
    """`dbt run` on an empty warehouse from Parquet files and from a topic, and later runs of a compacted topic."""
    source: dict[str, object] = {"kafka": {"bootstrap_servers": broker.servers}}
    return [
        *_first_builds(bench, broker, source, shape, messages, rounds),
        *_holes(bench, broker, source, shape, rounds),
    ]


def _first_builds(
    bench: Bench, broker: Broker, source: dict[str, object], shape: Shape, messages: int, rounds: int
) -> list[str]:
    bench.expect(shape, CanalJson)
    files = Changefeed(shape, CanalJson).write(bench.messages, "base", messages)
    bench.publish_messages()
    broker.create(TOPIC, PARTITIONS)
    say(f"sending {files.messages:,} messages")
    for file in sorted(bench.messages.glob("*.parquet")):
        broker.send(_records(file))
    made: set[str] = set()
    nodes: dict[str, dict[str, float]] = {}

    def prepare(read_from: dict[str, object] | None) -> None:
        bench.read_from(read_from)
        bench.empty_warehouse()

    def build(label: str) -> None:
        nodes[label] = bench.build()
        made.add(_rows(bench, shape))

    contenders = [
        Contender(label, partial(build, label), partial(prepare, place))
        for label, place in (("Parquet files", None), ("Kafka", source))
    ]
    alternate(contenders, rounds)
    check(len(made) - 1, "rows of messages of files and of a broker")
    of_files, of_kafka = (contender.median for contender in contenders)
    lines = [f"\n{files.messages:,} messages of {files.mean_bytes:,.0f} bytes on average, in {PARTITIONS} partitions"]
    lines += [line("first build", shape, contender.label, contender.median) for contender in contenders]
    lines.append(
        f"from Kafka {of_kafka.wall / of_files.wall:.2f} times as long (CPU {of_kafka.cpu / of_files.cpu:.2f}); "
        + ", ".join(
            f"staging from {label} {of_node['stg_ticdc__canal_json']:.1f} s" for label, of_node in nodes.items()
        )
    )
    return lines


def _holes(bench: Bench, broker: Broker, source: dict[str, object], shape: Shape, rounds: int) -> list[str]:
    """Each message of a compacted topic is there twice, one after the other, and the first of both goes."""
    costs: dict[str, Cost] = {}
    made: set[str] = set()
    lines = [f"\n{_HOLES:,} messages in one partition, then {_LATER} more a run"]
    for label, topic, copies in (("without holes", "whole", 1), ("a hole beside each message", "compacted", 2)):
        bench.expect(shape, CanalJson)
        bench.read_from(source, topic, 1)
        bench.empty_warehouse()
        feed = Changefeed(shape, CanalJson)
        broker.create(topic, 1, **(COMPACTED if copies == 2 else {}))
        sent = broker.send(_repeated(topic, feed.take(_HOLES), copies)) // copies
        time.sleep(_SEGMENT_SECONDS)
        # a message in a segment of its own closes the one before, which alone is compacted
        sent += broker.send(_repeated(topic, feed.take(1), 1, sent))
        if copies == 2:
            broker.await_compaction(topic, sent + sent // 100)
        runs = []
        for number in range(rounds + 2):
            if number:
                sent += broker.send(_repeated(topic, feed.take(_LATER), 1, sent))
            runs.append(measured(partial(bench.build)))
            progress(f"run {number}", label, runs[-1])
        say(f"    {bench.count(f'select count(*) from {_STAGING}'):,} messages of {sent:,} are staged")
        made.add(_rows(bench, shape))
        costs[label] = Cost(*map(median, zip(*runs[2:], strict=True)))
        lines.append(line("later run", shape, label, costs[label]))
    check(len(made) - 1, "rows with and without holes")
    without, beside = costs.values()
    lines.append(f"with holes {beside.wall / without.wall:.2f} times as long (CPU {beside.cpu / without.cpu:.2f})")
    return lines


def _rows(bench: Bench, shape: Shape) -> str:
    return str(bench.rows(f"select count(*), sum(id), max(_commit_ts) from {DATABASE}.{shape.table}"))


def _records(file: Path) -> Iterator[Record]:
    for row in pq.read_table(file).to_pylist():
        yield Record(row["topic"], row["partition"], row["offset"], row["key"], row["value"], "")


def _repeated(topic: str, messages: Iterable[Message], copies: int, first: int = 0) -> Iterator[Record]:
    """Of each message as many records of one key in partition 0."""
    for number, message in enumerate(messages, start=first):
        for _ in range(copies):
            yield Record(topic, 0, 0, str(number).encode(), message.value, "")
