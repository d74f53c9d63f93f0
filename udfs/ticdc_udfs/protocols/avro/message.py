"""Avro: a row per message, its writer schema in a registry (protocol facts 1.7, 2.5, 3.7).

With `avro-enable-watermark` there are DDL, watermarks and deletions with their commit, without writer schema.
"""

from __future__ import annotations

from base64 import b64decode
from binascii import b2a_base64
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Annotated, Any, NamedTuple
from zoneinfo import ZoneInfo

import msgspec

from ticdc_udfs.contract import values
from ticdc_udfs.contract.events import DecodeError, ErrorCode, Event, Kind, Lossy, no_value
from ticdc_udfs.contract.internal_columns import in_avro
from ticdc_udfs.contract.options import Options
from ticdc_udfs.contract.schemas import Column, TableSchema, labelled_type, table_schema, write_json
from ticdc_udfs.wire import checksum
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

_OPS: Mapping[Value, str] = {"c": "insert", "u": "update", "d": "delete"}


def decode(
    key: bytes | None, value: bytes | None, options: Options, key_schema: str | None, value_schema: str | None
) -> tuple[Event, ...]:
    """The one event of a message; the writer schemas of key and value are given as JSON text.

    A member `ticdc.export` of a schema (`Export`) tells what names the table and its columns bear in TiDB. Raises
    `DecodeError`, with `SCHEMA_MISSING` where a schema is None that the message names.
    """
    framing = options.framing
    key_text = schema_of(key, key_schema, framing, "key") if key else None
    if value is None:
        return (_tombstone(key, options, key_text, None),)
    if not value:
        raise DecodeError(ErrorCode.EMPTY_VALUE, "the message has an empty value")
    if key is None or key == b"":
        if value.startswith(_DDL):
            return (_ddl(value[1:]),)
        if value.startswith(_WATERMARK) and len(value) == _MOMENT_BYTES:
            return (Event(Kind.WATERMARK, commit_ts=_moment(value)),)
    # a header of Glue begins alike, and is longer
    elif value.startswith(_DELETION) and len(value) == _MOMENT_BYTES:
        return (_tombstone(key, options, key_text, _moment(value)),)
    plan = row_plan(schema_of(value, value_schema, framing, "value"), key_text, options.time_zone)
    return (_row(plan, *read(plan.record, value, framing, "value")),)


_DDL, _WATERMARK, _DELETION = b"\x01", b"\x02", b"\x03"
_MOMENT_BYTES = 9
"""Of a TSO behind the byte that tells what it is."""


def _moment(value: bytes) -> int:
    moment = int.from_bytes(value[1:], "big")
    if not 0 < moment < 2**63:
        raise DecodeError(ErrorCode.BAD_VALUE, "a watermark or the commit of a deletion is no TSO")
    return moment


class _Query(msgspec.Struct):
    query: str
    type: int
    schema: str
    table: str
    commitTs: Annotated[int, msgspec.Meta(gt=0, le=2**63 - 1)]


_read_query = msgspec.json.Decoder(_Query).decode


def _ddl(text: bytes) -> Event:
    wire = parsed(_read_query, text, "DDL of avro")
    return Event(
        Kind.DDL,
        commit_ts=wire.commitTs,
        schema_name=wire.schema,
        table_name=wire.table,
        ddl_query=wire.query,
        ddl_type=str(wire.type),
    )


def _tombstone(key: bytes | None, options: Options, key_schema: str | None, commit_ts: int | None) -> Event:
    """The deletion of a row of which only the key is known; of a table without primary key nothing is."""
    if not key or key_schema is None:
        return Event(Kind.ROW, commit_ts, commit_ts is not None, op="delete")
    plan = key_plan(key_schema, options.time_zone)
    wire, replaced = read(plan.record, key, options.framing, "key")
    flags = [*plan.flags, *map(Lossy.INVALID_UTF8.of, replaced)]
    if commit_ts is not None:
        flags.remove(Lossy.NO_COMMIT_TS.of())
    image = write_json(_image(wire, plan, flags))
    return Event(
        Kind.ROW,
        commit_ts,
        commit_ts is not None,
        schema_name=plan.schema_name,
        table_name=plan.record.name,
        op="delete",
        row_key=image,
        before=image,
        table_schema_id=plan.schema.id,
        table_schema=plan.schema.text,
        lossy=tuple(dict.fromkeys(flags)),
    )


