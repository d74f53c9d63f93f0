"""Open Protocol: the vectors, rows and keys, batches, and messages that are none."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Mapping
from typing import Any

import cramjam
import orjson
import pyarrow as pa
import pytest
from support.corpus import DATA, json_lines
from support.open_protocol import (
    BINARY,
    COMMIT_TS,
    HANDLE,
    NULLABLE,
    PRIMARY,
    UNIQUE,
    VERSION,
    column,
    decode,
    decode_row,
    frames,
    ident,
    image,
    message,
    row_key,
    to_bytes,
)

from ticdc_udfs.contract import arrow
from ticdc_udfs.contract.events import ErrorCode, Event, Kind
from ticdc_udfs.protocols import open_protocol
from ticdc_udfs.wire import claim_check

VECTORS = [
    vector
    for name in ("open_protocol", "seed_docs_open_protocol")
    for vector in json_lines(DATA / "vectors" / f"{name}.jsonl")
]
NOT_DECODED = {  # text in a column of type TINYINT, made by hand
    "open/java/row_0": ErrorCode.BAD_VALUE,
    "open/java/row_1": ErrorCode.BAD_VALUE,
}
KINDS = {1: Kind.ROW, 2: Kind.DDL, 3: Kind.WATERMARK}


def _ids(vector: Mapping[str, Any]) -> str:
    return str(vector["id"])


@pytest.mark.parametrize("vector", [v for v in VECTORS if v["kind"] == "message"], ids=_ids)
def test_vector_messages(vector: Mapping[str, Any]) -> None:
    events = decode(b64decode(vector["key_b64"]), b64decode(vector["value_b64"]))
    expected = vector["expect"].get("events", [vector["expect"]])
    if not expected:
        assert events == [Event(Kind.BOOTSTRAP)]
        return
    assert len(events) == len(expected)
    for event, expect in zip(events, expected, strict=True):
        if vector["id"] in NOT_DECODED:
            assert event.error_code == NOT_DECODED[vector["id"]]
            continue
        key, value = expect["key"], expect["value"]
        assert (event.kind, event.commit_ts) == (KINDS[key["t"]], key["ts"])
        assert (event.schema_name, event.table_name) == (key.get("scm"), key.get("tbl"))
        if event.kind == Kind.DDL:
            assert (event.ddl_query, event.ddl_type) == (value["q"], str(value["t"]))
        if event.kind == Kind.ROW:
            op, columns = next(iter(value.items()))
            texts = {name: str(member["v"]) for name, member in columns.items()}
            assert event.op == {"u": "insert", "d": "delete"}[op]
            assert image(event.after if op == "u" else event.before) == texts
            assert image(event.row_key) == {name: texts[name] for name in columns if columns[name].get("h")}


@pytest.mark.parametrize("vector", [v for v in VECTORS if v["kind"] == "column-sample"], ids=_ids)
def test_column_samples_of_the_documentation(vector: Mapping[str, Any]) -> None:
    """The samples lack flags; binary ones print Go's escapes once, which JSON doubles."""
    expect = vector["expect"]
    sample = vector["value_text"]
    flags = None
    if "bytes_hex" in expect:
        sample, flags = sample.replace("\\", "\\\\"), BINARY
    wire = json.loads(sample)
    want = expect.get("text", expect.get("v"))
    if "bytes_hex" in expect:
        want = b64encode(bytes.fromhex(expect["bytes_hex"])).decode()
    event = decode_row({"u": {"id": ident(), "v": column(expect["code"], wire["v"], flags)}})
    assert image(event.after) == {"id": "1", "v": None if want is None else str(want)}


@pytest.mark.parametrize("vector", [v for v in VECTORS if v["kind"] == "flag-sample"], ids=_ids)
def test_flag_samples_of_the_documentation(vector: Mapping[str, Any]) -> None:
    flags, names = vector["expect"]["flag"], vector["expect"]["names"]
    (told,) = orjson.loads(decode_row({"u": {"v": {"t": 252, "f": flags, "v": ""}}}).table_schema or b"")
    assert told == {
        "name": "v",
        "type": "blob" if "BinaryFlag" in names else "text",
        "key": 1 if "PrimaryKeyFlag" in names else 0,
        "nullable": "NullableFlag" in names,
    }


