"""What is asked of a table, its history and its changes, of the package's relations and of plain Parquet tables."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from benchmarks.session import Bench
from benchmarks.tables import DATABASE, Shape


class Query(NamedTuple):
    """A question, as it is put to the package's relations and to plain tables of the same rows."""

    label: str
    ours: str
    plain: str


def compared(bench: Bench, shape: Shape) -> Iterator[Query]:
    """The questions, of a table with an integer beside its key; makes the plain tables first.

    They are asked in the schema of the typed tables, as Spark calls functions there alone.
    """
    bench.sql(f"use {DATABASE}")
    current, history = f"{DATABASE}.{shape.table}", f"{DATABASE}.{shape.table}_history"
    changelog = "ticdc.ticdc__changelog"
    plain = {relation: f"default.plain_{place}" for place, relation in enumerate((current, history, changelog))}
    for relation, table in plain.items():
        bench.sql(f"drop table if exists {table}")
        bench.to_parquet(f"select * from {relation}", table)
    key = bench.count(f"select percentile_disc(0.5) within group (order by id) from {current}")
    # half of the versions begin before it
    moment = bench.count(f"select percentile_disc(0.5) within group (order by _valid_from_ts) from {history}")
    then = f"_valid_from_ts <= {moment} and (_valid_to_ts is null or _valid_to_ts > {moment})"
    number = next(column.name for column in shape.columns if column.spark_type == "int")
    aggregate = f"select count(*), sum({number})"

    def of(label: str, relation: str, query: str) -> Query:
        return Query(label, query.format(relation), query.format(plain[relation]))

    yield of("rows of a table", current, "select count(*) from {}")
    yield of("one row by key", current, f"select * except (_lossy) from {{}} where id = {key}")
    yield of("aggregate of a table", current, aggregate + " from {}")
    yield of("history of one row", history, f"select * except (_lossy) from {{}} where id = {key}")
    yield of("aggregate of a history", history, aggregate + " from {}")
    yield Query(
        "aggregate as of a commit",
        f"{aggregate} from {shape.table}_as_of({moment})",
        f"{aggregate} from {plain[history]} where {then}",
    )
    yield of("changes by operation", changelog, "select op, count(*) from {} group by op")
