"""Avro: the vectors, named cases, batches against single messages, and the corpus against canal-json."""

from __future__ import annotations

import json
import random
import re
from base64 import b64decode, b64encode
from collections import Counter, defaultdict
from collections.abc import Mapping
from decimal import Decimal
from functools import cache
from typing import Any

import numpy as np
import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.avro import (
    CHECKSUM,
    COMMIT_TS,
    EXTENSION,
    UUID_TEXT,
    AvroVariant,
    Message,
    arrays,
    before,
    body,
    column,
    decode_by,
    extension,
    framed,
    message,
    record,
    variants,
)
from support.batches import FEW, decoded_packed, read_together
from support.corpus import VECTORS, Variant, json_lines, root

from ticdc_udfs import arrow
from ticdc_udfs.avro_binary import schema_id
from ticdc_udfs.catalogue.fold import DdlEvent, fold
from ticdc_udfs.catalogue.tables import ExportedColumn
from ticdc_udfs.events import ErrorCode, Event, Kind
from ticdc_udfs.options import parse
from ticdc_udfs.protocols import avro, canal_json
from ticdc_udfs.protocols.avro_batch import decode_batch
from ticdc_udfs.resolution import Row, resolve
from ticdc_udfs.schemas import Column, table_schema

VECTOR_LIST = [
    vector for name in ("avro", "seed_docs_avro") for vector in json_lines(VECTORS.with_name(f"{name}.jsonl"))
]
SEEN: set[str] = set()


def _vectors(*prefixes: str) -> Any:
    found = [vector for vector in VECTOR_LIST if vector["id"].startswith(prefixes)]
    SEEN.update(vector["id"] for vector in found)
    return pytest.mark.parametrize("vector", found, ids=[vector["id"] for vector in found])


# Records that no message can show: why
NOT_CASES = {
    "seed/avro/block1": "the outline of a schema, with placeholders for all that is in it",
    "seed/avro/block2": "the same",
    "seed/avro/block3": "the same; the extension's fields have defaults today, which changes no message",
    "avro/names/getAvroNamespace/3": "a table always has a schema",
    "avro/names/debezium getSchemaTopicName/0": "a name of Debezium's schemas, which no event shows",
}

ID = column("id", "int", "INT")
KEY = record(ID)
OPTIONS = {"confluent": "{}", "glue": '{"framing":"glue"}'}


def decode(
    value: bytes | None, value_schema: Any, key: bytes | None = None, key_schema: Any = None, options: str = "{}"
) -> Event:
    return decode_by(avro.decode, key, value, key_schema, value_schema, options)


def row(*columns: Mapping[str, Any], op: str | None = "c", options: str = "{}", **values: Any) -> Event:
    """The event of a row with a key `id`; `op` None: without extension."""
    schema = record(ID, *columns, *(EXTENSION if op is not None else ()))
    wire = {"id": 1, **values, **(extension(op) if op is not None else {})}
    return decode(message(schema, wire), schema, message(KEY, wire), KEY, options)


def cell(field: Mapping[str, Any], value: Any, options: str = "{}") -> str | None:
    """The canonical text of a column's value."""
    event = row(field, options=options, **{field["name"]: value})
    assert event.kind == Kind.ROW, event.error_message
    image = orjson.loads(event.after or b"")
    return None if image[field["name"]] is None else str(image[field["name"]])


def column_type(field: Mapping[str, Any]) -> str:
    """The MySQL type that a field tells."""
    schema = record(field)
    return avro.row_plan(json.dumps(schema), None, None).columns[0].type


def _image(text: bytes | None) -> dict[str, str | None] | None:
    return None if text is None else dict(orjson.loads(text))


@_vectors("avro/envelope-confluent")
def test_vector_envelope(vector: Mapping[str, Any]) -> None:
    value, expect = b64decode(vector["value_b64"]), vector["expect"]
    assert schema_id(value, "confluent") == str(expect["schema_id"])
    event = decode(value, expect["writer_schema"])
    assert (event.schema_name, event.table_name, event.op) == ("", "avroenvelope", "upsert")
    assert _image(event.after) == {"id": str(expect["native"]["id"])}


@_vectors("avro/envelope-glue")
def test_vector_glue(vector: Mapping[str, Any]) -> None:
    value, expect = framed(bytes.fromhex("0e"), "glue"), vector["expect"]
    assert (len(value) - 1, value[0], value[1]) == (expect["header_len"], expect["byte0"], expect["byte1"])
    assert schema_id(value, "glue") == UUID_TEXT
    assert _image(decode(value, record(ID), options=OPTIONS["glue"]).after) == {"id": "7"}


@_vectors(
    "avro/names/SanitizeName", *(f"avro/names/getAvroNamespace/{n}" for n in range(3)), "avro/names/schemaAndTableName"
)
def test_vector_names(vector: Mapping[str, Any]) -> None:
    """Names come sanitized and stay so; the schema is the namespace's second part."""
    expect = vector["expect"]
    function, output = expect["function"], expect["output"]
    name, namespace, want = ("t", output, output.partition(".")[2])
    if function == "SanitizeName":
        name, namespace, want = (output, f"default.{output}", output)
    elif function.startswith("schemaAndTableName"):
        namespace, want = expect["input"], output
    data = framed(body(record(ID), {"id": 1}))
    event = decode(data, record(column(name, "int", "INT"), name=name, namespace=namespace))
    assert (event.schema_name, event.table_name, _image(event.after)) == (want, name, {name: "1"})


@_vectors("avro/before-value/")
def test_vector_before_values(vector: Mapping[str, Any]) -> None:
    expect, with_extension = vector["expect"], vector["config"]["enable-tidb-extension"]
    columns = (ID, column("age", "int", "INT", nullable=True))
    extra = EXTENSION if with_extension else EXTENSION[:1]
    checksum = CHECKSUM if "_tidb_row_level_checksum" in expect else ()
    schema = record(
        *columns, before(*columns, name="person"), *extra, *checksum, name="person", namespace="default.test"
    )
    now = expect.get("row", {"id": 1, "age": 20})
    old = None if expect.get("_ticdc_before_is_null") else expect.get("_ticdc_before", now)
    wire = {**now, "_ticdc_before": old, **extension(expect["_tidb_op"])}
    if with_extension:
        wire["_tidb_commit_ts"] = expect.get("_tidb_commit_ts", 1024)
    if checksum:
        wire |= {"_tidb_row_level_checksum": "22", "_tidb_corrupted": False, "_tidb_checksum_version": 0}
    event = decode(message(schema, wire), schema, message(KEY, wire), KEY)
    texts = {name: str(number) for name, number in now.items()}
    old_texts = old and {name: str(number) for name, number in old.items()}
    deleted = expect["_tidb_op"] == "d"
    assert event.op == {"c": "insert", "u": "update", "d": "delete"}[expect["_tidb_op"]]
    assert (_image(event.after), _image(event.before)) == (None if deleted else texts, old_texts)
    assert (event.commit_ts, event.commit_ts_exact) == (
        (wire["_tidb_commit_ts"], True) if with_extension else (None, False)
    )
    assert event.lossy == (() if with_extension else ("*:no_commit_ts",))
    if checksum:
        assert orjson.loads(event.checksum_mismatch or b"")["sent"] == expect["checksum_previous"]


