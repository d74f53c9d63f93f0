"""Columns, their defaults and indexes, as DDL texts define them."""

from __future__ import annotations

import pytest
from support.ddl import column, indexes, one

from ticdc_udfs.catalogue.changes import Charset, CreateTable, DdlKind, Index
from ticdc_udfs.catalogue.column_types import Default
from ticdc_udfs.catalogue.ddl import statements


@pytest.mark.parametrize(
    ("definition", "column_type"),
    [
        ("TINYINT", "tinyint(4)"),
        ("TINYINT UNSIGNED", "tinyint(3) unsigned"),
        ("SMALLINT", "smallint(6)"),
        ("MEDIUMINT UNSIGNED", "mediumint(8) unsigned"),
        ("INTEGER", "int(11)"),
        ("INT(5)", "int(5)"),
        ("INT(8) UNSIGNED ZEROFILL", "int(8) unsigned"),
        ("INT ZEROFILL", "int(10) unsigned"),
        ("BIGINT SIGNED", "bigint(20)"),
        ("BIGINT UNSIGNED", "bigint(20) unsigned"),
        ("INT1", "tinyint(4)"),
        ("INT8", "bigint(20)"),
        ("MIDDLEINT", "mediumint(9)"),
        ("BOOL", "tinyint(1)"),
        ("BOOLEAN", "tinyint(1)"),
        ("SERIAL", "bigint(20) unsigned"),
        ("DECIMAL", "decimal(10,0)"),
        ("DEC(5)", "decimal(5,0)"),
        ("DECIMAL(0)", "decimal(10,0)"),
        ("DECIMAL(0,0)", "decimal(10,0)"),
        ("NUMERIC(20,4) UNSIGNED", "decimal(20,4) unsigned"),
        ("FLOAT", "float"),
        ("FLOAT(24)", "float"),
        ("FLOAT(25)", "double"),
        ("FLOAT(10,3) UNSIGNED", "float(10,3) unsigned"),
        ("REAL", "double"),
        ("DOUBLE PRECISION", "double"),
        ("DOUBLE(20,5)", "double(20,5)"),
        ("BIT", "bit(1)"),
        ("BIT(64)", "bit(64)"),
        ("YEAR", "year(4)"),
        ("DATE", "date"),
        ("DATETIME(0)", "datetime"),
        ("TIMESTAMP(6)", "timestamp(6)"),
        ("TIME(3)", "time(3)"),
        ("CHAR", "char(1)"),
        ("NCHAR(3)", "char(3)"),
        ("NATIONAL VARCHAR(3)", "varchar(3)"),
        ("CHARACTER VARYING(9)", "varchar(9)"),
        ("VARCHAR(10) CHARACTER SET BINARY", "varbinary(10)"),
        ("CHAR(10) BYTE", "binary(10)"),
        ("BINARY", "binary(1)"),
        ("TEXT", "text"),
        ("LONG", "mediumtext"),
        ("LONG VARBINARY", "mediumblob"),
        ("JSON", "json"),
        ("VECTOR", "vector"),
        ("VECTOR(3)", "vector(3)"),
        ("VECTOR<FLOAT>(3)", "vector(3)"),
        ("ENUM('a','B ','it''s')", "enum('a','B','it''s')"),
        ("SET('x','y')", "set('x','y')"),
    ],
)
def test_types_are_written_as_in_information_schema(definition: str, column_type: str) -> None:
    assert column(f"`c` {definition}").type == column_type


