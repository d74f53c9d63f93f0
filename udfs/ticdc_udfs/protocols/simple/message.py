"""Simple: one event per message, as JSON or Avro; rows name the version of a table schema that came before (facts 2.4).

The table schema comes by BOOTSTRAP and DDL messages. Rows hold what needs no type to be canonical; `converter` does
the rest once the schema is known.
"""

from __future__ import annotations

from base64 import b64encode
from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping
from decimal import Decimal, localcontext
from functools import lru_cache
from typing import Annotated, Any, Generic, Literal, TypeVar
from zoneinfo import ZoneInfo

import msgspec
from msgspec.structs import replace

from ticdc_udfs.catalogue.handle_key import TableIndex, key_index
from ticdc_udfs.contract import values
from ticdc_udfs.contract.events import ROW, DecodeError, ErrorCode, Event, Kind, Lossy, new_event, no_value
from ticdc_udfs.contract.internal_columns import is_of_expression
from ticdc_udfs.contract.options import Options
from ticdc_udfs.contract.schemas import Column, labelled_type, table_schema, write_json
from ticdc_udfs.protocols.simple import avro
from ticdc_udfs.wire.checksum import Sent
from ticdc_udfs.wire.compression import decompress
from ticdc_udfs.wire.json_text import parsed

_Uint63 = Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]
_Int64 = Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)]


class _Timestamp(msgspec.Struct):
    location: str
    value: str


_Cell = str | _Timestamp | None
_Row = dict[str, _Cell]
_AnyCell = TypeVar("_AnyCell")
_Read = TypeVar("_Read")


class _DataType(msgspec.Struct):
    mysqlType: str
    length: int | None = None
    decimal: int | None = None
    elements: list[str] | None = None
    unsigned: bool | None = None
    zerofill: bool | None = None


class _Column(msgspec.Struct):
    name: str
    dataType: _DataType
    nullable: bool
    default: str | int | None = None


class _Index(msgspec.Struct):
    unique: bool
    primary: bool
    columns: list[str] | None = None
    name: str = ""


class _TableSchema(msgspec.Struct):
    schema: str
    table: str
    tableID: _Int64
    version: _Uint63
    columns: list[_Column]
    indexes: list[_Index] | None = None


class _Wire(msgspec.Struct, Generic[_AnyCell]):
    version: Literal[1]
    type: str
    commitTs: _Uint63 | None = None
    startTs: _Uint63 | None = None
    database: str | None = None
    table: str | None = None
    tableID: _Int64 | None = None
    schemaVersion: _Uint63 | None = None
    sql: str | None = None
    claimCheckLocation: str | None = None
    handleKeyOnly: bool | None = None
    checksum: Sent | None = None
    data: dict[str, _AnyCell] | None = None
    old: dict[str, _AnyCell] | None = None
    tableSchema: _TableSchema | None = None


_Message = _Wire[_Cell]
_MessageWithNumbers = _Wire[_Cell | int | float]

_read = msgspec.json.Decoder(_Message).decode
_read_with_numbers = msgspec.json.Decoder(_MessageWithNumbers).decode
_WHAT = "Simple message"
_DDL_WORDS = frozenset({"CREATE", "RENAME", "CINDEX", "DINDEX", "ERASE", "TRUNCATE", "ALTER", "QUERY"})
_OPS: Mapping[str, str] = {"INSERT": "insert", "UPDATE": "update", "DELETE": "delete"}


def decode(key: bytes | None, value: bytes | None, options: Options) -> tuple[Event, ...]:
    """The one event of a message: a row, a DDL, a bootstrap or a watermark. Raises `DecodeError`; the key is not used.

    A row's `table_schema_id` is the version of its table schema, whose text comes with DDL and bootstrap events.
    It has no `row_key`: which columns are the key is not known before the schema is.
    """
    del key
    if not value:
        raise DecodeError(ErrorCode.EMPTY_VALUE, "the message has no value")
    plain = decompress(value, options.compression)
    message = parsed(_read_json if options.encoding == "json" else _read_avro, plain, _WHAT)
    op = _OPS.get(message.type)
    if op is not None:
        return (_row(op, message, plain, options),)
    if message.type == "WATERMARK":
        return (Event(Kind.WATERMARK, commit_ts=_commit_ts(message)),)
    if message.type == "BOOTSTRAP":
        if message.tableSchema is None:
            raise DecodeError(ErrorCode.BAD_SHAPE, "a bootstrap without tableSchema")
        return (_schema_event(Event(Kind.BOOTSTRAP), message.tableSchema),)
    if message.type in _DDL_WORDS:
        return (_ddl(message),)
    raise DecodeError(ErrorCode.UNKNOWN_KIND, "type is none of the words of the protocol")


