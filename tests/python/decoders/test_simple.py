"""Simple: the vectors, rows in both encodings, and messages that are none."""

from __future__ import annotations

import json
from base64 import b64decode
from collections import Counter
from collections.abc import Mapping
from typing import Any

import cramjam
import pyarrow as pa
import pytest
from support.corpus import DATA, json_lines
from support.images import image_of
from support.simple import (
    BOTH,
    COMMIT_TS,
    NEW,
    OLD,
    SCHEMA,
    VERSION,
    bootstrap_message,
    column,
    columns_of,
    ddl_message,
    decode,
    finished,
    row_message,
    schema_of,
    to_avro,
    to_json,
    watermark_message,
)

from ticdc_udfs.contract import arrow
from ticdc_udfs.contract.events import ErrorCode, Event, Kind
from ticdc_udfs.protocols import simple

VECTORS = DATA / "vectors" / "simple.jsonl"
SEED_VECTORS = DATA / "vectors" / "seed_docs_simple.jsonl"


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
        assert (image_of(event.after), image_of(event.before)) == (expect.get("data"), expect.get("old"))
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
    assert [(image_of(e.before), image_of(e.after)) for e in (insert, update, delete)] == [
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
    assert image_of(event.before) == {**NEW, "b": "z"}


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


@BOTH
def test_hostile_names(encoding: str) -> None:
    names = ["", " ", "a.b", "x,y", "日本", 'd"q', "c'2", "b`t", "tab\tcol", "Ünï", "_tidb_x", "location", "n" * 64]
    row = {name: str(place) for place, name in enumerate(names)}
    event = decode(row_message(row, database="Odd-db. x", table="T t"), encoding)
    assert (image_of(event.after), event.schema_name, event.table_name) == (row, "Odd-db. x", "T t")


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
    assert image_of(decode(sized, "avro").after) == {"a": "1", "b": None}


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
