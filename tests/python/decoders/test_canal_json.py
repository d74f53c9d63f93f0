"""Canal-JSON: the vectors, named cases, and every message of the corpus against the upstream's truth."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections import defaultdict
from collections.abc import Mapping
from functools import cache
from typing import Any

import cramjam
import orjson
import pytest
from support import truth as upstream
from support.corpus import VECTORS, Variant, first_row_ts, json_lines, plain, root, variants
from support.messages import COMMIT_TS, ddl_message, decode, row_message, to_bytes, watermark_message
from support.replay import Placed, current_rows

from ticdc_udfs.contract import arrow
from ticdc_udfs.contract.events import ErrorCode, Event, Kind
from ticdc_udfs.contract.schemas import Column, table_schema
from ticdc_udfs.protocols import canal_json
from ticdc_udfs.protocols.resolution import Row, resolve

VECTOR_LIST = list(json_lines(VECTORS))
NOT_DECODED = {
    "canal-json/tiflow/terminator-batch": ErrorCode.BAD_JSON,  # several objects: the content of a storage file
    "canal-json/tiflow/storage-writer-file": ErrorCode.BAD_SHAPE,  # hand-written, no mysqlType
    "canal-json/ticdc/storage-writer-file": ErrorCode.BAD_SHAPE,
}


def _image(text: str | bytes | None) -> dict[str, str | None] | None:
    return None if text is None else dict(orjson.loads(text))


@pytest.mark.parametrize("vector", [v for v in VECTOR_LIST if "value_b64" in v], ids=lambda v: v["id"])
def test_vector_messages(vector: Mapping[str, Any]) -> None:
    event = decode(b64decode(vector["value_b64"]))
    if vector["id"] in NOT_DECODED:
        assert (event.kind, event.error_code) == (Kind.ERROR, NOT_DECODED[vector["id"]])
        return
    expect = vector["expect"]
    wire = json.loads(b64decode(vector["value_b64"]))
    commit_ts = wire.get("_tidb", {}).get("watermarkTs") or wire.get("_tidb", {}).get("commitTs")
    assert event.kind == {"TIDB_WATERMARK": "watermark"}.get(expect["type"], "ddl" if wire["isDdl"] else "row")
    assert event.commit_ts == (wire["es"] << 18 if commit_ts is None else commit_ts)
    assert event.commit_ts_exact is (commit_ts is not None)
    if event.kind == "watermark":
        assert (event.schema_name, event.table_name) == (None, None)
        return
    assert (event.schema_name, event.table_name) == (wire["database"], wire["table"])
    if event.kind == "ddl":
        assert (event.ddl_query, event.ddl_type) == (wire["sql"], expect["type"])
        return
    assert event.op == expect["type"].lower()
    assert _image(event.after) == expect["after"]
    if "before" in expect:
        assert _image(event.before) == expect["before"]
    assert _image(event.row_key) == {name: wire["data"][0][name] for name in wire["pkNames"]}


@pytest.mark.parametrize("vector", [v for v in VECTOR_LIST if v.get("kind") == "fragment"], ids=lambda v: v["id"])
def test_fragments_of_the_documentation(vector: Mapping[str, Any]) -> None:
    """Elided samples, completed by the members they leave out."""
    fragment = vector["expect"]["fragment"]
    data = fragment["data"][0] or {name: "1" for name in fragment["mysqlType"]}
    message = row_message(data) | {**fragment, "data": [data], "mysqlType": dict.fromkeys(data, "int")}
    event = decode(message | {"type": fragment.get("type", "INSERT")})
    assert event.kind == Kind.ROW
    old = (fragment.get("old") or [None])[0]
    if event.op == "update":
        assert _image(event.before) == {**data, **old}
    if event.op == "delete":
        assert (_image(event.before), event.after) == (data, None)


@pytest.mark.parametrize(
    "vector", [v for v in VECTOR_LIST if v["id"].startswith("misc/canal-mysqltype/")], ids=lambda v: v["id"]
)
def test_both_forms_of_every_mysql_type(vector: Mapping[str, Any]) -> None:
    plain_type, full_type = (vector["expect"][f"mysqlType_{form}"] for form in ("default", "content_compatible"))
    for column_type in (plain_type, full_type):
        text = "2020-01-01 00:00:00" if column_type.startswith("timestamp") else "1"
        event = decode(row_message({"id": "1", "v": text}, {"v": column_type}))
        want = {"enum('a','b','c')": "a", "set('a','b','c')": "a"}.get(column_type, text)
        if "binary" in column_type or "blob" in column_type:
            want = b64encode(b"1").decode()
        assert _image(event.after) == {"id": "1", "v": want}
        assert event.lossy == (("v:label_unknown",) if column_type in ("enum", "set") else ())
        assert [column["type"] for column in orjson.loads(event.table_schema or b"")] == ["varchar", column_type]


@pytest.mark.parametrize(
    "vector", [v for v in VECTOR_LIST if v["id"].startswith("misc/canal-sqltype/")], ids=lambda v: v["id"]
)
def test_values_of_the_encoders_type_table(vector: Mapping[str, Any]) -> None:
    column_type, value = vector["expect"]["mysqlType"], vector["expect"]["value"]
    binary = "binary" in column_type or "blob" in column_type
    canonical = None if value is None else str(value)
    wire = canonical.encode().decode("latin-1") if binary and canonical is not None else canonical
    event = decode(row_message({"id": "1", "v": wire}, {"v": column_type}))
    want = b64encode(canonical.encode()).decode() if binary and canonical is not None else canonical
    assert _image(event.after) == {"id": "1", "v": want}


def test_every_vector_is_a_case() -> None:
    types = ("misc/canal-mysqltype/", "misc/canal-sqltype/")
    for vector in VECTOR_LIST:
        assert "value_b64" in vector or vector.get("kind") == "fragment" or vector["id"].startswith(types), vector["id"]


NEW, OLD = {"id": "1", "a": "x", "b": None}, {"id": "1", "a": "y", "b": "z"}


def test_insert() -> None:
    event = decode(row_message(NEW))
    assert (event.kind, event.op, event.before, _image(event.after)) == (Kind.ROW, "insert", None, NEW)
    assert (event.schema_name, event.table_name, event.row_key) == ("shop", "t", b'{"id":"1"}')
    assert (event.commit_ts, event.commit_ts_exact, event.before_key, event.lossy) == (COMMIT_TS, True, None, ())


@pytest.mark.parametrize(
    ("old", "before"),
    [([OLD], OLD), ([{"a": "y", "b": "z"}], OLD), ([{"b": "z"}], {**NEW, "b": "z"}), ([{}], NEW)],
    ids=["full", "changed columns", "a NULL that had a value", "empty"],
)
def test_old_images_of_updates(old: Any, before: Mapping[str, str | None]) -> None:
    event = decode(row_message(NEW, type="UPDATE", old=old))
    assert (event.op, _image(event.before), _image(event.after), event.before_key) == ("update", before, NEW, None)


@pytest.mark.parametrize("old", [None, []], ids=["null", "empty list"])
def test_an_update_without_old_image(old: Any) -> None:
    event = decode(row_message(NEW, type="UPDATE", old=old))
    assert (event.op, event.before, _image(event.after)) == ("update", None, NEW)


def test_an_update_whose_old_member_is_absent() -> None:
    message = row_message(NEW, type="UPDATE")
    del message["old"]
    event = decode(message)
    assert (event.op, event.before, _image(event.after)) == ("update", None, NEW)


@pytest.mark.parametrize("old", [None, [OLD]], ids=["v5.4 and later", "before v5.4 old repeats data"])
def test_delete(old: Any) -> None:
    event = decode(row_message(OLD, type="DELETE", old=old))
    assert (event.op, _image(event.before), event.after, event.row_key) == ("delete", OLD, None, b'{"id":"1"}')


def test_a_delete_of_key_columns_alone() -> None:
    event = decode(row_message({"id": "1"}, type="DELETE"))
    assert (_image(event.before), event.after) == ({"id": "1"}, None)


def test_an_update_that_moves_the_row_names_both_keys() -> None:
    data = {"a": "1", "b": "2", "c": "x"}
    event = decode(row_message(data, type="UPDATE", old=[{**data, "b": "1"}], key=["b", "a"]))
    assert (event.row_key, event.before_key) == (b'{"b":"2","a":"1"}', b'{"b":"1","a":"1"}')
    partial = decode(row_message(data, type="UPDATE", old=[{"b": "1"}], key=["b", "a"]))
    assert (partial.row_key, partial.before_key) == (event.row_key, event.before_key)


@pytest.mark.parametrize("key", [[], None], ids=["empty", "null"])
def test_without_primary_key_the_whole_row_is_the_key(key: list[str] | None) -> None:
    event = decode(row_message(NEW, type="UPDATE", old=[OLD], key=key))
    assert event.lossy == ("*:no_key",)
    assert (_image(event.row_key), _image(event.before_key)) == (NEW, OLD)


@pytest.mark.parametrize("key", [["nowhere"], ["id", "nowhere"]])
def test_without_a_column_of_the_primary_key_the_whole_row_is_the_key(key: list[str]) -> None:
    """Column selectors may leave the primary key out where a unique key stays (facts 2); part of it is no key."""
    event = decode(row_message(NEW, type="UPDATE", old=[OLD], key=key))
    assert event._replace(table_schema=None) == decode(row_message(NEW, type="UPDATE", old=[OLD], key=[]))._replace(
        table_schema=None
    )
    assert event.lossy == ("*:no_key",)
    assert {column["key"] for column in orjson.loads(event.table_schema or b"")} == {None}


@pytest.mark.parametrize(("key", "found"), [(["nowhere"], []), (["id", "nowhere"], []), (["a"], ["a"])])
def test_a_row_without_its_primary_key_takes_the_tables_key_where_it_has_all_of_it(
    key: list[str], found: list[str]
) -> None:
    """The table's key is its primary key, or else a unique one."""
    event = decode(row_message(NEW, type="UPDATE", old=[OLD], key=["nowhere"]))
    columns = [Column(name, "varchar", key.index(name) + 1 if name in key else None) for name in (*NEW, "nowhere")]
    row = Row(event.row_key, event.before_key, event.before, event.after, event.lossy)
    known = resolve(row, "canal_json", table_schema(columns).text.decode(), "{}", None)
    names = found or list(NEW)
    assert _image(known.row_key) == {name: NEW[name] for name in names}
    assert known.lossy == (() if found else ("*:no_key",))


