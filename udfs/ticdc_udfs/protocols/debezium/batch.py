"""Debezium rows of a batch, those of one schema and operation together: several times as fast as one by one.

The events are those of `debezium.decode`, byte for byte; it also decodes every message that is not as it should be.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ticdc_udfs.contract import arrow
from ticdc_udfs.contract.events import DecodeError, Event
from ticdc_udfs.contract.options import Options
from ticdc_udfs.contract.schemas import write_json
from ticdc_udfs.protocols.debezium import binary, message
from ticdc_udfs.protocols.debezium.columns import datetimes
from ticdc_udfs.protocols.debezium.message import ByClass, RowPlan
from ticdc_udfs.protocols.debezium.values import DatetimeOfInteger, plain_decimal, unsigned_of_integer
from ticdc_udfs.wire.json_columns import (
    Alike,
    Cell,
    Cells,
    JsonMessages,
    Path,
    Tokens,
    by_example,
    cells_of_distinct,
    decode_alike,
    images_of,
    layout_of,
)
from ticdc_udfs.wire.message_columns import Flags, Numbers, Texts, quoted


@arrow.collector_off()
def decode_batch(keys: pa.Array[Any], values: pa.Array[Any], options_texts: pa.Array[Any]) -> pa.Array[Any]:
    """The event of each message, as `arrow.decode_each` gives it."""
    return decode_alike(message.decode, _decoded, keys, values, options_texts)


def _decoded(keys: pa.Array[Any], values: pa.Array[Any], places: Numbers, feed: Options) -> Iterator[arrow.Rows]:
    """The rows among messages, by inline schema, which is the last part of a message and most of it."""

    def like(example: int, left: Numbers) -> tuple[Numbers, bytes]:
        with suppress(Exception):
            tail = message.row_plan(keys[example].as_py(), values[example].as_py(), feed).tail
            return left[_ending_alike(values, tail)[left]], tail
        return left[:0], b""

    heads = JsonMessages(keys)
    for mine, tail in by_example(places, like):
        bodies = pc.binary_slice(values, 0, -len(tail)) if tail else values
        for example, rows in JsonMessages(bodies).alike(mine, _is_value):
            with suppress(Exception):
                yield _rows(heads, rows, keys[example].as_py(), values[example].as_py(), feed)


def _ending_alike(values: pa.Array[Any], tail: bytes) -> Flags:
    ending: Flags = pc.fill_null(pc.ends_with(values, pattern=tail), False).to_numpy(zero_copy_only=False)
    return ending


_COMMIT_TS, _START_TS = (("payload", "source", name) for name in ("commit_ts", "start_ts"))
_MOMENTS = (_COMMIT_TS, _START_TS, ("payload", "source", "ts_ms"), ("payload", "ts_ms"))
_IMAGES = ("after", "before")


def _is_value(path: Path) -> bool:
    return path in _MOMENTS or (len(path) == 3 and path[0] == "payload" and path[1] in _IMAGES)


def _is_key(path: Path) -> bool:
    return len(path) == 2 and path[0] == "payload"


def _rows(heads: JsonMessages, rows: Alike, key: bytes | None, value: bytes, feed: Options) -> arrow.Rows:
    """The events of rows that are as this one is. Raises where they cannot be taken together."""
    (event,) = message.decode(key, value, feed)
    rows = rows.only(_have_such_keys(heads, rows.rows, key))
    rows, members = _members(rows, event, message.row_plan(key, value, feed))
    return arrow.Rows(rows.rows, members, event.table_schema)


def _have_such_keys(keys: JsonMessages, rows: Numbers, example: bytes | None) -> Flags:
    """Which of these message keys are like that one but for the values of their columns."""
    if not example:
        return keys.empty()[rows]
    good = np.zeros(len(keys.unclear), np.bool_)
    layout = layout_of(example, _is_key)
    if layout is not None:
        found = keys.read(layout, rows[~keys.unclear[rows]])
        for cells in found.values.values():
            if cells.are_texts():
                cells.texts().validate(full=True)
            else:
                cells.integers()
        good[found.rows] = True
    return good[rows]


def _members(rows: Alike, event: Event, plan: RowPlan) -> tuple[Alike, dict[str, Any]]:
    """The members of the rows' events, of which one is given; without rows that have a value which is none.

    Raises `ValueError` where a text is not UTF-8, or the rows cannot be taken together.
    """
    members = event._asdict()
    images = [image for image in _IMAGES if members[image] is not None]
    columns_of = {image: [path[2] for path in rows.values if path[1:2] == (image,)] for image in _IMAGES}
    if any(names != (plan.names if image in images else []) for image, names in columns_of.items()):
        raise ValueError("the rows have other columns")
    paths = [{name: ("payload", image, name) for name in plan.names} for image in images]
    columns = _columns(plan, len(images))
    found = images_of(rows, paths, lambda name, tokens: _cells(tokens, columns[name]))
    members |= found.members(images, plan.key or plan.names, plan.flags)
    rows = found.rows
    for path in rows.values.keys() & {*_MOMENTS}:
        moments = rows.values[path].integers()
        if pc.any(pc.less(moments, 0)).as_py():
            raise ValueError("a moment is below 0")
        if path in (_COMMIT_TS, _START_TS):
            members[path[-1]] = moments
    return rows, members


def _columns(plan: RowPlan, images: int) -> Mapping[str, ByClass]:
    """The conversions of the columns; one of bytes needs no other value of the row where that has none."""
    if plan.together is None or images > 1 or len(plan.together.binaries) > 1:
        return plan.columns
    ((name, column),) = plan.together.binaries.items()
    return {**plan.columns, name: message.by_class(binary.Alone(column, name in (plan.key or plan.names)), None, None)}


def _cells(tokens: Tokens, by_class: ByClass) -> Cells:
    convert = by_class[str]
    is_binary = convert is binary.certain or (isinstance(convert, binary.Alone) and convert.column.is_default is None)
    as_it_stands = convert is message.as_it_stands or (is_binary and _are_base64(tokens))
    if as_it_stands and tokens.are_texts(or_null=True):
        _, null = message.converted(None, by_class)
        return Cells(tokens.texts(), {null: tokens.is_null()} if null else {})
    numbers = None if tokens.is_text().any() else _numbers(tokens, by_class)
    if numbers is not None:
        return Cells(numbers)
    kinds: set[type] = set()

    def cell(text: str) -> Cell:
        try:
            value = text if text == "-0" else _read_cell(text)  # an integer would lose its sign
            canonical, reason = message.converted(value, by_class)
        except (ValueError, OverflowError, DecodeError):
            return Cell(None)
        kinds.add(value.__class__)
        return Cell(write_json(canonical), reason)

    cells = cells_of_distinct(tokens, cell)
    if {bool, int} <= kinds:
        raise ValueError("1 and true are equal in Python, so that a change of one to the other is none")
    return cells


def _are_base64(tokens: Tokens) -> bool:
    """Whether all values are base64, or NULL, and none of them may be hex."""
    texts = tokens.texts()
    are_base64 = pc.all(pc.match_substring_regex(texts, f'^("{binary.BASE64}"|null)$')).as_py()
    return are_base64 and not pc.any(pc.match_substring_regex(texts, f'^"{binary.HEX}"$')).as_py()


_read_cell = msgspec.json.Decoder(float_hook=str).decode

_NUMBER = r"^(0|-?[1-9][0-9]{0,17}|-?(0|[1-9][0-9]*)\.[0-9]+)$"
"""Numbers whose text is canonical; what has an exponent is not, nor is -0."""


def _numbers(tokens: Tokens, by_class: ByClass) -> Texts | None:
    """Numbers that are made canonical all at once, and NULL; None where there is no way, or one is flagged."""
    column, tokens = tokens.present()
    if column.rows is not None and message.converted(None, by_class)[1]:
        return None
    convert, of_integer = by_class[str], by_class[int]
    with suppress(ValueError):
        if by_class is message.PLAIN:
            tokens.integers()
            return quoted(tokens.texts(), column)
        if of_integer is unsigned_of_integer:
            return quoted(tokens.integers().cast(pa.uint64(), safe=False).cast(pa.string()), column)
        if isinstance(of_integer, DatetimeOfInteger):
            return quoted(datetimes(tokens.integers(), of_integer), column)
    texts = tokens.texts()
    if by_class is not message.PLAIN and convert is not plain_decimal:
        return None
    if not pc.all(pc.match_substring_regex(texts, _NUMBER)).as_py():
        return None
    if convert is plain_decimal:
        texts = pc.if_else(pc.ends_with(texts, ".0"), pc.utf8_slice_codeunits(texts, 0, -2), texts)
    return quoted(texts, column)
