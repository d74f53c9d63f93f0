"""Whatever bytes and schemas come, Avro's decoder gives a row or one error event with a code of the closed list."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.avro import EXTENSION, Message, arrays, column, extension, framed, hostile, message, real, record
from support.hostile import HUGE, MIB, cases, codes_and_growths, huge_length

from ticdc_udfs.contract import arrow
from ticdc_udfs.contract.arrow import MANY
from ticdc_udfs.contract.events import ErrorCode, Kind
from ticdc_udfs.protocols import avro
from ticdc_udfs.protocols.avro import decode_batch


@cache
def _real() -> tuple[Message, ...]:
    return real("avro")


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
    head = (each[1] or b"")[:18] if "glue" in each[2] else (each[1] or b"")[:5]
    hostile(avro.decode, (key, head + value if with_head else value, *each[2:]))


@cases(3000)
@given(messages, flips, st.booleans())
def test_flipped_bytes(each: Message, places: list[tuple[float, int]], of_key: bool) -> None:
    key, value, *rest = each
    broken = (flipped(key or b"", places), value) if of_key else (key, value and flipped(value, places))
    hostile(avro.decode, (*broken, *rest))


@cases(1000)
@given(messages, st.floats(0, 1), st.floats(0, 1))
def test_cut_bytes(each: Message, start: float, end: float) -> None:
    for data in filter(None, each[:2]):
        cut = data[int(min(start, end) * len(data)) : int(max(start, end) * len(data))]
        hostile(avro.decode, (cut, each[1], *each[2:]))
        hostile(avro.decode, (each[0], cut, *each[2:]))


@cases(1500)
@given(messages, messages, messages)
def test_schemas_of_other_messages(each: Message, other: Message, third: Message) -> None:
    hostile(avro.decode, (each[0], each[1], each[2], other[3], third[4]))
    hostile(avro.decode, (other[0], each[1], each[2], each[3], third[4]))
    hostile(avro.decode, (each[0], each[1], other[2], each[3], each[4]))


@cases(1500)
@given(messages, flips, st.text(max_size=30))
def test_broken_schemas(each: Message, places: list[tuple[float, int]], text: str) -> None:
    key_schema, value_schema = each[3:]
    broken = flipped((value_schema or "").encode(), places).decode(errors="replace")
    hostile(avro.decode, (*each[:3], key_schema, broken))
    hostile(avro.decode, (*each[:3], broken, value_schema))
    hostile(avro.decode, (*each[:3], text, text))


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats()
    | st.text(max_size=6)
    | st.sampled_from(["record", "null", "int", "bytes", "string", "decimal", "ENUM", "BIT", "YEAR", "TIMESTAMP"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
)
places_in_schema = st.sampled_from(
    ["name", "type", "default", "connect.parameters", "precision", "scale", "logicalType"]
)


@cases(1000)
@given(messages, places_in_schema, json_values, st.integers(0, 50))
def test_schemas_with_members_of_other_shapes(each: Message, member: str, value: Any, place: int) -> None:
    schema = json.loads(each[4] or each[3] or "{}")
    fields = schema.get("fields", [])
    if fields:
        field = fields[place % len(fields)]
        inner = (
            next((part for part in field["type"] if isinstance(part, dict)), field)
            if isinstance(field["type"], list)
            else field
        )
        target = (
            inner if member in ("name", "type", "default") or not isinstance(inner.get("type"), dict) else inner["type"]
        )
        target[member] = value
    text = json.dumps(schema)
    hostile(avro.decode, (*each[:3], each[3], text))
    hostile(avro.decode, (each[0], None, each[2], text, None))


def member_of(keys: tuple[str, ...], value: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.fixed_dictionaries(dict.fromkeys(keys, value))


names = st.sampled_from(["id", "a", "_tidb_op", "_ticdc_before", "", "a.b"])
exports = json_values | st.fixed_dictionaries(
    {
        "tables": st.lists(member_of(("schema_name", "table_name"), names), max_size=2) | json_values,
        "columns": st.lists(
            st.fixed_dictionaries({"name": names, "wire_name": names, "is_virtual": st.booleans()}), max_size=5
        )
        | json_values,
    }
)


@cases(500)
@given(messages, exports, st.booleans())
def test_schemas_with_any_names_of_an_export(each: Message, export: Any, in_key: bool) -> None:
    schemas = [text and json.loads(text) for text in each[3:]]
    fields = [field["name"] for schema in schemas if schema for field in schema["fields"]]
    columns = export.get("columns") if isinstance(export, dict) else None
    for told, field in zip(columns if isinstance(columns, list) else (), fields[::-1], strict=False):
        if isinstance(told, dict):
            told["wire_name"] = field
    texts = [
        schema and json.dumps({"ticdc.export": export, **schema} if wanted else schema)
        for schema, wanted in zip(schemas, (in_key, True), strict=True)
    ]
    hostile(avro.decode, (*each[:3], *texts))


@cases(500)
@given(st.lists(st.tuples(messages, flips), min_size=1, max_size=6), st.randoms(use_true_random=False))
def test_batches_with_broken_members_are_those_of_single_messages(
    broken: list[tuple[Message, list[tuple[float, int]]]], generator: Any
) -> None:
    batch = _plain() + [(each[0], each[1] and flipped(each[1], places), *each[2:]) for each, places in broken]
    key, value, *rest = _plain()[0]
    batch += [(key, flipped(value or b"", places), *rest) for _, places in broken]  # type: ignore[arg-type]
    generator.shuffle(batch)
    columns = arrays(batch)
    assert decode_batch(*columns).equals(arrow.decode_each(avro.decode, *columns))


@cache
def _plain() -> list[Message]:
    key_schema = record(column("id", "int", "INT"))
    schema = record(
        column("id", "int", "INT"),
        column("t", "string", "TEXT", nullable=True),
        column("b", "bytes", "BLOB"),
        column("d", "double", "DOUBLE"),
        *EXTENSION,
    )
    texts = json.dumps(key_schema), json.dumps(schema)
    wires = [
        {"id": n, "t": None if n % 3 else f'"{n}', "b": b"x" * n, "d": n / 3, **extension("c")} for n in range(MANY)
    ]
    return [(message(key_schema, wire), message(schema, wire), "{}", *texts) for wire in wires]


@pytest.mark.parametrize("kind", ["string", "bytes"])
@pytest.mark.parametrize("size", HUGE)
def test_huge_lengths(kind: str, size: int) -> None:
    schema = json.dumps(record(column("v", kind, "TEXT" if kind == "string" else "BLOB")))
    value = framed(huge_length(size) + b"abc")
    assert hostile(avro.decode, (None, value, "{}", None, schema)).error_code == ErrorCode.BAD_AVRO
    batch = arrays([(None, value, "{}", None, schema)] * MANY)
    assert decode_batch(*batch).equals(arrow.decode_each(avro.decode, *batch))


def test_huge_lengths_take_no_memory(tmp_path: Path) -> None:
    schema = json.dumps(record(column("v", "bytes", "BLOB")))
    messages = [(None, framed(huge_length(size) + b"abc"), "{}", None, schema) for size in HUGE]
    for size, (code, grown) in zip(HUGE, codes_and_growths("avro", tmp_path, messages), strict=True):
        assert (code, grown < 16 * MIB) == ("bad_avro", True), (size, grown)


def test_deep_nesting_of_schemas() -> None:
    nested = '{"type":"record","name":"a","fields":[{"name":"f","type":'
    for text in ("[" * 1_000_000, '{"type":' * 100_000, nested * 100_000, nested * 500 + '"int"' + "}]}" * 500):
        for schemas in ((None, text), (text, _plain()[0][4])):
            event = hostile(avro.decode, (_plain()[0][0], _plain()[0][1], "{}", *schemas))
            assert event.error_code in (ErrorCode.BAD_AVRO, ErrorCode.SCHEMA_MISSING)


def test_records_that_multiply_are_refused() -> None:
    """A few hundred bytes of schema would name 2^40 fields without a byte on the wire."""
    fields: list[dict[str, Any]] = [{"name": "f0", "type": record(name="r0")}]
    for level in range(1, 40):
        inner = [{"name": side, "type": f"default.shop.r{level - 1}"} for side in "ab"]
        fields.append({"name": f"f{level}", "type": record(*inner, name=f"r{level}")})
    event = hostile(avro.decode, (None, framed(b"\x00" * 99), "{}", None, json.dumps(record(*fields))))
    assert event.error_code == ErrorCode.BAD_AVRO


def test_a_decimal_of_a_megabyte() -> None:
    field = column("v", "bytes", "DECIMAL", logicalType="decimal", precision=65, scale=30)
    plain = record(column("v", "bytes", "BLOB"))
    event = hostile(avro.decode, (None, message(plain, {"v": b"\x7f" * MIB}), "{}", None, json.dumps(record(field))))
    assert event.error_code == ErrorCode.BAD_VALUE


FOREIGN = {
    "canal-json": b'{"data":null,"database":"d","es":1,"id":1,"isDdl":false,"old":null,"table":"t","type":"INSERT"}',
    "open protocol": b'\x00\x00\x00\x00\x00\x00\x00\x2e{"u":{"id":{"t":3,"h":true,"f":11,"v":1}}}',
    "open protocol, resolved": bytes(8),
    "debezium": b'{"payload":{"before":null,"after":{"id":1},"op":"c","source":{"commit_ts":1}}}',
    "simple avro": b"\x16\x00\x02\x00\x00",
    "internal ddl": b'\x01{"query":"create table t(id int)","type":3}',
}


@pytest.mark.parametrize("value", FOREIGN.values(), ids=FOREIGN)
def test_messages_of_other_protocols(value: bytes) -> None:
    schema = _plain()[0][4]
    for options in ("{}", '{"framing":"glue"}'):
        assert hostile(avro.decode, (None, value, options, None, schema)).kind == Kind.ERROR
