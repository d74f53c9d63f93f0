"""Whatever text comes as DDL, it is changes, or one that says where it cannot be read."""

from __future__ import annotations

from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.ddl import column, one
from support.hostile import cases, deepest

from ticdc_udfs.catalogue.changes import DdlKind, NotRead, Partition, PartitionChange
from ticdc_udfs.catalogue.column_types import Default
from ticdc_udfs.catalogue.ddl import MAX_LENGTH, kind_and_tables, statements


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
    assert column("a DECIMAL(65,999999999) DEFAULT 1e999999999").default == Default(None, "1e999999999")


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
        statements(head + piece * deepest(20_000, 5_000), "shop")
        assert process_time() - started < 10
