"""Avro messages for named cases, written by fastavro, and the variants of the corpus with their registries."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any
from uuid import UUID

import fastavro
import orjson
import pyarrow as pa

from support.corpus import SAMPLE, Variant, root, text_lines
from support.hostile import OPS
from ticdc_udfs.contract import arrow
from ticdc_udfs.contract.events import ErrorCode, Event, Kind
from ticdc_udfs.protocols import avro
from ticdc_udfs.protocols.avro.message import row_plan
from ticdc_udfs.schema_sources import load
from ticdc_udfs.wire.avro_binary import Framing, schema_id

COMMIT_TS = 470610923863932928
UUID_TEXT = "027bd13a-f79a-4b34-8519-bea138d7527c"
NOT_GIVEN: Any = object()
Schema = Mapping[str, Any]


def column(
    name: str, kind: str, tidb_type: str, *, nullable: bool = False, default: Any = NOT_GIVEN, **more: Any
) -> dict[str, Any]:
    """A column's field; `allowed` and `length` are parameters, other members are the type's."""
    parameters = {key: more.pop(key) for key in ("allowed", "length") if key in more}
    schema: Any = {"type": kind, "connect.parameters": {"tidb_type": tidb_type, **parameters}, **more}
    if nullable:
        schema = ["null", schema] if default is NOT_GIVEN else [schema, "null"]
        default = None if default is NOT_GIVEN else default
    return {"name": name, "type": schema} | ({} if default is NOT_GIVEN else {"default": default})


EXTENSION = (
    {"default": "", "name": "_tidb_op", "type": "string"},
    {"default": 0, "name": "_tidb_commit_ts", "type": "long"},
    {"default": 0, "name": "_tidb_commit_physical_time", "type": "long"},
)
CHECKSUM = (
    {"default": "", "name": "_tidb_row_level_checksum", "type": "string"},
    {"default": False, "name": "_tidb_corrupted", "type": "boolean"},
    {"default": 0, "name": "_tidb_checksum_version", "type": "int"},
)


def record(*fields: Mapping[str, Any], name: str = "t", namespace: str = "default.shop") -> dict[str, Any]:
    """A record's schema."""
    return {"type": "record", "name": name, "namespace": namespace, "fields": list(fields)}


def before(*columns: Mapping[str, Any], name: str = "t") -> dict[str, Any]:
    """The field with the old row."""
    return {"name": "_ticdc_before", "default": None, "type": ["null", record(*columns, name=f"{name}_before")]}


def extension(op: str, **more: Any) -> dict[str, Any]:
    """The values of the extension's fields."""
    return {"_tidb_op": op, "_tidb_commit_ts": COMMIT_TS, "_tidb_commit_physical_time": COMMIT_TS >> 18, **more}


def body(schema: Schema, row: Mapping[str, Any]) -> bytes:
    """A record in Avro's binary form."""
    stream = io.BytesIO()
    fastavro.schemaless_writer(stream, fastavro.parse_schema(json.loads(json.dumps(schema))), dict(row))
    return stream.getvalue()


def framed(data: bytes, framing: Framing = "confluent", schema_id: int = 7) -> bytes:
    """A body behind its header."""
    head = b"\x00" + schema_id.to_bytes(4, "big") if framing == "confluent" else b"\x03\x00" + UUID(UUID_TEXT).bytes
    return head + data


def message(schema: Schema, row: Mapping[str, Any], framing: Framing = "confluent") -> bytes:
    """A framed record."""
    return framed(body(schema, row), framing)


def decode_by(
    decode: arrow.Decode,
    key: bytes | None,
    value: bytes | None,
    key_schema: Any,
    value_schema: Any,
    options: str = "{}",
) -> Event:
    """The one event of a message, as the UDF gives it: errors are events too. Schemas are given as objects or texts."""
    texts = (text if text is None or isinstance(text, str) else json.dumps(text) for text in (key_schema, value_schema))
    (event,) = arrow.decode_message(decode, key, value, options, *texts)
    return event


Message = tuple[bytes | None, bytes | None, str, str | None, str | None]
"""Key, value, options, key's schema and value's schema."""


def arrays(messages: Sequence[Message]) -> list[pa.Array[Any]]:
    """Messages as the batch function takes them."""
    columns = list(zip(*messages, strict=True)) or [()] * 5
    types = (pa.binary(), pa.binary(), pa.string(), pa.string(), pa.string())
    return [pa.array(column, type_) for column, type_ in zip(columns, types, strict=True)]


