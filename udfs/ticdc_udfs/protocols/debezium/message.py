"""Debezium JSON: Kafka Connect's envelope, with the schema of the row in every message (protocol facts 1.8, 2.3, 3.6).

An inline schema tells neither the scale of decimals nor the fraction digits of DATETIME and TIME: such columns are
flagged `<column>:no_schema`, and without inline schema the whole row is. The later step that knows the table's schema
converts the texts of the flagged columns by `converter`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import NoneType
from typing import Annotated, Any, NamedTuple, TypeVar
from zoneinfo import ZoneInfo

import msgspec

from ticdc_udfs.contract import values
from ticdc_udfs.contract.events import ROW, DecodeError, ErrorCode, Event, Kind, Lossy, new_event, no_value
from ticdc_udfs.contract.options import BinaryMode, Options
from ticdc_udfs.contract.schemas import Column, TableSchema, labelled_type, table_schema, write_json
from ticdc_udfs.protocols.debezium.binary import Bytes, Unsure, certain, settle
from ticdc_udfs.protocols.debezium.values import (
    BINARY,
    Field,
    OfInteger,
    converter,
    flagging,
    null_reason,
    stands_for_null,
    told,
    told_default,
    told_inline_stands_for_null,
)
from ticdc_udfs.wire.compression import decompress
from ticdc_udfs.wire.json_text import parsed

__all__ = ["converter", "decode", "null_reason"]

_Uint63 = Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]
_Row = dict[str, Any]
_Image = dict[str, str | None]


class Source(msgspec.Struct):
    """Where an event comes from."""

    db: str
    table: str
    commit_ts: _Uint63
    start_ts: _Uint63 | None = None


class _Payload(msgspec.Struct):
    source: Source
    op: str | None = None
    before: _Row | None = None
    after: _Row | None = None
    ddl: str | None = None
    tableChanges: msgspec.Raw = msgspec.Raw(b"[]")


class _Message(msgspec.Struct):
    payload: _Payload
    schema: msgspec.Raw = msgspec.Raw()


class _Field(msgspec.Struct):
    field: str
    type: str
    optional: bool = True
    name: str | None = None
    tidb_type: str | None = None
    parameters: dict[str, str] | None = None
    default: Any = None


class _Member(msgspec.Struct):
    field: str
    fields: list[_Field] = []


class _Schema(msgspec.Struct):
    fields: list[_Member]


class _Key(msgspec.Struct):
    payload: _Row
    schema: _Schema | None = None


class _Column(msgspec.Struct):
    name: str
    typeName: str
    length: int | None = None
    scale: int | None = None
    optional: bool | None = None
    defaultValueExpression: Any = None
    enumValues: list[str] | None = None


class _Table(msgspec.Struct):
    columns: list[_Column]
    primaryKeyColumnNames: list[str] | None = None


class Change(msgspec.Struct):
    """What a DDL did to a table."""

    type: str
    id: str
    table: _Table | None = None


_T = TypeVar("_T")
_K = TypeVar("_K")

# the text of a number with a point is kept: a double's is not always what a DECIMAL had
_read = msgspec.json.Decoder(_Message, float_hook=str).decode
_read_payload = msgspec.json.Decoder(_Payload, float_hook=str).decode
_read_key = msgspec.json.Decoder(_Key, float_hook=str).decode
_read_schema = msgspec.json.Decoder(_Schema, float_hook=str).decode
_read_changes = msgspec.json.Decoder(list[Change], float_hook=str).decode


def decode(key: bytes | None, value: bytes | None, options: Options) -> tuple[Event, ...]:
    """The one event of a message: a row, a DDL or a watermark. Raises `DecodeError`."""
    if not value:
        raise DecodeError(ErrorCode.EMPTY_VALUE, "the message has no value")
    plain = decompress(value, options.compression)
    try:
        return (_event(plain, key, options),)
    except DecodeError as error:
        flags = _replaced_bytes(plain) if error.code == ErrorCode.NOT_UTF8 else ()
        if not flags:
            raise
    event = _event(_with_replaced_bytes(plain), key, options)
    return (event._replace(lossy=tuple(dict.fromkeys((*event.lossy, *flags)))),)


def _event(plain: bytes, key: bytes | None, options: Options) -> Event:
    known = _known(plain, key, options)
    if known is not None:
        payload, known_plan = known
        return _row(_OPS[payload.op or ""], payload, known_plan, known_plan.key)
    message = parsed(_read, plain, "debezium value")
    payload = message.payload
    if _may_hide_sign(payload, plain):
        payload = parsed(_read, _with_negative_zeros(plain), "debezium value").payload
    op = _OPS.get(payload.op or "")
    if op is not None:
        names, key_schema = _key_names(payload, key, options)
        schema = bytes(message.schema)
        plan = None if schema in (b"", b"null") else _plan_of(payload, schema, names, options)
        if (plan is None or plan.may_double) and _has_more_members(payload, plain):
            once = _with_null_for_twice(plain)
            if once != plain:
                return _event(once, key, options)
        if plan is None:
            return _row(op, payload, None, names)
        if key_schema is not None and len(schema) <= _MAX_TAIL_BYTES:
            _keep(_plans_by_key, (key_schema, options.time_zone, options.binary), plan)
        return _row(op, payload, plan, names)
    if payload.ddl is not None:
        return ddl_event(
            payload.source, payload.ddl, parsed(_read_changes, bytes(payload.tableChanges), "debezium value")
        )
    if payload.op == "m":
        return Event(Kind.WATERMARK, commit_ts=payload.source.commit_ts)
    raise DecodeError(ErrorCode.UNKNOWN_KIND, "op is none of c, u, d, m, and there is no ddl")


def _with_replaced_bytes(plain: bytes) -> bytes:
    """The text with U+FFFD for what is not UTF-8, which the encoder writes as it is."""
    return plain.decode(errors="replace").encode()


def _replaced_bytes(plain: bytes) -> list[str]:
    """The flags of a row's columns whose text is not UTF-8; none of other messages, and where names are not UTF-8."""
    replaced, without = (
        parsed(_read, text, "debezium value").payload
        for text in (_with_replaced_bytes(plain), plain.decode(errors="ignore").encode())
    )
    images = [(replaced.after or {}, without.after or {}), (replaced.before or {}, without.before or {})]
    if replaced.source != without.source or any(image.keys() != bare.keys() for image, bare in images):
        return []
    return [
        Lossy.INVALID_UTF8.of(column) for image, bare in images for column in image if image[column] != bare[column]
    ]


