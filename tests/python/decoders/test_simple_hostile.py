"""Whatever bytes come, the decoder gives one event, which is an error of the closed list where they are no message."""

from __future__ import annotations

import json
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import hostile
from support.corpus import SAMPLE
from support.hostile import MIB, cases, pack, varint
from support.simple import SimpleVariant, bootstrap_message, column, row_message, schema_of, to_avro, to_json

from ticdc_udfs.contract.events import ErrorCode, Kind
from ticdc_udfs.contract.schemas import Column
from ticdc_udfs.protocols import simple
from ticdc_udfs.protocols.simple.message import converter
from ticdc_udfs.wire import checksum

JSON, AVRO = '{"encoding":"json"}', '{"encoding":"avro"}'
OPTIONS = [
    json.dumps({"encoding": encoding, "compression": codec})
    for encoding in ("json", "avro")
    for codec in ("none", "snappy", "lz4")
]
decoded = partial(hostile.decoded, simple.decode)


@cache
def real(options: str) -> tuple[bytes, ...]:
    """Real values of at most 4 KiB: enough of every kind, and quick to break."""
    variant = SimpleVariant(SAMPLE, "simple_json" if options == JSON else "simple_avro_checksum")
    return tuple(record.value for record in variant.records if record.value and len(record.value) <= 4096)


def _message(options: str) -> st.SearchStrategy[tuple[bytes, str]]:
    return st.integers(0, 10**9).map(lambda place: (real(options)[place % len(real(options))], options))


messages = st.sampled_from([JSON, AVRO, AVRO]).flatmap(_message)
options_texts = st.sampled_from(OPTIONS)


@cases(1000)
@given(st.binary(max_size=400), options_texts)
def test_any_bytes(value: bytes, options: str) -> None:
    decoded(value, options, key=value[:5])


@cases(1000)
@given(
    st.binary(max_size=200),
    st.sampled_from([b"\x16\x00\x00\x02", b"\x16\x02\x02\x02", b"\x16\x04\x04\x02", b"\x16\x06\x06\x02"]),
)
def test_any_bytes_behind_the_head_of_an_avro_message(value: bytes, head: bytes) -> None:
    decoded(head + value, AVRO)


@cases(3000)
@given(messages, st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.integers(1, 255)), min_size=1, max_size=8))
def test_flipped_bytes(message: tuple[bytes, str], flips: list[tuple[float, int]]) -> None:
    value, options = message
    broken = bytearray(value)
    for place, byte in flips:
        broken[int(place * len(broken))] ^= byte
    decoded(bytes(broken), options)


@cases(1500)
@given(messages, st.floats(0, 1), st.floats(0, 1), options_texts)
def test_cut_bytes(message: tuple[bytes, str], start: float, end: float, other: str) -> None:
    value, options = message
    cut = value[int(min(start, end) * len(value)) : int(max(start, end) * len(value))]
    decoded(cut, options)
    decoded(cut, other)


@cases(1000)
@given(messages, messages, st.floats(0, 1), st.floats(0, 1))
def test_mixed_messages(first: tuple[bytes, str], second: tuple[bytes, str], head: float, tail: float) -> None:
    decoded(first[0][: int(head * len(first[0]))] + second[0][int(tail * len(second[0])) :], first[1])


scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.floats(),
    st.text(max_size=8),
    st.sampled_from(["UPDATE", "DELETE", "WATERMARK", "BOOTSTRAP", "ALTER", "0", "bit", "binary", "decimal", "enum"]),
)
json_values = st.recursive(
    scalars | st.fixed_dictionaries({"location": st.sampled_from(["UTC", "Local", "Asia/Shanghai"]), "value": scalars}),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
)
members = ["version", "type", "commitTs", "database", "table", "tableID", "schemaVersion", "sql", "data", "old"]
members += ["claimCheckLocation", "handleKeyOnly", "checksum", "tableSchema", "startTs"]


@cases(1000)
@given(
    st.integers(0, 10**9),
    st.dictionaries(st.sampled_from(members), json_values, min_size=1, max_size=3),
    st.sets(st.sampled_from(members), max_size=1),
)
def test_members_of_other_shapes(place: int, changed: dict[str, Any], dropped: set[str]) -> None:
    message = json.loads(real(JSON)[place % len(real(JSON))])
    message = {name: member for name, member in {**message, **changed}.items() if name not in dropped}
    decoded(json.dumps(message).encode("utf-8", "surrogatepass"), JSON)


