"""Whatever bytes come, the decoder gives events or error events with a code of the closed list."""

from __future__ import annotations

import json
import struct
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.corpus import SAMPLE, Variant
from support.hostile import MIB, cases, codes_and_growths, gigabyte, pack, varint
from support.open_protocol import VERSION, column, frames, ident, message, row_key, unframed

from ticdc_udfs.contract import arrow
from ticdc_udfs.contract.events import ErrorCode, Event, Kind
from ticdc_udfs.protocols import open_protocol
from ticdc_udfs.protocols.open_protocol.message import _TYPES
from ticdc_udfs.wire import claim_check

OPTIONS = [json.dumps(option) for option in ({}, {"compression": "snappy"}, {"compression": "lz4"})]
OPTIONS += [json.dumps({"time_zone": "America/New_York"})]


@cache
def real() -> tuple[tuple[bytes, bytes], ...]:
    """Real keys and values of at most 4 KiB: enough of every kind, and quick to break."""
    records = Variant(SAMPLE, "open_protocol").records + Variant(SAMPLE, "open_protocol_partial_old").records
    return tuple((record.key or b"", record.value or b"") for record in records if len(record.value or b"") <= 4096)


@cache
def entries() -> tuple[tuple[bytes, bytes], ...]:
    """Key and body of every entry of those messages that is a row or a DDL."""
    return tuple(
        (key, body)
        for keys, values in real()
        for key, body in zip(unframed(keys[8:]), unframed(values), strict=True)
        if body
    )


def decoded(key: bytes | None, value: bytes | None, options: str = "{}") -> list[Event]:
    """The events, after the checks that hold for every input; and the batch function must carry them."""
    events = list(arrow.decode_message(open_protocol.decode, key, value, options))
    assert events
    for event in events:
        assert event.kind in set(Kind)
        if event.kind == Kind.ERROR:
            assert event.error_message
            assert event.error_code in set(ErrorCode) - {ErrorCode.INTERNAL_ERROR}, event.error_message
        else:
            assert event.error_code is None
            assert event.kind == Kind.BOOTSTRAP or (event.commit_ts is not None and 0 <= event.commit_ts < 2**63)
        if event.kind == Kind.ROW:
            assert event.op in ("insert", "update", "delete")
            for image in filter(None, (event.row_key, event.before_key, event.before, event.after)):
                texts = json.loads(image)
                assert all(text is None or isinstance(text, str) for text in texts.values())
    batch = arrow.decode_batch(
        open_protocol.decode,
        pa.array([key], pa.binary()),
        pa.array([value], pa.binary()),
        pa.array([options], pa.string()),
    )
    assert len(batch) == 1 and len(batch[0].as_py()) == len(events)
    return events


messages = st.sampled_from(range(10**9)).map(lambda index: real()[index % len(real())])
one_entry = st.sampled_from(range(10**9)).map(lambda index: entries()[index % len(entries())])
options_texts = st.sampled_from(OPTIONS)
places = st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.integers(0, 255)), min_size=1, max_size=6)


def flipped(data: bytes, flips: list[tuple[float, int]]) -> bytes:
    broken = bytearray(data)
    for place, byte in flips:
        broken[int(place * len(broken))] ^= byte
    return bytes(broken)


def cut(data: bytes, start: float, end: float) -> bytes:
    return data[int(min(start, end) * len(data)) : int(max(start, end) * len(data))]


@cases(1000)
@given(st.none() | st.binary(max_size=60), st.none() | st.binary(max_size=300), options_texts)
def test_any_bytes(key: bytes | None, value: bytes | None, options: str) -> None:
    decoded(key, value, options)
    decoded(VERSION + (key or b""), value, options)
    decoded(VERSION + frames([key or b""]), frames([value or b""]), options)


@cases(1900)
@given(messages, places, st.booleans())
def test_flipped_bytes_of_messages(record: tuple[bytes, bytes], flips: list[tuple[float, int]], of_key: bool) -> None:
    key, value = record
    decoded(flipped(key, flips), value) if of_key else decoded(key, flipped(value, flips))


@cases(3000)
@given(one_entry, places, st.booleans())
def test_flipped_bytes_in_sound_frames(
    entry: tuple[bytes, bytes], flips: list[tuple[float, int]], of_key: bool
) -> None:
    key, body = entry
    broken = (flipped(key, flips), body) if of_key else (key, flipped(body, flips))
    events = decoded(*message(entry, broken, entry))
    assert len(events) == 3
    assert events[0] == events[2]


@cases(1000)
@given(messages, st.floats(0, 1), st.floats(0, 1), options_texts, st.booleans())
def test_cut_bytes(record: tuple[bytes, bytes], start: float, end: float, options: str, of_key: bool) -> None:
    key, value = record
    decoded(VERSION + cut(key[8:], start, end), value, options) if of_key else decoded(
        key, cut(value, start, end), options
    )


