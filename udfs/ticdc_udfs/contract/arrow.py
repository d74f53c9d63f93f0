"""Runs a decoder over a batch: Arrow arrays of bytes in, an Arrow array of events or of event lists out."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from ticdc_udfs.contract import internal_columns, options
from ticdc_udfs.contract.events import IMAGES, DecodeError, ErrorCode, Event, Image, Kind, RowMembers
from ticdc_udfs.contract.schemas import write_json_into

Decode = Callable[..., Sequence[Event]]
"""A decoder: takes key, value and options of a message, and what else its protocol needs with each message."""

_FIELDS: tuple[tuple[str, str, pa.DataType], ...] = (
    ("kind", "string", pa.string()),
    ("commit_ts", "bigint", pa.int64()),
    ("commit_ts_exact", "boolean", pa.bool_()),
    ("start_ts", "bigint", pa.int64()),
    ("schema_name", "string", pa.string()),
    ("table_name", "string", pa.string()),
    ("physical_table_id", "bigint", pa.int64()),
    ("op", "string", pa.string()),
    ("row_key", "string", pa.string()),
    ("before_key", "string", pa.string()),
    ("before", "string", pa.string()),
    ("after", "string", pa.string()),
    ("table_schema_id", "bigint", pa.int64()),
    ("table_schema", "string", pa.string()),
    ("ddl_query", "string", pa.string()),
    ("ddl_type", "string", pa.string()),
    ("lossy", "array<string>", pa.list_(pa.string())),
    ("error_code", "string", pa.string()),
    ("error_message", "string", pa.string()),
    ("checksum", "string", pa.string()),
    ("checksum_mismatch", "string", pa.string()),
    ("claim_check", "string", pa.string()),
    ("row_id", "string", pa.string()),
)
_TABLE_SCHEMA = Event._fields.index("table_schema")
_BEARER = ("schema_name", "table_name", "table_schema_id")
_BEARER_PLACES = tuple(map(Event._fields.index, _BEARER))
_OWN = tuple(name for name in RowMembers._fields if name not in IMAGES)
_EVENT_TYPE = pa.struct([(name, arrow_type) for name, _, arrow_type in _FIELDS])
EVENT_SQL_TYPE = "struct<" + ", ".join(f"{name}: {sql_type}" for name, sql_type, _ in _FIELDS) + ">"
EVENTS_SQL_TYPE = f"array<{EVENT_SQL_TYPE}>"


@contextmanager
def collector_off() -> Iterator[None]:
    """Thousands of small objects live for one batch; collecting among them costs several times the decoding.

    It decorates functions: when one has returned, its objects are gone, and the collector does not look at them.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def decode_message(
    decode: Decode, key: bytes | None, value: bytes | None, options_text: str | None, *more: str | None
) -> Sequence[Event]:
    """The events of one message; a message that cannot be decoded gives one event of kind `error`."""
    try:
        return [internal_columns.without(event) for event in decode(key, value, options.parse(options_text), *more)]
    except DecodeError as error:
        return (Event(Kind.ERROR, error_code=error.code, error_message=str(error)),)
    except Exception as error:  # a decoder's own fault must not fail the query either
        return (
            Event(
                Kind.ERROR,
                error_code=ErrorCode.INTERNAL_ERROR,
                error_message=f"the decoder failed with {type(error).__name__}",
            ),
        )


@collector_off()
def decode_batch(decode: Decode, *arguments: pa.Array[Any]) -> pa.Array[Any]:
    """A list of events per message. A table schema is given once per batch, with the first row that bears it.

    The arguments are those of `decode_message`, an array each.
    """
    events: list[Event] = []
    offsets = [0]
    for message in zip(*(argument.to_pylist() for argument in arguments), strict=True):
        events.extend(decode_message(decode, *message))
        offsets.append(len(events))
    columns: list[Sequence[Any]] = list(zip(*events, strict=True)) or [()] * len(_FIELDS)
    columns[_TABLE_SCHEMA] = _first_of_each(columns)
    return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), _structs(columns))


