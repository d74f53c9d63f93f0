"""What `macros/config/protocols.sql` says that a protocol tells is what its decoder gives for the sample's messages."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import jinja2
import pytest
from support import debezium_avro as debezium_avro_messages
from support import storage
from support.avro import decode_by, message
from support.catalogue import DECODERS
from support.corpus import SAMPLE, Record, json_lines
from support.decoded import decoded
from support.open_protocol import frames, unframed

from ticdc_udfs.contract import arrow
from ticdc_udfs.contract.events import Event, Kind, Lossy
from ticdc_udfs.protocols import debezium_avro, resolution
from ticdc_udfs.spark.registry import UDFS

MACRO = Path(__file__).parents[3] / "macros" / "config" / "protocols.sql"
SAMPLES = {
    "avro": "avro_glue",
    "canal_json": "canal_json",
    "debezium": "debezium_some_rows",
    "debezium_avro": "debezium_avro",
    "open_protocol": "open_protocol",
    "simple": "simple_json",
}
SINKS = {"storage_canal_json": "canal_json", "storage_csv": "csv_commit_ts"}


def _protocols() -> Mapping[str, Mapping[str, Any]]:
    table = re.search(r"return\((\{.*\})\)", MACRO.read_text(encoding="utf-8"), re.DOTALL)
    assert table is not None
    return dict(jinja2.Environment(autoescape=False).compile_expression(table[1])())


of_each_protocol = pytest.mark.parametrize(("protocol", "told"), _protocols().items(), ids=_protocols())


def _events(protocol: str) -> list[Event]:
    return _sink(protocol).events if protocol in SINKS else [event for _, event in decoded(SAMPLES[protocol])]


def _sink(protocol: str) -> storage.StorageVariant:
    return next(variant for variant in storage.variants(SAMPLE) if variant.name == SINKS[protocol])


def _rows(protocol: str) -> list[Event]:
    return [event for event in _events(protocol) if event.kind == Kind.ROW]


@of_each_protocol
def test_its_messages_are_decoded_by_a_udf(protocol: str, told: Mapping[str, Any]) -> None:
    name, arguments = told["decode"].rstrip(")").split("(")
    (udf,) = (udf for udf in UDFS if udf.name == name)
    assert name == f"ticdc_decode_{protocol}"
    assert tuple(arguments.split(", ")) == tuple(argument for argument, _ in udf.arguments)
    assert told["gives_list"] == udf.returns.startswith("array<")


@of_each_protocol
def test_ddl_is_sent_or_not(protocol: str, told: Mapping[str, Any]) -> None:
    assert any(event.kind == Kind.DDL for event in _events(protocol)) is told["sends_ddl"]


@of_each_protocol
def test_columns_wait_for_another_schema_where_rows_do_not_tell_their_types(
    protocol: str, told: Mapping[str, Any]
) -> None:
    flags = {flag for row in _rows(protocol) for flag in row.lossy} - {Lossy.NO_SCHEMA.of()}
    assert any(flag.endswith(Lossy.NO_SCHEMA.of("")) for flag in flags) is (told["types_of_rows"] != "current")


@of_each_protocol
def test_rows_wait_for_their_key_or_not(protocol: str, told: Mapping[str, Any]) -> None:
    del told
    assert all(row.row_key is None for row in _rows(protocol)) is resolution.PROTOCOLS[protocol].key_of_schema


@of_each_protocol
def test_an_update_without_old_values_is_an_insert_or_not(protocol: str, told: Mapping[str, Any]) -> None:
    assert (_update_without_old_values(protocol).op == "insert") is not told["tells_updates"]


def _update_without_old_values(protocol: str) -> Event:
    """The event of an update in the form that it has where the changefeed sends no old values; an error is one, too."""
    if protocol == "debezium_avro":
        schema = debezium_avro_messages.envelope(debezium_avro_messages.ID)
        value = message(schema, debezium_avro_messages.wire("u", None, {"id": 1}))
        return decode_by(debezium_avro.decode, None, value, None, schema)
    if protocol == "storage_csv":  # nor did that of this sample
        return next(event for event in _events(protocol) if event.op == "update")
    if protocol == "storage_canal_json":
        key, value, *more = next(sent for sent in _sink(protocol).messages() if b'"type":"UPDATE"' in (sent[1] or b""))
        value = json.dumps({**json.loads(value), "old": None}).encode()
        (event,) = arrow.decode_message(storage.DECODERS[protocol], key, value, *more)
        return event
    record, event = next(
        (record, event)
        for (other, _), (record, event) in pairwise(decoded(SAMPLES[protocol]))
        if event.op == "update" and record is not other  # the first of its message
    )
    if protocol == "avro":  # the sample's changefeed sent none
        return event
    event, *_ = arrow.decode_message(DECODERS[protocol], record.key, _without_old_values(record, protocol), "{}")
    return event


def _without_old_values(record: Record, protocol: str) -> bytes:
    value = record.value or b""
    if protocol == "open_protocol":
        bodies = map(json.loads, unframed(value))
        return frames([{name: part for name, part in body.items() if name != "p"} for body in bodies])
    wire = json.loads(value)
    if protocol == "debezium":
        wire["payload"]["before"] = None
    else:
        wire["old"] = None
    return json.dumps(wire).encode()


@of_each_protocol
def test_a_default_stands_for_null_or_not(protocol: str, told: Mapping[str, Any]) -> None:
    """Tables `nd_…` have a column `v` with a default; where only expressions hide NULL, messages tell which it is."""
    nulls = {
        (change["table"], change["commit_ts"], change["after"]["id"]["text"])
        for change in json_lines(SAMPLE / "truth" / "changes.jsonl")
        if change["table"].startswith("nd_") and change["after"] and change["after"]["v"] is None
    }
    found = set()
    for row in _rows(protocol):
        image = json.loads(row.after or b"{}")
        if (row.table_name, row.commit_ts, image.get("id")) in nulls:
            is_flagged = Lossy.NULL_OR_DEFAULT.of("v") in row.lossy
            found.add("NULL" if image["v"] is None else "flagged" if is_flagged else "hidden")
    assert "NULL" in found
    hides = "defaults" if "hidden" in found else "expressions" if "flagged" in found else None
    assert hides == told["hides_nulls_of"]