_TEXT_OR_NEGATIVE_ZERO = re.compile(rb'"(?:[^"\\]|\\.)*+"|:-0(?=[,}])', re.DOTALL)


def _may_hide_sign(payload: _Payload, plain: bytes) -> bool:
    """Whether a 0 of the row may be -0, which is an integer to a JSON reader, and then without its sign."""
    # searched only where there is a zero: to search every text would cost a tenth of reading the row
    return (0 in (payload.after or {}).values() or 0 in (payload.before or {}).values()) and b":-0" in plain


def _with_negative_zeros(plain: bytes) -> bytes:
    """The JSON with a text in place of each -0."""
    return _TEXT_OR_NEGATIVE_ZERO.sub(lambda found: b':"-0"' if found[0] == b":-0" else found[0], plain)


_TEXT_OR_TWICE = re.compile(
    rb'("(?:[^"\\]|\\.)*+"):"[A-Za-z0-9+/=]*+",\1:"(?:[^"\\]|\\.)*+"|"(?:[^"\\]|\\.)*+"', re.DOTALL
)


def _has_more_members(payload: _Payload, plain: bytes) -> bool:
    """Whether there may be more than the images have columns, from the operation on, which stands before them."""
    images = 2 if payload.op == "u" and payload.before is None else 3
    members = images + len(payload.after or ()) + len(payload.before or ())
    start = max(plain.find(b',"op":"'), 0)
    return plain.count(b'":', start) - plain.count(b'\\":', start) > members


