"""What is shown of a feed's tables: each incarnation by its newest version, when it was there, and its columns."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import msgspec


class ShownVersion(msgspec.Struct, frozen=True):
    """A version of a table, with the members of the catalogue; commits are TSOs, null where there is no end."""

    table_id: str
    table_incarnation: int
    valid_from_ts: int
    valid_to_ts: int | None = None
    schema_name: str | None = None
    table_name: str | None = None
    table_schema: str | None = None
    origin: str | None = None
    ended_by: str | None = None


class Interval(NamedTuple):
    """From which commit to which an incarnation was there (None: it still is), and what ended it."""

    from_ts: int
    to_ts: int | None
    ended_by: str | None


class _Incarnation(NamedTuple):
    number: int
    versions: Sequence[ShownVersion]
    intervals: Sequence[Interval]


_read_versions = msgspec.json.Decoder(list[ShownVersion]).decode


def table_states(versions: str | None, shown_through_ts: int) -> list[dict[str, Any]]:
    """The state of each incarnation, of a feed's versions: a JSON list of objects with the members of `ShownVersion`.

    Versions that begin after `shown_through_ts` (TSO) do not show yet, nor do ends.
    """
    tables: dict[str, dict[int, list[ShownVersion]]] = defaultdict(lambda: defaultdict(list))
    for version in _read_versions(versions or "[]"):
        if version.valid_from_ts <= shown_through_ts:
            tables[version.table_id][version.table_incarnation].append(version)
    return [
        state
        for incarnations in tables.values()
        for state in _states([_incarnation(*each, shown_through_ts) for each in sorted(incarnations.items())])
    ]


def _incarnation(number: int, versions: Iterable[ShownVersion], shown_through_ts: int) -> _Incarnation:
    ordered = sorted(versions, key=lambda each: (each.valid_from_ts, each.valid_to_ts is None, each.valid_to_ts or 0))
    unbroken = [[ordered[0]]]
    for before, version in pairwise(ordered):
        # a table that was dropped and recovered has two intervals with one set of rows
        if before.valid_to_ts is not None and version.valid_from_ts > before.valid_to_ts:
            unbroken.append([])
        unbroken[-1].append(version)
    return _Incarnation(number, ordered, [_interval(each[0], each[-1], shown_through_ts) for each in unbroken])


def _interval(first: ShownVersion, last: ShownVersion, shown_through_ts: int) -> Interval:
    is_shown = last.valid_to_ts is not None and last.valid_to_ts <= shown_through_ts
    return Interval(first.valid_from_ts, last.valid_to_ts if is_shown else None, last.ended_by)


def _states(incarnations: Sequence[_Incarnation]) -> Iterator[dict[str, Any]]:
    """The states of a table's incarnations, which are given in order."""
    next_from = {one.number: later.intervals[0].from_ts for one, later in pairwise(incarnations)}
    for place, (number, versions, intervals) in enumerate(incarnations):
        newest, before = versions[-1], incarnations[:place]
        pasts = [
            version for each in before for version in each.versions if version.valid_from_ts < next_from[each.number]
        ]
        yield {
            "table_id": newest.table_id,
            "table_incarnation": number,
            "schema_name": newest.schema_name,
            "table_name": newest.table_name,
            "is_live": intervals[-1].to_ts is None,
            "table_schema": newest.table_schema,
            "origin": newest.origin,
            "valid_from_ts": newest.valid_from_ts,
            "lives": [interval._asdict() for interval in intervals],
            "versions": [
                {"from_ts": version.valid_from_ts, "table_schema": version.table_schema}
                for version in sorted([*pasts, *versions], key=lambda each: each.valid_from_ts)
            ],
            "left_behind": _left_behind(before, next_from),
        }


def _left_behind(before: Iterable[_Incarnation], next_from: Mapping[int, int]) -> list[dict[str, Any]]:
    """What came back under another name is another table from where its lineage went on without it."""
    return [
        {"incarnation": number, "at_ts": next_from[number]}
        for number, _, intervals in before
        if any(interval.from_ts >= next_from[number] for interval in intervals)
    ]