def test_the_table_schema_tells_columns_types_and_key_places() -> None:
    message = row_message({"b": "1", "a": "2", "c": "3"}, {"a": "int(10) unsigned"}, key=["c", "b"])
    schema = orjson.loads(decode(message).table_schema or b"")
    assert [tuple(column[member] for member in ("name", "type", "key")) for column in schema] == [
        ("b", "varchar", 2),
        ("a", "int(10) unsigned", None),
        ("c", "varchar", 1),
    ]
    shuffled = {**message, "mysqlType": dict(reversed(list(message["mysqlType"].items())))}
    other = {**message, "mysqlType": {**message["mysqlType"], "a": "int"}}
    ids = [decode(each).table_schema_id for each in (message, shuffled, other)]
    assert ids[0] == ids[1] != ids[2]


def test_commit_ts_beyond_doubles_is_exact() -> None:
    for commit_ts in (2**53 + 1, 470610923863932929, 2**63 - 1):
        assert decode(row_message(NEW, tidb={"commitTs": commit_ts})).commit_ts == commit_ts


def test_without_extension_the_commit_is_known_to_the_millisecond() -> None:
    row, ddl = row_message(NEW), ddl_message("drop table t", "ERASE")
    for message in (row, ddl):
        del message["_tidb"]
        event = decode(message)
        assert (event.commit_ts, event.commit_ts_exact) == (message["es"] << 18, False)


