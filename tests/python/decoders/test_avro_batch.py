"""Avro: rows read together are those of single messages."""

from __future__ import annotations

import json
import random
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.avro import (
    COLUMNS,
    EXTENSION,
    ID,
    KEY,
    OPTIONS,
    AvroVariant,
    Message,
    arrays,
    before,
    column,
    extension,
    message,
    record,
    variants,
)
from support.batches import FEW, decoded_packed, read_together
from support.hostile import cases

from ticdc_udfs.contract import arrow
from ticdc_udfs.protocols import avro
from ticdc_udfs.protocols.avro import decode_batch


def test_no_messages() -> None:
    assert decode_batch(*arrays([])).equals(arrow.decode_each(avro.decode, *arrays([])))


def _together(messages: list[Message]) -> int:
    return read_together(avro, arrays(messages))


MIXED = (
    ID,
    column("u", "long", "BIGINT UNSIGNED", nullable=True),
    column("n", "long", "BIGINT"),
    column("t", "string", "TEXT"),
    column("nt", "string", "TEXT", nullable=True),
    column("dt", "string", "TEXT", nullable=True, default="x"),
    column("f", "float", "FLOAT", nullable=True),
    column("d", "double", "DOUBLE"),
    column("fd", "double", "FLOAT", nullable=True),
    column("b", "bytes", "BLOB", nullable=True),
    column("bits", "bytes", "BIT", length="64"),
    column("dec", "bytes", "DECIMAL", nullable=True, logicalType="decimal", precision=20, scale=3),
    column("dec0", "bytes", "DECIMAL", logicalType="decimal", precision=65, scale=0),
    column("y", "int", "YEAR"),
    column("ok", "boolean", "BIT"),
    column("ts", "string", "TIMESTAMP", nullable=True),
)
texts = st.text(st.characters(codec="utf-8"), max_size=20)
longs = st.integers(-(2**63), 2**63 - 1) | st.integers(-200, 200)
moments = st.sampled_from(
    ["2020-01-15 08:00:00", "2020-07-15 08:00:00.5", "0000-00-00 00:00:00", "2020-11-01 01:30:00"]
)
DECIMALS = [Decimal(number).scaleb(-3) for number in (0, 5, -5, 1000, 2**63 - 1, -(2**63), 127, 128, -128, -129)]
rows = st.fixed_dictionaries(
    {
        "id": st.integers(0, 3),
        "u": st.none() | longs,
        "n": longs,
        "t": texts,
        "nt": st.none() | texts,
        "dt": st.none() | texts,
        "f": st.none() | st.floats(width=32, allow_nan=False, allow_infinity=False),
        "d": st.floats(allow_nan=False, allow_infinity=False),
        "fd": st.none() | st.floats(allow_nan=False, allow_infinity=False),
        "b": st.none() | st.binary(max_size=9),
        "bits": st.binary(max_size=8),
        "dec": st.none() | st.sampled_from(DECIMALS),
        "dec0": st.sampled_from([0, 1, -1, 10**19]).map(Decimal) | st.integers(-(10**18), 10**18).map(Decimal),
        "y": st.sampled_from([0, 1901, 2155]),
        "ok": st.booleans(),
        "ts": st.none() | moments,
    }
)


