"""Columns in messages that are none of their table, and those whose values no message has."""

from __future__ import annotations

import json
from typing import Any

import orjson
import pyarrow as pa
import pytest
from support import avro as avro_messages
from support import debezium as debezium_messages
from support import open_protocol as open_messages
from support.batches import FEW, read_together
from support.images import image_of
from support.upstream import INT, Column, Index, Row, Table, Upstream

from ticdc_udfs.contract import arrow
from ticdc_udfs.contract.events import Event, Kind
from ticdc_udfs.protocols import avro, debezium, debezium_avro, open_protocol, simple

PROTOCOLS = ("avro", "canal_json", "debezium", "debezium_avro", "open_protocol", "simple")
BATCHES: Any = {
    "avro": avro,
    "debezium": debezium,
    "debezium_avro": debezium_avro,
    "open_protocol": open_protocol,
    "simple": simple,
}


def changed(protocol: str, columns: list[Column], *indexes: Index, is_primary: bool = True) -> Upstream:
    """A table of which each row comes, changes and goes; the first column is the key."""
    key = [Index(1, "PRIMARY", [1], primary=True)] if is_primary else []
    upstream = Upstream(protocol, Table("t", columns, [*key, *indexes]))
    for number in range(FEW):
        row: Row = {column.id: number for column in columns}
        upstream.insert(row)
        upstream.update(row, {2: 7})
        upstream.delete(row)
    return upstream


def rows_of(upstream: Upstream) -> list[Event]:
    return [each.event for each in upstream.placed() if each.event.kind == Kind.ROW]


def images(events: list[Event]) -> list[dict[str, str | None]]:
    found = (image_of(text) for event in events for text in (event.before, event.after))
    return [image for image in found if image is not None]


def together(upstream: Upstream) -> int:
    """How many of its messages are read together, which are what each is alone."""
    messages = [(key, value, "{}", *schemas) for _, key, value, schemas in upstream.sent]
    types = (pa.binary(), pa.binary(), pa.string(), pa.string(), pa.string())
    columns = [pa.array(column, type_) for column, type_ in zip(zip(*messages, strict=True), types, strict=False)]
    return read_together(BATCHES[upstream.protocol], columns)


@pytest.mark.parametrize(
    ("protocol", "is_primary"), [(protocol, True) for protocol in PROTOCOLS] + [(each, False) for each in PROTOCOLS[1:]]
)
@pytest.mark.parametrize("name", ["_Col$_v_0", "_Tombstone$_v", "_Tombstone$_id"])
def test_what_stands_for_a_column_being_modified_is_none(protocol: str, name: str, is_primary: bool) -> None:
    columns = [Column(1, "id", INT, nullable=False), Column(2, "v", INT), Column(3, name, INT)]
    events = rows_of(changed(protocol, columns, is_primary=is_primary))
    without = rows_of(changed(protocol, columns[:2], is_primary=is_primary))
    parts = [(event.op, event.row_key, event.before_key, event.before, event.after, event.lossy) for event in events]
    assert parts == [(one.op, one.row_key, one.before_key, one.before, one.after, one.lossy) for one in without]


@pytest.mark.parametrize("protocol", BATCHES)
def test_rows_with_such_columns_are_what_each_is_alone(protocol: str) -> None:
    columns = [Column(1, "id", INT, nullable=False), Column(2, "v", INT), Column(3, "_Col$_v_0", INT)]
    together(changed(protocol, columns))


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("name", ["_Col$_other_0", "_Col$_v", "_Tombstone$_other", "col$_v_0"])
def test_other_columns_with_such_names_are_columns(protocol: str, name: str) -> None:
    columns = [Column(1, "id", INT, nullable=False), Column(2, "v", INT), Column(3, name, INT)]
    wire = name.replace("$", "_") if protocol == "avro" else name
    assert all(wire in image for image in images(rows_of(changed(protocol, columns))) if "v" in image)