def _read_json(plain: bytes) -> _Message:
    """The message with numbers among its cells as text; no encoder writes any, so texts alone are tried first."""
    try:
        return _read(plain)
    except msgspec.ValidationError:
        message: _Wire[Any] = _read_with_numbers(plain)
    return replace(message, data=_texts(message.data), old=_texts(message.old))


def _texts(row: dict[str, Any] | None) -> _Row | None:
    return None if row is None else {column: _text(cell) for column, cell in row.items()}


def _text(cell: _Cell | int | float) -> _Cell:
    if isinstance(cell, float):
        return values.double_text(cell)
    return str(cell) if isinstance(cell, int) else cell


def _read_avro(plain: bytes) -> _Message:
    try:
        members = avro.read(plain)
    except ValueError as error:
        raise DecodeError(ErrorCode.BAD_AVRO, f"the value is no Simple message in Avro: {error}") from error
    return msgspec.convert(members, _Message)


def _commit_ts(message: _Message) -> int:
    if message.commitTs is None:
        raise DecodeError(ErrorCode.BAD_SHAPE, "a row, a DDL or a watermark without commitTs")
    return message.commitTs


def _ddl(message: _Message) -> Event:
    event = Event(
        Kind.DDL,
        commit_ts=_commit_ts(message),
        schema_name=message.database,
        table_name=message.table,
        ddl_query=message.sql or "",
        ddl_type=message.type,
    )
    return event if message.tableSchema is None else _schema_event(event, message.tableSchema)


def _schema_event(event: Event, schema: _TableSchema) -> Event:
    key = _key(schema)
    places = {column: place for place, column in enumerate(key, start=1)}
    no_place = None if key or schema.indexes is None else 0
    hidden = {
        name
        for index in schema.indexes or ()
        for place, name in enumerate(index.columns or ())
        if is_of_expression(name, index.name, place)
    }
    shown = [(one.name, one) for one in schema.columns if one.name not in hidden]
    columns = [
        Column(name, _type(one.dataType), places.get(name, no_place), one.nullable, _default(one))
        for name, one in shown
    ]
    return event._replace(
        schema_name=schema.schema,
        table_name=schema.table,
        physical_table_id=schema.tableID,
        table_schema_id=schema.version,
        table_schema=table_schema(columns).text,
    )


def _key(schema: _TableSchema) -> tuple[str | None, ...]:
    """The columns of the key as far as the message tells it: not what of a table is virtual, nor indexes' numbers.

    Whether an index can hold NULL is what its columns say: the classic encoder looks its flag up in columns that it has
    put in another order.
    """
    names = {column.name for column in schema.columns}
    not_null = {column.name for column in schema.columns if not column.nullable}
    implicit = _implicit_key(schema, not_null)
    indexes = [
        TableIndex(index.name, tuple(index.columns), index.unique, index.primary, number)
        for number, index in enumerate(schema.indexes or ())
        if index.columns and names.issuperset(index.columns)
        if not (index.primary and index.name != _PRIMARY and index.columns == implicit)
    ]
    key = key_index(indexes, not_null)
    return () if key is None else key.columns


def _implicit_key(schema: _TableSchema, not_null: Collection[str]) -> list[str] | None:
    """The columns of the first UNIQUE index without NULL: the encoder lists it again, as primary, where no index is so.

    An integer that is the primary key comes like it, and is the same key where that index is of it too.
    """
    columns = (index.columns for index in schema.indexes or () if index.unique and not index.primary)
    return next((each for each in columns if each and all(name in not_null for name in each)), None)


_PRIMARY = "PRIMARY"
"""TiDB's own name of a primary key; the encoder spells it in another way where it adds one to the list."""

_LENGTH_IS_PARAMETER = frozenset(
    {"tinyint", "smallint", "mediumint", "int", "bigint", "bit", "year", "vector"}
    | {"char", "varchar", "binary", "varbinary"}
)
_LENGTH_WITHOUT_FRACTION = {"datetime": 19, "timestamp": 19, "time": 10}