@cases(1000)
@given(one_entry, one_entry, st.floats(0, 1), st.floats(0, 1))
def test_mixed_rows(first: tuple[bytes, bytes], second: tuple[bytes, bytes], head: float, tail: float) -> None:
    body = first[1][: int(head * len(first[1]))] + second[1][int(tail * len(second[1])) :]
    decoded(*message((first[0], body), (second[0], first[1])))


scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.floats(),
    st.text(max_size=8),
    st.sampled_from(["0", "\\x", "\\u00e9", "YQ==", "2024-01-01 00:00:00", "测", "-0"]),
)
json_values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=3,
)
codes = st.sampled_from([*_TYPES, 0, 17, 255, -1])
columns = st.fixed_dictionaries(
    {"t": codes | json_values, "v": json_values},
    optional={"f": st.integers(0, 300) | json_values, "h": st.booleans() | json_values},
)
images = st.dictionaries(st.sampled_from(["id", "a", "b", "t", "f", "v", ""]), columns | scalars, max_size=5)
key_members = st.dictionaries(
    st.sampled_from(["ts", "scm", "tbl", "t", "ptn", "ohk", "ccl", "rid"]), json_values, max_size=2
)


@cases(600)
@given(key_members, st.dictionaries(st.sampled_from("updqt"), images | json_values, max_size=3), options_texts)
def test_members_of_other_shapes(members: dict[str, Any], body: dict[str, Any], options: str) -> None:
    decoded(*message((row_key(**members), json.dumps(body).encode("utf-8", "surrogatepass"))), options)


@cases(1000)
@given(
    st.lists(st.tuples(codes, st.sampled_from([0, 1, 11, 64, 65, 193]), scalars), min_size=1, max_size=6),
    st.lists(st.tuples(st.integers(0, 5), st.booleans(), scalars), max_size=6),
    options_texts,
)
def test_columns_of_other_types_and_nameless_ones(
    new: list[tuple[int, int, Any]], old: list[tuple[int, bool, Any]], options: str
) -> None:
    """Nameless columns in every order, so that most of them fit nowhere."""
    wire = {f"c{place}": column(code, value, flags) for place, (code, flags, value) in enumerate(new)}
    members = []
    for place, named, value in old:
        text = json.dumps(column(new[place % len(new)][0], value, new[place % len(new)][1]))
        members.append(f'"c{place}":{text}' if named else text[1:-1])
    body = f'{{"u":{json.dumps(wire)},"p":{{{",".join(members)}}}}}'
    decoded(*message((row_key(), body.encode("utf-8", "surrogatepass"))), options)


@cases(500)
@given(
    one_entry,
    st.sampled_from(["snappy", "lz4"]),
    st.integers(0, 2**33),
    st.floats(0, 1),
    st.integers(0, 255),
    st.booleans(),
)
def test_broken_compression(
    entry: tuple[bytes, bytes], codec: str, size: int, place: float, byte: int, lie: bool
) -> None:
    """Flipped and cut bodies, and Snappy blocks whose head lies about the length."""
    key, body = entry
    packed = bytearray(pack(body, codec))
    if lie and codec == "snappy":
        packed = bytearray(varint(size)) + packed[len(varint(len(body))) :]
    at = int(place * (len(packed) - 1))
    packed[at] ^= byte
    options = json.dumps({"compression": codec})
    decoded(*message((key, bytes(packed)), (key, bytes(packed[:at]))), options)


@cases(500)
@given(st.binary(max_size=200) | json_values.map(lambda value: json.dumps(value).encode("utf-8", "surrogatepass")))
def test_any_claim_check_file(file: bytes) -> None:
    key, value = claim_check.message_of(file)
    assert value is not None
    decoded(key, value)


OPENERS = [b"[", b'{"a":', b'{"u":{"a":{"v":', b'{"u":{},"p":{"t":', b'{"u":{},"p":{"a":{"v":', b'{"x":', b'{"d":']


@pytest.mark.parametrize("opener", OPENERS)
def test_deep_nesting(opener: bytes) -> None:
    for depth in (100, 1_000, 100_000, 500_000):
        for closer in (b"", b"]" * depth if opener == b"[" else b"}" * depth * opener.count(b"{")):
            assert decoded(*message((row_key(), opener * depth + closer)))[0].kind == Kind.ERROR
            assert decoded(*message((opener * depth, {"u": {"id": ident()}})))[0].kind == Kind.ERROR


def test_deep_nesting_in_an_old_image_without_names() -> None:
    for depth in (500, 2_000, 100_000):
        for opener, closer in ((b"[", b"]"), (b'{"v":', b"}")):
            nested = opener * depth + b"1" + closer * depth
            body = b'{"u":{"a":{"t":3,"f":65,"v":null}},"p":{"t":3,"f":65,"v":' + nested + b"}}"
            assert decoded(*message((row_key(), body)))[0].kind == Kind.ERROR


