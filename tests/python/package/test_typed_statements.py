"""What Spark makes of the SQL of typed tables, whatever tables and columns are called, with ANSI mode on and off."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

from ticdc_udfs.contract.identifiers import text_literal
from ticdc_udfs.typed import sql
from ticdc_udfs.typed.plans import Column
from ticdc_udfs.typed.sql import Shape, Sources, Written

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# Texts of before a DDL, and what is shown of them in a column that is of another type since.
FORMER = {
    "timestamp": {
        "2020-01-02 03:04:05.600000": "2020-01-02 03:04:05.6",
        "0000-00-00 00:00:00": None,
        "03:04:05": None,
        "2020-01-02 03:04:05+09:00": None,
    },
    "timestamp_ntz": {
        "2020-01-02 03:04:05.600000": "2020-01-02 03:04:05.6",
        "2020-01-02": "2020-01-02 00:00:00",
        "03:04:05": None,
        "2020": None,
        "2020-01-02 03:04:05+09:00": None,
        "2020-01-02 03:04:05Z": None,
    },
    "date": {
        "2020-01-02": "2020-01-02",
        "2020-1-2 00:00:00.000000": "2020-01-02",
        "2020-01-02 03:04:05": None,
        "0000-00-00": None,
        "2020": None,
        "2020-01": None,
    },
    "decimal(6,2)": {"1.25": "1.25", "1.2500": "1.25", "1.2345": None},
}

NAMES = ("it's", "`", "\\\\", "a b", "a.b", "line\nbreak", "_lossy", "row", "image", "c2", "ı", "𝄞", "select")
"""Of columns, the first of which is the key."""
HOSTILE = "t`'\\\\\n"
SCHEMA = "typed_statements"
HISTORY, ROWS = f"{SCHEMA}.ticdc__history_1", f"{SCHEMA}.ticdc__typed_1"


def test_hostile_names_are_what_they_should_be() -> None:
    assert len({name.lower() for name in NAMES}) == len(NAMES)


@pytest.mark.usefixtures("ansi")
@pytest.mark.parametrize("type_name", FORMER)
def test_nothing_is_made_up_or_cut_of_a_former_value(spark: SparkSession, type_name: str) -> None:
    texts = spark.createDataFrame([(text,) for text in FORMER[type_name]], "t string")
    former = sql.typed_expression("t", type_name, True)
    if type_name == "timestamp":
        former = f"convert_timezone('UTC', cast({former} as timestamp_ntz))"
    shown = texts.selectExpr("t", f"cast({former} as string) as shown").collect()
    assert {row.t: row.shown for row in shown} == FORMER[type_name]


def shape() -> Shape:
    columns = [Column(name, f"c{place}", "int") for place, name in enumerate(NAMES, 1)]
    return Shape(HOSTILE, HOSTILE, 2, tuple(columns), NAMES[:1])


def told(key: int, value: int | str | None) -> str:
    """A literal of the row, of which all columns but the key have one value."""
    members = ", ".join(f"{text_literal(name)}, {text_literal(str(value))}" for name in NAMES[1:])
    key_member = f"{text_literal(NAMES[0])}, '{key}'"
    return f"to_json(map({key_member}, {members}))"


def rows(*versions: tuple[int, int | str | None, int, int | None]) -> str:
    """Versions of rows: key, value, when it began and when it ended."""
    place = f"{text_literal(HOSTILE)} as feed, {text_literal(HOSTILE)} as table_id, 2 as table_incarnation"
    selects = " union all ".join(
        f"select {place}, '{key}' as row_key, {told(key, value)} as row, "
        f"{begin} as commit_ts, {begin} as row_commit_ts, "
        f"cast(array() as array<string>) as lossy, {begin}L as valid_from_ts, "
        f"cast({'null' if end is None else end} as bigint) as valid_to_ts, current_timestamp() as valid_from_at, "
        f"cast(null as timestamp) as valid_to_at, 'insert' as op, 'update' as closed_by, {begin}L as generation, "
        f"{begin} as run_id"
        for key, value, begin, end in versions
    )
    return f"({selects})"


@pytest.fixture(scope="module")
def schema(spark: SparkSession) -> Iterator[None]:
    spark.sql(f"create schema if not exists {SCHEMA}")
    yield
    spark.sql(f"drop schema {SCHEMA} cascade")


@pytest.fixture(params=["true", "false"])
def ansi(spark: SparkSession, request: Any) -> Iterator[None]:
    before = spark.conf.get("spark.sql.ansi.enabled")
    spark.conf.set("spark.sql.ansi.enabled", request.param)
    yield
    spark.conf.set("spark.sql.ansi.enabled", before)


def sources(publication: str = "") -> Sources:
    newest = rows((1, 7, 10, None), (2, "no number", 10, None))
    versions = rows((1, 6, 5, 10), (1, 7, 10, None), (2, "no number", 10, None))
    live = f"(select *, 0L as live_from_ts, cast(null as bigint) as live_to_ts from {newest})"
    return Sources(
        publication=publication,
        latest="latest",
        latest_rows=newest,
        newest_rows=newest,
        keyed_history=versions,
        keyless_history=versions,
        keyed_changes=live,
        keyless_changes=live,
        changes_as_of="select *, 1 as place from {changes}",
        bounds_as_of=f"(select {text_literal(HOSTILE)} as feed, 10 as as_of_ts)",
        merged_rows="select * from {rows} as all_rows where not is_deleted",
    )


def shown(spark: SparkSession, query: str) -> list[tuple[Any, ...]]:
    """The rows by key, then each the values of all other columns, and the flags."""
    found = spark.sql(query).collect()
    assert [name for name in found[0].__fields__[: len(NAMES)]] == list(NAMES)
    flags = next(name for name in reversed(found[0].__fields__) if name.endswith("lossy"))
    return sorted((row[0], {*row[1 : len(NAMES)]}, len(row[flags])) for row in found)


MANY = len(NAMES) - 1
NOW = [(1, {7}, 0), (2, {None}, MANY)]
VERSIONS = [(1, {6}, 0), *NOW]


@pytest.mark.usefixtures("ansi")
def test_relations_of_hostile_names(spark: SparkSession) -> None:
    spark.sql("declare or replace variable tso bigint default 10")
    assert shown(spark, sql.view(shape(), sources(), None, None)) == NOW
    assert shown(spark, sql.rows_as_of(shape(), sources().newest_rows)) == NOW
    assert shown(spark, sql.history_view(shape(), sources(), None)) == VERSIONS
    assert shown(spark, sql.as_of_function(shape(), sources(), None)) == NOW


@pytest.mark.usefixtures("ansi", "schema")
def test_storages_of_hostile_names(spark: SparkSession) -> None:
    spark.sql("declare or replace variable tso bigint default 10")
    first = rows((1, 6, 5, None), (2, "no number", 5, None))
    changed = rows((1, 7, 10, None))
    clauses = "using parquet partitioned by (generation)"
    written = [
        Written(5, first, first, "select * from changes", clauses),
        Written(10, changed, changed, "select * from changes", clauses),
    ]
    statements = [
        *sql.row_statements(shape(), written[0], ROWS, [5], []),
        *sql.row_statements(shape(), written[1], ROWS, [5, 10], [5]),
        *sql.history_statements(shape(), written[0], HISTORY, 0, True),
        *sql.history_statements(shape(), written[1], HISTORY, 5, False),
    ]
    for statement in statements:
        spark.sql(statement)
    batches = "map('ticdc__typed_1', array(5L, 10L), 'ticdc__history_1', array(5L, 10L), 'latest', array(5L, 10L))"
    publication = f"(select {batches} as batches, map('ticdc__history_1', array(10L)) as later_batches)"
    read = sources(publication)
    latest = sql.view(shape(), read, ROWS, None)
    assert shown(spark, latest) == [(1, {6}, 0), (1, {7}, 0), (2, {None}, MANY)]
    assert shown(spark, sql.history_view(shape(), read, HISTORY)) == NOW
    assert shown(spark, sql.view(shape(), read, None, HISTORY)) == NOW
    assert shown(spark, sql.as_of_function(shape(), read, HISTORY)) == NOW
    (count,) = sql.counts([sql.Counted(3, shape(), HISTORY, 5, (5, 10))], written[1])
    assert [tuple(row) for row in spark.sql(count).collect()] == [(3, "whole")]