def test_members_that_other_releases_write_do_no_harm() -> None:
    extension = {"commitTs": COMMIT_TS, "rowkey": "dIAA", "tableId": 9, "partitionId": 10, "new": {"x": [1]}}
    assert _image(decode(row_message(NEW, tidb=extension, added=[1, {"x": 2}])).after) == NEW
    message = row_message(NEW)
    data_first = {name: message[name] for name in reversed(message)}
    assert decode(data_first) == decode(message)


def test_watermark() -> None:
    event = decode(watermark_message(470610923774279681))
    assert event == Event(Kind.WATERMARK, commit_ts=470610923774279681)


DDL_WORDS = ["CREATE", "RENAME", "CINDEX", "DINDEX", "ERASE", "TRUNCATE", "ALTER", "QUERY"]


@pytest.mark.parametrize("word", DDL_WORDS)
def test_ddl_words(word: str) -> None:
    event = decode(ddl_message("alter table `t` comment 'x'", word))
    assert (event.kind, event.ddl_type, event.ddl_query) == (Kind.DDL, word, "alter table `t` comment 'x'")
    assert (event.schema_name, event.table_name, event.commit_ts) == ("shop", "t", COMMIT_TS)


def test_ddl_of_a_database_has_an_empty_table() -> None:
    event = decode(ddl_message("CREATE DATABASE `shop`", "QUERY", table=""))
    assert (event.kind, event.schema_name, event.table_name) == (Kind.DDL, "shop", "")


