"""Canal-JSON: one JSON object per message, every column value a string or null (protocol facts 1.4, 2.1, 3.2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, NamedTuple
from zoneinfo import ZoneInfo

import msgspec

from ticdc_udfs.contract import values
from ticdc_udfs.contract.events import ROW, DecodeError, ErrorCode, Event, Kind, Lossy, new_event, no_value
from ticdc_udfs.contract.options import Options
from ticdc_udfs.contract.schemas import Column, TableSchema, table_schema, write_json
from ticdc_udfs.wire.compression import decompress

_Uint63 = Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]
_Milliseconds = Annotated[int, msgspec.Meta(ge=0, le=2**45 - 1)]
_Row = dict[str, str | None]


class _Extension(msgspec.Struct):
    commitTs: _Uint63 | None = None
    watermarkTs: _Uint63 | None = None
    onlyHandleKey: bool = False
    claimCheckLocation: str | None = None
    rowkey: str | None = None


class _Message(msgspec.Struct):
    type: str
    es: _Milliseconds
    database: str
    table: str
    isDdl: bool = False
    sql: str | None = None
    pkNames: list[str] | None = None
    mysqlType: dict[str, str] | None = None
    data: list[_Row] | None = None
    old: list[_Row | None] | None = None
    extension: _Extension | None = msgspec.field(default=None, name="_tidb")


_read = msgspec.json.Decoder(_Message).decode


def decode(key: bytes | None, value: bytes | None, options: Options) -> tuple[Event, ...]:
    """The one event of a message: a row, a DDL or a watermark. Raises `DecodeError`; the key is not used."""
    del key
    if not value:
        raise DecodeError(ErrorCode.EMPTY_VALUE, "the message has no value")
    plain = decompress(value, options.compression)
    message = _parse(plain)
    extension = message.extension or _Extension()
    if message.type in _OPS:
        return (_row(message, extension, plain, options),)
    if message.isDdl:
        return (_ddl(message, extension),)
    if message.type == "TIDB_WATERMARK":
        if extension.watermarkTs is None:
            raise DecodeError(ErrorCode.BAD_SHAPE, "a watermark without _tidb.watermarkTs")
        return (Event(Kind.WATERMARK, commit_ts=extension.watermarkTs),)
    raise DecodeError(
        ErrorCode.UNKNOWN_KIND, "type is none of INSERT, UPDATE, DELETE, TIDB_WATERMARK, and isDdl is false"
    )


def _parse(plain: bytes) -> _Message:
    try:
        return _read(plain)
    except msgspec.ValidationError as error:
        raise DecodeError(ErrorCode.BAD_SHAPE, f"no canal-json message: {_place_only(str(error))}") from error
    except UnicodeDecodeError as error:
        raise DecodeError(ErrorCode.NOT_UTF8, f"the value is not UTF-8 at byte {error.start}") from error
    except (msgspec.DecodeError, RecursionError) as error:
        raise DecodeError(ErrorCode.BAD_JSON, f"the value is not JSON: {error}") from error


def _place_only(validation_error: str) -> str:
    """The validator's text without the path: it may hold column names, and bounds say enough."""
    return validation_error.partition(" - at ")[0]


def _commit_ts(message: _Message, extension: _Extension) -> tuple[int, bool]:
    """The commit TSO; without the extension the commit's millisecond with a zero logical part."""
    if extension.commitTs is not None:
        return extension.commitTs, True
    return message.es << 18, False


def _ddl(message: _Message, extension: _Extension) -> Event:
    commit_ts, exact = _commit_ts(message, extension)
    return Event(
        Kind.DDL,
        commit_ts=commit_ts,
        commit_ts_exact=exact,
        schema_name=message.database,
        table_name=message.table,
        ddl_query=message.sql or "",
        ddl_type=message.type,
    )


def _row(message: _Message, extension: _Extension, plain: bytes, options: Options) -> Event:
    op = _OPS[message.type]
    if not message.data or len(message.data) != 1:
        raise DecodeError(ErrorCode.BAD_SHAPE, "a row message whose data is not a list of one object")
    data = message.data[0]
    plan = _plan_of(message, data, options.time_zone)
    old = _pre_image(message, data) if op == "update" else None

    flags = [*plan.flags]
    if values.may_have_replaced_bytes(plain):
        flags.extend(_replaced_bytes(message, plain))
    claim_check = None
    if extension.claimCheckLocation is not None:
        claim_check = extension.claimCheckLocation.rpartition("/")[2]
        flags.append(Lossy.CLAIM_CHECK.of())
    elif extension.onlyHandleKey:
        flags.append(Lossy.HANDLE_KEY_ONLY.of())

    if plan.converters:
        _make_canonical(data, plan, flags)
    row_key = write_json({column: data[column] for column in plan.key})
    before_key = before = None
    if old is not None:
        if plan.converters:
            _make_canonical(old, plan, flags)
        before = write_json(old)
        if [*map(old.get, plan.key)] != [*map(data.get, plan.key)]:
            before_key = write_json({column: old[column] for column in plan.key})
    after: bytes | None = write_json(data)
    if op == "delete":
        before, after = after, None
    commit_ts, exact = _commit_ts(message, extension)
    members = (
        ROW,
        commit_ts,
        exact,
        None,
        message.database,
        message.table,
        None,
        op,
        row_key,
        before_key,
        before,
        after,
        *plan.schema,
        None,
        None,
        tuple(dict.fromkeys(flags)) if flags else (),
        None,
        None,
        None,
        None,
        claim_check,
        extension.rowkey if _NO_KEY in plan.flags else None,
    )
    return new_event(members)


