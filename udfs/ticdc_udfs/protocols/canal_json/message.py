"""Canal-JSON: one JSON object per message, every column value a string or null (protocol facts 1.4, 2.1, 3.2)."""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from typing import Annotated, Any, NamedTuple
from zoneinfo import ZoneInfo

import msgspec

from ticdc_udfs.contract import internal_columns, values
from ticdc_udfs.contract.events import (
    IMAGES,
    ROW,
    DecodeError,
    ErrorCode,
    Event,
    Image,
    Kind,
    Lossy,
    RowMembers,
    new_row_members,
    no_value,
)
from ticdc_udfs.contract.options import Options
from ticdc_udfs.contract.schemas import Column, table_schema, write_json
from ticdc_udfs.wire.compression import decompress
from ticdc_udfs.wire.json_text import parsed

_Uint63 = Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]
_Milliseconds = Annotated[int, msgspec.Meta(ge=0, le=2**45 - 1)]


class _Extension(msgspec.Struct):
    commitTs: _Uint63 | None = None
    watermarkTs: _Uint63 | None = None
    onlyHandleKey: bool = False
    claimCheckLocation: str | None = None
    rowkey: str | None = None


class Message(msgspec.Struct):
    """The members of a message that are read; others may be there."""

    type: str
    es: _Milliseconds
    database: str
    table: str
    isDdl: bool = False
    sql: str | None = None
    pkNames: list[str] | None = None
    mysqlType: dict[str, str] | None = None
    sqlType: msgspec.Raw = msgspec.Raw(b"null")
    ts: Any = None
    data: list[Image] | None = None
    old: list[Image | None] | None = None
    extension: _Extension | None = msgspec.field(default=None, name="_tidb")


read = msgspec.json.Decoder(Message).decode
"""A message of plain bytes. Raises what msgspec raises."""


def decode(key: bytes | None, value: bytes | None, options: Options) -> tuple[Event, ...]:
    """The one event of a message: a row, a DDL or a watermark. Raises `DecodeError`; the key is not used."""
    del key
    if not value:
        raise DecodeError(ErrorCode.EMPTY_VALUE, "the message has no value")
    plain = decompress(value, options.compression)
    message = parsed(read, plain, _WHAT)
    if message.type in _OPS:
        plan = plan_of(message, options.time_zone)
        return (_event(plan.events[message.type], row_members(message, plan, plain)),)
    extension = message.extension or _NO_EXTENSION
    if message.isDdl:
        return (_ddl(message, extension),)
    if message.type == "TIDB_WATERMARK":
        if extension.watermarkTs is None:
            raise DecodeError(ErrorCode.BAD_SHAPE, "a watermark without _tidb.watermarkTs")
        return (Event(Kind.WATERMARK, commit_ts=extension.watermarkTs),)
    raise DecodeError(
        ErrorCode.UNKNOWN_KIND, "type is none of INSERT, UPDATE, DELETE, TIDB_WATERMARK, and isDdl is false"
    )


def _commit_ts(message: Message, extension: _Extension) -> tuple[int, bool]:
    """The commit TSO; without the extension the commit's millisecond with a zero logical part."""
    if extension.commitTs is not None:
        return extension.commitTs, True
    return message.es << 18, False


def _ddl(message: Message, extension: _Extension) -> Event:
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


def _event(common: Event, members: RowMembers) -> Event:
    images = {name: getattr(members, name) for name in IMAGES}
    texts = {name: None if image is None else write_json(image) for name, image in images.items()}
    return common._replace(**members._asdict() | texts)


@lru_cache(maxsize=1_000)
def _id_of(start: str) -> int | None:
    try:
        record = b64decode(start, validate=True)
    except ValueError:
        return None
    return int.from_bytes(record[1:9], "big") - 2**63 if record[:1] == b"t" else None


def physical_id(rowkey: str | None) -> int | None:
    """The id of the table or partition that holds a row, from the base64 of TiKV's key of it (TiDB's `tablecodec`).

    That begins with a `t` and the id as eight bytes, most significant first, with the sign bit flipped.
    """
    found = None if rowkey is None or len(rowkey) < 12 else _id_of(rowkey[:12])
    return found if found is not None and found > 0 else None


