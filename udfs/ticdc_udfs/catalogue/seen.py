"""What runs saw of a feed's tables becomes the events of which its catalogue is folded."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from operator import itemgetter
from typing import Any

import msgspec

from ticdc_udfs.catalogue.fold import DdlEvent


class Position(msgspec.Struct, frozen=True, order=True):
    """Where an event lies."""

    topic: str
    partition: int
    offset: int
    event_index: int


class SeenTable(msgspec.Struct, frozen=True):
    """A row of the model `int_ticdc__seen_tables`, or what `int_ticdc__catalogue` puts beside these.

    `kind` is `row` (rows that bear one schema, or none), `ddl` and `bootstrap` (messages, copies as one),
    `row_after_end` (the first row after DDL that may have given up its table's name; `ends_before` is the number of
    these DDL) or `load` (an initial load, whose `ddl_type` says so). `message_ts` is the commit of the message or load,
    `first_ts` that of the first row (TSO); without `commit_ts_exact` they hold only milliseconds. In JSON members that
    are null may be left out, as Spark's `to_json` does.
    """

    kind: str
    schema_name: str | None = None
    table_name: str | None = None
    table_schema_id: int | None = None
    has_schema: bool = False
    message_ts: int | None = None
    ddl_query: str | None = None
    ddl_type: str | None = None
    physical_table_id: int | None = None
    first_ts: int | None = None
    commit_ts_exact: bool = True
    first_position: Position | None = None
    table_schema: str | None = None
    ends_before: int = 0


_Bearer = tuple[str | None, str | None, int | None]
LOGICAL_BITS = 18
"""A TSO is milliseconds, and these bits that count within one."""


def with_one_commit(seen: Sequence[SeenTable]) -> list[SeenTable]:
    """A DDL that comes again with another exactness, as the changefeed began to send TSOs or no more, has one commit.

    That is the one of its first message, by which rows were shown already.
    """
    of_moment: dict[tuple[Any, ...], list[SeenTable]] = defaultdict(list)
    for each in seen:
        if each.kind == "ddl" and each.message_ts is not None and each.first_position is not None:
            moment = each.message_ts >> LOGICAL_BITS
            of_moment[moment, each.schema_name, each.table_name, each.ddl_query].append(each)
    known = {}
    for group in of_moment.values():
        exact = _least(each.message_ts for each in group if each.commit_ts_exact)
        inexact = _least(each.message_ts for each in group if not each.commit_ts_exact)
        if exact is not None and inexact is not None:
            copies = [each for each in group if not each.commit_ts_exact or each.message_ts == exact]
            first = min(copies, key=lambda each: each.first_position or _NOWHERE)
            members = {"message_ts": first.message_ts, "first_ts": first.message_ts}
            for each in copies:
                one = msgspec.structs.replace(each, **members, commit_ts_exact=first.commit_ts_exact)
                known[id(each)] = one
    return [known.get(id(each), each) for each in seen]


_NOWHERE = Position("", 0, 0, 0)


def ddl_events(seen: Iterable[SeenTable]) -> list[DdlEvent]:
    """The events of a feed, in order of commit and place.

    Copies of a DDL for other partitions, and replays, are one. Of the rows that bear one schema the first tells it,
    and the first after each DDL that may have given up a name, brought its table back or moved its key tells again. A
    BOOTSTRAP says nothing of when: after a RENAME it may have the old name, or the schema from before it. It counts
    from the first row that names its schema, or from the begin.
    """
    rows: dict[_Bearer, list[SeenTable]] = defaultdict(list)
    after_ends: dict[tuple[_Bearer, int], list[SeenTable]] = defaultdict(list)
    messages = []
    for each in seen:
        if each.kind == "row":
            rows[_bearer(each)].append(each)
        elif each.kind == "row_after_end":
            after_ends[_bearer(each), each.ends_before].append(each)
        else:
            messages.append(each)

    copies: dict[tuple[Any, ...], list[SeenTable]] = defaultdict(list)
    for each in messages:
        commit_ts = each.message_ts
        if commit_ts is None and each.kind == "bootstrap" and None not in _bearer(each):
            commit_ts = _least(row.first_ts for row in rows.get(_bearer(each), ()))
        schema_id = each.table_schema_id if each.ddl_query is None else None
        key = commit_ts or 0, each.schema_name, each.table_name, each.ddl_query, schema_id, each.kind == "load"
        copies[key].append(each)
    placed = [_placed(commit_ts, of_message) for (commit_ts, *_), of_message in copies.items()]

    with_schema = {bearer: [row for row in of_bearer if row.has_schema] for bearer, of_bearer in rows.items()}
    placed += [_placed(_least(row.first_ts for row in group), group) for group in with_schema.values() if group]
    for (bearer, _), group in after_ends.items():
        known = with_schema.get(bearer, []) if None not in bearer else []
        placed.append(_placed(_least(row.first_ts for row in group), group, known))
    return [event for *_, event in sorted(placed, key=itemgetter(0, 1))]


def _bearer(seen: SeenTable) -> _Bearer:
    return seen.schema_name, seen.table_name, seen.table_schema_id


def _least(values: Iterable[Any]) -> Any:
    """The least value; None where there is none."""
    return min((value for value in values if value is not None), default=None)


def _placed(
    commit_ts: int | None, group: Sequence[SeenTable], schemas: Sequence[SeenTable] | None = None
) -> tuple[int, tuple[Any, ...], DdlEvent]:
    """What a group of alike ones tells, with its commit and what orders those of one commit: a load has no place."""
    event = DdlEvent(
        commit_ts=commit_ts or 0,
        schema_name=group[0].schema_name,
        table_name=group[0].table_name,
        ddl_query=group[0].ddl_query,
        ddl_type=_least(each.ddl_type for each in group),
        table_schema=_least(each.table_schema for each in (group if schemas is None else schemas)),
        physical_table_id=_least(each.physical_table_id for each in group),
    )
    first = _least((each.first_ts or 0, each.first_position) for each in group if each.first_position is not None)
    texts = event.schema_name, event.table_name, event.ddl_query, event.ddl_type, event.table_schema
    return (
        event.commit_ts,
        (first is not None, first and first[1], *((text is not None, text) for text in texts)),
        event,
    )
