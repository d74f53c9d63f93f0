"""Whatever bytes come, the decoder gives one event with a code of the closed list where it is an error."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import hostile
from support.corpus import SAMPLE, Variant
from support.debezium import (
    INT,
    VARCHAR,
    change,
    column,
    ddl_message,
    field,
    key_message,
    row_message,
    to_bytes,
)
from support.hostile import MIB, cases, codes_and_growths, gigabyte, pack, varint

from ticdc_udfs.contract.events import ErrorCode, Event, Kind
from ticdc_udfs.contract.schemas import Column, table_schema
from ticdc_udfs.protocols import debezium
from ticdc_udfs.protocols.resolution import Row, resolve

OPTIONS = [json.dumps(option) for option in ({}, {"compression": "snappy"}, {"compression": "lz4"})]
OPTIONS += [json.dumps({"time_zone": "America/New_York"})]


@cache
def real(name: str = "debezium_some_rows") -> tuple[tuple[bytes, bytes], ...]:
    """Real keys and values of at most 8 KiB: enough of every kind, and quick to break."""
    pairs = ((record.key or b"", record.value or b"") for record in Variant(SAMPLE, name).records)
    return tuple(pair for pair in pairs if len(pair[1]) <= 8192)


@cache
def payloads() -> tuple[tuple[bytes, bytes], ...]:
    """Real messages without inline schema, so that what is broken is the payload."""
    return real("debezium_noschema")


def decoded(key: bytes | None, value: bytes | None, options: str = "{}") -> Event:
    """The one event of a message, after the checks that hold for every input."""
    (event,) = hostile.decoded(debezium.decode, value, options, key)
    assert event.op != "upsert"
    return event


def picked(pairs: Any) -> st.SearchStrategy[tuple[bytes, bytes]]:
    return st.sampled_from(range(10**9)).map(lambda index: pairs()[index % len(pairs())])


messages = st.one_of(picked(real), picked(payloads))
options_texts = st.sampled_from(OPTIONS)
flips_of = st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.integers(0, 255)), min_size=1, max_size=8)


def flipped(data: bytes, flips: list[tuple[float, int]]) -> bytes:
    broken = bytearray(data)
    for place, byte in flips:
        if broken:
            broken[int(place * len(broken))] ^= byte
    return bytes(broken)


@cases(1000)
@given(st.binary(max_size=400), st.binary(max_size=60), options_texts)
def test_any_bytes(value: bytes, key: bytes, options: str) -> None:
    decoded(key, value, options)


@cases(3000)
@given(messages, flips_of)
def test_flipped_bytes(message: tuple[bytes, bytes], flips: list[tuple[float, int]]) -> None:
    decoded(message[0], flipped(message[1], flips))


@cases(1000)
@given(messages, flips_of)
def test_flipped_keys(message: tuple[bytes, bytes], flips: list[tuple[float, int]]) -> None:
    decoded(flipped(message[0], flips), message[1])


@cases(1200)
@given(messages, st.floats(0, 1), st.floats(0, 1), options_texts)
def test_cut_bytes(message: tuple[bytes, bytes], start: float, end: float, options: str) -> None:
    key, value = (part[int(min(start, end) * len(part)) : int(max(start, end) * len(part))] for part in message)
    decoded(message[0], value, options)
    decoded(key, message[1])


@cases(1300)
@given(messages, messages, st.floats(0, 1), st.floats(0, 1))
def test_mixed_messages(first: tuple[bytes, bytes], second: tuple[bytes, bytes], head: float, tail: float) -> None:
    decoded(first[0], first[1][: int(head * len(first[1]))] + second[1][int(tail * len(second[1])) :])
    decoded(second[0], first[1])


scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.floats(),
    st.text(max_size=8),
    st.sampled_from(["u", "d", "m", "0", "bit", "enum", "io.debezium.time.Date", "decimal", "测", "AAI="]),
)
json_values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
)
members = ["source", "op", "before", "after", "ddl", "tableChanges", "transaction", "ts_ms"]


@cases(1000)
@given(
    messages,
    st.dictionaries(st.sampled_from(members), json_values, max_size=3),
    st.sets(st.sampled_from(members), max_size=1),
    st.dictionaries(st.sampled_from(["db", "table", "commit_ts", "start_ts"]), json_values, max_size=1),
)
def test_members_of_other_shapes(
    message: tuple[bytes, bytes], changed: dict[str, Any], dropped: set[str], in_source: dict[str, Any]
) -> None:
    value = json.loads(message[1])
    value["payload"]["source"] |= in_source
    payload = {name: member for name, member in {**value["payload"], **changed}.items() if name not in dropped}
    decoded(message[0], json.dumps({**value, "payload": payload}).encode("utf-8", "surrogatepass"))


shapes = st.fixed_dictionaries(
    {"type": st.sampled_from(["int16", "int64", "string", "double", "float", "boolean", "bytes", "", "x"])},
    optional={
        "optional": st.booleans(),
        "tidb_type": st.sampled_from(
            ["decimal", "date", "datetime", "bigint unsigned", "bit", "enum", "time", "(", ""]
        ),
        "name": st.sampled_from([f"io.debezium.{name}" for name in ("time.Date", "time.MicroTime", "data.Bits", "")]),
        "parameters": st.dictionaries(st.sampled_from(["length", "allowed"]), st.text(max_size=4), max_size=2),
        "default": json_values,
    },
)


@cases(1000)
@given(shapes, json_values, json_values, options_texts.filter(lambda text: "compression" not in text))
def test_values_of_other_types(shape: dict[str, Any], new: Any, old: Any, options: str) -> None:
    fields = [field("id", INT), field("v", shape)]
    message = row_message({"id": 1, "v": new}, fields, op="u", before={"id": 1, "v": old})
    for _ in range(2):
        decoded(b'{"payload":{"id":1}}', json.dumps(message).encode("utf-8", "surrogatepass"), options)


@cases(500)
@given(messages, st.sampled_from(["snappy", "lz4"]), st.floats(0, 1), st.integers(0, 255))
def test_broken_compression(message: tuple[bytes, bytes], codec: str, place: float, byte: int) -> None:
    options = json.dumps({"compression": codec})
    packed_key, packed = (bytearray(pack(part, codec)) for part in message)
    decoded(bytes(packed_key), bytes(packed), options)
    at = int(place * (len(packed) - 1))
    packed[at] ^= byte
    decoded(bytes(packed_key), bytes(packed), options)
    decoded(bytes(packed_key), bytes(packed[:at]), options)
    packed[at] ^= byte
    packed_key[int(place * (len(packed_key) - 1))] ^= byte
    decoded(bytes(packed_key), bytes(packed), options)


def test_a_broken_message_leaves_no_trace() -> None:
    """What was read of other messages must not change how a row is read."""
    fields = [field("id", INT, optional=False), field("a", VARCHAR)]
    key, value = to_bytes(key_message({"id": 1}, fields)), to_bytes(row_message({"id": 1, "a": "x"}, fields))
    first = decoded(key, value)
    liars = [
        (key.replace(b'{"id":1}', b'{"a":1}'), value),
        (key, to_bytes(row_message({"id": 1, "b": "x"}, [fields[0], field("b", VARCHAR)]))),
        (key, to_bytes(row_message({"id": 1}, fields))),
        (key, value.replace(b'"varchar"', b'"bit"')),
        (key, value[:-1]),
        (None, value),
    ]
    for liar_key, liar in liars:
        decoded(liar_key, liar)
        assert decoded(key, value) == first


@pytest.mark.parametrize(
    "opener",
    [b"[", b'{"a":', b'{"payload":{"after":', b'{"payload":{"x":', b'{"schema":[', b'{"payload":{"after":{"a":'],
)
def test_deep_nesting(opener: bytes) -> None:
    for depth in (100, 1_000, 100_000):
        assert decoded(b"", opener * depth).kind == Kind.ERROR
        row = to_bytes(row_message({"id": 1}))
        assert decoded(opener * depth, row).kind == Kind.ERROR


def test_deep_nesting_in_an_unknown_member_fails_that_message_alone() -> None:
    deep = b"[" * 50_000 + b"]" * 50_000
    value = to_bytes(row_message({"id": 1}))[:-1] + b',"x":' + deep + b"}"
    assert decoded(None, value).error_code in (ErrorCode.BAD_JSON, None)
    for name in (b"schema", b"tableChanges"):
        value = to_bytes(row_message({"id": 1}))[:-1] + b',"' + name + b'":' + deep + b"}"
        assert decoded(None, value).error_code in (ErrorCode.BAD_JSON, ErrorCode.BAD_SHAPE, None)


@pytest.mark.parametrize("number", ["1" * 5_000, "-1", "1e400", "1" * 400 + ".5", "0.1e-999999999", str(2**64), "1e18"])
@pytest.mark.parametrize("shape", [{"type": "double"}, {"type": "double", "tidb_type": "decimal"}, INT, None])
@pytest.mark.parametrize("place", ["after", "commit_ts", "default", "length"])
def test_huge_numbers(number: str, shape: dict[str, str] | None, place: str) -> None:
    fields = None
    if shape is not None:
        parameters = {"parameters": {"length": number}} if place == "length" else {}
        fields = [field("v", shape, **parameters, **({"default": "MARK"} if place == "default" else {}))]
    message = row_message({"v": "MARK" if place == "after" else 1}, fields)
    if place == "commit_ts":
        message["payload"]["source"]["commit_ts"] = "MARK"
    event = decoded(b'{"payload":{"v":1}}', to_bytes(message).replace(b'"MARK"', number.encode()))
    if place == "commit_ts" and number != "1e18":
        assert event.error_code in (ErrorCode.BAD_SHAPE, ErrorCode.BAD_JSON)


FOREIGN = {
    "canal-json": b'{"id":0,"database":"d","table":"t","pkNames":["id"],"isDdl":false,"type":"INSERT","data":[{}]}',
    "open protocol": b'\x00\x00\x00\x00\x00\x00\x00\x2e{"u":{"id":{"t":3,"h":true,"f":11,"v":1}}}',
    "open protocol, resolved": bytes(8),
    "simple": b'{"version":1,"database":"d","table":"t","tableID":1,"type":"INSERT","commitTs":1,"data":{"id":"1"}}',
    "simple, watermark": b'{"version":1,"type":"WATERMARK","commitTs":1,"buildTs":2}',
    "avro": b"\x00\x00\x00\x00\x01\x02\x02",
    "debezium's own": b'{"payload":{"after":{"id":1},"op":"c","source":{"db":"d","table":"t","ts_ms":1}}}',
    "debezium's own, heartbeat": b'{"payload":{"ts_ms":1}}',
    "csv": b'"I","t","d",1,"x"\n',
}


@pytest.mark.parametrize("value", FOREIGN.values(), ids=FOREIGN)
def test_messages_of_other_protocols(value: bytes) -> None:
    for options in OPTIONS:
        assert decoded(b"", value, options).kind == Kind.ERROR


@pytest.mark.parametrize("text", [rb"\ud800", rb"\udc00\ud800", rb"\u0000", rb"\ud83d\ude9a", rb"\x", rb"\u12"])
def test_escapes_that_json_or_utf8_forbid(text: bytes) -> None:
    for fields in ([field("id", VARCHAR), field("a", VARCHAR)], None):
        value = to_bytes(row_message({"id": "1", "a": "x"}, fields))
        for place in (b'"1"', b'"id"', b'"shop"', b'"c"', b'"varchar"'):
            decoded(b'{"payload":{"id":1}}', value.replace(place, b'"' + text + b'"'))


def test_compression_bombs_cost_bounded_memory(tmp_path: Path) -> None:
    """Of keys as of values; peak memory stays below twice the bound of one message, in a process of its own."""
    row = to_bytes(row_message({"id": 1}))
    bombs = {
        "lz4-gigabyte": ("lz4", gigabyte(), "too_large"),
        "snappy-head-4GiB": ("snappy", varint(2**32 - 1) + b"\x00a", "too_large"),
        "snappy-head-255MiB": ("snappy", varint(255 << 20) + b"\x00a", "bad_compression"),
    }
    planted = [
        (name, code, (key, value, json.dumps({"compression": codec})))
        for name, (codec, bomb, code) in bombs.items()
        for key, value in ((None, bomb), (bomb, pack(row, codec)))
    ]
    measured = codes_and_growths("debezium", tmp_path, [each for _, _, each in planted])
    for (name, code, _), (got, grown) in zip(planted, measured, strict=True):
        assert got == code, name
        assert grown < 2 * 256 * MIB + 64 * MIB, f"{name} cost {grown // MIB} MiB"


@pytest.mark.parametrize("word", ["decimal", "datetime", "time", "timestamp"])
@pytest.mark.parametrize("digits", ["9" * 5000, "5," + "9" * 5000])
def test_a_type_with_thousands_of_digits_tells_none(word: str, digits: str) -> None:
    column_type = f"{word}({digits})"
    wire = {"decimal": 1.5, "datetime": 0, "time": 0, "timestamp": "2024-01-01T00:00:00Z"}[word]
    row = row_message({"v": wire}, [field("v", {"tidb_type": column_type, "type": "int64"})])
    assert decoded(None, to_bytes(row)).kind == Kind.ROW
    image = b'{"v":"1"}'
    known = table_schema([Column("v", column_type)]).text.decode()
    for protocol in ("debezium", "debezium_avro"):
        after = resolve(Row(image, None, None, image, ("*:no_schema",)), protocol, known, "{}", None).after
        assert set(json.loads(after or b"")) == {"v"}


def test_a_default_of_thousands_of_bits_costs_no_ddl() -> None:
    told = column("v", "BIT", 64, defaultValueExpression="1" * 20_000)
    assert decoded(None, to_bytes(ddl_message("ALTER", [change([told])]))).kind == Kind.DDL