@pytest.mark.parametrize(
    ("definition", "default"),
    [
        ("INT DEFAULT -7", Default("-7")),
        ("INT DEFAULT '18'", Default("18")),
        ("INT", Default()),
        ("INT DEFAULT NULL", Default()),
        ("TINYINT(1) DEFAULT TRUE", Default("1")),
        ("BIGINT UNSIGNED DEFAULT 18446744073709551615", Default("18446744073709551615")),
        ("DECIMAL(15,2) DEFAULT 0", Default("0.00")),
        ("DECIMAL(20,8) DEFAULT _UTF8MB4'-1.5'", Default("-1.50000000")),
        ("FLOAT DEFAULT _UTF8MB4'0.1'", Default("0.1")),
        ("DOUBLE DEFAULT _UTF8MB4'-1e100'", Default("-1" + "0" * 100)),
        ("BIT(12) DEFAULT b'101010101010'", Default("2730")),
        ("BINARY(4) DEFAULT _UTF8MB4'ab'", Default("YWIAAA==")),
        ("VARBINARY(10) DEFAULT x'00ff'", Default("AP8=")),
        ("VARBINARY(10) DEFAULT 0x00ff", Default("AP8=")),
        ("VARCHAR(9) DEFAULT _UTF8MB4'it''s'", Default("it's")),
        ('VARCHAR(9) DEFAULT "it\'s ""x"""', Default('it\'s "x"')),
        ("VARCHAR(9) DEFAULT 'a' 'b'", Default("ab")),
        ("ENUM('a','b') DEFAULT _UTF8MB4'B'", Default("b")),
        ("SET('a','b') DEFAULT _UTF8MB4'b,a'", Default("a,b")),
        ("YEAR DEFAULT 99", Default("1999")),
        ("DATE DEFAULT '2020-1-2'", Default("2020-01-02")),
        ("DATETIME(3) DEFAULT '2020-01-02'", Default("2020-01-02 00:00:00.000")),
        ("DATETIME DEFAULT 20200102030405", Default("2020-01-02 03:04:05")),
        ("TIME(3) DEFAULT '-1:2:3.5'", Default("-01:02:03.500")),
        ("TIME NOT NULL DEFAULT 0", Default("00:00:00")),
        ("TIME DEFAULT '101112'", Default("10:11:12")),
        ("TIME(2) DEFAULT '-10:59:59.999'", Default("-11:00:00.00")),
        ("DATE DEFAULT '2020/01/02'", Default("2020-01-02")),
        ("DATE DEFAULT '200102'", Default("2020-01-02")),
        ("DATETIME NOT NULL DEFAULT 0", Default("0000-00-00 00:00:00")),
        ("DATETIME DEFAULT '2020-12-31 23:59:59.678'", Default("2021-01-01 00:00:00")),
        ("DATETIME(1) DEFAULT '2020-12-31 23:59:59.94'", Default("2020-12-31 23:59:59.9")),
        ("CHAR(5) DEFAULT 'a  '", Default("a")),
        ("DECIMAL(10,2) DEFAULT (-1.5)", Default("-1.50")),
        (
            "DATETIME(3) DEFAULT CURRENT_TIMESTAMP(3) ON UPDATE CURRENT_TIMESTAMP(3)",
            Default(None, "CURRENT_TIMESTAMP(3)"),
        ),
        ("TIMESTAMP NULL DEFAULT CURRENT_TIMESTAMP()", Default(None, "CURRENT_TIMESTAMP")),
        ("TIMESTAMP DEFAULT NOW() NOT NULL", Default(None, "CURRENT_TIMESTAMP")),
        ("CHAR(36) DEFAULT (UUID())", Default(None, "UUID()")),
        ("BIGINT DEFAULT NEXT VALUE FOR `s`.`q`", Default(None, "NEXT VALUE FOR `s`.`q`")),
        ("INT DEFAULT 'none of the type'", Default("0")),
    ],
)
def test_defaults_are_canonical_text(definition: str, default: Default) -> None:
    assert column(f"`c` {definition}").default == default