class AvroVariant(Variant):
    """A changefeed in Avro or Debezium-Avro."""

    @property
    def options(self) -> dict[str, str]:
        """The feed options: the framing is told by the registry."""
        return {**super().options, **({"framing": "glue"} if self.framing == "glue" else {})}

    @property
    def framing(self) -> Framing:
        """The framing of keys and values."""
        return "glue" if "glue" in self.meta["sink_uri_options"]["schema-registry"] else "confluent"

    def feed(self, name: str | None = None, topic: str | None = None) -> dict[str, Any]:
        """The feed of this variant, in the topics of `prefixed_lines`."""
        registry = self.folder / self.meta["sink_uri_options"]["schema-registry"]
        feed = super().feed(name, topic or f"{self.name}.%")
        return {
            **feed,
            "protocol": self.meta["protocol"].replace("-", "_"),
            "options": {**self.options, "schemas": str(registry)},
        }

    def prefixed_lines(self) -> Iterator[str]:
        """The lines of the topic file, with topics that no other variant has."""
        for line in text_lines(self.path):
            wire = json.loads(line)
            yield json.dumps({**wire, "topic": f"{self.name}.{wire['topic']}"}) + "\n"

    @property
    def messages(self) -> list[Message]:
        """The messages with their writer schemas."""
        find = load(str(self.folder / self.meta["sink_uri_options"]["schema-registry"]))
        schema = cache(lambda schema_id: None if schema_id is None else find(schema_id).schema)
        return [
            (
                record.key,
                record.value,
                self.options_text,
                *(schema(schema_id(part, self.framing)) for part in (record.key, record.value)),
            )
            for record in self.records
        ]


def variants(protocol: str, folder: Path | None = None) -> tuple[AvroVariant, ...]:
    """Every variant of `avro` or `debezium_avro` in a corpus, by name."""
    folder = folder or root()
    files = sorted((folder / "topics").glob(f"{protocol}*.jsonl.gz"))
    return tuple(AvroVariant(folder, file.name.removesuffix(".jsonl.gz")) for file in files)


def hostile(decode: arrow.Decode, each: Message) -> Event:
    """The event of a message, after the checks that hold for every input."""
    (event,) = arrow.decode_message(decode, *each)
    assert event.kind in set(Kind)
    if event.kind == Kind.ERROR:
        assert event.error_message
        assert event.error_code in set(ErrorCode) - {ErrorCode.INTERNAL_ERROR}, event.error_message
        return event
    assert event.error_code is None
    assert event.commit_ts is None or 0 < event.commit_ts < 2**63
    if event.kind == Kind.ROW:
        assert event.op in OPS
        for image in filter(None, (event.row_key, event.before_key, event.before, event.after)):
            assert all(text is None or isinstance(text, str) for text in json.loads(image).values())
    return event


def real(protocol: str) -> tuple[Message, ...]:
    """Real messages of at most 4 KiB: enough of every kind, and quick to break."""
    return tuple(
        each for variant in variants(protocol, SAMPLE) for each in variant.messages if len(each[1] or b"") <= 4096
    )


ID = column("id", "int", "INT")
KEY = record(ID)
OPTIONS = {"confluent": "{}", "glue": '{"framing":"glue"}'}


def decode(
    value: bytes | None, value_schema: Any, key: bytes | None = None, key_schema: Any = None, options: str = "{}"
) -> Event:
    """The one event of a message of Avro."""
    return decode_by(avro.decode, key, value, key_schema, value_schema, options)


def row(*columns: Mapping[str, Any], op: str | None = "c", options: str = "{}", **values: Any) -> Event:
    """The event of a row with a key `id`; `op` None: without extension."""
    schema = record(ID, *columns, *(EXTENSION if op is not None else ()))
    wire = {"id": 1, **values, **(extension(op) if op is not None else {})}
    return decode(message(schema, wire), schema, message(KEY, wire), KEY, options)


def cell(field: Mapping[str, Any], value: Any, options: str = "{}") -> str | None:
    """The canonical text of a column's value."""
    event = row(field, options=options, **{field["name"]: value})
    assert event.kind == Kind.ROW, event.error_message
    image = orjson.loads(event.after or b"")
    return None if image[field["name"]] is None else str(image[field["name"]])


def column_type(field: Mapping[str, Any]) -> str:
    """The MySQL type that a field tells."""
    schema = record(field)
    return row_plan(json.dumps(schema), None, None).columns[0].type


COLUMNS = (ID, column("a", "string", "TEXT", nullable=True), column("b", "string", "TEXT", nullable=True))
