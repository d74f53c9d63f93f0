"""Debezium: a NULL is written as the column's default, of an expression as 0 or as its text (facts 0.1 line 6, 3.6)."""

from __future__ import annotations

import json
from base64 import b64encode
from typing import Any

import pyarrow as pa
import pytest
from support.catalogue import folded, last
from support.debezium import INT, VARCHAR, decode, field, key_message, row_message

from ticdc_udfs.catalogue.records import records
from ticdc_udfs.catalogue.tables import Column as CatalogueColumn
from ticdc_udfs.contract.schemas import Column, table_schema
from ticdc_udfs.protocols.debezium import values as debezium_values
from ticdc_udfs.protocols.resolution import Row, resolve, unsure_cells, unsure_cells_batch


def of_ddl(definition: str) -> CatalogueColumn:
    (_, column) = last(folded(f"CREATE TABLE t (id INT PRIMARY KEY, v {definition})"), "t").columns
    return column


def as_schema(column: CatalogueColumn) -> str:
    """The table's schema as the catalogue gives it to rows."""
    default = column.default if column.default_expression is None else column.default_expression
    columns = [Column("id", "int(11)", 1), Column("v", column.type, None, column.nullable, default)]
    return table_schema(columns).text.decode()


def flags_by(schema: str, options: str, image: str) -> tuple[str, ...] | None:
    """The flags of a row whose message told all else, which stays as it is."""
    told = unsure_cells("debezium", schema, options, None, image)
    assert told is None or (told.before, told.after) == (None, None)
    return None if told is None else told.lossy


def base64(text: str) -> str:
    return b64encode(text.encode()).decode()


# a column's definition, what the encoder writes in place of NULL, and what it cannot be
EXPRESSIONS: list[tuple[str, Any, Any]] = [
    ("BIGINT DEFAULT NEXT VALUE FOR s", 0, 1),
    ("BIGINT UNSIGNED DEFAULT NEXTVAL(`d`.`s`)", 0, 7),
    ("INT DEFAULT (RAND() * 10)", 0, 10),
    ("TINYINT DEFAULT (RAND())", 0, 1),
    ("DOUBLE DEFAULT (RAND())", 0, "0.5"),
    ("FLOAT DEFAULT (RAND())", 0, "0.5"),
    ("DECIMAL(10,2) DEFAULT (RAND())", 0, "0.01"),
    ("YEAR DEFAULT (RAND())", 0, 2024),
    ("VARCHAR(40) DEFAULT (UUID())", "uuid()", "UUID"),
    ("CHAR(40) DEFAULT (UPPER(REPLACE(UUID(), '-', '')))", "upper(replace(uuid(), _utf8mb4'-', _utf8mb4''))", "A"),
    (
        "VARCHAR(40) DEFAULT (DATE_FORMAT(NOW(), '%Y-%m-%d'))",
        "date_format(now(), _utf8mb4'%Y-%m-%d')",
        "2024-01-01",
    ),
    ("VARCHAR(40) DEFAULT (NEXT VALUE FOR s)", "nextval(`d`.`s`)", "nextval"),
    ("JSON DEFAULT (JSON_OBJECT('a', 1))", "json_object(_utf8mb4'a', 1)", '{"a": 1}'),
    ("TEXT DEFAULT (UUID())", "uuid()", "x"),
    ("BINARY(16) DEFAULT (UUID_TO_BIN(UUID()))", base64("uuid_to_bin(uuid())"), base64("x")),
    ("ENUM('a','b') DEFAULT (UUID())", "", "a"),
    ("SET('a','b') DEFAULT (UUID())", "", "a,b"),
]


@pytest.mark.parametrize(("definition", "null", "other"), EXPRESSIONS)
def test_without_inline_schema(definition: str, null: Any, other: Any) -> None:
    schema = as_schema(of_ddl(definition))
    for value, flags in ((null, ("v:null_or_default",)), (other, ())):
        event = decode(row_message({"id": 1, "v": value}), key_message({"id": 1}))
        row = Row(event.row_key, event.before_key, event.before, event.after, event.lossy)
        assert resolve(row, "debezium", schema, "{}", None).lossy == flags, value


@pytest.mark.parametrize(("definition", "null", "other"), EXPRESSIONS)
def test_with_inline_schema_the_catalogue_tells(definition: str, null: Any, other: Any) -> None:
    """The schema of a message has no default that is no number, of a column that is one."""
    schema = as_schema(of_ddl(definition))
    options = '{"binary_handling_mode":"base64"}'
    for value, flags in ((null, ("v:null_or_default",)), (other, None)):
        image = json.dumps({"id": "1", "v": str(value)})
        assert flags_by(schema, options, image) == flags, value


@pytest.mark.parametrize(
    ("column_type", "default", "null"),
    [
        ("bigint(20)", "nextval(`d`.`s`)", "0"),
        ("double", "rand()", "0"),
        ("varchar(40)", "uuid()", "uuid()"),
        ("json", "json_object(_utf8mb4'a', 1)", "json_object(_utf8mb4'a', 1)"),
        ("binary(16)", "uuid_to_bin(uuid())", base64("uuid_to_bin(uuid())")),
        ("enum('a','b')", "uuid()", ""),
    ],
)
def test_an_export_tells_that_a_default_is_an_expression(column_type: str, default: str, null: str) -> None:
    """By the word DEFAULT_GENERATED, which also stands beside the constant of a column with ON UPDATE."""
    members = ("TABLE_SCHEMA", "TABLE_NAME", "COLUMN_NAME", "ORDINAL_POSITION", "COLUMN_TYPE")
    members += ("IS_NULLABLE", "COLUMN_DEFAULT", "COLUMN_KEY", "EXTRA")
    export = [
        ("shop", "t", "id", 1, "int(11)", "NO", None, "PRI", ""),
        ("shop", "t", "v", 2, column_type, "YES", default, "", "DEFAULT_GENERATED"),
        ("shop", "t", "w", 3, "datetime", "NO", "2020-01-01", "", "DEFAULT_GENERATED on update CURRENT_TIMESTAMP"),
    ]
    facts = '{"protocol":"debezium","hides_nulls_of":"expressions","binary_handling_mode":"base64"}'
    (version,) = records("[]", json.dumps([dict(zip(members, row, strict=True)) for row in export]), facts)
    _, told, constant = json.loads(version["columns"])
    assert (told.get("default"), told["default_expression"]) == (None, default)
    assert constant["default"] == "2020-01-01 00:00:00"
    assert version["has_unsure_cells"]
    image = json.dumps({"id": "1", "v": null, "w": "2024-01-01 00:00:00"})
    options = '{"binary_handling_mode":"base64"}'
    assert flags_by(version["table_schema"], options, image) == ("v:null_or_default",)