def _row(plan: RowPlan, wire: list[Value], replaced: list[str]) -> Event:
    flags = [*plan.flags, *map(Lossy.INVALID_UTF8.of, replaced)]
    image = _image(wire, plan, flags)
    op = "upsert" if plan.op is None else _OPS.get(wire[plan.op])
    if op is None:
        raise DecodeError(ErrorCode.UNKNOWN_KIND, "_tidb_op is none of c, u, d")
    after: bytes | None = write_json(image)
    key = _key_of(image, plan)
    row_key = write_json(key)
    before_key = before = None
    old_image: _Row = {}
    if plan.before is not None and plan.before_plan is not None and (old := wire[plan.before]) is not None:
        old_image = _image(old, plan.before_plan, flags)
        before = write_json(old_image)
        old_key = _key_of(old_image, plan)
        before_key = write_json(old_key) if op != "delete" and old_key != key else None
    if op == "delete":
        before, after = before or after, None
    for column in plan.maybe_virtual:
        if image[column] is None and old_image.get(column) is None:
            flags.append(Lossy.NULL_OR_GENERATED.of(column))
    # by position: keywords would cost as much as reading the message
    return Event(
        Kind.ROW,
        None if plan.commit_ts is None else _commit_ts(wire[plan.commit_ts]),
        plan.commit_ts is not None,
        None,
        plan.schema_name,
        plan.record.name,
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
        None if plan.checksum is None else _mismatch(wire, plan.checksum, image, plan),
    )


def _key_of(image: _Row, plan: RowPlan) -> _Row:
    return {column: image[column] for column in plan.key if column in image}


def _commit_ts(wire: Any) -> int:
    if wire <= 0:
        raise DecodeError(ErrorCode.BAD_VALUE, "_tidb_commit_ts is no TSO")
    return int(wire)


def _mismatch(wire: list[Any], place: int, image: _Row, plan: RowPlan) -> bytes | None:
    """What the verification of the row at top level found: of the deleted row too (protocol facts 6)."""
    sent = wire[place] or "0"
    if not sent.isdecimal() or len(sent) > _MAX_CHECKSUM_DIGITS:
        raise DecodeError(ErrorCode.BAD_VALUE, "_tidb_row_level_checksum is no number")
    is_corrupted = plan.corrupted is not None and wire[plan.corrupted]
    return checksum.mismatch(int(sent), image, plan.columns, is_corrupted=is_corrupted)


_MAX_CHECKSUM_DIGITS = 10


def _image(wire: Any, plan: RowPlan, flags: list[str]) -> _Row:
    """The row in canonical texts; appends what could not be told to `flags`."""
    image: _Row = {}
    column = ""
    try:
        for column, text, value in zip(plan.names, plan.texts, wire, strict=False):
            image[column] = value if value is None or text is None else text(value)
        for column, convert in plan.zoned.items():
            local = image[column]
            if local is not None:
                image[column], reason = convert(local)
                if reason is not None:
                    flags.append(reason.of(column))
    except (ValueError, OverflowError) as error:
        raise no_value(column) from error
    for column in plan.hidden:
        del image[column]
    for column in plan.virtual:
        if image[column] is None:  # else the column is of an earlier table with that name
            del image[column]
    return image


Text = Callable[[Any], str]


class RowPlan(NamedTuple):
    """What is the same for all rows of one writer schema.

    `texts` tells per column how its value becomes text (None: it is), `zoned` which texts become UTC. `virtual` are
    columns that are known to be generated: their values are not sent, but NULL; `maybe_virtual` those that may be;
    `hidden` are TiDB's own. `before`, `op`, `commit_ts`, `checksum` and `corrupted` are the places of the fields that
    are no columns; None: not sent.
    """

    record: Record
    schema_name: str
    columns: list[Column]
    names: list[str]
    texts: list[Text | None]
    zoned: dict[str, values.Convert]
    virtual: frozenset[str]
    maybe_virtual: list[str]
    hidden: frozenset[str]
    key: list[str]
    flags: list[str]
    schema: TableSchema
    before: int | None
    before_plan: RowPlan | None
    op: int | None
    commit_ts: int | None
    checksum: int | None
    corrupted: int | None


@lru_cache(maxsize=4096)
def row_plan(value_schema: str, key_schema: str | None, zone: ZoneInfo | None) -> RowPlan:
    """The plan of messages with these writer schemas; without a Kafka key the whole row is the key."""
    key = [] if key_schema is None else [field.name for field in _table(key_schema, "key").record.fields]
    return _plan(_table(value_schema, "value"), key, zone)


