"""What a run reads of Kafka, as SQL asks for it: the brokers' offsets, beside what is known of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from ticdc_udfs.contract.json_texts import by_json
from ticdc_udfs.sources import broker
from ticdc_udfs.sources.kafka import Feed, Known, Planned, is_new, plan
from ticdc_udfs.sources.reads import Range, Reading, views


class AskedFeed(Struct, frozen=True):
    """A feed: `kafka` is that member of its source, `topics` and `finished_topics` are SQL like patterns."""

    name: str
    kafka: Mapping[str, Any]
    topics: Sequence[str]
    finished_topics: Sequence[str] = ()
    is_accepted: bool = False


class KnownOfFeed(Known, frozen=True, kw_only=True):
    """A partition of a feed, as it is known."""

    feed: str


class Request(Struct, frozen=True):
    """The feeds of a run that read Kafka; `cap` is the number of offsets that it reads at most, none for all."""

    run_id: int
    feeds: Sequence[AskedFeed]
    cap: int | None = None


class Answer(Struct, frozen=True):
    """What is read of each partition, whether that tells something new, or why it cannot be told."""

    planned: Sequence[Planned] = ()
    is_new: bool = False
    problem: str | None = None


def answer(request: Request, known: Sequence[KnownOfFeed]) -> Answer:
    """What a run reads, for which each broker is asked once."""
    try:
        feeds = [
            Feed(
                asked.name,
                broker.found(asked.kafka, asked.topics),
                [each for each in known if each.feed == asked.name],
                asked.finished_topics,
                asked.is_accepted,
            )
            for asked in request.feeds
        ]
    except broker.BrokerError as error:
        return Answer(problem=str(error))
    planned = plan(feeds, request.run_id, request.cap)
    return Answer(planned, is_new(feeds, planned))


offsets_batch = by_json(answer, Request, list[KnownOfFeed])
views_batch = by_json(views, Reading, list[Range])
