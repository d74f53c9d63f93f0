"""Debezium-Avro: rows read together are those of single messages."""

from __future__ import annotations

import json
import random
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.avro import AvroVariant, Message, arrays, message, variants
from support.batches import FEW, decoded_packed, read_together
from support.debezium_avro import ID, KEY, column, connect, decimal, envelope, wire
from support.hostile import cases

from ticdc_udfs.contract import arrow
from ticdc_udfs.contract.events import Kind
from ticdc_udfs.protocols import debezium_avro
from ticdc_udfs.protocols.debezium_avro import decode_batch


def _together(messages: list[Message]) -> int:
    return read_together(debezium_avro, arrays(messages))


MIXED = (
    ID,
    {"name": "must", "type": "string", "connect.field": "must", "tidb_type": "varchar"},
    column("text", "string", "varchar"),
    column("small", {"type": "int", "connect.type": "int16"}, "tinyint unsigned"),
    column("big", "long"),
    column("unsigned", "long", "bigint unsigned"),
    column("digits", "string", "bigint unsigned"),
    column("float", "float", "float"),
    column("double", "double", "double"),
    column("either", "double"),
    column("rounded", "double", "float unsigned"),
    column("told", decimal(20, 3)),
    column("text decimal", "string", "decimal", "text_decimal"),
    column("bit", "boolean", "bit"),
    column("bits", connect("bytes", "io.debezium.data.Bits", length="12"), "bit"),
    column("blob", "bytes", "blob"),
    column("day", connect("int", "io.debezium.time.Date"), "date"),
    column("at", connect("long", "io.debezium.time.Timestamp"), "datetime"),
    column("micros", connect("long", "io.debezium.time.MicroTimestamp")),
    column("time", connect("long", "io.debezium.time.MicroTime"), "time"),
    column("zoned", connect("string", "io.debezium.time.ZonedTimestamp"), "timestamp"),
)
texts = st.text(st.characters(codec="utf-8"), max_size=20)
longs = st.integers(-(2**63), 2**63 - 1) | st.integers(-200, 200)
moments = st.integers(-(10**14), 2 * 10**14) | st.just(0)
drawn_rows = st.fixed_dictionaries(
    {
        "id": st.integers(0, 3),
        "must": texts,
        "text": st.none() | texts,
        "small": st.none() | st.integers(0, 255),
        "big": st.none() | longs,
        "unsigned": st.none() | longs,
        "digits": st.none() | st.sampled_from(["0", "18446744073709551615", "-1", ""]),
        "float": st.none() | st.floats(width=32, allow_nan=False, allow_infinity=False),
        "double": st.none() | st.floats(allow_nan=False, allow_infinity=False),
        "either": st.none() | st.floats(allow_nan=False, allow_infinity=False),
        "rounded": st.none() | st.floats(0, width=32, allow_nan=False, allow_infinity=False),
        "told": st.none() | st.integers(-(10**19), 10**19).map(lambda number: Decimal(number).scaleb(-3)),
        "text_decimal": st.none() | st.sampled_from(["0.10", "-1"]),
        "bit": st.none() | st.booleans(),
        "bits": st.none() | st.binary(max_size=2),
        "blob": st.none() | st.binary(max_size=9),
        "day": st.none() | st.integers(-700_000, 2_000_000) | st.just(0),
        "at": st.none() | moments,
        "micros": st.none() | moments,
        "time": st.none() | st.integers(-(10**12), 10**12),
        "zoned": st.none() | st.sampled_from(["1970-01-01T00:00:00Z", "2023-11-30T12:34:56.12346Z"]),
    }
)