@lru_cache(maxsize=4096)
def key_plan(key_schema: str, zone: ZoneInfo | None) -> RowPlan:
    """The plan of Kafka keys with this writer schema."""
    table = _table(key_schema, "key")
    return _plan(table, [field.name for field in table.record.fields], zone)


class ExportedTable(msgspec.Struct):
    """A table as TiDB names it."""

    schema_name: str
    table_name: str


class ExportedColumn(msgspec.Struct):
    """A column as TiDB names it, and its name in Avro."""

    name: str
    wire_name: str
    is_virtual: bool


class Export(msgspec.Struct):
    """What the user's export of `information_schema.columns` has under the names of a writer schema.

    Avro's names are lossy (protocol facts 2.5): several tables may bear one, which then stays as it is.
    """

    tables: list[ExportedTable]
    columns: list[ExportedColumn]


class _Exported(msgspec.Struct):
    export: Export | None = msgspec.field(default=None, name="ticdc.export")


_read_exported = msgspec.json.Decoder(_Exported).decode


class _Table(NamedTuple):
    """A row's schema with the names of TiDB, as far as they are known, which are those of an export's columns."""

    record: Record
    virtual: frozenset[str] = frozenset()
    flags: tuple[str, ...] = ()
    known: frozenset[str] = frozenset()


def _table(schema: str, part: str) -> _Table:
    record = parse_schema(schema, part)
    if not record.namespace:
        # such schemas do not tell types either: moments are numbers there, labels those of their index
        reason = f"the {part}'s writer schema names no database, which TiCDC does since 6.1"
        raise DecodeError(ErrorCode.BAD_SHAPE, reason)
    try:
        export = _read_exported(schema).export
    except msgspec.MsgspecError as error:
        raise DecodeError(ErrorCode.BAD_AVRO, f"the {part}'s writer schema has a wrong member ticdc.export") from error
    if export is None:
        return _Table(record)
    if len(export.tables) != 1:
        return _Table(record, flags=(Lossy.AMBIGUOUS_NAME.of(),))
    (table,) = export.tables
    names: dict[str, list[str]] = {}
    for column in export.columns:
        names.setdefault(column.wire_name, []).append(column.name)
    renamed = _renamed(record, {wire_name: found[0] for wire_name, found in names.items() if len(found) == 1})
    return _Table(
        renamed._replace(name=table.table_name, namespace=f"{record.namespace.partition('.')[0]}.{table.schema_name}"),
        frozenset(column.name for column in export.columns if column.is_virtual),
        tuple(Lossy.AMBIGUOUS_NAME.of(field.name) for field in record.fields if len(names.get(field.name, ())) > 1),
        frozenset(new.name for old, new in zip(record.fields, renamed.fields, strict=True) if old.name in names),
    )


def _renamed(record: Record, names: Mapping[str, str]) -> Record:
    fields = (
        field._replace(
            name=names.get(field.name, field.name),
            record=None if field.record is None else _renamed(field.record, names),
        )
        for field in record.fields
    )
    return record._replace(fields=tuple(fields))


def _plan(table: _Table, key: list[str], zone: ZoneInfo | None) -> RowPlan:
    record = table.record
    extra = _extra_fields(record)
    fields = record.fields[: len(record.fields) - len(extra)]
    if any(field.record is not None for field in fields):
        raise DecodeError(ErrorCode.BAD_SHAPE, "a column is a record or an array")
    if not fields:
        raise DecodeError(ErrorCode.BAD_SHAPE, "the writer schema has no columns")
    types = [column_type(field) for field in fields]
    before = None
    if "_ticdc_before" in extra:
        before = record.fields[extra["_ticdc_before"]].record
    names = key or [field.name for field in fields]
    images = (fields, before.fields) if before is not None else (fields,)
    if any(set(names) - {field.name for field in image} for image in images):
        raise DecodeError(ErrorCode.BAD_SHAPE, "the value lacks a column of the key")
    places = {column: place for place, column in enumerate(key, start=1)}
    flags = [*table.flags, *([] if key else [Lossy.NO_KEY.of()])]
    if "_tidb_commit_ts" not in extra:
        flags.append(Lossy.NO_COMMIT_TS.of())
    told = [
        Column(field.name, type_, places.get(field.name), field.null_branch is not None, _default(field, type_))
        for field, type_ in zip(fields, types, strict=True)
    ]
    virtual = table.virtual.intersection(field.name for field in fields).difference(key)
    if len(virtual) == len(fields):
        virtual = frozenset()
    hidden = in_avro(field.name for field in fields).difference(table.known, key)
    names = key or [field.name for field in fields if field.name not in hidden]
    return RowPlan(
        record=record,
        schema_name=_schema_name(record.namespace),
        columns=told,
        names=[column.name for column in told],
        texts=[text_of(field, type_) for field, type_ in zip(fields, types, strict=True)],
        zoned={
            field.name: values.timestamp_converter(zone)
            for field, type_ in zip(fields, types, strict=True)
            if zone is not None and type_ == "timestamp" and field.kind == "string"
        },
        virtual=virtual,
        maybe_virtual=[name for name in _maybe_virtual(fields, key) if name not in virtual.union(table.known, hidden)],
        hidden=hidden,
        key=names,
        flags=flags,
        schema=table_schema([column for column in told if column.name not in hidden]),
        before=extra.get("_ticdc_before"),
        before_plan=None if before is None else _plan(table._replace(record=before), key, zone),
        op=extra.get("_tidb_op"),
        commit_ts=extra.get("_tidb_commit_ts"),
        checksum=extra.get("_tidb_row_level_checksum"),
        corrupted=extra.get("_tidb_corrupted"),
    )


