"""Open Protocol: batches of rows, each column with its type code, flags and value (protocol facts 1.5, 2.2, 3.3, 8).

Of a partitioned table the newer encoder's flags may be those of before a DDL (0.1 line 16), and of any table, in rows
that it sends again or where changefeeds of one node differ in how far they are, those of after one. Text and bytes
cannot be told apart then: such columns stay as the wire has them, flagged `<column>:no_schema`, and the later step
that knows the table's schema converts them by `finisher`. So it is with partitioned tables, and with those without
key, whose equal rows count: a row that comes again with the key of another one is dropped.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from binascii import a2b_base64
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from math import isfinite
from struct import Struct
from typing import Annotated, Any, NamedTuple, NoReturn, TypeVar
from zoneinfo import ZoneInfo

import msgspec

from ticdc_udfs.contract import values
from ticdc_udfs.contract.events import ROW, DecodeError, ErrorCode, Event, Kind, Lossy, new_event, no_value
from ticdc_udfs.contract.options import Options
from ticdc_udfs.contract.schemas import Column, table_schema, write_json
from ticdc_udfs.wire.compression import MAX_DECOMPRESSED_BYTES, decompress
from ticdc_udfs.wire.json_text import parsed

_Uint63 = Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]
_Int64 = Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)]
_Uint16 = Annotated[int, msgspec.Meta(ge=0, le=2**16 - 1)]
_S = TypeVar("_S")
_T = TypeVar("_T")

_ROW, _DDL, _RESOLVED = 1, 2, 3
_BINARY, _PRIMARY_KEY, _NULLABLE, _UNSIGNED = 0x01, 0x08, 0x40, 0x80
_NOT_NULL_OF_TIDB = 0x01


class _Key(msgspec.Struct):
    ts: _Uint63
    t: int
    scm: str = ""
    tbl: str = ""
    rid: _Int64 | None = None
    ptn: _Uint63 | None = None
    ohk: bool = False
    ccl: str | None = None


class _Column(msgspec.Struct, gc=False):
    t: int
    v: str | int | float | None
    h: bool = False
    f: _Uint63 | None = None


_Columns = dict[str, _Column]


class _Row(msgspec.Struct, gc=False):
    u: _Columns | None = None
    p: _Columns | None = None
    d: _Columns | None = None


class _UnnamedRow(msgspec.Struct):
    """A row whose old image has columns without names; `p` stays as it is written."""

    u: _Columns
    p: msgspec.Raw


class _Query(msgspec.Struct):
    q: str
    t: _Uint16


_read_key = msgspec.json.Decoder(_Key).decode
_read_row = msgspec.json.Decoder(_Row).decode
_read_unnamed_row = msgspec.json.Decoder(_UnnamedRow).decode
_read_query = msgspec.json.Decoder(_Query).decode


def decode(key: bytes | None, value: bytes | None, options: Options) -> Sequence[Event]:
    """The events of a message in the order of its batch; an entry that cannot be decoded is one event of kind `error`.

    What has nothing to apply is an event of kind `bootstrap`: a batch without entries (a key with the version alone),
    and a row that was inserted and deleted in one transaction, which old releases write as `{}` (0.1 line 18).
    Raises `DecodeError` where the frames of the batch cannot be told apart.
    """
    if not key:
        raise DecodeError(ErrorCode.BAD_FRAME, "the message has no key")
    if key[:8] != VERSION:
        raise DecodeError(ErrorCode.BAD_FRAME, "the key does not start with version 1")
    keys = _frames(key, 8, "key")
    bodies = _frames(value, 0, "value") if value else [b""] * len(keys)
    if len(keys) != len(bodies):
        raise DecodeError(ErrorCode.BAD_FRAME, f"the key has {len(keys)} frames, the value {len(bodies)}")
    if not keys:
        return (_NOTHING,)
    events = []
    size = 0
    for key_frame, body in zip(keys, bodies, strict=True):
        try:
            plain = decompress(body, options.compression) if body else body
            size += len(plain)
            if size > MAX_DECOMPRESSED_BYTES:
                raise DecodeError(ErrorCode.TOO_LARGE, f"the batch holds more than {MAX_DECOMPRESSED_BYTES} bytes")
            head = parsed(_read_key, key_frame, "open-protocol key")
            if head.t != _ROW or not plain:
                events.append(_other_event(head, plain))
            else:
                events.append(_NOTHING if plain == b"{}" else _row(head, _setting(head, key_frame, options), plain))
        except DecodeError as error:
            events.append(Event(Kind.ERROR, error_code=error.code, error_message=str(error)))
    return events


_NOTHING = Event(Kind.BOOTSTRAP)
_LENGTH = Struct(">q")
LENGTH_BYTES = _LENGTH.size
"""What stands before each frame."""
VERSION = _LENGTH.pack(1)
"""How a key begins."""
_read_length = _LENGTH.unpack_from


def _frames(data: bytes, start: int, place: str) -> list[bytes]:
    """The frames of a key or value, each after its length in eight bytes."""
    frames = []
    end = len(data)
    while start < end:
        head = start + 8
        length = _read_length(data, start)[0] if head <= end else -1
        start = head + length
        if length < 0 or start > end:
            raise DecodeError(ErrorCode.BAD_FRAME, f"the {place} has a frame of no possible length after {head} bytes")
        frames.append(data[head:start])
    return frames


def _other_event(key: _Key, plain: bytes) -> Event:
    if key.t == _RESOLVED:
        return Event(Kind.WATERMARK, commit_ts=key.ts)
    if key.t not in (_ROW, _DDL):
        raise DecodeError(ErrorCode.UNKNOWN_KIND, "t of the key is none of 1 (row), 2 (DDL), 3 (resolved)")
    if not plain:
        raise DecodeError(ErrorCode.EMPTY_VALUE, "a row or DDL without value")
    query = parsed(_read_query, plain, "open-protocol DDL")
    return Event(
        Kind.DDL,
        commit_ts=key.ts,
        schema_name=key.scm,
        table_name=key.tbl,
        ddl_query=query.q,
        ddl_type=str(query.t),
    )


class _Setting(NamedTuple):
    """What is known of a row beside its columns: the changefeed's time zone, its partition, and its encoder."""

    zone: ZoneInfo | None
    is_partition: bool
    is_of_newer: bool