@cases(250)
@given(
    st.lists(st.tuples(drawn_rows, drawn_rows, st.sampled_from("cud"), st.booleans()), min_size=1, max_size=12),
    st.booleans(),
)
def test_many_rows_read_together_are_those_of_single_messages(
    drawn: list[tuple[dict[str, Any], dict[str, Any], str, bool]], keyed: bool
) -> None:
    schema = envelope(*MIXED)
    messages: list[Message] = []
    for new, old, op, has_old in drawn * (FEW // len(drawn) + 1):
        before, after = (None if op == "c" or (op == "u" and not has_old) else old), (None if op == "d" else new)
        key = message(KEY, after or before) if keyed else b""
        key_schema = json.dumps(KEY) if keyed else None
        messages.append((key, message(schema, wire(op, before, after)), "{}", key_schema, json.dumps(schema)))
    kinds = {arrow.decode_message(debezium_avro.decode, *each)[0].kind for each in messages}
    assert _together(messages) == (len(messages) if kinds == {Kind.ROW} else 0)


def _plain_messages(count: int) -> list[Message]:
    schema = envelope(ID, column("v", "string", "varchar"))
    return [
        (
            message(KEY, {"id": number}),
            message(schema, wire("c", None, {"id": number, "v": None if number % 3 else f"v{number}"})),
            "{}",
            json.dumps(KEY),
            json.dumps(schema),
        )
        for number in range(count)
    ]


def test_rows_that_are_alike_are_read_together() -> None:
    assert _together(_plain_messages(2 * FEW)) == 2 * FEW
    assert decode_batch(*arrays([])).equals(arrow.decode_each(debezium_avro.decode, *arrays([])))


def test_what_is_no_such_row_does_no_harm_to_others() -> None:
    good = _plain_messages(4 * FEW)
    key, value, options, key_schema, value_schema = good[0]
    assert key is not None and value is not None
    schema = envelope(ID, column("v", "string", "varchar"))
    image = {"id": 1, "v": "v"}
    odd = [
        wire("m", None, None),
        wire("r", None, image),
        wire("c", image, image),
        wire("c", None, None),
        wire("u", image, None),
        wire("d", None, image),
        wire("d", image, image),
        wire("c", None, image, commit_ts=0),
    ]
    others: list[Message] = [(key, message(schema, each), options, key_schema, value_schema) for each in odd]
    others += [(key, value[:end], options, key_schema, value_schema) for end in range(len(value))]
    others += [
        (key, None, options, key_schema, value_schema),
        (b"", value, options, key_schema, value_schema),
        (b"\x01" + key[1:], value, options, key_schema, value_schema),
        (key, value + b"\x00", options, key_schema, value_schema),
        (key, value, options, None, value_schema),
        (key, value, "{", key_schema, value_schema),
    ]
    broken = list(good)
    generator = random.Random(1)
    for other in others:
        broken.insert(generator.randrange(len(broken)), other)
    assert _together(broken) >= len(good)


@pytest.mark.parametrize("text", [b"v3", b"shop"])
def test_text_that_is_not_utf_8_makes_a_group_read_one_by_one(text: bytes) -> None:
    messages = _plain_messages(FEW)
    key, value, *rest = messages[3]
    assert value is not None and text in value
    messages[3] = (key, value.replace(text, b"\xff" * len(text)), *rest)  # type: ignore[assignment]
    assert _together(messages) == 0


def test_tables_of_one_writer_schema_are_read_one_by_one() -> None:
    schema = envelope(ID)
    messages: list[Message] = [
        (None, message(schema, wire("c", None, {"id": 1}, table=table)), "{}", None, json.dumps(schema))
        for table in ("t", "u")
    ] * FEW
    assert _together(messages) == 0


def test_packed_writer_schemas_give_the_same() -> None:
    messages = _plain_messages(2 * FEW)
    messages += [(key, value, options, None, None) for key, value, options, _, _ in messages[:3]]
    assert decoded_packed(debezium_avro, messages).equals(arrow.decode_each(debezium_avro.decode, *arrays(messages)))


ALL = pytest.mark.parametrize("variant", variants("debezium_avro"), ids=lambda variant: variant.name)


@ALL
def test_batches_of_the_corpus_are_those_of_single_messages(variant: AvroVariant) -> None:
    assert _together(variant.messages) > 100
