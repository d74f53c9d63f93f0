"""What a decoder, and an independent library beside it, read of one message. Pure, without Spark."""

from __future__ import annotations

import json
import pkgutil
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any

from dbt_ticdc.inspection import second
from dbt_ticdc.inspection.second import Second
from ticdc_udfs import protocols
from ticdc_udfs.contract import arrow, options
from ticdc_udfs.contract.events import DecodeError, ErrorCode, Event, Kind
from ticdc_udfs.contract.options import Options
from ticdc_udfs.wire import avro_binary
from ticdc_udfs.wire.compression import decompress

DECODERS: Mapping[str, Callable[..., Sequence[Event]]] = {
    module.name: import_module(f"{protocols.__name__}.{module.name}").decode
    for module in pkgutil.iter_modules(protocols.__path__)
    if module.ispkg
}
OF_REGISTRY = tuple(name for name, kinds in options.OPTIONS.items() if "schemas" in kinds)
"""The protocols whose messages name writer schemas in a registry."""

_BYTE = re.compile(r"byte (\d+)")
_AFTER = re.compile(r"after (\d+) bytes")
_CUT_OFF = ("truncated", "ends too early")
_SECOND_MISREADS = {ErrorCode.BAD_JSON, ErrorCode.BAD_AVRO, ErrorCode.NOT_UTF8}