class Texts:
    """A column of JSON texts: they are written one after the other into one buffer, none is an object of its own."""

    def __init__(self) -> None:
        """No texts."""
        self.bytes = bytearray()
        self.rows: list[int] = []
        self.ends = [0]

    def write(self, row: int, value: Image) -> None:
        """Adds the text of a value in a row, which is beyond those before."""
        write_json_into(value, self.bytes, -1)
        self.rows.append(row)
        self.ends.append(len(self.bytes))

    def add(self, row: int, text: bytes | None) -> None:
        """Adds a text as it stands."""
        if text is not None:
            self.bytes += text
            self.rows.append(row)
            self.ends.append(len(self.bytes))

    def array(self, count: int) -> pa.Array[Any]:
        """The column of so many rows; the others are NULL."""
        rows, is_valid, sizes = np.array(self.rows, np.int64), np.zeros(count, np.bool_), np.zeros(count + 1, np.int64)
        is_valid[rows] = True
        sizes[rows + 1] = np.diff(self.ends)
        return _texts(np.cumsum(sizes), is_valid, self.bytes)


def texts_of_lines(lines: bytes | bytearray, rows: np.ndarray[Any, np.dtype[np.int64]], count: int) -> pa.Array[Any]:
    """A column of so many rows from lines of `schemas.write_json_lines`, one for each of `rows`; others are NULL."""
    sizes, is_valid = np.zeros(count + 1, np.int64), np.zeros(count, np.bool_)
    # JSON escapes line breaks of its strings
    sizes[rows + 1] = np.diff(np.flatnonzero(np.frombuffer(lines, np.uint8) == ord("\n")), prepend=-1) - 1
    is_valid[rows] = True
    return _texts(np.cumsum(sizes), is_valid, lines.replace(b"\n", b""))


def _texts(edges: np.ndarray[Any, Any], is_valid: np.ndarray[Any, Any], text: bytes | bytearray) -> pa.Array[Any]:
    offsets = pa.array(edges, pa.int32())  # raises where they are too large
    mask = pa.py_buffer(np.packbits(is_valid, bitorder="little"))
    return pa.Array.from_buffers(pa.string(), len(is_valid), [mask, offsets.buffers()[1], pa.py_buffer(text)])


class Gathered:
    """The events of a batch's messages, one for each; what rows have in common is held once."""

    def __init__(self) -> None:
        """No events."""
        self._common: list[Event] = []
        self._first_rows: list[int] = []
        self._places: dict[int, int] = {}
        self._own: list[tuple[Any, ...]] = []
        self._row_key, self._before_key, self._before, self._after = (Texts() for _ in IMAGES)

    def add(self, event: Event) -> None:
        """Adds an event."""
        row = len(self._own)
        self._row_key.add(row, event.row_key)
        self._before_key.add(row, event.before_key)
        self._before.add(row, event.before)
        self._after.add(row, event.after)
        self._own.append((self._new(event), *(getattr(event, name) for name in _OWN)))

    def add_row(self, common: Event, members: RowMembers) -> None:
        """Adds the event of a row; `common`, always the same object for such rows, has the members beside these."""
        commit_ts, exact, row_key, before_key, before, after, lossy, *rest = members
        row = len(self._own)
        self._row_key.write(row, row_key)
        if before_key is not None:
            self._before_key.write(row, before_key)
        if before is not None:
            self._before.write(row, before)
        if after is not None:
            self._after.write(row, after)
        place = self._places.get(id(common))
        if place is None:
            place = self._places[id(common)] = self._new(common)
        self._own.append((place, commit_ts, exact, lossy, *rest))

    def _new(self, common: Event) -> int:
        self._common.append(common)
        self._first_rows.append(len(self._own))
        return len(self._common) - 1

    def array(self) -> pa.Array[Any]:
        """The events. A table schema is given with the first row that bears it."""
        count = len(self._own)
        places, *own = zip(*self._own, strict=True) if count else [()] * (1 + len(_OWN))
        columns: dict[str, Any] = dict(zip(_OWN, own, strict=True))
        texts = (self._row_key, self._before_key, self._before, self._after)
        columns |= {name: column.array(count) for name, column in zip(IMAGES, texts, strict=True)}
        columns["table_schema"] = _given_once(
            count,
            (
                (row, *(event[place] for place in _BEARER_PLACES), event.table_schema)
                for row, event in zip(self._first_rows, self._common, strict=True)
                if event.table_schema is not None
            ),
        )
        order = pa.array(places, pa.int32())
        for place, (name, _, arrow_type) in enumerate(_FIELDS):
            if name not in columns:
                values = pa.array([event[place] for event in self._common], arrow_type)
                columns[name] = pa.nulls(count, arrow_type) if values.null_count == len(values) else values.take(order)
        return _structs([columns[name] for name in Event._fields])