def _with_null_for_twice(plain: bytes) -> bytes:
    """The JSON with NULL for a column that is there twice.

    Classic TiCDC writes NULL of a binary column so: as the default in base64, and as it stands (protocol facts 3.6).
    """
    return _TEXT_OR_TWICE.sub(lambda found: found[0] if found[1] is None else found[1] + b":null", plain)


_OPS: Mapping[str, str] = {"c": "insert", "u": "update", "d": "delete"}


_Convert = Callable[[Any], tuple[str | None, Lossy | None]]
ByClass = Mapping[type, _Convert]
"""The conversions of a column's values by their class in JSON; what has none becomes text."""
_Work = list[tuple[str, _Convert]]
"""The columns of a row to convert, in order."""


class RowPlan(NamedTuple):
    """What is the same for all rows that bear one inline schema, which ends their messages, and one key.

    `key` is empty where messages tell that there is none, and None where they do not tell it. `names` are the columns
    in the order of the rows, `columns` have their conversions by the class of the JSON value. `work` is what rows need
    whose values have these classes: most of them have those of a row before. `together` is the plan of rows with bytes
    that are not certain by themselves: those of `binaries` are read together, after all else.
    """

    tail: bytes
    key: list[str] | None
    names: list[str]
    columns: Mapping[str, ByClass]
    work: dict[tuple[type, ...], _Work]
    flags: tuple[str, ...]
    schema: TableSchema | None
    may_double: bool = False
    """Whether a column may be written twice."""
    binaries: Mapping[str, Bytes] = {}
    together: RowPlan | None = None


_Setting = tuple[ZoneInfo | None, BinaryMode | None]
_plans: dict[tuple[str, str, *_Setting], RowPlan] = {}
# of the latest row with such a key: tables whose names differ in letters outside of ASCII have like keys
_plans_by_key: dict[tuple[bytes, *_Setting], RowPlan] = {}
_key_columns: dict[bytes, list[str]] = {}
_MAX_PLANS = 2_000
_MAX_WORK_OF_PLAN = 32
_MAX_TAIL_BYTES = 256 * 1024
_PAYLOAD, _SCHEMA = b'{"payload":', b',"schema":'


