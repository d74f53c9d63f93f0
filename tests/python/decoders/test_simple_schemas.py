"""Simple: table schemas, which DDL and bootstraps bear."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Mapping
from typing import Any

import pytest
from support.simple import (
    BOTH,
    COMMIT_TS,
    SCHEMA,
    VERSION,
    bootstrap_message,
    column,
    columns_of,
    ddl_message,
    decode,
    index,
    schema_of,
)

from ticdc_udfs.contract.events import Event, Kind


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
    columns = [column(name, "int", nullable=name == "n") for name in "abcdn"]
    event = decode(bootstrap_message(schema_of(columns, indexes)), encoding)
    return {each.name: each.key for each in columns_of(event.table_schema) if each.key}


@BOTH
def test_key_places(encoding: str) -> None:
    """The primary key in index order, else the shortest unique index without NULL, ties by order, else none."""
    primary, pair, first, second = index("c", "a", primary=True), index("a", "b"), index("d"), index("b")
    assert _keys(second, primary, encoding=encoding) == {"c": 1, "a": 2}
    assert _keys(pair, first, second, encoding=encoding) == {"d": 1}
    assert _keys(pair, index("n", nullable=True), index("c", unique=False), encoding=encoding) == {"a": 1, "b": 2}
    assert _keys(index("n", nullable=True), index("c", unique=False), encoding=encoding) == {}
    assert _keys(index("_V$_hidden_0"), pair, encoding=encoding) == {"a": 1, "b": 2}


@BOTH
def test_a_unique_index_can_hold_null_where_its_columns_can(encoding: str) -> None:
    """The classic encoder sorts a table's columns by id and then looks the index up by their former places."""
    assert _keys(index("n", nullable=False), encoding=encoding) == {}
    assert _keys(index("b", nullable=True), encoding=encoding) == {"b": 1}
    assert _keys(index("a", "n", nullable=False), index("b", "c", nullable=True), encoding=encoding) == {"b": 1, "c": 2}


@BOTH
def test_a_primary_key_with_a_unique_index_of_its_columns(encoding: str) -> None:
    """`id SERIAL PRIMARY KEY` has both; only the first unique index comes as primary where there is no such key."""
    integer, own = index("c", primary=True), {**index("b", "c", primary=True), "name": "PRIMARY"}
    assert _keys(index("a"), index("c"), integer, encoding=encoding) == {"c": 1}
    assert _keys(index("a"), index("b", "c"), own, encoding=encoding) == {"b": 1, "c": 2}
    assert _keys(index("b", "c"), index("a"), own, encoding=encoding) == {"b": 1, "c": 2}
    implicit = index("a", "b", primary=True)
    assert _keys(index("n", nullable=True), index("a", "b"), index("c"), implicit, encoding=encoding) == {"c": 1}


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