def test_a_row_with_its_handle_key_alone_says_so() -> None:
    event = decode(row_message({"id": "1"}, tidb={"commitTs": COMMIT_TS, "onlyHandleKey": True}))
    assert (event.lossy, _image(event.after)) == (("*:handle_key_only",), {"id": "1"})


def test_a_claim_check_says_so() -> None:
    extension = {"commitTs": COMMIT_TS, "claimCheckLocation": "s3://bucket/folder/x.json"}
    for type in ("INSERT", "UPDATE", "DELETE"):
        old = [{"id": "1"}] if type == "UPDATE" else None
        event = decode(row_message({"id": "1"}, type=type, old=old, tidb=extension))
        assert (event.lossy, event.row_key, event.claim_check) == (("*:claim_check",), b'{"id":"1"}', "x.json")


def _packed(value: bytes, codec: str) -> bytes:
    return bytes(cramjam.snappy.compress_raw(value) if codec == "snappy" else cramjam.lz4.compress(value))


@pytest.mark.parametrize("codec", ["snappy", "lz4"])
@pytest.mark.parametrize("size", [0, 1, 65_536, 3_000_000])
def test_compressed_values(codec: str, size: int) -> None:
    message = row_message({"id": "1", "a": "x" * size})
    options = json.dumps({"compression": codec})
    assert decode(_packed(to_bytes(message), codec), options) == decode(message)


@pytest.mark.parametrize(("codec", "other"), [("snappy", "lz4"), ("lz4", "snappy"), ("snappy", ""), ("lz4", "")])
def test_a_value_of_another_compression_is_told(codec: str, other: str) -> None:
    plain_bytes = to_bytes(row_message(NEW))
    value = _packed(plain_bytes, other) if other else plain_bytes
    event = decode(value, json.dumps({"compression": codec}))
    assert event.error_code == ErrorCode.BAD_COMPRESSION


def _value(text: str | None, column_type: str, options: str = "{}") -> tuple[str | None, tuple[str, ...]]:
    event = decode(row_message({"id": "1", "v": text}, {"v": column_type}), options)
    assert event.kind == Kind.ROW, event.error_message
    return orjson.loads(event.after or b"")["v"], event.lossy


@pytest.mark.parametrize("column_type", ["binary(4)", "binary", "varbinary(9)", "tinyblob", "blob", "longblob"])
def test_binary_comes_as_latin_1_and_becomes_base64(column_type: str) -> None:
    data = bytes(range(256))
    assert _value(data.decode("latin-1"), column_type) == (b64encode(data).decode(), ())
    assert _value("", column_type) == ("", ())
    assert _value(None, column_type) == (None, ())


@pytest.mark.parametrize(
    ("column_type", "text"),
    [
        ("bigint unsigned", "18446744073709551615"),
        ("bigint", "-9223372036854775808"),
        ("decimal(65,30)", "-0.000000000000000000000000000001"),
        ("bit(64)", "18446744073709551615"),
        ("double", "179769313486231570000000000000000000000"),
        ("float", "3.14"),
        ("time(6)", "-838:59:59.000000"),
        ("date", "0000-00-00"),
        ("datetime(3)", "2024-00-15 00:00:00.000"),
        ("timestamp", "0000-00-00 00:00:00"),
        ("json", '{"key1": "value1"}'),
        ("json", "null"),
        ("varchar(4)", "null"),
        ("varchar(4)", ""),
        ("varchar(4)", "NULL"),
        ("text", 'a\u2028b\u2029c\x00d\r\n\t"\\ <&> \U0001f69a \u0085'),
        ("vector(3)", "[1,2.5,-30000000000]"),
        ("year", "2155"),
    ],
)
def test_text_that_stays(column_type: str, text: str) -> None:
    assert _value(text, column_type) == (text, ())


