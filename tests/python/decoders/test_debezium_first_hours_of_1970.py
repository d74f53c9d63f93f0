"""Debezium: a TIMESTAMP of the first hours of 1970 is written as a zero date where the changefeed is west of UTC."""

from __future__ import annotations

import json

import pytest
from support.debezium import decode, key_message, row_message

from ticdc_udfs.contract.schemas import Column, table_schema
from ticdc_udfs.protocols.debezium_avro.message import converter
from ticdc_udfs.protocols.resolution import Row, resolve

SCHEMA = table_schema([Column("id", "int(11)", 1), Column("v", "timestamp(3)", None, True)]).text.decode()
EPOCH = "1970-01-01T00:00:00Z"
ZONES = {
    "UTC": (),
    "Asia/Shanghai": (),
    "Europe/London": (),
    "America/New_York": ("v:zero_date",),
    "Pacific/Honolulu": ("v:zero_date",),
    "Africa/Monrovia": ("v:zero_date",),
}


@pytest.mark.parametrize("zone", ZONES)
def test_zero_dates(zone: str) -> None:
    """In London the clock was an hour ahead in 1970, in Monrovia 44 minutes and a half behind."""
    options = json.dumps({"time_zone": zone})
    event = decode(row_message({"id": 1, "v": EPOCH}), key_message({"id": 1}), options)
    row = Row(event.row_key, event.before_key, event.before, event.after, event.lossy)
    row = resolve(row, "debezium", SCHEMA, options, None)
    assert json.loads(row.after or b"") == {"id": "1", "v": "0000-00-00 00:00:00.000"}
    assert row.lossy == ZONES[zone]


@pytest.mark.parametrize("zone", ZONES)
def test_zero_dates_with_inline_schema_and_in_avro(zone: str) -> None:
    """The fraction digits wait for the table's schema, with the zero date in the place of the message's text."""
    options = json.dumps({"time_zone": zone})
    row = Row('{"id":"1"}', None, None, '{"id":"1","v":"0000-00-00 00:00:00"}', ("v:no_schema",))
    for protocol in ("debezium", "debezium_avro"):
        assert resolve(row, protocol, SCHEMA, options, None).lossy == ZONES[zone]


def test_other_moments_are_certain() -> None:
    options = '{"time_zone":"America/New_York"}'
    for text in ("1970-01-01T05:00:01.000Z", "2024-01-01T00:00:00.000Z"):
        event = decode(row_message({"id": 1, "v": text}), key_message({"id": 1}), options)
        row = Row(event.row_key, event.before_key, event.before, event.after, event.lossy)
        assert resolve(row, "debezium", SCHEMA, options, None).lossy == ()
    convert = converter("timestamp(3)", None)
    assert convert is not None and convert("2024-01-01 00:00:00.5") == ("2024-01-01 00:00:00.500", None)
