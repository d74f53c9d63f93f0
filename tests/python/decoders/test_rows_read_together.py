"""Rows of JSON that are read together, by layout: what each gives is what it gives alone."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from functools import cache
from types import ModuleType
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import debezium as debezium_messages
from support import simple as simple_messages
from support.batches import FEW, read_together
from support.corpus import SAMPLE, Variant
from support.debezium import INT, VARCHAR, field, key_message, source, watermark_message
from support.hostile import cases, pack
from support.open_protocol import BINARY, NULLABLE, UNSIGNED, column, ident, row_key
from support.open_protocol import message as batch_of

from ticdc_udfs.protocols import debezium, open_protocol, simple
from ticdc_udfs.spark.registry import UDFS
from ticdc_udfs.wire.json_columns import layout_of

Message = tuple[bytes | None, bytes | None]
TOPICS = {
    "simple_json": 0.5,
    "debezium_some_rows": 0.55,
    "debezium_noschema": 0.5,
    "open_protocol": 0.5,
    "open_protocol_partial_old": 0.5,
}
"""Of all messages of a topic so many are read together at least, where three are many."""


BATCHES = (simple, debezium, open_protocol)


def together(protocol: ModuleType, messages: Sequence[Message], options: str = "{}", many: int = FEW) -> int:
    keys, values = zip(*messages, strict=True)
    columns = [
        pa.array(keys, pa.binary()),
        pa.array(values, pa.binary()),
        pa.array([options] * len(messages), pa.string()),
    ]
    return read_together(protocol, columns, many)


@cache
def real(name: str) -> list[Message]:
    return [(record.key, record.value) for record in Variant(SAMPLE, name).records]


def protocol_of(name: str) -> ModuleType:
    (protocol,) = (each for each in BATCHES if name.startswith(each.__name__.rpartition(".")[2]))
    return protocol


@pytest.mark.parametrize("name", TOPICS)
def test_topics(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ticdc_udfs.wire.json_columns.MAX_MISSES", 500)
    messages = real(name)
    assert together(protocol_of(name), messages, many=3) > TOPICS[name] * len(messages)
    assert together(protocol_of(name), messages, many=10**6) == 0


@pytest.mark.parametrize("name", TOPICS)
def test_topics_of_another_time_zone(name: str) -> None:
    together(protocol_of(name), real(name)[:1000], '{"time_zone":"Asia/Shanghai"}', many=3)


ODD_BYTES = (*'"\\{}[],:019nte-. \x00\n\x7fé'.encode(), 0xFF)
edits = st.lists(
    st.tuples(st.sampled_from(["put", "insert", "delete", "repeat"]), st.floats(0, 1), st.sampled_from(ODD_BYTES)),
    max_size=2,
)


def edited(text: bytes, changes: Sequence[tuple[str, float, int]]) -> bytes:
    broken = bytearray(text)
    for what, at, byte in changes:
        place = int(at * len(broken))
        if what == "put":
            broken[place : place + 1] = bytes([byte])
        elif what == "insert":
            broken[place:place] = bytes([byte])
        elif what == "delete":
            del broken[place : place + 1 + byte % 3]
        else:
            broken[place:place] = broken[place : place + 1 + byte % 20]
    return bytes(broken)


@cases(300)
@given(st.sampled_from(sorted(TOPICS)), st.integers(0), st.lists(edits, min_size=8, max_size=8), edits)
def test_broken_messages(
    name: str, place: int, changes: list[list[tuple[str, float, int]]], of_key: list[tuple[str, float, int]]
) -> None:
    """One message over and over, some of them broken in one or two places."""
    key, value = real(name)[place % len(real(name))]
    messages = [(key, value and edited(value, change)) for change in changes]
    messages.insert(3, (key and edited(key, of_key), value))
    together(protocol_of(name), messages + [(key, value)] * 4, many=2)


# Simple


def simple_rows(rows: Sequence[Mapping[str, Any] | None], **members: Any) -> list[Message]:
    messages = (simple_messages.row_message(row, **members) for row in rows)
    return [(None, simple_messages.to_json(message)) for message in messages]


def cells(texts: Sequence[str | None]) -> list[dict[str, Any]]:
    return [{"id": str(number), "t": text, "n": "end"} for number, text in enumerate(texts)]


PLAIN = [f"text {number}" for number in range(FEW)]
ODD_TEXTS = {
    "written alike": (["\n", '"', "\t\r\f\b", "a \u007f", "\u2028", "<&>", "/"], 7),
    "null": ([None, None, "x"], 3),
    "two backslashes": (["\\", '\\"', "a\\"], 0),
    "escaped by number": (["\x00", "\x1f"], 0),
}


@pytest.mark.parametrize("name", ODD_TEXTS)
def test_odd_texts_of_simple(name: str) -> None:
    texts, count = ODD_TEXTS[name]
    assert together(simple, simple_rows(cells([*PLAIN, *texts]))) == len(PLAIN) + count


@pytest.mark.parametrize("old", [b"\\/", b"\\u0041", b"\\ufffd", b"\xff", b"\x01"])
def test_escapes_that_other_encoders_write(old: bytes) -> None:
    messages = simple_rows(cells([*PLAIN, "odd"]))
    messages[-1] = (None, (messages[-1][1] or b"").replace(b"odd", b"o" + old))
    assert together(simple, messages) == (0 if old == b"\xff" else len(PLAIN))


def test_operations_of_simple() -> None:
    rows = cells(PLAIN)
    messages = simple_rows(rows)
    messages += simple_rows(rows, type="UPDATE", old=cells(["before"])[0])
    messages += simple_rows([None] * FEW, type="DELETE", old=rows[0])
    random.Random(1).shuffle(messages)
    assert together(simple, messages) == 3 * FEW
    assert together(simple, simple_rows(rows, type="UPDATE", old={"t": "before"})) == 0
    assert together(simple, simple_rows(rows, type="QUERY")) == 0
    assert together(simple, simple_rows(rows, type="DELETE")) == 0
    assert together(simple, simple_rows(rows, handleKeyOnly=True)) == 0


@pytest.mark.parametrize(("location", "count"), [("UTC", FEW), ("Asia/Shanghai", 0), ("Local", 0), ("Nowhere", 0)])
def test_timestamps_of_simple(location: str, count: int) -> None:
    rows = [
        {"id": str(number), "at": {"location": location, "value": f"2025-01-01 00:00:{number}"}, "z": None}
        for number in range(10, FEW + 10)
    ]
    assert together(simple, simple_rows(rows)) == count
    assert together(simple, simple_rows([{**row, "at": None} for row in rows])) == FEW
    in_columns_order = [{"id": "1", "at": {"value": "2025-01-01 00:00:00", "location": "UTC"}} for _ in rows]
    assert together(simple, simple_rows(in_columns_order)) == 0


@pytest.mark.parametrize("commit_ts", [-1, 2**63, 1.5, "1", None, True, {}])
def test_commits_that_are_none(commit_ts: Any) -> None:
    rows = cells(PLAIN)
    assert together(simple, simple_rows(rows, commitTs=commit_ts)) == 0
    messages = simple_rows(rows) + simple_rows(rows[:1], commitTs=commit_ts)
    together(simple, messages)


@pytest.mark.parametrize("number", [b"007", b"+7", b"-0", b"7 ", b"0x7", b"1e3", b"[]", b"nul", b"{}", b"7,7"])
def test_numbers_that_are_none(number: bytes) -> None:
    for name in (b"commitTs", b"buildTs"):
        (key, value), *others = simple_rows(cells(PLAIN))
        head, _, rest = (value or b"").partition(b'"%s":' % name)
        odd = head + b'"%s":' % name + number + rest[rest.index(b",") :]
        together(simple, [(key, odd), *others])


@pytest.mark.parametrize("cell", [b"1", b"true", b"[]", b'{"a":"b"}', b"1.5", b"nul", b"", b" null", b'"x" '])
def test_cells_that_are_no_texts(cell: bytes) -> None:
    messages = simple_rows(cells([*PLAIN, "odd"]))
    messages[-1] = (None, (messages[-1][1] or b"").replace(b'"odd"', cell))
    assert together(simple, messages) == len(PLAIN)


def test_names_that_are_written_in_another_way() -> None:
    for name in (b"\\u0061", b"\\/", "é".encode()):
        messages = simple_rows(cells(PLAIN))
        messages = [(key, (value or b"").replace(b'"t":', b'"%s":' % name)) for key, value in messages]
        assert together(simple, messages) == (0 if b"\\" in name else FEW)


@pytest.mark.parametrize("protocol", BATCHES)
def test_batches_of_any_form(protocol: ModuleType) -> None:
    messages = {
        simple: lambda: simple_rows(cells(PLAIN * 3)),
        debezium: lambda: debezium_rows(NUMBERS * 3),
        open_protocol: lambda: [of_row({"u": {"id": ident(number)}}) for number in range(3 * FEW)],
    }[protocol]()
    assert together(protocol, [(None, None)] * FEW) == 0
    assert together(protocol, [(b"", b"")] * FEW) == 0
    assert together(protocol, [(b"{}", b"{}")] * FEW) == 0
    assert together(protocol, messages, "{") == 0
    assert (
        together(protocol, [(key, pack(value or b"", "lz4")) for key, value in messages], '{"compression":"lz4"}') == 0
    )
    keys, values = zip(*messages, strict=True)
    options = pa.array(["{}"] * len(messages), pa.string())
    whole = protocol.decode_batch(pa.array(keys, pa.binary()), pa.array(values, pa.binary()), options)
    large = protocol.decode_batch(pa.array(keys, pa.large_binary()), pa.array(values, pa.large_binary()), options)
    assert large.equals(whole)
    some = [pa.array(each, pa.binary()).slice(5, FEW + 5) for each in (keys, values)]
    sliced = [*some, options.slice(5, FEW + 5)]
    assert read_together(protocol, sliced) == FEW + 5
    nothing = pa.array([], pa.binary())
    assert protocol.decode_batch(nothing, nothing, pa.array([], pa.string())).equals(whole.slice(0, 0))


def test_long_messages_are_read_one_by_one() -> None:
    assert together(simple, simple_rows(cells(["x" * 70_000] * FEW))) == 0


def test_large_batches_are_read_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ticdc_udfs.wire.json_columns.MAX_BYTES", 1000)
    assert together(simple, simple_rows(cells(PLAIN))) == 0
    assert together(debezium, debezium_rows(NUMBERS)) == 0


# Open Protocol


def of_row(body: Any, **members: Any) -> Message:
    return batch_of((row_key(**members), body))


def test_rows_of_every_kind_of_open_protocol() -> None:
    new = {"id": ident(2), "a": column(15, "x"), "n": column(8, 2**64 - 1, UNSIGNED), "t": column(252, "YQ==")}
    old = {**new, "id": ident(), "a": column(15, None)}
    bodies: list[tuple[Any, bool]] = [
        ({"u": new}, True),
        ({"u": old, "p": new}, True),
        ({"u": new, "p": old}, True),
        ({"u": new, "p": {"a": column(15, None)}}, True),
        ({"u": new, "p": {}}, True),
        ({"u": new, "p": None}, True),
        ({"d": new}, True),
        ({"d": {"id": ident()}}, True),
        ({"u": {"id": ident()}}, True),
        ({"u": dict(reversed(new.items()))}, True),
        ({"u": new, "p": dict(reversed(old.items()))}, True),
        ({"u": {**new, "e": column(247, 1), "s": column(248, None)}}, True),
        ({"u": {"keyless": column(15, "x")}, "p": {"keyless": column(15, "y")}}, True),
        ({"u": {**new, "t": column(252, None)}, "p": column(252, "")}, False),
        ({"u": new, "d": new}, False),
        ({"u": new, "p": {"nowhere": ident()}}, False),
        ({"u": {**new, "n": column(8, 1.5)}}, False),
        ({"u": {**new, "t": column(252, "YQ")}}, False),
        ({"u": {**new, "a": column(15, 5)}}, False),
        ({"u": {**new, "a": column(99, 5)}}, False),
        ({"p": new}, False),
        ({}, False),
    ]
    good = [of_row(body) for body, is_good in bodies for _ in range(FEW) if is_good]
    random.Random(1).shuffle(good)
    assert together(open_protocol, good) == len(good)
    together(open_protocol, good + [of_row(body) for body, _ in bodies])
    for body, is_good in bodies:
        assert together(open_protocol, [of_row(body)] * FEW) == FEW * is_good


def test_keys_of_open_protocol() -> None:
    body = {"u": {"id": ident(), "a": column(15, "x")}}
    messages = [of_row(body, ts=number, rid=number, ptn=number) for number in range(FEW)]
    messages += [of_row(body, tbl="other") for _ in range(FEW)]
    messages += [of_row(body, ohk=True) for _ in range(FEW)]
    messages += [of_row(body, ccl="/x/file.json") for _ in range(FEW)]
    random.Random(1).shuffle(messages)
    assert together(open_protocol, messages) == 4 * FEW
    for member in ({"ts": -1}, {"ts": 2**63}, {"ptn": -1}, {"t": 2}, {"t": 7}, {"ts": "1"}, {"ts": None}):
        assert together(open_protocol, [of_row(body, **member)] * FEW) == 0
        together(open_protocol, [of_row(body)] * FEW + [of_row(body, **member)])


def test_entries_of_open_protocol_that_are_rows_and_others() -> None:
    row = (row_key(), {"u": {"id": ident(), "a": column(15, "x")}})
    ddl, watermark = (row_key(t=2), {"q": "drop table t", "t": 4}), (row_key(t=3), b"")
    key, value = batch_of(row, row)
    messages: list[Message] = [
        batch_of(row, ddl, row, watermark, row),
        batch_of(row, (row_key(), {}), row),
        batch_of(watermark),
        (batch_of(watermark, watermark)[0], None),
        (batch_of(watermark, watermark)[0], b""),
        (key, None),
        (key, value[:-1]),
        (key, value + b"\0"),
        (key[:-1], value),
        (key[:8], value),
        (key[:7], value),
        (b"\1" + key[1:], value),
        (batch_of(row)[0], value),
        (key, batch_of(row)[1]),
        (None, value),
        (None, None),
        (key[:8] + b"\xff" * 8 + key[16:], value),
        (key, b"\x7f" + b"\xff" * 7 + value[8:]),
    ]
    assert together(open_protocol, messages * FEW) == 5 * FEW


def test_compressed_entries_share_the_bound_of_their_message(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ticdc_udfs.protocols.open_protocol.message.MAX_DECOMPRESSED_BYTES", 150)
    key, value = batch_of(*[(row_key(), {"u": {"a": column(15, "x" * 60)}})] * 3, pack=lambda body: pack(body, "lz4"))
    assert together(open_protocol, [(key, value)] * FEW, '{"compression":"lz4"}') == 0


def test_a_bare_value_at_the_end_of_a_row_does_not_reach_into_the_old_one() -> None:
    """Where NULL ended the new image, the old one was taken for a part of it, as rows without old image have none."""
    new, old = ({"id": ident(number), "note": column(15, None)} for number in (1, 2))
    messages = [of_row({"u": new, "p": old})] * FEW + [of_row({"u": new})] * FEW
    for order in (messages, messages[::-1]):
        assert together(open_protocol, order) == 2 * FEW


columns_of_open_protocol = {
    "i": (3, NULLABLE, st.none() | st.integers(-(2**31), 2**31) | st.just(1.5)),
    "n": (8, NULLABLE | UNSIGNED, st.none() | st.integers(0, 2**64 - 1)),
    "f": (4, NULLABLE, st.none() | st.floats(allow_nan=False, allow_infinity=False) | st.integers(-5, 5)),
    "a": (15, NULLABLE, st.none() | st.text(st.characters(codec="utf-8"), max_size=9) | st.just("\x00\\")),
    "t": (252, NULLABLE, st.none() | st.sampled_from(["", "YQ==", "YQ", "/w==", "w6k="])),
    "b": (15, NULLABLE | BINARY, st.none() | st.sampled_from(["", "a", "\\xff", "\\n", "\\q"])),
    "e": (247, NULLABLE, st.none() | st.integers(0, 3)),
    "y": (13, NULLABLE | UNSIGNED, st.none() | st.sampled_from([0, 1901, 2155])),
    "s": (7, NULLABLE, st.none() | st.sampled_from(["2025-11-02 01:30:00", "2025-07-01 00:00:00", "x"])),
}
drawn_of_open_protocol = st.fixed_dictionaries(
    {name: values for name, (_, _, values) in columns_of_open_protocol.items()}
)


@cases(200)
@given(
    st.lists(st.tuples(drawn_of_open_protocol, drawn_of_open_protocol, st.sampled_from("upd")), min_size=1, max_size=8),
    st.sampled_from(["{}", '{"time_zone":"America/New_York"}']),
)
def test_values_of_open_protocol(drawn: list[tuple[dict[str, Any], dict[str, Any], str]], options: str) -> None:
    def wire(row: Mapping[str, Any]) -> dict[str, Any]:
        kinds = {name: (code, flags) for name, (code, flags, _) in columns_of_open_protocol.items()}
        return {"id": ident()} | {name: column(kinds[name][0], value, kinds[name][1]) for name, value in row.items()}

    bodies = [
        {"d": wire(new)} if op == "d" else {"u": wire(new)} | ({"p": wire(old)} if op == "p" else {})
        for new, old, op in drawn
    ]
    together(open_protocol, [of_row(body) for body in bodies for _ in range(2)], options, many=2)


# Debezium

FIELDS = [
    field("id", INT, optional=False),
    field("n", {"tidb_type": "bigint unsigned", "type": "int64"}),
    field("d", {"tidb_type": "decimal", "type": "double"}),
    field("f", {"tidb_type": "double", "type": "double"}),
    field("t", VARCHAR),
    field("at", {"tidb_type": "datetime", "type": "int64", "name": "io.debezium.time.Timestamp"}),
    field("day", {"tidb_type": "date", "type": "int32", "name": "io.debezium.time.Date"}),
    field("b", {"tidb_type": "bit", "type": "boolean"}),
]
ROW = {"id": 1, "n": 2, "d": 1.5, "f": 2.5, "t": "x", "at": 1552039105620, "day": 17000, "b": True}
NUMBERS = [{**ROW, "id": number, "n": number - 3, "t": f"text {number}"} for number in range(FEW)]


def debezium_rows(
    rows: Sequence[Mapping[str, Any] | None], fields: Sequence[Mapping[str, Any]] | None = FIELDS, /, **members: Any
) -> list[Message]:
    """Messages with the key `id`; `members` are the payload's."""
    found = []
    for row in rows:
        message = debezium_messages.row_message(row, fields, **members)
        key = key_message({"id": (row or members["before"])["id"]}, fields)
        found.append((debezium_messages.to_bytes(key), debezium_messages.to_bytes(message)))
    return found


