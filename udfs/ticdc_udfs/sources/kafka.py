"""What a run reads of Kafka: which offsets brokers hold, which of them are new, and what needs attention.

A *log* is a partition of a topic as long as the topic has one id: deleted and created again, a topic has other logs.
`broker.py` beside this file asks brokers; what is here is decided without one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum

from msgspec import Struct, structs

from ticdc_udfs.contract.patterns import is_like


class Status(StrEnum):
    """What a run does with a partition."""

    READ = "read"
    EXPIRED = "expired"
    """Messages are gone that were not read."""
    RECREATED = "recreated"
    """The topic was deleted and created again."""
    REWOUND = "rewound"
    """The log ends before what was read of it."""
    GONE = "gone"
    """The topic, or the partition, is not there any more."""


class Found(Struct, frozen=True):
    """A partition at a broker: the first offset that it holds, the one after the last that can be read, and the end.

    The end is another one where a transaction is open.
    """

    topic: str
    partition: int
    topic_id: str
    low_offset: int
    high_offset: int
    log_end_offset: int


class Known(Struct, frozen=True):
    """A partition as the newest plan of its topic has it, and what is staged of it.

    `topic_id` is that of the log that is read, none where no plan has the partition. `log_run_id` is the run since
    which it is read, 0 for all runs. `first_offset` is where reading it begins. `next_offset` follows the last offset
    that is staged, or was read; none where nothing is staged. `status` is that of the plan.
    """

    topic: str
    partition: int
    topic_id: str | None = None
    log_run_id: int = 0
    first_offset: int = 0
    next_offset: int | None = None
    status: str | None = None


class Planned(Struct, frozen=True):
    """What a run does with a partition of a feed: it reads from `start_offset` to before `end_offset`.

    `topic_id`, `log_run_id` and `first_offset` are those of the log that is read: not those of the broker where a
    decision is needed. `accepted` is the loss of messages that was accepted, `detail` why a decision is needed.
    """

    feed: str
    topic: str
    partition: int
    topic_id: str
    log_run_id: int
    first_offset: int
    low_offset: int
    high_offset: int
    start_offset: int
    end_offset: int
    status: Status
    accepted: Status | None = None
    detail: str | None = None


class Feed(Struct, frozen=True):
    """A feed's partitions: at its brokers, and as they are known. `is_accepted` says that lost messages are.

    Of topics that `finished_topics` take, SQL like patterns, nobody waits for more.
    """

    name: str
    found: Sequence[Found] = ()
    known: Sequence[Known] = ()
    finished_topics: Sequence[str] = ()
    is_accepted: bool = False


def plan(feeds: Sequence[Feed], run_id: int, cap: int | None = None) -> list[Planned]:
    """What a run does with each partition, in order of feed, topic and partition.

    `cap` is the number of offsets that it reads at most, shared between partitions by what is new in each; none for
    all. Each partition that has something new is read by one offset at least.
    """
    planned = [each for feed in feeds for each in _of_feed(feed, run_id)]
    return sorted(_capped(planned, cap), key=lambda each: (each.feed, each.topic, each.partition))


def is_new(feeds: Iterable[Feed], planned: Iterable[Planned]) -> bool:
    """Whether a plan tells what the plans before did not: something to read, another log or another status."""
    before = {(feed.name, each.topic, each.partition): each for feed in feeds for each in feed.known}

    def is_told(each: Planned) -> bool:
        known = before.get((each.feed, each.topic, each.partition), Known(each.topic, each.partition))
        is_same = (known.topic_id, known.first_offset, known.status) == (each.topic_id, each.first_offset, each.status)
        return is_same and not each.accepted and each.end_offset <= each.start_offset

    return not all(map(is_told, planned))


def _of_feed(feed: Feed, run_id: int) -> Iterator[Planned]:
    there = {found.topic for found in feed.found}
    known = {(each.topic, each.partition): each for each in feed.known}
    topics = {each.topic: each.topic_id for each in feed.known if each.topic_id is not None}
    for found in feed.found:
        before = known.pop((found.topic, found.partition), Known(found.topic, found.partition))
        yield _of_partition(feed, found, before, topics.get(found.topic), run_id)
    for before in known.values():
        is_awaited = before.topic_id is not None and not is_like(before.topic, feed.finished_topics)
        # a topic that is read from its start has partitions of its own
        if is_awaited and not (feed.is_accepted and before.topic in there):
            yield _gone(feed, before)


def _of_partition(feed: Feed, found: Found, before: Known, topic_id: str | None, run_id: int) -> Planned:
    if topic_id is not None and before.topic_id is None:  # a partition that came: its first offset was 0
        before = structs.replace(before, topic_id=topic_id)
    elif topic_id is None and before.next_offset is None:  # nothing of the topic was read yet
        before = structs.replace(before, first_offset=found.low_offset)
    position = max(before.first_offset, before.next_offset or 0)
    status, detail = _judged(found, before, position)
    accepted = None
    if status is not Status.READ and feed.is_accepted:
        if status is not Status.EXPIRED:  # what was read of it was another log
            before = structs.replace(before, log_run_id=run_id)
        before = structs.replace(before, topic_id=found.topic_id, first_offset=found.low_offset)
        position, status, accepted = found.low_offset, Status.READ, status
    return Planned(
        feed=feed.name,
        topic=found.topic,
        partition=found.partition,
        topic_id=before.topic_id or found.topic_id,
        log_run_id=before.log_run_id,
        first_offset=before.first_offset,
        low_offset=found.low_offset,
        high_offset=found.high_offset,
        start_offset=position,
        end_offset=max(position, found.high_offset) if status is Status.READ else position,
        status=status,
        accepted=accepted,
        detail=detail,
    )


def _judged(found: Found, before: Known, position: int) -> tuple[Status, str | None]:
    """What is to be said of a partition from which offsets are to be read from `position` on."""
    if before.topic_id not in (None, found.topic_id):
        return Status.RECREATED, (
            f"the topic was deleted and created again: its id was {before.topic_id} and is {found.topic_id}; offsets "
            f"before {position} were read of the old one"
        )
    if position > found.log_end_offset:
        return Status.REWOUND, (
            f"offsets before {position} were read, and the partition ends before {found.log_end_offset}: messages are "
            "gone, and others may have taken their place"
        )
    if position < found.low_offset:
        return Status.EXPIRED, (
            f"offsets {position} to {found.low_offset - 1} are gone unread: the broker holds those from "
            f"{found.low_offset} to before {found.high_offset}"
        )
    return Status.READ, None


def _gone(feed: Feed, before: Known) -> Planned:
    position = max(before.first_offset, before.next_offset or 0)
    return Planned(
        feed=feed.name,
        topic=before.topic,
        partition=before.partition,
        topic_id=before.topic_id or "",
        log_run_id=before.log_run_id,
        first_offset=before.first_offset,
        low_offset=position,
        high_offset=position,
        start_offset=position,
        end_offset=position,
        status=Status.GONE,
        detail=f"the broker no longer has it; offsets before {position} were read",
    )


def _capped(planned: Sequence[Planned], cap: int | None) -> Iterator[Planned]:
    """The same with ends by which no more is read than `cap` allows; partitions advance by the same part of theirs."""
    total = sum(each.end_offset - each.start_offset for each in planned)
    before = 0
    for each in planned:
        new = each.end_offset - each.start_offset
        if cap is None or total <= cap or not new:
            yield each
            continue
        share = cap * (before + new) // total - cap * before // total
        before += new
        yield structs.replace(each, end_offset=each.start_offset + max(share, 1))
