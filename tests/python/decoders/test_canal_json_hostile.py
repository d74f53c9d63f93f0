"""Whatever bytes come, the decoder gives events or one error event with a code of the closed list."""

from __future__ import annotations

import json
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import hostile
from support.corpus import SAMPLE, Variant
from support.hostile import MIB, cases, codes_and_growths, gigabyte, pack, varint
from support.messages import row_message, to_bytes

from ticdc_udfs.contract.events import ErrorCode, Kind
from ticdc_udfs.protocols import canal_json

OPTIONS = [json.dumps(option) for option in ({}, {"compression": "snappy"}, {"compression": "lz4"})]
OPTIONS += [json.dumps({"time_zone": "America/New_York"})]
decoded = partial(hostile.decoded, canal_json.decode)


@cache
def real(name: str = "canal_json") -> tuple[bytes, ...]:
    """Real values of at most 4 KiB: enough of every kind, and quick to break."""
    values = [record.value for record in Variant(SAMPLE, name).records if record.value]
    return tuple(value for value in values if len(value) <= 4096)


messages = st.sampled_from(range(10**9)).map(lambda index: real()[index % len(real())])
options_texts = st.sampled_from(OPTIONS)


@cases(1500)
@given(st.binary(max_size=400), options_texts)
def test_any_bytes(value: bytes, options: str) -> None:
    decoded(value, options, key=value[:5])


@cases(3000)
@given(messages, st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.integers(0, 255)), min_size=1, max_size=8))
def test_flipped_bytes(value: bytes, flips: list[tuple[float, int]]) -> None:
    broken = bytearray(value)
    for place, byte in flips:
        broken[int(place * len(broken))] ^= byte
    decoded(bytes(broken), "{}")


@cases(1500)
@given(messages, st.floats(0, 1), st.floats(0, 1), options_texts)
def test_cut_bytes(value: bytes, start: float, end: float, options: str) -> None:
    decoded(value[int(min(start, end) * len(value)) : int(max(start, end) * len(value))], options)


@cases(1500)
@given(messages, messages, st.floats(0, 1), st.floats(0, 1))
def test_mixed_messages(first: bytes, second: bytes, head: float, tail: float) -> None:
    decoded(first[: int(head * len(first))] + second[int(tail * len(second)) :], "{}")


scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.floats(),
    st.text(max_size=8),
    st.sampled_from(["UPDATE", "DELETE", "TIDB_WATERMARK", "0", "timestamp", "enum('a')", "set(", "blob", "测"]),
)
json_values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
)
members = ["type", "es", "database", "table", "isDdl", "sql", "pkNames", "mysqlType", "data", "old", "_tidb"]


@cases(1500)
@given(
    messages,
    st.dictionaries(st.sampled_from(members), json_values, min_size=1, max_size=3),
    st.sets(st.sampled_from(members), max_size=1),
    options_texts,
)
def test_members_of_other_shapes(value: bytes, changed: dict[str, Any], dropped: set[str], options: str) -> None:
    message = {name: member for name, member in {**json.loads(value), **changed}.items() if name not in dropped}
    decoded(json.dumps(message).encode("utf-8", "surrogatepass"), options)


@cases(500)
@given(messages, st.dictionaries(st.text(max_size=3), st.text(max_size=6) | st.none(), max_size=3), options_texts)
def test_columns_of_other_values_and_types(value: bytes, columns: dict[str, str | None], options: str) -> None:
    message = json.loads(value)
    types = ["timestamp", "enum('a','b')", "set('a')", "blob", "bit", "year", "enum", "", "(", "enum('"]
    for place, (name, text) in enumerate(columns.items()):
        for row in message["data"] or ():
            row[name] = text
        if message["mysqlType"] is not None:
            message["mysqlType"][name] = types[(place + len(value)) % len(types)]
    decoded(json.dumps(message).encode("utf-8", "surrogatepass"), options)


@cases(500)
@given(
    messages,
    st.sampled_from(["snappy", "lz4"]),
    st.integers(0, 2**33),
    st.floats(0, 1),
    st.integers(0, 255),
    st.booleans(),
)
def test_broken_compression(value: bytes, codec: str, size: int, place: float, byte: int, lie: bool) -> None:
    """Flipped and cut frames, and Snappy blocks whose head lies about the length."""
    packed = bytearray(pack(value, codec))
    if lie and codec == "snappy":
        packed = bytearray(varint(size)) + packed[len(varint(len(value))) :]
    at = int(place * (len(packed) - 1))
    packed[at] ^= byte
    decoded(bytes(packed), json.dumps({"compression": codec}))
    decoded(bytes(packed[:at]), json.dumps({"compression": codec}))