def row_members(message: Message, plan: Plan, plain: bytes) -> RowMembers:
    """What the event of a row has for itself; `plan` is the row's. Raises `DecodeError`."""
    (data,) = message.data or [{}]
    old = _pre_image(message, data, plan.columns) if message.type == "UPDATE" else None

    flags = [*plan.flags]
    if values.may_have_replaced_bytes(plain):
        flags += _replaced_bytes(message, plain)
    extension = message.extension or _NO_EXTENSION
    claim_check = extension.claimCheckLocation
    if claim_check is not None:
        claim_check = claim_check.rpartition("/")[2]
        flags.append(Lossy.CLAIM_CHECK.of())
    elif extension.onlyHandleKey:
        flags.append(Lossy.HANDLE_KEY_ONLY.of())

    for column in plan.texts_of_key:
        # the new architecture up to 8.5.5-release.4 writes the text `null` as NULL, which no primary key holds
        for row in (data, old or {}):
            if row.get(column, "") is None:
                row[column] = "null"
    raw = _raw_binaries(message) if message.ts == 0 else frozenset[str]()
    images = (data,) if old is None else (data, old)
    if plan.converters:
        wire = [{column: row[column] for column in plan.unsure_labels} for row in images] if plan.unsure_labels else ()
        for row in images:
            _make_canonical(row, plan, flags, raw)
        if wire:
            _keep_numbers(images, wire, flags)
    row_key, before_key = {column: data[column] for column in plan.key}, None
    if old is not None:
        old_key = {column: old[column] for column in plan.key}
        before_key = None if old_key == row_key else old_key
    before, after = (data, None) if message.type == "DELETE" else (old, data)
    commit_ts, exact = _commit_ts(message, extension)
    lossy = tuple(dict.fromkeys(flags)) if flags else ()
    row_id, table_id = extension.rowkey if plan.flags else None, physical_id(extension.rowkey)
    return new_row_members((commit_ts, exact, row_key, before_key, before, after, lossy, claim_check, row_id, table_id))


_WHAT = "canal-json message"
_NO_EXTENSION = _Extension()
_NO_KEY = Lossy.NO_KEY.of()
_OPS: Mapping[str, str] = {"INSERT": "insert", "UPDATE": "update", "DELETE": "delete"}


def _pre_image(message: Message, data: Image, columns: list[str]) -> Image | None:
    """The row before an update: `old` holds every column, or only those that changed, or none at all."""
    if not message.old:
        return None
    if len(message.old) != 1:
        raise DecodeError(ErrorCode.BAD_SHAPE, "a row message whose old is not a list of one object")
    old = message.old[0]
    if old is None:
        return None
    if [*old] == columns:  # quicker than what follows, and nearly always so
        return old
    unknown = old.keys() - data.keys()
    if unknown:
        # TiCDC 8.5.4 writes those that column selectors leave out, each as an empty text
        if any(old[column] != "" for column in unknown):
            raise DecodeError(ErrorCode.BAD_SHAPE, "old has columns that data has not")
        old = {column: text for column, text in old.items() if column not in unknown}
    return old if len(old) == len(data) else {**data, **old}


class Plan(NamedTuple):
    """What is the same for all rows that bear one table schema.

    Of columns whose texts are converted these are the name, the conversion, and the flag where that is all it does.
    `texts_of_key` are the columns of the primary key that hold text or bytes, `unsure_labels` those of which some
    labels are not certain. `events` have the members that rows of a type of message have in common.
    """

    columns: list[str]
    types: dict[str, str]
    primary_key: list[str] | None
    key: list[str]
    texts_of_key: list[str]
    converters: list[tuple[str, values.Convert, str | None]]
    unsure_labels: list[str]
    flags: list[str]
    has_internal_columns: bool
    events: dict[str, Event]


_plans: dict[tuple[str, str, ZoneInfo | None], Plan] = {}
_MAX_PLANS = 10_000


def plan_of(message: Message, zone: ZoneInfo | None) -> Plan:
    """The plan of a row's table schema; the last one of each table is kept, as most rows bear it again.

    Raises `DecodeError` where the message is no row.
    """
    if not message.data or len(message.data) != 1:
        raise DecodeError(ErrorCode.BAD_SHAPE, "a row message whose data is not a list of one object")
    columns = [*message.data[0]]
    table = (message.database, message.table, zone)
    plan = _plans.get(table)
    if (
        plan is None
        or plan.columns != columns
        or plan.types != message.mysqlType
        or plan.primary_key != message.pkNames
    ):
        if len(_plans) >= _MAX_PLANS:
            _plans.clear()
        plan = _plans[table] = _new_plan(message, columns, zone)
    return plan


