"""Columns that TiDB keeps for itself and encoders send like others: `_V$_…`, `_Col$_…` and `_Tombstone$_…`.

The first holds the expression of an index. The others stand for a column that a MODIFY COLUMN is writing anew: a
changefeed that begins meanwhile sends both. None is a column of the table.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import msgspec

from ticdc_udfs.contract.events import Event
from ticdc_udfs.contract.schemas import write_json

MARKS = ("_Col$_", "_Tombstone$_")
_MODIFIED = re.compile(r"_Col\$_(?P<changed>.+)_\d+|_Tombstone\$_(?P<old>.+)", re.DOTALL)
_IN_AVRO = re.compile(r"_V__\w+_\d+|_Col__(?P<changed>\w+)_\d+|_Tombstone__(?P<old>\w+)", re.ASCII)
_read_image = msgspec.json.Decoder(dict[str, str | None]).decode


def is_of_expression(column: str, index: str, place: int) -> bool:
    """Whether a column holds the expression at a place, from 0, of an index."""
    return column.lower() == f"_v$_{index.lower()}_{place}"


def of_modify(names: Iterable[str]) -> frozenset[str]:
    """Those of a table's columns that stand for another one of them, which is being modified."""
    return _internal(_MODIFIED, names)


def in_avro(names: Iterable[str]) -> frozenset[str]:
    """The columns of all kinds, by the names that Avro can write."""
    return _internal(_IN_AVRO, names)


def _internal(pattern: re.Pattern[str], names: Iterable[str]) -> frozenset[str]:
    all_names = set(names)
    found = ((name, pattern.fullmatch(name)) for name in all_names)
    return frozenset(name for name, match in found if match and (match["changed"] or match["old"] or name) in all_names)


def without(event: Event) -> Event:
    """The event without such columns in its images, and in a key that is a whole image."""
    texts = (event.after, event.before)
    if not any(mark.encode() in text for text in texts if text is not None for mark in MARKS):
        return event
    images = [_read_image(text) for text in texts if text is not None]
    left_out = of_modify(name for image in images for name in image)

    def shown(text: bytes | None) -> bytes | None:
        if text is None:
            return None
        return write_json({name: cell for name, cell in _read_image(text).items() if name not in left_out})

    return event._replace(
        row_key=shown(event.row_key),
        before_key=shown(event.before_key),
        before=shown(event.before),
        after=shown(event.after),
        lossy=tuple(flag for flag in event.lossy if flag.rpartition(":")[0] not in left_out),
    )
