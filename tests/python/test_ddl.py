"""DDL texts, each hard form by name; what TiCDC restores, and what users write."""

from __future__ import annotations

from collections.abc import Mapping
from time import process_time
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.catalogue import KIND_OF_ACTION
from support.corpus import VECTORS, json_lines

from ticdc_udfs.catalogue.changes import (
    AddIndex,
    Change,
    Charset,
    ColumnDefinition,
    CreateTable,
    DdlKind,
    Index,
    Named,
    NotRead,
    Partition,
    PartitionChange,
    Partitioning,
    Recover,
    RenameTable,
    SetColumn,
    SetDefault,
)
from ticdc_udfs.catalogue.column_types import Default
from ticdc_udfs.catalogue.ddl import MAX_LENGTH, kind_and_tables, statements


def one(sql: str) -> Change:
    """The only change of a text."""
    (change,) = statements(sql, "shop")
    return change


def column(definition: str) -> ColumnDefinition:
    """A column as CREATE TABLE defines it."""
    change = one(f"CREATE TABLE t ({definition})")
    assert isinstance(change, CreateTable), change
    return change.columns[0]


def indexes(definitions: str) -> tuple[Index, ...]:
    """The indexes of a CREATE TABLE."""
    change = one(f"CREATE TABLE t ({definitions})")
    assert isinstance(change, CreateTable), change
    return change.indexes


VECTOR_LIST = list(json_lines(VECTORS.with_name("misc_functions.jsonl")))
# Records that no DDL text can show: why
NOT_CASES = {
    "misc/position-inertia/": "how a changefeed picks a row's partition; messages are read from whichever they are in"
}


@pytest.mark.parametrize("vector", [v for v in VECTOR_LIST if "sql" in v["expect"]], ids=lambda v: v["id"])
def test_vector_kinds(vector: Mapping[str, Any]) -> None:
    """The job that TiDB really ran for a text."""
    kind, tables = kind_and_tables(vector["expect"]["sql"], "test")
    assert kind == KIND_OF_ACTION[vector["expect"]["action_type"]]
    assert tables[0][0] in ("test", "abc", "aaa")


def test_every_vector_is_a_case_or_says_why_not() -> None:
    left = [vector["id"] for vector in VECTOR_LIST if "sql" not in vector["expect"]]
    assert len(left) == 3 and all(each.startswith(tuple(NOT_CASES)) for each in left)


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
        ("TEXT(63)", "tinytext"),
        ("TEXT(255) CHARACTER SET latin1", "tinytext"),
        ("TEXT(70000)", "mediumtext"),
        ("BLOB(255)", "tinyblob"),
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
        ("INT DEFAULT 'none of the type'", Default("none of the type")),
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


def test_table_options_and_partitions() -> None:
    change = one(
        "CREATE TABLE IF NOT EXISTS `d`.`t` (`id` INT,`yr` INT) ENGINE = InnoDB DEFAULT CHARACTER SET = UTF8MB4 "
        "DEFAULT COLLATE = UTF8MB4_GENERAL_CI COMMENT = 'PARTITION BY' /*T![ttl] TTL = `at` + INTERVAL 1 DAY */ "
        "PARTITION BY RANGE (`yr`) (PARTITION `p0` VALUES LESS THAN (-1) COMMENT = 'x',PARTITION `p1` VALUES LESS THAN "
        "(MAXVALUE) /*T![placement] PLACEMENT POLICY=`p` */)"
    )
    assert isinstance(change, CreateTable)
    assert (change.schema, change.table, change.charset, change.collation) == (
        "d",
        "t",
        "utf8mb4",
        "utf8mb4_general_ci",
    )
    partitions = (Partition("p0", ("-1",)), Partition("p1", ("MAXVALUE",)))
    assert change.partitioning == Partitioning("range", ("`yr`",), partitions)


