"""Bytes of Simple's Avro encoding: one value of the encoder's fixed schema, no header (protocol facts 1.6, 2.4, 3.5).

The reader takes strings that are no UTF-8, as the defaults of BIT columns are.
"""

from __future__ import annotations

import math
import struct
from base64 import b64encode
from collections.abc import Callable
from typing import Any

from ticdc_udfs.contract import values

Members = dict[str, Any]
_Read = Callable[[bytes, int], tuple[Any, int]]
"""Reads what stands at an offset, and tells the offset behind it."""


def read(data: bytes) -> Members:
    """The members of a message, named and shaped as in the JSON encoding; cells are canonical text where they can be.

    A timestamp is its `location` and `value`, binary is base64. Text of rows and defaults that is no UTF-8 holds its
    bytes as surrogates (`surrogateescape`). Raises `ValueError` if the bytes are no such message.
    """
    try:
        message, end = _message(data, 0)
    except (IndexError, struct.error) as error:
        raise ValueError("the message ends too early") from error
    if end != len(data):
        raise ValueError("the message does not end where its content does")
    return message


def _long(data: bytes, at: int) -> tuple[int, int]:
    raw, place = data[at], 0
    if raw > 0x7F:
        raw &= 0x7F
        for place in range(1, 10):
            byte = data[at + place]
            raw |= (byte & 0x7F) << 7 * place
            if byte < 0x80:
                break
        else:
            raise ValueError("a number has more than 64 bits")
        if raw >> 64:
            raise ValueError("a number has more than 64 bits")
    return raw >> 1 ^ -(raw & 1), at + place + 1


def _size(data: bytes, at: int) -> tuple[int, int]:
    size, at = _long(data, at)
    if size < 0:  # would lead backwards
        raise ValueError("a length is below zero")
    return size, at


def _bytes(data: bytes, at: int) -> tuple[bytes, int]:
    size, at = _size(data, at)
    return data[at : at + size], at + size


def _name(data: bytes, at: int) -> tuple[str, int]:
    raw, at = _bytes(data, at)
    return raw.decode("utf-8", "replace"), at


def _text(data: bytes, at: int) -> tuple[str, int]:
    raw, at = _bytes(data, at)
    return raw.decode("utf-8", "surrogateescape"), at


def _boolean(data: bytes, at: int) -> tuple[bool, int]:
    return data[at] != 0, at + 1


def _enum(*symbols: str) -> _Read:
    return _union(*(_constant(symbol) for symbol in symbols))


def _constant(value: Any) -> _Read:
    return lambda _, at: (value, at)


def _union(*branches: _Read) -> _Read:
    by_byte = {2 * branch: reader for branch, reader in enumerate(branches)}  # numbers are zigzag

    def read_union(data: bytes, at: int) -> tuple[Any, int]:
        reader = by_byte.get(data[at])
        if reader is None:
            raise ValueError("a union or an enum has no such branch")
        return reader(data, at + 1)

    return read_union


def _optional(present: _Read) -> _Read:
    return _union(_constant(None), present)


def _record(**members: _Read) -> _Read:
    fields = tuple(members.items())

    def read_record(data: bytes, at: int) -> tuple[Members, int]:
        record: Members = {}
        for name, read_member in fields:
            record[name], at = read_member(data, at)
        return record, at

    return read_record


_MAX_ITEMS = 65_536
"""Above what an array or a map of a message holds: labels of an enum are the most."""


def _block(data: bytes, at: int, before: int) -> tuple[int, int]:
    """The number of items in a block of an array or a map; below zero the block's size in bytes follows."""
    count, at = _long(data, at)
    if count < 0:
        _, at = _size(data, at)
    if before + abs(count) > _MAX_ITEMS:
        raise ValueError(f"an array or a map has more than {_MAX_ITEMS} items")
    return abs(count), at


def _array(item: _Read) -> _Read:
    def read_array(data: bytes, at: int) -> tuple[list[Any], int]:
        items: list[Any] = []
        while True:
            count, at = _block(data, at, len(items))
            if not count:
                return items, at
            for _ in range(count):
                value, at = item(data, at)
                items.append(value)

    return read_array


def _digits(data: bytes, at: int) -> tuple[str, int]:
    number, at = _long(data, at)
    return str(number), at


def _unsigned_digits(data: bytes, at: int) -> tuple[str, int]:
    number, at = _long(data, at)
    return str(number & 0xFFFF_FFFF_FFFF_FFFF), at