@pytest.mark.parametrize("definition", [each[0] for each in EXPRESSIONS])
def test_a_column_that_is_not_null(definition: str) -> None:
    schema = as_schema(of_ddl(definition.replace(" DEFAULT", " NOT NULL DEFAULT")))
    for text in ("0", "uuid()", "", base64("uuid_to_bin(uuid())")):
        image = json.dumps({"id": "1", "v": text})
        assert flags_by(schema, '{"binary_handling_mode":"base64"}', image) is None


def test_an_inline_default_is_flagged_by_the_message() -> None:
    fields = [field("id", INT, optional=False), field("v", VARCHAR, default="uuid()")]
    event = decode(row_message({"id": 1, "v": "uuid()"}, fields), key_message({"id": 1}, fields))
    assert event.lossy == ("v:null_or_default",)


def test_flags_of_many_rows() -> None:
    schema = as_schema(of_ddl("BIGINT DEFAULT NEXT VALUE FOR s"))
    null, other = '{"id":"1","v":"0"}', '{"id":"2","v":"5"}'
    arrays = [
        ["debezium"] * 5,
        [schema, schema, None, schema, "["],
        ["{}"] * 5,
        [None, null, null, other, null],
        [null, other, null, None, null],
    ]
    lossy = pa.array([["id:no_key"], None, None, None, ["x"]], pa.list_(pa.string()))
    found = unsure_cells_batch(*(pa.array(array, pa.string()) for array in arrays), lossy)
    assert found.field("lossy").to_pylist() == [
        ["id:no_key", "v:null_or_default"],
        ["v:null_or_default"],
        None,
        None,
        None,
    ]
    assert {*found.field("before").to_pylist(), *found.field("after").to_pylist()} == {None}


@pytest.mark.parametrize(
    "name", ["v", "ключ", "a b`c", "line\u2028", 'dq"uote', "back\\slash", "tab\t", "cell_1", "\U0001d433"]
)
@pytest.mark.parametrize("is_ascii", [False, True])
def test_a_column_of_any_name(name: str, is_ascii: bool) -> None:
    columns = [
        {"name": "cell_0", "type": "int"},
        {"name": name, "type": "bigint", "nullable": True, "default": "next value for `s`"},
    ]
    for text, flags in (("0", (f"{name}:null_or_default",)), ("1", None)):
        image = json.dumps({"cell_0": "0", name: text}, ensure_ascii=is_ascii)
        assert flags_by(json.dumps(columns), "{}", image) == flags


# Constants whose text is not what the encoder writes

CONSTANTS: list[tuple[str, str, bool]] = [
    ("YEAR DEFAULT 1", "1", True),
    ("YEAR DEFAULT 1", "2001", True),
    ("YEAR DEFAULT '99'", "99", True),
    ("YEAR DEFAULT '01'", "01", True),
    ("CHAR(5) DEFAULT 'a '", "a ", True),
    ("CHAR(5) DEFAULT 'a '", " a", False),
    ("DATETIME DEFAULT '0001-01-01 00:00:00'", "2001-01-01 00:00:00", True),
    ("DATETIME(3) DEFAULT '0069-12-31 23:59:59.5'", "2069-12-31 23:59:59.500", True),
    ("DATE DEFAULT '0070-01-01'", "1970-01-01", True),
    ("DATE DEFAULT '0100-01-01'", "0100-01-01", True),
    ("DATE DEFAULT '0100-01-01'", "2100-01-01", False),
    ("DATETIME DEFAULT '0000-00-00 00:00:00'", "1970-01-01 00:00:00", False),
    ("YEAR DEFAULT 2155", "55", False),
    ("ENUM('Red','blue') DEFAULT 'red'", "Red", True),
    ("ENUM('Red','blue') DEFAULT 'red'", "blue", False),
    ("SET('A','b') DEFAULT 'a,B'", "A,b", True),
    ("TIMESTAMP NULL DEFAULT '0000-00-00 00:00:00'", "0000-00-00 00:00:00", False),
    ("INT DEFAULT 0", "0", True),
    ("VARCHAR(9) DEFAULT '(x)'", "(x)", True),
]


@pytest.mark.parametrize(("definition", "text", "may_be_null"), CONSTANTS)
def test_constants_that_come_in_another_way(definition: str, text: str, may_be_null: bool) -> None:
    column = of_ddl(definition)
    same = debezium_values.stands_for_null(column.type, column.default or "", None)
    assert (same is not None and same(text)) is may_be_null


def test_a_default_of_an_enum_by_number() -> None:
    same = debezium_values.stands_for_null("enum('a','b')", "2", None)
    assert same is not None and same("b") and not same("a")
    same = debezium_values.stands_for_null("enum('2','1')", "2", None)
    assert same is not None and same("2") and not same("1")
