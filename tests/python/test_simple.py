"""Simple: the vectors, named cases in both encodings, and every message of the corpus against canal-json's."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections import Counter, defaultdict
from collections.abc import Mapping
from functools import cache
from typing import Any

import cramjam
import pyarrow as pa
import pytest
from support.corpus import DATA, Variant, json_lines, root
from support.simple import (
    COMMIT_TS,
    VERSION,
    Finished,
    SimpleVariant,
    Single,
    Unsigned,
    bootstrap_message,
    column,
    columns_of,
    ddl_message,
    decode,
    finished,
    image_text,
    index,
    row_message,
    schema_of,
    to_avro,
    to_json,
    variants,
    watermark_message,
)

from ticdc_udfs import arrow, claim_check
from ticdc_udfs.events import ErrorCode, Event, Kind
from ticdc_udfs.protocols import canal_json, simple

VECTORS = DATA / "vectors" / "simple.jsonl"
SEED_VECTORS = DATA / "vectors" / "seed_docs_simple.jsonl"
BOTH = pytest.mark.parametrize("encoding", ["json", "avro"])


def _image(text: bytes | None) -> dict[str, str | None] | None:
    return None if text is None else dict(json.loads(text))


@pytest.mark.parametrize(
    "vector", [v for v in json_lines(SEED_VECTORS) if v["kind"] == "message"], ids=lambda v: v["id"]
)
def test_messages_of_the_documentation(vector: Mapping[str, Any]) -> None:
    expect, event = vector["expect"], decode(b64decode(vector["value_b64"]))
    wire = json.loads(b64decode(vector["value_b64"]))
    if event.kind == Kind.ROW:
        assert event.op == expect["type"].lower()
        assert (event.schema_name, event.table_name) == (expect["database"], expect["table"])
        assert (event.physical_table_id, event.table_schema_id) == (expect["tableID"], expect["schemaVersion"])
        assert (_image(event.after), _image(event.before)) == (expect.get("data"), expect.get("old"))
    if event.kind in (Kind.DDL, Kind.BOOTSTRAP):
        schema = wire["tableSchema"]
        assert (event.schema_name, event.table_name) == (schema["schema"], schema["table"])
        assert event.table_schema_id == schema["version"]
        assert [each.name for each in columns_of(event.table_schema)] == [each["name"] for each in schema["columns"]]
    assert event.kind == {"WATERMARK": "watermark", "BOOTSTRAP": "bootstrap", "ALTER": "ddl"}.get(expect["type"], "row")
    assert event.commit_ts == (None if event.kind == Kind.BOOTSTRAP else expect["commitTs"])
    assert (event.ddl_type, event.ddl_query) == (("ALTER", wire["sql"]) if event.kind == Kind.DDL else (None, None))


FRAGMENTS = [v for path in (VECTORS, SEED_VECTORS) for v in json_lines(path) if v["kind"].endswith("-schema")]


def _completed(vector: Mapping[str, Any]) -> dict[str, Any]:
    """The table schema of a fragment: the members that it leaves out are those of any table."""
    expect, kind = vector["expect"], vector["kind"]
    if kind == "column-schema":
        return schema_of([expect])
    if kind == "index-schema":
        return schema_of([column(name, "int") for name in expect["columns"]], [expect])
    return schema_of([], None) | expect.get("tableSchema", expect)


@BOTH
@pytest.mark.parametrize("vector", FRAGMENTS, ids=lambda v: v["id"])
def test_table_schemas_of_the_vectors(vector: Mapping[str, Any], encoding: str) -> None:
    wire = _completed(vector)
    event = decode(bootstrap_message(wire), encoding)
    assert event.kind == Kind.BOOTSTRAP, event.error_message
    columns = columns_of(event.table_schema)
    primary = next(each["columns"] for each in wire["indexes"] if each["primary"])
    assert [each.name for each in columns if each.key] == primary
    for got, sent in zip(columns, wire["columns"], strict=True):
        assert (got.name, got.nullable, got.default) == (sent["name"], sent["nullable"], sent["default"])
        kind = sent["dataType"]
        assert got.type.startswith(kind["mysqlType"])
        assert ("unsigned" in got.type) is (bool(kind.get("unsigned")) and kind["mysqlType"] not in ("bit", "year"))


def test_the_vectors_row_that_comes_before_its_schema() -> None:
    """Its number is no text, as an encoder between releases wrote it."""
    (vector,) = (v for v in json_lines(VECTORS) if v["kind"] == "message-sequence")
    row, create = (decode(message) for message in vector["expect"]["messages_in_order"])
    assert (row.kind, row.commit_ts, row.physical_table_id, row.table_schema_id) == (Kind.ROW, 90, 1, 100)
    assert (create.kind, create.ddl_type, create.table_schema_id) == (Kind.DDL, "CREATE", 100)
    assert [(r.key, r.after) for r in finished([row, create])] == [({"id": "1"}, {"id": "1"})]


def test_every_vector_is_a_case() -> None:
    kinds = Counter(v["kind"] for path in (VECTORS, SEED_VECTORS) for v in json_lines(path))
    assert set(kinds) == {"message", "message-sequence", "table-schema", "column-schema", "index-schema"}


NEW, OLD = {"id": "1", "a": "x", "b": None}, {"id": "1", "a": "y", "b": "z"}


@BOTH
def test_rows(encoding: str) -> None:
    insert = decode(row_message(NEW), encoding)
    update = decode(row_message(NEW, type="UPDATE", old=OLD), encoding)
    delete = decode(row_message(type="DELETE", old=OLD), encoding)
    assert [(e.kind, e.op) for e in (insert, update, delete)] == [
        (Kind.ROW, "insert"),
        (Kind.ROW, "update"),
        (Kind.ROW, "delete"),
    ]
    assert [(_image(e.before), _image(e.after)) for e in (insert, update, delete)] == [
        (None, NEW),
        (OLD, NEW),
        (OLD, None),
    ]
    for event in (insert, update, delete):
        assert (event.schema_name, event.table_name, event.physical_table_id) == ("shop", "t", 154)
        assert (event.commit_ts, event.commit_ts_exact, event.start_ts) == (COMMIT_TS, True, None)
        assert (event.table_schema_id, event.table_schema, event.lossy) == (VERSION, None, ("*:no_schema",))
        assert (event.checksum, event.claim_check, event.row_key, event.before_key) == (None, None, None, None)


def test_a_partial_old_image_is_completed_from_the_new_one() -> None:
    event = decode(row_message(NEW, type="UPDATE", old={"b": "z"}))
    assert _image(event.before) == {**NEW, "b": "z"}


@BOTH
@pytest.mark.parametrize(
    "message",
    [
        row_message(None),
        row_message(NEW, old=OLD),
        row_message(NEW, type="UPDATE"),
        row_message(type="UPDATE", old=OLD),
        row_message(NEW, type="DELETE"),
        row_message(NEW, type="DELETE", old=OLD),
    ],
    ids=["insert of none", "insert with old", "update without old", "without data", "delete of new", "delete of both"],
)
def test_images_that_do_not_fit_the_type(message: Mapping[str, Any], encoding: str) -> None:
    assert decode(message, encoding).error_code == ErrorCode.BAD_SHAPE


def test_commit_ts_and_versions_beyond_doubles_are_exact() -> None:
    for number in (2**53 + 1, 470610923863932929, 2**63 - 1):
        for encoding in ("json", "avro"):
            event = decode(row_message(NEW, commitTs=number, schemaVersion=number), encoding)
            assert (event.commit_ts, event.table_schema_id) == (number, number)


def test_start_ts_where_an_encoder_sends_it() -> None:
    assert decode(row_message(NEW, startTs=468651996400058379)).start_ts == 468651996400058379
    assert decode(row_message(NEW, startTs=0)).start_ts is None


def test_members_that_other_releases_write_do_no_harm() -> None:
    assert decode(row_message(NEW, added=[1, {"x": 2}])) == decode(row_message(NEW))


@BOTH
def test_watermark(encoding: str) -> None:
    assert decode(watermark_message(COMMIT_TS), encoding) == Event(Kind.WATERMARK, commit_ts=COMMIT_TS)


SCHEMA = schema_of([column("id", "int", nullable=False, length=11), column("v", "varchar", "it's", length=40)])


@BOTH
@pytest.mark.parametrize("word", ["CREATE", "RENAME", "CINDEX", "DINDEX", "ERASE", "TRUNCATE", "ALTER", "QUERY"])
def test_every_ddl_word_bears_its_table_schema(word: str, encoding: str) -> None:
    event = decode(ddl_message("ALTER TABLE `t` …", word, SCHEMA), encoding)
    assert (event.kind, event.ddl_type, event.ddl_query) == (Kind.DDL, word, "ALTER TABLE `t` …")
    assert (event.schema_name, event.table_name, event.physical_table_id) == ("shop", "t", 154)
    assert (event.commit_ts, event.table_schema_id) == (COMMIT_TS, VERSION)
    assert event.table_schema == decode(bootstrap_message(SCHEMA), encoding).table_schema
    assert json.loads(event.table_schema or b"") == [
        {"name": "id", "type": "int(11)", "key": 1, "nullable": False},
        {"name": "v", "type": "varchar(40)", "key": None, "nullable": True, "default": "it's"},
    ]


@BOTH
def test_ddl_of_a_database_has_no_table_schema(encoding: str) -> None:
    event = decode(ddl_message("CREATE DATABASE `shop`", "QUERY"), encoding)
    assert event == Event(Kind.DDL, commit_ts=COMMIT_TS, ddl_query="CREATE DATABASE `shop`", ddl_type="QUERY")


@BOTH
def test_exchange_partition_names_the_partitioned_table(encoding: str) -> None:
    """The other table stands in preTableSchema alone (protocol facts 0.1, line 3)."""
    sql = "ALTER TABLE `shop`.`sales` EXCHANGE PARTITION `p0` WITH TABLE `shop`.`exch`"
    message = ddl_message(sql, "ALTER", {**SCHEMA, "table": "sales"}, preTableSchema={**SCHEMA, "table": "exch"})
    event = decode(message, encoding)
    assert (event.kind, event.table_name, event.ddl_query) == (Kind.DDL, "sales", sql)


@BOTH
def test_a_bootstrap_has_a_table_schema_and_no_commit(encoding: str) -> None:
    event = decode(bootstrap_message(SCHEMA), encoding)
    assert (event.kind, event.commit_ts, event.table_schema_id) == (Kind.BOOTSTRAP, None, VERSION)
    assert (event.schema_name, event.table_name, event.physical_table_id) == ("shop", "t", 154)


@BOTH
def test_ddl_text_stays_as_the_encoder_restored_it(encoding: str) -> None:
    r"""Backslashes are not escaped in it (protocol facts 0.1, line 5)."""
    sql = r"CREATE TABLE `t` (`e` ENUM('three\3') DEFAULT _UTF8MB4'three\3')" + "\u2028"
    assert decode(ddl_message(sql, "CREATE", SCHEMA), encoding).ddl_query == sql


def _keys(*indexes: Mapping[str, Any], encoding: str) -> dict[str, int | None]:
    columns = [column(name, "int", nullable=False) for name in "abcd"]
    event = decode(bootstrap_message(schema_of(columns, indexes)), encoding)
    return {each.name: each.key for each in columns_of(event.table_schema) if each.key}


@BOTH
def test_key_places(encoding: str) -> None:
    """The primary key in index order, else the shortest unique index without NULL, ties by order, else none."""
    primary, pair, first, second = index("c", "a", primary=True), index("a", "b"), index("d"), index("b")
    assert _keys(second, primary, encoding=encoding) == {"c": 1, "a": 2}
    assert _keys(pair, first, second, encoding=encoding) == {"d": 1}
    assert _keys(pair, index("d", nullable=True), index("c", unique=False), encoding=encoding) == {"a": 1, "b": 2}
    assert _keys(index("a", nullable=True), index("c", unique=False), encoding=encoding) == {}
    assert _keys(index("_V$_hidden_0"), pair, encoding=encoding) == {"a": 1, "b": 2}


def test_a_schema_without_index_list() -> None:
    columns = columns_of(decode(bootstrap_message(schema_of([column("a", "int")], None))).table_schema)
    assert [each.key for each in columns] == [None]


TYPES = [
    ("int", {"length": 11}, "int(11)"),
    ("tinyint", {"length": 1}, "tinyint(1)"),
    ("bigint", {"length": 20, "unsigned": True}, "bigint(20) unsigned"),
    ("int", {"length": 8, "unsigned": True, "zerofill": True}, "int(8) unsigned zerofill"),
    ("decimal", {"length": 12, "decimal": 2}, "decimal(12,2)"),
    ("decimal", {"length": 65}, "decimal(65,0)"),
    ("decimal", {"length": 20, "decimal": 4, "unsigned": True}, "decimal(20,4) unsigned"),
    ("float", {"length": 12}, "float"),
    ("float", {"length": 12, "unsigned": True}, "float unsigned"),
    ("double", {"length": 20}, "double"),
    ("bit", {"length": 10, "unsigned": True}, "bit(10)"),
    ("year", {"length": 4, "unsigned": True, "zerofill": True}, "year(4)"),
    ("varchar", {"length": 255}, "varchar(255)"),
    ("binary", {"length": 16}, "binary(16)"),
    ("longtext", {"length": 4294967295}, "longtext"),
    ("json", {"length": 4294967295}, "json"),
    ("date", {"length": 10}, "date"),
    ("datetime", {"length": 19}, "datetime"),
    ("datetime", {"length": 21, "decimal": 1}, "datetime(1)"),
    ("datetime", {"length": 26}, "datetime(6)"),
    ("timestamp", {"length": 23, "decimal": 3}, "timestamp(3)"),
    ("time", {"length": 10}, "time"),
    ("time", {"length": 14}, "time(3)"),
    ("vector", {"length": 3}, "vector(3)"),
    ("vector", {"length": -1}, "vector"),
    ("enum", {"length": 4, "elements": ["a", "it's", "c,d", ""]}, "enum('a','it''s','c,d','')"),
    ("set", {"length": 3, "elements": ["x", "y"]}, "set('x','y')"),
    ("enum", {}, "enum"),
    ("unspecified", {}, "unspecified"),
]


@BOTH
@pytest.mark.parametrize(("word", "data_type", "text"), TYPES, ids=[text for _, _, text in TYPES])
def test_type_texts(word: str, data_type: Mapping[str, Any], text: str, encoding: str) -> None:
    """Avro leaves the fraction digits of DATETIME and TIME away; the length tells them."""
    event = decode(bootstrap_message(schema_of([column("v", word, **data_type)])), encoding)
    assert [each.type for each in columns_of(event.table_schema)] == [text]


DEFAULTS = [
    ("varchar", {"length": 9}, "de'f", "de'f"),
    ("varchar", {"length": 9}, None, None),
    ("decimal", {"length": 20, "decimal": 8}, "-1.5", "-1.50000000"),
    ("enum", {"elements": ["a", "b"]}, "b", "b"),
    ("binary", {"length": 4}, "ab", b64encode(b"ab\0\0").decode()),
    ("varbinary", {"length": 20}, "dflt", b64encode(b"dflt").decode()),
    ("varbinary", {"length": 20}, "\0\ufffd", None),
    ("timestamp", {"length": 19}, "CURRENT_TIMESTAMP", "CURRENT_TIMESTAMP"),
]


def _default(wire: Mapping[str, Any], encoding: str) -> str | None:
    event = decode(bootstrap_message(schema_of([wire])), encoding)
    assert event.kind == Kind.BOOTSTRAP, event.error_message
    return columns_of(event.table_schema)[0].default


@BOTH
@pytest.mark.parametrize(("word", "data_type", "wire", "text"), DEFAULTS)
def test_defaults(word: str, data_type: Mapping[str, Any], wire: Any, text: str | None, encoding: str) -> None:
    assert _default(column("v", word, wire, **data_type), encoding) == text


@pytest.mark.parametrize(
    ("number", "literal"), [(0, b"\0"), (65, b"A"), (170, b"\xaa"), (2730, b"\x0a\xaa"), (2**64 - 1, b"\xff" * 8)]
)
def test_a_bit_default_is_a_number_in_json_and_raw_bytes_in_avro(number: int, literal: bytes) -> None:
    """The bytes are no UTF-8, which must not fail the DDL (protocol facts 0.1, line 10)."""
    wire = column("v", "bit", number, length=64, unsigned=True)
    assert _default(wire, "json") == str(number)
    assert _default({**wire, "default": literal}, "avro") == str(number)
    event = decode(ddl_message("CREATE TABLE `t` …", "CREATE", schema_of([{**wire, "default": literal}])), "avro")
    assert event.kind == Kind.DDL


def test_a_binary_default_keeps_its_bytes_in_avro() -> None:
    wire = column("v", "varbinary", b"\0\xff", length=10)
    assert _default(wire, "avro") == b64encode(b"\0\xff").decode()


def _cell(cell: Any, encoding: str = "json", **options: str) -> tuple[str | None, tuple[str, ...]]:
    event = decode(row_message({"id": "1", "v": cell}), encoding, **options)
    assert event.kind == Kind.ROW, event.error_message
    image = _image(event.after)
    assert image is not None and image["id"] == "1"
    return image["v"], tuple(flag for flag in event.lossy if flag != "*:no_schema")


@BOTH
@pytest.mark.parametrize("text", ["", "null", "测试", "a\u2028b\u2029c", "\0", '"\\', "<&>", "\ufffd", "x" * 70_000])
def test_text_stays(text: str, encoding: str) -> None:
    assert _cell(text, encoding) == (text, ())


def test_binary_is_base64() -> None:
    data = bytes(range(256))
    assert _cell(data, "avro") == (b64encode(data).decode(), ())
    assert _cell(b64encode(data).decode(), "json") == (b64encode(data).decode(), ())
    assert simple.converter("varbinary(300)", None) is None


@pytest.mark.parametrize("number", [0, 1, -1, 63, 64, -64, -65, 2**31, 2**63 - 1, -(2**63)])
def test_numbers_of_avro(number: int) -> None:
    assert _cell(number, "avro") == (str(number), ())


@pytest.mark.parametrize("number", [0, 1, 2**63 - 1, 2**63, 2**64 - 1])
def test_unsigned_bigint(number: int) -> None:
    """A record with the signed 64 bits in Avro, digits in JSON."""
    signed = number - 2**64 if number >= 2**63 else number
    assert _cell(Unsigned(signed), "avro") == (str(number), ())
    assert _cell(str(number), "json") == (str(number), ())


@pytest.mark.parametrize("number", [0, 65, 2**63, 2**64 - 1])
def test_bit_in_both_forms(number: int) -> None:
    """Digits from TiCDC, a signed number from tiflow (protocol facts 3.5)."""
    signed = number - 2**64 if number >= 2**63 else number
    convert = simple.converter("bit(64)", None)
    assert convert is not None
    for cell in (str(number), signed):
        text, _ = _cell(cell, "avro")
        assert text is not None and convert(text) == (str(number), None)


@pytest.mark.parametrize(
    ("number", "text"),
    [(0.0, "0"), (-0.0, "-0"), (3.14, "3.14"), (1e22, "1" + "0" * 22), (1e-7, "0.0000001"), (-2.5, "-2.5")],
)
def test_floats_of_avro(number: float, text: str) -> None:
    assert _cell(number, "avro") == (text, ())
    assert _cell(Single(number), "avro") == ("10000000000000000000000" if number == 1e22 else text, ())


@pytest.mark.parametrize("encoding", ["<f", "<d"])
def test_a_number_that_is_not_finite_is_an_error(encoding: str) -> None:
    kind: type[float] = Single if encoding == "<f" else float
    for number in (float("nan"), float("inf")):
        assert decode(row_message({"v": kind(number)}), "avro").error_code == ErrorCode.BAD_AVRO


@pytest.mark.parametrize(
    ("column_type", "wire", "text"),
    [
        ("double", "1e+22", "1" + "0" * 22),
        ("double", "2.5E-7", "0.00000025"),
        ("double", "3.14", "3.14"),
        ("float", "1e+10", "10000000000"),
        ("float", "3.4028235e+38", "340282350000000000000000000000000000000"),
        ("float", "3.14", "3.14"),
        ("year(4)", "0", "0000"),
        ("year(4)", "2024", "2024"),
        ("enum('a','b')", "2", "b"),
        ("enum('a','b')", "0", ""),
        ("set('a','b')", "3", "a,b"),
        ("set('a','b')", "0", ""),
        (f"set({','.join(repr(f'm{n}') for n in range(64))})", str(-(2**63)), "m63"),
        (f"set({','.join(repr(f'm{n}') for n in range(64))})", str(2**63), "m63"),
        ("bit(1)", "1", "1"),
    ],
)
def test_what_needs_the_type(column_type: str, wire: str, text: str) -> None:
    convert = simple.converter(column_type, None)
    assert convert is not None
    assert convert(wire) == (text, None)


@pytest.mark.parametrize(
    ("column_type", "text"),
    [("double", "1e400"), ("float", "1e39"), ("float", "e"), ("enum('a')", "2"), ("set('a')", "x"), ("bit(1)", "-x")],
)
def test_text_that_is_none_of_its_type(column_type: str, text: str) -> None:
    convert = simple.converter(column_type, None)
    assert convert is not None
    with pytest.raises(ValueError):
        convert(text)


@pytest.mark.parametrize("column_type", ["int(11)", "varchar(9)", "timestamp(3)", "datetime", "json", "blob", "vector"])
def test_what_is_canonical_in_the_image(column_type: str) -> None:
    assert simple.converter(column_type, None) is None


@BOTH
@pytest.mark.parametrize(
    ("location", "value", "utc", "flags"),
    [
        ("UTC", "2020-02-20 10:20:20.123", "2020-02-20 10:20:20.123", ()),
        ("Asia/Shanghai", "2020-02-20 10:20:20", "2020-02-20 02:20:20", ()),
        ("Asia/Shanghai", "0000-00-00 00:00:00", "0000-00-00 00:00:00", ()),
        ("Europe/Berlin", "2024-10-27 02:30:00", "2024-10-27 00:30:00", ("v:ambiguous_time",)),
        ("Europe/Berlin", "2024-10-27 03:30:00", "2024-10-27 02:30:00", ()),
        ("Local", "2020-02-20 10:20:20", "2020-02-20 15:20:20", ()),
    ],
)
def test_timestamps_by_their_own_location(
    location: str, value: str, utc: str, flags: tuple[str, ...], encoding: str
) -> None:
    """`Local` names no zone: there the feed's option does, and nowhere else."""
    cell = {"location": location, "value": value}
    assert _cell(cell, encoding, time_zone="America/New_York") == (utc, flags)