@cases(250)
@given(
    st.lists(st.tuples(rows, rows, st.sampled_from("cud"), st.booleans()), min_size=1, max_size=12),
    st.sampled_from([(), ("_tidb_op",), ("_ticdc_before",), ("_ticdc_before", "_tidb_op")]),
    st.sampled_from(["{}", '{"time_zone":"America/New_York"}', OPTIONS["glue"]]),
    st.booleans(),
)
def test_many_rows_read_together_are_those_of_single_messages(
    drawn: list[tuple[dict[str, Any], dict[str, Any], str, bool]], extra: tuple[str, ...], options: str, keyed: bool
) -> None:
    fields = [*MIXED, *([before(*MIXED)] if "_ticdc_before" in extra else ())]
    schema = record(*fields, *(EXTENSION if "_tidb_op" in extra else ()))
    framing: Any = "glue" if "glue" in options else "confluent"
    messages: list[Message] = []
    for new, old, op, has_old in drawn * (FEW // len(drawn) + 1):
        wire = {**new, "_ticdc_before": old if has_old else None, **extension(op)}
        key = message(KEY, new, framing) if keyed else b""
        messages.append(
            (key, message(schema, wire, framing), options, json.dumps(KEY) if keyed else None, json.dumps(schema))
        )
    together = _together(messages)
    assert together == len(messages) or "time_zone" in options


def test_timestamps_that_are_none_leave_the_image_valid_json() -> None:
    schema = record(ID, column("ts", "string", "TIMESTAMP"))
    options = '{"time_zone":"America/New_York"}'
    texts = ['2020-01-15 08:00:00."\\', "2020-01-15 08:00:00.\x00", '0000-00-00","x":"y'] * FEW
    bodies = [message(schema, {"id": number, "ts": text}) for number, text in enumerate(texts)]
    assert _together([(b"", body, options, None, json.dumps(schema)) for body in bodies]) == len(texts)


def _plain_messages(count: int) -> list[Message]:
    schema = record(*COLUMNS, *EXTENSION)
    return [
        (
            message(KEY, {"id": number}),
            message(schema, {"id": number, "a": f"a{number}", "b": None, **extension("c")}),
            "{}",
            json.dumps(KEY),
            json.dumps(schema),
        )
        for number in range(count)
    ]


def test_broken_messages_of_a_batch_do_no_harm_to_others() -> None:
    good = _plain_messages(4 * FEW)
    generator = random.Random(1)
    broken = list(good)
    key, value, options, key_schema, value_schema = good[0]
    assert key is not None and value is not None
    others: list[Message] = [
        (key, None, options, key_schema, None),
        (None, None, options, None, None),
        (key, b"", options, key_schema, value_schema),
        (key, b"\x00", options, key_schema, value_schema),
        (b"", value, options, key_schema, value_schema),
        (key, value, options, None, value_schema),
        (key, value, options, key_schema, None),
        (b"\x01" + key[1:], value, options, key_schema, value_schema),
        (key, b"\x01" + value[1:], options, key_schema, value_schema),
        (key, value, "{", key_schema, value_schema),
        (key, value, None, key_schema, value_schema),  # type: ignore[list-item]
    ]
    others += [(key, value[:end], options, key_schema, value_schema) for end in range(5, len(value))]
    others += [(key, value + b"\x00", options, key_schema, value_schema)]
    for other in others:
        broken.insert(generator.randrange(len(broken)), other)
    assert _together(broken) >= len(good)


def test_text_that_is_not_utf_8_makes_a_group_read_one_by_one() -> None:
    messages = _plain_messages(FEW)
    key, value, *rest = messages[3]
    assert value is not None
    messages[3] = (key, value.replace(b"a3", b"a\xff"), *rest)  # type: ignore[assignment]
    assert _together(messages) == 0


def test_a_slice_of_a_batch_is_read_where_it_is() -> None:
    messages = _plain_messages(3 * FEW)
    sliced = [array.slice(FEW, FEW + 5) for array in arrays(messages)]
    assert decode_batch(*sliced).equals(decode_batch(*arrays(messages[FEW : 2 * FEW + 5])))


def test_packed_writer_schemas_give_the_same() -> None:
    messages = _plain_messages(2 * FEW)
    messages += [(key, value, options, None, None) for key, value, options, _, _ in messages[:3]]
    assert decoded_packed(avro, messages).equals(arrow.decode_each(avro.decode, *arrays(messages)))


ALL = pytest.mark.parametrize("variant", variants("avro"), ids=lambda variant: variant.name)


@ALL
def test_batches_of_the_corpus_are_those_of_single_messages(variant: AvroVariant) -> None:
    messages = variant.messages
    together = _together(messages)
    checked = variant.meta["integrity_check"]
    assert (together > 100) is not checked
    by_schema = sorted(messages, key=lambda each: str(each[4]))
    assert _together(by_schema[:400]) + _together(by_schema[400:]) > 0 or checked