def _setting(key: _Key, frame: bytes, options: Options) -> _Setting:
    """The newer encoder puts the partition behind the type of the event, and names no row (protocol facts 2.2)."""
    is_partition = key.ptn is not None
    is_of_newer = frame.rfind(b'"ptn":') > frame.rfind(b'"t":') if is_partition else key.rid is None
    return _Setting(options.time_zone, is_partition, is_of_newer)


def _row(key: _Key, setting: _Setting, plain: bytes) -> Event:
    flags = _flags(key)
    claim_check = None if key.ccl is None else key.ccl.rpartition("/")[2]

    plan, row = _images(key, setting, plain, flags)
    op, cells, old = row
    flags += plan.flags
    _make_canonical(cells, plan, flags)
    row_key = plan.key_of(cells)
    before_key = before = None
    if old is not None:
        _make_canonical(old, plan, flags)
        before = plan.image_of(old)
        old_key = plan.key_of(old)
        before_key = old_key if old_key != row_key else None
    after: bytes | None = plan.image_of(cells)
    if op == "delete":
        before, after = after, None
    return new_event(
        Event,
        ROW,
        commit_ts=key.ts,
        schema_name=key.scm,
        table_name=key.tbl,
        physical_table_id=key.ptn,
        op=op,
        row_key=row_key,
        before_key=before_key,
        before=before,
        after=after,
        table_schema_id=plan.schema.id,
        table_schema=plan.schema.text,
        lossy=tuple(dict.fromkeys(flags)) if flags else (),
        claim_check=claim_check,
        row_id=_row_id(key, plan.flags),
    )


