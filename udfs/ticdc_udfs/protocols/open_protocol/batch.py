"""Open Protocol rows of many batches, those of one table and operation together: several times as fast as one by one.

The events are those of `open_protocol.decode`, byte for byte; it also decodes every entry that is not as it should be.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any, NamedTuple

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ticdc_udfs.contract import arrow, options
from ticdc_udfs.contract.events import DecodeError, Event, Lossy
from ticdc_udfs.contract.options import Options
from ticdc_udfs.contract.schemas import write_json
from ticdc_udfs.protocols.open_protocol import message
from ticdc_udfs.protocols.open_protocol.message import LENGTH_BYTES, VERSION, RowPlan
from ticdc_udfs.wire.json_columns import (
    MAX_BYTES,
    Alike,
    Cell,
    Cells,
    JsonMessages,
    Layout,
    Path,
    Tokens,
    cells_of_distinct,
    decode_alike,
    images_of,
)
from ticdc_udfs.wire.message_columns import Flags, Messages, Numbers, quoted, slices


@arrow.collector_off()
def decode_batch(keys: pa.Array[Any], values: pa.Array[Any], options_texts: pa.Array[Any]) -> pa.Array[Any]:
    """The events of each message, as `arrow.decode_batch` gives them."""
    if values.nbytes > MAX_BYTES or not all(map(_is_plain, options_texts.unique().to_pylist())):
        # none are read together, and the bound of what a message may hold is that of its entries together
        return arrow.decode_batch(message.decode, keys, values, options_texts)
    entries = _entries(keys, values)

    def rows_of(_keys: pa.Array[Any], _values: pa.Array[Any], places: Numbers, feed: Options) -> Iterator[arrow.Rows]:
        return _decoded(entries, places, feed)

    options_of_entries = options_texts.take(pa.array(entries.messages))
    events = decode_alike(message.decode, rows_of, entries.keys, entries.values, options_of_entries)
    edges = np.searchsorted(entries.messages, np.arange(len(keys) + 1))
    return pa.ListArray.from_arrays(pa.array(edges, pa.int32()), events)


def _is_plain(options_text: str | None) -> bool:
    """Whether a feed's messages are not compressed."""
    with suppress(DecodeError):
        return options.parse(options_text).compression == "none"
    return False


class _Entries(NamedTuple):
    """Keys and values of batches with one entry each, and the places of the messages that they are of.

    What is no batch, or one without entries, stands as it is: it gives one event. `heads` and `bodies` are the frames
    of the others, without their lengths.
    """

    keys: pa.Array[Any]
    values: pa.Array[Any]
    messages: Numbers
    heads: pa.Array[Any]
    bodies: pa.Array[Any]


def _entries(keys: pa.Array[Any], values: pa.Array[Any]) -> _Entries:
    heads, bodies = Messages(keys), Messages(values)
    key_frames = _frames(heads, heads.edges[:-1] + LENGTH_BYTES)
    value_frames = _frames(bodies, bodies.edges[:-1])
    has_value = ~bodies.empty()
    is_batch = heads.words[heads.edges[:-1]] == np.frombuffer(VERSION, "<u8")
    is_batch &= (key_frames.counts > 0) & ((key_frames.counts == value_frames.counts) | ~has_value)
    key_frames, value_frames = key_frames.only(is_batch), value_frames.only(is_batch)
    others = np.flatnonzero(~is_batch)
    messages = np.append(key_frames.messages, others)
    order = np.argsort(messages, kind="stable")
    messages = messages[order]
    are_framed = is_batch[messages]

    def of_entries(whole: Messages, start: Numbers, end: Numbers) -> tuple[Numbers, Numbers, pa.Array[Any]]:
        """The edges of entries, and their frames without lengths."""
        start, end = np.append(start, whole.edges[others])[order], np.append(end, whole.edges[others + 1])[order]
        return start, end, slices(whole, np.where(are_framed, np.minimum(start + LENGTH_BYTES, end), end), end)

    start, end, entry_heads = of_entries(heads, key_frames.start, key_frames.end)
    prefixes = pa.array([b"", VERSION]).take(pa.array(are_framed.astype(np.int8)))
    entry_keys = pc.binary_join_element_wise(prefixes, slices(heads, start, end).cast(pa.binary()), b"")

    value_edges = np.tile(bodies.edges[key_frames.messages], (2, 1))
    value_edges[:, has_value[key_frames.messages]] = value_frames.start, value_frames.end
    start, end, entry_bodies = of_entries(bodies, value_edges[0], value_edges[1])
    edges = np.append(start, end[-1:]).astype(np.int32)  # where one ends the next one begins
    buffers = [None, pa.py_buffer(edges), pa.py_buffer(bodies.bytes)]
    entry_values = pa.Array.from_buffers(pa.binary(), len(messages), buffers)

    def with_nulls(entries: pa.Array[Any], of_messages: pa.Array[Any]) -> pa.Array[Any]:
        is_null = of_messages.is_null().take(pa.array(messages))
        return pc.if_else(is_null, None, entries) if of_messages.null_count else entries

    return _Entries(with_nulls(entry_keys, keys), with_nulls(entry_values, values), messages, entry_heads, entry_bodies)


