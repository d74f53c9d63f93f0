"""Avro: values of virtual generated columns are not sent, but NULL (protocol facts 0.1 line 9, 2.5)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest
from support.avro import EXTENSION, Message, arrays, before, column, decode_by, extension, message, record
from support.batches import FEW, read_together

from ticdc_udfs.contract.events import Event
from ticdc_udfs.protocols import avro

ID = column("id", "int", "INT")
AREA = column("area", "int", "INT", nullable=True)
KEY = record(ID)
NOT_KNOWN = ("area:null_or_generated",)


def exported(schema: Mapping[str, Any], virtual: str | None = None) -> dict[str, Any]:
    """A schema as staging gives it with an export in which one column of the table may be virtual."""
    names = [field["name"] for field in schema["fields"]]
    columns = [{"name": name, "wire_name": name, "is_virtual": name == virtual} for name in names]
    return {
        "ticdc.export": {"tables": [{"schema_name": "shop", "table_name": "t"}], "columns": columns},
        **schema,
    }


def row(schema: Mapping[str, Any], op: str = "c", key_schema: Any = KEY, **wire: Any) -> Event:
    value = message(schema, {"id": 1, **wire, **extension(op)})
    return decode_by(avro.decode, message(key_schema, {"id": 1}) if key_schema else None, value, key_schema, schema)


def image(text: bytes | None) -> Any:
    return None if text is None else json.loads(text)


def test_without_an_export_a_null_may_be_a_virtual_column() -> None:
    schema = record(ID, AREA, *EXTENSION)
    event = row(schema, area=None)
    assert (image(event.after), event.lossy) == ({"id": "1", "area": None}, NOT_KNOWN)
    assert row(schema, area=2).lossy == ()


@pytest.mark.parametrize(
    "field",
    [
        column("area", "int", "INT", nullable=True, default=4),
        column("area", "int", "INT"),
    ],
    ids=["has a default", "not null"],
)
def test_a_column_that_cannot_be_generated(field: Mapping[str, Any]) -> None:
    value = None if isinstance(field["type"], list) else 1
    assert row(record(ID, field, *EXTENSION), area=value).lossy == ()


def test_a_decimal_may_be_generated_whatever_its_default() -> None:
    """The encoder sends no default of a decimal."""
    field = column("area", "bytes", "DECIMAL", nullable=True, logicalType="decimal", precision=5, scale=2)
    assert row(record(ID, field, *EXTENSION), area=None).lossy == NOT_KNOWN


@pytest.mark.parametrize(("new", "old", "flags"), [(None, 1, ()), (1, None, ()), (None, None, NOT_KNOWN)])
def test_a_column_with_a_value_in_either_image_is_not_generated(new: Any, old: Any, flags: tuple[str, ...]) -> None:
    schema = record(ID, AREA, before(ID, AREA), *EXTENSION)
    event = row(schema, "u", area=new, _ticdc_before={"id": 1, "area": old})
    assert event.lossy == flags


def test_with_an_export_null_is_null() -> None:
    schema = exported(record(ID, AREA, *EXTENSION))
    assert row(schema, area=None).lossy == ()


def test_a_column_that_the_export_calls_virtual_is_left_out() -> None:
    event = row(exported(record(ID, AREA, *EXTENSION), "area"), area=None)
    assert (image(event.after), event.lossy) == ({"id": "1"}, ())


@pytest.mark.parametrize("key_schema", [KEY, None])
def test_a_column_that_became_virtual_later_keeps_its_values(key_schema: Any) -> None:
    """The export is of a later table with that name, or of the column after a DDL."""
    schema = exported(record(ID, AREA, before(ID, AREA), *EXTENSION), "area")
    event = row(schema, "u", key_schema, area=2, _ticdc_before={"id": 1, "area": None})
    assert (image(event.before), image(event.after)) == ({"id": "1"}, {"id": "1", "area": "2"})
    assert image(event.row_key) == ({"id": "1"} if key_schema else {"id": "1", "area": "2"})


def rows(schema: Mapping[str, Any], wires: list[dict[str, Any]]) -> list[Message]:
    texts = json.dumps(KEY), json.dumps(schema)
    return [(message(KEY, wire), message(schema, wire), "{}", *texts) for wire in wires]


def test_nulls_of_many_rows() -> None:
    schema = record(ID, AREA, before(ID, AREA), *EXTENSION)
    olds = (None, {"id": 1, "area": None}, {"id": 1, "area": 3})
    wires = [
        {"id": number, "area": (None, 7)[number % 2], "_ticdc_before": olds[number % 3], **extension("u")}
        for number in range(FEW)
    ]
    wires += [{**wire, **extension("d")} for wire in wires if wire["_ticdc_before"]]
    assert read_together(avro, arrays(rows(schema, wires))) == len(wires)


def test_a_virtual_column_with_a_value_is_read_row_by_row() -> None:
    schema = exported(record(ID, AREA, *EXTENSION), "area")
    wires = [{"id": number, "area": None, **extension("c")} for number in range(FEW)]
    assert read_together(avro, arrays(rows(schema, wires))) == FEW
    wires[3]["area"] = 5
    assert read_together(avro, arrays(rows(schema, wires))) == 0