def _row_id(key: _Key, flags: Sequence[str]) -> str | None:
    """The number that TiDB gave a row without key; the classic architecture sends it as `rid` (protocol facts 2.2)."""
    return str(key.rid) if key.rid is not None and Lossy.NO_KEY.of() in flags else None


def _flags(key: _Key) -> list[str]:
    if key.ccl is not None:
        return [Lossy.CLAIM_CHECK.of()]
    return [Lossy.HANDLE_KEY_ONLY.of()] if key.ohk else []


_Images = tuple[str, list[Any], list[Any] | None]
"""The op of a row and its wire values in column order, of a delete the deleted ones; then the old ones of an update."""


Convert = Callable[[Any], tuple[str, Lossy | None]]
"""How a wire value becomes canonical text, and why that is flagged."""


class RowPlan(NamedTuple):
    """What rows of one table schema have in common: columns with their wire type and conversion, the key, and flags."""

    columns: Mapping[str, tuple[Any, Convert | None]]
    key: Sequence[str]
    flags: Sequence[str]

    @property
    def names(self) -> list[str]:
        """The columns in table order."""
        return [*self.columns]


def row_plan(key: bytes, value: bytes, options: Options) -> RowPlan:
    """The plan of the row in a batch of one entry, for rows with the same key, columns, types and flags.

    Raises `DecodeError` where a column has no name, or flags of its own in the old image.
    """
    (key_frame,), (body,) = _frames(key, len(VERSION), "key"), _frames(value, 0, "value")
    head = parsed(_read_key, key_frame, "open-protocol key")
    row = parsed(_read_row, body, "open-protocol row")
    if row.p and row.u and _has_flags_of_tidb(row.p, row.u):
        raise DecodeError(ErrorCode.BAD_SHAPE, "what a null of p is depends on the row")
    plan = _Plan(row.d or row.u or {}, _setting(head, key_frame, options))
    columns = dict(zip(plan.names, zip(plan.wire_types, plan.converts, strict=True), strict=True))
    return RowPlan(columns, plan.key, [*_flags(head), *plan.flags])


class _Plan:
    """What is the same for all rows that bear one table schema."""

    def __init__(self, columns: _Columns, setting: _Setting) -> None:
        self.names = list(columns)
        self.shape = _shape(columns)
        types = [_type_of(column) for column in columns.values()]
        key = [name for name, column in columns.items() if column.h]
        # of partitioned tables `f` may be of an earlier moment (protocol facts 0.1 line 16)
        if not key and not setting.is_partition:
            key = [name for name, column in columns.items() if (column.f or 0) & _PRIMARY_KEY]
        no_place = 0 if not key and all(column.f is not None for column in columns.values()) else None
        self.key = key or self.names
        unsure = []
        if setting.is_of_newer and (setting.is_partition or not key):
            unsure = [name for name, column in columns.items() if column.t in _BINARY_TYPES]
        self.flags = [*([] if key else [Lossy.NO_KEY.of()]), *map(Lossy.NO_SCHEMA.of, unsure)]
        places = {name: place for place, name in enumerate(key, start=1)}
        self.schema = table_schema(
            [
                Column(
                    name,
                    column_type,
                    places.get(name, no_place),
                    None if column.f is None else bool(column.f & _NULLABLE),
                )
                for (name, column), column_type in zip(columns.items(), types, strict=True)
            ]
        )
        self.types = types
        self.wire_types = [_wire_type(column_type) for column_type in types]
        self.integers = [place for place, wire_type in enumerate(self.wire_types) if wire_type is int]
        self.converts = [
            None if name in unsure else converter(column_type, setting.zone)
            for name, column_type in zip(columns, types, strict=True)
        ]
        self.converters = [
            (place, name, convert)
            for place, (name, convert) in enumerate(zip(columns, self.converts, strict=True))
            if convert is not None
        ]

    def image_of(self, cells: Sequence[str | None]) -> bytes:
        """The row image of canonical cells."""
        return write_json(dict(zip(self.names, cells, strict=True)))

    def key_of(self, cells: Sequence[str | None]) -> bytes:
        """The row key of canonical cells."""
        row = dict(zip(self.names, cells, strict=True))
        return write_json({name: row[name] for name in self.key})