@_vectors("seed/avro/type/")
def test_vector_types(vector: Mapping[str, Any]) -> None:
    expect = vector["expect"]
    value: Any = {"string": "x", "bytes": b"\x01", "int": 1, "long": 1, "double": 1.5}[expect["avro_type"]]
    kinds = {expect["avro_type"], "float"} if expect["sql_type"] == "FLOAT" else {expect["avro_type"]}
    for kind in kinds:
        field = column(
            "v",
            kind,
            expect["tidb_type"],
            **({"logicalType": "decimal", "precision": 10, "scale": 4} if expect["tidb_type"] == "DECIMAL" else {}),
        )
        event = row(field, v=Decimal("1.5") if expect["tidb_type"] == "DECIMAL" else value)
        want = {"BLOB": "AQ==", "BIT": "1", "DECIMAL": "1.5000"}.get(expect["tidb_type"], str(value))
        assert _image(event.after) == {"id": "1", "v": want}
        types = [each["type"] for each in orjson.loads(event.table_schema or b"")]
        assert types == ["int", "decimal(10,4)" if expect["tidb_type"] == "DECIMAL" else expect["tidb_type"].lower()]


FRAGMENTS = {
    "seed/avro/block4": "text",
    "seed/avro/block5": "text",
    "seed/avro/block6": "bit(64)",
    "seed/avro/block7": "enum('a','b','c')",
    "seed/avro/block8": "decimal(10,4)",
}


@_vectors(*FRAGMENTS)
def test_vector_fragments_of_schemas(vector: Mapping[str, Any]) -> None:
    """The documents' placeholders filled in; `ENUM/SET` stands for one word or the other."""
    text = json.dumps(vector["expect"]).replace("{{TIDB_TYPE}}", "TEXT").replace("{{AVRO_TYPE}}", "string")
    field = json.loads(text.replace("{{ColumnName}}", "v").replace("ENUM/SET", "ENUM"))
    assert column_type(field) == FRAGMENTS[vector["id"]]


def test_every_vector_is_a_case_or_says_why_not() -> None:
    assert {vector["id"] for vector in VECTOR_LIST} == SEEN | NOT_CASES.keys()
    assert not SEEN & NOT_CASES.keys()


COLUMNS = (ID, column("a", "string", "TEXT", nullable=True), column("b", "string", "TEXT", nullable=True))
NEW, OLD = {"id": 1, "a": "x", "b": None}, {"id": 1, "a": "y", "b": "z"}
NEW_TEXTS, OLD_TEXTS = {**NEW, "id": "1"}, {**OLD, "id": "1"}
NULL_FLAGS = ("b:null_or_generated",)


def test_insert_and_update_without_old_image() -> None:
    schema = record(*COLUMNS, *EXTENSION)
    for letter, op in (("c", "insert"), ("u", "update")):
        event = decode(message(schema, {**NEW, **extension(letter)}), schema, message(KEY, NEW), KEY)
        assert (event.kind, event.op, event.before, _image(event.after)) == (Kind.ROW, op, None, NEW_TEXTS)
        assert (event.schema_name, event.table_name, event.row_key) == ("shop", "t", b'{"id":"1"}')
        assert (event.commit_ts, event.commit_ts_exact, event.before_key) == (COMMIT_TS, True, None)
        assert event.lossy == NULL_FLAGS


def test_without_extension_an_insert_looks_like_an_update() -> None:
    schema = record(*COLUMNS)
    event = decode(message(schema, NEW), schema, message(KEY, NEW), KEY)
    assert (event.op, event.before, _image(event.after)) == ("upsert", None, NEW_TEXTS)
    assert (event.commit_ts, event.commit_ts_exact, event.lossy) == (None, False, ("*:no_commit_ts", *NULL_FLAGS))


def test_a_deletion_is_a_tombstone_with_the_row_in_the_key() -> None:
    key_schema = record(column("b", "string", "TEXT"), ID, column("u", "long", "BIGINT UNSIGNED"))
    key = message(key_schema, {"b": "x", "id": 1, "u": -1})
    event = decode(None, None, key, key_schema)
    want = {"b": "x", "id": "1", "u": "18446744073709551615"}
    assert (event.kind, event.op, event.after) == (Kind.ROW, "delete", None)
    assert list((_image(event.row_key) or {}).items()) == list(want.items())
    assert (event.before, event.schema_name, event.table_name) == (event.row_key, "shop", "t")
    assert (event.commit_ts, event.commit_ts_exact, event.lossy) == (None, False, ("*:no_commit_ts",))
    assert event.table_schema is None, "a key's columns are not the table's"


@pytest.mark.parametrize("key", [None, b""])
def test_a_deletion_without_key_names_no_row(key: bytes | None) -> None:
    event = decode(None, None, key)
    assert event == Event(Kind.ROW, commit_ts_exact=False, op="delete")


def test_an_empty_value_is_no_tombstone() -> None:
    assert decode(b"", None, message(KEY, {"id": 1}), KEY).error_code == ErrorCode.EMPTY_VALUE


@pytest.mark.parametrize("key", [None, b""])
def test_without_kafka_key_the_whole_row_is_the_key(key: bytes | None) -> None:
    """TiCDC's key is the primary key alone, the unique key of a table without one is not in it (facts 2.5)."""
    schema = record(*COLUMNS, *EXTENSION)
    event = decode(message(schema, {**NEW, **extension("c")}), schema, key)
    assert (event.lossy, event.row_key) == (("*:no_key", *NULL_FLAGS), event.after)


