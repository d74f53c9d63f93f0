"""Whatever bytes and schemas come, Debezium-Avro's decoder gives an event or an error of the closed list."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.avro import Message, arrays, hostile, real
from support.batches import FEW, read_together
from support.hostile import HUGE, MIB, cases, codes_and_growths, huge_length

from ticdc_udfs.contract.events import ErrorCode, Kind
from ticdc_udfs.protocols import debezium_avro
from ticdc_udfs.protocols.debezium_avro import decode


@cache
def _real() -> tuple[Message, ...]:
    return real("debezium_avro")


messages = st.sampled_from(range(10**9)).map(lambda index: _real()[index % len(_real())])
flips = st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.integers(0, 255)), min_size=1, max_size=8)


def flipped(data: bytes, places: list[tuple[float, int]]) -> bytes:
    broken = bytearray(data)
    for place, byte in places if data else ():
        broken[int(place * len(broken))] ^= byte
    return bytes(broken)


@cases(1500)
@given(messages, st.binary(max_size=400), st.binary(max_size=40), st.booleans())
def test_any_bytes(each: Message, value: bytes, key: bytes, with_head: bool) -> None:
    hostile(decode, (key, (each[1] or b"")[:5] + value if with_head else value, *each[2:]))


@cases(3000)
@given(messages, flips, st.booleans())
def test_flipped_bytes(each: Message, places: list[tuple[float, int]], of_key: bool) -> None:
    key, value, *rest = each
    broken = (flipped(key or b"", places), value) if of_key else (key, flipped(value or b"", places))
    hostile(decode, (*broken, *rest))


@cases(1500)
@given(messages, st.floats(0, 1), st.floats(0, 1))
def test_cut_bytes(each: Message, start: float, end: float) -> None:
    for data in filter(None, each[:2]):
        cut = data[int(min(start, end) * len(data)) : int(max(start, end) * len(data))]
        hostile(decode, (cut, each[1], *each[2:]))
        hostile(decode, (each[0], cut, *each[2:]))


@cases(1500)
@given(messages, messages, messages)
def test_schemas_of_other_messages(each: Message, other: Message, third: Message) -> None:
    hostile(decode, (each[0], each[1], each[2], other[3], third[4]))
    hostile(decode, (each[0], each[1], each[2], other[4], third[3]))
    hostile(decode, (other[0], each[1], each[2], each[3], third[4]))


@cases(1500)
@given(messages, flips, st.text(max_size=30))
def test_broken_schemas(each: Message, places: list[tuple[float, int]], text: str) -> None:
    key_schema, value_schema = each[3:]
    broken = flipped((value_schema or "").encode(), places).decode(errors="replace")
    hostile(decode, (*each[:3], key_schema, broken))
    hostile(decode, (*each[:3], broken, value_schema))
    hostile(decode, (*each[:3], text, text))


@cases(300)
@given(st.lists(st.tuples(messages, flips, st.integers(0, 3)), min_size=1, max_size=4))
def test_batches_with_broken_members_are_those_of_single_messages(
    drawn: list[tuple[Message, list[tuple[float, int]], int]],
) -> None:
    """The writer schema of a real message with rows that are whole, and some that are not."""
    batch: list[Message] = []
    for each, places, count in drawn:
        batch += [each] * FEW
        batch += [(each[0], flipped(each[1] or b"", places[count:]), *each[2:])]
    read_together(debezium_avro, arrays(batch))


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats()
    | st.text(max_size=6)
    | st.sampled_from(
        ["record", "null", "int", "bytes", "string", "long", "decimal", "enum", "bit", "timestamp", "date"]
    ),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
)
members = [
    "name",
    "type",
    "tidb_type",
    "connect.field",
    "connect.name",
    "connect.type",
    "connect.parameters",
    "precision",
]


@cases(1000)
@given(messages, st.sampled_from(members), json_values, st.integers(0, 50), st.booleans())
def test_schemas_with_members_of_other_shapes(each: Message, member: str, value: Any, place: int, inside: bool) -> None:
    schema = json.loads(each[4] or "{}")
    columns = schema["fields"][0]["type"][1]["fields"]
    field = columns[place % len(columns)] if inside else schema["fields"][place % len(schema["fields"])]
    field[member] = value
    hostile(decode, (*each[:4], json.dumps(schema)))
    if member != "type" and isinstance(field["type"], list) and isinstance(field["type"][1], dict):
        field["type"][1][member] = value
    hostile(decode, (*each[:4], json.dumps(schema)))


@pytest.mark.parametrize(
    "value",
    [
        b'{"payload":{"before":null,"after":{"id":1},"op":"c","source":{"commit_ts":1}}}',
        b'{"version":1,"type":"WATERMARK","commitTs":1,"buildTs":2}',
        bytes(8),
        b"\x16\x00\x02\x00\x00",
        b"\x00\x00\x00\x00\x01\x02",
    ],
)
def test_messages_of_other_protocols(value: bytes) -> None:
    for options in ("{}", '{"framing":"glue"}'):
        assert hostile(decode, (None, value, options, None, _real()[0][4])).kind == Kind.ERROR


def test_deep_nesting() -> None:
    for text in ("[" * 1_000_000, '{"type":' * 100_000, '{"type":"record","name":"a","fields":[' * 50_000):
        event = hostile(decode, (None, _real()[0][1], "{}", None, text))
        assert event.error_code == ErrorCode.BAD_AVRO


@pytest.mark.parametrize("size", HUGE)
def test_huge_lengths(size: int) -> None:
    each = _real()[0]
    for head in (b"", b"\x00", b"\x02", b"\x00\x02"):
        event = hostile(decode, (each[0], (each[1] or b"")[:5] + head + huge_length(size) + b"abc", *each[2:]))
        assert event.error_code == ErrorCode.BAD_AVRO


def test_huge_lengths_take_no_memory(tmp_path: Path) -> None:
    """Wherever in the message they stand."""
    _, value, options, _, schema = _real()[0]
    assert value is not None
    places = range(5, len(value), len(value) // 6)
    broken = [value[:place] + huge_length(2**62) + value[place:] for place in places]
    messages = [(None, each, options, None, schema) for each in broken]
    for place, (code, grown) in zip(places, codes_and_growths("debezium_avro", tmp_path, messages), strict=True):
        assert (code != "None", grown < 16 * MIB) == (True, True), (place, grown)


def test_records_that_multiply_are_refused() -> None:
    """A few hundred bytes of schema would name 2^40 fields without a byte on the wire."""
    schema = json.loads(_real()[0][4] or "")
    fields: list[dict[str, Any]] = [{"name": "f0", "type": {"type": "record", "name": "r0", "fields": []}}]
    for level in range(1, 40):
        inner = [{"name": side, "type": f"r{level - 1}"} for side in "ab"]
        fields.append({"name": f"f{level}", "type": {"type": "record", "name": f"r{level}", "fields": inner}})
    schema["fields"] += fields
    event = hostile(decode, (None, (_real()[0][1] or b"") + bytes(99), "{}", None, json.dumps(schema)))
    assert event.error_code == ErrorCode.BAD_AVRO
