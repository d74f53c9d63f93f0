"""Many Avro messages of one writer schema at once: their fields by numpy, and texts of these by Arrow.

A reader steps over a field of all messages in one go. What it cannot read goes to the decoder of single messages, so
that the two need not agree on errors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any, Protocol, TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from ticdc_udfs.contract import arrow, options
from ticdc_udfs.contract.options import Options
from ticdc_udfs.contract.schemas import TableSchema
from ticdc_udfs.wire.avro_binary import HEAD, Field, Framing, Record
from ticdc_udfs.wire.message_columns import Column, Flags, Messages, Numbers, Texts, quoted, slices


class AvroMessages(Messages):
    """The bytes of many messages in Avro."""

    def framed(self, framing: Framing) -> Flags:
        """Which messages start with a header of that framing."""
        magic, size = HEAD[framing]
        start = self.edges[:-1]
        found = self.edges[1:] - start >= size
        for place, byte in enumerate(magic):
            found &= self.bytes[start + place] == byte
        return found

    def read(self, record: Record, framing: Framing) -> tuple[list[Column], Flags]:
        """The fields of framed messages, and which messages are exactly one such record."""
        start, end = self.edges[:-1], self.edges[1:]
        at = np.minimum(start + HEAD[framing][1], end)
        bad = np.zeros(len(at), np.bool_)
        columns = _read_columns(record, self, at, end, bad)
        return columns, ~bad & (at == end)

    def longs(self, at: Numbers, bad: Flags) -> Numbers:
        """The zigzag numbers at these places, which move behind them."""
        first = self.bytes[at]
        wide = np.flatnonzero(first > 0x7F)
        if not len(wide):
            at += 1
            number = first.astype(np.int64)
        elif len(wide) * 8 > len(at):
            number = self._wide(at, bad)
        else:
            number = first.astype(np.int64)
            places, broken = at[wide], bad[wide]
            number[wide] = self._wide(places, broken)
            at += 1
            at[wide], bad[wide] = places, broken
        return (number.view(np.uint64) >> _ONE).view(np.int64) ^ -(number & 1)

    def _wide(self, at: Numbers, bad: Flags) -> Numbers:
        """Numbers of up to ten bytes without branches: eight bytes at once, their 7-bit groups pushed together."""
        word = self.words[at]
        stops = ~word & _TOP_BITS
        last = stops & (~stops + _ONE)
        mask = np.where(stops == 0, _ALL, last | (last - _ONE))
        at += ((mask & _LOW_BITS) * _LOW_BITS >> np.uint64(56)).view(np.int64)
        word &= mask & ~_TOP_BITS
        word = (word & np.uint64(0x007F007F007F007F)) | ((word & np.uint64(0x7F007F007F007F00)) >> _ONE)
        word = (word & np.uint64(0x00003FFF00003FFF)) | ((word & np.uint64(0x3FFF00003FFF0000)) >> np.uint64(2))
        word = (word & np.uint64(0x000000000FFFFFFF)) | ((word & np.uint64(0x0FFFFFFF00000000)) >> np.uint64(4))
        longer = np.flatnonzero(stops == 0)
        if len(longer):
            ninth, tenth = self.bytes[at[longer]], self.bytes[at[longer] + 1]
            more = ninth > 0x7F
            word[longer] |= (ninth & np.uint8(0x7F)).astype(np.uint64) << np.uint64(56)
            word[longer] |= np.where(more, tenth, np.uint8(0)).astype(np.uint64) << np.uint64(63)
            bad[longer] |= more & (tenth > 1)
            at[longer] += 1 + more
        return word.view(np.int64)


_ONE, _ALL = np.uint64(1), np.uint64(0xFFFFFFFFFFFFFFFF)
_TOP_BITS, _LOW_BITS = np.uint64(0x8080808080808080), np.uint64(0x0101010101010101)


def _read_columns(record: Record, messages: AvroMessages, at: Numbers, end: Numbers, bad: Flags) -> list[Column]:
    """The fields of a record in many messages; `at` moves behind it, `bad` tells which messages are none such."""
    columns = []
    for field in record.fields:
        columns.append(_read_column(field, messages, at, end, bad))
        over = at > end
        if over.any():
            bad |= over
            np.minimum(at, end, out=at)
    return columns


def _read_column(field: Field, messages: AvroMessages, at: Numbers, end: Numbers, bad: Flags) -> Column:
    column = Column(len(at))
    if field.null_branch is None:
        _read_values(column, field, messages, at, end, bad)
        return column
    branch = messages.bytes[at]
    at += 1
    present = branch == 2 * (1 - field.null_branch)
    bad |= ~present & (branch != 2 * field.null_branch)
    rows = np.flatnonzero(present)
    if len(rows) == len(at):
        _read_values(column, field, messages, at, end, bad)
        return column
    column.rows = rows
    if len(rows):
        places, broken = np.minimum(at[rows], end[rows]), bad[rows]
        _read_values(column, field, messages, places, end[rows], broken)
        at[rows], bad[rows] = places, broken
    return column


def _read_values(column: Column, field: Field, messages: AvroMessages, at: Numbers, end: Numbers, bad: Flags) -> None:
    kind = field.kind
    if kind == "string" or kind == "bytes":
        size = messages.longs(at, bad)
        wrong = (size < 0) | (size > end - at)
        if wrong.any():
            bad |= wrong
            size[wrong] = 0
            np.minimum(at, end, out=at)
        column.start = at.copy()
        at += size
        column.end = at.copy()
    elif kind == "int" or kind == "long":
        column.numbers = messages.longs(at, bad)
    elif kind == "double" or kind == "float":
        width = 8 if kind == "double" else 4
        column.numbers = messages.bytes[at[:, None] + np.arange(width)].view(f"<f{width}")[:, 0]
        at += width
        bad |= ~np.isfinite(column.numbers)
    elif field.record is not None:
        column.columns = _read_columns(field.record, messages, at, end, bad)
    else:
        column.numbers = messages.bytes[at].astype(np.int64)
        bad |= column.numbers > 1
        at += 1


def decimal_texts(messages: AvroMessages, column: Column, scale: int) -> Texts | None:
    """Texts of decimals in bytes, as `avro_binary.decimal_text` gives them; None where one has more than 64 bits."""
    size = column.end - column.start
    if not len(size) or size.min() < 1 or size.max() > 8:
        return None
    negative = messages.bytes[column.start] > 0x7F
    number = np.where(negative, np.int64(-1), np.int64(0))
    for place in range(int(size.max())):
        number = np.where(place < size, (number << 8) | messages.bytes[column.start + place], number)
    magnitude = np.where(negative, ~number.view(np.uint64) + _ONE, number.view(np.uint64))
    texts = pa.array(magnitude).cast(pa.string())
    if scale:
        texts = pc.binary_replace_slice(pc.ascii_lpad(texts, scale + 1, "0"), -scale, -scale, ".")
    return (
        pc.if_else(pa.array(negative), pc.binary_join_element_wise("-", texts, ""), texts) if negative.any() else texts
    )


def float_texts(numbers: npt.NDArray[Any]) -> Texts:
    """Canonical texts of finite floats or doubles: Arrow's shortest digits, without exponent."""
    texts = pa.array(numbers).cast(pa.string())
    if not pc.any(pc.match_substring(texts, "e")).as_py():
        return texts
    return pa.array([format(Decimal(text), "f") if "e" in text else text for text in texts.to_pylist()], pa.string())