@cases(500)
@given(st.dictionaries(st.text(max_size=5), json_values, max_size=4))
def test_cells_of_other_shapes(row: dict[str, Any]) -> None:
    decoded(json.dumps(row_message(row)).encode("utf-8", "surrogatepass"), JSON)


words = st.sampled_from(["bit", "binary", "varbinary", "decimal", "enum", "set", "datetime", "time", "int", "vector"])
numbers = st.one_of(st.none(), st.sampled_from([0, 1, -1, 4, 255, 2**31, 2**62, -(2**62)]))


@cases(500)
@given(words, numbers, numbers, st.one_of(st.none(), st.text(max_size=4), st.sampled_from(["1.5", "1e999999", "NaN"])))
def test_columns_of_other_shapes(word: str, length: int | None, decimal: int | None, default: str | None) -> None:
    wire = column("v", word, default, length=length or 0, decimal=decimal)
    message = bootstrap_message(schema_of([wire]))
    for value, options in ((to_json(message), JSON), (to_avro(message), AVRO)):
        assert decoded(value, options)[0].kind in (Kind.BOOTSTRAP, Kind.ERROR)


@cases(500)
@given(messages, st.sampled_from(["snappy", "lz4"]), st.integers(0, 2**33), st.floats(0, 1), st.integers(0, 255))
def test_broken_compression(message: tuple[bytes, str], codec: str, size: int, place: float, byte: int) -> None:
    """Flipped and cut frames, and Snappy blocks whose head lies about the length."""
    value, options = message
    options = json.dumps({**json.loads(options), "compression": codec})
    packed = bytearray(pack(value, codec))
    if codec == "snappy" and byte % 2:
        packed = bytearray(varint(size)) + packed[len(varint(len(value))) :]
    at = int(place * (len(packed) - 1))
    packed[at] ^= byte
    decoded(bytes(packed), options)
    decoded(bytes(packed[:at]), options)


types = st.one_of(
    st.text(max_size=8),
    st.sampled_from(["float", "double", "bit(64)", "year(4)", "enum('a')", "set('a','b')", "enum", "blob", "vector"]),
)
texts = st.one_of(
    st.text(max_size=8), st.sampled_from(["-1", "1e400", "nan", "e", "99999999999999999999", "[1,", "=="])
)


@cases(500)
@given(types, texts)
def test_converters_and_checksums_of_any_text(column_type: str, text: str) -> None:
    """A converter raises `ValueError` alone; a checksum that cannot be computed is a mismatch."""
    convert = converter(column_type, None)
    try:
        canonical, _ = convert(text) if convert else (text, None)
        canonical.encode()
    except (ValueError, OverflowError):
        pass
    found = checksum.mismatch(1, {"v": text}, [Column("v", column_type)])
    assert found is None or json.loads(found)["sent"] == 1


@pytest.mark.parametrize("opener", [b"[", b'{"a":', b'{"data":{"a":', b'{"checksum":{"x":', b'{"x":['])
def test_deep_nesting(opener: bytes) -> None:
    for depth in (100, 1_000, 100_000, 1_000_000):
        assert decoded(opener * depth, JSON)[0].kind == Kind.ERROR


def test_deep_nesting_in_an_unknown_member_fails_that_message_alone() -> None:
    value = to_json(row_message({"id": "1"}))[:-1] + b',"x":' + b"[" * 50_000 + b"]" * 50_000 + b"}"
    assert decoded(value, JSON)[0].error_code in (ErrorCode.BAD_JSON, None)


@pytest.mark.parametrize("number", ["1" * 5_000, "-1", "1e400", "1" * 400 + ".5", "0.1e-999999999", str(2**64), "1e18"])
@pytest.mark.parametrize("member", ["commitTs", "schemaVersion", "tableID", "startTs", "version", "buildTs", "v"])
def test_huge_numbers(number: str, member: str) -> None:
    message = row_message({"id": "1", "v": "MARK"}) if member == "v" else row_message({"id": "1"}, **{member: "MARK"})
    event = decoded(to_json(message).replace(b'"MARK"', number.encode()), JSON)[0]
    if member in ("commitTs", "schemaVersion", "startTs") and number != "1e18":
        assert event.error_code in (ErrorCode.BAD_SHAPE, ErrorCode.BAD_JSON)


