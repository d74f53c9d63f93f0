"""Runs that read brokers: their feed, the settings of their session, and runs that follow one another."""

from __future__ import annotations

import os
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING, Any

from dbt_ticdc import messages
from dbt_ticdc.errors import TicdcError
from dbt_ticdc.progress import say, step
from ticdc_udfs.sources import broker

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

FEED = "default"
OPTIONS = {
    "ticdc__feeds[0].source.kafka.bootstrap_servers": "--kafka",
    "ticdc__feeds[0].topics": "--topics",
    "ticdc__feeds[0].protocol": "--protocol",
}
"""The options that give members of this feed."""
CONNECTOR = "org.apache.spark:spark-sql-kafka-0-10_2.13:4.1.1"
"""What Spark reads Kafka with; Spark's Ivy fetches it, and what it needs, once."""
_IN_SPARK = (
    "org.apache.hadoop:*,org.slf4j:*,org.lz4:*,org.xerial.snappy:*,org.scala-lang.modules:*,com.google.code.findbugs:*"
)


def variables(servers: str, topics: Sequence[str], protocol: str) -> dict[str, Any]:
    """The variables of one feed that reads these topics."""
    source = {"kafka": {"bootstrap_servers": servers}}
    return {"ticdc__feeds": [{"name": FEED, "protocol": protocol, "topics": list(topics), "source": source}]}


def is_read(variables: Mapping[str, Any]) -> bool:
    """Whether a feed has a Kafka source."""
    return any("kafka" in source for source in _sources(variables))


def need_no_messages(variables: Mapping[str, Any]) -> bool:
    """Whether all feeds say where their messages are."""
    feeds = variables.get("ticdc__feeds")
    return isinstance(feeds, list) and bool(feeds) and len(_sources(variables)) == len(feeds)


def reads_elsewhere(variables: Mapping[str, Any]) -> bool:
    """Whether a feed has a source of its own, which may have more messages though no file has."""
    return bool(_sources(variables))


def _sources(variables: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    feeds = variables.get("ticdc__feeds")
    sources = [feed.get("source") for feed in feeds if isinstance(feed, dict)] if isinstance(feeds, list) else []
    return [source for source in sources if isinstance(source, dict)]


def check_brokers(variables: Mapping[str, Any]) -> None:
    """Asks the brokers of all feeds for their topics, before Spark is opened; says of which feed none matches.

    Raises `TicdcError` where brokers do not answer, or an option names a variable that the environment lacks.
    """
    if not is_read(variables):
        return
    for feed in variables["ticdc__feeds"]:
        if (kafka := (feed.get("source") or {}).get("kafka")) is None:
            continue
        if refusals := _refusals(kafka["bootstrap_servers"]):
            place = "--kafka, or ticdc__feeds, member source.kafka"
            raise TicdcError(f"feed {feed['name']}: no broker can be reached: {refusals} ({place})")
        try:
            with step(f"asking brokers {kafka['bootstrap_servers']}, for {broker.TIMEOUT_SECONDS:.0f} s at most"):
                found = broker.found(kafka, feed["topics"])
                there = [] if found else sorted({each.topic for each in broker.found(kafka, ["%"])})
        except broker.BrokerError as error:
            raise TicdcError(f"feed {feed['name']}: {error}") from error
        if not found:
            say(
                f"feed {feed['name']}: the brokers have no topic that matches {', '.join(feed['topics'])}; "
                f"topics that are there: {messages.told_topics(there)}"
            )


def _refusals(servers: str) -> str:
    """Why none of these servers can be reached, where each refuses at once; else nothing, and a broker may yet answer.

    A client of Kafka waits for brokers that refuse, as they may be starting.
    """
    told = []
    for server in servers.split(","):
        host, _, port = server.strip().rpartition(":")
        try:
            socket.create_connection((host.strip("[]"), int(port)), timeout=2).close()
        except (ConnectionRefusedError, socket.gaierror) as error:
            told.append(f"{server.strip()}: {error.strerror or error}")
        except (OSError, ValueError, OverflowError):
            return ""
        else:
            return ""
    return "; ".join(told)


def settings() -> dict[str, str]:
    """Spark's settings that add the connector, unless the environment's class path has it."""
    if "spark-sql-kafka" in os.environ.get("PYSPARK_SUBMIT_ARGS", ""):
        return {}
    return {"spark.jars.packages": CONNECTOR, "spark.jars.excludes": _IN_SPARK}


def is_caught_up(spark: SparkSession) -> bool:
    """Whether the last plan reads all that brokers had, of what can be read."""
    left = (
        "select 1 from int_ticdc__kafka_offsets where run_id = (select max(run_id) from int_ticdc__kafka_offsets) "
        "and end_offset < high_offset and status = 'read'"
    )
    return not spark.catalog.tableExists("int_ticdc__kafka_offsets") or spark.sql(left).isEmpty()


def every(seconds: float, run: Callable[[], bool | None]) -> None:
    """Runs again and again, each time `seconds` after the last began, until `run` gives True, as nothing is left to do.

    Ctrl-C ends it once a run is over: raises `KeyboardInterrupt` then, and at once where it comes a second time.
    """
    with _interrupted() as interrupted:
        while not interrupted.is_set():
            begins = time.monotonic()
            if run():
                return
            interrupted.wait(max(0.0, begins + seconds - time.monotonic()))
    raise KeyboardInterrupt


@contextmanager
def _interrupted() -> Iterator[threading.Event]:
    """Set by the first Ctrl-C of the block."""
    event = threading.Event()

    def stop(number: int, frame: FrameType | None) -> None:
        if event.is_set():
            raise KeyboardInterrupt
        event.set()
        # not by `say`: the signal may have come in the midst of a line
        os.write(2, b"ticdc: ends once this run is over; Ctrl-C again ends it at once\n")

    before = signal.signal(signal.SIGINT, stop)
    try:
        yield event
    finally:
        signal.signal(signal.SIGINT, before)