@pytest.mark.parametrize("column_type", ["year", "year(4)"])
def test_the_zero_year_has_four_digits(column_type: str) -> None:
    assert _value("0", column_type) == ("0000", ())


ZONE = json.dumps({"time_zone": "Europe/Berlin"})


@pytest.mark.parametrize(
    ("column_type", "text", "want", "flags"),
    [
        ("timestamp", "2024-07-01 12:00:00", "2024-07-01 10:00:00", ()),
        ("timestamp(3)", "2024-01-01 00:30:00.120", "2023-12-31 23:30:00.120", ()),
        ("timestamp", "0000-00-00 00:00:00", "0000-00-00 00:00:00", ()),
        ("timestamp", "2024-10-27 02:30:00", "2024-10-27 00:30:00", ("v:ambiguous_time",)),
        ("datetime", "2024-10-27 02:30:00", "2024-10-27 02:30:00", ()),
        ("datetime(6)", "2024-07-01 12:00:00.000001", "2024-07-01 12:00:00.000001", ()),
        ("date", "2024-07-01", "2024-07-01", ()),
        ("time", "12:00:00", "12:00:00", ()),
        ("varchar(30)", "2024-07-01 12:00:00", "2024-07-01 12:00:00", ()),
    ],
)
def test_the_time_zone_moves_timestamp_alone(column_type: str, text: str, want: str, flags: tuple[str, ...]) -> None:
    assert _value(text, column_type, ZONE) == (want, flags)


@pytest.mark.parametrize(
    ("column_type", "number", "label"),
    [
        ("enum('a','b')", "2", "b"),
        ("enum('a','b')", "0", ""),
        ("enum('it''s','\"q\"','c,d','')", "1", "it's"),
        ("set('a','b','c')", "5", "a,c"),
        ("set('a','b','c')", "0", ""),
        ("set(" + ",".join(f"'m{place}'" for place in range(64)) + ")", str(2**63 + 1), "m0,m63"),
    ],
)
def test_labels_by_content_compatible_types(column_type: str, number: str, label: str) -> None:
    assert _value(number, column_type) == (label, ())


@pytest.mark.parametrize("column_type", ["enum", "set"])
def test_without_labels_the_number_stays_and_is_flagged(column_type: str) -> None:
    assert _value("3", column_type) == ("3", ("v:label_unknown",))
    assert _value(None, column_type) == (None, ())


def test_escaped_replacement_is_invalid_utf8_and_a_literal_one_is_not() -> None:
    """The encoder writes `\\ufffd` for bytes that are no UTF-8; a true U+FFFD goes through as it is."""

    def flags(text_on_wire: bytes, **members: Any) -> tuple[str, ...]:
        value = to_bytes(row_message({"id": "1", "a": "MARK", "b": "fine"}, **members))
        event = decode(value.replace(b"MARK", text_on_wire))
        assert event.kind == Kind.ROW
        return event.lossy

    assert flags(rb"x\ufffdy") == ("a:invalid_utf8",)
    assert flags(rb"x\uFFFDy") == ("a:invalid_utf8",)
    assert flags("x\ufffdy".encode()) == ()
    assert flags(rb"x\\ufffdy") == ()
    assert flags(rb"x\\\ufffdy") == ("a:invalid_utf8",)
    assert flags(rb"\ufffd\ufffd") == ("a:invalid_utf8",)
    assert flags(b"same", type="UPDATE", old=[{"b": "before"}]) == ()


def test_html_escapes_and_line_separators_are_text() -> None:
    value = to_bytes(row_message({"id": "1", "a": "MARK"})).replace(
        b"MARK", rb"\u003cb\u003e\u0026" + "\u2028".encode()
    )
    assert _image(decode(value).after) == {"id": "1", "a": "<b>&\u2028"}


HOSTILE = [
    "a`b",
    'd"q',
    "it's",
    "a b",
    "a.b",
    "a,b",
    "a/b",
    "$a",
    "100%",
    "\tx",
    "ключ",
    "表",
    "A",
    "",
    "*:no_key",
    "\\",
]


