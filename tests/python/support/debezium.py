"""Messages of Debezium JSON for named cases, and rows finished by the table schemas that DDL messages tell."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

import orjson
import pytest

from support.corpus import Variant, root
from ticdc_udfs.contract import arrow, options
from ticdc_udfs.contract.events import Event, Kind
from ticdc_udfs.contract.schemas import Column
from ticdc_udfs.protocols import debezium
from ticdc_udfs.protocols.debezium.values import converter, null_reason

COMMIT_TS = 470610923863932928
Message = Mapping[str, Any]
Image = dict[str, str | None]

INT = {"tidb_type": "int", "type": "int32"}
VARCHAR = {"tidb_type": "varchar", "type": "string"}


def source(**members: Any) -> dict[str, Any]:
    """The member `source` of a payload."""
    return {
        "version": "2.4.0.Final",
        "connector": "TiCDC",
        "name": "cluster",
        "ts_ms": COMMIT_TS >> 18,
        "snapshot": "false",
        "db": "shop",
        "table": "t",
        "server_id": 0,
        "gtid": None,
        "file": "",
        "pos": 0,
        "row": 0,
        "thread": 0,
        "query": None,
        "commit_ts": COMMIT_TS,
        "cluster_id": "cluster",
        **members,
    }


def field(name: str, shape: Message, **members: Any) -> dict[str, Any]:
    """A field of an inline schema; nullable unless told otherwise."""
    return {**shape, "optional": True, "field": name, **members}


def row_message(
    after: Message | None, fields: Sequence[Message] | None = None, /, *, op: str = "c", **members: Any
) -> dict[str, Any]:
    """A row message; without `fields` one without inline schema. `members` are the payload's."""
    payload = {"source": source(), "ts_ms": 1, "transaction": None, "op": op, "before": None, "after": after}
    message: dict[str, Any] = {"payload": payload | members}
    if fields is not None:
        value = {"type": "struct", "optional": True, "name": "cluster.shop.t.Value", "fields": list(fields)}
        envelope = [{**value, "field": name} for name in ("before", "after")]
        message["schema"] = {"type": "struct", "name": "cluster.shop.t.Envelope", "version": 1, "fields": envelope}
    return message


def key_message(key: Message, fields: Sequence[Message] | None = None) -> dict[str, Any]:
    """A message key."""
    if fields is None:
        return {"payload": key}
    named = [member for member in fields if member["field"] in key]
    return {"payload": key, "schema": {"type": "struct", "name": "cluster.shop.t.Key", "fields": named}}


def ddl_message(sql: str, changes: Sequence[Message] = (), **members: Any) -> dict[str, Any]:
    """A DDL message; `members` are the source's."""
    return {
        "payload": {
            "source": source(**members),
            "ts_ms": 1,
            "databaseName": "shop",
            "schemaName": None,
            "ddl": sql,
            "tableChanges": list(changes),
        }
    }


def change(
    columns: Sequence[Message] | None, key: Sequence[str] = (), *, id: str = '"shop"."t"', type: str = "ALTER"
) -> dict[str, Any]:
    """A member of `tableChanges`; without columns that of a dropped table."""
    table = None if columns is None else {"primaryKeyColumnNames": list(key), "columns": list(columns), "comment": None}
    return {"type": type, "id": id, "table": table}


def column(name: str, word: str, length: int | None = None, scale: int | None = None, **members: Any) -> dict[str, Any]:
    """A column of a table that `tableChanges` tell of."""
    return {
        "name": name,
        "jdbcType": 0,
        "defaultValueExpression": None,
        "enumValues": None,
        "typeName": word,
        "typeExpression": word,
        "length": length,
        "scale": scale,
        "optional": True,
        **members,
    }


def watermark_message(commit_ts: int) -> dict[str, Any]:
    """A watermark message."""
    return {"payload": {"source": source(db="", table="", commit_ts=commit_ts), "ts_ms": 1, "op": "m"}}


def to_bytes(message: Message) -> bytes:
    """The message as it stands on the wire, uncompressed."""
    return json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode()


def decode(value: Message | bytes | None, key: Message | bytes | None = None, options_text: str = "{}") -> Event:
    """The one event of a message, as the UDF gives it: errors are events too."""
    wire_key, wire = (to_bytes(part) if isinstance(part, Mapping) else part for part in (key, value))
    (event,) = arrow.decode_message(debezium.decode, wire_key, wire, options_text)
    return event


class Finished(NamedTuple):
    """A row with the table schema applied that was valid before its commit; `event` is what the decoder gave."""

    event: Event
    key: Image
    before: Image | None
    after: Image | None
    lossy: frozenset[str]


