"""Messages of Simple for named cases, in both encodings, and rows finished by the table schema that they name."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from support.corpus import Variant, root
from ticdc_udfs.contract import arrow
from ticdc_udfs.contract.events import Event, Kind
from ticdc_udfs.contract.schemas import Column, write_json
from ticdc_udfs.protocols import simple
from ticdc_udfs.protocols.simple.message import converter

COMMIT_TS = 470610923863932928
VERSION = 470610923812028416
Message = Mapping[str, Any]


class Single(float):
    """A cell of Avro's type float."""


class Unsigned(int):
    """A cell of the record UnsignedBigint, as its signed 64 bits."""


def row_message(data: Any = None, /, *, type: str = "INSERT", old: Any = None, **members: Any) -> dict[str, Any]:
    """A row message; members that are None are left out."""
    message = {
        "version": 1,
        "database": "shop",
        "table": "t",
        "tableID": 154,
        "type": type,
        "commitTs": COMMIT_TS,
        "buildTs": COMMIT_TS >> 18,
        "schemaVersion": VERSION,
        "data": data,
        "old": old,
    }
    return {name: member for name, member in (message | members).items() if member is not None}


def ddl_message(sql: str, type: str, schema: Message | None = None, **members: Any) -> dict[str, Any]:
    """A DDL message; without `schema` the DDL of a database."""
    message = {"version": 1, "type": type, "sql": sql, "commitTs": COMMIT_TS, "buildTs": 1, "tableSchema": schema}
    return {name: member for name, member in (message | members).items() if member is not None}


def bootstrap_message(schema: Message, **members: Any) -> dict[str, Any]:
    """A bootstrap message."""
    return {"version": 1, "type": "BOOTSTRAP", "commitTs": 0, "buildTs": 1, "tableSchema": dict(schema), **members}


def watermark_message(commit_ts: int) -> dict[str, Any]:
    """A watermark message."""
    return {"version": 1, "type": "WATERMARK", "commitTs": commit_ts, "buildTs": 1}


def column(name: str, word: str, default: Any = None, *, nullable: bool = True, **data_type: Any) -> dict[str, Any]:
    """A column of a table schema."""
    data_type = {"mysqlType": word, "charset": "binary", "collate": "binary", **data_type}
    return {"name": name, "dataType": data_type, "nullable": nullable, "default": default}


def index(*columns: str, unique: bool = True, primary: bool = False, nullable: bool = False) -> dict[str, Any]:
    """An index of a table schema."""
    name = "primary" if primary else "u"
    return {"name": name, "unique": unique, "primary": primary, "nullable": nullable, "columns": list(columns)}


def schema_of(columns: Sequence[Message], indexes: Sequence[Message] | None = (), **members: Any) -> dict[str, Any]:
    """A table schema; the first column is the primary key unless indexes are given."""
    if indexes == ():
        indexes = [index(columns[0]["name"], primary=True)]
    names = {"schema": "shop", "table": "t", "tableID": 154, "version": VERSION}
    return {**names, "columns": list(columns), "indexes": indexes, **members}


def to_json(message: Message) -> bytes:
    """The message as JSON, as it stands on the wire."""
    return json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode()


def to_avro(message: Message) -> bytes:
    """The message in Avro. Of cells the Python type tells the branch: str, bytes, int, float, `Single`, `Unsigned`."""
    if message["type"] == "WATERMARK":
        kind, body = 0, _longs(1, message["commitTs"], message["buildTs"])
    elif message["type"] == "BOOTSTRAP":
        kind, body = 1, _longs(1, message["buildTs"]) + _schema(message["tableSchema"])
    elif message["type"] in _DDL_WORDS:
        body = _longs(1, _DDL_WORDS.index(message["type"])) + _text(message["sql"])
        body += _longs(message["commitTs"], message["buildTs"])
        kind, body = 2, body + b"".join(_optional(_schema, message.get(n)) for n in ("tableSchema", "preTableSchema"))
    else:
        body = _longs(1) + _text(message["database"]) + _text(message["table"]) + _longs(message["tableID"])
        body += _longs(_DML_WORDS.index(message["type"]), message["commitTs"], message["buildTs"])
        body += _longs(message["schemaVersion"]) + _optional(_text, message.get("claimCheckLocation"))
        body += _optional(_boolean, message.get("handleKeyOnly")) + _optional(_checksum, message.get("checksum"))
        kind, body = 3, body + b"".join(_optional(_row, message.get(name)) for name in ("data", "old"))
    return b"\x16" + _longs(kind, kind) + body


_DDL_WORDS = ("CREATE", "ALTER", "ERASE", "RENAME", "TRUNCATE", "CINDEX", "DINDEX", "QUERY")
_DML_WORDS = ("INSERT", "UPDATE", "DELETE")


def _longs(*numbers: int) -> bytes:
    out = bytearray()
    for number in numbers:
        rest = number << 1 ^ number >> 63
        while rest > 0x7F:
            out.append(rest & 0x7F | 0x80)
            rest >>= 7
        out.append(rest)
    return bytes(out)


def _text(text: str | bytes) -> bytes:
    raw = text.encode() if isinstance(text, str) else text
    return _longs(len(raw)) + raw


def _boolean(value: bool) -> bytes:
    return b"\x01" if value else b"\x00"


def _optional(write: Any, value: Any) -> bytes:
    return b"\x00" if value is None else b"\x02" + write(value)


def _list(write: Any, items: Sequence[Any]) -> bytes:
    return (_longs(len(items)) + b"".join(map(write, items)) if items else b"") + b"\x00"