_plans: dict[tuple[str, str, _Setting], _Plan] = {}
_MAX_PLANS = 10_000


def _plan_of(key: _Key, columns: _Columns, setting: _Setting) -> _Plan:
    """The plan of a row's table schema; the last one of each table is kept, as most rows bear it again."""
    table = (key.scm, key.tbl, setting)
    plan = _plans.get(table)
    if plan is None or plan.shape != _shape(columns) or plan.names != list(columns):
        if len(_plans) >= _MAX_PLANS:
            _plans.clear()
        plan = _plans[table] = _Plan(columns, setting)
    return plan


def _shape(columns: _Columns) -> list[tuple[int, int | None, bool]]:
    return [(column.t, column.f, column.h) for column in columns.values()]


_NEGATIVE_ZERO, _NEGATIVE_FLOAT = b'"v":-0}', b'"v":-0.0}'
"""The first is an integer to a JSON reader, and then without its sign; it stands for the second."""


def _images(key: _Key, setting: _Setting, plain: bytes, flags: list[str]) -> tuple[_Plan, _Images]:
    """The images of a row, and the plan of its schema."""
    row = _columns(plain.replace(_NEGATIVE_ZERO, _NEGATIVE_FLOAT), flags)
    columns = row.u if row.d is None else row.d
    if not columns:
        raise DecodeError(ErrorCode.BAD_SHAPE, "a row without u and d, or without columns")
    plan = _plan_of(key, columns, setting)
    if row.d is not None:
        return plan, ("delete", _wire_values(columns, columns, plan, _of_default), None)
    cells = _wire_values(columns, columns, plan, _of_no_type)
    if row.p is None:
        return plan, ("insert", cells, None)
    if not row.p.keys() <= columns.keys():
        raise DecodeError(ErrorCode.BAD_SHAPE, "p has columns that u has not")
    old = _with_zero_values(row.p, columns, flags) if _has_flags_of_tidb(row.p, columns) else row.p
    return plan, ("update", cells, _wire_values(old, columns, plan, _of_default))


def _has_flags_of_tidb(old: _Columns, new: _Columns) -> bool:
    """Whether an encoder wrote the old image that puts TiDB's own flags there (TiCDC 8.5.4 and 8.5.5)."""
    return any(name in new and column.f != new[name].f for name, column in old.items())


def _with_zero_values(old: _Columns, new: _Columns, flags: list[str]) -> _Columns:
    """An old image of changed columns in which NULL also stands for the zero of a type, such as an empty text.

    The encoder compares a BIT with itself, so that a changed one is not there. What cannot be told is flagged.
    """
    whole = dict(old)
    for name, column in old.items():
        if column.v is None and new[name].v is not None:
            zero = _ZEROS.get(column.t) if (column.f or 0) & _NOT_NULL_OF_TIDB else None
            if zero is None:
                flags.append(Lossy.COLUMN_UNSURE.of(name))
            else:
                whole[name] = _Column(column.t, zero)
    bits = (name for name, column in new.items() if column.t == _BIT and column.v is not None and name not in old)
    flags.extend(map(Lossy.COLUMN_UNSURE.of, bits))
    return whole


def _wire_values(
    image: _Columns, others: _Columns, plan: _Plan, other_type: Callable[[str, str, Any], Any]
) -> list[Any]:
    """The values in order of the plan's columns; those that an old image lacks are the new one's.

    `other_type` gives the value of what JSON has in another type, by the names of column and type.
    """
    cells = [(image.get(name) or others[name]).v for name in plan.names]
    for place, wire_type in enumerate(plan.wire_types):
        cell = cells[place]
        if cell is not None and not isinstance(cell, wire_type):
            cells[place] = other_type(plan.names[place], plan.types[place], cell)
    return cells