def test_operations_of_debezium() -> None:
    for fields in (FIELDS, None):
        messages = debezium_rows(NUMBERS, fields)
        messages += debezium_rows(NUMBERS, fields, op="u", before={**ROW, "id": 7, "t": "before"})
        messages += debezium_rows([None] * FEW, fields, op="d", before=ROW)
        random.Random(1).shuffle(messages)
        assert together(debezium, messages) == 3 * FEW
    assert together(debezium, debezium_rows(NUMBERS, op="u", before={"id": 1})) == 0
    assert together(debezium, debezium_rows(NUMBERS, op="x")) == 0
    assert together(debezium, debezium_rows(NUMBERS, before=ROW)) == 0
    watermark = debezium_messages.to_bytes(watermark_message(debezium_messages.COMMIT_TS))
    assert together(debezium, [(b'{"payload":{}}', watermark)] * FEW + debezium_rows(NUMBERS)) >= FEW


values_of = {
    "id": st.integers(-(2**31), 2**31),
    "n": st.none() | st.integers(-(2**63), 2**63 - 1),
    "d": st.none() | st.floats(allow_nan=False, allow_infinity=False) | st.decimals(-9999, 9999, places=2).map(float),
    "f": st.none() | st.floats(allow_nan=False, allow_infinity=False) | st.integers(-5, 5),
    "t": st.none() | st.text(st.characters(codec="utf-8"), max_size=9) | st.just("\x00\\"),
    "at": st.none() | st.integers(-(10**14), 3 * 10**14) | st.sampled_from([0, 1000, -1, 10, 86_400_000]),
    "day": st.none() | st.integers(-720_000, 2_932_000) | st.sampled_from([0, 10**9]),
    "b": st.none() | st.booleans(),
}
drawn_rows = st.fixed_dictionaries(values_of)


