"""The rule of the handle key: which index it is, what messages name that is none, and which indexes are built anew."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import pytest

from ticdc_udfs.catalogue.handle_key import TableIndex, is_rebuilt, key_index, tells_apart

COLUMNS = "abcd"


def unique(name: str, number: int, columns: str, *, partial: bool = False) -> TableIndex[str]:
    """A UNIQUE index of columns of one letter; `-` is an expression."""
    parts = tuple(None if letter == "-" else letter for letter in columns)
    return TableIndex(name, parts, True, False, number, partial)


def primary(columns: str) -> TableIndex[str]:
    return TableIndex("PRIMARY", tuple(columns), True, True, 9)


@pytest.mark.parametrize(
    ("indexes", "not_null", "chosen"),
    [
        ([], "abcd", None),
        ([unique("u", 1, "a"), primary("bc")], "abc", "PRIMARY"),
        ([unique("pair", 1, "ab"), unique("one", 2, "c")], "abc", "one"),
        ([unique("pair", 1, "ab"), unique("one", 2, "c")], "ab", "pair"),
        ([unique("pair", 1, "ab")], "a", None),
        ([unique("older", 1, "b"), unique("newer", 2, "a")], "ab", "older"),
        ([unique("rebuilt", 3, "a"), unique("older", 2, "b")], "ab", "older"),
        ([TableIndex("plain", ("a",), number=1), unique("u", 2, "b")], "ab", "u"),
        ([unique("partial", 1, "a", partial=True), unique("pair", 2, "ab")], "ab", "pair"),
        ([unique("partial", 1, "a", partial=True)], "ab", None),
        ([unique("expression", 1, "-"), unique("mixed", 2, "a-"), unique("u", 3, "abc")], "abc", "u"),
        ([TableIndex("empty", (), True)], "abc", None),
    ],
)
def test_the_index_that_is_the_key(
    indexes: Sequence[TableIndex[str]], not_null: Collection[str], chosen: str | None
) -> None:
    found = key_index(indexes, set(not_null))
    assert (found and found.name) == chosen
    assert key_index(indexes[::-1], set(not_null)) == found


@pytest.mark.parametrize(
    ("named", "indexes", "on_wire", "is_key"),
    [
        # what no index explains may be one: DDL need not have told of all
        ("a", [], "abcd", True),
        ("a", [unique("u", 1, "a")], "abcd", True),
        ("a", [unique("partial", 1, "a", partial=True)], "abcd", False),
        ("a", [unique("partial", 1, "a", partial=True), unique("whole", 2, "a")], "abcd", True),
        ("ab", [unique("partial", 1, "a", partial=True)], "abcd", True),
        # `d` is virtual
        ("a", [unique("u", 1, "ad")], "abc", False),
        ("a", [unique("u", 1, "a-")], "abcd", False),
        ("", [unique("u", 1, "d")], "abc", False),
        ("", [unique("u", 1, "a")], "abcd", True),
        ("ba", [primary("ab")], "abcd", True),
    ],
)
def test_what_messages_name_may_be_no_key(
    named: str, indexes: Sequence[TableIndex[str]], on_wire: str, is_key: bool
) -> None:
    assert tells_apart(named, indexes, set(on_wire)) is is_key


@pytest.mark.parametrize(
    ("old", "new", "rebuilt"),
    [
        ("int(11)", "bigint(20)", False),
        ("int(11)", "int(5)", False),
        ("bigint(20)", "int(11)", True),
        ("int(11)", "int(10) unsigned", True),
        # as messages tell it
        ("int unsigned zerofill", "bigint(20) unsigned", False),
        ("int(11)", "varchar(20)", True),
        ("varchar(20)", "varchar(30)", False),
        ("varchar(20)", "varchar(10)", True),
        ("varchar(20)", "text", False),
        ("text", "varchar(20)", True),
        ("varchar(20)", "char(20)", True),
        ("varbinary(8)", "varbinary(9)", False),
        ("binary(8)", "binary(9)", True),
        ("varchar(8)", "varbinary(8)", True),
        ("datetime", "datetime(3)", False),
        ("datetime(3)", "datetime", True),
        ("date", "timestamp", True),
        ("decimal(10,0)", "decimal(10,0)", False),
        ("decimal(10,0)", "decimal(12,0)", True),
        ("enum('a')", "enum('a','b')", False),
        ("enum('a','b')", "enum('b')", True),
        ("float", "double", True),
        ("year(4)", "year(4)", False),
    ],
)
def test_modify_column_builds_indexes_anew_where_rows_are_written_anew(old: str, new: str, rebuilt: bool) -> None:
    assert is_rebuilt(old, new) is rebuilt