DEFAULTS = {
    "hexadecimal and bit literals are numbers in columns of numbers": (
        ("INT DEFAULT x'10'", "16"),
        ("DECIMAL(10,2) DEFAULT x'10'", "16.00"),
        ("DECIMAL(10,2) UNSIGNED DEFAULT 0x0A", "10.00"),
        ("DOUBLE DEFAULT b'101'", "5"),
        ("FLOAT(5,1) DEFAULT 0b101", "5"),
        ("YEAR DEFAULT 0x7E4", "2020"),
    ),
    "zero has no sign": (
        ("INT DEFAULT -0", "0"),
        ("BIGINT DEFAULT -0.4", "0"),
        ("DECIMAL(5,2) DEFAULT '-0.001'", "0.00"),
    ),
    "a time may have days, a sign or digits alone": (
        ("TIME DEFAULT '1 10:00:00'", "34:00:00"),
        ("TIME DEFAULT '-2 1:30'", "-49:30:00"),
        ("TIME(3) DEFAULT '10.5'", "00:00:10.500"),
        ("TIME(1) DEFAULT 101112.25", "10:11:12.3"),
        ("TIME DEFAULT -10", "-00:00:10"),
        ("TIME DEFAULT '-00:00:00.1'", "00:00:00"),
        ("TIME DEFAULT '838:59:59'", "838:59:59"),
    ),
    "a number may begin with its point": (
        ("DOUBLE DEFAULT .5 COMMENT 'x'", "0.5"),
        ("DECIMAL(5,3) DEFAULT -.25e-1 COMMENT 'x'", "-0.025"),
        ("VARCHAR(5) DEFAULT .5 COMMENT 'x'", "0.5"),
    ),
    "a float may be the largest of single precision": (
        ("FLOAT DEFAULT 3.402823466E+38", "340282350000000000000000000000000000000"),
        ("FLOAT DEFAULT '-3.4028234663852886e38'", "-340282350000000000000000000000000000000"),
    ),
    "a floating-point number is rounded as a double": (
        ("DOUBLE(10,2) DEFAULT 1.125", "1.12"),
        ("DOUBLE(10,2) DEFAULT 1.135", "1.14"),
        ("FLOAT(5,2) DEFAULT '1.005'", "1"),
        ("DECIMAL(10,2) DEFAULT 1.125", "1.13"),
    ),
}


@pytest.mark.parametrize(
    ("definition", "default"),
    [pytest.param(*case, id=f"{rule}: {case[0]}") for rule, cases in DEFAULTS.items() for case in cases],
)
def test_a_default_is_read_as_tidb_reads_it(definition: str, default: str) -> None:
    assert column(f"`c` {definition}").default == Default(default)


def test_column_options() -> None:
    read = column(
        "`a``b` VARCHAR(9) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci NOT NULL DEFAULT 'x' COMMENT 'c;d' "
        "COLUMN_FORMAT FIXED STORAGE DISK CONSTRAINT `k` CHECK (`a``b` > ')') NOT ENFORCED"
    )
    assert (read.name, read.nullable, read.charset, read.collation) == ("a`b", False, "utf8mb4", "utf8mb4_general_ci")


def test_rare_column_options_do_not_hide_the_columns() -> None:
    """SERIAL DEFAULT VALUE stands for NOT NULL AUTO_INCREMENT UNIQUE."""
    definition = "id BIGINT SERIAL DEFAULT VALUE, a INT SECONDARY_ENGINE_ATTRIBUTE = '{\"x\": 1}' NOT NULL"
    read = one(f"CREATE TABLE t ({definition})")
    assert isinstance(read, CreateTable)
    assert [(each.name, each.nullable, each.auto_increment) for each in read.columns] == [
        ("id", False, True),
        ("a", False, False),
    ]
    assert read.indexes == (Index(None, ("id",), True),)


@pytest.mark.parametrize(
    ("definition", "generated"),
    [
        ("INT GENERATED ALWAYS AS(`w`*(`h`+1)) VIRTUAL", "virtual"),
        ("INT AS (CONCAT(`w`, _UTF8MB4')', `h`))", "virtual"),
        ("INT GENERATED ALWAYS AS(2) STORED NOT NULL", "stored"),
        ("INT", None),
    ],
)
def test_generated_columns(definition: str, generated: str | None) -> None:
    assert column(f"`c` {definition}").generated == generated


@pytest.mark.parametrize(
    "comment", ["/*T![auto_rand] AUTO_RANDOM(5, 54) */", "AUTO_INCREMENT", "/*!40101 AUTO_INCREMENT */"]
)
def test_what_stands_in_executable_comments_is_read(comment: str) -> None:
    assert column(f"`id` BIGINT {comment} PRIMARY KEY /* no option */ -- the key\n").auto_increment