def _maybe_virtual(fields: Sequence[Field], key: Sequence[str]) -> list[str]:
    """Columns that may be virtual generated by their schema: such have neither a default nor a place in the key."""
    return [
        field.name
        for field in fields
        if field.null_branch is not None and field.members.get("default") is None and field.name not in key
    ]


_EXTRA = {
    "_ticdc_before": "record",
    "_tidb_op": "string",
    "_tidb_commit_ts": "long",
    "_tidb_commit_physical_time": "long",
    "_tidb_row_level_checksum": "string",
    "_tidb_corrupted": "boolean",
    "_tidb_checksum_version": "int",
}


def _extra_fields(record: Record) -> dict[str, int]:
    """The places of the fields that are no columns: they come last, and bear no TiDB type."""
    extra: dict[str, int] = {}
    for place in reversed(range(len(record.fields))):
        field = record.fields[place]
        optional = field.null_branch is not None
        if _EXTRA.get(field.name) != field.kind or field.parameters or optional != (field.kind == "record"):
            break
        extra[field.name] = place
    return extra


def _schema_name(namespace: str) -> str:
    """The upstream schema: the namespace is that of the changefeed, a dot, and the schema's name."""
    return namespace.partition(".")[2]


_UNTYPED = {
    "boolean": "tinyint",
    "int": "int",
    "long": "bigint",
    "float": "float",
    "double": "double",
    "bytes": "blob",
    "string": "text",
}


def column_type(field: Field) -> str:
    """The MySQL type that a column's schema tells; what it does not tell is left out (tinyint comes as `int`)."""
    tidb_type = field.parameters.get("tidb_type")
    if not isinstance(tidb_type, str):
        return _UNTYPED[field.kind]
    word = tidb_type.lower()
    if word == "tidbvectorfloat32":
        return "vector"
    allowed, length = field.parameters.get("allowed"), field.parameters.get("length")
    if word in ("enum", "set") and isinstance(allowed, str):
        return labelled_type(word, values.allowed_labels(word, allowed))
    if word == "bit" and isinstance(length, str) and length.isdecimal():
        return f"bit({length})"
    scale = decimal_scale(field)
    if word == "decimal" and scale is not None:
        return f"decimal({field.attributes['precision']},{scale})"
    return word


def text_of(field: Field, type_: str) -> Text | None:
    """How a value of the column becomes canonical text; None where it is canonical as it stands."""
    if field.kind == "string":
        return None
    if field.kind == "bytes":
        scale = decimal_scale(field)
        if scale is not None:
            return lambda value: decimal_text(value, scale)
        if values.base_type(type_) == "bit":
            return lambda value: str(int.from_bytes(value, "big"))
        return lambda value: b2a_base64(value, newline=False).decode("ascii")
    if field.kind == "float" or field.kind == "double":
        return double_text if field.kind == "double" and type_ != "float" else float_text
    if field.kind == "boolean":
        return lambda value: str(int(value))
    if type_ == "bigint unsigned":
        return lambda value: str(value & (2**64 - 1))
    return (lambda value: values.year(str(value))) if type_ == "year" else str


def _default(field: Field, type_: str) -> str | None:
    """The column's default, where the schema has one; a text stays as the encoder wrote it."""
    default, text = field.members.get("default"), text_of(field, type_)
    try:
        if isinstance(default, str):
            return str(int.from_bytes(b64decode(default), "big")) if values.base_type(type_) == "bit" else default
        return None if default is None or text is None else text(default)
    except (ValueError, TypeError, ArithmeticError):
        return None