@cases(200)
@given(
    st.lists(st.tuples(drawn_rows, drawn_rows, st.sampled_from("cud")), min_size=1, max_size=8),
    st.booleans(),
    st.sampled_from([{}, {"default": 0}, {"optional": False}]),
    st.sampled_from(["at", "n", "t", "b"]),
)
def test_values_of_debezium(
    drawn: list[tuple[dict[str, Any], dict[str, Any], str]], inline: bool, more: Mapping[str, Any], column: str
) -> None:
    fields = [{**each, **more} if each["field"] == column else each for each in FIELDS] if inline else None
    messages = []
    for new, old, op in drawn:
        row, before = (None if op == "d" else new), (None if op == "c" else old)
        messages += debezium_rows([row], fields, op=op, before=before) * 2
    together(debezium, messages, many=2)


def test_an_old_row_with_its_columns_in_another_order() -> None:
    """The flags of its changed columns come in its own order."""
    old = {**dict(reversed(ROW.items())), "at": None, "day": 0}
    assert together(debezium, debezium_rows(NUMBERS, op="u", before=old)) == 0


def test_flags_of_single_rows() -> None:
    """NULL and 0 of a DATETIME may be a zero date."""
    rows = [{**row, "at": moment} for row, moment in zip(NUMBERS * 2, [0, None, 5, 7] * FEW, strict=False)]
    assert together(debezium, debezium_rows(rows)) == 2 * FEW
    assert together(debezium, debezium_rows(NUMBERS, op="u", before={**ROW, "at": None, "day": None})) == FEW