@BOTH
@pytest.mark.parametrize(
    "cell",
    [
        {"location": "Mars/Olympus", "value": "2020-02-20 10:20:20"},
        {"location": "../etc/passwd", "value": "2020-02-20 10:20:20"},
        {"location": "", "value": "2020-02-20 10:20:20"},
        {"location": "Asia/Shanghai", "value": "soon"},
    ],
    ids=["unknown", "no name", "empty", "no time"],
)
def test_timestamps_that_cannot_be_read(cell: Any, encoding: str) -> None:
    assert decode(row_message({"v": cell}), encoding).error_code == ErrorCode.BAD_VALUE


def test_numbers_of_json_that_are_no_text() -> None:
    """An encoder between releases wrote them so (protocol facts 3.4)."""
    wire = to_json(row_message({"v": "MARK"}))
    for number, text in [(b"-7", "-7"), (b"18446744073709551615", str(2**64 - 1)), (b"1e+22", "1" + "0" * 22)]:
        assert _image(decode(wire.replace(b'"MARK"', number)).after) == {"v": text}


def test_escaped_replacement_is_invalid_utf8_and_a_literal_one_is_not() -> None:
    wire = to_json(row_message({"a": "MARK", "b": "\ufffd"}, type="UPDATE", old={"a": "x", "b": "MARK"}))
    event = decode(wire.replace(b"MARK", rb"\ufffd"))
    assert _image(event.after) == {"a": "\ufffd", "b": "\ufffd"}
    assert event.lossy == ("*:no_schema", "a:invalid_utf8", "b:invalid_utf8")
    assert decode(wire.replace(b"MARK", rb"\\ufffd")).lossy == ("*:no_schema",)