def _of_no_type(name: str, column_type: str, cell: Any) -> NoReturn:
    del column_type, cell
    raise no_value(name)


def _of_default(name: str, column_type: str, cell: Any) -> Any:
    """The value of a default's text, as old images have it in some releases (0.1 line 18); of ENUM and SET its labels.

    Labels that look like the numbers which stand for labels stay unread.
    """
    base = values.base_type(column_type)
    if isinstance(cell, str):
        with suppress(ValueError):
            if base in ("enum", "set") and not cell.isdecimal():
                return cell
            if base == "bit":  # its bytes, of which those that are no UTF-8 are flagged
                return int.from_bytes(cell.encode()[-_BYTES_OF_BIT:], "big")
            if base in ("float", "double"):
                return _finite(cell)
            if base not in ("enum", "set"):
                return int(cell)
    raise no_value(name, _DEFAULTS_AS_TEXT)


_BYTES_OF_BIT = 8
_DEFAULTS_AS_TEXT = "in old images TiCDC 6.5.0 to 6.5.8, 7.1.0 to 7.1.4, 7.5.0 and 7.5.1 write the text of a default"


def _make_canonical(cells: list[Any], plan: _Plan, flags: list[str]) -> None:
    """Puts canonical texts in place of wire values; appends what could not be told to `flags`."""
    for place in plan.integers:
        if cells[place].__class__ is int:
            cells[place] = repr(cells[place])
    for place, name, convert in plan.converters:
        if cells[place] is not None:
            try:
                cells[place], reason = convert(cells[place])
            except (ValueError, OverflowError) as error:
                raise no_value(name) from error
            if reason is not None:
                flags.append(reason.of(name))


def canonical(value: Any, wire_type: Any, convert: Convert | None) -> tuple[str | None, Lossy | None]:
    """The canonical text of one wire value, and why it is flagged. Raises `ValueError` where it is none of its type."""
    if value is None:
        return None, None
    if not isinstance(value, wire_type):
        raise ValueError("the value is none of its type")
    if wire_type is int:
        value = repr(value)
    return (value, None) if convert is None else convert(value)


def _columns(plain: bytes, flags: list[str]) -> _Row:
    r"""The columns of a row; those whose invalid UTF-8 was replaced are flagged.

    One encoder writes such bytes as they are, the other as the escape `\ufffd`, while a true U+FFFD is literal.
    """
    try:
        row = _parse(plain, flags)
        if b"\\ufffd" not in plain:
            return row
        without = values.without_replaced_bytes(plain)
    except DecodeError as error:
        if error.code != ErrorCode.NOT_UTF8:
            raise
        row = _parse(plain.decode(errors="replace").encode(), flags)
        without = values.without_replaced_bytes(plain.decode(errors="ignore").encode())
    stripped = _parse(without, flags)
    for columns, bare in ((row.u, stripped.u), (row.p, stripped.p), (row.d, stripped.d)):
        for name, column in (columns or {}).items():
            if bare is None or name not in bare or bare[name].v != column.v:
                flags.append(Lossy.INVALID_UTF8.of(name))
    return row


def _parse(plain: bytes, flags: list[str]) -> _Row:
    try:
        return parsed(_read_row, plain, "open-protocol row")
    except DecodeError as error:
        if error.code != ErrorCode.BAD_SHAPE or b'"p":{' not in plain:
            raise
    return _row_with_unnamed_columns(plain, flags)