@pytest.mark.parametrize(
    ("clause", "expected"),
    [
        ("HASH (`id`) PARTITIONS 2", Partitioning("hash", ("`id`",), (Partition("p0"), Partition("p1")))),
        ("LINEAR HASH (id)", Partitioning("hash", ("id",), (Partition("p0"),))),
        ("KEY (`a`, `b`) PARTITIONS 1", Partitioning("key", ("a", "b"), (Partition("p0"),))),
        ("KEY () PARTITIONS 1", Partitioning("key", (), (Partition("p0"),))),
        (
            "RANGE COLUMNS (`a`,`b`) (PARTITION p VALUES LESS THAN (_UTF8MB4'it''s', 5))",
            Partitioning("range_columns", ("a", "b"), (Partition("p", ("'it''s'", "5")),)),
        ),
        (
            "RANGE (TO_DAYS(`d`)) "
            "(PARTITION p VALUES LESS THAN (TO_DAYS('2020-01-01')), PARTITION q VALUES LESS THAN MAXVALUE)",
            Partitioning(
                "range", ("TO_DAYS(`d`)",), (Partition("p", ("TO_DAYS('2020-01-01')",)), Partition("q", ("MAXVALUE",)))
            ),
        ),
        (
            "LIST (a) (PARTITION p VALUES IN (1, NULL), PARTITION q DEFAULT)",
            Partitioning("list", ("a",), (Partition("p", None, ("1", "NULL")), Partition("q", None, ("DEFAULT",)))),
        ),
        (
            "LIST COLUMNS (a,b) (PARTITION p VALUES IN ((1,_utf8mb4'x'),(2,'y')))",
            Partitioning("list_columns", ("a", "b"), (Partition("p", None, ("(1,'x')", "(2,'y')")),)),
        ),
        (
            "RANGE (a) INTERVAL (100) FIRST PARTITION LESS THAN (0) LAST PARTITION LESS THAN (900) MAXVALUE PARTITION",
            Partitioning("range", ("a",), ()),
        ),
    ],
)
def test_partitioning(clause: str, expected: Partitioning) -> None:
    create = one(f"CREATE TABLE t (a INT) PARTITION BY {clause}")
    assert isinstance(create, CreateTable)
    assert create.partitioning == expected
    assert one(f"ALTER TABLE t PARTITION BY {clause}") == PartitionChange(
        DdlKind.PARTITION_BY, "shop", "t", partitioning=expected
    )


@pytest.mark.parametrize("text", ["CREATE TABLE `t` LIKE `d`.`s`", "create table t (like d.s)"])
def test_create_like(text: str) -> None:
    assert one(text) == CreateTable(DdlKind.CREATE_TABLE, "shop", "t", like=("d", "s"))


def test_create_as_select() -> None:
    change = one("CREATE TABLE t (a INT) AS SELECT 1 AS a")
    assert isinstance(change, CreateTable)
    assert change.as_select


def test_backslashes_are_no_escapes() -> None:
    assert column(r"`e` ENUM('one','two','three\3','\') DEFAULT _UTF8MB4'\'").type == r"enum('one','two','three\3','\')"
    assert one("ALTER TABLE `t` COMMENT = 'line1\nline2 ''quoted'' \\ back'").kind == DdlKind.TABLE_COMMENT


def test_users_text_with_backslash_escapes_is_read_too() -> None:
    assert column(r"c VARCHAR(9) DEFAULT 'it\'s' COMMENT '/* \' */'").default.text == "it's"


def test_odd_identifiers() -> None:
    assert one("ALTER TABLE `back``tick`.`dot.ted` ADD COLUMN `tab\tcol, (x)` INT AFTER `first`") == SetColumn(
        DdlKind.ADD_COLUMN,
        "back`tick",
        "dot.ted",
        None,
        ColumnDefinition("tab\tcol, (x)", "int(11)"),
        after="first",
    )
    assert one("DROP TABLE `table`") == Change(DdlKind.DROP_TABLE, "shop", "table")
    assert one("ALTER TABLE `Ünïcödé-表` DROP COLUMN `column`") == Named(
        DdlKind.DROP_COLUMN, "shop", "Ünïcödé-表", "column"
    )
    assert one("ALTER TABLE 123start DROP 1st") == Named(DdlKind.DROP_COLUMN, "shop", "123start", "1st")


def test_words_in_backquotes_are_names() -> None:
    for word in ("column", "index", "primary", "first", "partition", "if", "constraint"):
        assert isinstance(one(f"ALTER TABLE t ADD `{word}` INT"), SetColumn)
        assert one(f"ALTER TABLE t DROP `{word}`") == Named(DdlKind.DROP_COLUMN, "shop", "t", word)