def _type(wire: _DataType) -> str:
    """The type with its parameters; of float and double `length` alone comes, which says nothing of `(M,D)`."""
    word, length = wire.mysqlType.lower(), wire.length or 0
    if word in ("enum", "set"):
        return labelled_type(word, wire.elements) if wire.elements else word
    text = word
    if word in _LENGTH_IS_PARAMETER:
        text += f"({length})" if length > 0 else ""
    elif word == "decimal":
        text += f"({length},{wire.decimal or 0})" if length > 0 else ""
    elif word in _LENGTH_WITHOUT_FRACTION:
        # Avro leaves `decimal` away, but the length counts the point and the digits
        digits = wire.decimal or max(length - _LENGTH_WITHOUT_FRACTION[word] - 1, 0)
        text += f"({digits})" if 0 < digits <= 6 else ""
    if word in ("bit", "year"):
        return text  # their flags are no words of the type
    return text + " unsigned" * bool(wire.unsigned) + " zerofill" * bool(wire.zerofill)


def _default(column: _Column) -> str | None:
    """The default in canonical text, or the words CURRENT_TIMESTAMP; None also where the encoder lost its bytes."""
    default, wire, word = column.default, column.dataType, column.dataType.mysqlType.lower()
    if not isinstance(default, str):
        return None if default is None else str(default)
    raw = default.encode("utf-8", "surrogateescape")
    if word == "bit":
        return str(int.from_bytes(raw, "big")) if len(raw) <= _BYTES_OF_BIT else None
    if word.endswith(("blob", "binary")):
        padded = raw.ljust(min(wire.length or 0, 255), b"\0") if word == "binary" else raw
        return None if "\ufffd" in default else b64encode(padded).decode("ascii")
    text = raw.decode("utf-8", "replace")
    return _scaled(text, wire.decimal or 0) if word == "decimal" else text


_BYTES_OF_BIT = 8


def _scaled(digits: str, scale: int) -> str:
    try:
        with localcontext(prec=100):
            return format(Decimal(digits).quantize(Decimal(1).scaleb(-scale)), "f")
    except ArithmeticError:
        return digits


NO_SCHEMA = (Lossy.NO_SCHEMA.of(),)


def _row(op: str, message: _Message, plain: bytes, options: Options) -> Event:
    data, old = message.data, message.old
    if (data is None) is not (op == "delete") or (old is None) is not (op == "insert"):
        raise DecodeError(ErrorCode.BAD_SHAPE, "data and old are not what the type of the row asks for")
    if message.database is None or message.table is None or message.schemaVersion is None:
        raise DecodeError(ErrorCode.BAD_SHAPE, "a row without database, table or schemaVersion")
    if data is not None and old is not None and len(old) != len(data):
        old = {**data, **old}

    flags = [*NO_SCHEMA]
    claim_check = None
    if message.claimCheckLocation:
        claim_check = message.claimCheckLocation.rpartition("/")[2]
        flags.append(Lossy.CLAIM_CHECK.of())
    elif message.handleKeyOnly:
        flags.append(Lossy.HANDLE_KEY_ONLY.of())
    if options.encoding == "json" and values.may_have_replaced_bytes(plain):
        flags.extend(_replaced_bytes(plain))

    timestamps = _timestamp_columns(message.tableID)
    before = None if old is None else _image(old, timestamps, options.time_zone, flags)
    after = None if data is None else _image(data, timestamps, options.time_zone, flags)
    return new_event(
        Event,
        ROW,
        commit_ts=_commit_ts(message),
        start_ts=message.startTs or None,
        schema_name=message.database,
        table_name=message.table,
        physical_table_id=message.tableID,
        op=op,
        before=before,
        after=after,
        table_schema_id=message.schemaVersion,
        lossy=NO_SCHEMA if len(flags) == 1 else tuple(dict.fromkeys(flags)),
        checksum=None if message.checksum is None else write_json(message.checksum),
        claim_check=claim_check,
    )


_TIMESTAMP = b':{"location":'
"""Stands in the JSON of a row where a timestamp does, and nowhere else: within a text quotes are escaped."""


