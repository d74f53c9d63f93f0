"""Reads a message with libraries that the decoders do not use: orjson for JSON, fastavro for Avro."""

from __future__ import annotations

import io
import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

import msgspec

from dbt_ticdc.inspection import simple_schema
from ticdc_udfs.contract.events import DecodeError
from ticdc_udfs.contract.internal_columns import MARKS
from ticdc_udfs.contract.options import Options
from ticdc_udfs.wire import avro_binary
from ticdc_udfs.wire.compression import decompress

Image = Mapping[str, Any]
Images = tuple[tuple[Image | None, Image | None], ...]

_ORJSON, _FASTAVRO = "orjson", "fastavro"
_EXPRESSION = ("_V$_", "_v$_", "_V__")


@dataclass(frozen=True)
class Second:
    """What another library reads: the envelope, and for each event the row before and after, as they are written.

    `library` is None where there is none for the protocol, `error` why it reads nothing. `differences` are places where
    its values are others than those of the reader that the decoder uses.
    """

    library: str | None
    error: str | None = None
    envelope: tuple[tuple[str, str], ...] = ()
    images: Images = ()
    differences: tuple[str, ...] = ()


NONE = Second(None)


def is_internal(column: str) -> bool:
    """Whether TiDB keeps a column for itself, which no table shows."""
    return column.startswith(MARKS) or column.startswith(_EXPRESSION)


def read(
    protocol: str, given: Options, key: bytes | None, plain: bytes | None, schemas: Sequence[str | bytes | None]
) -> Second:
    """The second reading of a message whose value is not compressed any more."""
    if protocol == "storage_csv" and not (plain or b"").lstrip().startswith(b"{"):
        return NONE
    if protocol not in (*_OF_JSON, *_OF_FRAMES):
        return NONE
    is_avro = protocol in ("avro", "debezium_avro") or (protocol == "simple" and given.encoding == "avro")
    name = _FASTAVRO if is_avro else _ORJSON
    library = f"{name} {version(name)}"
    if plain is None and protocol == "avro" and not key:
        return Second(library)
    if plain is None and protocol not in ("avro", "open_protocol"):
        return Second(library, "the message has no value")
    try:
        if protocol == "open_protocol":
            return _open_protocol(library, given, key, plain or b"")
        if protocol == "simple" and is_avro:
            return _simple(library, simple_schema.read(plain or b""), ())
        if is_avro:
            return _of_registry(library, protocol, given, key, plain, schemas)
        tree, differences = _json(plain or b"")
        return _OF_JSON[protocol](library, tree, differences)
    except Exception as error:
        # both libraries raise whatever their authors thought of
        return Second(library, _first_line(error))


def _first_line(error: Exception) -> str:
    return (str(error) or type(error).__name__).splitlines()[0][:300]


def _json(text: bytes) -> tuple[Any, tuple[str, ...]]:
    """What orjson reads, and where msgspec, which the decoders use, reads otherwise."""
    import orjson

    tree = orjson.loads(text)
    try:
        first = msgspec.json.decode(text)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        return tree, (f"the decoder's reader does not read the text: {_first_line(error)}",)
    try:
        return tree, tuple(_unlike(first, tree, "$"))
    except RecursionError:
        return tree, ()  # both read it; nothing that a changefeed writes is nested so deeply


def _unlike(first: Any, other: Any, place: str) -> Iterator[str]:
    if isinstance(first, dict) and isinstance(other, dict):
        for name in dict.fromkeys((*first, *other)):
            if name in first and name in other:
                yield from _unlike(first[name], other[name], f"{place}.{name}")
            else:
                yield f"{place}.{name}: only {'the decoder' if name in first else 'the second reader'} has it"
    elif isinstance(first, list) and isinstance(other, list):
        if len(first) != len(other):
            yield f"{place}: {len(first)} items, the second reader has {len(other)}"
        for number, (one, two) in enumerate(zip(first, other, strict=False)):
            yield from _unlike(one, two, f"{place}[{number}]")
    elif not _same(first, other):
        yield f"{place}: {_text(first)}, the second reader has {_text(other)}"