def test_hostile_names() -> None:
    data = dict.fromkeys(HOSTILE, "v") | {"id": "1"}
    event = decode(row_message(data, key=HOSTILE, database='s`"', table="t\u2028'"))
    assert (event.schema_name, event.table_name) == ('s`"', "t\u2028'")
    assert _image(event.after) == data
    assert list(orjson.loads(event.row_key or b"")) == HOSTILE
    assert [column["name"] for column in orjson.loads(event.table_schema or b"")] == list(data)


BROKEN = [
    (None, ErrorCode.EMPTY_VALUE),
    (b"", ErrorCode.EMPTY_VALUE),
    (b"{", ErrorCode.BAD_JSON),
    (b"\xff\xfe", ErrorCode.BAD_JSON),
    (to_bytes(row_message(NEW)) + b"{}", ErrorCode.BAD_JSON),
    (b'{"x":' + b"[" * 100_000, ErrorCode.BAD_JSON),
    (b"[]", ErrorCode.BAD_SHAPE),
    (b"null", ErrorCode.BAD_SHAPE),
    (b"{}", ErrorCode.BAD_SHAPE),
    (to_bytes(row_message(NEW)).replace(b'"x"', b'"\xff"'), ErrorCode.NOT_UTF8),
    (to_bytes(row_message(NEW, type="UPSERT")), ErrorCode.UNKNOWN_KIND),
    (to_bytes(row_message(NEW, data=[])), ErrorCode.BAD_SHAPE),
    (to_bytes(row_message(NEW, data=None)), ErrorCode.BAD_SHAPE),
    (to_bytes(row_message(NEW, data=[NEW, OLD])), ErrorCode.BAD_SHAPE),
    (to_bytes(row_message(NEW, data=[{"id": 1}])), ErrorCode.BAD_SHAPE),
    (to_bytes(row_message(NEW, mysqlType=None)), ErrorCode.BAD_SHAPE),
    (to_bytes(row_message(NEW, mysqlType={"id": "int"})), ErrorCode.BAD_SHAPE),
    (to_bytes(row_message(NEW, type="UPDATE", old=[{"nowhere": "1"}])), ErrorCode.BAD_SHAPE),
    (to_bytes(row_message(NEW, type="UPDATE", old=[OLD, OLD])), ErrorCode.BAD_SHAPE),
    (to_bytes(row_message(NEW, tidb={"commitTs": -1})), ErrorCode.BAD_SHAPE),
    (to_bytes(row_message(NEW, tidb={"commitTs": 2**64})), ErrorCode.BAD_SHAPE),
    (to_bytes(row_message(NEW, tidb={"commitTs": 1.5})), ErrorCode.BAD_SHAPE),
    (to_bytes(row_message(NEW, tidb={"commitTs": "1"})), ErrorCode.BAD_SHAPE),
    (to_bytes(row_message(NEW, es=2**62)), ErrorCode.BAD_SHAPE),
    (to_bytes(watermark_message(1, _tidb={})), ErrorCode.BAD_SHAPE),
    (to_bytes(row_message({"id": "1", "v": "测"}, {"v": "blob"})), ErrorCode.BAD_VALUE),
    (to_bytes(row_message({"id": "1", "v": "9"}, {"v": "enum('a')"})), ErrorCode.BAD_VALUE),
    (to_bytes(row_message({"id": "1", "v": "x"}, {"v": "set('a')"})), ErrorCode.BAD_VALUE),
]


@pytest.mark.parametrize(("value", "code"), BROKEN, ids=range(len(BROKEN)))
def test_broken_messages(value: bytes | None, code: ErrorCode) -> None:
    event = decode(value)
    assert (event.kind, event.error_code) == (Kind.ERROR, code), event.error_message
    assert event.error_message


def test_a_bad_timestamp_is_a_bad_value() -> None:
    event = decode(row_message({"id": "1", "v": "soon"}, {"v": "timestamp"}), ZONE)
    assert event.error_code == ErrorCode.BAD_VALUE


@pytest.mark.parametrize(
    "options", ["{", "[]", '{"compression":"gzip"}', '{"time_zone":"Mars/Olympus"}', '{"compresion":"lz4"}']
)
def test_bad_options_are_told(options: str) -> None:
    assert decode(row_message(NEW), options).error_code == ErrorCode.BAD_OPTIONS