def test_invalid_utf8_of_avro_is_replaced_and_flagged() -> None:
    wire = to_avro(row_message({"id": "1", "a": "MARK", "b": "测"}))
    event = decode(wire.replace(b"MARK", b"\xff\xfea\xed"), "avro")
    image = _image(event.after)
    assert image is not None and image["b"] == "测"
    assert image["a"] is not None and image["a"].startswith("\ufffd\ufffda")
    assert event.lossy == ("*:no_schema", "a:invalid_utf8")


@BOTH
def test_hostile_names(encoding: str) -> None:
    names = ["", " ", "a.b", "x,y", "日本", 'd"q', "c'2", "b`t", "tab\tcol", "Ünï", "_tidb_x", "location", "n" * 64]
    row = {name: str(place) for place, name in enumerate(names)}
    event = decode(row_message(row, database="Odd-db. x", table="T t"), encoding)
    assert (_image(event.after), event.schema_name, event.table_name) == (row, "Odd-db. x", "T t")


@BOTH
def test_a_row_with_its_handle_key_alone_says_so(encoding: str) -> None:
    event = decode(row_message({"id": "1"}, handleKeyOnly=True), encoding)
    assert (event.lossy, event.claim_check) == (("*:no_schema", "*:handle_key_only"), None)


@BOTH
def test_a_claim_check_goes_before_the_handle_key(encoding: str) -> None:
    """Both members come; the file's base name alone counts (protocol facts 1.3)."""
    message = row_message({"id": "1"}, handleKeyOnly=True, claimCheckLocation="s3://bucket/folder/x-y.json")
    event = decode(message, encoding)
    assert (event.lossy, event.claim_check) == (("*:no_schema", "*:claim_check"), "x-y.json")