def test_values_that_are_none_of_their_type() -> None:
    rows = [*NUMBERS, {**ROW, "at": 10**18}, {**ROW, "at": "x"}, {**ROW, "d": "1.x"}, {**ROW, "t": []}]
    assert together(debezium, debezium_rows(rows)) == FEW + 1  # a text is taken for a decimal as it stands


def test_text_that_is_not_utf_8() -> None:
    for fields in (FIELDS, None):
        messages = debezium_rows([*NUMBERS, {**ROW, "t": "odd"}], fields)
        together(debezium, [(key, (value or b"").replace(b'"odd"', b'"\xff"')) for key, value in messages])


def test_negative_zeros() -> None:
    for fields in (FIELDS, None):
        messages = debezium_rows([{**row, "f": "zero", "t": "a:-0,"} for row in NUMBERS], fields)
        odd = [(key, (value or b"").replace(b'"zero"', b"-0")) for key, value in messages]
        assert together(debezium, odd + debezium_rows(NUMBERS, fields)) == 2 * FEW


def test_rows_that_lack_their_last_brace() -> None:
    """By their layout the last value of a whole row has a brace too many; that it is valid says nothing of them."""
    *whole, unclear = debezium_rows([*NUMBERS, {**ROW, "t": "\0"}], None)
    assert together(debezium, [*whole, unclear, *((key, (value or b"")[:-1]) for key, value in whole)]) == 0
    body = json.dumps({"u": {"id": ident(), "a": column(15, None)}}).encode()
    whole, cut = ([batch_of((row_key(), text))] * FEW for text in (body, body[:-1]))
    assert together(open_protocol, whole + cut) == 0


