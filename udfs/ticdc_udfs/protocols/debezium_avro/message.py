"""Debezium-Avro: Debezium's envelope in Avro, its writer schema in a registry (protocol facts 1.7, 2.6, 3.6).

The writer schema tells no fraction digits of DATETIME and TIME: such columns are flagged `<column>:no_schema`, and a
later step that knows the table's schema converts their texts by `converter`. Of all columns it finds the texts that may
stand for NULL: the encoder writes a column's default in its place, and sends no defaults (0.1 line 6).

With `avro-enable-watermark` there are watermarks and DDL too, whose envelopes have no row.
"""

from __future__ import annotations

from binascii import b2a_base64
from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

import msgspec

from ticdc_udfs.contract import values
from ticdc_udfs.contract.events import DecodeError, ErrorCode, Event, Kind, Lossy, no_value
from ticdc_udfs.contract.options import BinaryMode, Options
from ticdc_udfs.contract.schemas import Column, TableSchema, table_schema, write_json
from ticdc_udfs.protocols.debezium import values as debezium_values
from ticdc_udfs.protocols.debezium.message import Change, Source, ddl_event
from ticdc_udfs.protocols.debezium.values import flagging, null_reason, stands_for_null
from ticdc_udfs.wire.avro_binary import (
    Field,
    Record,
    Value,
    decimal_scale,
    decimal_text,
    double_text,
    float_text,
    parse_schema,
    read,
    schema_of,
)
from ticdc_udfs.wire.json_text import parsed

_Row = dict[str, str | None]
Convert = Callable[[Any], tuple[str, Lossy | None]]
"""A conversion of Avro values, other than null, to canonical text and why it is flagged."""

_OPS: Mapping[Value, str] = {"c": "insert", "u": "update", "d": "delete"}


def decode(
    key: bytes | None, value: bytes | None, options: Options, key_schema: str | None, value_schema: str | None
) -> tuple[Event, ...]:
    """The one event of a message; the writer schemas of key and value are given as JSON text.

    Raises `DecodeError`, with `SCHEMA_MISSING` where a schema is None that the message names.
    """
    if not value:
        raise DecodeError(ErrorCode.EMPTY_VALUE, "the message has no value")
    key_text = schema_of(key, key_schema, options.framing, "key") if key else None
    value_text = schema_of(value, value_schema, options.framing, "value")
    rowless = _rowless(value_text)
    if rowless is not None:
        return (_other_event(rowless, read(rowless, value, options.framing, "value")[0]),)
    plan = row_plan(value_text, key_text, options.binary, options.time_zone)
    wire, replaced = read(plan.record, value, options.framing, "value")
    op = wire[plan.op]
    if op == "m":
        return (Event(Kind.WATERMARK, commit_ts=_source(wire, plan)[2]),)
    if op not in _OPS:
        raise DecodeError(ErrorCode.UNKNOWN_KIND, "op is none of c, u, d, m")
    return (_row(_OPS[op], wire, plan, replaced),)


@lru_cache(maxsize=4096)
def _rowless(value_schema: str) -> Record | None:
    """The envelope of a watermark or a DDL; None where it is that of rows."""
    envelope = parse_schema(value_schema, "value")
    return None if any(field.name in ("before", "after") for field in envelope.fields) else envelope


class _Envelope(msgspec.Struct):
    source: Source
    op: str | None = None
    ddl: str | None = None
    tableChanges: list[Change] = []


_convert_envelope = partial(msgspec.convert, type=_Envelope)


def _other_event(envelope: Record, wire: list[Value]) -> Event:
    other = parsed(_convert_envelope, _named(envelope, wire), "watermark or DDL")
    if other.ddl is not None:
        return ddl_event(other.source, other.ddl, other.tableChanges)
    if other.op != "m":
        raise DecodeError(ErrorCode.UNKNOWN_KIND, "the message has no row, and is neither a watermark nor a DDL")
    return Event(Kind.WATERMARK, commit_ts=other.source.commit_ts)


def _named(record: Record, wire: Any) -> dict[str, Any]:
    """A record's values by the names of its fields."""
    return {_name(field): _value(field, value) for field, value in zip(record.fields, wire, strict=True)}


def _value(field: Field, value: Any) -> Any:
    if value is None or field.record is None:
        return value
    if field.kind == "record":
        return _named(field.record, value)
    (item,) = field.record.fields
    return [_value(item, each) for each in value]


_TO_COMPLETE = frozenset({"datetime", "time", "timestamp", "float", "bigint"})