def test_the_key_has_its_own_order() -> None:
    columns = (column("a", "string", "TEXT"), column("b", "int", "INT"), column("c", "int", "INT"))
    schema, key_schema = record(*columns, *EXTENSION), record(columns[2], columns[0])
    wire = {"a": "x", "b": 1, "c": 2, **extension("c")}
    event = decode(message(schema, wire), schema, message(key_schema, wire), key_schema)
    assert event.row_key == b'{"c":"2","a":"x"}'
    table = orjson.loads(event.table_schema or b"")
    assert [(each["name"], each["key"]) for each in table] == [("a", 2), ("b", None), ("c", 1)]


def test_an_update_that_moves_the_row_names_both_keys() -> None:
    schema = record(*COLUMNS, before(*COLUMNS), *EXTENSION)
    for letter, before_key in (("u", b'{"id":"2"}'), ("d", None)):
        wire = {**NEW, "_ticdc_before": {**OLD, "id": 2}, **extension(letter)}
        event = decode(message(schema, wire), schema, message(KEY, wire), KEY)
        assert (event.row_key, event.before_key) == (b'{"id":"1"}', before_key)


def test_a_deletion_with_before_value_holds_the_row() -> None:
    schema = record(*COLUMNS, before(*COLUMNS), *EXTENSION)
    for old in (OLD, None):
        event = decode(message(schema, {**OLD, "_ticdc_before": old, **extension("d")}), schema, message(KEY, OLD), KEY)
        assert (event.op, _image(event.before), event.after, event.row_key) == (
            "delete",
            OLD_TEXTS,
            None,
            b'{"id":"1"}',
        )


def test_an_unknown_operation() -> None:
    assert row(op="r").error_code == row(op="").error_code == ErrorCode.UNKNOWN_KIND


def test_a_commit_beyond_doubles_is_exact() -> None:
    for commit_ts in (2**53 + 1, 470610923863932929, 2**63 - 1):
        schema = record(ID, *EXTENSION)
        wire = {"id": 1, **extension("c", _tidb_commit_ts=commit_ts)}
        assert decode(message(schema, wire), schema).commit_ts == commit_ts
    for commit_ts in (0, -1):
        wire = {"id": 1, **extension("c", _tidb_commit_ts=commit_ts)}
        assert decode(message(schema, wire), schema).error_code == ErrorCode.BAD_VALUE


@pytest.mark.parametrize("value", [None, "x"])
def test_unions_are_read_by_the_writer_schema(value: str | None) -> None:
    """A nullable column with a default has its union the other way round."""
    assert cell(column("v", "string", "TEXT", nullable=True), value) == value
    assert cell(column("v", "string", "TEXT", nullable=True, default="d"), value) == value


@pytest.mark.parametrize(
    ("field", "value", "text"),
    [
        (column("v", "int", "INT"), -(2**31), "-2147483648"),
        (column("v", "long", "INT UNSIGNED"), 2**32 - 1, "4294967295"),
        (column("v", "long", "BIGINT"), -(2**63), "-9223372036854775808"),
        (column("v", "long", "BIGINT UNSIGNED"), -1, "18446744073709551615"),
        (column("v", "long", "BIGINT UNSIGNED"), -(2**63), "9223372036854775808"),
        (column("v", "long", "BIGINT UNSIGNED"), 2**63 - 1, "9223372036854775807"),
        (column("v", "string", "BIGINT UNSIGNED"), "18446744073709551615", "18446744073709551615"),
        (column("v", "float", "FLOAT"), 3.14, "3.14"),
        (column("v", "float", "FLOAT"), 1e-7, "0.0000001"),
        (column("v", "float", "FLOAT"), 1e20, "100000000000000000000"),
        (column("v", "double", "FLOAT"), float(np.float32(3.14)), "3.14"),
        (column("v", "double", "FLOAT"), 3.14, "3.14"),
        (column("v", "double", "DOUBLE"), float(np.float32(3.14)), "3.140000104904175"),
        (column("v", "double", "DOUBLE"), 1e23, "100000000000000000000000"),
        (column("v", "double", "DOUBLE"), -5e-7, "-0.0000005"),
        (column("v", "double", "DOUBLE"), -0.0, "-0"),
        (column("v", "string", "DECIMAL"), "-12.30", "-12.30"),
        (column("v", "bytes", "BIT", length="1"), b"\x01", "1"),
        (column("v", "bytes", "BIT", length="12"), b"\x0a\xaa", "2730"),
        (column("v", "bytes", "BIT", length="64"), b"\xff" * 8, "18446744073709551615"),
        (column("v", "bytes", "BIT", length="64"), b"\x05", "5"),  # the classic encoder strips leading zeros
        (column("v", "bytes", "BIT", length="64"), b"", "0"),
        (column("v", "bytes", "BLOB"), bytes(range(256)), b64encode(bytes(range(256))).decode()),
        (column("v", "bytes", "BLOB"), b"", ""),
        (column("v", "string", "ENUM", allowed="a,b"), "b", "b"),
        (column("v", "string", "SET", allowed="a,b"), "a,b", "a,b"),
        (column("v", "string", "SET", allowed="a,b"), "", ""),
        (column("v", "int", "YEAR"), 0, "0000"),
        (column("v", "int", "YEAR"), 2155, "2155"),
        (column("v", "string", "TIME"), "-838:59:59.000000", "-838:59:59.000000"),
        (column("v", "string", "DATE"), "0000-00-00", "0000-00-00"),
        (column("v", "string", "DATETIME"), "2024-00-15 00:00:00.000", "2024-00-15 00:00:00.000"),
        (column("v", "string", "TIMESTAMP"), "2020-02-20 02:20:20.123", "2020-02-20 02:20:20.123"),
        (column("v", "string", "JSON"), '{"a": "\\"\\u0000"}', '{"a": "\\"\\u0000"}'),
        (column("v", "string", "TiDBVECTORFloat32"), "[1,2.5]", "[1,2.5]"),
        (
            column("v", "string", "TEXT"),
            'a\u2028b\x00\r\n\t"\\ <&> \U0001f69a\x7f',
            'a\u2028b\x00\r\n\t"\\ <&> \U0001f69a\x7f',
        ),
    ],
    ids=str,
)
def test_values(field: Mapping[str, Any], value: Any, text: str) -> None:
    assert cell(field, value) == text