@BOTH
def test_the_checksum_goes_on_as_sent(encoding: str) -> None:
    sums = {"version": 0, "corrupted": False, "current": 2**32 - 1, "previous": 7}
    event = decode(row_message(NEW, type="UPDATE", old=OLD, checksum=sums), encoding)
    assert event.checksum == b'{"current":4294967295,"previous":7,"corrupted":false}'
    assert event.checksum_mismatch is None


@BOTH
@pytest.mark.parametrize("codec", ["snappy", "lz4"])
def test_compressed_values(codec: str, encoding: str) -> None:
    for message in (row_message(NEW), watermark_message(1), bootstrap_message(SCHEMA), ddl_message("x", "QUERY")):
        plain = to_avro(message) if encoding == "avro" else to_json(message)
        packed = cramjam.snappy.compress_raw(plain) if codec == "snappy" else cramjam.lz4.compress(plain)
        assert decode(bytes(packed), encoding, compression=codec) == decode(message, encoding)
        assert decode(plain, encoding, compression=codec).error_code == ErrorCode.BAD_COMPRESSION


def test_the_other_encoding_is_told() -> None:
    for message in (row_message(NEW), watermark_message(1), bootstrap_message(SCHEMA)):
        assert decode(to_json(message), "avro").error_code == ErrorCode.BAD_AVRO
        assert decode(to_avro(message), "json").error_code in (ErrorCode.BAD_JSON, ErrorCode.NOT_UTF8)


