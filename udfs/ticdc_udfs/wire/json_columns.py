"""Many JSON messages of one layout at once: the texts around their values are compared, the values cut out by numpy.

An encoder writes the messages of a table alike: what stands around the values is the same, byte for byte. What is not
so goes to the decoder of single messages, so that the two need not agree on errors.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any, NamedTuple, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ticdc_udfs.contract import arrow, options
from ticdc_udfs.contract.events import Lossy
from ticdc_udfs.contract.options import Options
from ticdc_udfs.wire.message_columns import Column, Flags, Messages, Numbers, Texts, flags_of_rows, json_objects, slices

MAX_MISSES = 5
"""Examples of messages that none is like until the rest is left."""
MAX_BYTES = 32 * 1024 * 1024
"""Of a batch in which rows are looked for: a place takes eight bytes for each quote. Large messages gain nothing."""

_MAX_EXAMPLE_BYTES = 64 * 1024
_QUOTE, _BACKSLASH, _FIRST_PRINTABLE = 0x22, 0x5C, 0x20
_MINUS, _ONE = 0x2D, 0x31
_WRITTEN_ALIKE = np.frombuffer(rb'"bfnrt', np.uint8)
_NULL = int.from_bytes(b"null", "little")
_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s"{}\[\],:]+', re.DOTALL)

Path = tuple[str, ...]


class Layout(NamedTuple):
    """The texts around the values of a message, one more than values, and the names that lead to each value."""

    around: tuple[bytes, ...]
    paths: tuple[Path, ...]


class Tokens(NamedTuple):
    """The JSON texts of a value in many messages by their places, with the quotes of a string."""

    messages: Messages
    start: Numbers
    end: Numbers

    def only(self, some: Any) -> Tokens:
        """Those of some messages."""
        return Tokens(self.messages, self.start[some], self.end[some])

    def texts(self) -> Texts:
        """The texts, which nothing has checked to be UTF-8."""
        return slices(self.messages, self.start, self.end)

    def is_text(self) -> Flags:
        """Which values are strings."""
        return np.equal(self.messages.bytes[self.start], _QUOTE)

    def is_null(self) -> Flags:
        """Which values are null."""
        null: Flags = self.end - self.start == len("null")
        null &= self.messages.words[self.start] & np.uint64(0xFFFFFFFF) == np.uint64(_NULL)
        return null

    def present(self) -> tuple[Column, Tokens]:
        """Those that are not null, and the column whose present rows they are."""
        column = Column(len(self.start))
        null = self.is_null()
        if not null.any():
            return column, self
        column.rows = np.flatnonzero(~null)
        return column, self.only(column.rows)

    def are_texts(self, or_null: bool = False) -> bool:
        """Whether all values are strings."""
        others = np.flatnonzero(~self.is_text())
        return not len(others) or (or_null and bool(self.only(others).is_null().all()))

    def integers(self) -> pa.Array[Any]:
        """The numbers of values. Raises `ValueError` where one is no integer in its shortest form."""
        first = self.messages.bytes[self.start]
        if (first == _MINUS).any():
            first = np.where(first == _MINUS, self.messages.bytes[self.start + 1], first)
        if not ((first - np.uint8(_ONE) < 9) | (self.end - self.start == 1)).all():
            raise ValueError("a number has another form")
        return self.texts().cast(pa.int64())


def joined(tokens: Sequence[Tokens]) -> Tokens:
    """Several values of the same messages, those of the first in all messages before the others."""
    start, end = (np.concatenate(places) for places in zip(*((one.start, one.end) for one in tokens), strict=True))
    return Tokens(tokens[0].messages, start, end)


class Alike(NamedTuple):
    """Messages of one layout: their places in the batch, and their values by path."""

    layout: Layout
    rows: Numbers
    values: dict[Path, Tokens]

    def only(self, some: Flags) -> Alike:
        """Some of them."""
        if some.all():
            return self
        values = {path: tokens.only(some) for path, tokens in self.values.items()}
        return Alike(self.layout, self.rows[some], values)


class Cell(NamedTuple):
    """JSON of a value's canonical text, None of what is no value of its column, and why the value is flagged."""

    text: bytes | None
    reason: Lossy | None = None


class Cells(NamedTuple):
    """Values of a column as JSON of their canonical texts, which are flagged, and which are none of its type."""

    texts: Texts
    flagged: Mapping[Lossy, Flags] = {}
    wrong: Flags | None = None


def cells_of_distinct(tokens: Tokens, cell: Callable[[str], Cell]) -> Cells:
    """Values that are made canonical one by one, equal ones once."""
    distinct = tokens.texts().dictionary_encode()
    found = [cell(text) for text in distinct.dictionary.to_pylist()]

    def where(members: Iterable[bool]) -> Flags:
        some: Flags = np.array([*members], np.bool_)[distinct.indices.to_numpy()]
        return some

    texts = pa.array([one.text for one in found], pa.string()).take(distinct.indices)
    if any(one.text is None for one in found):
        return Cells(texts, wrong=where(one.text is None for one in found))
    reasons = {one.reason for one in found if one.reason is not None}
    return Cells(texts, {reason: where(one.reason is reason for one in found) for reason in reasons})