def test_every_vector_is_a_case() -> None:
    assert {vector["kind"] for vector in VECTORS} == {"message", "column-sample", "flag-sample"}


NEW = {"id": ident(), "a": column(15, "x"), "b": column(15, None)}
OLD = {"id": ident(), "a": column(15, "y"), "b": column(15, "z")}
NEW_TEXTS, OLD_TEXTS = {"id": "1", "a": "x", "b": None}, {"id": "1", "a": "y", "b": "z"}


def test_insert() -> None:
    event = decode_row({"u": NEW})
    assert (event.kind, event.op, event.before, image(event.after)) == (Kind.ROW, "insert", None, NEW_TEXTS)
    assert (event.schema_name, event.table_name, event.row_key) == ("shop", "t", b'{"id":"1"}')
    assert (event.commit_ts, event.commit_ts_exact, event.start_ts) == (COMMIT_TS, True, None)
    assert (event.before_key, event.lossy, event.physical_table_id, event.claim_check) == (None, (), None, None)


@pytest.mark.parametrize(
    ("old", "before"),
    [
        (OLD, OLD_TEXTS),
        ({"a": OLD["a"], "b": OLD["b"]}, OLD_TEXTS),
        ({"b": OLD["b"]}, {**NEW_TEXTS, "b": "z"}),
        ({}, NEW_TEXTS),
    ],
    ids=["full", "changed columns", "a NULL that had a value", "nothing changed"],
)
def test_old_images_of_updates(old: Any, before: Mapping[str, str | None]) -> None:
    event = decode_row({"u": NEW, "p": old})
    assert (event.op, image(event.before), image(event.after), event.before_key) == ("update", before, NEW_TEXTS, None)
    assert list(image(event.before) or ()) == ["id", "a", "b"]


def test_without_old_image_an_update_looks_like_an_insert() -> None:
    for body in ({"u": NEW}, {"u": NEW, "p": None}):
        assert decode_row(body).op == "insert"


def test_delete() -> None:
    event = decode_row({"d": OLD})
    assert (event.op, image(event.before), event.after, event.row_key) == ("delete", OLD_TEXTS, None, b'{"id":"1"}')


def test_a_delete_of_key_columns_alone_among_whole_rows() -> None:
    for _ in range(2):
        assert image(decode_row({"u": NEW}).after) == NEW_TEXTS
        assert (image(decode_row({"d": {"id": ident(7)}}).before), decode_row({"d": OLD}).op) == ({"id": "7"}, "delete")


def test_an_update_that_moves_the_row_names_both_keys() -> None:
    key = PRIMARY | HANDLE
    new = {"a": column(3, 1, key), "b": column(3, 2, key), "c": column(3, 3)}
    event = decode_row({"u": new, "p": {**new, "b": column(3, 1, key)}})
    assert (event.row_key, event.before_key) == (b'{"a":"1","b":"2"}', b'{"a":"1","b":"1"}')
    partial = decode_row({"u": new, "p": {"b": column(3, 1, key)}})
    assert (partial.row_key, partial.before_key) == (event.row_key, event.before_key)


def test_the_primary_key_is_the_row_key_else_the_handle_key_else_the_row() -> None:
    unique = {"a": column(3, 1, UNIQUE | HANDLE), "b": column(3, 2)}
    assert decode_row({"u": unique}).row_key == b'{"a":"1"}'
    both = {"a": column(3, 1, UNIQUE), "b": column(3, 2, PRIMARY)}
    assert decode_row({"u": both}).row_key == b'{"b":"2"}'
    without_flags = {"a": {"t": 3, "h": True, "v": 1}, "b": {"t": 3, "v": 2}}
    assert decode_row({"u": without_flags}).row_key == b'{"a":"1"}'
    keyless = {"a": column(3, 1), "b": column(3, None)}
    event = decode_row({"u": keyless, "p": {**keyless, "b": column(3, 5)}})
    assert (event.row_key, event.before_key) == (b'{"a":"1","b":null}', b'{"a":"1","b":"5"}')
    assert event.lossy == ("*:no_key",)