@pytest.mark.parametrize(
    ("precision", "scale", "text"),
    [
        (10, 4, "129012.1230"),
        (10, 4, "-0.0001"),
        (5, 0, "-12345"),
        (5, 5, "0.00001"),
        (65, 30, "-" + "9" * 35 + "." + "9" * 30),
        (38, 19, "0.0000000000000000001"),
        (30, 30, "0." + "0" * 29 + "1"),
        (10, 2, "0.00"),
    ],
)
def test_decimals_of_either_mode(precision: int, scale: int, text: str) -> None:
    for nullable in (False, True):
        field = column(
            "v", "bytes", "DECIMAL", nullable=nullable, logicalType="decimal", precision=precision, scale=scale
        )
        unscaled = int(text.replace(".", ""))
        data = unscaled.to_bytes(unscaled.bit_length() // 8 + 1, "big", signed=True)
        plain = column("v", "bytes", "BLOB", nullable=nullable)
        wire = {"id": 1, "v": data, **extension("c")}
        event = decode(message(record(ID, plain, *EXTENSION), wire), record(ID, field, *EXTENSION))
        assert (_image(event.after) or {})["v"] == text
        assert column_type(field) == f"decimal({precision},{scale})"
    assert cell(column("v", "string", "DECIMAL"), text) == text
    assert column_type(column("v", "string", "DECIMAL")) == "decimal"


@pytest.mark.parametrize(
    ("local", "utc", "flags"),
    [
        ("2020-01-15 08:00:00", "2020-01-15 13:00:00", ()),
        ("2020-07-15 08:00:00.5", "2020-07-15 12:00:00.5", ()),
        ("0000-00-00 00:00:00", "0000-00-00 00:00:00", ()),
        ("2020-11-01 01:30:00", "2020-11-01 05:30:00", ("v:ambiguous_time",)),
    ],
)
def test_timestamps_become_utc(local: str, utc: str, flags: tuple[str, ...]) -> None:
    options = '{"time_zone":"America/New_York"}'
    field = column("v", "string", "TIMESTAMP")
    event = row(field, v=local, options=options)
    assert ((_image(event.after) or {})["v"], event.lossy) == (utc, flags)
    assert cell(column("v", "string", "DATETIME"), local, options) == local
    key_schema = record(field)
    deleted = decode(None, None, message(key_schema, {"v": local}), key_schema, options)
    assert _image(deleted.row_key) == {"v": utc}


@pytest.mark.parametrize(
    ("word", "allowed", "labels"),
    [
        ("ENUM", "a,b", ["a", "b"]),
        ("ENUM", 'a,b,c\\,d,it\'s,"q",, sp,日本', ["a", "b", "c,d", "it's", '"q"', "", " sp", "日本"]),
        ("ENUM", "three\\3", ["three\\3"]),
        ("ENUM", "", [""]),
        ("ENUM", "\\,,", [",", ""]),
        ("SET", 'a,it\'s,"q",, sp,日本', ["a", "it's", '"q"', "", " sp", "日本"]),
        ("SET", "a\\,b", ["a\\", "b"]),
    ],
)
def test_labels(word: str, allowed: str, labels: list[str]) -> None:
    quoted = ",".join("'" + label.replace("'", "''") + "'" for label in labels)
    assert column_type(column("v", "string", word, allowed=allowed)) == f"{word.lower()}({quoted})"


def test_the_table_schema_tells_types_keys_and_defaults() -> None:
    fields = (
        ID,
        column("u", "int", "INT UNSIGNED", nullable=True, default=18),
        column("f", "float", "FLOAT", nullable=True, default=0.10000000149011612),
        column("b", "bytes", "BLOB", nullable=True, default="ZGZsdA=="),
        column("bits", "bytes", "BIT", nullable=True, default="Cqo=", length="12"),
        column("big", "long", "BIGINT UNSIGNED", default=-1),
        column("e", "string", "ENUM", default="m", allowed="n,m"),
        column("at", "string", "DATETIME", default="CURRENT_TIMESTAMP"),
        column("n", "string", "TEXT", nullable=True),
    )
    plan = avro.row_plan(json.dumps(record(*fields, *EXTENSION)), json.dumps(KEY), None)
    assert [tuple(each) for each in plan.columns] == [
        ("id", "int", 1, False, None),
        ("u", "int unsigned", None, True, "18"),
        ("f", "float", None, True, "0.1"),
        ("b", "blob", None, True, "ZGZsdA=="),
        ("bits", "bit(12)", None, True, "2730"),
        ("big", "bigint unsigned", None, False, "18446744073709551615"),
        ("e", "enum('n','m')", None, False, "m"),
        ("at", "datetime", None, False, "CURRENT_TIMESTAMP"),
        ("n", "text", None, True, None),
    ]


@pytest.mark.parametrize("default", [True, "x", [], {}, 2**70])
def test_a_default_that_is_none_of_its_type_costs_no_row(default: Any) -> None:
    sent, told = (record(column("v", "double", "DOUBLE", **more)) for more in ({}, {"default": default}))
    assert _image(decode(message(sent, {"v": 1.5}), told).after) == {"v": "1.5"}


def test_columns_named_like_the_extension_stay_columns() -> None:
    fields = (column("_tidb_x", "string", "TEXT"), column("_tidb_op", "string", "TEXT"))
    schema = record(ID, *fields)
    event = decode(message(schema, {"id": 1, "_tidb_x": "x", "_tidb_op": "c"}), schema)
    assert (event.op, _image(event.after)) == ("upsert", {"id": "1", "_tidb_x": "x", "_tidb_op": "c"})


def test_virtual_columns_come_as_null() -> None:
    """0.1 line 9: the classic encoder leaves them out, the new one sends NULL, and nothing tells them from others."""
    event = row(column("area", "int", "INT", nullable=True), area=None)
    assert (_image(event.after), event.lossy) == ({"id": "1", "area": None}, ("area:null_or_generated",))


def exported(schema: Mapping[str, Any], *tables: tuple[str, str], **columns: str | tuple[str, ...]) -> dict[str, Any]:
    """A schema as staging gives it: with the tables that bear its names in the user's export, and their columns."""
    names = [(name, wire) for wire, found in columns.items() for name in ([found] if isinstance(found, str) else found)]
    export = {
        "tables": [{"schema_name": schema_name, "table_name": table_name} for schema_name, table_name in tables],
        "columns": [{"name": name, "wire_name": wire, "is_virtual": name.endswith("²")} for name, wire in names],
    }
    return {"ticdc.export": export, **schema}


ODD = (column("_id", "int", "INT"), column("a_b", "string", "TEXT", nullable=True))
ODD_TABLE = ("my.shop", 'd.o"t')
ODD_NAMES: dict[str, str | tuple[str, ...]] = {"_id": "№", "a_b": "a\\b", "area": "area²"}


def odd_row(op: str = "u", **more: Any) -> Message:
    """A row of a table with names that Avro cannot write and a virtual column, as staging gives it."""
    columns = (*ODD, column("area", "int", "INT", nullable=True))
    schema = record(*columns, before(*columns), *EXTENSION)
    row = {"_id": 1, "a_b": "x", "area": None, **more}
    row |= {"_ticdc_before": None if op == "c" else {**row, "_id": 2}, **extension(op)}
    key_schema = record(ODD[0])
    texts = [json.dumps(exported(each, ODD_TABLE, **ODD_NAMES)) for each in (key_schema, schema)]
    return message(key_schema, row), message(schema, row), "{}", texts[0], texts[1]


def test_names_are_those_of_the_export() -> None:
    (event,) = avro.decode(*_parsed(odd_row()))
    assert (event.schema_name, event.table_name, event.lossy) == (*ODD_TABLE, ())
    assert (_image(event.row_key), _image(event.before_key)) == ({"№": "1"}, {"№": "2"})
    assert (_image(event.before), _image(event.after)) == ({"№": "2", "a\\b": "x"}, {"№": "1", "a\\b": "x"})
    assert [each["name"] for each in orjson.loads(event.table_schema or b"")] == ["№", "a\\b", "area²"]


def test_a_tombstone_has_the_names_of_the_export() -> None:
    key, _, options, key_schema, _ = odd_row()
    (event,) = avro.decode(*_parsed((key, None, options, key_schema, None)))
    assert (event.schema_name, event.table_name, _image(event.before)) == (*ODD_TABLE, {"№": "1"})


def test_flags_bear_the_names_of_the_export() -> None:
    key, value, options, *schemas = odd_row("c")
    (event,) = avro.decode(*_parsed((key, (value or b"").replace(b"x", b"\xff"), options, *schemas)))
    assert event.lossy == ("a\\b:invalid_utf8",)


def test_without_a_key_the_virtual_column_is_none_of_it() -> None:
    _key, value, options, _, schema = odd_row("c")
    (event,) = avro.decode(*_parsed((b"", value, options, None, schema)))
    assert (_image(event.row_key), event.lossy) == ({"№": "1", "a\\b": "x"}, ("*:no_key",))


def test_a_unique_key_is_that_of_the_export() -> None:
    _key, value, options, _, schema = odd_row("c")
    (event,) = avro.decode(*_parsed((b"", value, options, None, schema)))
    told = DdlEvent(1, event.schema_name, event.table_name, None, None, (event.table_schema or b"").decode())
    columns = (("№", "int(11)", False, "UNI"), ("a\\b", "text", True, ""), ("area²", "int(11)", True, ""))
    (version,) = fold(
        [told],
        [
            ExportedColumn(*ODD_TABLE, name, place, type_, nullable, None, column_key)
            for place, (name, type_, nullable, column_key) in enumerate(columns, start=1)
        ],
    ).versions
    known = table_schema([Column(column.name, column.type, column.key) for column in version.columns])
    row = resolve(Row(event.row_key, None, None, event.after, event.lossy), "avro", known.text.decode(), options, None)
    assert (_image(row.row_key), row.after, row.lossy) == ({"№": "1"}, event.after, ())


def test_a_name_that_is_that_of_two_stays() -> None:
    schema = record(*ODD, *EXTENSION)
    wire = {"_id": 1, "a_b": "x", **extension("c")}
    both = exported(schema, ODD_TABLE, ("my-shop", "t"), **ODD_NAMES)
    event = decode(message(schema, wire), both)
    assert (event.schema_name, event.table_name, _image(event.after)) == ("shop", "t", {"_id": "1", "a_b": "x"})
    assert event.lossy == ("*:ambiguous_name", "*:no_key")
    both = exported(schema, ODD_TABLE, _id="№", a_b=("a-b", "a_b"))
    event = decode(message(schema, wire), both)
    assert (event.table_name, _image(event.after)) == (ODD_TABLE[1], {"№": "1", "a_b": "x"})
    assert event.lossy == ("a_b:ambiguous_name", "*:no_key")


def test_columns_that_the_export_lacks_stay() -> None:
    schema = record(*ODD)
    event = decode(message(schema, {"_id": 1, "a_b": "x"}), exported(schema, ODD_TABLE, a_b="a b"))
    assert _image(event.after) == {"_id": "1", "a b": "x"}


def test_a_table_of_virtual_columns_alone_keeps_them() -> None:
    schema = record(column("area", "int", "INT", nullable=True))
    event = decode(message(schema, {"area": None}), exported(schema, ODD_TABLE, area="area²"))
    assert _image(event.after) == {"area²": None}


def _parsed(each: Message) -> tuple[Any, ...]:
    key, value, options, *schemas = each
    return key, value, parse(options), *schemas


def _checksummed(sent: str, **changed: Any) -> Event:
    """A row of a real feed, whose columns' ids are in another order than the columns (0.1 line 2)."""
    labels = 'a,b,c\\,d,it\'s,"q",, sp,日本'
    fields = (
        ID,
        column("e", "string", "ENUM", nullable=True, allowed=labels),
        column("enn", "string", "ENUM", default="m", allowed="n,m"),
        column("s", "string", "SET", nullable=True, allowed="a,b,c d,e'f"),
        column("s64", "string", "SET", nullable=True, allowed=",".join(f"m{n}" for n in range(64))),
        column("snn", "string", "SET", default="", allowed="x,y"),
        column("j", "string", "JSON", nullable=True),
        column("v", "string", "TiDBVECTORFloat32", nullable=True),
        column("v3", "string", "TiDBVECTORFloat32", nullable=True),
    )
    schema = record(*fields, *EXTENSION, *CHECKSUM)
    wire = {"id": 2, "e": "c,d", "enn": "n", "s": "a,e'f", "s64": ",".join(f"m{n}" for n in range(64)), "snn": "y"}
    wire |= {"j": None, "v": "[1,2.5,-30000000000]", "v3": "[1,2,3]", **changed, **extension("c")}
    wire |= {"_tidb_row_level_checksum": sent, "_tidb_corrupted": False, "_tidb_checksum_version": 2}
    return decode(message(schema, wire), schema, message(KEY, wire), KEY)


def test_a_row_checksum_that_agrees() -> None:
    event = _checksummed("481311273")
    assert (event.kind, event.checksum_mismatch) == (Kind.ROW, None), event.error_message


@pytest.mark.parametrize("sent", ["", "0"])
def test_a_row_checksum_that_was_not_taken(sent: str) -> None:
    assert _checksummed(sent).checksum_mismatch is None


def test_a_row_checksum_that_differs_drops_nothing() -> None:
    for event in (_checksummed("481311274"), _checksummed("481311273", snn="x")):
        assert event.kind == Kind.ROW and event.after is not None
        found = orjson.loads(event.checksum_mismatch or b"")
        assert found["sent"] != found["computed"]


@pytest.mark.parametrize("sent", ["x", "-1", "9" * 11, "1.5", "٣"])
def test_a_row_checksum_that_is_none(sent: str) -> None:
    assert _checksummed(sent).error_code in (ErrorCode.BAD_VALUE, None)
    assert sent == "٣" or _checksummed(sent).error_code == ErrorCode.BAD_VALUE


def test_text_that_is_not_utf_8_is_flagged() -> None:
    schema = record(ID, column("v", "string", "TEXT"), *EXTENSION)
    wire = {"id": 1, "v": "ab", **extension("c")}
    value = message(schema, wire).replace(b"ab", b"a\xff")
    event = decode(value, schema, message(KEY, wire), KEY)
    assert (_image(event.after), event.lossy) == ({"id": "1", "v": "a\ufffd"}, ("v:invalid_utf8",))
    key_schema = record(column("v", "string", "TEXT"))
    deleted = decode(None, None, framed(b"\x02\xff"), key_schema)
    assert deleted.lossy == ("*:no_commit_ts", "v:invalid_utf8")


@pytest.mark.parametrize("framing", ["confluent", "glue"])
def test_framing(framing: Any) -> None:
    schema = record(ID, *EXTENSION)
    wire = {"id": 1, **extension("c")}
    value, key = message(schema, wire, framing), message(KEY, wire, framing)
    event = decode(value, schema, key, KEY, OPTIONS[framing])
    assert _image(event.after) == {"id": "1"}
    other = "glue" if framing == "confluent" else "confluent"
    for end in (0, 1, 4):
        assert schema_id(value[:end], framing) is None
    assert decode(value, schema, key, KEY, OPTIONS[other]).error_code == ErrorCode.BAD_FRAME
    assert decode(value, schema, b"x", KEY, OPTIONS[framing]).error_code == ErrorCode.BAD_FRAME
    assert decode(None, None, b"x", KEY, OPTIONS[framing]).error_code == ErrorCode.BAD_FRAME


def test_a_schema_that_is_missing_is_told_with_its_id() -> None:
    schema = record(ID, *EXTENSION)
    wire = {"id": 1, **extension("c")}
    value, key = message(schema, wire), framed(body(KEY, wire), schema_id=9)
    for event, text in (
        (decode(value, None, key, KEY), "the value's writer schema 7 is not known"),
        (decode(value, schema, key, None), "the key's writer schema 9 is not known"),
        (decode(None, None, key, None), "the key's writer schema 9 is not known"),
    ):
        assert (event.error_code, event.error_message) == (ErrorCode.SCHEMA_MISSING, text)


BAD_SCHEMAS = [
    "",
    "{",
    "[]",
    '"string"',
    "[" * 100_000,
    '{"type":"record"}',
    '{"type":"record","name":"t","fields":{}}',
    '{"type":"record","name":"t","fields":[]}',
    '{"type":"record","name":"t","fields":[1]}',
    json.dumps(record(ID, ID)),
    json.dumps(record({"name": "v"})),
    json.dumps(record({"name": "v", "type": ["null", "int", "string"]})),
    json.dumps(record({"name": "v", "type": ["int"]})),
    json.dumps(record({"name": "v", "type": {"type": "array", "items": "int"}})),
    json.dumps(record({"name": "v", "type": "default.shop.t"})),
    json.dumps(record({"name": "v", "type": record(ID, name="x")})),
    json.dumps(record({"name": "v", "type": record({"name": "w", "type": record(ID, name="y")}, name="x")})),
    json.dumps(record(column("v", "bytes", "DECIMAL", logicalType="decimal", precision=-1, scale=2))),
    json.dumps(record(column("v", "bytes", "DECIMAL", logicalType="decimal", precision="5"))),
    json.dumps(record({"name": "v", "type": "int"}, name="t") | {"namespace": 5}),
]


@pytest.mark.parametrize("schema", BAD_SCHEMAS, ids=range(len(BAD_SCHEMAS)))
def test_schemas_of_another_kind(schema: str) -> None:
    value, key = framed(b"\x02" * 8), message(KEY, {"id": 1})
    for event in (
        decode(value, schema, key, KEY),
        decode(value, record(ID), key, schema),
        decode(None, None, key, schema),
    ):
        assert event.error_code in (ErrorCode.BAD_AVRO, ErrorCode.BAD_SHAPE), event.error_message


def test_a_key_of_another_table() -> None:
    schema = record(column("a", "int", "INT"))
    event = decode(message(schema, {"a": 1}), schema, message(KEY, {"id": 1}), KEY)
    assert event.error_code == ErrorCode.BAD_SHAPE


@pytest.mark.parametrize("key_schema", [KEY, None])
def test_an_old_row_that_lacks_a_column_of_the_key(key_schema: Any) -> None:
    """Without message key the whole row is the key."""
    schema = record(ID, before(column("a", "int", "INT")))
    value = message(schema, {"id": 1, "_ticdc_before": {"a": 1}})
    event = decode(value, schema, key_schema and message(KEY, {"id": 1}), key_schema)
    assert event.error_code == ErrorCode.BAD_SHAPE


BROKEN = [
    (b"", "ends"),
    (b"\x02", "ends"),
    (b"\x02\x08abc", "ends"),
    (b"\x02\x01", "ends"),
    (b"\x02\x06abc\x00", "after"),
    (b"\x80" * 9, "ends"),
    (b"\xff" * 10 + b"\x01", "64 bits"),
    (b"\xff" * 9 + b"\x02\x00", "64 bits"),
    (b"\x02\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01", "ends"),
]


@pytest.mark.parametrize(("data", "place"), BROKEN, ids=range(len(BROKEN)))
def test_bodies_of_another_kind(data: bytes, place: str) -> None:
    event = decode(framed(data), record(ID, column("v", "string", "TEXT")))
    assert event.error_code == ErrorCode.BAD_AVRO
    assert place in (event.error_message or "")


def test_a_union_has_two_branches_and_a_boolean_two_values() -> None:
    assert decode(framed(b"\x04"), record(column("v", "int", "INT", nullable=True))).error_code == ErrorCode.BAD_AVRO
    assert decode(framed(b"\x02"), record(column("v", "boolean", "BIT"))).error_code == ErrorCode.BAD_AVRO
    assert _image(decode(framed(b"\x01"), record(column("v", "boolean", "BIT"))).after) == {"v": "1"}


@pytest.mark.parametrize("bits", ["nan", "inf", "-inf"])
def test_numbers_that_tidb_has_not(bits: str) -> None:
    for kind, tidb_type in (("float", "FLOAT"), ("double", "DOUBLE"), ("double", "FLOAT")):
        assert row(column("v", kind, tidb_type), v=float(bits)).error_code == ErrorCode.BAD_VALUE


def test_error_messages_hold_no_value_of_the_message() -> None:
    secret = "s3cr3t"
    field = column("v", "string", "TIMESTAMP")
    for event in (
        row(field, v=secret, options='{"time_zone":"Asia/Tokyo"}'),
        row(op=secret),
        decode(framed(secret.encode()), record(column(secret, "string", "TEXT"))),
        decode(framed(b"\x02"), '{"type":"record","name":"' + secret),
        decode(framed(b"\x02"), record({"name": secret, "type": secret})),
        _checksummed(secret),
    ):
        assert event.kind == Kind.ERROR
        assert secret not in (event.error_message or "")


def test_no_messages() -> None:
    assert decode_batch(*arrays([])).equals(arrow.decode_each(avro.decode, *arrays([])))


def _together(messages: list[Message]) -> int:
    return read_together(avro, decode_batch, arrays(messages))


MIXED = (
    ID,
    column("u", "long", "BIGINT UNSIGNED", nullable=True),
    column("n", "long", "BIGINT"),
    column("t", "string", "TEXT"),
    column("nt", "string", "TEXT", nullable=True),
    column("dt", "string", "TEXT", nullable=True, default="x"),
    column("f", "float", "FLOAT", nullable=True),
    column("d", "double", "DOUBLE"),
    column("fd", "double", "FLOAT", nullable=True),
    column("b", "bytes", "BLOB", nullable=True),
    column("bits", "bytes", "BIT", length="64"),
    column("dec", "bytes", "DECIMAL", nullable=True, logicalType="decimal", precision=20, scale=3),
    column("dec0", "bytes", "DECIMAL", logicalType="decimal", precision=65, scale=0),
    column("y", "int", "YEAR"),
    column("ok", "boolean", "BIT"),
    column("ts", "string", "TIMESTAMP", nullable=True),
)
texts = st.text(st.characters(codec="utf-8"), max_size=20)
longs = st.integers(-(2**63), 2**63 - 1) | st.integers(-200, 200)
moments = st.sampled_from(
    ["2020-01-15 08:00:00", "2020-07-15 08:00:00.5", "0000-00-00 00:00:00", "2020-11-01 01:30:00"]
)
DECIMALS = [Decimal(number).scaleb(-3) for number in (0, 5, -5, 1000, 2**63 - 1, -(2**63), 127, 128, -128, -129)]
rows = st.fixed_dictionaries(
    {
        "id": st.integers(0, 3),
        "u": st.none() | longs,
        "n": longs,
        "t": texts,
        "nt": st.none() | texts,
        "dt": st.none() | texts,
        "f": st.none() | st.floats(width=32, allow_nan=False, allow_infinity=False),
        "d": st.floats(allow_nan=False, allow_infinity=False),
        "fd": st.none() | st.floats(allow_nan=False, allow_infinity=False),
        "b": st.none() | st.binary(max_size=9),
        "bits": st.binary(max_size=8),
        "dec": st.none() | st.sampled_from(DECIMALS),
        "dec0": st.sampled_from([0, 1, -1, 10**19]).map(Decimal) | st.integers(-(10**18), 10**18).map(Decimal),
        "y": st.sampled_from([0, 1901, 2155]),
        "ok": st.booleans(),
        "ts": st.none() | moments,
    }
)


@settings(max_examples=60, deadline=None, database=None, suppress_health_check=list(HealthCheck))
@given(
    st.lists(st.tuples(rows, rows, st.sampled_from("cud"), st.booleans()), min_size=1, max_size=12),
    st.sampled_from([(), ("_tidb_op",), ("_ticdc_before",), ("_ticdc_before", "_tidb_op")]),
    st.sampled_from(["{}", '{"time_zone":"America/New_York"}', OPTIONS["glue"]]),
    st.booleans(),
)
def test_many_rows_read_together_are_those_of_single_messages(
    drawn: list[tuple[dict[str, Any], dict[str, Any], str, bool]], extra: tuple[str, ...], options: str, keyed: bool
) -> None:
    fields = [*MIXED, *([before(*MIXED)] if "_ticdc_before" in extra else ())]
    schema = record(*fields, *(EXTENSION if "_tidb_op" in extra else ()))
    framing: Any = "glue" if "glue" in options else "confluent"
    messages: list[Message] = []
    for new, old, op, has_old in drawn * (FEW // len(drawn) + 1):
        wire = {**new, "_ticdc_before": old if has_old else None, **extension(op)}
        key = message(KEY, new, framing) if keyed else b""
        messages.append(
            (key, message(schema, wire, framing), options, json.dumps(KEY) if keyed else None, json.dumps(schema))
        )
    together = _together(messages)
    assert together == len(messages) or "time_zone" in options


def test_timestamps_that_are_none_leave_the_image_valid_json() -> None:
    schema = record(ID, column("ts", "string", "TIMESTAMP"))
    options = '{"time_zone":"America/New_York"}'
    texts = ['2020-01-15 08:00:00."\\', "2020-01-15 08:00:00.\x00", '0000-00-00","x":"y'] * FEW
    bodies = [message(schema, {"id": number, "ts": text}) for number, text in enumerate(texts)]
    assert _together([(b"", body, options, None, json.dumps(schema)) for body in bodies]) == len(texts)


def _plain_messages(count: int) -> list[Message]:
    schema = record(*COLUMNS, *EXTENSION)
    return [
        (
            message(KEY, {"id": number}),
            message(schema, {"id": number, "a": f"a{number}", "b": None, **extension("c")}),
            "{}",
            json.dumps(KEY),
            json.dumps(schema),
        )
        for number in range(count)
    ]


def test_rows_read_together_have_the_names_of_the_export() -> None:
    messages = [odd_row(op, a_b=text) for op in "cud" for text in ("x", 'é"', None)] * FEW
    assert _together(messages) == len(messages)


def test_broken_messages_of_a_batch_do_no_harm_to_others() -> None:
    good = _plain_messages(4 * FEW)
    generator = random.Random(1)
    broken = list(good)
    key, value, options, key_schema, value_schema = good[0]
    assert key is not None and value is not None
    others: list[Message] = [
        (key, None, options, key_schema, None),
        (None, None, options, None, None),
        (key, b"", options, key_schema, value_schema),
        (key, b"\x00", options, key_schema, value_schema),
        (b"", value, options, key_schema, value_schema),
        (key, value, options, None, value_schema),
        (key, value, options, key_schema, None),
        (b"\x01" + key[1:], value, options, key_schema, value_schema),
        (key, b"\x01" + value[1:], options, key_schema, value_schema),
        (key, value, "{", key_schema, value_schema),
        (key, value, None, key_schema, value_schema),  # type: ignore[list-item]
    ]
    others += [(key, value[:end], options, key_schema, value_schema) for end in range(5, len(value))]
    others += [(key, value + b"\x00", options, key_schema, value_schema)]
    for other in others:
        broken.insert(generator.randrange(len(broken)), other)
    assert _together(broken) >= len(good)


def test_text_that_is_not_utf_8_makes_a_group_read_one_by_one() -> None:
    messages = _plain_messages(FEW)
    key, value, *rest = messages[3]
    assert value is not None
    messages[3] = (key, value.replace(b"a3", b"a\xff"), *rest)  # type: ignore[assignment]
    assert _together(messages) == 0


def test_a_slice_of_a_batch_is_read_where_it_is() -> None:
    messages = _plain_messages(3 * FEW)
    sliced = [array.slice(FEW, FEW + 5) for array in arrays(messages)]
    assert decode_batch(*sliced).equals(decode_batch(*arrays(messages[FEW : 2 * FEW + 5])))


def test_packed_writer_schemas_give_the_same() -> None:
    messages = _plain_messages(2 * FEW)
    messages += [(key, value, options, None, None) for key, value, options, _, _ in messages[:3]]
    assert decoded_packed(avro, messages).equals(arrow.decode_each(avro.decode, *arrays(messages)))


ALL = pytest.mark.parametrize("variant", variants("avro"), ids=lambda variant: variant.name)


@cache
def _events(variant: AvroVariant) -> tuple[Event, ...]:
    return tuple(arrow.decode_message(avro.decode, *each)[0] for each in variant.messages)


@ALL
def test_every_message_of_the_corpus_decodes(variant: AvroVariant) -> None:
    has_before = variant.meta["sink_uri_options"].get("avro-include-before-value") == "true"
    assert {event.kind for event in _events(variant)} == {Kind.ROW}
    rows = [event for event in _events(variant) if event.table_name]
    # deletions that name no row, in a table that has its key from a later DDL on alone
    assert (len(rows) < len(_events(variant))) is not has_before
    assert len(_events(variant)) - len(rows) <= 4
    kept = [event for event in rows if event.op != "delete" or has_before]
    assert {event.commit_ts_exact for event in kept} == {variant.has_extension}
    assert {event.op for event in rows} == {
        "delete",
        *(("insert", "update") if variant.has_extension or has_before else ("upsert",)),
    }
    assert {event.before is None for event in rows if event.op == "delete"} == {False}
    assert {event.checksum_mismatch for event in rows} == {None}


@ALL
def test_batches_of_the_corpus_are_those_of_single_messages(variant: AvroVariant) -> None:
    messages = variant.messages
    together = _together(messages)
    checked = variant.meta["integrity_check"]
    assert (together > 100) is not checked
    by_schema = sorted(messages, key=lambda each: str(each[4]))
    assert _together(by_schema[:400]) + _together(by_schema[400:]) > 0 or checked


def _sanitized(name: str) -> str:
    return re.sub("^(?=[0-9])", "_", re.sub("[^A-Za-z0-9_]", "_", name))


_Change = tuple[str, str]


@cache
def _canal_rows() -> dict[_Change, list[tuple[Event, Any, Any, Any]]]:
    """The row events of canal-json with full types by table, with sanitized names: event, key, old and new image."""
    canal = Variant(root(), "canal_json_compatible")
    found: dict[_Change, list[tuple[Event, Any, Any, Any]]] = defaultdict(list)
    for line in canal.records:
        (event,) = arrow.decode_message(canal_json.decode, line.key, line.value, canal.options_text)
        if event.kind == Kind.ROW:
            images = (
                image and {_sanitized(name): text for name, text in image.items()}
                for image in map(_image, (event.row_key, event.before, event.after))
            )
            found[_sanitized(event.schema_name or ""), _sanitized(event.table_name or "")].append((event, *images))
    return found


def _same(canal: Any, image: Any) -> bool:
    """Whether images are equal, but for virtual columns, which are NULL in Avro and not at all in canal-json."""
    if canal is None or image is None:
        return canal is image
    return all(image.get(name, "") == text for name, text in canal.items()) and all(
        image[name] is None for name in image.keys() - canal.keys()
    )


@ALL
def test_rows_of_the_corpus_equal_those_of_canal_json(variant: AvroVariant) -> None:
    has_before = variant.meta["sink_uri_options"].get("avro-include-before-value") == "true"
    counts: Counter[str] = Counter()
    for event in _events(variant):
        if not event.table_name:
            continue
        candidates = [
            each
            for each in _canal_rows()[event.schema_name or "", event.table_name]
            if event.commit_ts in (None, each[0].commit_ts)
            and (each[0].op == event.op or (event.op == "upsert" and each[0].op != "delete"))
        ]
        key, old, new = map(_image, (event.row_key, event.before, event.after))
        found = [
            each
            for each in candidates
            if (each[1] == key if event.op == "delete" and not has_before else _same(each[3], new))
            and (not has_before or _same(each[2], old))
        ]
        assert found, f"{event.schema_name}.{event.table_name} {event.op} {key} at {event.commit_ts}"
        assert any(each[1] == key or "*:no_key" in event.lossy for each in found)
        counts[event.op or ""] += 1
        counts["cells"] += len(new or ()) + len(old or ())
        for flag in event.lossy:
            name, _, reason = flag.rpartition(":")
            # what no export tells of may be a virtual generated column
            if name != "*":
                assert reason == "null_or_generated"
                assert None in [(image or {}).get(name, "") for image in (new, old)]
    print(variant.name, dict(counts))
    assert counts["cells"] > 15_000
