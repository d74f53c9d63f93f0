"""Tables of Avro, Debezium-Avro and classic Debezium, which send no DDL: columns and types that later rows bring."""

from __future__ import annotations

import pytest
from support.catalogue import at, codes, column, last, names, schema_text

from ticdc_udfs.catalogue.column_types import type_of_both
from ticdc_udfs.catalogue.fold import DdlEvent, Fold, ProblemCode, fold
from ticdc_udfs.contract.schemas import Column
from ticdc_udfs.typed.types import spark_type

ID = Column("id", "int", 1)
PROTOCOLS = pytest.mark.parametrize("protocol", ["avro", "debezium_avro", "debezium"])


def row(commit_ts: int, *columns: Column) -> DdlEvent:
    """What the first row of a schema tells."""
    return DdlEvent(commit_ts, "shop", "t", None, None, schema_text(*columns))


def of_type(*types: str, protocol: str = "avro") -> Fold:
    """A column whose type changed between rows."""
    rows = (row(10 * place, ID, Column("v", each)) for place, each in enumerate(types, start=1))
    return fold(rows, protocol=protocol)


@PROTOCOLS
def test_a_column_that_comes_as_another_one_goes_is_there(protocol: str) -> None:
    old, new = (
        row(10, ID, Column("a", "int"), Column("b", "text")),
        row(20, ID, Column("a", "int"), Column("c", "text")),
    )
    again = row(30, ID, Column("c", "text"), Column("d", "date"))
    result = fold([old, new, again], protocol=protocol)
    assert names(last(result, "t")) == ["id", "a", "b", "c", "d"] and not result.problems
    assert len({each.column_id for each in last(result, "t").columns}) == 5


@PROTOCOLS
def test_a_new_column_of_the_key_is_none(protocol: str) -> None:
    """Rows from before would have no key."""
    old, new = row(10, ID, Column("v", "text")), row(20, Column("id2", "int", 1), Column("v", "text"))
    result = fold([old, new], protocol=protocol)
    assert names(last(result, "t")) == ["id", "v"] and codes(result) == [ProblemCode.KEY_UNKNOWN]


@PROTOCOLS
@pytest.mark.parametrize(
    ("types", "held"),
    [
        (("decimal(10,2)", "decimal(12,4)"), "decimal(12,4)"),
        (("decimal(12,1)", "decimal(6,4)"), "decimal(15,4)"),
        (("decimal(65,0)", "decimal(65,30)"), "decimal(95,30)"),
        (("int", "decimal(6,4)"), "decimal(14,4)"),
        (("decimal", "decimal(6,4)"), "text"),
        (("int", "bigint"), "bigint"),
        (("int", "int unsigned"), "bigint"),
        (("int unsigned", "bigint unsigned"), "bigint unsigned"),
        (("bigint", "bigint unsigned"), "decimal(20,0)"),
        (("float", "double"), "double"),
        (("bit(8)", "bit(64)"), "bit(64)"),
        (("date", "datetime"), "datetime"),
        (("int", "text"), "text"),
        (("set('a','b')", "text"), "text"),
        (("date", "int"), "text"),
    ],
)
def test_a_type_that_changed_holds_rows_from_before_and_after(types: tuple[str, str], held: str, protocol: str) -> None:
    """What the narrower type cannot hold, Spark rounds or cuts without a word."""
    result = of_type(*types, types[0], protocol=protocol)
    assert column(last(result, "t"), "v").type == held and not result.problems
    assert at(result, "t", 5) == last(result, "t")
    assert type_of_both(types[1], types[0]) == held


def test_labels_are_those_of_the_last_rows() -> None:
    assert column(last(of_type("enum('a')", "enum('a','b')"), "t"), "v").type == "enum('a','b')"


def test_a_decimal_that_spark_does_not_hold_is_text() -> None:
    assert spark_type(column(last(of_type("decimal(38,0)", "decimal(38,38)"), "t"), "v").type) == "string"


@PROTOCOLS
@pytest.mark.parametrize(("old", "new"), [("text", "blob"), ("int", "blob"), ("timestamp", "datetime")])
def test_texts_that_mean_another_thing_since_are_a_problem(old: str, new: str, protocol: str) -> None:
    for types in ((old, new), (new, old)):
        result = of_type(*types, protocol=protocol)
        assert column(last(result, "t"), "v").type == types[0]
        (problem,) = result.problems
        assert (problem.code, problem.commit_ts) == (ProblemCode.SCHEMA_DIFFERS, 20) and problem.detail.endswith(": v")


def test_a_table_with_more_columns_keeps_the_kind_of_those_that_it_had() -> None:
    old, new = row(10, ID, Column("v", "text")), row(20, ID, Column("v", "blob"), Column("w", "int"))
    result = fold([old, new], protocol="avro")
    assert [each.type for each in last(result, "t").columns] == ["int", "text", "int"]
    assert codes(result) == [ProblemCode.SCHEMA_DIFFERS]


def test_ddl_that_is_sent_tells_types() -> None:
    """Messages of Avro have one word for several types."""
    ddl = DdlEvent(20, "shop", "t", "ALTER TABLE t MODIFY COLUMN v VARCHAR(9), RENAME COLUMN w TO x")
    old, new = ([Column("v", "int"), Column("w", "int")], [Column("v", "text"), Column("x", "int")])
    result = fold([row(10, ID, *old), ddl, row(30, ID, *new)], protocol="avro")
    assert [(each.name, each.type) for each in last(result, "t").columns] == [
        ("id", "int"),
        ("v", "varchar(9)"),
        ("x", "int"),
    ]
    assert not result.problems


def test_rows_with_a_column_that_no_ddl_gave_are_a_problem_where_debezium_sends_ddl() -> None:
    """That of classic TiCDC sends none, that of the newer architecture all that changes columns."""
    create = DdlEvent(10, "shop", "other", "CREATE TABLE other (id INT PRIMARY KEY)")
    rows = (row(20, ID, Column("a", "int")), row(30, ID, Column("b", "int")))
    assert names(last(fold(rows, protocol="debezium"), "t")) == ["id", "a", "b"]
    result = fold([create, *rows], protocol="debezium")
    assert names(last(result, "t")) == ["id", "a"] and codes(result) == [ProblemCode.SCHEMA_DIFFERS]