FOREIGN = {
    "open protocol": b'\x00\x00\x00\x00\x00\x00\x00\x2e{"u":{"id":{"t":3,"h":true,"f":11,"v":1}}}',
    "canal-json": b'{"id":0,"database":"d","table":"t","pkNames":["i"],"isDdl":false,"type":"INSERT","es":1,"data":[]}',
    "canal-json, watermark": b'{"database":"","table":"","type":"TIDB_WATERMARK","_tidb":{"watermarkTs":1}}',
    "debezium": b'{"payload":{"before":null,"after":{"id":1},"op":"c","source":{"commit_ts":1}}}',
    "avro": b"\x00\x00\x00\x00\x01\x02\x02",
    "csv": b'"I","t","d",1,"x"\n',
}


@pytest.mark.parametrize("value", FOREIGN.values(), ids=FOREIGN)
def test_messages_of_other_protocols(value: bytes) -> None:
    for options in OPTIONS:
        assert decoded(value, options)[0].kind == Kind.ERROR


@pytest.mark.parametrize("text", [rb"\ud800", rb"\udc00\ud800", rb"\u0000", rb"\ud83d\ude9a", rb"\x", rb"\u12"])
def test_escapes_that_json_or_utf8_forbid(text: bytes) -> None:
    for place in (b'"1"', b'"id"', b'"shop"', b'"INSERT"'):
        decoded(to_json(row_message({"id": "1"})).replace(place, b'"' + text + b'"'), JSON)


def test_avro_that_promises_billions_costs_what_it_holds() -> None:
    """Counts and lengths of arrays, maps and texts far beyond the message's end."""
    huge = b"\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01"
    row, schema = to_avro(row_message({"id": "1"})), to_avro(bootstrap_message(schema_of([column("id", "int")])))
    for value in (row, schema):
        for place in range(4, len(value)):
            assert decoded(value[:place] + huge + value[place + 1 :], AVRO)[0].kind in set(Kind)


def test_bombs_cost_bounded_memory(tmp_path: Path) -> None:
    """Peak memory stays below twice the bound of one message, in a process of its own."""
    columns = b"".join(b"\x02c" + b"\x00" * 10 for _ in range(60_000))
    head = to_avro(bootstrap_message(schema_of([], None)))[:-2]
    bombs = {
        "lz4-gigabyte": ("lz4", hostile.gigabyte(), "too_large"),
        "snappy-head-4GiB": ("snappy", varint(2**32 - 1) + b"\x00a", "too_large"),
        "snappy-head-255MiB": ("snappy", varint(255 << 20) + b"\x00a", "bad_compression"),
        "avro-columns": ("none", head + b"\xc0\xa9\x07" + columns + b"\x00\x00", "None"),
        "avro-many-blocks": ("none", head + (b"\xc0\xa9\x07" + columns) * 9, "bad_avro"),
    }
    messages = [
        (None, packed, json.dumps({"encoding": "avro", "compression": codec})) for codec, packed, _ in bombs.values()
    ]
    measured = hostile.codes_and_growths("simple", tmp_path, messages)
    for (name, (_, _, code)), (got, grown) in zip(bombs.items(), measured, strict=True):
        assert got == code, name
        assert grown < 2 * 256 * MIB + 64 * MIB, f"{name} cost {grown // MIB} MiB"


@pytest.mark.parametrize("options", [JSON, AVRO])
@pytest.mark.parametrize(("word", "default"), [("bit", "x" * 5000), ("decimal", b"1\xff"), ("decimal", "9" * 5000)])
def test_a_default_that_is_none_costs_no_schema(word: str, default: str | bytes, options: str) -> None:
    write = to_json if options == JSON else to_avro
    text = default.decode(errors="replace") if isinstance(default, bytes) and options == JSON else default
    (event,) = decoded(write(bootstrap_message(schema_of([column("v", word, text)]))), options)
    assert event.kind == Kind.BOOTSTRAP