def _unnamed(body: str) -> Event:
    return decode_row(body.encode())


def test_a_column_that_became_null_comes_without_its_name() -> None:
    """only-output-updated-columns (protocol facts 0.1, line 1)."""
    event = _unnamed(
        '{"u":{"$cash":{"t":3,"h":true,"f":11,"v":1},"CamelCol":{"t":15,"f":64,"v":"x"},"100%":{"t":246,"f":65,"v":null}},'
        '"p":{"CamelCol":{"t":15,"f":64,"v":"maple"},"t":246,"f":65,"v":"20277.775"}}'
    )
    assert (event.op, event.lossy, event.before_key) == ("update", (), None)
    assert image(event.before) == {"$cash": "1", "CamelCol": "maple", "100%": "20277.775"}
    assert image(event.after) == {"$cash": "1", "CamelCol": "x", "100%": None}


def test_several_columns_that_became_null_repeat_their_members() -> None:
    event = _unnamed(
        '{"u":{"first":{"t":3,"f":65,"v":null},"id":{"t":3,"h":true,"f":11,"v":1},"a":{"t":3,"f":65,"v":null},'
        '"b":{"t":252,"f":64,"v":null},"c":{"t":3,"f":65,"v":2},"d":{"t":252,"f":65,"v":null}},'
        '"p":{"first":{"t":3,"f":65,"v":7},"t":3,"f":65,"v":3,"t":252,"f":64,"v":"YjM=",'
        '"c":{"t":3,"f":65,"v":null},"t":252,"f":65,"v":"/w=="}}'
    )
    assert event.lossy == ()
    assert image(event.before) == {"first": "7", "id": "1", "a": "3", "b": "b3", "c": None, "d": "/w=="}


def test_the_place_tells_apart_columns_of_one_type() -> None:
    columns = ",".join(
        f'"{name}":{{"t":3,"f":65,"v":{value}}}' for name, value in zip("abcd", ["null", 1, "null", 2], strict=True)
    )
    for old, want in (
        ('"t":3,"f":65,"v":5,"b":{"t":3,"f":65,"v":6}', {"a": "5", "b": "6", "c": None, "d": "2"}),
        ('"b":{"t":3,"f":65,"v":6},"t":3,"f":65,"v":5', {"a": None, "b": "6", "c": "5", "d": "2"}),
        ('"t":3,"f":65,"v":5,"t":3,"f":65,"v":6', {"a": "5", "b": "1", "c": "6", "d": "2"}),
    ):
        event = _unnamed(f'{{"u":{{{columns}}},"p":{{{old}}}}}')
        assert (image(event.before), event.lossy) == (want, ("*:no_key",))


def test_where_several_columns_fit_all_of_them_are_flagged() -> None:
    columns = ",".join(f'"{name}":{{"t":3,"f":65,"v":null}}' for name in "abc") + ',"id":{"t":3,"h":true,"f":11,"v":1}'
    event = _unnamed(f'{{"u":{{{columns}}},"p":{{"t":3,"f":65,"v":5}}}}')
    assert event.lossy == ("a:column_unsure", "b:column_unsure", "c:column_unsure")
    assert image(event.before) == {"a": "5", "b": None, "c": None, "id": "1"}
    event = _unnamed(f'{{"u":{{{columns}}},"p":{{"t":3,"f":65,"v":5,"t":3,"f":65,"v":6,"t":3,"f":65,"v":7}}}}')
    assert (event.lossy, image(event.before)) == ((), {"a": "5", "b": "6", "c": "7", "id": "1"})