def feed_by_feed(decode_batch: Callable[..., pa.Array[Any]]) -> Callable[..., pa.Array[Any]]:
    """The function for batches with messages of several feeds, which their options tell apart.

    Each feed gets the table schemas that its rows bear, also where another one bears the same.
    """

    def decoded(*arguments: pa.Array[Any]) -> pa.Array[Any]:
        options_texts = arguments[2].dictionary_encode()
        if len(options_texts.dictionary) + bool(options_texts.null_count) < 2:
            return decode_batch(*arguments)
        feeds = options_texts.indices.fill_null(-1).to_numpy()
        places = [np.flatnonzero(feeds == feed) for feed in np.unique(feeds)]
        parts = [decode_batch(*(argument.take(pa.array(some)) for argument in arguments)) for some in places]
        return pa.concat_arrays(parts).take(pa.array(np.argsort(np.concatenate(places))))

    return decoded


def decode_each(decode: Decode, *arguments: pa.Array[Any]) -> pa.Array[Any]:
    """The event of each message, for a decoder that gives one: Spark takes it up faster than a list."""
    return decode_batch(decode, *arguments).values


MANY = 200
"""Messages that have something in common from which decoding them together is quicker."""


def alike(messages: pa.Array[Any], *shared: pa.Array[Any]) -> Iterator[np.ndarray[Any, np.dtype[np.int64]]]:
    """The places of messages that are not null and have these texts in common, where they are many."""
    code = numbered(*shared)
    code[messages.is_null().to_numpy(zero_copy_only=False)] = -1
    for group, count in zip(*np.unique(code, return_counts=True), strict=True):
        if group >= 0 and count >= MANY:
            yield np.flatnonzero(code == group)


def numbered(*columns: pa.Array[Any]) -> np.ndarray[Any, np.dtype[np.int64]]:
    """A number for each row, which is the same where all of its texts are, or are NULL."""
    numbers = np.zeros(len(columns[0]), np.int64)
    for texts in columns:
        encoded = texts.dictionary_encode()
        known = len(encoded.dictionary)
        numbers = numbers * (known + 1) + encoded.indices.fill_null(known).to_numpy()
    return numbers


class Rows(NamedTuple):
    """Row events of one table that were decoded together.

    `places` are the places of their messages in the batch, `columns` the members of `Event` that are not null, each
    an array or what all rows have in common.
    """

    places: np.ndarray[Any, np.dtype[np.int64]]
    columns: Mapping[str, Any]
    table_schema: bytes | None = None


def decode_together(
    decode: Decode, rows_of: Callable[[np.ndarray[Any, np.dtype[np.int64]]], Iterable[Rows]], *arguments: pa.Array[Any]
) -> pa.Array[Any]:
    """What `decode_each` gives, with `rows_of` for the places of many messages that differ in key and value alone."""
    decoded: list[Rows] = []
    for places in alike(*arguments[1:]):
        with suppress(Exception):  # the decoder of single messages tells which of them is at fault
            decoded += rows_of(places)
    return decode_others(decode, decoded, *arguments)