def test_blocks_of_avro_with_their_size() -> None:
    """A writer may tell a block's size in bytes in front of it, and may write several blocks."""
    wire = to_avro(row_message({"a": "1"}))
    assert wire.endswith(b"\x02\x02\x02a\x08\x021\x00\x00")
    sized = wire[:-9] + b"\x02\x01\x0a\x02a\x08\x021" + b"\x02\x02b\x00" + b"\x00\x00"
    assert _image(decode(sized, "avro").after) == {"a": "1", "b": None}


BROKEN_JSON = [
    (None, ErrorCode.EMPTY_VALUE),
    (b"", ErrorCode.EMPTY_VALUE),
    (b"{", ErrorCode.BAD_JSON),
    (b"[]", ErrorCode.BAD_SHAPE),
    (b'{"version":1,"type":"\xff"}', ErrorCode.NOT_UTF8),
    (to_json(row_message(NEW, version=2)), ErrorCode.BAD_SHAPE),
    (to_json(row_message(NEW, type="MERGE")), ErrorCode.UNKNOWN_KIND),
    (to_json(row_message(NEW, commitTs=-1)), ErrorCode.BAD_SHAPE),
    (to_json(row_message(NEW, commitTs="1")), ErrorCode.BAD_SHAPE),
    (to_json(row_message({"v": True})), ErrorCode.BAD_SHAPE),
    (to_json(row_message({"v": ["1"]})), ErrorCode.BAD_SHAPE),
    (to_json(row_message({"v": {"location": "UTC"}})), ErrorCode.BAD_SHAPE),
    (to_json({"version": 1, "type": "WATERMARK"}), ErrorCode.BAD_SHAPE),
    (to_json({"version": 1, "type": "BOOTSTRAP"}), ErrorCode.BAD_SHAPE),
    (to_json({"version": 1, "type": "QUERY", "sql": "x"}), ErrorCode.BAD_SHAPE),
    *(
        (to_json({name: member for name, member in row_message(NEW).items() if name != missing}), ErrorCode.BAD_SHAPE)
        for missing in ("version", "type", "database", "table", "commitTs", "schemaVersion", "data")
    ),
]
ROW_WIRE = to_avro(row_message(NEW))
BROKEN_AVRO = [
    b"\x16",
    b"\x14" + ROW_WIRE[1:],
    ROW_WIRE + b"\x00",
    ROW_WIRE[:-1],
    b"\x16\x0a" + ROW_WIRE[2:],
    b"\x16\x06\x08" + ROW_WIRE[3:],
    b"\x16\x06\x06\x02\x01",  # a name of length -1
    b"\x16\x00\x00\x02" + b"\xff" * 10,  # a number of more than 64 bits
    b"\x16\x00\x00\x02" + b"\xff" * 9 + b"\x02",
    ROW_WIRE.replace(b"\x02\x06\x04id", b"\x02\xfe\xff\xff\xff\x0f\x04id"),  # a map of billions
]