def test_null_of_an_old_image_with_flags_of_tidb_may_be_a_zero() -> None:
    """only-output-updated-columns of TiCDC 8.5.4 and 8.5.5: NOT NULL is 1 there, and a changed BIT is not sent."""
    new = {
        "k": column(15, "x", HANDLE | PRIMARY),
        "e": column(247, 2),
        "blob": column(252, "YQ==", BINARY),
        "d": column(246, "1.50", BINARY),
        "n": column(15, "x", NULLABLE),
        "i": column(3, 2, NULLABLE),
        "b": column(16, 1, BINARY),
    }
    flags = {"k": 4099, "e": 257, "blob": 4241, "d": 1, "n": 0, "i": 0}
    old = {name: {"t": new[name]["t"], "f": flag, "v": None} for name, flag in flags.items()}
    event = decode_row({"u": new, "p": {**old, "i": {"t": 3, "f": 0, "v": 1}}})
    assert image(event.before) == {"k": "", "e": "0", "blob": "", "d": None, "n": None, "i": "1", "b": "1"}
    assert (event.before_key, event.row_key) == (b'{"k":""}', b'{"k":"x"}')
    assert event.lossy == ("d:column_unsure", "n:column_unsure", "b:column_unsure", "e:label_unknown")
    event = decode_row({"u": new, "p": {"n": column(15, None, NULLABLE)}})
    assert ((image(event.before) or {})["n"], event.lossy) == (None, ("e:label_unknown",))


def test_null_with_flags_of_tidb_is_read_row_by_row() -> None:
    """Rows alike are read together, of which one tells what holds for all."""
    key, new = column(3, 1, HANDLE | PRIMARY), column(15, "x", NULLABLE)
    olds = [column(15, value, 0) for value in ("a", None, "b", None, "")] * 20
    columns = zip(*(message((row_key(), {"u": {"k": key, "n": new}, "p": {"n": old}})) for old in olds), strict=True)
    arrays = [pa.array(list(column), pa.binary()) for column in columns] + [pa.array(["{}"] * len(olds))]
    batch = open_protocol.decode_batch(*arrays)
    assert batch.equals(arrow.decode_batch(open_protocol.decode, *arrays))
    assert [events[0]["lossy"] for events in batch.to_pylist()[:2]] == [[], ["n:column_unsure"]]


@pytest.mark.parametrize("name", ["t", "f", "v", "h", "u", "p"])
def test_columns_named_like_members(name: str) -> None:
    event = decode_row({"u": {"id": ident(), name: column(3, 2)}, "p": {name: column(3, 1)}})
    assert (image(event.before), image(event.after)) == ({"id": "1", name: "1"}, {"id": "1", name: "2"})
    event = _unnamed(
        f'{{"u":{{"id":{{"t":3,"h":true,"f":11,"v":1}},"{name}":{{"t":3,"f":65,"v":2}},"z":{{"t":3,"f":65,"v":null}}}},'
        f'"p":{{"{name}":{{"t":3,"f":65,"v":1}},"t":3,"f":65,"v":9}}}}'
    )
    assert image(event.before) == {"id": "1", name: "1", "z": "9"}


@pytest.mark.parametrize(
    "old",
    [
        '"f":65,"v":1',
        '"v":1',
        '"t":3',
        '"t":3,"f":64,"v":1',
        '"t":8,"f":65,"v":1',
        '"x":1',
        '"b":{"t":3,"f":65,"v":1},"t":3,"f":65,"v":1',
        '"t":3,"f":65,"v":1,"t":3,"f":65,"v":1',
        '"t":3,"f":65,"v":[1]',
        '"t":3,"f":65,"v":{}',
        '"t":5,"f":65,"v":1e999',
    ],
)
def test_nameless_columns_that_fit_nowhere(old: str) -> None:
    event = _unnamed(
        f'{{"u":{{"a":{{"t":3,"f":65,"v":null}},"b":{{"t":3,"f":65,"v":2}},"e":{{"t":5,"f":65,"v":null}}}},"p":{{{old}}}}}'
    )
    assert event.error_code in (ErrorCode.BAD_SHAPE, ErrorCode.BAD_JSON)