_ESCAPES = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r"}


def json_texts(messages: AvroMessages, column: Column) -> Texts:
    """A text column as JSON values. Writes quotes over what stands around the texts: call it when all is read."""
    messages.bytes[column.start - 1] = messages.bytes[column.end] = ord('"')
    texts = slices(messages, column.start - 1, column.end + 1, column)
    if not _to_escape(texts, 2 * len(column.start)):
        return texts
    return quoted(_escaped(slices(messages, column.start, column.end)), column)


def _to_escape(texts: Texts, quotes: int) -> bool:
    """Whether JSON has to escape anything in the texts beside so many quotes that are its own."""
    found = np.frombuffer(texts.buffers()[2] or b"", np.uint8)
    return bool(np.count_nonzero(found == 0x22) > quotes or (found == 0x5C).any() or (found < 0x20).any())


def _escaped(texts: Texts) -> Texts:
    """The texts with JSON's escapes, as `schemas.write_json` writes them; the backslash is first."""
    counts = np.bincount(np.frombuffer(texts.buffers()[2] or b"", np.uint8), minlength=256)
    for code in (0x5C, 0x22, *range(0x20)):
        if counts[code]:
            texts = pc.replace_substring(texts, chr(code), _ESCAPES.get(chr(code), f"\\u{code:04x}"))
    return texts