@pytest.mark.parametrize(("value", "code"), BROKEN_JSON, ids=range(len(BROKEN_JSON)))
def test_broken_json(value: bytes | None, code: ErrorCode) -> None:
    event = decode(value)
    assert (event.kind, event.error_code) == (Kind.ERROR, code), event.error_message
    assert event.error_message


@pytest.mark.parametrize("value", BROKEN_AVRO, ids=range(len(BROKEN_AVRO)))
def test_broken_avro(value: bytes) -> None:
    event = decode(value, "avro")
    assert (event.kind, event.error_code) == (Kind.ERROR, ErrorCode.BAD_AVRO), event
    assert event.error_message


def test_every_cut_of_an_avro_message_is_an_error() -> None:
    for message in (row_message({"a": "x" * 200, "b": 1.5, "c": 2**40}), bootstrap_message(SCHEMA)):
        wire = to_avro(message)
        for end in range(1, len(wire)):
            assert decode(wire[:end], "avro").error_code == ErrorCode.BAD_AVRO


@BOTH
def test_error_messages_hold_no_value_of_the_message(encoding: str) -> None:
    secret = "s3cr3t"
    for message in (
        row_message({"v": {"location": secret, "value": secret}}),
        row_message({"v": {"location": "Asia/Shanghai", "value": secret}}),
    ):
        event = decode(message, encoding)
        assert event.kind == Kind.ERROR
        assert secret not in (event.error_message or "")
    for message in (row_message({secret: [1]}), row_message({"v": "1"}, type=secret)):
        assert secret not in (decode(message).error_message or secret)
    assert secret not in (decode(secret.encode(), encoding).error_message or secret)


