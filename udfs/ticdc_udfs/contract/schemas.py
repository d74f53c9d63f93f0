"""Table schemas: what a message, a DDL or the user's export tells of a table's columns."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import NamedTuple

import msgspec

_encoder = msgspec.json.Encoder()
write_json = _encoder.encode
"""JSON text as UTF-8 bytes, with members in their own order; row images and table schemas are written by it."""
write_json_into = _encoder.encode_into
"""The same into a `bytearray`, from a place on; -1 is its end."""
write_json_lines = _encoder.encode_lines
"""The same of a list, each value in a line of its own."""


class Column(NamedTuple):
    """A column, as far as its bearer tells of it.

    `type` is the MySQL type with what is known of its parameters and labels, in lower case (`bigint unsigned`,
    `decimal(10,2)`, `datetime(6)`, `enum('a','it''s')`); `key` the 1-based place in the row key, 0 in all columns where
    the bearer tells that there is no key. `nullable` and `default` are None where the bearer does not tell them (a
    default of NULL is the same as none).
    """

    name: str
    type: str
    key: int | None = None
    nullable: bool | None = None
    default: str | None = None


class TableSchema(NamedTuple):
    """A table's columns in table order, as JSON text (a list of objects) and a hash of that text."""

    id: int
    text: bytes


def table_schema(columns: Sequence[Column]) -> TableSchema:
    """The text holds `name`, `type` and `key` of every column, and `nullable` and `default` where known."""
    text = write_json([_wire(column) for column in columns])
    return TableSchema(int.from_bytes(blake2b(text, digest_size=8).digest(), "big", signed=True), text)


def _wire(column: Column) -> dict[str, str | int | bool | None]:
    wire: dict[str, str | int | bool | None] = {"name": column.name, "type": column.type, "key": column.key}
    if column.nullable is not None:
        wire["nullable"] = column.nullable
    if column.default is not None:
        wire["default"] = column.default
    return wire


def labelled_type(word: str, labels: Sequence[str]) -> str:
    """`enum('a','b')` or `set(…)`, with quotes doubled as MySQL writes them; `values.labels` reads it."""
    quoted = (label.replace("'", "''") for label in labels)
    return word + "(" + ",".join(f"'{label}'" for label in quoted) + ")"