@pytest.mark.parametrize("opener", [b"[", b'{"a":', b'{"data":[{"a":', b'{"_tidb":{"x":', b'{"data":'])
def test_deep_nesting(opener: bytes) -> None:
    for depth in (100, 1_000, 100_000, 1_000_000):
        assert decoded(opener * depth, "{}")[0].kind == Kind.ERROR


def test_deep_nesting_in_an_unknown_member_fails_that_message_alone() -> None:
    value = to_bytes(row_message({"id": "1"}))[:-1] + b',"x":' + b"[" * 50_000 + b"]" * 50_000 + b"}"
    assert decoded(value, "{}")[0].error_code in (ErrorCode.BAD_JSON, None)


@pytest.mark.parametrize("number", ["1" * 5_000, "-1", "1e400", "1" * 400 + ".5", "0.1e-999999999", str(2**64), "1e18"])
@pytest.mark.parametrize("member", ['"es":MARK', '"_tidb":{"commitTs":MARK}', '"id":MARK', '"ts":MARK'])
def test_huge_numbers(number: str, member: str) -> None:
    value = (
        '{"type":"INSERT","database":"d","table":"t","es":1,"pkNames":["i"],"mysqlType":{"i":"int"},"data":[{"i":"1"}],'
    )
    event = decoded((value + member.replace("MARK", number) + "}").encode(), "{}")[0]
    if member.startswith(('"es"', '"_tidb"')) and number != "1e18":
        assert event.error_code in (ErrorCode.BAD_SHAPE, ErrorCode.BAD_JSON)


FOREIGN = {
    "open protocol": b'\x00\x00\x00\x00\x00\x00\x00\x2e{"u":{"id":{"t":3,"h":true,"f":11,"v":1}}}',
    "open protocol, resolved": bytes(8),
    "simple": b'{"version":1,"database":"d","table":"t","tableID":1,"type":"INSERT","commitTs":1,"data":{"id":"1"}}',
    "simple, watermark": b'{"version":1,"type":"WATERMARK","commitTs":1,"buildTs":2}',
    "debezium": b'{"payload":{"before":null,"after":{"id":1},"op":"c","source":{"commit_ts":1}}}',
    "avro": b"\x00\x00\x00\x00\x01\x02\x02",
    "alibaba canal": b'{"data":null,"database":"d","es":1,"id":1,"isDdl":false,"old":null,"table":"t","type":"INIT"}',
    "csv": b'"I","t","d",1,"x"\n',
}


@pytest.mark.parametrize("value", FOREIGN.values(), ids=FOREIGN)
def test_messages_of_other_protocols(value: bytes) -> None:
    for options in OPTIONS:
        assert decoded(value, options)[0].kind == Kind.ERROR


@pytest.mark.parametrize("text", [rb"\ud800", rb"\udc00\ud800", rb"\u0000", rb"\ud83d\ude9a", rb"\x", rb"\u12"])
def test_escapes_that_json_or_utf8_forbid(text: bytes) -> None:
    for place in (b'"1"', b'"id"', b'"shop"', b'"INSERT"'):
        decoded(to_bytes(row_message({"id": "1"})).replace(place, b'"' + text + b'"'), "{}")


def test_compression_bombs_cost_bounded_memory(tmp_path: Path) -> None:
    """Peak memory stays below twice the bound of one message, in a process of its own."""
    bombs = {
        "lz4-gigabyte": ("lz4", gigabyte(), "too_large"),
        "snappy-head-4GiB": ("snappy", varint(2**32 - 1) + b"\x00a", "too_large"),
        "snappy-head-255MiB": ("snappy", varint(255 << 20) + b"\x00a", "bad_compression"),
        "snappy-head-without-end": ("snappy", b"\xff" * 64, "bad_compression"),
        "snappy-beyond-bound": ("snappy", pack(bytes((256 << 20) + 1), "snappy"), "too_large"),
    }
    messages = [(None, packed, json.dumps({"compression": codec})) for codec, packed, _ in bombs.values()]
    measured = codes_and_growths("canal_json", tmp_path, messages)
    for (name, (_, _, code)), (got, grown) in zip(bombs.items(), measured, strict=True):
        assert got == code, name
        assert grown < 2 * 256 * MIB + 64 * MIB, f"{name} cost {grown // MIB} MiB"