class Images(NamedTuple):
    """Row images: of each the cells by column, and which rows have which flags, those of the first image first."""

    rows: Alike
    cells: list[dict[str, Texts]]
    flagged: list[tuple[str, Numbers]]

    def members(self, names: Sequence[str], key: Sequence[str], flags: Sequence[str]) -> dict[str, Any]:
        """The images by these members of the event, keys of these columns, and these flags beside those of single rows.

        Raises `ValueError` where a text is not UTF-8.
        """
        members: dict[str, Any] = {}
        for name, columns in zip(names, self.cells, strict=True):
            members[name] = json_objects(columns)
            members[name].validate(full=True)
        row_key, *old_key = (json_objects({name: columns[name] for name in key}) for columns in self.cells)
        members["row_key"] = row_key
        if old_key:
            members["before_key"] = pc.if_else(pc.not_equal(old_key[0], row_key), old_key[0], None)
        members["lossy"] = flags_of_rows(flags, self.flagged, len(self.rows.rows))
        return members


def images_of(rows: Alike, images: Sequence[Mapping[str, Path]], cells: Callable[[str, Tokens], Cells]) -> Images:
    """The images of rows, without rows that have a value which is none of its column; each tells where its columns are.

    Raises `KeyError` where the rows have no such column.
    """
    count = len(rows.rows)
    texts: list[dict[str, Texts]] = [{} for _ in images]
    flagged: list[tuple[int, str, Numbers]] = []
    for name in images[0]:
        column = cells(name, joined([rows.values[image[name]] for image in images]))
        if column.wrong is not None:
            right: Flags = np.logical_and.reduce(~column.wrong.reshape(-1, count))
            return images_of(rows.only(right), images, cells)
        for place, image in enumerate(texts):
            image[name] = column.texts.slice(place * count, count)
            for reason, where in column.flagged.items():
                flagged.append((place, reason.of(name), np.flatnonzero(where[place * count :][:count])))
    flagged.sort(key=itemgetter(0))
    return Images(rows, texts, [(flag, where) for _, flag, where in flagged])


_Found = TypeVar("_Found")