NUMBERS = ["1" * 5_000, "-1", "1e400", "1" * 400 + ".5", "0.1e-999999999", "1e999999999", str(2**64), "-0", "1E5"]


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("code", [1, 4, 5, 8, 13, 15, 16, 246, 247, 248])
def test_huge_numbers(number: str, code: int) -> None:
    for old in ("", f',"p":{{"v":{{"t":{code},"f":65,"v":{number}}}}}', f',"p":{{"t":{code},"f":65,"v":{number}}}'):
        body = f'{{"u":{{"v":{{"t":{code},"f":65,"v":{"null" if old else number}}}}}{old}}}'
        decoded(*message((row_key(), body.encode())))


@pytest.mark.parametrize("number", NUMBERS)
def test_huge_numbers_in_keys_and_ddl(number: str) -> None:
    for member in ("ts", "t", "ptn", "rid"):
        key = json.dumps(row_key() | {member: "MARK"}).replace('"MARK"', number).encode()
        decoded(*message((key, {"u": {"id": ident()}})))
    decoded(*message((row_key(t=2), f'{{"q":"x","t":{number}}}'.encode())))


@pytest.mark.parametrize("length", [-1, -(2**63), 2**63 - 1, 2**40, 9])
def test_lengths_beyond_the_message(length: int) -> None:
    head = struct.pack(">q", length)
    key, value = message((row_key(), {"u": {"id": ident()}}))
    for broken in (
        (VERSION + head + key[16:], value),
        (key, head + value[8:] if length != 9 else head),
        (key + head, value),
    ):
        (event,) = decoded(*broken)
        assert event.error_code in (ErrorCode.BAD_FRAME, ErrorCode.BAD_JSON)


def test_many_nameless_columns_take_linear_time() -> None:
    """Would take hours if every column were looked for among all of them."""
    count = 20_000
    new = ",".join(f'"c{place}":{{"t":3,"f":65,"v":null}}' for place in range(2 * count))
    old = ",".join(['"t":3,"f":65,"v":1'] * count)
    body = f'{{"u":{{{new}}},"p":{{{old}}}}}'
    (event,) = decoded(*message((row_key(), body.encode())))
    assert event.kind == Kind.ROW and len(event.lossy) == 2 * count + 1


FOREIGN = {
    "canal-json": (None, b'{"id":0,"database":"d","table":"t","pkNames":["id"],"isDdl":false,"type":"INSERT","es":1}'),
    "simple": (b"", b'{"version":1,"database":"d","table":"t","type":"INSERT","commitTs":1,"data":{"id":"1"}}'),
    "debezium": (b'{"payload":{"id":1}}', b'{"payload":{"before":null,"after":{"id":1},"op":"c"}}'),
    "avro": (b"\x00\x00\x00\x00\x01\x02", b"\x00\x00\x00\x00\x01\x02\x02"),
    "avro tombstone": (b"\x00\x00\x00\x00\x01\x02", None),
}


@pytest.mark.parametrize("record", FOREIGN.values(), ids=FOREIGN)
def test_messages_of_other_protocols(record: tuple[bytes | None, bytes | None]) -> None:
    for options in OPTIONS:
        assert decoded(*record, options)[0].error_code == ErrorCode.BAD_FRAME


@pytest.mark.parametrize(
    "text", [rb"\ud800", rb"\udc00\ud800", rb"\u0000", rb"\ud83d\ude9a", rb"\x", rb"\u12", b"\xff"]
)
def test_escapes_that_json_or_utf8_forbid(text: bytes) -> None:
    body = b'{"u":{"id":{"t":3,"h":true,"f":11,"v":1},"v":{"t":15,"f":64,"v":"MARK"}}}'
    for place in (b"MARK", b"id", b'"u"', b'"v":{'):
        decoded(*message((row_key(), body.replace(place, text))))
    decoded(*message((b'{"ts":1,"scm":"' + text + b'","tbl":"","t":1}', body)))


def test_compression_bombs_cost_bounded_memory(tmp_path: Path) -> None:
    """Peak memory stays below four times the bound of one message, in a process of its own; also of many bodies."""
    hundred = b'{"u":{"v":{"t":15,"f":64,"v":"' + b"x" * (100 << 20) + b'"}}}'
    bombs = {
        "lz4-gigabyte": ("lz4", [gigabyte()], "too_large"),
        "snappy-head-4GiB": ("snappy", [varint(2**32 - 1) + b"\x00a"], "too_large"),
        "snappy-head-255MiB": ("snappy", [varint(255 << 20) + b"\x00a"], "bad_compression"),
        "lz4-many-rows": ("lz4", [pack(hundred, "lz4")] * 5, "too_large"),
    }
    messages = [
        (*message(*[(row_key(), body) for body in bodies]), json.dumps({"compression": codec}))
        for codec, bodies, _ in bombs.values()
    ]
    measured = codes_and_growths("open_protocol", tmp_path, messages)
    for (name, (_, _, code)), (got, grown) in zip(bombs.items(), measured, strict=True):
        assert got == code, name
        assert grown < 4 * 256 * MIB, f"{name} cost {grown // MIB} MiB"