def converter(
    column_type: str,
    zone: ZoneInfo | None = None,
    *,
    nullable: bool | None = None,
    default: str | None = None,
    is_told: bool = False,
) -> values.Convert | None:
    """How the text of an image becomes that of its column, once that is known; None where it is so already.

    `default` and `zone` tell which text may stand for NULL, as in `debezium_values.converter`. With `is_told` the
    writer schema told all about values, so that only a default in place of NULL is looked for.
    """
    convert = None
    base = values.base_type(column_type)
    if base in _TO_COMPLETE and not is_told:
        convert = debezium_values.converter(column_type, zone)
    elif base == "decimal":
        convert = _decimal_converter(column_type)
    if default is None or nullable is False:
        return convert
    return flagging(convert, stands_for_null(column_type, default, zone, by_classic=False))


def _decimal_converter(column_type: str) -> values.Convert | None:
    """Completes a default written in place of NULL: it has the digits of its DDL, values have those of the scale."""
    digits = debezium_values.parameters(column_type)
    if len(digits) != 2 or not 0 < digits[1] <= 30:
        return None
    scale = digits[1]

    def convert(text: str) -> tuple[str, Lossy | None]:
        whole, _, fraction = text.partition(".")
        return f"{whole}.{fraction.ljust(scale, '0')}", None

    return convert


def _row(op: str, wire: list[Value], plan: RowPlan, replaced: list[str]) -> Event:
    schema_name, table_name, commit_ts = _source(wire, plan)
    before, after = wire[plan.before], wire[plan.after]
    if (before if op == "delete" else after) is None:
        raise DecodeError(ErrorCode.BAD_SHAPE, "a row message without the row")
    flags = [*plan.flags, *(Lossy.INVALID_UTF8.of(plan.original.get(field, field)) for field in replaced)]
    new = None if after is None or op == "delete" else _image(after, plan, flags)
    old = None if before is None or op == "insert" else _image(before, plan, flags)
    image = new if new is not None else old or {}
    row_key = {column: image[column] for column in plan.key}
    old_key = {column: old[column] for column in plan.key} if old is not None else row_key
    # by position: keywords would cost as much as reading the message
    return Event(
        Kind.ROW,
        commit_ts,
        True,
        None,
        schema_name,
        table_name,
        None,
        op,
        write_json(row_key),
        write_json(old_key) if old_key != row_key else None,
        write_json(old) if old is not None else None,
        write_json(new) if new is not None else None,
        *plan.schema,
        None,
        None,
        tuple(dict.fromkeys(flags)) if flags else (),
    )


def _source(wire: list[Value], plan: RowPlan) -> tuple[str, str, int]:
    source: Any = wire[plan.source]
    schema_name, table_name, commit_ts = (source[place] for place in plan.source_places)
    if commit_ts <= 0:
        raise DecodeError(ErrorCode.BAD_VALUE, "commit_ts of the source is no TSO")
    return schema_name, table_name, commit_ts


def _image(row: Any, plan: RowPlan, flags: list[str]) -> _Row:
    """The row in canonical texts; appends what could not be told to `flags`."""
    image: _Row = {}
    column = ""
    try:
        for (column, told, null_flag, _), value in zip(plan.columns, row, strict=True):
            if value is None:
                image[column] = None
                if null_flag is not None:
                    flags.append(null_flag)
                continue
            image[column], reason = told.convert(value)
            if reason is not None:
                flags.append(reason.of(column))
    except (ValueError, OverflowError) as error:
        raise no_value(column) from error
    return image


class Told(NamedTuple):
    """A column's type and the conversion of its Avro values; not `complete` where its texts are to be converted again.

    `is_plain` tells that texts are those of the wire: a string, digits, or the shortest digits of a double.
    `of_integer` is the conversion of integers, where there is one.
    """

    column_type: str
    convert: Convert
    complete: bool = True
    is_plain: bool = False
    of_integer: debezium_values.OfInteger | None = None


class PlanColumn(NamedTuple):
    """A column of the rows: its own name, what the writer schema tells of it, and the flag of a NULL in it."""

    name: str
    told: Told
    null_flag: str | None
    field: Field


class RowPlan(NamedTuple):
    """What is the same for all rows of one writer schema: the places of what is read, and the columns."""

    record: Record
    before: int
    after: int
    source: int
    op: int
    source_places: tuple[int, int, int]
    columns: list[PlanColumn]
    original: dict[str, str]
    key: list[str]
    flags: list[str]
    schema: TableSchema