def by_example(
    places: Numbers, like: Callable[[int, Numbers], tuple[Numbers, _Found]]
) -> Iterator[tuple[Numbers, _Found]]:
    """Messages by what they have in common, as long as many have; `like` gives those that are like an example."""
    misses = 0
    is_left = np.ones(int(places.max(initial=-1)) + 1, np.bool_)
    while len(places) >= arrow.MANY and misses < MAX_MISSES:
        example = int(places[len(places) // 2])
        alike, found = like(example, places)
        if len(alike) >= arrow.MANY:
            yield alike, found
        else:
            misses += 1
        is_left[alike] = is_left[example] = False
        places = places[is_left[places]]


def decode_alike(
    decode: arrow.Decode,
    rows_of: Callable[[pa.Array[Any], pa.Array[Any], Numbers, Options], Iterable[arrow.Rows]],
    keys: pa.Array[Any],
    values: pa.Array[Any],
    options_texts: pa.Array[Any],
) -> pa.Array[Any]:
    """What `arrow.decode_each` gives, with `rows_of` for the messages at places of a feed's plain JSON."""

    def rows_of_feed(places: Numbers) -> Iterable[arrow.Rows]:
        feed = options.parse(options_texts[int(places[0])].as_py())
        is_plain = feed.compression == "none" and feed.encoding == "json"
        return rows_of(keys, values, places, feed) if is_plain else ()

    return arrow.decode_together(decode, rows_of_feed, keys, values, options_texts)


class JsonMessages(Messages):
    """The bytes of many messages of which few have escapes other than of quotes."""

    def __init__(self, messages: pa.Array[Any]) -> None:
        """Takes a binary array; its nulls are empty messages."""
        super().__init__(messages)
        text = self.bytes[: int(self.edges[-1])]
        if len(text) > MAX_BYTES:
            text = text[:0]
        quotes = np.flatnonzero(text == _QUOTE)
        self.unclear = self.empty() | (len(text) == 0)
        if (text < _FIRST_PRINTABLE).any():
            self._set_unclear(np.flatnonzero(text < _FIRST_PRINTABLE))
        escapes = np.flatnonzero(text == _BACKSLASH)
        if len(escapes):
            odd = ~np.isin(self.bytes[escapes + 1], _WRITTEN_ALIKE) | (self.bytes[escapes - 1] == _BACKSLASH)
            self._set_unclear(escapes[odd])
            escaped = escapes[self.bytes[escapes + 1] == _QUOTE] + 1
            quotes = np.delete(quotes, np.searchsorted(quotes, escaped))
        self._first_quotes = np.searchsorted(quotes, self.edges[:-1])
        self._quotes = quotes

    def _set_unclear(self, places: Numbers) -> None:
        self.unclear[np.searchsorted(self.edges[1:], places, side="right")] = True

    def alike(self, rows: Numbers, is_value: Callable[[Path], bool]) -> Iterator[tuple[int, Alike]]:
        """Some messages by layout, as long as one has many, each time with the message whose layout it is.

        `is_value` tells which scalars are no part of the layout. Only if that message is valid the others are, whose
        values are.
        """

        def like(example: int, left: Numbers) -> tuple[Numbers, tuple[int, Alike] | None]:
            text = self.bytes[self.edges[example] : self.edges[example + 1]].tobytes()
            layout = layout_of(text, is_value)
            found = None if layout is None else self.read(layout, left)
            return (left[:0], None) if found is None else (found.rows, (example, found))

        if len(self._quotes):
            for _, found in by_example(rows[~self.unclear[rows]], like):
                if found is not None:
                    yield found

    def read(self, layout: Layout, rows: Numbers) -> Alike:
        """Those of some messages that have this layout, of which none may be unclear."""
        at, end, quote = self.edges[rows], self.edges[rows + 1], self._first_quotes[rows]
        values: list[Tokens] = []
        for place, text in enumerate(layout.around):
            same = self._has(text, at, end)
            if not same.all():
                rows, at, end, quote = rows[same], at[same], end[same], quote[same]
                values = [tokens.only(same) for tokens in values]
            at = at + len(text)
            quote = quote + text.count(b'"')
            if place < len(layout.paths):
                stop, quote = self._value_end(layout.around[place + 1], at, end, quote)
                values.append(Tokens(self, at, stop))
                at = stop
        return Alike(layout, rows, dict(zip(layout.paths, values, strict=True))).only(at == end)

    def _has(self, text: bytes, at: Numbers, end: Numbers) -> Flags:
        """Which messages have the text there."""
        same = at + len(text) <= end
        if not same.all():
            at = np.where(same, at, 0)
        elif self._all_have(text, at):
            return same
        whole = len(text) // 8 * 8
        for place in range(0, whole, 8):
            same &= self.words[at + place] == np.uint64(int.from_bytes(text[place : place + 8], "little"))
        if whole < len(text):
            shift = np.uint64(64 - 8 * (len(text) - whole))
            same &= self.words[at + whole] << shift == np.uint64(int.from_bytes(text[whole:], "little")) << shift
        return same

    def _all_have(self, text: bytes, at: Numbers) -> bool:
        """Whether all messages have the text there, which most have: it takes a third of asking for each of them."""
        count = len(self.bytes) - len(text) + 1
        windows = np.ndarray((count,), np.dtype(f"V{len(text)}"), self.bytes.data, strides=(1,))
        return windows[at].tobytes() == text * len(at)

    def _value_end(self, following: bytes, at: Numbers, end: Numbers, quote: Numbers) -> tuple[Numbers, Numbers]:
        """The ends of the values that start there, and the next quotes behind them."""
        is_text = self.bytes[at] == _QUOTE
        if is_text.all():
            return self._at_quote(quote + 1) + 1, quote + 2
        closing, quote = self._at_quote(quote + 1) + 1, quote + 2 * is_text
        lead = following.find(b'"')
        next_quote = self._at_quote(quote)
        bare = next_quote - lead
        if lead < 0:
            bare = end - len(following)
            bare = np.where((at <= next_quote) & (next_quote < bare), at, bare)
        # what follows is compared next: an end that is none is found there
        return np.where(is_text, closing, np.clip(bare, at, np.maximum(at, end))), quote

    def _at_quote(self, quote: Numbers) -> Numbers:
        return self._quotes.take(quote, mode="clip")


def layout_of(message: bytes, is_value: Callable[[Path], bool]) -> Layout | None:
    """The layout of a message of valid JSON; None where a name is there twice in an object, or has an escape.

    A long message has none either: to look at all its texts takes long, and few are like it.
    """
    if len(message) > _MAX_EXAMPLE_BYTES:
        return None
    around: list[bytes] = []
    paths: list[Path] = []
    names: list[str | None] = []
    known: list[set[str]] = []
    begin, awaits_name = 0, False
    for token in _TOKEN.finditer(message):
        first = token[0][:1]
        if first in b"{[":
            known.append(set())
            names.append(None)
            awaits_name = first == b"{"
        elif first in b"}]":
            if not names:
                return None
            names.pop()
            known.pop()
            awaits_name = False
        elif first == b",":
            awaits_name = bool(names) and names[-1] is not None
        elif first == b":":
            awaits_name = False
        elif awaits_name:
            name = token[0][1:-1].decode("utf-8", "replace")
            if name in known[-1]:
                return None
            known[-1].add(name)
            names[-1] = name
        elif None not in names and is_value(path := tuple(name for name in names if name is not None)):
            around.append(message[begin : token.start()])
            paths.append(path)
            begin = token.end()
    if b"\\" in b"".join(around) or b"\\" in message[begin:]:
        return None
    return Layout((*around, message[begin:]), tuple(paths))