@pytest.mark.parametrize(
    ("definitions", "expected"),
    [
        ("a INT PRIMARY KEY", Index("PRIMARY", ("a",), True, True)),
        ("a INT KEY", Index("PRIMARY", ("a",), True, True)),
        ("a INT PRIMARY KEY /*T![clustered_index] CLUSTERED */", Index("PRIMARY", ("a",), True, True, True)),
        ("a INT, PRIMARY KEY(`a`) /*T![clustered_index] NONCLUSTERED */", Index("PRIMARY", ("a",), True, True, False)),
        ("a INT, PRIMARY KEY(`a`) NONCLUSTERED", Index("PRIMARY", ("a",), True, True, False)),
        ("a INT, CONSTRAINT `c` PRIMARY KEY USING BTREE (a)", Index("PRIMARY", ("a",), True, True)),
        ("a INT UNIQUE KEY", Index(None, ("a",), True)),
        ("a INT, UNIQUE(`a` DESC)", Index(None, ("a",), True)),
        ("a INT, b INT, UNIQUE `u`(`a`, `b`) COMMENT 'x' INVISIBLE", Index("u", ("a", "b"), True)),
        ("a INT, CONSTRAINT `c` UNIQUE INDEX (a)", Index("c", ("a",), True)),
        ("a INT, UNIQUE KEY u (a) /*T![global_index] GLOBAL */", Index("u", ("a",), True)),
        ("a INT, UNIQUE KEY u (a) WHERE a > 1", Index("u", ("a",), True, partial=True)),
        ("a TEXT, INDEX `i`(`a`(10)) USING BTREE", Index("i", ("a",))),
        ("a INT, KEY `i`((`a` + 1))", Index("i", (None,))),
        ("a VECTOR(3), VECTOR INDEX `v`((VEC_COSINE_DISTANCE(`a`))) USING HNSW", Index("v", (None,))),
    ],
)
def test_indexes(definitions: str, expected: Index) -> None:
    assert indexes(definitions) == (expected,)


def test_indexes_that_tidb_leaves_out_do_not_hide_the_columns() -> None:
    """FULLTEXT stands without INDEX in the text that TiCDC restores; the indexes are never made."""
    text = "CREATE TABLE `t` (`id` INT PRIMARY KEY,`a` TEXT,FULLTEXT `ft`(`a`),FULLTEXT(`a`),SPATIAL INDEX `s`(`a`))"
    (created,) = statements(text, "shop")
    assert isinstance(created, CreateTable)
    assert [read.name for read in created.columns] == ["id", "a"]
    changes = statements("ALTER TABLE `t` ADD COLUMN `body` TEXT, ADD FULLTEXT `ft`(`body`)", "shop")
    assert [change.kind for change in changes] == [DdlKind.ADD_COLUMN, DdlKind.ADD_INDEX]


def test_a_columns_global_primary_key() -> None:
    (read,) = statements(
        "CREATE TABLE `t` (`id` BIGINT PRIMARY KEY /*T![clustered_index] NONCLUSTERED */ GLOBAL,`d` DATE NOT NULL) "
        "PARTITION BY RANGE COLUMNS (`d`) (PARTITION `p0` VALUES LESS THAN ('2024-01-01'))",
        "shop",
    )
    assert isinstance(read, CreateTable)
    assert read.indexes == (Index("PRIMARY", ("id",), True, True, False),)


def test_a_charset_behind_other_options_is_read() -> None:
    changes = statements("ALTER TABLE `t` COMMENT = 'x' DEFAULT CHARACTER SET = GBK", "shop")
    assert [change.kind for change in changes] == [DdlKind.TABLE_COMMENT, DdlKind.TABLE_CHARSET]
    (converted,) = statements("ALTER TABLE `t` CONVERT TO CHARACTER SET DEFAULT", "shop")
    assert converted == Charset(DdlKind.TABLE_CHARSET, "shop", "t", None, None, convert=True)


def test_own_indexes_of_a_table_are_older_than_those_of_its_columns() -> None:
    assert [index.columns for index in indexes("a INT NOT NULL UNIQUE, b INT NOT NULL, UNIQUE(b)")] == [("b",), ("a",)]


def test_foreign_keys_and_checks_are_no_indexes() -> None:
    definitions = (
        "a INT REFERENCES p(id) ON DELETE SET NULL ON UPDATE NO ACTION, "
        "CONSTRAINT f FOREIGN KEY (a) REFERENCES p(id), CHECK (a > 0)"
    )
    assert indexes(definitions) == ()