@dataclass(frozen=True)
class Message:
    """A message and the feed that it is of.

    `options` are the feed's, `timestamp` is Kafka's in milliseconds since 1970. `schemas` are the texts that a decoder
    takes beside the message: the writer schemas of key and value (Avro), or the schema files of the table and the
    header of the file (CSV); `notes` say why one of them is missing.
    """

    feed: str
    protocol: str
    options: Mapping[str, Any]
    topic: str
    partition: int
    offset: int
    timestamp: int | None
    key: bytes | None
    value: bytes | None
    schemas: tuple[str | bytes | None, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def options_text(self) -> str:
        """The options as a decoder takes them."""
        given = {name: value for name, value in self.options.items() if name in options.NAMES}
        return json.dumps({"feed": self.feed, **given}, sort_keys=True)


@dataclass(frozen=True)
class Part:
    """Bytes of a message: what they are, and the places of those that are named, each with its first and last byte."""

    name: str
    data: bytes
    fields: tuple[tuple[str, int, int], ...] = ()
    stopped_at: int | None = None


@dataclass(frozen=True)
class Reading:
    """What was read of a message.

    `parts` are its bytes, compressed ones as they are plain. `stopped` says where the decoder stopped, where it did.
    `differences` are texts of what the decoder and `second` read otherwise.
    """

    parts: tuple[Part, ...]
    events: tuple[Event, ...]
    second: Second
    stopped: str | None = None
    differences: tuple[str, ...] = ()


def read(message: Message) -> Reading:
    """Decodes a message, and reads it a second time; no message makes it raise."""
    schemas = message.schemas or ((None, None) if message.protocol in (*OF_REGISTRY, "storage_csv") else ())
    decode = DECODERS[message.protocol]
    events = tuple(decoded(decode, message, schemas))
    try:
        given = options.parse(message.options_text)
    except DecodeError:
        given = Options()
    plain, fault = _plain(message, given)
    read_again = second.read(message.protocol, given, message.key, plain, schemas)
    parts = _parts(message, given, plain, events)
    return Reading(
        parts,
        events,
        read_again,
        _stopped(parts, events, fault),
        tuple(_differences(message, events, read_again)),
    )


def decoded(
    decode: Callable[..., Sequence[Event]], message: Message, schemas: Sequence[str | bytes | None]
) -> Sequence[Event]:
    """The events of a message, as `arrow.decode_message` gives them."""
    texts: tuple[Any, ...] = (*schemas,)
    return arrow.decode_message(decode, message.key, message.value, message.options_text, *texts)


def _plain(message: Message, given: Options) -> tuple[bytes | None, str | None]:
    """The value as it was before it was compressed as a whole, or why it cannot be told."""
    if message.value is None or given.compression == "none" or message.protocol == "open_protocol":
        return message.value, None
    try:
        return decompress(message.value, given.compression), None
    except DecodeError as error:
        return None, str(error)


def _parts(message: Message, given: Options, plain: bytes | None, events: Sequence[Event]) -> tuple[Part, ...]:
    failed = next((event for event in events if event.kind == Kind.ERROR), None)
    found = []
    if message.key:
        found.append(_part("key", message.key, message, given, 0))
    if message.value is not None:
        found.append(_part("value", message.value, message, given, 1))
    if plain is not None and plain is not message.value:
        found.append(Part(f"value before {given.compression}", plain))
    if failed is None:
        return tuple(replace(part, stopped_at=None) for part in found)
    if all(part.stopped_at is None for part in found):
        name = "key" if (failed.error_message or "").startswith("the key") else "value"
        place = max((place for place, part in enumerate(found) if part.name.startswith(name)), default=None)
        if place is not None:
            stopped_at = _byte_of(failed, message.protocol, found[place].data)
            found[place] = replace(found[place], stopped_at=stopped_at)
    return tuple(found)


def _part(name: str, data: bytes, message: Message, given: Options, place: int) -> Part:
    """Bytes with their fields, where a writer schema names them."""
    if message.protocol not in OF_REGISTRY:
        return Part(name, data)
    head = avro_binary.HEAD[given.framing][1]
    schema = message.schemas[place] if len(message.schemas) > place else None
    if avro_binary.schema_id(data, given.framing) is None or not isinstance(schema, str):
        return Part(name, data)
    fields = [("header", 0, head)]
    try:
        record = avro_binary.parse_schema(schema, name)
    except DecodeError:
        return Part(name, data, tuple(fields))
    spans, end = avro_binary.spans(record, data, given.framing)
    fields += [(field.name, start, stop) for field, start, stop in spans]
    is_whole = len(spans) == len(record.fields) and end == len(data)
    return Part(name, data, tuple(fields), None if is_whole else end)


def _byte_of(event: Event, protocol: str, data: bytes) -> int | None:
    """The byte at which the decoder stopped, where its error tells; of Open Protocol only frames lie in the value."""
    text = event.error_message or ""
    if event.error_code == ErrorCode.BAD_FRAME:
        found = _AFTER.search(text)
    elif protocol == "open_protocol" or event.error_code not in _SECOND_MISREADS:
        found = None
    elif event.error_code == ErrorCode.NOT_UTF8:
        return _not_utf8(data)  # the error tells the place in its string
    elif text.endswith(_CUT_OFF):
        return len(data)
    else:
        found = _BYTE.search(text)
    return int(found[1]) if found else None


def _not_utf8(data: bytes) -> int | None:
    try:
        data.decode()
    except UnicodeDecodeError as error:
        return error.start
    return None


def _stopped(parts: Sequence[Part], events: Sequence[Event], fault: str | None) -> str | None:
    if not any(event.kind == Kind.ERROR for event in events):
        return None
    for part in parts:
        if part.stopped_at is not None:
            field = part.fields[-1][0] if part.fields else None
            behind = f", behind {field}" if field else ""
            return f"at byte {part.stopped_at:,} of {len(part.data):,} of the {part.name}{behind}"
    return "before it read the value: it cannot be decompressed" if fault else "at the message as a whole"


def _differences(message: Message, events: Sequence[Event], again: Second) -> list[str]:
    if again.library is None:
        return []
    failed = [event for event in events if event.kind == Kind.ERROR]
    if again.error is not None:
        return [] if failed else [f"the decoder reads the message, {again.library} does not: {again.error}"]
    found = [
        f"the decoder does not read the message ({event.error_code}: {event.error_message}), {again.library} does"
        for event in failed
        if event.error_code in _SECOND_MISREADS
    ]
    if not failed:
        found += again.differences
        if len(again.images) == len(events):
            for number, (event, images) in enumerate(zip(events, again.images, strict=True)):
                place = f"event {number}, " if len(events) > 1 else ""
                found += [place + text for text in _of_cells(event, *images)]
    return found


def _of_cells(event: Event, before: Mapping[str, Any] | None, after: Mapping[str, Any] | None) -> list[str]:
    """Cells that one of both has and the other has not, or holds NULL in."""
    found = []
    for side, image, wire in (("before", event.before, before), ("after", event.after, after)):
        if wire is None or image is None:
            continue
        cells = json.loads(image)
        for column, value in wire.items():
            if column in cells and (cells[column] is None) != (value is None):
                is_null, is_not = ("the decoder", "it") if cells[column] is None else ("it", "the decoder")
                found.append(f"column {column!r} {side}: {is_null} has NULL, {is_not} has a value")
        missing = [column for column in wire if column not in cells and not second.is_internal(column)]
        found += [f"column {column!r} {side}: the decoder leaves it out" for column in missing]
    return found