def _checksum(checksum: Message) -> bytes:
    return _longs(checksum["version"]) + _boolean(checksum["corrupted"]) + _longs(*(checksum[n] for n in _SUMS))


_SUMS = ("current", "previous")


def _row(row: Message) -> bytes:
    return _list(lambda cell: _text(cell[0]) + _cell(cell[1]), list(row.items()))


def _cell(cell: Any) -> bytes:
    if cell is None:
        return b"\x00"
    if isinstance(cell, Unsigned):
        return _longs(7, cell)
    if isinstance(cell, int):
        return _longs(1, cell)
    if isinstance(cell, float):
        single = isinstance(cell, Single)
        return _longs(2 if single else 3) + struct.pack("<f" if single else "<d", cell)
    if isinstance(cell, Mapping):
        return _longs(6) + _text(cell["location"]) + _text(cell["value"])
    return _longs(5 if isinstance(cell, bytes) else 4) + _text(cell)


def _schema(schema: Message) -> bytes:
    head = _text(schema["schema"]) + _text(schema["table"]) + _longs(schema["tableID"], schema["version"])
    return head + _list(_column, schema["columns"]) + _list(_index, schema["indexes"] or ())


def _column(wire: Message) -> bytes:
    kind = wire["dataType"]
    body = _text(wire["name"]) + b"".join(_text(kind[name]) for name in ("mysqlType", "charset", "collate"))
    body += _longs(kind.get("length", 0)) + _optional(_longs, kind.get("decimal"))
    body += _optional(lambda labels: _list(_text, labels), kind.get("elements"))
    body += b"".join(_optional(_boolean, kind.get(name)) for name in ("unsigned", "zerofill"))
    return body + _boolean(wire["nullable"]) + _optional(_text, wire["default"])


def _index(wire: Message) -> bytes:
    flags = b"".join(_boolean(wire[name]) for name in ("unique", "primary", "nullable"))
    return _text(wire["name"]) + flags + _list(_text, wire["columns"])


def decode(value: Message | bytes | None, encoding: str = "json", **options: str) -> Event:
    """The one event of a message, as the UDF gives it: errors are events too."""
    if isinstance(value, Mapping):
        value = to_avro(value) if encoding == "avro" else to_json(value)
    (event,) = arrow.decode_message(simple.decode, None, value, json.dumps({"encoding": encoding, **options}))
    return event


def columns_of(table_schema: bytes | None) -> list[Column]:
    """The columns that a table schema's text tells of."""
    return [Column(**wire) for wire in json.loads(table_schema or b"[]")]


Image = dict[str, str | None]


class Finished(NamedTuple):
    """A row with the table schema applied; `event` is what the decoder gave."""

    event: Event
    columns: Sequence[Column]
    key: Image
    before: Image | None
    after: Image | None
    flags: frozenset[str]


def finished(events: Iterable[Event]) -> list[Finished]:
    """The row events among `events`, finished by the schema that any of the events bears for their version."""
    events = list(events)
    schemas: dict[tuple[str | None, str | None, int | None], list[Column]] = {}
    for event in events:
        if event.table_schema is not None:
            schemas[event.schema_name, event.table_name, event.table_schema_id] = columns_of(event.table_schema)
    rows = (event for event in events if event.kind == Kind.ROW)
    return [_finish(event, schemas[event.schema_name, event.table_name, event.table_schema_id]) for event in rows]


def _finish(event: Event, columns: Sequence[Column]) -> Finished:
    flags = set(event.lossy) - {"*:no_schema"}
    before, after = (None if text is None else _apply(text, columns, flags) for text in (event.before, event.after))
    places = sorted((column.key, column.name) for column in columns if column.key)
    image = after if after is not None else before
    assert image is not None
    key = {name: image[name] for _, name in places} or image
    return Finished(event, columns, key, before, after, frozenset(flags))


def _apply(text: bytes, columns: Sequence[Column], flags: set[str]) -> Image:
    wire = json.loads(text)
    image: Image = {}
    for column in columns:
        if column.name not in wire:
            continue
        cell, convert = wire.pop(column.name), converter(column.type, None)
        if cell is not None and convert is not None:
            cell, reason = convert(cell)
            flags |= {reason.of(column.name)} if reason else set()
        image[column.name] = cell
    assert not wire, "a row has columns that its schema has not"
    return image


def image_text(image: Image | None) -> bytes | None:
    """The image as an event would hold it."""
    return None if image is None else write_json(image)


class SimpleVariant(Variant):
    """A changefeed of the corpus with the protocol Simple."""

    @property
    def options(self) -> dict[str, str]:
        """The feed options under which the messages read right."""
        encoding = self.meta["sink_uri_options"].get("encoding-format", "json")
        return {**super().options, "encoding": encoding}

    @property
    def events(self) -> list[Event]:
        """The events of all records, in arrival order."""
        return [self.decode(record.value) for record in self.records]

    def decode(self, value: bytes | None) -> Event:
        """The event of one message of the feed."""
        (event,) = arrow.decode_message(simple.decode, None, value, self.options_text)
        return event


def variants(folder: Path | None = None) -> tuple[SimpleVariant, ...]:
    """Every Simple variant of a corpus, by name."""
    folder = folder or root()
    files = sorted((folder / "topics").glob("simple_*.jsonl.gz"))
    return tuple(SimpleVariant(folder, file.name.removesuffix(".jsonl.gz")) for file in files)


BOTH = pytest.mark.parametrize("encoding", ["json", "avro"])
NEW, OLD = {"id": "1", "a": "x", "b": None}, {"id": "1", "a": "y", "b": "z"}
SCHEMA = schema_of([column("id", "int", nullable=False, length=11), column("v", "varchar", "it's", length=40)])