def test_a_change_from_1_to_true_is_none() -> None:
    rows = [{**ROW, "id": 1, "b": number % 2 or True} for number in range(FEW)]
    assert together(debezium, debezium_rows(rows, None, op="u", before={**ROW, "b": 1})) == 0


def test_keys_of_other_columns() -> None:
    messages = debezium_rows(NUMBERS)
    _, value = messages[0]
    keys = [key_message({"t": "x"}, FIELDS), key_message({"id": 1, "t": "x"}, FIELDS), {"payload": {}}, {}]
    odd: list[Message] = [(debezium_messages.to_bytes(key), value) for key in keys]
    odd += [(None, value), (b"", value), (b"{", value), (b'{"payload":{"id":1}}', value)]
    assert together(debezium, messages + odd) == FEW
    without = [(None, value) for _, value in messages]
    assert together(debezium, without + odd[:3]) == FEW
    doubles = debezium_rows([{**row, "id": number + 0.5} for number, row in enumerate(NUMBERS)])
    together(debezium, doubles)


def test_keys_that_rows_have_not_in_full() -> None:
    for fields in (FIELDS, None):
        key = debezium_messages.to_bytes(
            key_message({"id": 1, "left_out": 2}, fields and [*FIELDS, field("left_out", INT)])
        )
        messages = [(key, value) for _, value in debezium_rows(NUMBERS, fields, op="u", before=ROW)]
        assert together(debezium, messages) == FEW


