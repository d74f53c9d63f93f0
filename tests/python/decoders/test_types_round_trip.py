"""The row that every codec test of TiCDC round-trips, as each protocol writes it: one canonical text per cell.

The vectors have its DDL and the texts that a SELECT gives (TiCDC NewLargeEvent4Test); protocol facts 3.2 to 3.7 tell
how the encoders write them.
"""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from support import avro as avro_messages
from support import messages as canal_messages
from support import open_protocol as open_messages
from support import simple as simple_messages
from support.catalogue import folded, last
from support.corpus import VECTORS, json_lines

from ticdc_udfs.catalogue.tables import Column
from ticdc_udfs.contract import values
from ticdc_udfs.contract.events import Kind
from ticdc_udfs.protocols import avro

Image = dict[str, str | None]

LABELS = ("a", "b", "c")
CODES = {
    **{"tinyint": 1, "smallint": 2, "int": 3, "float": 4, "double": 5, "timestamp": 7, "bigint": 8, "mediumint": 9},
    **{"date": 10, "time": 11, "datetime": 12, "year": 13, "varchar": 15, "varbinary": 15, "bit": 16, "vector": 225},
    **{"json": 245, "decimal": 246, "enum": 247, "set": 248, "tinytext": 249, "tinyblob": 249, "mediumtext": 250},
    **{"mediumblob": 250, "longtext": 251, "longblob": 251, "text": 252, "blob": 252, "char": 254, "binary": 254},
}


def _is_binary(base: str) -> bool:
    return base.endswith(("blob", "binary"))


def _number(base: str, text: str) -> str:
    """A label's place as enum and set count."""
    return str(LABELS.index(text) + 1 if base == "enum" else 1 << LABELS.index(text)) if text in LABELS else text


def _canal(columns: list[Column], row: Image) -> Image:
    wire: Image = {}
    for column in columns:
        base, text = values.base_type(column.type), row[column.name]
        if text is not None:
            text = text.encode().decode("latin-1") if _is_binary(base) else _number(base, text)
        wire[column.name] = text
    types = {column.name: column.type for column in columns}
    event = canal_messages.decode(canal_messages.row_message(wire, types, key=["tu1"]))
    assert (event.kind, event.lossy, event.row_key) == (Kind.ROW, (), b'{"tu1":"127"}')
    return dict(json.loads(event.after or b""))


def _open(columns: list[Column], row: Image) -> Image:
    wire = {}
    for column in columns:
        base, text = values.base_type(column.type), row[column.name]
        value: Any = text
        if text is not None:
            if base.endswith(("int", "float", "double", "bit", "year", "enum", "set")):
                value = json.loads(_number(base, text))
            elif base.endswith(("blob", "text")):
                value = b64encode(text.encode()).decode()
        flags = open_messages.NULLABLE | open_messages.BINARY * (base not in ("varchar", "char", "enum", "set"))
        flags &= ~open_messages.BINARY if base.endswith("text") else ~0
        if "unsigned" in column.type or base in ("bit", "year"):
            flags |= open_messages.UNSIGNED
        if column.name == "tu1":
            flags |= open_messages.PRIMARY | open_messages.HANDLE
        wire[column.name] = open_messages.column(CODES[base], value, flags)
    event = open_messages.decode_row({"u": wire})
    assert (event.kind, event.row_key) == (Kind.ROW, b'{"tu1":"127"}'), event.error_message
    assert event.lossy == ("enumT:label_unknown", "setT:label_unknown")
    image: Image = dict(json.loads(event.after or b""))
    for name in ("enumT", "setT"):
        label = values.enum_label if name == "enumT" else values.set_labels
        image[name] = label(image[name] or "", LABELS)
    return image


def _simple(encoding: str) -> Callable[[list[Column], Image], Image]:
    def image_of(columns: list[Column], row: Image) -> Image:
        wire: dict[str, Any] = {}
        for column in columns:
            base, text = values.base_type(column.type), row[column.name]
            wire[column.name] = text
            if text is None:
                continue
            if base == "timestamp":
                wire[column.name] = {"location": "UTC", "value": text}
            elif _is_binary(base):
                wire[column.name] = text.encode() if encoding == "avro" else b64encode(text.encode()).decode()
            else:
                wire[column.name] = _avro_cell(column, text) if encoding == "avro" else _number(base, text)
        schema = simple_messages.schema_of(
            [_simple_column(column) for column in columns], [simple_messages.index("tu1", primary=True)]
        )
        events = [
            simple_messages.decode(message, encoding)
            for message in (simple_messages.bootstrap_message(schema), simple_messages.row_message(wire))
        ]
        assert [event.kind for event in events] == [Kind.BOOTSTRAP, Kind.ROW], events
        (found,) = simple_messages.finished(events)
        assert (found.key, found.flags) == ({"tu1": "127"}, frozenset())
        return found.after or {}

    return image_of


