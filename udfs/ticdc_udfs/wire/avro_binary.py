"""What Avro and Debezium-Avro share: framing, writer schemas and records in Avro's binary form (protocol facts 1.7)."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from math import isfinite
from typing import Any, Literal, NamedTuple
from uuid import UUID

import msgspec

from ticdc_udfs.contract import values
from ticdc_udfs.contract.events import DecodeError, ErrorCode

Framing = Literal["confluent", "glue"]
Value = bool | int | float | str | bytes | list[Any] | None
"""A value as Avro's type gives it; of a record the list of its fields' values."""

HEAD: Mapping[Framing, tuple[bytes, int]] = {"confluent": (b"\x00", 5), "glue": (b"\x03\x00", 18)}
"""How a message starts (Glue: with the byte that says "not compressed"), and where its Avro body does."""


def schema_id(message: bytes | None, framing: Framing) -> str | None:
    """The id of the writer schema: Confluent's number in decimal, Glue's UUID; None without a whole header."""
    magic, start = HEAD[framing]
    if message is None or len(message) < start or not message.startswith(magic):
        return None
    if framing == "confluent":
        return str(int.from_bytes(message[1:5], "big"))
    return str(UUID(bytes=message[2:18]))


def schema_of(message: bytes, schema: str | None, framing: Framing, part: str) -> str:
    """The given writer schema of a framed message. Raises `DecodeError` for another framing, or where it is None."""
    found = schema_id(message, framing)
    if found is None:
        raise DecodeError(ErrorCode.BAD_FRAME, f"the {part} has no header of {framing} framing")
    if schema is None:
        raise DecodeError(ErrorCode.SCHEMA_MISSING, f"the {part}'s writer schema {found} is not known")
    return schema


class Field(NamedTuple):
    """A field of a record.

    `kind` is Avro's primitive type, `record`, or `array`, of whose items `record` has the one field; `null_branch` is
    the place of null in its union with null, None for no union. `attributes` are the members of the type, `members`
    those of the field itself.
    """

    name: str
    kind: str
    null_branch: int | None
    record: Record | None
    attributes: Mapping[str, Any]
    members: Mapping[str, Any]

    @property
    def parameters(self) -> Mapping[str, Any]:
        """What the encoder says of the column beside its Avro type."""
        found = self.attributes.get("connect.parameters")
        return found if isinstance(found, dict) else {}


class Record(NamedTuple):
    """A record's schema."""

    name: str
    namespace: str
    fields: tuple[Field, ...]


_PRIMITIVES = frozenset({"boolean", "int", "long", "float", "double", "bytes", "string"})
_MAX_DEPTH = 3  # of records: the columns of tables that a DDL changes; the encoders nest no deeper
_MAX_ITEMS = 65_536
"""Above what an array of a message holds: labels of an enum are the most."""


def parse_schema(text: str, part: str) -> Record:
    """A record schema as the encoders write it: of primitives, records, arrays, or such in a union with null."""
    try:
        schema = msgspec.json.decode(text)
        if not isinstance(schema, dict) or schema.get("type") != "record":
            raise ValueError("it is no record")
        return _record(schema, "", {}, 0)
    except (ValueError, RecursionError) as error:
        reason = str(error) if type(error) is ValueError else "it is not JSON"
        raise DecodeError(ErrorCode.BAD_AVRO, f"the {part}'s writer schema cannot be used: {reason}") from error


def _record(schema: Mapping[str, Any], outer: str, known: dict[str, Record], depth: int) -> Record:
    name, namespace, fields = schema.get("name"), schema.get("namespace", outer), schema.get("fields")
    if not isinstance(name, str) or not isinstance(namespace, str) or not isinstance(fields, list):
        raise ValueError("a record has no name or no fields")
    if "." in name:
        namespace, _, name = name.rpartition(".")
    record = Record(name, namespace, tuple(_field(field, namespace, known, depth) for field in fields))
    if len({field.name for field in record.fields}) < len(fields):
        raise ValueError("two fields of a record have one name")
    known[f"{namespace}.{name}"] = record
    return record


def _field(field: Any, namespace: str, known: dict[str, Record], depth: int) -> Field:
    if not isinstance(field, dict) or not isinstance(field.get("name"), str):
        raise ValueError("a field has no name")
    schema = field.get("type")
    null_branch = None
    if isinstance(schema, list):
        if len(schema) != 2 or schema.count("null") != 1:
            raise ValueError("a union is not of null and one type")
        null_branch = schema.index("null")
        schema = schema[1 - null_branch]
    attributes = schema if isinstance(schema, dict) else {}
    kind = attributes.get("type") if attributes else schema
    if not isinstance(kind, str):
        raise ValueError("a type is not of the kinds that the encoders write")
    if kind in _PRIMITIVES:
        return Field(field["name"], kind, null_branch, None, attributes, field)
    if kind == "array":
        item = _field({"name": "", "type": attributes.get("items")}, namespace, known, depth)
        if item.kind == "array" or (item.record is not None and not item.record.fields):
            raise ValueError("an array's items are arrays, or have no fields")
        return Field(field["name"], kind, null_branch, Record("", "", (item,)), attributes, field)
    if depth == _MAX_DEPTH:
        raise ValueError("its records are nested too deeply")
    if kind == "record":
        record = _record(attributes, namespace, known, depth + 1)
    else:
        # the old row has the type of the new one; nothing that is nested deeper comes twice
        named = known.get(kind if "." in kind else f"{namespace}.{kind}") if depth == 0 else None
        if named is None:
            raise ValueError("a type is not of the kinds that the encoders write")
        record = named
    return Field(field["name"], "record", null_branch, record, attributes, field)


