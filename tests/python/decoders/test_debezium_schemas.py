"""Debezium JSON: inline schemas and DDL."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from support.debezium import (
    BIT1,
    BIT12,
    COMMIT_TS,
    DECIMAL,
    INT,
    KEY,
    MICROS,
    UBIGINT,
    ZONED,
    change,
    column,
    ddl_message,
    decode,
    field,
    row_message,
    shape_of,
)
from support.images import schema_of

from ticdc_udfs.contract.events import Kind

TYPES = [
    (INT, "int"),
    (UBIGINT, "bigint unsigned"),
    (DECIMAL, "decimal"),
    (BIT1, "bit(1)"),
    (BIT12, "bit(12)"),
    (MICROS, "datetime"),
    (ZONED, "timestamp"),
    (shape_of("enum", "string", "io.debezium.data.Enum", allowed='a,b,c\\,d,it\'s,"q",, sp,日本'), None),
    (shape_of("enum", "string", "io.debezium.data.Enum", allowed="a,c\\,d,,\\,"), "enum('a','c,d','',',')"),
    (shape_of("set", "string", "io.debezium.data.EnumSet", allowed="a\\,e'f"), "set('a\\','e''f')"),
    (shape_of("vector", "string", "io.debezium.data.TiDBVectorFloat32"), "vector"),
    ({"type": "int16"}, "smallint"),
    ({"type": "string"}, "text"),
    ({"type": "double"}, "double"),
    ({"type": "int64", "name": "io.debezium.time.Timestamp"}, "datetime"),
    ({"type": "string", "name": "io.debezium.time.ZonedTimestamp"}, "timestamp"),
    ({"type": "string", "name": "io.debezium.data.Enum", "parameters": {"allowed": "a,b"}}, "enum('a','b')"),
    ({"type": "boolean"}, "bit(1)"),
]


@pytest.mark.parametrize(("shape", "column_type"), TYPES)
def test_types_of_inline_schemas(shape: Mapping[str, Any], column_type: str | None) -> None:
    fields = [field("id", INT, optional=False), field("v", shape)]
    event = decode(row_message({"id": 1, "v": None}, fields), KEY)
    want = column_type or "enum('a','b','c,d','it''s','\"q\"','',' sp','日本')"
    assert schema_of(event.table_schema) == [
        {"name": "id", "type": "int", "key": 1, "nullable": False},
        {"name": "v", "type": want, "key": None, "nullable": True},
    ]


COLUMNS = [
    (column("id", "BIGINT UNSIGNED", optional=False, autoIncremented=True), "bigint unsigned", None),
    (column("i", "INT", 10, defaultValueExpression="7"), "int(10)", "7"),
    (column("z", "INT UNSIGNED ZEROFILL", 8), "int(8) unsigned zerofill", None),
    (column("d", "DECIMAL", 10, 2, defaultValueExpression="0.00"), "decimal(10,2)", "0.00"),
    (column("d0", "DECIMAL", 65, 0), "decimal(65,0)", None),
    (column("b", "BIT", defaultValueExpression="1"), "bit", "1"),
    (column("v", "VARCHAR", 40, defaultValueExpression="it's"), "varchar(40)", "it's"),
    (column("v0", "VARCHAR", 9, defaultValueExpression=""), "varchar(9)", ""),
    (column("dt", "DATETIME", 0), "datetime", None),
    (column("ts", "TIMESTAMP", 3), "timestamp(3)", None),
    (column("dd", "DOUBLE", 20, 5), "double(20,5)", None),
    (column("e", "ENUM", 1, enumValues=["'a'", "'it's'", "'c,d'", "''"]), "enum('a','it''s','c,d','')", None),
    (column("s", "SET", 3, enumValues=["'x'", "'y'"], defaultValueExpression="x"), "set('x','y')", "x"),
]


def test_ddl_tells_the_tables_schema() -> None:
    """2.3: labels come in plain quotes, and defaults as plain text."""
    event = decode(ddl_message("ALTER TABLE `t`", [change([each for each, _, _ in COLUMNS], ["i", "id"])]))
    assert (event.kind, event.ddl_query, event.ddl_type) == (Kind.DDL, "ALTER TABLE `t`", "ALTER")
    assert (event.schema_name, event.table_name, event.commit_ts, event.lossy) == ("shop", "t", COMMIT_TS, ())
    keys = {"i": 1, "id": 2}
    want = []
    for each, column_type, default in COLUMNS:
        name = each["name"]
        wire = {"name": name, "type": column_type, "key": keys.get(name), "nullable": name != "id"}
        want.append(wire if default is None else {**wire, "default": default})
    assert schema_of(event.table_schema) == want


@pytest.mark.parametrize(
    ("table", "changes", "ddl_type", "with_schema"),
    [
        ("", [], None, False),
        ("t", [], None, False),
        ("t", [change(None, type="DROP")], "DROP", False),
        ("t", [change([column("id", "INT")], type="DROP")], "DROP", True),
        ("t", [change([column("id", "INT")], type="CREATE")], "CREATE", True),
        ("v", [change([column("id", "UNSPECIFIED")], id='"shop"."v"', type="CREATE")], "CREATE", False),
        ("new", [change([column("id", "INT")], id='"shop"."old","shop"."new"')], "ALTER", True),
        ("last", [change([column("id", "INT")], id='"shop"."tmp","shop"."last"')], "ALTER", True),
        ("exch", [change([column("id", "INT")], id='"shop"."sales"')], "ALTER", False),
        ('d"q', [change([column("id", "INT")], id='"shop"."d"q"')], "ALTER", True),
    ],
    ids=[
        "create database",
        "truncate",
        "drop table",
        "drop index",
        "create table",
        "create view",
        "rename",
        "rename of several tables",
        "exchange partition",
        "quote in the name",
    ],
)
def test_ddl_messages(
    table: str, changes: Sequence[Mapping[str, Any]], ddl_type: str | None, with_schema: bool
) -> None:
    """0.1 lines 3, 4 and 8: EXCHANGE names the normal table and gives the partitioned one's columns; RENAME of several
    tables gives the final name; a view comes as a created table without types."""
    event = decode(ddl_message("ddl", changes, table=table))
    assert (event.kind, event.schema_name, event.table_name, event.ddl_type) == (Kind.DDL, "shop", table, ddl_type)
    assert (event.table_schema is not None, event.table_schema_id is not None) == (with_schema, with_schema)


@pytest.mark.parametrize(
    ("default", "text"), [("7", "7"), (7, "7"), (2**64 - 1, str(2**64 - 1)), (-1.5, "-1.5"), (None, None)]
)
def test_a_default_that_is_no_text(default: Any, text: str | None) -> None:
    """Tables of old releases of TiDB may have such; the encoder writes them as they are."""
    event = decode(ddl_message("ddl", [change([column("n", "INT", defaultValueExpression=default)])]))
    assert event.error_message is None
    assert (schema_of(event.table_schema) or ())[0].get("default") == text


def test_ddl_text_is_as_restored() -> None:
    """0.1 line 5: introducers stay, and backslashes are not escaped."""
    sql = "CREATE TABLE `t` (`v` VARCHAR(9) DEFAULT _UTF8MB4'a\\b',`e` ENUM('three\\3'),`x` BINARY(2) DEFAULT x'00ff')"
    assert decode(ddl_message(sql)).ddl_query == sql