def test_error_messages_hold_no_value_of_the_message() -> None:
    secret = "s3cr3t"
    for message in (
        row_message({"id": "1", "v": secret}, {"v": "enum('a')"}),
        row_message({"id": "1", "v": "测" + secret}, {"v": "blob"}),
        row_message({"id": "1"}, type="UPDATE", old=[{secret: "1"}]),
        row_message({"id": "1"}, data=[{secret: 1}]),
        row_message({"id": "1"}, type=secret),
    ):
        event = decode(message)
        assert event.kind == Kind.ERROR
        assert secret not in (event.error_message or "")
    assert secret not in (decode(secret.encode()).error_message or "")


@cache
def _upstream() -> tuple[upstream.Truth, dict[upstream.TableName, str]]:
    """The truth, and the tables that a DDL changed after their first row."""
    found = upstream.load(root())
    return found, found.changed_by_ddl(first_row_ts(plain().records))


@cache
def _decoded(variant: Variant) -> tuple[Placed, ...]:
    options = variant.options_text
    events = []
    for record in variant.records:
        (event,) = arrow.decode_message(canal_json.decode, record.key, record.value, options)
        events.append(Placed(event, record.partition, record.offset))
    return tuple(events)


ALL = pytest.mark.parametrize("variant", variants(), ids=lambda variant: variant.name)


@ALL
def test_every_message_of_the_corpus_decodes(variant: Variant) -> None:
    errors = [placed for placed in _decoded(variant) if placed.event.kind == Kind.ERROR]
    assert errors == []
    rows = [placed.event for placed in _decoded(variant) if placed.event.kind == Kind.ROW]
    assert {event.commit_ts_exact for event in rows} == {variant.has_extension}
    assert any(placed.event.kind == Kind.WATERMARK for placed in _decoded(variant)) is variant.has_extension


@ALL
def test_current_rows_of_the_corpus_equal_the_truth(variant: Variant) -> None:
    truth, changed = _upstream()
    rows = current_rows(_decoded(variant))
    tally = upstream.Tally()
    for name, table in truth.tables.items():
        if table.primary_key and name not in changed:
            tally.add(upstream.compare(table, rows.get(name, {}).values()))
    print(f"{variant.name}: {tally.tables} tables, {tally.cells} cells, {tally.flagged} flagged, {tally.wrong} wrong")
    assert tally.right, "\n".join(tally.details)
    assert tally.tables > 50


@cache
def _changes() -> dict[tuple[str, str, int], list[Mapping[str, upstream.Cell]]]:
    """Every row image of the true change log, by schema, table and commit; and by its millisecond."""
    images: dict[tuple[str, str, int], list[Mapping[str, upstream.Cell]]] = defaultdict(list)
    for change in json_lines(root() / "truth" / "changes.jsonl"):
        for commit in (change["commit_ts"], change["commit_ts"] >> 18):
            images[change["schema"], change["table"], commit] += [
                image for image in (change["before"], change["after"]) if image is not None
            ]
    return images


@ALL
def test_every_row_image_of_the_corpus_is_in_the_true_change_log(variant: Variant) -> None:
    images = _changes()
    key_alone = bool(variant.meta["delete_only_output_handle_key_columns"])
    cells = 0
    for event in (placed.event for placed in _decoded(variant)):
        if event.kind != Kind.ROW:
            continue
        types = {column["name"]: column["type"] for column in orjson.loads(event.table_schema or b"")}
        commit = (event.commit_ts or 0) if event.commit_ts_exact else (event.commit_ts or 0) >> 18
        candidates = images[event.schema_name or "", event.table_name or "", commit]
        partial = (key_alone and event.op == "delete") or not upstream.KEY_ONLY_FLAGS.isdisjoint(event.lossy)
        for text in filter(None, (event.before, event.after)):
            row = upstream.Row(orjson.loads(text), event.lossy)
            cells += len(row.image)
            assert any(
                (partial or row.image.keys() == true.keys()) and _is_true(row, true, types) for true in candidates
            ), f"{event.schema_name}.{event.table_name} at {event.commit_ts}: no true row is {row}"[:2000]
    assert cells > 20_000


def _is_true(row: upstream.Row, true: Mapping[str, upstream.Cell | None], types: Mapping[str, str]) -> bool:
    for column, text in row.image.items():
        cell = true[column] or {"text": None}
        if row.unlabelled(column):
            right = text == cell.get("num")
        else:
            right = f"{column}:invalid_utf8" in row.lossy or upstream.equal(cell, types[column], text)
        if not right:
            return False
    return True