def read(record: Record, message: bytes, framing: Framing, part: str) -> tuple[list[Value], list[str]]:
    """The values of a framed message's fields, and the names of those whose text was not UTF-8.

    Invalid bytes of a text become U+FFFD. Raises `DecodeError` where the body is not exactly one such record.
    """
    replaced: list[str] = []
    try:
        row, end = _read_record(record, message, HEAD[framing][1], replaced)
    except (IndexError, struct.error) as error:
        raise DecodeError(ErrorCode.BAD_AVRO, f"the {part} ends inside of a field") from error
    except ValueError as error:
        raise DecodeError(ErrorCode.BAD_AVRO, f"the {part} is not of its writer schema: {error}") from error
    if end != len(message):
        raise DecodeError(ErrorCode.BAD_AVRO, f"the {part} has bytes after its last field")
    return row, replaced


def spans(record: Record, message: bytes, framing: Framing) -> tuple[list[tuple[Field, int, int]], int]:
    """The fields of a framed message that can be read, in order, each with its first byte and the one behind its last.

    Beside them the byte at which reading stopped: the end of the message where that is one whole record.
    """
    found: list[tuple[Field, int, int]] = []
    at = HEAD[framing][1]
    for field in record.fields:
        try:
            _, end = _read_record(Record("", "", (field,)), message, at, [])
        except (IndexError, struct.error, ValueError):
            break
        found.append((field, at, end))
        at = end
    return found, at


_FLOAT, _DOUBLE = struct.Struct("<f"), struct.Struct("<d")


def _read_record(record: Record, data: bytes, at: int, replaced: list[str]) -> tuple[list[Value], int]:
    row: list[Value] = []
    for field in record.fields:
        if field.null_branch is not None:
            branch, at = _read_long(data, at)
            if branch == field.null_branch:
                row.append(None)
                continue
            if branch != 1 - field.null_branch:
                raise ValueError("a union has no such branch")
        value: Value
        kind = field.kind
        if kind == "string" or kind == "bytes":
            size, at = _read_long(data, at)
            end = at + size
            if size < 0 or end > len(data):
                raise IndexError
            content, at = data[at:end], end
            if kind == "bytes":
                value = content
            else:
                try:
                    value = content.decode()
                except UnicodeDecodeError:
                    value = content.decode(errors="replace")
                    replaced.append(field.name)
        elif kind == "int" or kind == "long":
            value, at = _read_long(data, at)
        elif kind == "double":
            value, at = _DOUBLE.unpack_from(data, at)[0], at + 8
        elif kind == "float":
            value, at = _FLOAT.unpack_from(data, at)[0], at + 4
        elif kind == "record" and field.record is not None:
            value, at = _read_record(field.record, data, at, replaced)
        elif field.record is not None:
            value, at = _read_array(field.record, data, at, replaced)
        else:
            if data[at] > 1:
                raise ValueError("a boolean is neither 0 nor 1")
            value, at = data[at] == 1, at + 1
        row.append(value)
    return row, at


def _read_array(item: Record, data: bytes, at: int, replaced: list[str]) -> tuple[list[Any], int]:
    items: list[Any] = []
    while True:
        count, at = _read_long(data, at)
        if count < 0:  # the size of the block in bytes follows
            count, (_, at) = -count, _read_long(data, at)
        if not count:
            return items, at
        if len(items) + count > _MAX_ITEMS:
            raise ValueError(f"an array has more than {_MAX_ITEMS} items")
        for _ in range(count):
            (value,), at = _read_record(item, data, at, replaced)
            items.append(value)


def _read_long(data: bytes, at: int) -> tuple[int, int]:
    """A zigzag base-128 number of at most 64 bits, and where it ends."""
    byte = data[at]
    at += 1
    number = byte & 0x7F
    shift = 7
    while byte > 0x7F:
        byte = data[at]
        at += 1
        number |= (byte & 0x7F) << shift
        shift += 7
        if shift > 70:
            raise ValueError("a number has more than 64 bits")
    if number >> 64:
        raise ValueError("a number has more than 64 bits")
    return (number >> 1) ^ -(number & 1), at


def decimal_scale(field: Field) -> int | None:
    """The scale of a decimal in bytes; None for other fields. Raises `DecodeError` for one that MySQL has not."""
    if field.kind != "bytes" or field.attributes.get("logicalType") != "decimal":
        return None
    precision, scale = field.attributes.get("precision"), field.attributes.get("scale", 0)
    if not isinstance(precision, int) or not isinstance(scale, int) or not 0 <= scale <= precision <= 65:
        raise DecodeError(ErrorCode.BAD_AVRO, "a decimal of the writer schema has no such precision and scale")
    return scale


def decimal_text(unscaled: bytes, scale: int) -> str:
    """A decimal of Avro's logical type, with all digits of its scale."""
    number = int.from_bytes(unscaled, "big", signed=True)
    digits = str(abs(number)).rjust(scale + 1, "0")
    point = len(digits) - scale
    text = f"{digits[:point]}.{digits[point:]}" if scale else digits
    return f"-{text}" if number < 0 else text


def double_text(number: float) -> str:
    """Canonical text of a DOUBLE. Raises `ValueError` for numbers that TiDB has not."""
    if not isfinite(number):
        raise ValueError("not a finite number")
    return values.double_text(number)


def float_text(number: float) -> str:
    """Canonical text of a FLOAT, also where it came as a double: one that holds no such number keeps its digits."""
    if not isfinite(number):
        raise ValueError("not a finite number")
    return values.float_text(number) if _is_single(number) else values.double_text(number)


def _is_single(number: float) -> bool:
    try:
        return bool(_FLOAT.unpack(_FLOAT.pack(number))[0] == number)
    except OverflowError:
        return False
