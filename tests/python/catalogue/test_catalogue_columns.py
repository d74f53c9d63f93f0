"""Columns, collations and keys of table versions, as DDL makes them."""

from __future__ import annotations

import pytest
from support.catalogue import CREATE, codes, column, folded, key, last, names, versions_of

from ticdc_udfs.catalogue.fold import DdlEvent, ProblemCode


def test_columns_keep_their_identity() -> None:
    result = folded(
        "CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT)",
        "ALTER TABLE t RENAME COLUMN a TO b2, CHANGE b c VARCHAR(5) FIRST",
        "ALTER TABLE t MODIFY b2 BIGINT UNSIGNED AFTER c",
        "ALTER TABLE t DROP c",
        "ALTER TABLE t ADD c INT",
    )
    ids = [{one.name: one.column_id for one in version.columns} for version in versions_of(result, "t")]
    assert ids == [
        {"id": 1, "a": 2, "b": 3},
        {"c": 3, "id": 1, "b2": 2},
        {"c": 3, "b2": 2, "id": 1},
        {"b2": 2, "id": 1},
        {"b2": 2, "id": 1, "c": 4},
    ]
    assert [list(version) for version in ids][1:3] == [["c", "id", "b2"], ["c", "b2", "id"]]


def test_added_columns_hold_their_default_in_older_rows_whatever_becomes_of_it() -> None:
    result = folded(
        CREATE,
        "ALTER TABLE t ADD (a DECIMAL(8,3) DEFAULT 1.25, b INT NOT NULL, c ENUM('x','y') NOT NULL, d DATETIME(3))",
        "ALTER TABLE t ALTER a SET DEFAULT 9, ALTER b SET DEFAULT (1 + 1)",
        "ALTER TABLE t ALTER COLUMN a DROP DEFAULT, MODIFY b BIGINT",
    )
    versions = versions_of(result, "t")
    assert [[one.added_value for one in version.columns] for version in versions[1:]] == [
        [None, None, "1.250", "0", "x", None]
    ] * 3
    assert [column(version, "a").default for version in versions[1:]] == ["1.250", "9.000", None]
    assert column(versions[2], "b").default_expression == "1 + 1"
    assert not result.problems


@pytest.mark.parametrize(
    ("column_type", "zero"),
    [
        ("INT", "0"),
        ("DECIMAL(5,2)", "0.00"),
        ("DOUBLE", "0"),
        ("BIT(3)", "0"),
        ("CHAR(3)", ""),
        ("TEXT", ""),
        ("BINARY(3)", "AAAA"),
        ("BLOB", ""),
        ("DATE", "0000-00-00"),
        ("DATETIME(2)", "0000-00-00 00:00:00.00"),
        ("TIME(1)", "00:00:00.0"),
        ("YEAR", "0000"),
        ("JSON", "null"),
        ("SET('a')", ""),
    ],
)
def test_columns_without_default_that_may_not_be_null_hold_zero(column_type: str, zero: str) -> None:
    result = folded(CREATE, f"ALTER TABLE t ADD c {column_type} NOT NULL")
    assert column(last(result, "t"), "c").added_value == zero


def test_a_default_of_the_present_time_is_the_commits_and_a_problem() -> None:
    commit_ts = 470610924171165697
    alter = (
        "ALTER TABLE t ADD a TIMESTAMP DEFAULT CURRENT_TIMESTAMP(), ADD b DATETIME(2) DEFAULT NOW(2), "
        "ADD c CHAR(36) DEFAULT (UUID())"
    )
    result = folded(CREATE, DdlEvent(commit_ts, "shop", "t", alter))
    added = [one.added_value for one in last(result, "t").columns]
    assert added == [None, None, "2026-11-21 05:16:45", "2026-11-21 05:16:45.60", None]
    assert codes(result) == [ProblemCode.DEFAULT_NOT_CONSTANT] * 3


def test_a_timestamp_default_was_read_in_a_time_zone_that_nothing_tells() -> None:
    alter = (
        "ALTER TABLE t ADD a TIMESTAMP DEFAULT '2020-01-01', ADD b DATETIME DEFAULT '2020-01-01', ADD c TIMESTAMP NULL"
    )
    result = folded(CREATE, alter)
    assert [one.added_value for one in last(result, "t").columns][2:] == ["2020-01-01 00:00:00"] * 2 + [None]
    assert codes(result) == [ProblemCode.DEFAULT_IN_SESSION_ZONE]


def test_columns_that_are_there_already_are_not_added_again() -> None:
    """IF NOT EXISTS stands in the text of DDL that does other things besides."""
    create = "CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(20) NOT NULL DEFAULT 'x', b INT)"
    before = last(folded(create), "t").columns
    for actions in (
        "ADD COLUMN IF NOT EXISTS a INT FIRST, ADD COLUMN IF NOT EXISTS c INT",
        "ADD COLUMN IF NOT EXISTS (a VARCHAR(5), c INT)",
        "DROP COLUMN IF EXISTS z, MODIFY COLUMN IF EXISTS z INT, CHANGE COLUMN IF EXISTS z y INT, ADD c INT",
    ):
        result = folded(create, f"ALTER TABLE t {actions}")
        *kept, added = last(result, "t").columns
        assert tuple(kept) == before, actions
        assert (added.name, added.type, codes(result)) == ("c", "int(11)", []), actions