def test_moments_of_debezium() -> None:
    for member in ("commit_ts", "start_ts", "ts_ms"):
        messages = debezium_rows(NUMBERS, source=source(**{member: 5}))
        assert together(debezium, messages) == FEW
        for odd in (-1, 1.5, "1", None, 2**63):
            messages = debezium_rows(NUMBERS, source=source(**{member: odd}))
            together(debezium, messages + debezium_rows(NUMBERS))


def test_layouts() -> None:
    def paths(message: bytes) -> Any:
        layout = layout_of(message, lambda path: path != ("b",))
        return layout and (layout.around, layout.paths)

    assert paths(b'{"a":"x\\"y","b":1,"c":{"d":null}}') == (
        (b'{"a":', b',"b":1,"c":{"d":', b"}}"),
        (("a",), ("c", "d")),
    )
    assert paths(b'{"a":[1,{"c":2}],"c":3}') == ((b'{"a":[1,{"c":2}],"c":', b"}"), (("c",),))
    assert paths(b'{"a":1,"a":2}') is None
    assert paths(b'{"\\u0061":1}') is None
    for no_json in (b"", b"}", b"]", b'{}"a"', b":", b"{{{", b'{"a"', b'{"a":1}}', b"\xff"):
        paths(no_json)


def test_a_layout_is_learned_from_any_message(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows are found beside many messages that none is like, as long as those are not more than rows."""
    watermarks = [(None, json.dumps({"n": number}).encode()) for number in range(5)]
    messages = simple_rows(cells(PLAIN)) + watermarks
    for seed in range(5):
        random.Random(seed).shuffle(messages)
        assert together(simple, messages) == FEW


@pytest.mark.parametrize("name", [*TOPICS, "open_protocol"])
def test_feeds_in_one_batch_are_read_as_if_alone(name: str) -> None:
    """Each feed needs the table schemas that its rows bear, though one batch gives a schema once."""
    variant = Variant(SAMPLE, name)
    (decode_batch,) = (udf.function for udf in UDFS if udf.name == f"ticdc_decode_{variant.feed()['protocol']}")
    feeds = ('{"feed":"a"}', None, '{"feed":"b"}')
    messages = [(key, value, feed) for key, value in real(name) for feed in feeds]
    random.Random(1).shuffle(messages)
    types = (pa.binary(), pa.binary(), pa.string())
    columns = [pa.array(column, of) for column, of in zip(zip(*messages, strict=True), types, strict=True)]
    whole = decode_batch(*columns)
    for feed in feeds:
        places = pa.array([place for place, message in enumerate(messages) if message[2] == feed])
        assert whole.take(places).equals(decode_batch(*(column.take(places) for column in columns)))