@pytest.mark.parametrize(
    "action",
    [
        "DROP COLUMN {}c",
        "ADD COLUMN {}c INT AFTER {}b",
        "MODIFY {}c INT FIRST",
        "CHANGE COLUMN {}c {}d INT",
        "RENAME COLUMN {}c TO {}d",
        "ALTER COLUMN {}c SET DEFAULT 1",
        "ADD UNIQUE KEY u ({}c(3) DESC, {}d)",
        "PARTITION BY RANGE COLUMNS ({}c) (PARTITION p VALUES LESS THAN (5))",
    ],
)
def test_a_column_may_be_named_with_its_table(action: str) -> None:
    plain = one(f"ALTER TABLE t {action.replace('{}', '')}")
    assert not isinstance(plain, NotRead)
    for table in ("t.", "`shop`.`t`."):
        assert one(f"ALTER TABLE t {action.replace('{}', table)}") == plain


def test_rename_of_several_pairs_across_databases() -> None:
    assert statements("RENAME TABLE a TO b, `d`.`x` TO `e`.`y`;", "shop") == (
        RenameTable(DdlKind.RENAME_TABLE, "shop", "a", "shop", "b"),
        RenameTable(DdlKind.RENAME_TABLE, "d", "x", "e", "y"),
    )


@pytest.mark.parametrize("words", ["RENAME TO", "RENAME AS", "RENAME", "RENAME ="])
def test_rename_by_alter(words: str) -> None:
    assert one(f"ALTER TABLE t {words} `d`.`u`") == RenameTable(DdlKind.RENAME_TABLE, "shop", "t", "d", "u")


def test_a_new_name_without_database_is_in_the_sessions() -> None:
    renamed = RenameTable(DdlKind.RENAME_TABLE, "d", "t", "shop", "u")
    assert one("ALTER TABLE `d`.`t` RENAME TO `u`") == renamed
    assert one("RENAME TABLE `d`.`t` TO `u`") == renamed


def test_several_columns_in_one_list() -> None:
    a, b, u = statements("ALTER TABLE t ADD COLUMN (`a` INT, `b` ENUM('x,)','y'), UNIQUE KEY `u`(`a`))", "shop")
    assert isinstance(a, SetColumn) and isinstance(b, SetColumn)
    assert (a.column.name, b.column.type) == ("a", "enum('x,)','y')")
    assert u == AddIndex(DdlKind.ADD_INDEX, "shop", "t", Index("u", ("a",), True))


def test_multi_schema_change() -> None:
    changes = statements(
        "ALTER TABLE `t` ADD COLUMN `x1` INT FIRST, DROP COLUMN `c`, ADD INDEX `ix`(`a`), "
        "MODIFY COLUMN `d` VARCHAR(50) AFTER `e`, CHANGE `f` `g` INT NOT NULL, RENAME COLUMN `h` TO `i`, "
        "ALTER `j` SET DEFAULT 'x', ALTER COLUMN `k` DROP DEFAULT, DROP PRIMARY KEY, DROP KEY `l`, "
        "RENAME INDEX `m` TO `n`, ALTER INDEX `o` INVISIBLE, COMMENT='x', ALGORITHM=INPLACE",
        "shop",
    )
    assert [change.kind for change in changes] == [
        DdlKind.ADD_COLUMN,
        DdlKind.DROP_COLUMN,
        DdlKind.ADD_INDEX,
        DdlKind.MODIFY_COLUMN,
        DdlKind.MODIFY_COLUMN,
        DdlKind.RENAME_COLUMN,
        DdlKind.SET_DEFAULT,
        DdlKind.SET_DEFAULT,
        DdlKind.DROP_PRIMARY_KEY,
        DdlKind.DROP_INDEX,
        DdlKind.RENAME_INDEX,
        DdlKind.INDEX_VISIBILITY,
        DdlKind.TABLE_COMMENT,
        DdlKind.TABLE_OPTION,
    ]
    add, _, _, modify, change, rename, default, *_ = changes
    assert isinstance(add, SetColumn) and add.first and add.name is None
    assert isinstance(modify, SetColumn) and (modify.name, modify.after) == ("d", "e")
    assert isinstance(change, SetColumn) and (change.name, change.column.name) == ("f", "g")
    assert rename == Named(DdlKind.RENAME_COLUMN, "shop", "t", "h", "i")
    assert isinstance(default, SetDefault) and default.literal is not None and default.literal[1] == "x"
    assert kind_and_tables("ALTER TABLE t ADD a INT, DROP b", "shop") == (
        DdlKind.MULTI_SCHEMA_CHANGE,
        (("shop", "t"),),
    )