def _same(first: Any, other: Any) -> bool:
    if isinstance(first, float) and isinstance(other, float):
        return struct.pack("<d", first) == struct.pack("<d", other) or (first != first and other != other)
    if isinstance(first, int) and isinstance(other, float) and abs(first) >= 2**63:
        return float(first) == other  # orjson has no larger integers
    return type(first) is type(other) and bool(first == other)


def _text(value: Any) -> str:
    """A value in a line."""
    if isinstance(value, str):
        return value
    if isinstance(value, bytes):
        return "0x" + value.hex()
    return msgspec.json.encode(value).decode()


def cell_text(value: Any) -> str | None:
    """A value as the message has it; None for null."""
    return None if value is None else _text(value)


def _flat(tree: Mapping[str, Any], left_out: Sequence[str] = (), before: str = "") -> Iterator[tuple[str, str]]:
    for name, value in tree.items():
        if before + name in left_out:
            continue
        if isinstance(value, dict) and value:
            yield from _flat(value, left_out, f"{before}{name}.")
        else:
            yield before + name, "null" if value is None else _text(value)


def _canal_json(library: str, tree: Any, differences: tuple[str, ...]) -> Second:
    row, old = (_first(tree.get(name)) for name in ("data", "old"))
    images = (row, None) if tree.get("type") == "DELETE" else (old, row)
    envelope = tuple(_flat(tree, ("data", "old", "mysqlType", "sqlType")))
    return Second(library, None, envelope, (images,), differences)


def _first(rows: Any) -> Image | None:
    return rows[0] if rows else None


def _debezium(library: str, tree: Any, differences: tuple[str, ...]) -> Second:
    payload = tree.get("payload", tree)
    envelope = tuple(_flat(payload, ("before", "after", "tableChanges")))
    return Second(library, None, envelope, ((payload.get("before"), payload.get("after")),), differences)


def _simple(library: str, tree: Any, differences: tuple[str, ...]) -> Second:
    envelope = tuple(_flat(tree, ("data", "old", "tableSchema", "preTableSchema")))
    return Second(library, None, envelope, ((tree.get("old"), tree.get("data")),), differences)


def _file(library: str, tree: Any, differences: tuple[str, ...]) -> Second:
    if "type" in tree and "database" in tree:
        return _canal_json(library, tree, differences)
    return Second(library, None, tuple(_flat(tree, ("TableColumns",))), ((None, None),), differences)


_OF_FRAMES = ("avro", "debezium_avro", "open_protocol")
_OF_JSON: Mapping[str, Callable[[str, Any, tuple[str, ...]], Second]] = {
    "canal_json": _canal_json,
    "debezium": _debezium,
    "simple": _simple,
    "storage_canal_json": _file,
    "storage_csv": _file,
}


def _open_protocol(library: str, given: Options, key: bytes | None, value: bytes) -> Second:
    keys = _frames((key or b"")[8:])
    bodies = _frames(value) if value else [b""] * len(keys)
    if len(keys) != len(bodies):
        raise ValueError(f"the key has {len(keys)} frames, the value {len(bodies)}")
    envelope: list[tuple[str, str]] = []
    images: list[tuple[Image | None, Image | None]] = []
    differences: list[str] = []
    for number, (head, body) in enumerate(zip(keys, bodies, strict=True)):
        place = f"[{number}]." if len(keys) > 1 else ""
        members, unlike = _json(head)
        differences += unlike
        row: Any = {}
        if body:
            try:
                plain = decompress(body, given.compression)
            except DecodeError as error:
                raise ValueError(str(error)) from error
            row, unlike = _json(plain)
            differences += unlike
        envelope += _flat(members, before=place)
        envelope += [(place + name, _text(row[name])) for name in ("q", "t") if not isinstance(row.get(name, {}), dict)]
        images.append((_cells(row.get("d") or row.get("p")), _cells(row.get("u"))))
    return Second(library, None, tuple(envelope), tuple(images), tuple(differences))