def test_a_partition_is_told_by_its_physical_id() -> None:
    assert decode_row({"u": NEW}, ptn=143).physical_table_id == 143


def test_members_that_other_releases_write_do_no_harm() -> None:
    assert decode_row({"u": NEW}, rid=5, new={"x": [1]}) == decode_row({"u": NEW})


def test_a_row_with_its_handle_key_alone_says_so() -> None:
    event = decode_row({"u": {"id": ident()}}, ohk=True)
    assert (event.lossy, image(event.after), event.claim_check) == (("*:handle_key_only",), {"id": "1"}, None)


@pytest.mark.parametrize(
    "members",
    [
        b'"ohk":true,"ohk":false,"ccl":"s3://bucket/folder/x.json"',
        b'"ccl":"s3://bucket/folder/x.json"',
        b'"ccl":"x.json","ohk":true',
    ],
)
def test_a_claim_check_says_so(members: bytes) -> None:
    key = to_bytes(row_key())[:-1] + b"," + members + b"}"
    for body in ({"u": {"id": ident()}}, {"u": {"id": ident()}, "p": {"id": ident()}}, {"d": {"id": ident()}}):
        (event,) = decode(*message((key, body)))
        assert (event.lossy, event.row_key, event.claim_check) == (("*:claim_check",), b'{"id":"1"}', "x.json")


def test_the_file_of_a_claim_check() -> None:
    key, value = message((row_key(), {"u": NEW}))
    file = to_bytes({"key": b64encode(key).decode(), "value": b64encode(value).decode()})
    assert claim_check.message_of(file) == (key, value)
    for no_key, want in ((b"null", None), (b'""', b"")):
        assert claim_check.message_of(b'{"key":' + no_key + b',"value":"YQ=="}') == (want, b"a")
    for raw in (b"", b"{", b"\x04\x22\x4d\x18", b'{"id":0,"value":"YQ=="}', b'{"key":"","value":"?"}', b"[" * 10_000):
        assert claim_check.message_of(raw) == (None, raw)


def test_a_batch_gives_its_events_in_order() -> None:
    keys = [row_key(ts=COMMIT_TS + place, tbl=f"t{place % 3}") for place in range(16)]
    events = decode(*message(*[(key, {"u": {"id": ident(place)}}) for place, key in enumerate(keys)]))
    assert [event.commit_ts for event in events] == [key["ts"] for key in keys]
    assert [event.row_key for event in events] == [b'{"id":"%d"}' % place for place in range(16)]


def test_a_bad_row_does_not_lose_the_others() -> None:
    bad: list[tuple[Any, Any, ErrorCode]] = [
        (row_key(), {"u": {"id": column(3, "x")}}, ErrorCode.BAD_VALUE),
        (row_key(), b"{", ErrorCode.BAD_JSON),
        (row_key(), b"", ErrorCode.EMPTY_VALUE),
        (b"{", {"u": NEW}, ErrorCode.BAD_JSON),
        (row_key(ts=None), {"u": NEW}, ErrorCode.BAD_SHAPE),
        (row_key(t=4), {"u": NEW}, ErrorCode.UNKNOWN_KIND),
    ]
    good = (row_key(), {"u": NEW})
    for key, body, code in bad:
        events = decode(*message(good, (key, body), good))
        assert [event.error_code for event in events] == [None, code, None]
        assert events[0] == events[2] == decode_row({"u": NEW})


def test_a_batch_without_entries_is_nothing_to_apply() -> None:
    for value in (None, b""):
        assert decode(VERSION, value) == [Event(Kind.BOOTSTRAP)]


