"""How Spark reads what lies between offsets of Kafka: by a temporary view of the session for each feed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from ticdc_udfs.contract.identifiers import identifier, text_literal
from ticdc_udfs.contract.kafka_options import options_of_spark

RECORDS_OF_A_TASK = 200_000
"""So many messages Spark reads at most in one task."""


class ReadFeed(Struct, frozen=True):
    """A feed: `kafka` is that member of its source."""

    name: str
    kafka: Mapping[str, Any]


class Reading(Struct, frozen=True):
    """The feeds that are read; where they are read `again`, a message that is gone by then is no error."""

    feeds: Sequence[ReadFeed]
    again: bool = False


class Range(Struct, frozen=True):
    """What is read of a partition: from `start_offset` to before `end_offset`."""

    feed: str
    topic: str
    partition: int
    start_offset: int
    end_offset: int


class View(Struct, frozen=True):
    """The statement that makes the view of a feed, and the query of its messages."""

    statement: str
    query: str


def views(reading: Reading, ranges: Sequence[Range]) -> list[View]:
    """The views of the feeds of which something is read."""
    of_feeds = defaultdict(list)
    for each in ranges:
        of_feeds[each.feed].append(each)
    return [_view(feed, of_feeds[feed.name], reading.again) for feed in reading.feeds if feed.name in of_feeds]


def _view(feed: ReadFeed, ranges: Sequence[Range], again: bool) -> View:
    partitions: dict[str, list[int]] = {}
    starts: dict[str, dict[str, int]] = {}
    ends: dict[str, dict[str, int]] = {}
    for each in ranges:
        partitions.setdefault(each.topic, []).append(each.partition)
        starts.setdefault(each.topic, {})[str(each.partition)] = each.start_offset
        ends.setdefault(each.topic, {})[str(each.partition)] = each.end_offset
    options = {
        "assign": _json(partitions),
        "startingOffsets": _json(starts),
        "endingOffsets": _json(ends),
        "failOnDataLoss": "false" if again else "true",
        "maxRecordsPerPartition": str(RECORDS_OF_A_TASK),
        **options_of_spark(feed.kafka),
    }
    name = identifier(f"ticdc__kafka_{feed.name}{'_again' if again else ''}")
    told = ", ".join(f"{text_literal(option)} {text_literal(value)}" for option, value in options.items())
    return View(
        f"create or replace temporary view {name} using kafka options ({told})",
        f"select {text_literal(feed.name)} as feed, topic, `partition`, `offset`, "
        f"cast(`timestamp` as timestamp_ltz) as message_at, key, value from {name}",
    )


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()
