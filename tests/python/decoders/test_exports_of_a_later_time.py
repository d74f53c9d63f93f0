"""A table that only an export of a later time tells: the types that its messages tell win (protocol facts 2.3)."""

from __future__ import annotations

import pytest
from support.catalogue import at, column, last

from ticdc_udfs.catalogue.fold import DdlEvent, Fold, fold
from ticdc_udfs.catalogue.projection import project
from ticdc_udfs.catalogue.tables import ExportedColumn, Origin
from ticdc_udfs.contract.schemas import Column, table_schema

ID, NAME = Column("id", "int", 1), Column("name", "varchar")
EXPORTED = [
    ExportedColumn("shop", "t", "id", 1, "int(11)", False, None, "PRI"),
    ExportedColumn("shop", "t", "name", 2, "varchar(20)", True, None, "", "", "utf8mb4_bin"),
]


def row(commit_ts: int, *columns: Column) -> DdlEvent:
    """What the first message of a row with these columns tells."""
    return DdlEvent(commit_ts, "shop", "t", None, None, table_schema([ID, *columns]).text.decode())


def with_export(column_type: str, *events: DdlEvent) -> Fold:
    collation = "utf8mb4_bin" if "char" in column_type else None
    return fold(events, [*EXPORTED, ExportedColumn("shop", "t", "v", 3, column_type, True, None, "", "", collation)])


def modify(commit_ts: int, definition: str) -> DdlEvent:
    return DdlEvent(commit_ts, "shop", "t", f"ALTER TABLE `t` MODIFY COLUMN `v` {definition}", "ALTER")


MODIFIED = [
    ("int", "varchar(20)", "VARCHAR(20)", "5", "5"),
    ("int", "decimal(10,2)", "DECIMAL(10,2)", "5", "5.00"),
    ("double", "decimal(10,2)", "DECIMAL(10,2)", "1.5", "1.50"),
    ("varchar", "varbinary(20)", "VARBINARY(20)", "a", "YQ=="),
    ("date", "datetime", "DATETIME", "2024-01-01", "2024-01-01 00:00:00"),
    ("int", "int(10) unsigned", "INT UNSIGNED", "7", "7"),
]


@pytest.mark.parametrize(("told", "exported", "definition", "text", "converted"), MODIFIED)
def test_rows_from_before_a_modify_are_converted(
    told: str, exported: str, definition: str, text: str, converted: str
) -> None:
    events = row(10, NAME, Column("v", told)), modify(20, definition), row(30, NAME, Column("v", definition.lower()))
    result = with_export(exported, *events)
    before, after = at(result, "t", 10), last(result, "t")
    assert (before.origin, column(before, "v").type) == (Origin.WIRE, told)
    assert (after.origin, column(after, "v").type) == (Origin.EXPORT, exported)
    image = {"id": "1", "name": "n", "v": text}
    assert project(image, [before.columns, after.columns], ("v:no_schema",)) == (
        {**image, "v": converted},
        ("v:no_schema",),
    )
    assert not result.problems


@pytest.mark.parametrize(
    ("told", "exported"),
    [
        ("int", "int(11)"),
        ("varchar", "varchar(20)"),
        ("decimal", "decimal(10,2)"),
        ("decimal(10,2)", "decimal(10,2)"),
        ("datetime", "datetime(3)"),
        ("bigint unsigned", "bigint(20) unsigned"),
        ("enum", "enum('a','b')"),
        ("bit(8)", "bit(8)"),
    ],
)
def test_an_export_that_says_the_same_tells_more(told: str, exported: str) -> None:
    version = last(with_export(exported, row(10, NAME, Column("v", told))), "t")
    assert (version.origin, column(version, "v").type) == (Origin.EXPORT, exported)


@pytest.mark.parametrize(
    ("told", "exported"),
    [
        ("int", "tinyint(4)"),
        ("smallint", "tinyint(3) unsigned"),
        ("bigint", "int(10) unsigned"),
        ("double", "decimal(10,2)"),
        ("double", "float(10,3)"),
        ("text", "varchar(20)"),
        ("text", "varbinary(20)"),
        ("blob", "binary(4)"),
        ("bigint", "bigint(20) unsigned"),
    ],
)
def test_words_that_stand_for_several_types_do_not_win(told: str, exported: str) -> None:
    """Avro, and Debezium without the TiDB extension, have no words for all of TiDB's types."""
    version = last(with_export(exported, row(10, Column("name", "text"), Column("v", told))), "t")
    assert (version.origin, column(version, "v").type) == (Origin.EXPORT, exported)


def test_a_type_that_no_such_word_stands_for_wins_all_the_same() -> None:
    version = last(with_export("varchar(20)", row(10, Column("name", "text"), Column("v", "int"))), "t")
    assert (version.origin, column(version, "v").type) == (Origin.WIRE, "int")


def test_sizes_that_a_message_tells_win() -> None:
    result = with_export("decimal(12,4)", row(10, NAME, Column("v", "decimal(10,2)")), modify(20, "DECIMAL(12,4)"))
    before, after = at(result, "t", 10), last(result, "t")
    image = {"id": "1", "name": "n", "v": "1.50"}
    assert project(image, [before.columns, after.columns]).row["v"] == "1.5000"


def test_without_ddl_the_last_message_tells_the_type() -> None:
    """No DDL is sent by some encoders: what the newest rows are counts then."""
    result = with_export("varchar(20)", row(10, NAME, Column("v", "int")), row(20, NAME, Column("v", "varchar")))
    (version,) = result.versions
    assert (version.origin, column(version, "v").type) == (Origin.EXPORT, "varchar(20)")
