"""A replay of decoded row events in plain Python: the current rows without Spark."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import orjson

from support.truth import Row, TableName
from ticdc_udfs.events import Event


class Placed(NamedTuple):
    """An event and where its message stood."""

    event: Event
    partition: int
    offset: int


class _Step(NamedTuple):
    commit_ts: int
    puts: bool
    partition: int
    offset: int


def current_rows(events: Iterable[Placed]) -> dict[TableName, dict[bytes, Row]]:
    """Rows by table and row key after all row events, as the rules of order say.

    Order: commit, then what closes a key before what opens one, then partition and offset. Without an exact commit
    TSO several commits share one, so that only the offset tells.
    """
    steps: list[tuple[_Step, TableName, bytes, Row | None]] = []
    for event, partition, offset in events:
        if event.kind != "row":
            continue
        table = (event.schema_name or "", event.table_name or "")
        at = _Step(event.commit_ts or 0, False, partition, offset)
        closed = event.row_key if event.op == "delete" else event.before_key
        if closed is not None:
            steps.append((at, table, closed, None))
        if event.after is not None and event.row_key is not None:
            opened = Row(orjson.loads(event.after), event.lossy)
            steps.append((at._replace(puts=event.commit_ts_exact), table, event.row_key, opened))
    rows: dict[TableName, dict[bytes, Row]] = {}
    for _, table, key, row in sorted(steps, key=lambda step: step[0]):
        if row is None:
            rows.get(table, {}).pop(key, None)
        else:
            rows.setdefault(table, {})[key] = row
    return rows