def test_a_column_that_was_told_before_its_ddl_is_added_by_it() -> None:
    told = '[{"name": "id", "type": "int", "key": 1}, {"name": "a", "type": "int"}]'
    alter = "ALTER TABLE t ADD COLUMN IF NOT EXISTS a INT NOT NULL DEFAULT 5, ADD COLUMN c INT"
    result = folded(DdlEvent(10, "shop", "t", table_schema=told), DdlEvent(20, "shop", "t", alter))
    assert column(last(result, "t"), "a").added_value == "5"


def test_text_of_the_binary_character_set_is_bytes() -> None:
    alter = "ALTER TABLE t ADD d VARCHAR(5) NOT NULL DEFAULT 'x', ADD e CHAR(3) CHARSET utf8mb4"
    result = folded(
        "CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(10), b TEXT, c TEXT COLLATE binary) CHARSET=binary", alter
    )
    columns = last(result, "t").columns[1:]
    assert [one.type for one in columns] == ["varbinary(10)", "blob", "blob", "varbinary(5)", "char(3)"]
    assert [one.collation for one in columns] == [None, None, None, None, "utf8mb4_bin"]
    assert column(last(result, "t"), "d").added_value == "eA=="


@pytest.mark.parametrize(
    ("definition", "of_table", "column_type"),
    [
        ("TEXT(63)", "utf8mb4", "tinytext"),
        ("TEXT(64)", "utf8mb4", "text"),
        ("TEXT(85)", "utf8", "tinytext"),
        ("TEXT(255)", "latin1", "tinytext"),
        ("TEXT(64) CHARACTER SET utf8mb4", "latin1", "text"),
        ("TEXT(255) CHARACTER SET latin1", "utf8mb4", "tinytext"),
        ("TEXT(255)", "binary", "tinyblob"),
        ("TEXT(70000)", "latin1", "mediumtext"),
        ("BLOB(255)", "utf8mb4", "tinyblob"),
        ("VARCHAR(16383)", "utf8mb4", "varchar(16383)"),
        ("VARCHAR(16384)", "utf8mb4", "mediumtext"),
        ("VARCHAR(16384)", "latin1", "varchar(16384)"),
        ("VARBINARY(65536)", "utf8mb4", "mediumblob"),
    ],
)
def test_a_text_is_of_the_smallest_type_that_holds_its_bytes(definition: str, of_table: str, column_type: str) -> None:
    """A VARCHAR that is too long passes where the session is not strict."""
    create = f"CREATE TABLE t (id INT PRIMARY KEY, a {definition}) CHARSET={of_table}"
    result = folded(create, f"ALTER TABLE t ADD b {definition}")
    assert [one.type for one in last(result, "t").columns[1:]] == [column_type] * 2


def test_collations_come_from_column_table_or_database() -> None:
    result = folded(
        "CREATE DATABASE shop CHARSET gbk",
        "CREATE TABLE t (a CHAR(1), b CHAR(1) COLLATE utf8mb4_general_ci, c CHAR(1) CHARACTER SET latin1, d INT)",
        "CREATE TABLE u (a CHAR(1)) COLLATE utf8mb4_unicode_ci",
        "ALTER TABLE t CONVERT TO CHARACTER SET utf8mb4",
        "ALTER TABLE t DEFAULT CHARSET ascii",
        "ALTER TABLE t ADD e TEXT",
    )
    collations = [[one.collation for one in version.columns] for version in versions_of(result, "t")]
    assert collations == [
        ["gbk_chinese_ci", "utf8mb4_general_ci", "latin1_bin", None],
        ["utf8mb4_bin", "utf8mb4_bin", "utf8mb4_bin", None],
        ["utf8mb4_bin", "utf8mb4_bin", "utf8mb4_bin", None, "ascii_bin"],
    ]
    assert column(last(result, "u"), "a").collation == "utf8mb4_unicode_ci"


@pytest.mark.parametrize(
    ("again", "collation"),
    [
        ("FLASHBACK DATABASE d", "utf8mb4_general_ci"),
        ("FLASHBACK DATABASE d TO e", "utf8mb4_general_ci"),
        ("CREATE DATABASE d", "utf8mb4_bin"),
    ],
)
def test_a_database_that_comes_back_has_its_collation_and_a_new_one_has_not(again: str, collation: str) -> None:
    before = ("CREATE DATABASE d COLLATE utf8mb4_general_ci", "CREATE TABLE d.t (a INT)", "DROP DATABASE d")
    result = folded(*before, again, f"CREATE TABLE {again.split()[-1]}.u (a CHAR(3))")
    assert [one.collation for one in last(result, "u").columns] == [collation]
    assert not result.problems