def decode_others(decode: Decode, decoded: Sequence[Rows], *arguments: pa.Array[Any]) -> pa.Array[Any]:
    """What `decode_each` gives, for a batch of which `decoded` is done."""
    decoded = [rows for rows in decoded if len(rows.places) and not _has_internal_columns(rows)]
    if not decoded:
        return decode_each(decode, *arguments)
    count, others = len(arguments[0]), len(decoded)
    part, place_in_part = np.full(count, others), np.empty(count, np.int64)
    for number, rows in enumerate(decoded):
        part[rows.places] = number
        place_in_part[rows.places] = np.arange(len(rows.places))
    places = np.flatnonzero(part == others)
    place_in_part[places] = np.arange(len(places))
    left = pa.array(places)
    rest = decode_each(decode, *(argument.take(left) for argument in arguments))

    @cache
    def order(are_arrays: tuple[bool, ...]) -> pa.Array[Any]:
        """Where each message's value is in the parts of a column one after the other; what is no array is one value."""
        sizes = [len(rows.places) if is_array else 1 for rows, is_array in zip(decoded, are_arrays, strict=True)]
        starts = np.cumsum([0, *sizes])
        return pa.array(starts[part] + np.where(np.array([*are_arrays, True])[part], place_in_part, 0))

    columns: list[Any] = []
    for name, _, arrow_type in _FIELDS:
        parts = [rows.columns.get(name) for rows in decoded]
        of_rest = rest.field(name)
        if of_rest.null_count == len(places) and all(part is None for part in parts):
            columns.append(pa.nulls(count, arrow_type))
            continue
        arrays = [value if isinstance(value, pa.Array) else pa.array([value], arrow_type) for value in parts]
        whole = pa.concat_arrays([*arrays, of_rest])
        columns.append(whole.take(order(tuple(isinstance(value, pa.Array) for value in parts))))
    columns[_TABLE_SCHEMA] = _first_texts(count, decoded, places, rest)
    return _structs(columns)


def _has_internal_columns(rows: Rows) -> bool:
    """Whether rows, which have the same columns, may have such that are none of their table."""
    images = (rows.columns.get(name) for name in ("before", "after"))
    first = [image[0].as_py() if isinstance(image, pa.Array) else image for image in images]
    return any(mark in image for image in first if image is not None for mark in internal_columns.MARKS)


def _first_texts(
    count: int, decoded: Sequence[Rows], places: np.ndarray[Any, Any], rest: pa.Array[Any]
) -> list[bytes | None]:
    """The table schemas, each with the first row of the batch that bears it."""
    bearers = [
        (int(rows.places[0]), *(rows.columns[name] for name in _BEARER), rows.table_schema)
        for rows in decoded
        if rows.table_schema is not None
    ]
    texts = rest.field(_TABLE_SCHEMA)
    with_text = np.flatnonzero(texts.is_valid())
    some = rest.take(pa.array(with_text))
    bearers += zip(
        places[with_text].tolist(), *(some.field(name).to_pylist() for name in (*_BEARER, "table_schema")), strict=True
    )
    return _given_once(count, bearers)


def _given_once(count: int, bearers: Iterable[tuple[Any, ...]]) -> list[bytes | None]:
    """The texts of table schemas at the first of their places; of each bearer its place, members and text are given."""
    found: list[bytes | None] = [None] * count
    seen = set()
    for place, *bearer, text in sorted(bearers, key=itemgetter(0)):
        if tuple(bearer) not in seen:
            seen.add(tuple(bearer))
            found[place] = text
    return found


def _structs(columns: Sequence[Any]) -> pa.Array[Any]:
    arrays = [
        column if isinstance(column, pa.Array) else pa.array(column, arrow_type)
        for column, (_, _, arrow_type) in zip(columns, _FIELDS, strict=True)
    ]
    return pa.StructArray.from_arrays(arrays, fields=list(_EVENT_TYPE))


def _first_of_each(columns: Sequence[Sequence[Any]]) -> list[bytes | None]:
    texts = columns[_TABLE_SCHEMA]
    bearers = list(zip(*(columns[place] for place in _BEARER_PLACES), texts, strict=True))
    first_places = dict(zip(reversed(bearers), reversed(range(len(texts))), strict=True))
    return _given_once(
        len(texts), ((place, *bearer) for bearer, place in first_places.items() if bearer[-1] is not None)
    )