def test_resolved() -> None:
    key = VERSION + frames([{"ts": COMMIT_TS, "t": 3}])
    for value in (bytes(8), b"", None):
        assert decode(key, value) == [Event(Kind.WATERMARK, commit_ts=COMMIT_TS)]
    for codec in ("snappy", "lz4"):
        assert decode(key, bytes(8), json.dumps({"compression": codec})) == [Event(Kind.WATERMARK, commit_ts=COMMIT_TS)]


@pytest.mark.parametrize("number", [1, 3, 14, 42, 61, 77])
def test_ddl(number: int) -> None:
    query = "CREATE TABLE `t` (`a` ENUM('three\\3') COMMENT 'it''s <b>')"
    (event,) = decode(*message((row_key(t=2), {"q": query, "t": number})))
    assert event == Event(
        Kind.DDL,
        commit_ts=COMMIT_TS,
        schema_name="shop",
        table_name="t",
        ddl_query=query,
        ddl_type=str(number),
    )


def test_ddl_of_a_database_has_an_empty_table_or_none() -> None:
    for table in ("", None):
        (event,) = decode(*message((row_key(t=2, tbl=table), {"q": "CREATE DATABASE `shop`", "t": 1})))
        assert (event.kind, event.schema_name, event.table_name) == (Kind.DDL, "shop", "")


@pytest.mark.parametrize("codec", ["snappy", "lz4"])
@pytest.mark.parametrize("size", [0, 1, 3_000_000])
def test_each_body_is_compressed_on_its_own(codec: str, size: int) -> None:
    def pack(body: bytes) -> bytes:
        return bytes(cramjam.snappy.compress_raw(body) if codec == "snappy" else cramjam.lz4.compress(body))

    body = {"u": {"id": ident(), "a": column(15, "x" * size)}}
    entries = ((row_key(), body), (row_key(t=2), {"q": "drop table t", "t": 4}), (row_key(), body))
    options = json.dumps({"compression": codec})
    packed = message(*entries, pack=pack)
    assert decode(*packed, options) == decode(*message(*entries))
    assert {event.error_code for event in decode(*message(*entries), options)} == {ErrorCode.BAD_COMPRESSION}
    broken = (
        packed[1][:-1] + bytes([packed[1][-1] ^ 0xFF]) if codec == "lz4" else packed[1][:8] + b"\xff" + packed[1][9:]
    )
    assert sum(event.kind == Kind.ERROR for event in decode(packed[0], broken, options)) <= 1


def test_rows_beyond_the_bound_of_a_batch_are_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ticdc_udfs.protocols.open_protocol.message.MAX_DECOMPRESSED_BYTES", 150)
    events = decode(*message(*[(row_key(), {"u": NEW})] * 3))
    assert [event.error_code for event in events] == [None, ErrorCode.TOO_LARGE, ErrorCode.TOO_LARGE]


HOSTILE = ["a`b", 'd"q', "it's", "a b", "a.b", "a,b", "$a", "\tx", "ключ", "表", "", "*:no_key", "\\", "\u2028"]


def test_hostile_names() -> None:
    columns = {name: column(15, "v", PRIMARY) for name in HOSTILE}
    event = decode_row({"u": columns, "p": columns}, scm='s`"', tbl="t\u2028'")
    assert (event.schema_name, event.table_name) == ('s`"', "t\u2028'")
    assert image(event.before) == image(event.after) == dict.fromkeys(HOSTILE, "v")
    assert list(image(event.row_key) or ()) == HOSTILE