class _Frames(NamedTuple):
    """Frames with their lengths: the places of their messages, and their edges; of each message how many it has.

    A message that does not consist of frames has -1.
    """

    messages: Numbers
    start: Numbers
    end: Numbers
    counts: Numbers

    def only(self, some: Flags) -> _Frames:
        """Those of some messages."""
        mine = some[self.messages]
        return _Frames(self.messages[mine], self.start[mine], self.end[mine], self.counts)


def _frames(whole: Messages, at: Numbers) -> _Frames:
    """The frames of messages from these places on, in their order."""
    end = whole.edges[1:]
    counts = np.where(at <= end, 0, -1)
    rows, here = np.flatnonzero(at < end), at[at < end]
    found = [(rows[:0], here[:0], here[:0])]
    while len(rows):
        room = end[rows] - here - LENGTH_BYTES
        length = whole.words[here].byteswap()
        is_frame = (room >= 0) & (length <= np.maximum(room, 0).astype(np.uint64))
        counts[rows[~is_frame]] = -1
        rows, here = rows[is_frame], here[is_frame]
        stop = here + LENGTH_BYTES + length[is_frame].astype(np.int64)
        counts[rows] += 1
        found.append((rows, here, stop))
        is_open = stop < end[rows]
        rows, here = rows[is_open], stop[is_open]
    messages, start, stop = (np.concatenate(parts) for parts in zip(*found, strict=True))
    order = np.argsort(messages, kind="stable")
    return _Frames(messages[order], start[order], stop[order], counts)


def _decoded(entries: _Entries, places: Numbers, feed: Options) -> Iterator[arrow.Rows]:
    heads, bodies = JsonMessages(entries.heads), JsonMessages(entries.bodies)
    for _, head in heads.alike(places, _is_number):
        for example, rows in bodies.alike(head.rows, _is_value):
            with suppress(Exception):
                key, value = entries.keys[example].as_py(), entries.values[example].as_py()
                (event,) = message.decode(key, value, feed)
                rows, members = _members(rows, event, message.row_plan(key, value, feed))
                members |= _numbers(heads, head.layout, rows.rows, has_no_key=Lossy.NO_KEY.of() in event.lossy)
                yield arrow.Rows(rows.rows, members, event.table_schema)


_NUMBERS: Mapping[Path, str] = {("ts",): "commit_ts", ("ptn",): "physical_table_id", ("rid",): "row_id"}
_IMAGES = {"insert": ("u",), "update": ("u", "p"), "delete": ("d",)}


def _is_number(path: Path) -> bool:
    return path in _NUMBERS


def _is_value(path: Path) -> bool:
    return len(path) == 3 and path[0] in "upd" and path[2] == "v"


def _numbers(heads: JsonMessages, layout: Layout, rows: Numbers, *, has_no_key: bool) -> dict[str, Any]:
    """The members that come from the keys of rows. Raises `ValueError` where one is out of range."""
    members = {}
    found = heads.read(layout, rows)
    for path, tokens in found.values.items():
        numbers = tokens.integers()
        if pc.min(numbers).as_py() < 0:
            raise ValueError("a number is below 0")
        members[_NUMBERS[path]] = numbers
    row_ids = members.pop("row_id", None)
    if row_ids is not None and has_no_key:
        members["row_id"] = row_ids.cast(pa.string())
    return members


def _members(rows: Alike, event: Event, plan: RowPlan) -> tuple[Alike, dict[str, Any]]:
    """The members of the rows' events, of which one is given; without rows that have a value which is none.

    Raises `ValueError` where a text is not UTF-8, or the rows cannot be taken together.
    """
    members = event._asdict()
    images = _IMAGES[event.op or ""]
    paths_of = {image: {path[1]: path for path in rows.values if path[0] == image} for image in "upd"}
    whole = paths_of[images[0]]
    if [*whole] != plan.names or any(image not in images for image in paths_of if paths_of[image]):
        raise ValueError("the rows have other columns")
    if any(not whole.keys() >= paths_of[image].keys() for image in images):
        raise ValueError("p has columns that u has not")
    # what an old image lacks has not changed
    paths = [whole | paths_of[image] for image in images]
    found = images_of(rows, paths, lambda name, tokens: _cells(name, tokens, plan))
    names = ("before",) if event.op == "delete" else ("after", "before")[: len(images)]
    return found.rows, members | found.members(names, plan.key, plan.flags)


def _cells(name: str, tokens: Tokens, plan: RowPlan) -> Cells:
    wire_type, convert = plan.columns[name]
    if convert is None and wire_type is str and tokens.are_texts(or_null=True):
        return Cells(tokens.texts())
    if convert is None and wire_type is int:
        with suppress(ValueError):
            return Cells(_integers(tokens))

    def cell(text: str) -> Cell:
        try:
            value = -0.0 if text == "-0" else _read_value(text)  # an integer would lose its sign
            canonical, reason = message.canonical(value, wire_type, convert)
            return Cell(write_json(canonical), reason)
        except (ValueError, OverflowError):
            return Cell(None)

    return cells_of_distinct(tokens, cell)


_read_value = msgspec.json.Decoder(str | int | float | None).decode


def _integers(tokens: Tokens) -> pa.Array[Any]:
    column, tokens = tokens.present()
    tokens.integers()
    return quoted(tokens.texts(), column)
