"""Asks brokers for topics, their ids, and the offsets of their partitions, by confluent-kafka."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ticdc_udfs.contract.kafka_options import ISOLATION_LEVELS, options_of_librdkafka
from ticdc_udfs.contract.patterns import is_like
from ticdc_udfs.sources.kafka import Found

TIMEOUT_SECONDS = 30.0
_PLACE = "ticdc__feeds, member source.kafka"


class BrokerError(Exception):
    """Brokers did not tell their offsets; the text says why, for whoever configures the feed, without a secret."""


def found(kafka: Mapping[str, object], patterns: Sequence[str], timeout: float = TIMEOUT_SECONDS) -> list[Found]:
    """The partitions of all topics that the patterns take, as the member `kafka` of a feed's source says to ask.

    Waits for `timeout` seconds at most. Raises `BrokerError`.
    """
    try:
        from confluent_kafka import KafkaException
        from confluent_kafka.admin import AdminClient
    except ImportError as error:
        raise BrokerError(
            "Kafka's offsets are asked with confluent-kafka, which the Python of Spark's workers lacks: "
            "pip install 'dbt-ticdc[kafka]', or of a checkout '../dbt-ticdc[kafka]'"
        ) from error
    errors: list[str] = []
    try:
        settings: dict[str, Any] = {
            **options_of_librdkafka(kafka, os.environ),
            "log_level": 0,
            "error_cb": lambda told: errors.append(told.str()),
        }
    except LookupError as error:
        raise BrokerError(
            f"the environment of Spark's workers lacks the variable {error.args[0]}, which an option names ({_PLACE})"
        ) from error
    level = str(kafka.get("isolation_level") or ISOLATION_LEVELS[0])
    try:
        return _Asked(AdminClient(settings), patterns, level, time.monotonic() + timeout).found()
    except (KafkaException, TimeoutError, ValueError) as error:
        # a broker that refuses to let someone in is no more than one that does not answer to who asked
        told = dict.fromkeys((*errors, _text_of(error)))
        raise BrokerError(
            f"the brokers {kafka['bootstrap_servers']} did not tell their offsets within {timeout:g} s: "
            f"{'; '.join(text for text in told if text)} ({_PLACE})"
        ) from error


class _Asked:
    """One client's questions, which all end at the same time."""

    def __init__(self, client: Any, patterns: Sequence[str], isolation_level: str, ends_at: float) -> None:
        self._client = client
        self._patterns = patterns
        self._isolation_level = isolation_level
        self._ends_at = ends_at

    def found(self) -> list[Found]:
        """Asks again where a topic goes, or a partition finds its leader, between two questions."""
        from confluent_kafka import KafkaException

        while True:
            try:
                return self._found()
            except KafkaException as error:
                self._client.poll(0)  # what went wrong before is told now
                if not _passes(error) or self._left() < 1:
                    raise
                time.sleep(0.5)

    def _found(self) -> list[Found]:
        from confluent_kafka import IsolationLevel, TopicCollection, TopicPartition
        from confluent_kafka.admin._listoffsets import OffsetSpec

        earliest: Any = OffsetSpec.earliest  # without types
        latest: Any = OffsetSpec.latest
        names = [
            name for name in self._client.list_topics(timeout=self._left()).topics if is_like(name, self._patterns)
        ]
        if not names:
            return []
        described = self._done(self._client.describe_topics, TopicCollection(names))
        ids = {topic.name: str(topic.topic_id) for topic in described.values() if not topic.is_internal}
        places = [
            TopicPartition(topic.name, partition.id)
            for topic in described.values()
            if topic.name in ids
            for partition in topic.partitions
        ]

        def offsets(spec: Any, level: str) -> dict[Any, int]:
            wanted = dict.fromkeys(places, spec)
            told = self._done(self._client.list_offsets, wanted, isolation_level=IsolationLevel[level.upper()])
            return {(place.topic, place.partition): result.offset for place, result in told.items()}

        uncommitted = ISOLATION_LEVELS[1]
        low = offsets(earliest(), uncommitted)
        high = offsets(latest(), self._isolation_level)
        end = high if self._isolation_level == uncommitted else offsets(latest(), uncommitted)
        return [
            Found(topic, number, ids[topic], at, high[topic, number], end[topic, number])
            for (topic, number), at in low.items()
        ]

    def _done(self, question: Callable[..., Mapping[Any, Any]], *arguments: Any, **more: Any) -> dict[Any, Any]:
        futures = question(*arguments, request_timeout=self._left(), **more)
        return {asked: future.result(self._left()) for asked, future in futures.items()}

    def _left(self) -> float:
        return max(self._ends_at - time.monotonic(), 0.1)


def _passes(error: Any) -> bool:
    from confluent_kafka import KafkaError

    return error.args[0].code() in (
        KafkaError.UNKNOWN_TOPIC_OR_PART,
        KafkaError._UNKNOWN_TOPIC,
        KafkaError._UNKNOWN_PARTITION,
        KafkaError.LEADER_NOT_AVAILABLE,
        KafkaError.NOT_LEADER_FOR_PARTITION,
        KafkaError.UNKNOWN_TOPIC_ID,
    )


def _text_of(error: Exception) -> str:
    told: Any = error.args[0] if error.args else None
    return str(told.str()) if hasattr(told, "str") else str(error)