BROKEN: list[tuple[bytes | None, bytes | None, ErrorCode]] = [
    (None, None, ErrorCode.BAD_FRAME),
    (b"", b"", ErrorCode.BAD_FRAME),
    (b"", to_bytes({"type": "INSERT"}), ErrorCode.BAD_FRAME),
    (b"\x00", b"", ErrorCode.BAD_FRAME),
    (bytes(7) + b"\x02", b"", ErrorCode.BAD_FRAME),
    (VERSION, bytes(8), ErrorCode.BAD_FRAME),
    (VERSION + b"\x00", b"", ErrorCode.BAD_FRAME),
    (VERSION + b"\xff" * 8, b"", ErrorCode.BAD_FRAME),
    (VERSION + b"\x7f" + b"\xff" * 7, b"", ErrorCode.BAD_FRAME),
    (message((row_key(), {"u": NEW}))[0], bytes(16), ErrorCode.BAD_FRAME),
    (message((row_key(), {"u": NEW}))[0][:-1], bytes(8), ErrorCode.BAD_FRAME),
    (message((row_key(), {"u": NEW}))[0], message((row_key(), {"u": NEW}))[1][:-1], ErrorCode.BAD_FRAME),
    (message((row_key(), {"u": NEW}))[0], None, ErrorCode.EMPTY_VALUE),
    (*message((row_key(t=2), b"{}")), ErrorCode.BAD_SHAPE),
    (*message((row_key(t=2), {"q": "x", "t": "1"})), ErrorCode.BAD_SHAPE),
    (*message((row_key(ts=-1), {"u": NEW})), ErrorCode.BAD_SHAPE),
    (*message((row_key(ts=2**63), {"u": NEW})), ErrorCode.BAD_SHAPE),
    (*message((b'{"ts":1,"t":1,"tbl":"\xff"}', {"u": NEW})), ErrorCode.NOT_UTF8),
    (*message((row_key(), b"[]")), ErrorCode.BAD_SHAPE),
    (*message((row_key(), {"u": {}})), ErrorCode.BAD_SHAPE),
    (*message((row_key(), {"p": OLD})), ErrorCode.BAD_SHAPE),
    (*message((row_key(), {"u": NEW, "p": {"nowhere": ident()}})), ErrorCode.BAD_SHAPE),
    (*message((row_key(), {"u": {"id": {"t": 3}}})), ErrorCode.BAD_SHAPE),
    (*message((row_key(), {"u": {"id": {"t": 3, "v": True}}})), ErrorCode.BAD_SHAPE),
    (*message((row_key(), {"u": {"id": {"t": 99, "v": 1}}})), ErrorCode.BAD_SHAPE),
    (*message((row_key(), {"u": {"v": column(15, 1)}})), ErrorCode.BAD_VALUE),
    (*message((row_key(), {"u": {"v": column(3, 1.5)}})), ErrorCode.BAD_VALUE),
    (*message((row_key(), {"u": {"v": column(5, "1.5")}})), ErrorCode.BAD_VALUE),
    (*message((row_key(), {"u": {"id": ident(), "v": column(252, "YQ")}})), ErrorCode.BAD_VALUE),
    (*message((row_key(), {"u": {"id": ident(), "v": column(252, "é", BINARY)}})), ErrorCode.BAD_VALUE),
]


@pytest.mark.parametrize(("key", "value", "code"), BROKEN, ids=range(len(BROKEN)))
def test_broken_messages(key: bytes | None, value: bytes | None, code: ErrorCode) -> None:
    (event,) = decode(key, value)
    assert (event.kind, event.error_code) == (Kind.ERROR, code), event.error_message
    assert event.error_message


def test_error_messages_hold_no_value_of_the_message() -> None:
    secret = "s3cr3t"
    for key, body in (
        (row_key(), {"u": {"c": column(3, secret)}}),
        (row_key(), {"u": {secret: {"t": secret, "v": 1}}}),
        (row_key(), {"u": {secret: {"t": 99, "v": secret}}}),
        (row_key(), {"u": NEW, "p": {secret: ident()}}),
        (row_key(), {"u": NEW, "p": {"t": 3, "f": 65, "v": secret}}),
        (row_key(), {"u": NEW, "p": {secret: 1}}),
        (row_key(t=secret), {"u": NEW}),
        (row_key(), to_bytes({"u": NEW}) + secret.encode()),
    ):
        (event,) = decode(*message((key, body)))
        assert event.kind == Kind.ERROR
        assert secret not in (event.error_message or "")