@pytest.mark.parametrize("protocol", ["avro", "simple"])
def test_the_expression_of_an_index_is_no_column(protocol: str) -> None:
    columns = [Column(1, "id", INT, nullable=False), Column(2, "v", INT)]
    upstream = changed(protocol, columns, Index(2, "ux", [2], expression=True))
    sent = b" ".join(value or b"" for _, _, value, _ in upstream.sent) + json.dumps(upstream.sent[0][3]).encode()
    assert b"_V" in sent
    events = [each.event for each in upstream.placed()]
    assert all(image.keys() <= {"id", "v"} for image in images(events))
    told = {column["name"] for event in events for column in orjson.loads(event.table_schema or b"[]")}
    assert told == {"id", "v"}
    together(upstream)


def exported(schema: Any, **virtual: bool) -> dict[str, Any]:
    tables = [{"schema_name": "shop", "table_name": "t"}]
    columns = [{"name": name, "wire_name": name, "is_virtual": is_virtual} for name, is_virtual in virtual.items()]
    return {"ticdc.export": {"tables": tables, "columns": columns}, **schema}


MAYBE = (
    avro_messages.column("id", "int", "INT"),
    avro_messages.column("n", "int", "INT", nullable=True),
    avro_messages.column("d", "int", "INT", nullable=True, default=5),
)


def avro_row(n: int | None, d: int | None, virtual: dict[str, bool]) -> avro_messages.Message:
    schema = avro_messages.record(*MAYBE, *avro_messages.EXTENSION)
    row = {"id": 1, "n": n, "d": d}
    key_schema = avro_messages.record(MAYBE[0])
    texts = [json.dumps(exported(each, **virtual) if virtual else each) for each in (key_schema, schema)]
    body = avro_messages.message(schema, {**row, **avro_messages.extension("c")})
    return avro_messages.message(key_schema, row), body, "{}", texts[0], texts[1]


@pytest.mark.parametrize(
    ("virtual", "shown", "lossy"),
    [
        ({}, {"id": "1", "n": None, "d": None}, ("n:null_or_generated",)),
        ({"id": False, "n": False, "d": False}, {"id": "1", "n": None, "d": None}, ()),
        ({"id": False, "n": True, "d": False}, {"id": "1", "d": None}, ()),
        # the column is younger than the export
        ({"id": False, "d": False}, {"id": "1", "n": None, "d": None}, ("n:null_or_generated",)),
    ],
)
def test_avro_null_may_be_the_value_of_a_virtual_column_unless_an_export_tells(
    virtual: dict[str, bool], shown: dict[str, str | None], lossy: tuple[str, ...]
) -> None:
    messages = [avro_row(None, None, virtual)] * FEW + [avro_row(3, 4, virtual)] * FEW
    (event, *_) = arrow.decode_message(avro.decode, *messages[0])
    assert (image_of(event.after), event.lossy) == (shown, lossy)
    (event, *_) = arrow.decode_message(avro.decode, *messages[-1])
    assert event.lossy == ()
    # a value of a column that the export calls virtual is read row by row
    together = 0 if virtual.get("n") else len(messages)
    assert read_together(avro, avro_messages.arrays(messages)) == together


def test_a_row_that_names_no_key_tells_that_there_is_none() -> None:
    def places(event: Event) -> set[int | None]:
        return {column["key"] for column in orjson.loads(event.table_schema or b"[]")}

    column = open_messages.column(3, 1)
    assert places(open_messages.decode_row({"u": {"a": column, "b": column}})) == {0}
    assert places(open_messages.decode_row({"u": {"a": {**column, "h": True}, "b": column}})) == {1, None}
    fields = [debezium_messages.field(name, debezium_messages.INT) for name in ("a", "b")]
    row = debezium_messages.row_message({"a": 1, "b": 2}, fields)
    assert places(debezium_messages.decode(row, debezium_messages.key_message({}))) == {0}
    assert places(debezium_messages.decode(row, debezium_messages.key_message({"a": 1}))) == {1, None}
    # without the key's bytes nothing is told
    assert places(debezium_messages.decode(row)) == {None}
