"""A feed with the wrong protocol: no decoder takes a message of another protocol for its own."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import pytest
from support.avro import AvroVariant, Message
from support.catalogue import DECODERS
from support.corpus import SAMPLE, Variant

from ticdc_udfs.contract import arrow
from ticdc_udfs.contract.events import ErrorCode, Kind
from ticdc_udfs.protocols import avro, debezium_avro

VARIANTS = {
    "canal_json": ("canal_json", "canal_json_noext", "canal_json_snappy"),
    "open_protocol": ("open_protocol",),
    "simple": ("simple_json", "simple_avro_checksum"),
    "debezium": ("debezium_some_rows", "debezium_noschema"),
    "avro": ("avro_before", "avro_glue"),
    "debezium_avro": ("debezium_avro",),
}
DECODE: dict[str, arrow.Decode] = {**DECODERS, "avro": avro.decode, "debezium_avro": debezium_avro.decode}
OPTIONS = {
    "simple": ("{}", '{"encoding":"avro"}', '{"compression":"snappy"}'),
    "avro": ("{}", '{"framing":"glue"}'),
    "debezium_avro": ("{}", '{"framing":"glue"}'),
}
DEFAULT_OPTIONS = ("{}", '{"compression":"snappy"}', '{"compression":"lz4"}')


@cache
def _messages(variant: str) -> Sequence[Message]:
    """Every seventh message, with the writer schemas that its own ids name."""
    if variant in (*VARIANTS["avro"], *VARIANTS["debezium_avro"]):
        return AvroVariant(SAMPLE, variant).messages[::7]
    return [(record.key, record.value, "{}", None, None) for record in Variant(SAMPLE, variant).records[::7]]


@pytest.mark.parametrize(
    ("protocol", "decoder"), [(protocol, decoder) for protocol in VARIANTS for decoder in DECODE if protocol != decoder]
)
def test_messages_of_every_other_protocol_are_errors(protocol: str, decoder: str) -> None:
    with_schemas = decoder in ("avro", "debezium_avro")
    schemas = _messages("avro_before")[0][3:], _messages("debezium_avro")[0][3:]
    for variant in VARIANTS[protocol]:
        for key, value, _, *own in _messages(variant):
            for options in OPTIONS.get(decoder, DEFAULT_OPTIONS):
                for more in (own, *schemas) if with_schemas else ((),):
                    (event,) = arrow.decode_message(DECODE[decoder], key, value, options, *more)
                    assert event.kind == Kind.ERROR, event
                    assert event.error_code in set(ErrorCode) - {ErrorCode.INTERNAL_ERROR}
                    assert event.error_message