@pytest.mark.parametrize(
    ("action", "expected"),
    [
        ("DROP PARTITION `p0`,`p1`", PartitionChange(DdlKind.DROP_PARTITION, "shop", "t", ("p0", "p1"))),
        ("TRUNCATE PARTITION `p0`", PartitionChange(DdlKind.TRUNCATE_PARTITION, "shop", "t", ("p0",))),
        ("TRUNCATE PARTITION ALL", PartitionChange(DdlKind.TRUNCATE_PARTITION, "shop", "t", None)),
        (
            "ADD PARTITION (PARTITION `p` VALUES LESS THAN (2024))",
            PartitionChange(DdlKind.ADD_PARTITION, "shop", "t", partitions=(Partition("p", ("2024",)),)),
        ),
        ("ADD PARTITION PARTITIONS 2", PartitionChange(DdlKind.ADD_PARTITION, "shop", "t", count=2)),
        ("COALESCE PARTITION 1", PartitionChange(DdlKind.COALESCE_PARTITION, "shop", "t", count=1)),
        (
            "REORGANIZE PARTITION `a`,`b` INTO (PARTITION `p` VALUES LESS THAN (2025))",
            PartitionChange(DdlKind.REORGANIZE_PARTITION, "shop", "t", ("a", "b"), (Partition("p", ("2025",)),)),
        ),
        (
            "EXCHANGE PARTITION `p` WITH TABLE `d`.`x` WITHOUT VALIDATION",
            PartitionChange(DdlKind.EXCHANGE_PARTITION, "shop", "t", ("p",), counterpart=("d", "x")),
        ),
        ("REMOVE PARTITIONING", PartitionChange(DdlKind.REMOVE_PARTITIONING, "shop", "t")),
        ("PARTITION `p` ATTRIBUTES='merge_option=allow'", Change(DdlKind.PARTITION_OPTION, "shop", "t")),
    ],
)
def test_partition_clauses(action: str, expected: Change) -> None:
    assert one(f"ALTER TABLE t {action}") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("RECOVER TABLE `rec`", Recover(DdlKind.RECOVER_TABLE, "shop", "rec")),
        ("RECOVER TABLE `d`.`rec` 3", Recover(DdlKind.RECOVER_TABLE, "d", "rec")),
        ("RECOVER TABLE BY JOB 53", Recover(DdlKind.RECOVER_TABLE, "shop", None)),
        ("FLASHBACK TABLE `t`", Recover(DdlKind.RECOVER_TABLE, "shop", "t")),
        ("FLASHBACK TABLE `t` TO `t2`", Recover(DdlKind.RECOVER_TABLE, "shop", "t", "t2")),
        ("FLASHBACK DATABASE `d` TO `e`", Recover(DdlKind.RECOVER_DATABASE, "d", None, "e")),
        ("FLASHBACK CLUSTER TO TIMESTAMP '2024-01-01 00:00:00'", Change(DdlKind.FLASHBACK_CLUSTER, None, None)),
        ("FLASHBACK TABLE a, b TO TIMESTAMP '2024-01-01'", Change(DdlKind.FLASHBACK_CLUSTER, None, None)),
        ("CREATE DATABASE IF NOT EXISTS `d`", Charset(DdlKind.CREATE_DATABASE, "d", None, None, None)),
        ("CREATE SCHEMA d CHARSET latin1", Charset(DdlKind.CREATE_DATABASE, "d", None, "latin1", None)),
        ("ALTER DATABASE COLLATE = utf8_bin", Charset(DdlKind.ALTER_DATABASE, "shop", None, None, "utf8_bin")),
        ("DROP DATABASE IF EXISTS `d`", Change(DdlKind.DROP_DATABASE, "d", None)),
        ("TRUNCATE `d`.`t`", Change(DdlKind.TRUNCATE_TABLE, "d", "t")),
        ("DROP VIEW `d`.`v`", Change(DdlKind.DROP_VIEW, "d", "v")),
        ("CREATE SEQUENCE s START 10", Change(DdlKind.CREATE_SEQUENCE, "shop", "s")),
        ("ALTER SEQUENCE s INCREMENT 2", Change(DdlKind.ALTER_SEQUENCE, "shop", "s")),
        (
            "CREATE OR REPLACE ALGORITHM = UNDEFINED DEFINER = `root`@`%` SQL SECURITY DEFINER VIEW `v` AS SELECT ';'",
            Change(DdlKind.CREATE_VIEW, "shop", "v"),
        ),
        (
            "CREATE UNIQUE INDEX IF NOT EXISTS `u` USING BTREE ON `t` (`a`, `b`)",
            AddIndex(DdlKind.ADD_INDEX, "shop", "t", Index("u", ("a", "b"), True)),
        ),
        ("DROP INDEX `i` ON `t`", Named(DdlKind.DROP_INDEX, "shop", "t", "i")),
        ("DROP INDEX `PRIMARY` ON `t`", Named(DdlKind.DROP_PRIMARY_KEY, "shop", "t", "PRIMARY")),
        ("ALTER TABLE `t` /*T![ttl] REMOVE TTL */", Change(DdlKind.TABLE_TTL, "shop", "t")),
        ("ALTER TABLE `t` /*T![auto_id_cache] AUTO_ID_CACHE = 5 */", Change(DdlKind.TABLE_OPTION, "shop", "t")),
        (
            "ALTER TABLE t CONVERT TO CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci",
            Charset(DdlKind.TABLE_CHARSET, "shop", "t", "utf8mb4", "utf8mb4_general_ci", True),
        ),
        ("ALTER TABLE t DEFAULT CHARSET=gbk", Charset(DdlKind.TABLE_CHARSET, "shop", "t", "gbk", None)),
        ("ALTER TABLE `t` DROP FOREIGN KEY `f`", Named(DdlKind.DROP_FOREIGN_KEY, "shop", "t", "f")),
        (
            "ALTER TABLE t ADD CONSTRAINT `f` FOREIGN KEY (`a`) REFERENCES `p`(`id`)",
            Change(DdlKind.ADD_FOREIGN_KEY, "shop", "t"),
        ),
        ("CREATE PLACEMENT POLICY p FOLLOWERS=2", Change(DdlKind.OTHER, "shop", None)),
    ],
)
def test_other_statements(text: str, expected: Change) -> None:
    assert one(text) == expected


