"""Many messages of a batch at once: their bytes side by side, and texts of columns that are cut out of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from ticdc_udfs.contract.schemas import write_json

Numbers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
Texts: TypeAlias = "pa.Array[Any]"

_PAD = 16  # a number is read as eight bytes and two more, wherever it starts
_NULL = np.frombuffer(b"null", np.uint8)


class Messages:
    """The `bytes` of many messages in a row, their `edges`, and as `words` the eight bytes from each place on."""

    def __init__(self, messages: pa.Array[Any]) -> None:
        """Takes an array of bytes; its nulls are empty messages."""
        messages = messages.cast(pa.binary())  # Spark may be told to send them with offsets of 64 bits
        count = len(messages)
        _, offsets, data = messages.buffers()
        self.edges = np.frombuffer(offsets, np.int32)[messages.offset : messages.offset + count + 1].astype(np.int64)
        first, last = int(self.edges[0]), int(self.edges[-1])
        self.edges -= first
        self.bytes = np.zeros(last - first + _PAD + len(_NULL), np.uint8)
        if data is not None:
            self.bytes[: last - first] = np.frombuffer(data, np.uint8)[first:last]
        self.bytes[-len(_NULL) :] = _NULL
        self.words: npt.NDArray[np.uint64] = np.ndarray(
            (last - first + _PAD - 7,), np.dtype("<u8"), self.bytes.data, strides=(1,)
        )

    def empty(self) -> Flags:
        """Which messages are null or have no bytes."""
        return np.equal(self.edges[:-1], self.edges[1:])


class Column:
    """A field of many messages.

    `rows` are the places of the messages in which it is not null; None: all of them. Of those, `numbers` are the
    values of a number, `start` and `end` the bytes of a text, `columns` the fields of a record.
    """

    __slots__ = ("columns", "count", "end", "numbers", "rows", "start")

    def __init__(self, count: int) -> None:
        """A column of `count` messages."""
        self.count = count
        self.rows: Numbers | None = None
        self.numbers: npt.NDArray[Any] = NOTHING
        self.start = self.end = NOTHING
        self.columns: list[Column] = []

    def spread(self, places: npt.NDArray[np.int32], absent: int) -> npt.NDArray[np.int32]:
        """Places of the present rows' values, with another one for the rest of the rows."""
        if self.rows is None:
            return places
        every = np.full(self.count, absent, np.int32)
        every[self.rows] = places
        return every


NOTHING = np.zeros(0, np.int64)


def present(column: Column) -> Flags:
    """In which messages the field is not null."""
    if column.rows is None:
        return np.ones(column.count, np.bool_)
    found = np.zeros(column.count, np.bool_)
    found[column.rows] = True
    return found


def slices(messages: Messages, start: Numbers, end: Numbers, column: Column | None = None) -> Texts:
    """The bytes from `start` to `end` in each message, as texts that nothing has checked to be UTF-8.

    With a column these are of its present rows, and its other rows are `null`.
    """
    count = len(start)
    edges = np.empty(2 * count + 2, np.int32)
    edges[0:-2:2], edges[1:-2:2] = start, end
    edges[-2:] = len(messages.bytes) - len(_NULL), len(messages.bytes)
    cuts = pa.Array.from_buffers(pa.string(), 2 * count + 1, [None, pa.py_buffer(edges), pa.py_buffer(messages.bytes)])
    places = np.arange(0, 2 * count, 2, dtype=np.int32)
    return cuts.take(pa.array(places if column is None else column.spread(places, 2 * count)))


def quoted(texts: Texts, column: Column) -> Texts:
    """JSON values of a column's rows from the escaped texts of its present ones."""
    texts = pc.binary_join_element_wise('"', texts, '"', "")
    return texts if column.rows is None else spread(texts, column, "null")


def spread(texts: Texts, column: Column, absent: str | None) -> Texts:
    """Texts of a column's present rows, with another one for the rest of its rows."""
    places = column.spread(np.arange(len(texts), dtype=np.int32), len(texts))
    return pa.concat_arrays([texts, pa.array([absent], pa.string())]).take(pa.array(places))


def json_objects(members: Mapping[str, Texts]) -> Texts:
    """A JSON object per row from the JSON values of its members."""
    parts: list[Any] = []
    for place, (name, texts) in enumerate(members.items()):
        parts += [f"{',' if place else '{'}{write_json(name).decode()}:", texts]
    return pc.binary_join_element_wise(*parts, "}", "")


def flags_of_rows(always: Sequence[str], flagged: Iterable[tuple[str, Numbers]], count: int) -> Any:
    """The flags of so many rows: those that all of them have, then the others, each with its rows."""
    flags: dict[int, list[str]] = {}
    for flag, rows in flagged:
        for row in rows.tolist():
            flags.setdefault(row, [*always]).append(flag)
    if not flags:
        return [*always]
    return pa.array([[*dict.fromkeys(flags.get(row, always))] for row in range(count)], pa.list_(pa.string()))