def _avro_cell(column: Column, text: str) -> Any:
    base = values.base_type(column.type)
    if base in ("float", "double"):
        return simple_messages.Single(text) if base == "float" else float(text)
    if column.type.startswith("bigint") and "unsigned" in column.type:
        return simple_messages.Unsigned(int(text) - (1 << 64 if int(text) >= 1 << 63 else 0))
    return int(_number(base, text)) if base.endswith(("int", "year", "enum", "set")) else text


def _simple_column(column: Column) -> dict[str, Any]:
    base = values.base_type(column.type)
    sizes = [int(size) for size in column.type.partition("(")[2].partition(")")[0].split(",") if size.isdecimal()]
    data_type: dict[str, Any] = {"length": sizes[0]} if sizes else {}
    data_type |= {"decimal": sizes[1]} if len(sizes) > 1 else {}
    data_type |= {"elements": list(LABELS)} if base in ("enum", "set") else {}
    data_type |= {"unsigned": True} if "unsigned" in column.type else {}
    if base in ("datetime", "timestamp", "time"):
        data_type = {"length": 10 if base == "time" else 19} | ({"decimal": sizes[0]} if sizes else {})
    return simple_messages.column(column.name, base, **data_type)


AVRO_KINDS = {
    **dict.fromkeys(("tinyint", "smallint", "mediumint", "int", "year"), "int"),
    **{"bigint": "long", "float": "float", "double": "double", "bit": "bytes"},
}
AVRO_NAMES = {"tinyint": "INT", "smallint": "INT", "mediumint": "INT", "vector": "TiDBVECTORFloat32"}


def _avro(columns: list[Column], row: Image) -> Image:
    fields, wire = [], {}
    for column in columns:
        base, text = values.base_type(column.type), row[column.name]
        kind = "long" if column.type.startswith("int") and "unsigned" in column.type else AVRO_KINDS.get(base, "string")
        kind = "bytes" if _is_binary(base) else kind
        name = "BLOB" if _is_binary(base) else AVRO_NAMES.get(base, base.upper())
        name = "TEXT" if base.endswith(("char", "text")) else name
        name += " UNSIGNED" if "unsigned" in column.type and name in ("INT", "BIGINT") else ""
        parameters = {"length": "10"} if base == "bit" else {"allowed": "a,b,c"} if base in ("enum", "set") else {}
        value: Any = text
        if text is not None:
            if kind in ("int", "long"):
                value = int(text) - (1 << 64 if int(text) >= 1 << 63 else 0)
            elif kind in ("float", "double"):
                value = float(text)
            elif kind == "bytes":
                value = int(text).to_bytes(2, "big") if base == "bit" else text.encode()
        fields.append(avro_messages.column(column.name, kind, name, nullable=column.name != "tu1", **parameters))
        wire[column.name] = value
    schema = avro_messages.record(*fields, *avro_messages.EXTENSION)
    key = avro_messages.record(avro_messages.column("tu1", "int", "INT UNSIGNED"))
    cells = {**wire, **avro_messages.extension("c")}
    messages = avro_messages.message(key, wire), avro_messages.message(schema, cells)
    event = avro_messages.decode_by(avro.decode, *messages, key, schema)
    # no export tells which columns are virtual
    lossy = tuple(f"{name}:null_or_generated" for name, value in wire.items() if value is None)
    assert (event.kind, event.lossy, event.row_key) == (Kind.ROW, lossy, b'{"tu1":"127"}'), event.error_message
    return dict(json.loads(event.after or b""))


@pytest.mark.parametrize(
    "image_of",
    [_canal, _open, _simple("json"), _simple("avro"), _avro],
    ids=["canal_json", "open_protocol", "simple_json", "simple_avro", "avro"],
)
@pytest.mark.parametrize(
    "vector", list(json_lines(VECTORS.with_name("types_round_trip.jsonl"))), ids=lambda vector: str(vector["id"])
)
def test_the_row_that_every_codec_test_round_trips(
    vector: Mapping[str, Any], image_of: Callable[[list[Column], Image], Image]
) -> None:
    columns = list(last(folded(vector["expect"]["ddl"]), "t").columns)
    selected = dict(vector["expect"]["mysql_text_protocol_values"])
    selected["bitT"] = str(int.from_bytes(b64decode(selected["bitT"]["bytes_b64"]), "big"))
    assert [column.name for column in columns] == list(selected)
    wanted = dict(selected)
    for column in columns:
        if _is_binary(values.base_type(column.type)):
            wanted[column.name] = b64encode(selected[column.name].encode()).decode()
    assert image_of(columns, selected) == wanted