def _real(form: str, to_text: Callable[[float], str]) -> _Read:
    unpack, size = struct.Struct(form).unpack_from, struct.calcsize(form)

    def read_real(data: bytes, at: int) -> tuple[str, int]:
        (number,) = unpack(data, at)
        if not math.isfinite(number):
            raise ValueError("a number is not finite")
        return to_text(number), at + size

    return read_real


def _base64(data: bytes, at: int) -> tuple[str, int]:
    raw, at = _bytes(data, at)
    return b64encode(raw).decode("ascii"), at


_CELL = _union(
    _constant(None),
    _digits,
    _real("<f", values.float_text),
    _real("<d", values.double_text),
    _text,
    _base64,
    _record(location=_name, value=_name),
    _unsigned_digits,
)
_NULL, _LONG, _STRING = (2 * branch for branch in (0, 1, 4))  # as they stand in front of a cell


def _row(data: bytes, at: int) -> tuple[Members, int]:
    """A map of column name to cell. What nearly all cells are is read in place: short names, texts and numbers."""
    row: Members = {}
    while True:
        count, at = _block(data, at, len(row))
        if not count:
            return row, at
        for _ in range(count):
            twice = data[at]
            if twice & 0x81:
                raw, at = _bytes(data, at)
            else:
                end = at + 1 + (twice >> 1)
                raw, at = data[at + 1 : end], end
            name = raw.decode("utf-8", "replace")
            branch, twice = data[at], data[at + 1]
            if branch == _STRING and not twice & 0x81:
                end = at + 2 + (twice >> 1)
                row[name], at = data[at + 2 : end].decode("utf-8", "surrogateescape"), end
            elif branch == _LONG and not twice & 0x81:
                row[name], at = str(twice >> 1), at + 2
            elif branch == _NULL:
                row[name], at = None, at + 1
            else:
                row[name], at = _CELL(data, at)


_DATA_TYPE = _record(
    mysqlType=_name,
    charset=_name,
    collate=_name,
    length=_long,
    decimal=_optional(_long),
    elements=_optional(_array(_name)),
    unsigned=_optional(_boolean),
    zerofill=_optional(_boolean),
)
_COLUMN = _record(name=_name, dataType=_DATA_TYPE, nullable=_boolean, default=_optional(_text))
_INDEX = _record(name=_name, unique=_boolean, primary=_boolean, nullable=_boolean, columns=_array(_name))
_TABLE = _record(
    schema=_name,  # `database` in the Avro schema
    table=_name,
    tableID=_long,
    version=_long,
    columns=_array(_COLUMN),
    indexes=_array(_INDEX),
)
_CHECKSUM = _record(version=_long, corrupted=_boolean, current=_long, previous=_long)
_WATERMARK = _record(type=_constant("WATERMARK"), version=_long, commitTs=_long, buildTs=_long)
_BOOTSTRAP = _record(type=_constant("BOOTSTRAP"), version=_long, buildTs=_long, tableSchema=_TABLE)
_DDL = _record(
    version=_long,
    type=_enum("CREATE", "ALTER", "ERASE", "RENAME", "TRUNCATE", "CINDEX", "DINDEX", "QUERY"),
    sql=_name,
    commitTs=_long,
    buildTs=_long,
    tableSchema=_optional(_TABLE),
    preTableSchema=_optional(_TABLE),
)
_DML = _record(
    version=_long,
    database=_name,
    table=_name,
    tableID=_long,
    type=_enum("INSERT", "UPDATE", "DELETE"),
    commitTs=_long,
    buildTs=_long,
    schemaVersion=_long,
    claimCheckLocation=_optional(_name),
    handleKeyOnly=_optional(_boolean),
    checksum=_optional(_CHECKSUM),
    data=_optional(_row),
    old=_optional(_row),
)
_KINDS = _enum("WATERMARK", "BOOTSTRAP", "DDL", "DML")
_PAYLOAD = _union(_WATERMARK, _BOOTSTRAP, _DDL, _DML)
_MESSAGE = b"\x16"  # branch 11 of the encoder's union


def _message(data: bytes, at: int) -> tuple[Members, int]:
    if not data.startswith(_MESSAGE, at):
        raise ValueError("the value is no Message of the encoder's union, of which TiCDC 7.6 has another one")
    _, at = _KINDS(data, at + 1)
    message, at = _PAYLOAD(data, at)
    return message, at