_NO_KEY = Lossy.NO_KEY.of()
_OPS: Mapping[str, str] = {"INSERT": "insert", "UPDATE": "update", "DELETE": "delete"}


def _pre_image(message: _Message, data: _Row) -> _Row | None:
    """The row before an update: `old` holds every column, or only those that changed, or none at all."""
    if not message.old:
        return None
    if len(message.old) != 1:
        raise DecodeError(ErrorCode.BAD_SHAPE, "a row message whose old is not a list of one object")
    old = message.old[0]
    if old is None:
        return None
    if not old.keys() <= data.keys():
        raise DecodeError(ErrorCode.BAD_SHAPE, "old has columns that data has not")
    return old if len(old) == len(data) else {**data, **old}


class _Plan(NamedTuple):
    """What is the same for all rows that bear one table schema."""

    columns: list[str]
    types: dict[str, str]
    primary_key: list[str] | None
    key: list[str]
    converters: list[tuple[str, values.Convert]]
    flags: list[str]
    schema: TableSchema


_plans: dict[tuple[str, str, ZoneInfo | None], _Plan] = {}
_MAX_PLANS = 10_000


def _plan_of(message: _Message, data: _Row, zone: ZoneInfo | None) -> _Plan:
    """The plan of a row's table schema; the last one of each table is kept, as most rows bear it again."""
    table = (message.database, message.table, zone)
    plan = _plans.get(table)
    if (
        plan is None
        or plan.types != message.mysqlType
        or plan.primary_key != message.pkNames
        or plan.columns != list(data)
    ):
        if len(_plans) >= _MAX_PLANS:
            _plans.clear()
        plan = _plans[table] = _new_plan(message, data, zone)
    return plan


def _new_plan(message: _Message, data: _Row, zone: ZoneInfo | None) -> _Plan:
    types, primary_key = message.mysqlType, message.pkNames
    if types is None or not data.keys() <= types.keys():
        raise DecodeError(ErrorCode.BAD_SHAPE, "mysqlType does not name every column of data")
    # column selectors may leave out the primary key: part of it is no key
    key = primary_key if primary_key and data.keys() >= set(primary_key) else []
    columns = list(data)
    places = {column: place for place, column in enumerate(key, start=1)}
    told = {column: values.certain_type(types[column]) for column in columns}
    converters = ((column, converter(told[column], zone)) for column in columns)
    return _Plan(
        columns=columns,
        types=types,
        primary_key=primary_key,
        key=key or columns,
        converters=[(column, convert) for column, convert in converters if convert is not None],
        flags=[] if key else [_NO_KEY],
        schema=table_schema([Column(column, told[column], places.get(column)) for column in columns]),
    )


def converter(column_type: str, zone: ZoneInfo | None) -> values.Convert | None:
    """How a type's wire text becomes canonical; None where it is canonical as it stands."""
    base = values.base_type(column_type)
    if base.endswith(("blob", "binary")):
        return lambda text: (values.binary_from_latin1(text), None)
    if base == "timestamp" and zone is not None:
        return values.timestamp_converter(zone)
    return values.shared_converter(column_type)


def _make_canonical(row: _Row, plan: _Plan, flags: list[str]) -> None:
    """Puts canonical texts into the row; appends what could not be told to `flags`."""
    for column, convert in plan.converters:
        text = row[column]
        if text is None:
            continue
        try:
            row[column], reason = convert(text)
        except (ValueError, OverflowError) as error:
            raise no_value(column) from error
        if reason is not None:
            flags.append(reason.of(column))


def _replaced_bytes(message: _Message, plain: bytes) -> list[str]:
    r"""Flags of columns whose invalid UTF-8 was replaced: by the escape `\ufffd`, while a true U+FFFD is literal."""
    without = _parse(values.without_replaced_bytes(plain))
    return [
        Lossy.INVALID_UTF8.of(column)
        for images, stripped in ((message.data, without.data), (message.old, without.old))
        for image, bare in zip(images or (), stripped or (), strict=True)
        for column, text in (image or {}).items()
        if (bare or {}).get(column) != text
    ]