_TYPES: Mapping[int, str] = {
    1: "tinyint",
    2: "smallint",
    3: "int",
    4: "float",
    5: "double",
    6: "null",
    7: "timestamp",
    8: "bigint",
    9: "mediumint",
    10: "date",
    11: "time",
    12: "datetime",
    13: "year",
    14: "date",
    15: "varchar",
    16: "bit",
    225: "vector",
    245: "json",
    246: "decimal",
    247: "enum",
    248: "set",
    249: "tinytext",
    250: "mediumtext",
    251: "longtext",
    252: "text",
    253: "varchar",
    254: "char",
}
_BINARY_TYPES: Mapping[int, str] = {
    15: "varbinary",
    249: "tinyblob",
    250: "mediumblob",
    251: "longblob",
    252: "blob",
    253: "varbinary",
    254: "binary",
}
_BIT = 16
_ZEROS: Mapping[int, str | int] = {**dict.fromkeys(_BINARY_TYPES, ""), 247: 0, 248: 0}
"""What is empty, by type code; the zeros of other types have digits that the column tells."""
_SIGNED = frozenset({1, 2, 3, 4, 5, 8, 9, 246})
"""The types of which `unsigned` is a part; YEAR and BIT bear the flag too."""


def _type_of(column: _Column) -> str:
    """The MySQL type of a column, without the parameters and labels that no message tells."""
    code, flags = column.t, column.f or 0
    if code not in _TYPES:
        raise DecodeError(ErrorCode.BAD_SHAPE, "a column of an unknown type code")
    if flags & _BINARY and code in _BINARY_TYPES:
        return _BINARY_TYPES[code]
    return _TYPES[code] + (" unsigned" if flags & _UNSIGNED and code in _SIGNED else "")


_WHOLE_NUMBERS = frozenset({"tinyint", "smallint", "mediumint", "int", "bigint", "bit", "year", "enum", "set"})


def _wire_type(column_type: str) -> Any:
    """What JSON holds for a column of the type, besides null."""
    base = values.base_type(column_type)
    if base in _WHOLE_NUMBERS:
        return int
    return int | float if base in ("float", "double") else str


def _number_text(number: int | float) -> tuple[str, None]:
    text = repr(number)
    return (text.removesuffix(".0") if "e" not in text else values.double_text(number)), None


def _single_text(number: int | float) -> tuple[str, None]:
    text, _ = _number_text(number)
    return values.single(text), None


def converter(column_type: str, zone: ZoneInfo | None) -> Convert | None:
    """How a type's wire text becomes canonical; None where it is canonical as it stands.

    Integers come as their text, floating-point numbers as they are.
    """
    base = values.base_type(column_type)
    if base in ("float", "double"):
        return _single_text if base == "float" else _number_text
    if base.endswith("text"):
        return _text_from_base64
    if base.endswith("blob"):
        return _checked_base64
    if base.endswith("binary"):
        return lambda text: (_binary_from_quoted(text), None)
    if base == "timestamp" and zone is not None:
        return values.timestamp_converter(zone)
    return values.shared_converter(column_type)


def finisher(column_type: str) -> values.Convert | None:
    """How the text of a cell that waits for its column's type becomes canonical; None where it is so as it stands.

    Such are numbers of labels, and of partitioned tables text and bytes.
    """
    base = values.base_type(column_type)
    if base.endswith(("text", "blob", "binary")):
        return converter(column_type, None)
    return values.shared_converter(column_type)


def _text_from_base64(text: str) -> tuple[str, Lossy | None]:
    data = a2b_base64(text, strict_mode=True)
    try:
        return data.decode(), None
    except UnicodeDecodeError:
        return data.decode(errors="replace"), Lossy.INVALID_UTF8


def _checked_base64(text: str) -> tuple[str, None]:
    a2b_base64(text, strict_mode=True)
    return text, None


_ESCAPE = re.compile(rb"\\(x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8}|.)", re.DOTALL)
_WIDE_ESCAPE = re.compile(r'\\[^abfnrtvx\\"]')
_SHORT_ESCAPES: Mapping[bytes, bytes] = {
    b"a": b"\a",
    b"b": b"\b",
    b"f": b"\f",
    b"n": b"\n",
    b"r": b"\r",
    b"t": b"\t",
    b"v": b"\v",
    b"\\": b"\\",
    b'"': b'"',
}


