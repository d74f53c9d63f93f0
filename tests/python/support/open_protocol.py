"""Open Protocol messages for named cases, framed as the TiCDC encoder frames them."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import orjson

from support.corpus import Variant, root
from ticdc_udfs.contract import arrow
from ticdc_udfs.contract.events import Event
from ticdc_udfs.protocols import open_protocol

COMMIT_TS = 470610923863932929
VERSION = struct.pack(">q", 1)
BINARY, HANDLE, PRIMARY, UNIQUE, NULLABLE, UNSIGNED = 0x01, 0x02, 0x08, 0x10, 0x40, 0x80
Json = Mapping[str, Any] | bytes


def to_bytes(message: Json) -> bytes:
    """JSON as the encoder writes it; bytes stay."""
    return (
        message
        if isinstance(message, bytes)
        else json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode()
    )


def frames(bodies: Sequence[Json]) -> bytes:
    """Each body after its length in eight bytes."""
    return b"".join(struct.pack(">q", len(body)) + body for body in map(to_bytes, bodies))


def unframed(data: bytes) -> list[bytes]:
    """The bodies that `frames` framed."""
    bodies = []
    while data:
        length = struct.unpack_from(">q", data)[0]
        bodies.append(data[8 : 8 + length])
        data = data[8 + length :]
    return bodies


def row_key(**members: Any) -> dict[str, Any]:
    """The key of a row; a member that is None is left out."""
    key = {"ts": COMMIT_TS, "scm": "shop", "tbl": "t", "t": 1, **members}
    return {name: member for name, member in key.items() if member is not None}


def column(code: int, value: Any, flags: int | None = NULLABLE) -> dict[str, Any]:
    """A column as the wire has it; `h` as the handle key flag says, no `f` where flags are None."""
    wire: dict[str, Any] = {"t": code}
    if flags is not None and flags & HANDLE:
        wire["h"] = True
    return wire | ({} if flags is None else {"f": flags}) | {"v": value}


def ident(value: int = 1) -> dict[str, Any]:
    """The column of an `int primary key`."""
    return column(3, value, PRIMARY | HANDLE | BINARY)


def message(*entries: tuple[Json, Json], pack: Callable[[bytes], bytes] = bytes) -> tuple[bytes, bytes]:
    """Key and value of a batch; `pack` compresses the bodies of the value."""
    bodies = [pack(to_bytes(body)) if body != b"" else b"" for _, body in entries]
    return VERSION + frames([key for key, _ in entries]), frames(bodies)


def decode(key: bytes | None, value: bytes | None, options: str = "{}") -> list[Event]:
    """The events of a message, as the UDF gives them: errors are events too."""
    return list(arrow.decode_message(open_protocol.decode, key, value, options))


def decode_row(body: Json, options: str = "{}", /, **members: Any) -> Event:
    """The one event of a batch with one row; `members` replace or add members of its key."""
    (event,) = decode(*message((row_key(**members), body)), options)
    return event


def image(text: bytes | None) -> dict[str, str | None] | None:
    """A row image as a dict."""
    return None if text is None else dict(orjson.loads(text))


def variants() -> tuple[Variant, ...]:
    """Every Open Protocol variant of the corpus, by name."""
    files = sorted((root() / "topics").glob("open_protocol*.jsonl.gz"))
    return tuple(Variant(root(), file.name.removesuffix(".jsonl.gz")) for file in files)
