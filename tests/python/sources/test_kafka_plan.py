"""What a run reads of Kafka, and what needs a person before it does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ticdc_udfs.sources.kafka import Feed, Found, Known, Planned, Status, is_new, plan

RUN = 70


def found(partition: int = 0, low: int = 0, high: int = 10, topic_id: str = "a", end: int | None = None) -> Found:
    return Found("t", partition, topic_id, low, high, high if end is None else end)


def known(partition: int = 0, next_offset: int | None = None, topic_id: str | None = "a", **members: Any) -> Known:
    return Known("t", partition, topic_id, next_offset=next_offset, **members)


def planned(found: Sequence[Found], known: Sequence[Known] = (), accepted: bool = False) -> list[Planned]:
    return plan([Feed("shop", found, known, is_accepted=accepted)], RUN)


@dataclass(frozen=True)
class Case:
    found: Sequence[Found]
    known: Sequence[Known] = ()
    ranges: Sequence[tuple[int, int]] = ()
    status: Status = Status.READ
    when_accepted: tuple[int, int] | None = None
    logs: Sequence[int] = (0,)


CASES: Mapping[str, Case] = {
    "a topic that is seen first is read from what there is": Case([found(low=4)], [], [(4, 10)]),
    "a topic without messages": Case([found(high=0)], [], [(0, 0)]),
    "what follows what is staged": Case([found()], [known(next_offset=7)], [(7, 10)]),
    "what a table of messages brought is not read again": Case([found()], [known(0, 7, None)], [(7, 10)]),
    "nothing new": Case([found()], [known(next_offset=10)], [(10, 10)]),
    "nothing is staged, and all is there": Case([found(low=3)], [known(first_offset=3)], [(3, 10)]),
    "compaction and transactions leave holes, the end too": Case([found(low=2)], [known(next_offset=10)], [(10, 10)]),
    "an open transaction is waited for": Case([found(high=5, end=9)], [known(next_offset=8)], [(8, 8)]),
    "a partition that comes is read from its start": Case(
        [found(), found(1, high=3)], [known(next_offset=10)], [(10, 10), (0, 3)], logs=(0, 0)
    ),
    "messages expired before they were read": Case(
        [found(low=8)], [known(next_offset=5)], [(5, 5)], Status.EXPIRED, (8, 10)
    ),
    "messages of a table of messages expired": Case(
        [found(low=8)], [known(0, 5, None)], [(5, 5)], Status.EXPIRED, (8, 10)
    ),
    "messages expired after the first plan, before any was read": Case(
        [found(low=8)], [known(first_offset=5)], [(5, 5)], Status.EXPIRED, (8, 10)
    ),
    "the messages of a partition that came expired": Case(
        [found(1, low=2)], [known(0, 9)], [(9, 9), (0, 0)], Status.EXPIRED, (2, 10)
    ),
    "a topic that was made again, shorter": Case(
        [found(high=3, topic_id="b")], [known(next_offset=5)], [(5, 5)], Status.RECREATED, (0, 3), (RUN,)
    ),
    "a topic that was made again, longer, after messages expired": Case(
        [found(low=1, high=90, topic_id="b")], [known(next_offset=5)], [(5, 5)], Status.RECREATED, (1, 90), (RUN,)
    ),
    "a log that ends before what was read of it": Case(
        [found(high=3)], [known(next_offset=5, log_run_id=20)], [(5, 5)], Status.REWOUND, (0, 3), (RUN,)
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_what_is_read(name: str) -> None:
    case = CASES[name]
    got = planned(case.found, case.known)
    assert [(each.start_offset, each.end_offset) for each in got] == [*case.ranges]
    status = {each.partition: each.status for each in got}
    assert status[case.found[-1].partition] is case.status
    accepted = {each.partition: each for each in planned(case.found, case.known, accepted=True)}
    last = accepted[case.found[-1].partition]
    assert last.status is Status.READ
    if case.when_accepted is None:
        assert (last.start_offset, last.end_offset) == case.ranges[-1]
        assert last.accepted is None
    else:
        assert (last.start_offset, last.end_offset) == case.when_accepted
        assert last.accepted is case.status
        assert last.topic_id == case.found[-1].topic_id
        assert str(case.ranges[-1][0]) in str(last.detail)
    assert accepted[case.found[-1].partition].log_run_id == case.logs[-1]


def test_what_was_accepted_is_accepted_for_good() -> None:
    for name, case in CASES.items():
        if case.when_accepted is None:
            continue
        (first,) = [each for each in planned(case.found, case.known, accepted=True) if each.status is Status.READ][-1:]
        again = Known("t", first.partition, first.topic_id, first.log_run_id, first.first_offset)
        there = [each for each in case.found if each.partition == first.partition]
        (second,) = planned(there, [again])
        assert (second.status, second.start_offset) == (Status.READ, first.first_offset), name


def test_a_topic_that_is_gone_is_told_until_it_is_finished() -> None:
    feed = Feed("shop", [], [known(next_offset=5)])
    (gone,) = plan([feed], RUN)
    assert (gone.status, gone.start_offset, gone.end_offset) == (Status.GONE, 5, 5)
    assert plan([Feed("shop", [], feed.known, ["t%"])], RUN) == []
    # what a table of messages brought may never have been in Kafka
    assert plan([Feed("shop", [], [known(0, 5, None)])], RUN) == []


def test_a_topic_that_was_made_again_may_have_less_partitions() -> None:
    before = [known(0, 5), known(1, 6)]
    got = planned([found(topic_id="b")], before)
    assert [each.status for each in got] == [Status.RECREATED, Status.GONE]
    assert [each.partition for each in planned([found(topic_id="b")], before, accepted=True)] == [0]


def test_partitions_of_a_cap_advance_alike() -> None:
    parts = [found(0, high=100), found(1, high=300), found(2, high=0), found(3, low=99, high=100)]
    got = plan([Feed("shop", parts[:3]), Feed("web", parts[3:])], RUN, cap=40)
    assert [(each.start_offset, each.end_offset) for each in got] == [(0, 9), (0, 30), (0, 0), (99, 100)]


Offsets = st.lists(st.tuples(st.integers(0, 50), st.integers(0, 50)), min_size=1, max_size=6)


@given(Offsets, st.integers(1, 80))
def test_runs_with_a_cap_read_each_offset_once(offsets: list[tuple[int, int]], cap: int) -> None:
    parts = [found(number, low, low + more) for number, (low, more) in enumerate(offsets)]
    read: dict[int, list[int]] = {number: [] for number in range(len(parts))}
    positions: list[Known] = []
    for _ in range(len(parts) * 51 + 1):
        got = plan([Feed("shop", parts, positions)], RUN, cap)
        total = sum(each.end_offset - each.start_offset for each in got)
        assert total <= cap + len(parts)
        if not total:
            break
        for each in got:
            read[each.partition] += range(each.start_offset, each.end_offset)
        positions = [known(each.partition, each.end_offset, first_offset=each.first_offset) for each in got]
    assert read == {each.partition: [*range(each.low_offset, each.high_offset)] for each in parts}


@pytest.mark.parametrize(
    ("there", "before", "is_told"),
    [
        (found(), known(next_offset=10, status="read"), True),
        (found(), known(next_offset=7, status="read"), False),
        # of a run before statuses were planned, and of a topic that no plan has
        (found(), known(next_offset=10), False),
        (found(high=0), None, False),
        (found(topic_id="b"), known(next_offset=10, status="recreated"), True),
        (found(topic_id="b"), known(next_offset=10, status="read"), False),
        (found(low=8), known(next_offset=5, status="expired"), True),
    ],
)
def test_a_plan_that_tells_nothing_new(there: Found, before: Known | None, is_told: bool) -> None:
    feed = Feed("shop", [there], [before] if before else [])
    assert is_new([feed], plan([feed], RUN)) is not is_told


def test_what_was_just_accepted_is_new() -> None:
    feed = Feed("shop", [found(low=10)], [known(next_offset=5, status="expired")], is_accepted=True)
    assert is_new([feed], plan([feed], RUN))