def _frames(data: bytes) -> list[bytes]:
    """What stands behind lengths of eight bytes."""
    frames, at = [], 0
    while at < len(data):
        (size,) = struct.unpack_from(">q", data, at)
        if not 0 <= size <= len(data) - at - 8:
            raise ValueError(f"a frame at byte {at} is longer than what is there")
        frames.append(data[at + 8 : at + 8 + size])
        at += 8 + size
    return frames


def _cells(columns: Any) -> Image | None:
    """None for an old image of changed columns whose names are not told, too."""
    if not isinstance(columns, dict) or not all(isinstance(cell, dict) for cell in columns.values()):
        return None
    return {name: cell.get("v") for name, cell in columns.items()}


_OF_EXTENSION = ("_tidb_", "_ticdc_before")


def _of_registry(
    library: str,
    protocol: str,
    given: Options,
    key: bytes | None,
    value: bytes | None,
    schemas: Sequence[str | bytes | None],
) -> Second:
    part, data, schema = ("key", key or b"", schemas[0]) if value is None else ("value", value, schemas[1])
    number = avro_binary.schema_id(data, given.framing)
    if number is None:
        return Second(library, f"the {part} has no header of {given.framing} framing")
    if not isinstance(schema, str):
        return Second(library, f"the writer schema {number} is not known")
    tree, differences = _avro(schema, data, given, part)
    if protocol == "debezium_avro":
        envelope = tuple(_flat(tree, ("before", "after", "tableChanges")))
        names = {side: _names_of(schema, side) for side in ("before", "after")}
        before, after = (_renamed(tree.get(side), names[side]) for side in ("before", "after"))
        return Second(library, None, envelope, ((before, after),), differences)
    named = {name: value for name, value in tree.items() if not name.startswith(_OF_EXTENSION)}
    envelope = tuple((name, _text(value)) for name, value in tree.items() if name.startswith("_tidb_"))
    old = tree.get("_ticdc_before")
    is_deletion = value is None or tree.get("_tidb_op") == "d"
    images = (old or named, None) if is_deletion else (old, named)
    return Second(library, None, envelope, (images,), differences)


def _avro(schema: str, data: bytes, given: Options, part: str) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The record that fastavro reads, and where the decoder's own reader reads otherwise."""
    import fastavro

    start = avro_binary.HEAD[given.framing][1]
    stream = io.BytesIO(data[start:])
    tree: Any = fastavro.schemaless_reader(
        stream, fastavro.parse_schema(_plain_types(msgspec.json.decode(schema))), None
    )
    if stream.tell() != len(data) - start:
        raise ValueError(f"{len(data) - start - stream.tell()} byte(s) are left after the last field")
    try:
        record = avro_binary.parse_schema(schema, part)
        values, _ = avro_binary.read(record, data, given.framing, part)
    except DecodeError as error:
        return tree, (f"the decoder's reader does not read the record: {error}",)
    return tree, tuple(_unlike(_by_name(record, values), tree, "$"))


def _plain_types(schema: Any) -> Any:
    """A schema without logical types: values come as they stand in the bytes; defaults do not matter to a reader."""
    if isinstance(schema, list):
        return [_plain_types(each) for each in schema]
    if isinstance(schema, dict):
        return {name: _plain_types(value) for name, value in schema.items() if name not in ("logicalType", "default")}
    return schema


def _by_name(record: avro_binary.Record, values: Sequence[Any]) -> dict[str, Any]:
    return {field.name: _value(field, value) for field, value in zip(record.fields, values, strict=True)}


def _value(field: avro_binary.Field, value: Any) -> Any:
    if value is None or field.record is None:
        return value
    if field.kind == "record":
        return _by_name(field.record, value)
    (item,) = field.record.fields
    return [_value(item, each) for each in value]


def _names_of(schema: str, side: str) -> Mapping[str, str]:
    """The columns' own names, where those of fields are written in other signs."""
    try:
        record = avro_binary.parse_schema(schema, "value")
    except DecodeError:
        return {}
    fields = next((field.record.fields for field in record.fields if field.name == side and field.record), ())
    return {field.name: str(field.members.get("connect.field", field.name)) for field in fields}


def _renamed(image: Any, names: Mapping[str, str]) -> Image | None:
    return {names.get(name, name): value for name, value in image.items()} if isinstance(image, dict) else None