def test_several_tables_in_one_statement() -> None:
    kind, tables = kind_and_tables("DROP TABLE IF EXISTS a, `d`.`b` CASCADE", "shop")
    assert (kind, tables) == (DdlKind.DROP_TABLE, (("shop", "a"), ("d", "b")))


def test_several_statements_in_one_text() -> None:
    kind, tables = kind_and_tables("/* leading */ CREATE TABLE a (id INT); CREATE TABLE b (id INT);", "shop")
    assert (kind, tables) == (DdlKind.CREATE_TABLE, (("shop", "a"), ("shop", "b")))


def test_tables_of_an_exchange() -> None:
    _, tables = kind_and_tables("ALTER TABLE `shop`.`sales` EXCHANGE PARTITION `pm` WITH TABLE `d`.`exch`", "x")
    assert tables == (("shop", "sales"), ("d", "exch"))


def test_an_exchanged_table_without_database_is_in_the_sessions() -> None:
    _, tables = kind_and_tables("ALTER TABLE `shop`.`sales` EXCHANGE PARTITION `pm` WITH TABLE `exch`", "app")
    assert tables == (("shop", "sales"), ("app", "exch"))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "no statement"),
        ("SELECT 1", "expected a DDL statement at character 1"),
        ("CREATE TABLE t (a SECRET)", "expected a type at character 19"),
        ("CREATE TABLE t (a INT", "expected , at the end"),
        ("ALTER TABLE t FROBNICATE a", "expected an action of ALTER TABLE at character 15"),
        ("ALTER TABLE t FIRST PARTITION LESS THAN (5)", "expected an action of ALTER TABLE at character 15"),
        ("DROP TABLE t SECRET", "expected the end at character 14"),
        ("CREATE TABLE t (a INT(" + "9" * 5000 + "))", "expected a number at character 5023"),
        ("DROP TABLE `t", "a string, a name or a comment has no end"),
        ("DROP TABLE t" + " " * MAX_LENGTH, f"longer than {MAX_LENGTH} characters"),
    ],
)
def test_unreadable_text_is_one_change_that_names_the_place(text: str, reason: str) -> None:
    assert one(text) == NotRead(DdlKind.UNREADABLE, "shop", None, reason)
    assert kind_and_tables(text, "shop") == (DdlKind.UNREADABLE, ())


def test_bounds_nested_deeper_than_tuples_stay_text() -> None:
    deep = "(" * 2_000 + "1" + ")" * 2_000
    change = one(f"ALTER TABLE t ADD PARTITION (PARTITION p VALUES IN (null, (_utf8mb4'a', ({deep}))))")
    assert isinstance(change, PartitionChange)
    assert change.partitions == (Partition("p", None, ("NULL", f"('a',({deep}))")),)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("CREATE TABLE t (a INT" + ",b INT" * 4096 + ")", "expected at most 4096 columns and 512 indexes"),
        ("CREATE TABLE t (a INT" + ",KEY (a)" * 513 + ")", "expected at most 4096 columns and 512 indexes"),
        ("ALTER TABLE t ADD b INT" + ",ADD b INT" * 5000, "more than 4608 changes"),
    ],
)
def test_more_than_tidb_takes_is_unreadable(text: str, reason: str) -> None:
    change = one(text)
    assert isinstance(change, NotRead) and change.reason.startswith(reason)