def test_a_batch_gives_a_schema_also_behind_a_row_that_names_it() -> None:
    """Rows come before their schema where bootstraps go to one partition alone (protocol facts 5.6)."""
    values = [to_json(message) for message in (row_message(NEW), bootstrap_message(SCHEMA), bootstrap_message(SCHEMA))]
    keys, options = [None] * len(values), ["{}"] * len(values)
    batch = arrow.decode_batch(
        simple.decode, pa.array(keys, pa.binary()), pa.array(values, pa.binary()), pa.array(options, pa.string())
    )
    texts = [events[0]["table_schema"] for events in batch.to_pylist()]
    assert [text is not None for text in texts] == [False, True, False]


ALL = pytest.mark.parametrize("variant", variants(), ids=lambda variant: variant.name)


@cache
def _events(variant: SimpleVariant) -> list[Event]:
    return variant.events


@ALL
def test_every_message_of_the_corpus_decodes(variant: SimpleVariant) -> None:
    events = _events(variant)
    assert [event for event in events if event.kind == Kind.ERROR] == []
    assert {event.kind for event in events} == set(Kind) - {Kind.ERROR}


@ALL
def test_every_schema_of_the_corpus_is_the_same_wherever_it_comes(variant: SimpleVariant) -> None:
    """BOOTSTRAP and DDL bear the same text for one version, and both encodings do."""
    texts: dict[Any, set[bytes]] = defaultdict(set)
    for event in _events(variant):
        if event.table_schema is not None:
            texts[event.schema_name, event.table_name, event.table_schema_id].add(event.table_schema)
    assert len(texts) > 100
    assert {len(forms) for forms in texts.values()} == {1}


@cache
def _tables() -> dict[tuple[str, str], dict[str, Any]]:
    """The tables of the upstream at its last checkpoint."""
    tables = list(json_lines(root() / "truth" / "tables.jsonl"))
    last = max(table["checkpoint_ts"] for table in tables)
    return {(table["schema"], table["table"]): table for table in tables if table["checkpoint_ts"] == last}


def _version(event: Event | None) -> int:
    return 0 if event is None else event.table_schema_id or 0


