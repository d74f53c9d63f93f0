"""DDL texts, each hard form by name; what TiCDC restores, and what users write."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from support.catalogue import KIND_OF_ACTION
from support.corpus import VECTORS, json_lines
from support.ddl import column, one

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
from ticdc_udfs.catalogue.ddl import kind_and_tables, statements

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
    assert (
        column(r"`e` ENUM('one','two','three\3','\') DEFAULT _UTF8MB4'\\'").type == r"enum('one','two','three\3','\')"
    )
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
    assert one(f"ALTER TABLE `e`.`t` {words} `d`.`u`") == RenameTable(DdlKind.RENAME_TABLE, "e", "t", "d", "u")


def test_a_new_name_without_database_is_in_the_sessions() -> None:
    renamed = RenameTable(DdlKind.RENAME_TABLE, "d", "t", "shop", "u")
    assert one("ALTER TABLE `d`.`t` RENAME TO `u`") == renamed
    assert one("RENAME TABLE `d`.`t` TO `u`") == renamed


def test_an_old_name_without_database_beside_a_new_one_with_it_is_of_the_session() -> None:
    renamed = RenameTable(DdlKind.RENAME_TABLE, "shop", "t", "d", "u", of_session=True)
    assert one("RENAME TABLE `t` TO `d`.`u`") == one("ALTER TABLE `t` RENAME AS `d`.`u`") == renamed
    assert one("CREATE TABLE `d`.`u` LIKE `t`") == CreateTable(DdlKind.CREATE_TABLE, "d", "u", like=(None, "t"))
    assert one("CREATE TABLE `u` LIKE `t`") == CreateTable(DdlKind.CREATE_TABLE, "shop", "u", like=("shop", "t"))


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


@pytest.mark.parametrize("action", ["WITH VALIDATION", "WITHOUT VALIDATION", "ORDER BY `t`.`a`,`b` DESC,`c`", "FORCE"])
def test_actions_that_tidb_takes_and_leaves_undone_do_not_hide_others(action: str) -> None:
    first, second, third = statements(f"ALTER TABLE `t` ADD COLUMN `a` INT, {action}, DROP COLUMN `b`", "shop")
    assert (first.kind, third.kind) == (DdlKind.ADD_COLUMN, DdlKind.DROP_COLUMN)
    assert second == one(f"ALTER TABLE `t` {action}") == Change(DdlKind.TABLE_OPTION, "shop", "t")


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
    "clause",
    [
        "REMOVE PARTITIONING",
        "PARTITION BY HASH (`a`) PARTITIONS 2",
        "REORGANIZE PARTITION `p` INTO (PARTITION `q` VALUES LESS THAN (9))",
    ],
)
@pytest.mark.parametrize(
    "action", ["LOCK = NONE", "ALGORITHM = INPLACE, LOCK = NONE", "COMMENT = 'x'", "ADD INDEX `i`(`a`)", "CACHE"]
)
def test_how_a_table_is_partitioned_follows_other_actions_without_a_comma(action: str, clause: str) -> None:
    *before, last = statements(f"ALTER TABLE `t` {action} {clause}", "shop")
    assert (*before, last) == (*statements(f"ALTER TABLE `t` {action}", "shop"), one(f"ALTER TABLE t {clause}"))


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
        ("ALTER TABLE `t` DROP INDEX `primary`", Named(DdlKind.DROP_PRIMARY_KEY, "shop", "t", "primary")),
        ("ALTER TABLE `t` DROP COLUMN `primary`", Named(DdlKind.DROP_COLUMN, "shop", "t", "primary")),
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