def test_a_default_takes_no_memory_that_its_text_has_not() -> None:
    assert len(column("a BINARY(999999999999) DEFAULT 'a'").default.text or "") < 1000
    assert column("a DECIMAL(65,999999999) DEFAULT 1e999999999").default.text == "1e999999999"


def cases(count: int) -> settings:
    return settings(max_examples=count, deadline=None, database=None, suppress_health_check=list(HealthCheck))


WORDS = [
    "CREATE",
    "TABLE",
    "ALTER",
    "DROP",
    "RENAME",
    "TRUNCATE",
    "RECOVER",
    "FLASHBACK",
    "DATABASE",
    "VIEW",
    "INDEX",
    "COLUMN",
    "ADD",
    "MODIFY",
    "CHANGE",
    "TO",
    "BY",
    "JOB",
    "PARTITION",
    "PARTITIONS",
    "RANGE",
    "LIST",
    "HASH",
    "KEY",
    "COLUMNS",
    "VALUES",
    "LESS",
    "THAN",
    "IN",
    "MAXVALUE",
    "INTO",
    "WITH",
    "EXCHANGE",
    "REORGANIZE",
    "UNIQUE",
    "PRIMARY",
    "CONSTRAINT",
    "INT",
    "ENUM",
    "SET",
    "DECIMAL",
    "VECTOR",
    "CHAR",
    "BIT",
    "BINARY",
    "YEAR",
    "TIMESTAMP",
    "DATE",
    "TIME",
    "FLOAT",
    "TEXT",
    "DEFAULT",
    "NULL",
    "NOT",
    "FIRST",
    "AFTER",
    "AS",
    "LIKE",
    "IF",
    "EXISTS",
    "CHARACTER",
    "COLLATE",
    "CONVERT",
    "ON",
    "UPDATE",
    "CURRENT_TIMESTAMP",
    "(",
    "(",
    ")",
    ")",
    ",",
    ",",
    ".",
    ";",
    "=",
    "`",
    "'",
    '"',
    "''",
    "/*T![x]",
    "*/",
    "/*!",
    "/*",
    "--",
    "#",
    "_utf8mb4",
    "x'",
    "b'",
    "0x",
    "0b",
    "`a`",
    "'b'",
    "t",
    "a",
    "1",
    "-5",
    "1e999",
    "99999999999999999999",
    "'x,y'",
    "\\",
    "é",
    "\x00",
    "�",
]


@cases(6000)
@given(st.lists(st.sampled_from(WORDS), max_size=25))
def test_any_words_give_changes(words: list[str]) -> None:
    _read(" ".join(words))


@cases(2000)
@given(st.text(max_size=200))
def test_any_text_gives_changes(text: str) -> None:
    _read(text)


@cases(2000)
@given(
    st.sampled_from(
        ["INT", "BIT(8)", "DECIMAL(65,30)", "FLOAT", "YEAR", "TIME(6)", "DATE", "DATETIME", "SET('a','b')"]
    ),
    st.one_of(st.text(max_size=30), st.from_regex(r"-?[0-9.eE:\- ]{0,30}", fullmatch=True)),
)
def test_any_default_is_read(column_type: str, text: str) -> None:
    quoted = text.replace("'", "''")
    _read(f"CREATE TABLE t (a {column_type} DEFAULT '{quoted}')")
    _read(f"CREATE TABLE t (a {column_type} DEFAULT {text})")


def _read(text: str) -> None:
    changes = statements(text, "shop")
    assert changes
    assert all(change.kind in set(DdlKind) for change in changes)
    kind_and_tables(text, None)


@pytest.mark.parametrize("piece", ["(", ")", "'", '"', "`", "/*", "/*T!", "a,", "((a),", "ADD a INT,", "''", "\\", "1"])
def test_long_text_takes_no_long_time(piece: str) -> None:
    for head in ("", "CREATE TABLE t (a INT DEFAULT (", "ALTER TABLE t "):
        started = process_time()
        statements(head + piece * 20_000, "shop")
        assert process_time() - started < 10