@ALL
def test_the_last_schema_of_each_table_of_the_corpus_is_the_upstreams(variant: SimpleVariant) -> None:
    last: dict[tuple[str | None, str | None], Event] = {}
    for event in _events(variant):
        name = (event.schema_name, event.table_name)
        if event.table_schema is not None and _version(event) >= _version(last.get(name)):
            last[name] = event
    compared = 0
    for name, event in last.items():
        table = _tables().get(name)
        if table is None:
            continue
        columns = columns_of(event.table_schema)
        assert [each.name for each in columns] == [each["name"] for each in table["columns"]]
        assert {each.name for each in columns if each.key} == set(table["handle_key"] or ())
        for got, true in zip(columns, table["columns"], strict=True):
            compared += 1
            assert got.nullable is true["nullable"], (name, got)
            float_of = true["column_type"].startswith(("float", "double"))  # (M,D) does not come
            want = true["column_type"].partition("(")[0] if float_of else true["column_type"]
            assert got.type.removesuffix(" zerofill") == want, name
            if true["default"] is not None and got.type.startswith(("varchar", "int", "enum", "set", "date", "time(")):
                assert got.default in (true["default"], "CURRENT_TIMESTAMP"), (name, got)
    assert compared > 300


@cache
def _canal_events() -> list[Event]:
    variant = Variant(root(), "canal_json_compatible")
    return [
        event
        for record in variant.records
        for event in arrow.decode_message(canal_json.decode, record.key, record.value, variant.options_text)
        if event.kind == Kind.ROW
    ]


@cache
def _canal_rows() -> Mapping[tuple[Any, ...], list[Event]]:
    rows: dict[tuple[Any, ...], list[Event]] = defaultdict(list)
    for event in _canal_events():
        rows[event.schema_name, event.table_name, event.commit_ts, event.op].append(event)
    return rows


def _whole(variant: SimpleVariant, event: Event) -> Event:
    """A row with its claim check resolved, where the corpus has the file."""
    if event.claim_check is None:
        return event
    file = variant.folder / "claim_check" / variant.name / event.claim_check
    return variant.decode(claim_check.message_of(file.read_bytes())[1]) if file.exists() else event


@ALL
def test_rows_of_the_corpus_equal_those_of_canal_json(variant: SimpleVariant) -> None:
    """After the schema is applied each row is byte for byte the same, but for what a key-only row leaves out."""
    tally: Counter[str] = Counter()
    wrong = []
    for row in finished(_whole(variant, event) for event in _events(variant)):
        event = row.event
        same_commit = _canal_rows()[event.schema_name, event.table_name, event.commit_ts, event.op]
        cells = len(row.before or ()) + len(row.after or ())
        if row.flags & {"*:handle_key_only", "*:claim_check"}:
            assert any(_key_of(canal, row) == row.key for canal in same_commit)
            tally["flagged"] += len(columns_of(same_commit[0].table_schema)) - cells
            tally["exact"] += cells
            continue
        assert row.flags == set()
        images = (image_text(row.before), image_text(row.after))
        right = any((canal.before, canal.after) == images and _key_of(canal, row) == row.key for canal in same_commit)
        tally["exact" if right else "wrong"] += cells
        if not right:
            wrong.append((event.schema_name, event.table_name, event.op, row.key))
    print(f"{variant.name}: {tally['exact']} exact, {tally['flagged']} flagged, {tally['wrong']} wrong")
    assert wrong == []
    assert tally["exact"] > 25_000


def _key_of(canal: Event, row: Finished) -> dict[str, str | None]:
    """The cells of canal-json's row that are the key; it names no key of a table without PRIMARY KEY."""
    image = _image(canal.row_key) or {}
    if "*:no_key" in canal.lossy:
        return {name: image[name] for name in row.key}
    return image


@ALL
def test_a_rename_of_several_tables_names_each_final_table(variant: SimpleVariant) -> None:
    """All steps share one commit; the SQL tells each step (protocol facts 0.1, line 4)."""
    steps: dict[int | None, dict[str | None, str | None]] = defaultdict(dict)
    for event in _events(variant):
        if event.ddl_type == "RENAME":
            steps[event.commit_ts][event.ddl_query] = event.table_name
    assert {
        "RENAME TABLE `shop`.`ren1` TO `shop`.`ren_tmp`;": "ren2",
        "RENAME TABLE `shop`.`ren2` TO `shop`.`ren1`;": "ren1",
        "RENAME TABLE `shop`.`ren_tmp` TO `shop`.`ren2`;": "ren2",
    }.items() <= max(steps.values(), key=len).items()


@ALL
def test_a_table_that_gains_its_key_later(variant: SimpleVariant) -> None:
    """Without force-replicate neither its CREATE nor its earlier rows come (protocol facts 0.1, line 11)."""
    events = [event for event in _events(variant) if event.table_name == "keyless"]
    words = [event.ddl_type for event in events if event.kind == Kind.DDL]
    assert ("CREATE" in words) is bool(variant.meta["force_replicate"])
    assert {"CINDEX"} <= set(words)
    assert finished(events)
