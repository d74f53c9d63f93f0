"""Avro: the names that the user's export tells, and virtual columns."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import orjson
from support.avro import EXTENSION, Message, arrays, before, column, decode, extension, message, record
from support.batches import FEW, read_together
from support.images import image_of

from ticdc_udfs.catalogue.fold import DdlEvent, fold
from ticdc_udfs.catalogue.tables import ExportedColumn
from ticdc_udfs.contract.options import parse
from ticdc_udfs.contract.schemas import Column, table_schema
from ticdc_udfs.protocols import avro
from ticdc_udfs.protocols.resolution import Row, resolve


def exported(schema: Mapping[str, Any], *tables: tuple[str, str], **columns: str | tuple[str, ...]) -> dict[str, Any]:
    """A schema as staging gives it: with the tables that bear its names in the user's export, and their columns."""
    names = [(name, wire) for wire, found in columns.items() for name in ([found] if isinstance(found, str) else found)]
    export = {
        "tables": [{"schema_name": schema_name, "table_name": table_name} for schema_name, table_name in tables],
        "columns": [{"name": name, "wire_name": wire, "is_virtual": name.endswith("²")} for name, wire in names],
    }
    return {"ticdc.export": export, **schema}


ODD = (column("_id", "int", "INT"), column("a_b", "string", "TEXT", nullable=True))
ODD_TABLE = ("my.shop", 'd.o"t')
ODD_NAMES: dict[str, str | tuple[str, ...]] = {"_id": "№", "a_b": "a\\b", "area": "area²"}


def odd_row(op: str = "u", **more: Any) -> Message:
    """A row of a table with names that Avro cannot write and a virtual column, as staging gives it."""
    columns = (*ODD, column("area", "int", "INT", nullable=True))
    schema = record(*columns, before(*columns), *EXTENSION)
    row = {"_id": 1, "a_b": "x", "area": None, **more}
    row |= {"_ticdc_before": None if op == "c" else {**row, "_id": 2}, **extension(op)}
    key_schema = record(ODD[0])
    texts = [json.dumps(exported(each, ODD_TABLE, **ODD_NAMES)) for each in (key_schema, schema)]
    return message(key_schema, row), message(schema, row), "{}", texts[0], texts[1]


def test_names_are_those_of_the_export() -> None:
    (event,) = avro.decode(*_parsed(odd_row()))
    assert (event.schema_name, event.table_name, event.lossy) == (*ODD_TABLE, ())
    assert (image_of(event.row_key), image_of(event.before_key)) == ({"№": "1"}, {"№": "2"})
    assert (image_of(event.before), image_of(event.after)) == ({"№": "2", "a\\b": "x"}, {"№": "1", "a\\b": "x"})
    assert [each["name"] for each in orjson.loads(event.table_schema or b"")] == ["№", "a\\b", "area²"]


def test_a_tombstone_has_the_names_of_the_export() -> None:
    key, _, options, key_schema, _ = odd_row()
    (event,) = avro.decode(*_parsed((key, None, options, key_schema, None)))
    assert (event.schema_name, event.table_name, image_of(event.before)) == (*ODD_TABLE, {"№": "1"})


def test_flags_bear_the_names_of_the_export() -> None:
    key, value, options, *schemas = odd_row("c")
    (event,) = avro.decode(*_parsed((key, (value or b"").replace(b"x", b"\xff"), options, *schemas)))
    assert event.lossy == ("a\\b:invalid_utf8",)


def test_without_a_key_the_virtual_column_is_none_of_it() -> None:
    _key, value, options, _, schema = odd_row("c")
    (event,) = avro.decode(*_parsed((b"", value, options, None, schema)))
    assert (image_of(event.row_key), event.lossy) == ({"№": "1", "a\\b": "x"}, ("*:no_key",))


def test_a_unique_key_is_that_of_the_export() -> None:
    _key, value, options, _, schema = odd_row("c")
    (event,) = avro.decode(*_parsed((b"", value, options, None, schema)))
    told = DdlEvent(1, event.schema_name, event.table_name, None, None, (event.table_schema or b"").decode())
    columns = (("№", "int(11)", False, "UNI"), ("a\\b", "text", True, ""), ("area²", "int(11)", True, ""))
    (version,) = fold(
        [told],
        [
            ExportedColumn(*ODD_TABLE, name, place, type_, nullable, None, column_key)
            for place, (name, type_, nullable, column_key) in enumerate(columns, start=1)
        ],
    ).versions
    known = table_schema([Column(column.name, column.type, column.key) for column in version.columns])
    row = resolve(Row(event.row_key, None, None, event.after, event.lossy), "avro", known.text.decode(), options, None)
    assert (image_of(row.row_key), row.after, row.lossy) == ({"№": "1"}, event.after, ())


def test_a_name_that_is_that_of_two_stays() -> None:
    schema = record(*ODD, *EXTENSION)
    wire = {"_id": 1, "a_b": "x", **extension("c")}
    both = exported(schema, ODD_TABLE, ("my-shop", "t"), **ODD_NAMES)
    event = decode(message(schema, wire), both)
    assert (event.schema_name, event.table_name, image_of(event.after)) == ("shop", "t", {"_id": "1", "a_b": "x"})
    assert event.lossy == ("*:ambiguous_name", "*:no_key")
    both = exported(schema, ODD_TABLE, _id="№", a_b=("a-b", "a_b"))
    event = decode(message(schema, wire), both)
    assert (event.table_name, image_of(event.after)) == (ODD_TABLE[1], {"№": "1", "a_b": "x"})
    assert event.lossy == ("a_b:ambiguous_name", "*:no_key")


def test_columns_that_the_export_lacks_stay() -> None:
    schema = record(*ODD)
    event = decode(message(schema, {"_id": 1, "a_b": "x"}), exported(schema, ODD_TABLE, a_b="a b"))
    assert image_of(event.after) == {"_id": "1", "a b": "x"}


def test_a_table_of_virtual_columns_alone_keeps_them() -> None:
    schema = record(column("area", "int", "INT", nullable=True))
    event = decode(message(schema, {"area": None}), exported(schema, ODD_TABLE, area="area²"))
    assert image_of(event.after) == {"area²": None}


def _parsed(each: Message) -> tuple[Any, ...]:
    key, value, options, *schemas = each
    return key, value, parse(options), *schemas


def test_rows_read_together_have_the_names_of_the_export() -> None:
    messages = [odd_row(op, a_b=text) for op in "cud" for text in ("x", 'é"', None)] * FEW
    assert read_together(avro, arrays(messages)) == len(messages)