@lru_cache(maxsize=4096)
def row_plan(value_schema: str, key_schema: str | None, binary: BinaryMode | None, zone: ZoneInfo | None) -> RowPlan:
    """The plan of the rows of a writer schema, and of keys of another one.

    `binary` is how bytes come as text, `zone` that of the changefeed.
    """
    envelope = parse_schema(value_schema, "value")
    before, after, source, op = (
        _place(envelope, name, kind)
        for name, kind in (("before", "record"), ("after", "record"), ("source", "record"), ("op", "string"))
    )
    row, old, origin = (envelope.fields[place].record for place in (after, before, source))
    if row is None or row != old or origin is None:
        raise DecodeError(ErrorCode.BAD_SHAPE, "before and after of the writer schema are not alike")
    if any(field.record is not None for field in row.fields):
        raise DecodeError(ErrorCode.BAD_SHAPE, "a column is a record or an array")
    original = {field.name: _name(field) for field in row.fields}
    key = [] if key_schema is None else [_name(field) for field in parse_schema(key_schema, "key").fields]
    no_place = None if key or key_schema is None else 0
    if not set(key) <= set(original.values()):
        key = []  # column selectors have left out some of it: part of a key is none
    places = {column: place for place, column in enumerate(key, start=1)}
    flags = [] if key else [Lossy.NO_KEY.of()]
    columns, table = [], []
    for field in row.fields:
        name, told = _name(field), _told(field, binary or "base64", zone)
        null = null_reason(told.column_type, None)
        columns.append(PlanColumn(name, told, null.of(name) if null is not None else None, field))
        table.append(Column(name, told.column_type, places.get(name, no_place)))
        if not told.complete:
            flags.append(Lossy.NO_SCHEMA.of(name))
    return RowPlan(
        envelope,
        before,
        after,
        source,
        op,
        (_place(origin, "db", "string"), _place(origin, "table", "string"), _place(origin, "commit_ts", "long")),
        columns,
        original,
        key or list(original.values()),
        flags,
        table_schema(table),
    )


def _place(record: Record, name: str, kind: str) -> int:
    for place, field in enumerate(record.fields):
        if field.name == name and field.kind == kind and (field.null_branch is None or name in ("before", "after")):
            return place
    raise DecodeError(ErrorCode.BAD_SHAPE, f"the writer schema has no field {name} of its kind")


def _name(field: Field) -> str:
    """The column's own name; the field's is sanitized."""
    name = field.members.get("connect.field")
    return name if isinstance(name, str) else field.name


_CONNECT_TYPES = {"int": "int32", "long": "int64"}


def _told(field: Field, binary: BinaryMode, zone: ZoneInfo | None) -> Told:
    scale = decimal_scale(field)
    if scale is not None:
        column_type = f"decimal({field.attributes['precision']},{scale})"
        return Told(column_type, lambda value: (decimal_text(value, scale), None))
    tidb_type, connect_type, name = (
        text if isinstance(text, str) else None
        for text in (
            field.members.get("tidb_type"),
            field.attributes.get("connect.type"),
            field.attributes.get("connect.name"),
        )
    )
    length, allowed = (
        text if isinstance(text, str) else None
        for text in (field.parameters.get("length"), field.parameters.get("allowed"))
    )
    connect_type = connect_type or _CONNECT_TYPES.get(field.kind, field.kind)
    told = debezium_values.told(
        debezium_values.Field(connect_type, name, tidb_type, length, allowed), None, binary, zone
    )
    if field.kind == "double" or field.kind == "float":
        base = None if tidb_type is None else values.base_type(tidb_type)
        is_plain = field.kind == "double" and base not in (None, "float")
        return Told(told.column_type, _number(field.kind, base), is_plain=is_plain)
    if told.column_type == "decimal" and field.kind == "string":
        return Told(told.column_type, lambda value: (value, None), is_plain=True)
    is_plain = told.convert is None and field.kind in ("string", "int", "long")
    return Told(told.column_type, _by_text(field.kind, told.convert), told.complete, is_plain, told.of_integer)


def _number(kind: str, base: str | None) -> Convert:
    """FLOAT(M,D) comes as a double that holds a single-precision number: without type its digits are not known."""
    if kind == "float" or base == "float":
        return lambda value: (float_text(value), None)
    if base is not None:
        return lambda value: (double_text(value), None)

    def convert(value: Any) -> tuple[str, Lossy | None]:
        text = double_text(value)
        return text, None if float_text(value) == text else Lossy.NO_SCHEMA

    return convert


def _by_text(kind: str, convert: values.Convert | None) -> Convert:
    """The conversion of what Debezium's JSON form would hold: digits, true and false, a text, base64 of bytes."""
    as_text: Callable[[Any], str] = str
    if kind == "bytes":
        as_text = _base64
    elif kind == "boolean":
        as_text = _boolean
    if convert is None:
        return lambda value: (as_text(value), None)
    return lambda value: convert(as_text(value))


def _base64(data: bytes) -> str:
    return b2a_base64(data, newline=False).decode("ascii")


def _boolean(value: bool) -> str:
    return "true" if value else "false"