def finished(events: Iterable[Event], zone: ZoneInfo | None) -> list[Finished]:
    """The row events among `events`, finished by the table schemas that DDL events tell."""
    events = list(events)
    schemas: dict[tuple[str | None, str | None], dict[int, dict[str, Column]]] = defaultdict(dict)
    for event in events:
        if event.kind == Kind.DDL and event.table_schema is not None:
            columns = [Column(**wire) for wire in json.loads(event.table_schema)]
            schemas[event.schema_name, event.table_name][event.commit_ts or 0] = {each.name: each for each in columns}
    rows = []
    for event in events:
        if event.kind == Kind.ROW:
            known = schemas[event.schema_name, event.table_name]
            valid = [commit_ts for commit_ts in known if commit_ts < (event.commit_ts or 0)]
            rows.append(_finish(event, known[max(valid)] if valid else {}, zone))
    return rows


def _finish(event: Event, schema: Mapping[str, Column], zone: ZoneInfo | None) -> Finished:
    lossy = {flag for flag in event.lossy if not flag.endswith(":no_schema")}
    unfinished = {flag.rpartition(":")[0] for flag in event.lossy if flag.endswith(":no_schema")}
    before, after = (None if text is None else json.loads(text) for text in (event.before, event.after))
    for image in (before, after):
        for name in image or ():
            if name not in unfinished and "*" not in unfinished:
                continue
            column = schema[name]
            if image[name] is None:
                reason = null_reason(column.type, column.nullable)
            else:
                convert = converter(column.type, zone, nullable=column.nullable, default=column.default)
                image[name], reason = convert(image[name]) if convert is not None else (image[name], None)
            lossy |= {reason.of(name)} if reason is not None else set()
    now = after if after is not None else before
    return Finished(
        event, {name: now[name] for name in json.loads(event.row_key or b"")}, before, after, frozenset(lossy)
    )


class DebeziumVariant(Variant):
    """A changefeed of the corpus with the protocol Debezium."""

    @property
    def events(self) -> list[Event]:
        """The events of all records, in arrival order."""
        texts = self.options_text
        records = self.records
        return [event for r in records for event in arrow.decode_message(debezium.decode, r.key, r.value, texts)]

    @property
    def zone(self) -> ZoneInfo | None:
        """The changefeed's time zone; None: UTC."""
        return options.parse(self.options_text).time_zone


def variants(folder: Path | None = None) -> tuple[DebeziumVariant, ...]:
    """Every Debezium JSON variant of a corpus, by name."""
    folder = folder or root()
    names = sorted(file.name.removesuffix(".jsonl.gz") for file in (folder / "topics").glob("debezium_*.jsonl.gz"))
    return tuple(DebeziumVariant(folder, name) for name in names if not name.startswith("debezium_avro"))


FIELDS = [field("id", INT, optional=False), field("a", VARCHAR), field("b", VARCHAR)]
NEW, OLD = {"id": 1, "a": "x", "b": None}, {"id": 1, "a": "y", "b": "z"}
TEXT = {"id": "1", "a": "x", "b": None}
KEY = key_message({"id": 1}, FIELDS)
BOTH = pytest.mark.parametrize("fields", [FIELDS, None], ids=["schema", "no schema"])


def flags_of(fields: Any, *more: str) -> tuple[str, ...]:
    """The flags of a row with or without inline schema."""
    return (*(() if fields else ("*:no_schema",)), *more)


def cell_of(
    value: Any, shape: Mapping[str, Any], column_type: str | None = None, options: str = "{}", **members: Any
) -> tuple[str | None, tuple[str, ...]]:
    """Canonical text and flags of a cell; with `column_type` finished by the table's schema."""
    fields = [field("id", INT, optional=False), field("v", shape, **members)]
    event = decode(row_message({"id": 1, "v": value}, fields), KEY, options)
    assert event.kind == Kind.ROW, event.error_message
    text, reasons = orjson.loads(event.after or b"")["v"], [flag.removeprefix("v:") for flag in event.lossy]
    if column_type is not None and "no_schema" in reasons and text is not None:
        convert = converter(column_type, nullable=members.get("optional", True))
        assert convert is not None
        text, reason = convert(text)
        reasons = [each for each in reasons if each != "no_schema"] + ([reason.value] if reason is not None else [])
    return text, tuple(reasons)


def shape_of(tidb_type: str, connect_type: str, name: str | None = None, **parameters: str) -> dict[str, Any]:
    """A column's type as inline schemas tell it."""
    shape: dict[str, Any] = {"tidb_type": tidb_type, "type": connect_type}
    if name is not None:
        shape |= {"name": name, "version": 1}
    return {**shape, "parameters": parameters} if parameters else shape


DATE = shape_of("date", "int32", "io.debezium.time.Date")
MILLIS = shape_of("datetime", "int64", "io.debezium.time.Timestamp")
MICROS = shape_of("datetime", "int64", "io.debezium.time.MicroTimestamp")
ZONED = shape_of("timestamp", "string", "io.debezium.time.ZonedTimestamp")
TIME = shape_of("time", "int64", "io.debezium.time.MicroTime")
DECIMAL = shape_of("decimal", "double")
UBIGINT = shape_of("bigint unsigned", "int64")
BIT1, BIT12 = shape_of("bit", "boolean"), shape_of("bit", "bytes", "io.debezium.data.Bits", length="12")
BINARY = shape_of("varbinary", "string")