class Plan(Protocol):
    """What is the same for all rows of one writer schema."""

    @property
    def record(self) -> Record:
        """The writer schema of the message."""

    @property
    def schema(self) -> TableSchema:
        """What it tells of the table."""


_Plan = TypeVar("_Plan", bound=Plan)


def decode_alike(
    decode: arrow.Decode,
    plan_of: Callable[[str, str | None, Options], _Plan | None],
    plausible: Callable[[_Plan, list[Column], AvroMessages], Flags],
    members: Callable[[_Plan, list[Column], AvroMessages, int], dict[str, Any]],
    *arguments: pa.Array[Any],
) -> pa.Array[Any]:
    """What `arrow.decode_each` gives, with the messages of one writer schema read together.

    The arguments are those of a decoder: keys, values, options, writer schemas of keys and of values. `plan_of` gives
    None where there is no way to take messages together, `plausible` which of them are as the encoder writes them,
    `members` the members of their events.
    """
    keys, values, *shared = arguments

    def rows_of_schema(rows: Numbers) -> Iterator[arrow.Rows]:
        options_text, key_schema, value_schema = (texts[int(rows[0])].as_py() for texts in shared)
        feed = options.parse(options_text)
        plan = None if value_schema is None else plan_of(value_schema, key_schema, feed)
        if plan is not None:
            yield from rows_of(rows, plan, feed.framing, key_schema is not None)

    def rows_of(rows: Numbers, plan: _Plan, framing: Framing, with_keys: bool) -> Iterator[arrow.Rows]:
        """The events of those messages that are as they should be."""
        some = pa.array(rows)
        messages, heads = AvroMessages(values.take(some)), AvroMessages(keys.take(some))
        wire, whole = messages.read(plan.record, framing)
        good = whole & messages.framed(framing) & (heads.framed(framing) if with_keys else heads.empty())
        if good.any():
            good &= plausible(plan, wire, messages)
        if good.all():
            yield arrow.Rows(rows, members(plan, wire, messages, len(rows)), plan.schema.text)
        elif good.any():
            yield from rows_of(rows[good], plan, framing, with_keys)

    return arrow.decode_together(decode, rows_of_schema, *arguments)


_LETTERS = np.frombuffer(b"cdu", np.uint8)
_OPERATIONS = pa.array(["insert", "delete", "update"])


def has_operation(messages: AvroMessages, column: Column) -> Flags:
    """Where a text is the letter of an operation on rows."""
    found: Flags = (column.end - column.start == 1) & np.isin(messages.bytes[column.start], _LETTERS)
    return found


def operations(messages: AvroMessages, column: Column) -> Texts:
    """The operations of letters that are such."""
    return _OPERATIONS.take(pa.array(np.searchsorted(_LETTERS, messages.bytes[column.start])))
