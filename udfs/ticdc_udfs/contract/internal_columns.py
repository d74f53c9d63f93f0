"""Columns that TiDB keeps for itself and encoders send like others. None is a column of the table.

`_V$_…` holds the expression of an index. `_Col$_…` and `_Tombstone$_…` stand for a column that a MODIFY COLUMN is
writing anew: a changefeed that begins meanwhile sends both. Tables with soft delete have `_tidb_softdelete_time`, which
is NULL in the rows that TiDB shows, and those that several clusters write have `_tidb_origin_ts` as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import msgspec

from ticdc_udfs.contract.events import Event, Image, Lossy
from ticdc_udfs.contract.schemas import write_json

SOFT_DELETE = "_tidb_softdelete_time"
_OF_OPTIONS = frozenset({SOFT_DELETE, "_tidb_origin_ts"})
MARKS = ("_Col$_", "_Tombstone$_", *sorted(_OF_OPTIONS))
_MODIFIED = re.compile(r"_Col\$_(?P<changed>.+)_\d+|_Tombstone\$_(?P<old>.+)", re.DOTALL)
_IN_AVRO = re.compile(r"_V__\w+_\d+|_Col__(?P<changed>\w+)_\d+|_Tombstone__(?P<old>\w+)", re.ASCII)
_read_image = msgspec.json.Decoder(dict[str, str | None]).decode


def is_of_expression(column: str, index: str, place: int) -> bool:
    """Whether a column holds the expression at a place, from 0, of an index."""
    return column.lower() == f"_v$_{index.lower()}_{place}"


def among(names: Iterable[str]) -> frozenset[str]:
    """Those of a table's columns that its options gave it, or that stand for another one, which is being modified."""
    all_names = set(names)
    return _internal(_MODIFIED, all_names) | _OF_OPTIONS & all_names


def in_avro(names: Iterable[str]) -> frozenset[str]:
    """The columns of all kinds, by the names that Avro can write."""
    return _internal(_IN_AVRO, names)


def _internal(pattern: re.Pattern[str], names: Iterable[str]) -> frozenset[str]:
    all_names = set(names)
    found = ((name, pattern.fullmatch(name)) for name in all_names)
    return frozenset(name for name, match in found if match and (match["changed"] or match["old"] or name) in all_names)


def without(event: Event) -> Event:
    """The event without such columns in its images, and in a key that is a whole image.

    What it does is told as TiDB shows it: a row that is soft deleted is not there.
    """
    texts = (event.after, event.before)
    if not any(mark.encode() in text for text in texts if text is not None for mark in MARKS):
        return event
    after, before = (None if text is None else _read_image(text) for text in texts)
    left_out = among(name for image in (after, before) for name in image or ())

    def shown(text: bytes | None) -> bytes | None:
        if text is None:
            return None
        return write_json({name: cell for name, cell in _read_image(text).items() if name not in left_out})

    change = _as_shown(event, before or {}, after or {})
    return change._replace(
        row_key=shown(change.row_key),
        before_key=shown(change.before_key),
        before=shown(change.before),
        after=shown(change.after),
        lossy=tuple(flag for flag in change.lossy if flag.rpartition(":")[0] not in left_out),
    )


def _as_shown(event: Event, before: Image, after: Image) -> Event:
    """A change of a table with soft delete as its readers see it; TiCDC makes deletes of most that delete softly."""
    if (SOFT_DELETE not in before and SOFT_DELETE not in after) or event.op == "delete":
        return event
    was_there = event.op == "update" and before.get(SOFT_DELETE) is None
    if after.get(SOFT_DELETE) is not None:
        flags = () if was_there and before else (Lossy.SOFT_DELETE.of(),)
        key, old = event.before_key or event.row_key, event.before or event.after
        return event._replace(
            op="delete", row_key=key, before_key=None, before=old, after=None, lossy=event.lossy + flags
        )
    if event.op == "update" and not before:
        return event._replace(lossy=(*event.lossy, Lossy.SOFT_DELETE.of()))
    return event if was_there or event.op != "update" else event._replace(op="insert", before_key=None, before=None)
