"""The events of the sample's messages."""

from __future__ import annotations

from functools import cache

from support import avro as avro_messages
from support import simple as simple_messages
from support.catalogue import DECODERS
from support.corpus import SAMPLE, Record, Variant
from ticdc_udfs.contract import arrow
from ticdc_udfs.contract.events import Event
from ticdc_udfs.protocols import avro, debezium_avro


@cache
def decoded(name: str) -> tuple[tuple[Record, Event], ...]:
    """The events of a variant, each with its record."""
    if name.startswith("avro") or name == "debezium_avro":
        variant = avro_messages.AvroVariant(SAMPLE, name)
        decode: arrow.Decode = avro.decode if name.startswith("avro") else debezium_avro.decode
        pairs = zip(variant.records, variant.messages, strict=True)
        return tuple((record, event) for record, each in pairs for event in arrow.decode_message(decode, *each))
    plain = simple_messages.SimpleVariant(SAMPLE, name) if name.startswith("simple") else Variant(SAMPLE, name)
    decode = next(decoder for protocol, decoder in DECODERS.items() if name.startswith(protocol))
    return tuple(
        (record, event)
        for record in plain.records
        for event in arrow.decode_message(decode, record.key, record.value, plain.options_text)
    )