@lru_cache(maxsize=10_000)
def _timestamp_columns(table_id: int | None) -> deque[str]:
    """Columns of a table that are known to hold timestamps; a hint, which rows that prove it incomplete add to."""
    del table_id
    return deque(maxlen=64)


def _image(row: _Row, timestamps: deque[str], zone: ZoneInfo | None, flags: list[str]) -> bytes:
    """The row as JSON; appends what could not be told to `flags`.

    To look at every cell costs more than to write the row, so that is done only where `timestamps` is not enough.
    """
    try:
        if _take_utc(row, timestamps):
            image = write_json(row)
            if image.find(_TIMESTAMP) < 0:
                return image
    except UnicodeEncodeError:
        pass
    for column, cell in row.items():
        if type(cell) is _Timestamp:
            row[column] = _utc(column, cell, zone, flags)
            if column not in timestamps:
                timestamps.append(column)
    try:
        return write_json(row)
    except UnicodeEncodeError:
        return write_json({column: _encodable(column, cell, flags) for column, cell in row.items()})


def _take_utc(row: _Row, timestamps: Iterable[str]) -> bool:
    """Puts the text of timestamps in UTC in their places; False if one names another zone."""
    for column in timestamps:
        cell = row.get(column)
        if type(cell) is _Timestamp:
            if cell.location != "UTC":
                return False
            row[column] = cell.value
    return True


def _utc(column: str, timestamp: _Timestamp, zone: ZoneInfo | None, flags: list[str]) -> str:
    try:
        at = _zone(timestamp.location) if timestamp.location != "Local" else zone
    except (ValueError, OSError, KeyError) as error:
        raise no_value(column, "its location is no known time zone") from error
    if at is None:
        return timestamp.value
    try:
        utc, twice = values.timestamp_to_utc(timestamp.value, at)
    except (ValueError, OverflowError) as error:
        raise no_value(column) from error
    if twice:
        flags.append(Lossy.AMBIGUOUS_TIME.of(column))
    return utc


@lru_cache(maxsize=256)
def _zone(location: str) -> ZoneInfo | None:
    """The zone that a timestamp names; None is UTC. `Local` names none: the feed's option tells it."""
    return None if location == "UTC" else ZoneInfo(location)


def _encodable(column: str, cell: _Cell, flags: list[str]) -> _Cell:
    """The cell without the surrogates that stand for bytes which are no UTF-8."""
    if not isinstance(cell, str):
        return cell
    text = cell.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    if text != cell:
        flags.append(Lossy.INVALID_UTF8.of(column))
    return text


def _replaced_bytes(plain: bytes) -> list[str]:
    r"""Flags of columns whose invalid UTF-8 was replaced: by the escape `\ufffd`, while a true U+FFFD is literal."""
    message = parsed(_read_with_numbers, plain, _WHAT)
    without = parsed(_read_with_numbers, values.without_replaced_bytes(plain), _WHAT)
    return [
        Lossy.INVALID_UTF8.of(column)
        for image, bare in ((message.data, without.data), (message.old, without.old))
        for column, cell in (image or {}).items()
        if (bare or {}).get(column) != cell
    ]


def converter(column_type: str, zone: ZoneInfo | None) -> values.Convert | None:
    """How the text of a cell in a row image becomes canonical; None where it is so as it stands.

    Timestamps are in UTC already, whatever the zone.
    """
    del zone
    base = values.base_type(column_type)
    if base in ("float", "double"):
        to_text = values.float_text if base == "float" else values.double_text
        return lambda text: (_without_exponent(text, to_text) if "e" in text.lower() else text, None)
    if base == "bit":
        return lambda text: (_unsigned(text), None)
    shared = values.shared_converter(column_type)
    if base == "set" and shared is not None:
        return lambda text: shared(_unsigned(text))
    return shared


def _without_exponent(text: str, to_text: Callable[[float], str]) -> str:
    """What encoders before TiCDC 8.5.6 wrote with an exponent (protocol facts 3.4)."""
    plain = to_text(float(text))
    if not plain[-1].isdigit():
        raise ValueError("not a finite number")
    return plain


def _unsigned(digits: str) -> str:
    """The digits of 64 bits that came as a signed number, as Avro has no other."""
    return str(int(digits) & 0xFFFF_FFFF_FFFF_FFFF) if digits.startswith("-") else digits