def _new_plan(message: Message, columns: list[str], zone: ZoneInfo | None) -> Plan:
    types, primary_key = message.mysqlType, message.pkNames
    if types is None or not types.keys() >= {*columns}:
        raise DecodeError(ErrorCode.BAD_SHAPE, "mysqlType does not name every column of data")
    # column selectors may leave out the primary key: part of it is no key
    key = primary_key if primary_key and {*columns} >= {*primary_key} else []
    places = {column: place for place, column in enumerate(key, start=1)}
    told = {column: values.certain_type(types[column]) for column in columns}
    converters = ((column, converter(told[column], zone)) for column in columns)
    schema = table_schema([Column(column, told[column], places.get(column)) for column in columns])
    common = Event(
        ROW,
        schema_name=message.database,
        table_name=message.table,
        table_schema_id=schema.id,
        table_schema=schema.text,
    )
    return Plan(
        columns=columns,
        types=types,
        primary_key=primary_key,
        key=key or columns,
        texts_of_key=[column for column in key if values.base_type(told[column]).endswith(_TEXTS)],
        converters=[
            (column, convert, Lossy.LABEL_UNKNOWN.of(column) if convert is values.label_unknown else None)
            for column, convert in converters
            if convert is not None
        ],
        unsure_labels=[column for column in columns if values.UNCERTAIN_LABEL in (values.labels(told[column]) or ())],
        flags=[] if key else [_NO_KEY],
        has_internal_columns=bool(internal_columns.among(columns)),
        events={name: common._replace(op=op) for name, op in _OPS.items()},
    )


_TEXTS = ("char", "text", "binary", "blob")
_read_sql_types = msgspec.json.Decoder(dict[str, int]).decode
_JAVA_TEXTS = (1, 12)


def _raw_binaries(message: Message) -> frozenset[str]:
    """Columns whose bytes, if they are binary, came as UTF-8: releases before 5.4, whose `ts` is 0, call them texts."""
    try:
        types = _read_sql_types(message.sqlType)
    except msgspec.MsgspecError:
        return frozenset()
    return frozenset(column for column, java_type in types.items() if java_type in _JAVA_TEXTS)


def converter(column_type: str, zone: ZoneInfo | None) -> values.Convert | None:
    """How a type's wire text becomes canonical; None where it is canonical as it stands."""
    base = values.base_type(column_type)
    if base.endswith(("blob", "binary")):
        return _binary
    if base == "float":
        return _float
    if base == "timestamp" and zone is not None:
        return values.timestamp_converter(zone)
    return values.shared_converter(column_type)


def _float(text: str) -> tuple[str, None]:
    return values.single(text), None


def _binary(text: str) -> tuple[str, None]:
    return values.binary_from_latin1(text), None


def _raw_binary(text: str) -> tuple[str, None]:
    return b64encode(text.encode()).decode("ascii"), None


def _make_canonical(row: Image, plan: Plan, flags: list[str], raw: Collection[str]) -> None:
    """Puts canonical texts into the row; appends what could not be told to `flags`."""
    for column, convert, flag in plan.converters:
        text = row[column]
        if text is None:
            continue
        if flag is not None:
            flags.append(flag)
            continue
        if column in raw and convert is _binary:
            convert = _raw_binary
        try:
            row[column], reason = convert(text)
        except (ValueError, OverflowError) as error:
            raise no_value(column) from error
        if reason is not None:
            flags.append(reason.of(column))


def _keep_numbers(images: Sequence[Image], numbers: Sequence[Image], flags: Collection[str]) -> None:
    """Leaves a column's numbers in both images of a row where the label of one is not told.

    The later step that knows the labels takes all cells of a flagged column for numbers, as some labels look like.
    """
    for row, wire in zip(images, numbers, strict=True):
        row.update((column, number) for column, number in wire.items() if Lossy.LABEL_UNKNOWN.of(column) in flags)


def _replaced_bytes(message: Message, plain: bytes) -> list[str]:
    r"""Flags of columns whose invalid UTF-8 was replaced: by the escape `\ufffd`, while a true U+FFFD is literal."""
    without = parsed(read, values.without_replaced_bytes(plain), _WHAT)
    return [
        Lossy.INVALID_UTF8.of(column)
        for images, stripped in ((message.data, without.data), (message.old, without.old))
        for image, bare in zip(images or (), stripped or (), strict=True)
        for column, text in (image or {}).items()
        if (bare or {}).get(column) != text
    ]
