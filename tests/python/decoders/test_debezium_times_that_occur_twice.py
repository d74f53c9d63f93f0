"""Debezium: a TIMESTAMP goes through the wall clock of the changefeed's zone, which shows an hour a year twice."""

from __future__ import annotations

import json

import pyarrow as pa
import pytest
from support.avro import arrays, message
from support.batches import FEW, read_together
from support.debezium import INT, cell_of, decode, field, key_message, row_message, shape_of, to_bytes
from support.debezium_avro import ID, KEY, column, connect, envelope, wire

from ticdc_udfs.contract import arrow
from ticdc_udfs.contract.schemas import Column, table_schema
from ticdc_udfs.protocols import debezium, debezium_avro
from ticdc_udfs.protocols.resolution import Row, resolve

ZONED = shape_of("timestamp", "string", "io.debezium.time.ZonedTimestamp")
SCHEMA = table_schema([Column("id", "int(11)", 1), Column("v", "timestamp(3)", None, True)]).text.decode()
MOMENTS = [
    ("America/New_York", "2024-11-03T04:59:59.999Z", False),
    ("America/New_York", "2024-11-03T05:00:00.000Z", True),
    ("America/New_York", "2024-11-03T06:59:59.999Z", True),
    ("America/New_York", "2024-11-03T07:00:00.000Z", False),
    ("America/New_York", "2024-03-10T07:00:00.000Z", False),
    ("Europe/Berlin", "2024-10-27T00:30:00.000Z", True),
    ("Europe/Berlin", "2024-10-27T01:30:00.000Z", True),
    ("Europe/Berlin", "2024-03-31T01:30:00.000Z", False),
    ("Asia/Shanghai", "2024-10-27T00:30:00.000Z", False),
    ("UTC", "2024-10-27T00:30:00.000Z", False),
]


@pytest.mark.parametrize(("zone", "moment", "twice"), MOMENTS)
def test_the_text_stays_and_is_flagged(zone: str, moment: str, twice: bool) -> None:
    feed = json.dumps({"time_zone": zone})
    text, flags = moment.replace("T", " ").removesuffix("Z"), ("ambiguous_time",) if twice else ()
    assert cell_of(moment, ZONED, None, feed) == (text, flags)
    event = decode(row_message({"id": 1, "v": moment}), key_message({"id": 1}), feed)
    row = Row(event.row_key, event.before_key, event.before, event.after, event.lossy)
    row = resolve(row, "debezium", SCHEMA, feed, None)
    assert json.loads(row.after or b"") == {"id": "1", "v": text}
    assert row.lossy == tuple("v:" + flag for flag in flags)


@pytest.mark.parametrize(("zone", "moment", "twice"), MOMENTS)
def test_in_avro(zone: str, moment: str, twice: bool) -> None:
    schema = envelope(ID, column("v", connect("string", "io.debezium.time.ZonedTimestamp"), "timestamp"))
    value = message(schema, wire("c", None, {"id": 1, "v": moment}))
    one = message(KEY, {"id": 1}), value, json.dumps({"time_zone": zone}), json.dumps(KEY), json.dumps(schema)
    (event,) = arrow.decode_message(debezium_avro.decode, *one)
    assert event.lossy == (("v:ambiguous_time",) if twice else ())
    assert read_together(debezium_avro, arrays([one] * FEW)) == FEW


def test_many_rows() -> None:
    fields = [field("id", INT, optional=False), field("v", ZONED)]
    moments = [moment for _, moment, _ in MOMENTS]
    rows = [row_message({"id": number, "v": moments[number % 10]}, fields) for number in range(60)]
    keys = [key_message({"id": number}, fields) for number in range(60)]
    columns = [pa.array(map(to_bytes, messages), pa.binary()) for messages in (keys, rows)]
    assert read_together(debezium, [*columns, pa.array(['{"time_zone":"Europe/Berlin"}'] * 60)]) == 60