def test_a_binary_text_column_has_the_default_collation_of_its_character_set() -> None:
    result = folded(
        "CREATE TABLE t (a VARCHAR(9) BINARY, b CHAR(9) BINARY COLLATE utf8mb4_unicode_ci, c CHAR(9) ASCII BINARY, "
        "d TEXT) COLLATE utf8mb4_general_ci"
    )
    collations = [one.collation for one in last(result, "t").columns]
    assert collations == ["utf8mb4_bin", "utf8mb4_unicode_ci", "latin1_bin", "utf8mb4_general_ci"]


def test_create_like_copies_columns_indexes_and_partitions() -> None:
    source = "CREATE TABLE s (a INT NOT NULL, b INT, UNIQUE u (a)) PARTITION BY HASH (a) PARTITIONS 2"
    result = folded(source, "ALTER TABLE s ADD c INT DEFAULT 1", "CREATE TABLE t LIKE s", "ALTER TABLE t DROP INDEX u")
    created, altered = versions_of(result, "t")
    assert (names(created), key(created), key(altered)) == (["a", "b", "c"], ["a"], [])
    assert created.partitioning == last(result, "s").partitioning
    assert column(created, "c").added_value is None


def test_create_like_of_an_unknown_table_is_a_problem() -> None:
    result = folded("CREATE TABLE t LIKE s")
    assert codes(result) == [ProblemCode.UNKNOWN_TABLE] and last(result, "t").columns == ()


@pytest.mark.parametrize(
    ("definitions", "expected"),
    [
        ("a INT, b INT, PRIMARY KEY (b, a)", ["b", "a"]),
        ("a INT NOT NULL UNIQUE, b INT PRIMARY KEY", ["b"]),
        ("a INT NOT NULL, b INT NOT NULL, c INT NOT NULL, UNIQUE (b, c), UNIQUE (a)", ["a"]),
        ("a INT NOT NULL, b INT NOT NULL, UNIQUE (b), UNIQUE (a)", ["b"]),
        ("a INT NOT NULL, b INT NOT NULL, UNIQUE (b, a)", ["a", "b"]),
        ("a INT NOT NULL UNIQUE, b INT NOT NULL, UNIQUE (b)", ["b"]),
        ("a INT, UNIQUE (a)", []),
        ("a INT NOT NULL, b INT AS (a) NOT NULL, UNIQUE (b)", []),
        ("a INT NOT NULL, b INT AS (a) STORED NOT NULL, UNIQUE (b)", ["b"]),
        ("a INT NOT NULL, UNIQUE ((a + 1))", []),
        ("a INT NOT NULL, UNIQUE (a) WHERE a > 5", []),
        ("a INT NOT NULL, INDEX (a)", []),
    ],
)
def test_key_columns(definitions: str, expected: list[str]) -> None:
    assert key(last(folded(f"CREATE TABLE t ({definitions})"), "t")) == expected


def test_key_changes_by_ddl() -> None:
    result = folded(
        "CREATE TABLE t (a INT NOT NULL, b VARCHAR(20) NOT NULL, c INT)",
        "ALTER TABLE t ADD PRIMARY KEY (a) /*T![clustered_index] NONCLUSTERED */",
        "ALTER TABLE t DROP PRIMARY KEY",
        "ALTER TABLE t ADD UNIQUE u_b (b)",
        "ALTER TABLE t ADD PRIMARY KEY (b, a)",
        "ALTER TABLE t RENAME COLUMN a TO a2",
        "ALTER TABLE t DROP PRIMARY KEY, DROP INDEX u_b",
        "CREATE UNIQUE INDEX u_c ON t (c)",
        "ALTER TABLE t MODIFY c INT NOT NULL",
    )
    assert [key(one) for one in versions_of(result, "t")] == [
        [],
        ["a"],
        [],
        ["b"],
        ["b", "a"],
        ["b", "a2"],
        [],
        ["c"],
    ]


def test_columns_of_a_primary_key_are_not_null() -> None:
    result = folded("CREATE TABLE t (a INT, PRIMARY KEY (a))", "ALTER TABLE t MODIFY a BIGINT")
    assert [one.columns[0].nullable for one in versions_of(result, "t")] == [False, False]


def test_indexes_without_name_are_dropped_by_the_name_that_tidb_gives_them() -> None:
    result = folded(
        "CREATE TABLE t (a INT NOT NULL, b INT NOT NULL, c INT NOT NULL, INDEX a (b), UNIQUE (a, b), UNIQUE (a))",
        "ALTER TABLE t DROP INDEX a_3",
        "ALTER TABLE t RENAME INDEX a_2 TO u",
        "ALTER TABLE t DROP INDEX u",
    )
    assert [key(one) for one in versions_of(result, "t")] == [["a"], ["a", "b"], []]


def test_dropping_a_column_drops_its_index() -> None:
    result = folded("CREATE TABLE t (a INT NOT NULL, b INT NOT NULL UNIQUE)", "ALTER TABLE t DROP b")
    assert [key(one) for one in versions_of(result, "t")] == [["b"], []]