def _known(plain: bytes, key: bytes | None, options: Options) -> tuple[_Payload, RowPlan] | None:
    """A row whose inline schemas, most of the message, are those of a row before: they are not read again."""
    if not key or not plain.startswith(_PAYLOAD):
        return None
    try:
        tail = _schema_of_key(decompress(key, options.compression))
        plan = _plans_by_key.get((tail, options.time_zone, options.binary))
        if plan is None or not plain.endswith(plan.tail):
            return None
        text = plain[len(_PAYLOAD) : -len(plan.tail)]
        payload = _read_payload(text)
        if plan.may_double and _has_more_members(payload, text):
            return None
        if _may_hide_sign(payload, text):
            payload = _read_payload(_with_negative_zeros(text))
    except (DecodeError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    return (payload, plan) if payload.op in _OPS and [*_image_of(payload)] == plan.names else None


def _image_of(payload: _Payload) -> _Row:
    """A row's image that its plan is made for."""
    return (payload.before if payload.after is None else payload.after) or {}


def _plan_of(payload: _Payload, schema: bytes, key: list[str] | None, options: Options) -> RowPlan:
    """The plan of a row's inline schema, kept for the rows to come."""
    image = _image_of(payload)
    table = payload.source.db, payload.source.table, options.time_zone, options.binary
    plan = _plans.get(table)
    if plan is None or plan.tail != _SCHEMA + schema + b"}" or plan.key != key or plan.names != [*image]:
        plan = _new_plan(image, schema, key, options)
        if len(schema) <= _MAX_TAIL_BYTES:
            _keep(_plans, table, plan)
    return plan


def _keep(kept: dict[_K, _T], at: _K, what: _T) -> None:
    if len(kept) >= _MAX_PLANS:
        kept.clear()
    kept[at] = what


def _new_plan(image: _Row, schema: bytes, key: list[str] | None, options: Options) -> RowPlan:
    members = {member.field: member for member in parsed(_read_schema, schema, "debezium schema").fields}
    row = members.get("after") or members.get("before")
    # virtual generated columns are listed, twice even, though no row holds them
    fields = {field.field: field for field in (row.fields if row is not None else ()) if field.field in image}
    if len(fields) != len(image):
        raise DecodeError(ErrorCode.BAD_SHAPE, "the schema does not name every column of the row")
    columns: dict[str, ByClass] = {}
    flags = [] if key else [Lossy.NO_KEY.of()]
    places = {name: place for place, name in enumerate(key or (), start=1)}
    no_place = 0 if key == [] else None
    may_double = False
    table: list[Column] = []
    binaries: dict[str, Bytes] = {}
    for name, field in fields.items():
        parameters = field.parameters or {}
        column_type, convert, complete, of_integer = told(
            Field(field.type, field.name, field.tidb_type, parameters.get("length"), parameters.get("allowed")),
            field.optional,
            options.binary,
            options.time_zone,
        )
        null = null_reason(column_type, field.optional)
        may_double |= field.optional and field.default is not None and column_type.endswith(("text", *BINARY))
        same = _same_as_null(field, column_type, convert, options.time_zone)
        of_integer = flagging(of_integer, same) if of_integer is not None else None
        columns[name] = by_class(flagging(convert, same), of_integer, null)
        if convert is certain:
            binaries[name] = Bytes(is_default=same)
        if not complete:
            flags.append(Lossy.NO_SCHEMA.of(name))
        table.append(Column(name, column_type, places.get(name, no_place), field.optional))
    plan = RowPlan(_SCHEMA + schema + b"}", key, [*image], columns, {}, tuple(flags), table_schema(table), may_double)
    if not binaries:
        return plan
    as_they_stand = {**columns, **dict.fromkeys(binaries, PLAIN)}
    return plan._replace(together=plan._replace(columns=as_they_stand, work={}, binaries=binaries))


def row_plan(key: bytes | None, value: bytes, options: Options) -> RowPlan:
    """The plan of a row's message that `decode` reads; without inline schema the plan's tail is empty."""
    message = parsed(_read, decompress(value, options.compression), "debezium value")
    names, _ = _key_names(message.payload, key, options)
    schema = bytes(message.schema)
    if schema not in (b"", b"null"):
        return _plan_of(message.payload, schema, names, options)
    image = _image_of(message.payload)
    flags = _NO_SCHEMA if names else _NO_SCHEMA_NO_KEY
    return RowPlan(b"", names, [*image], dict.fromkeys(image, PLAIN), {}, flags, None)


def by_class(convert: values.Convert | None, of_integer: OfInteger | None, null: Lossy | None) -> ByClass:
    """The conversions of a column's values; of lists and objects there is none."""
    if convert is None:
        return PLAIN
    return {
        str: convert,
        int: of_integer or (lambda number: convert(str(number))),
        bool: lambda value: convert(_text(value)),
        NoneType: as_it_stands if null is None else lambda value: (None, null),
    }


def _same_as_null(
    field: _Field, column_type: str, convert: values.Convert | None, zone: ZoneInfo | None
) -> Callable[[str], bool] | None:
    """Which text stands for NULL, by the default of the inline schema: a wire value, of binary columns the text."""
    if field.default is None or not field.optional:
        return None
    default = _text(field.default)
    if field.tidb_type is None and field.type == "string" and field.name is None:
        either = (default, stands_for_null("blob", told_default("blob", default), None))
        return lambda text: text == either[0] or (either[1] is not None and either[1](text))
    try:
        # the default of bytes is text
        canonical = default if convert is None or column_type.endswith(BINARY) else convert(default)[0]
    except (ValueError, OverflowError):
        return None
    if not column_type.startswith("bit"):
        canonical = told_default(column_type, canonical)
    return told_inline_stands_for_null(column_type, canonical, zone, signed=field.tidb_type == "bigint")


_NO_SCHEMA: tuple[str, ...] = (Lossy.NO_SCHEMA.of(),)
_NO_SCHEMA_NO_KEY: tuple[str, ...] = (Lossy.NO_SCHEMA.of(), Lossy.NO_KEY.of())


def _row(op: str, payload: _Payload, plan: RowPlan | None, key: list[str] | None) -> Event:
    try:
        return _row_by(op, payload, plan, key)
    except Unsure:
        return _row_by(op, payload, plan and plan.together, key)


def _row_by(op: str, payload: _Payload, plan: RowPlan | None, key: list[str] | None) -> Event:
    after, before = payload.after, payload.before
    if (before if op == "delete" else after) is None:
        raise DecodeError(ErrorCode.BAD_SHAPE, "a row message without the row")
    flags: list[str] = []
    changed: _Row = {}
    new = None if after is None or op == "delete" else _canonical(after, plan, flags)
    if before is None or op == "insert":
        old = None
    elif after is None or new is None:
        old = _canonical(before, plan, flags)
    elif before.keys() != after.keys():
        raise DecodeError(ErrorCode.BAD_SHAPE, "before and after have not the same columns")
    else:
        changed = {column: value for column, value in before.items() if value != after[column]}
        old = _converted(new | changed, _work(changed, plan), flags)
    image = new if new is not None else old or {}
    names = key or image
    if plan is not None and plan.binaries:
        flags += settle((new, old), plan.binaries, names, of_new=plan.binaries)
    try:
        row_key = {name: image[name] for name in names}
    except KeyError as error:
        raise DecodeError(ErrorCode.BAD_SHAPE, "the row lacks a column of the message key") from error
    before_key = None
    if old is not None and not changed.keys().isdisjoint(names):
        old_key = {name: old[name] for name in names}
        if old_key != row_key:
            before_key = write_json(old_key)
    source = payload.source
    if plan is None or plan.schema is None:
        schema_id = schema = None
        always = _NO_SCHEMA if key else _NO_SCHEMA_NO_KEY
    else:
        schema_id, schema = plan.schema
        always = plan.flags
    return new_event(
        Event,
        ROW,
        commit_ts=source.commit_ts,
        start_ts=source.start_ts,
        schema_name=source.db,
        table_name=source.table,
        op=op,
        row_key=write_json(row_key),
        before_key=before_key,
        before=write_json(old) if old is not None else None,
        after=write_json(new) if new is not None else None,
        table_schema_id=schema_id,
        table_schema=schema,
        lossy=tuple(dict.fromkeys((*always, *flags))) if flags else always,
    )


def _key_names(payload: _Payload, key: bytes | None, options: Options) -> tuple[list[str] | None, bytes | None]:
    """The columns of a row's key in the order of the message key, and the schema of the key as below.

    None where column selectors have left out some of them: part of a key is none.
    """
    names, key_schema = _names_of_key(key, options)
    return (names if names is None or _image_of(payload).keys() >= set(names) else None), key_schema


def _names_of_key(key: bytes | None, options: Options) -> tuple[list[str] | None, bytes | None]:
    """The handle key's columns in the order of the message key; none of a table without such a key, None without key.

    With them the schema of the key, if all keys that bear it have these columns.
    """
    if not key:
        return None, None
    plain = decompress(key, options.compression)
    tail = _schema_of_key(plain)
    names = _key_columns.get(tail)
    if names is None:
        message = parsed(_read_key, plain if plain.isascii() else _with_replaced_bytes(plain), "debezium message key")
        names = list(message.payload)
        told_too = message.schema is not None and [member.field for member in message.schema.fields] == names
        if not (tail and told_too and len(tail) <= _MAX_TAIL_BYTES):
            return names, None
        _keep(_key_columns, tail, names)
    return names, tail


def _schema_of_key(plain: bytes) -> bytes:
    """What follows the payload of a message key; empty without schema."""
    start = plain.find(_SCHEMA)
    return plain[start:] if start >= 0 else b""


def _canonical(row: _Row, plan: RowPlan | None, flags: list[str]) -> _Image:
    """The canonical texts of a row, without plan the wire's; appends to `flags`."""
    if plan is None or [*row] != plan.names:
        return _converted(row.copy(), _work(row, plan), flags)
    classes = (*map(type, row.values()),)
    work = plan.work.get(classes)
    if work is None:
        work = [(column, convert) for column, convert in _work(row, plan) if convert is not as_it_stands]
        if len(plan.work) < _MAX_WORK_OF_PLAN:
            plan.work[classes] = work
    return _converted(row.copy(), work, flags)


def _work(row: _Row, plan: RowPlan | None) -> Iterator[tuple[str, _Convert]]:
    """The conversions of the columns, in order; raises `KeyError` where the plan lacks one."""
    if plan is None:
        return ((name, PLAIN.get(cell.__class__, _plain)) for name, cell in row.items() if cell.__class__ is not str)
    return ((column, plan.columns[column].get(value.__class__, _plain)) for column, value in row.items())


def _converted(image: _Row, work: Iterable[tuple[str, _Convert]], flags: list[str]) -> _Image:
    """The image itself, with canonical texts in place of the wire's values; appends to `flags`."""
    column = ""
    try:
        for column, convert in work:
            image[column], reason = convert(image[column])
            if reason is not None:
                flags.append(reason.of(column))
    except KeyError as error:
        raise DecodeError(ErrorCode.BAD_SHAPE, "the row has columns that the schema has not") from error
    except (ValueError, OverflowError) as error:
        raise no_value(column) from error
    return image


def as_it_stands(value: str | None) -> tuple[str | None, Lossy | None]:
    return value, None


def converted(value: Any, by_class: ByClass) -> tuple[str | None, Lossy | None]:
    """The canonical text of a value of JSON. Raises `ValueError`, `OverflowError` or `DecodeError`."""
    return by_class.get(value.__class__, _plain)(value)


def _plain(value: Any) -> tuple[str, None]:
    return _text(value), None


def _digits(value: int) -> tuple[str, None]:
    return str(value), None


PLAIN: ByClass = {str: as_it_stands, int: _digits, NoneType: as_it_stands}


def _text(value: Any) -> str:
    """A JSON value as text; numbers with a point are texts already."""
    if value.__class__ is str:
        return str(value)
    if value.__class__ is int:
        try:
            return str(value)
        except ValueError as error:  # thousands of digits
            raise DecodeError(ErrorCode.BAD_VALUE, "a number is too long") from error
    if value.__class__ is bool:
        return "true" if value else "false"
    raise DecodeError(ErrorCode.BAD_SHAPE, "a column's value is an object or a list")


def ddl_event(source: Source, query: str, changes: list[Change]) -> Event:
    """The event of a DDL, with the table that it is of."""
    schema: TableSchema | None = None
    for change in changes:
        # EXCHANGE PARTITION names one table and gives the columns of the other
        if change.table is not None and f'"{source.db}"."{source.table}"' in change.id:
            schema = _table_schema(change.table)
    return Event(
        Kind.DDL,
        commit_ts=source.commit_ts,
        schema_name=source.db,
        table_name=source.table,
        table_schema_id=schema.id if schema is not None else None,
        table_schema=schema.text if schema is not None else None,
        ddl_query=query,
        ddl_type=changes[0].type if changes else None,
    )


def _table_schema(table: _Table) -> TableSchema | None:
    if any(column.typeName == "UNSPECIFIED" for column in table.columns):  # a view's
        return None
    places = {name: place for place, name in enumerate(table.primaryKeyColumnNames or (), start=1)}
    columns = []
    for column in table.columns:
        column_type, default = _column_type(column), column.defaultValueExpression
        if default is not None:
            default = told_default(column_type, _text(default))
        columns.append(Column(column.name, column_type, places.get(column.name), column.optional, default))
    return table_schema(columns)


def _column_type(column: _Column) -> str:
    word, space, rest = column.typeName.lower().partition(" ")
    if column.enumValues:
        return labelled_type(word, [label[1:-1] for label in column.enumValues])
    if not column.length:
        return word + space + rest
    parameters = f"{column.length}" if column.scale is None else f"{column.length},{column.scale}"
    return f"{word}({parameters}){space}{rest}"