def _binary_from_quoted(text: str) -> str:
    """Base64 of bytes that came as the inner part of a Go string literal (protocol facts 3.3)."""
    if text.isascii() and not _WIDE_ESCAPE.search(text):  # Python's own escapes mean the same
        data = text.encode("ascii").decode("unicode_escape").encode("latin-1") if "\\" in text else text.encode("ascii")
    else:
        data = _ESCAPE.sub(_unescaped, text.encode())
    return b64encode(data).decode("ascii")


def _unescaped(escape: re.Match[bytes]) -> bytes:
    body = escape[1]
    if body in _SHORT_ESCAPES:
        return _SHORT_ESCAPES[body]
    if len(body) == 1:
        raise ValueError("no escape of a Go string")
    code = int(body[1:], 16)
    return bytes((code,)) if body[:1] == b"x" else chr(code).encode()


def _row_with_unnamed_columns(plain: bytes, flags: list[str]) -> _Row:
    """A row whose old image holds columns without name and braces: `"p":{"t":3,"f":65,"v":1}`.

    Such columns became NULL. They stand at their place in table column order, and several of them repeat `t`, `f` and
    `v`. Where more than one NULL of the new image fits, the first is taken and all of them are flagged.
    """
    row = parsed(_read_unnamed_row, plain, "open-protocol row")
    old = [
        (name, parsed(_convert_column, members, "open-protocol row")) for name, members in _old_columns(bytes(row.p))
    ]
    order = list(row.u.items())
    first = _places(old, order)
    last = [len(order) - 1 - place for place in reversed(_places(old[::-1], order[::-1]))]
    unsure = [(low, high) for low, high in zip(first, last, strict=True) if low != high]
    kinds = {(order[low][1].t, order[low][1].f) for low, _ in unsure}
    start = 0
    for low, high in unsure:
        between = order[max(low, start) : high + 1]
        flags += [Lossy.COLUMN_UNSURE.of(name) for name, new in between if new.v is None and (new.t, new.f) in kinds]
        start = high + 1
    return _Row(u=row.u, p={order[place][0]: column for place, (_, column) in zip(first, old, strict=True)})


_OldColumn = tuple[str | None, _Column]


def _old_columns(text: bytes) -> list[tuple[str | None, dict[str, Any]]]:
    """Name (None where it is left out) and members of each column of an old image, as written."""
    members = parsed(_members, text, "open-protocol row")
    columns: list[tuple[str | None, dict[str, Any]]] = []
    for name, member in members if isinstance(members, tuple) else ():
        if isinstance(member, tuple):
            columns.append((name, dict(member)))
        elif name == "t":
            columns.append((None, {name: member}))
        elif name in ("h", "f", "v") and columns and columns[-1][0] is None:
            columns[-1][1][name] = member
        else:
            raise DecodeError(ErrorCode.BAD_SHAPE, "p holds a member that is no column")
    return columns


def _members(text: bytes) -> Any:
    """JSON with objects as tuples of their members, which may repeat."""
    return json.loads(text.decode(), object_pairs_hook=tuple, parse_constant=_finite, parse_float=_finite)


def _finite(text: str) -> float:
    number = float(text)
    if not isfinite(number):
        raise ValueError("a number out of range")
    return number


def _convert_column(members: dict[str, Any]) -> _Column:
    return msgspec.convert(members, _Column)


def _places(old: Sequence[_OldColumn], order: Sequence[tuple[str, _Column]]) -> list[int]:
    """The first places in the new image's order that old columns can have, one after the other."""
    named = {name for name, _ in old}
    places: list[int] = []
    left = enumerate(order)
    for name, column in old:
        for place, (new_name, new) in left:
            if new_name == name if name is not None else new_name not in named and _became_null(column, new):
                places.append(place)
                break
        else:
            raise DecodeError(ErrorCode.BAD_SHAPE, "p holds a column that u has not at its place")
    return places


def _became_null(old: _Column, new: _Column) -> bool:
    return new.v is None and (new.t, new.f) == (old.t, old.f)
