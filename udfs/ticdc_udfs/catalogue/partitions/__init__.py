"""Which partition holds a row, from its canonical text: what a partition DDL takes away or brings follows from that.

There are three answers: in, out, or not certain, with the likeliest and why. What cannot be evaluated is never guessed
silently.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import msgspec
import pyarrow as pa

from ticdc_udfs.catalogue.changes import Partition, Partitioning
from ticdc_udfs.catalogue.partitions.doubts import UNREADABLE, Doubt, doubt_of
from ticdc_udfs.catalogue.partitions.expressions import Image
from ticdc_udfs.catalogue.partitions.methods import LOCATORS, Locate, Placement, Zone
from ticdc_udfs.catalogue.tables import Column
from ticdc_udfs.contract.arrow import collector_off

__all__ = [
    "PLACED_SQL_TYPE",
    "Doubt",
    "Membership",
    "Placement",
    "Zone",
    "is_readable",
    "is_within",
    "partition_batch",
    "partition_of",
    "placement_of",
]

_UTC = Zone()


class Membership(NamedTuple):
    """Whether a row lies in one of several partitions; with a doubt, whether it most likely does."""

    is_in: bool
    doubt: Doubt | None


def placement_of(row: Image, partitioning: Partitioning, columns: Sequence[Column], zone: Zone = _UTC) -> Placement:
    """Where a row with these columns lies, in a table that sessions of that zone partitioned."""
    return _placed_by(row, _locator(partitioning, columns, zone))


def is_readable(partitioning: Partitioning, columns: Sequence[Column]) -> bool:
    """Whether the definition of the partitions tells where rows lie."""
    return not isinstance(_locator(partitioning, columns, _UTC), Doubt)


def partition_of(row: Image, partitioning: Partitioning, columns: Sequence[Column]) -> str | None:
    """The name of the partition that most likely holds a row; None where nothing tells it."""
    return placement_of(row, partitioning, columns).likeliest


def is_within(placement: Placement, names: Collection[str]) -> Membership:
    """Whether a row that is placed so lies in one of these partitions, whose names are in lower case."""
    is_in = placement.likeliest is not None and placement.likeliest.lower() in names
    if placement.possible is not None:
        inside = {name.lower() in names for name in placement.possible}
        if len(inside) == 1:
            return Membership(inside.pop(), None)
    return Membership(is_in, placement.doubt or Doubt.VALUE)


def _placed_by(row: Image, locate: Locate | Doubt) -> Placement:
    if isinstance(locate, Doubt):
        return Placement(None, None, Doubt.DEFINITION)
    try:
        return locate(row)
    except UNREADABLE as error:
        return Placement(None, None, doubt_of(error, Doubt.VALUE))


def _locator(partitioning: Partitioning, columns: Sequence[Column], zone: Zone) -> Locate | Doubt:
    """How rows find their partition, or why the definition does not tell it."""
    if not partitioning.partitions:
        return Doubt.DEFINITION
    try:
        by_name = {column.name.lower(): column for column in columns}
        return LOCATORS[partitioning.method](partitioning, by_name, zone)
    except UNREADABLE as error:
        return doubt_of(error, Doubt.DEFINITION)


# Batches

PLACED_SQL_TYPE = "struct<partition_name: string, is_in: boolean, doubt: string>"
"""What `partition_batch` returns."""

_PLACED_TYPE = pa.struct([("partition_name", pa.string()), ("is_in", pa.bool_()), ("doubt", pa.string())])
_BOUNDS = ("less_than", "values")
_read_row = msgspec.json.Decoder(dict[str, str | None]).decode
_read_partitioning = msgspec.json.Decoder(dict[str, Any]).decode
_read_columns = msgspec.json.Decoder(list[dict[str, Any]]).decode


@collector_off()
def partition_batch(
    row_texts: pa.Array[Any],
    partitioning_texts: pa.Array[Any],
    columns_texts: pa.Array[Any],
    name_lists: pa.Array[Any],
) -> pa.Array[Any]:
    """The partition that most likely holds each row, whether it is one of these names, and why that is not certain.

    A partitioning is JSON text as `records.partitioning_text` makes it, columns are a JSON list of objects with the
    members of `Column`, names are in lower case. `is_in` is null without names; with them there is no doubt where all
    partitions that may hold the row are among them, or none is.
    """
    arrays = (row_texts, partitioning_texts, columns_texts, name_lists)
    rows = zip(*(array.to_pylist() for array in arrays), strict=True)
    return pa.array([_placed(*row) for row in rows], _PLACED_TYPE)


def _placed(row: str | None, partitioning: str | None, columns: str | None, names: list[str] | None) -> dict[str, Any]:
    placement = _placement(row, partitioning, columns)
    if not names:
        return {"partition_name": placement.likeliest, "is_in": None, "doubt": placement.doubt}
    return {"partition_name": placement.likeliest, **is_within(placement, names)._asdict()}


def _placement(row: str | None, partitioning: str | None, columns: str | None) -> Placement:
    if not partitioning:
        return Placement(None, None, Doubt.DEFINITION)
    try:
        image = _read_row(row or "")
    except (msgspec.DecodeError, UnicodeError):
        return Placement(None, None, Doubt.VALUE)
    return _placed_by(image, _locator_of(partitioning, columns or "[]"))


@lru_cache(maxsize=1_000)
def _locator_of(partitioning: str, columns: str) -> Locate | Doubt:
    wire = _read_partitioning(partitioning)
    partitions = (
        Partition(one["name"], *(None if one.get(member) is None else tuple(one[member]) for member in _BOUNDS))
        for one in wire["partitions"]
    )
    return _locator(
        Partitioning(wire["method"], tuple(wire["by"]), tuple(partitions)),
        [Column(**column) for column in _read_columns(columns)],
        Zone(wire.get("zone", _UTC.name), wire.get("zone_is_told", False)),
    )
