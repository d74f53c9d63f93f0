"""Proves a mart: the rows as of a commit against TiDB's own, checksums of chunks first, then rows and cells."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa

from dbt_ticdc import truth
from dbt_ticdc.errors import TicdcError, without_trace
from dbt_ticdc.results import aligned, printable
from dbt_ticdc.truth import Column, Image, TableName
from ticdc_udfs.contract import values
from ticdc_udfs.contract.events import Lossy
from ticdc_udfs.contract.schemas import write_json

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Columns = Mapping[TableName, Sequence[Column]]
_Chunk = tuple[str, str, int]

_CHUNKS = 256  # of each table
_FILES_AT_ONCE = 256
_ROWS_PER_BATCH = 4000
_FAULT = re.compile(r"TicdcError: (--truth: .+)")  # in the trace of a worker
_SHOWN = 5  # differences of each table
# Flags of a whole row that say nothing of its cells.
_OF_NO_CELL = frozenset({Lossy.NO_KEY.of(), Lossy.NO_COMMIT_TS.of()})
# The mart numbers the second and further copies of a row of a table without key; no column of TiDB has an empty name.
_UNNUMBERED_KEY = """if(
    array_contains(lossy, '*:no_key'), regexp_replace(row_key, ',"":"[0-9]+"}$', '}'), row_key
)"""
_TABLE = ("schema_name", "table_name")
_CHUNK = [*_TABLE, "chunk"]
_COUNTS = ("cells", "flagged", "wrong", "missing", "extra")
_UPSTREAM_TYPE = pa.schema([*((name, pa.string()) for name in (*_TABLE, "row_key", "row")), ("cells", pa.int64())])
_VERDICT_TYPE = pa.schema(
    [
        *((name, pa.string()) for name in (*_TABLE, "row_key")),
        *((name, pa.int64()) for name in _COUNTS),
        ("difference", pa.string()),
    ]
)


@dataclass
class Tally:
    """What was found in a table: upstream rows, compared cells, and what is not equal; the first differences."""

    rows: int = 0
    cells: int = 0
    flagged: int = 0
    wrong: int = 0
    missing: int = 0
    extra: int = 0
    differences: list[str] = field(default_factory=list)

    @property
    def is_equal(self) -> bool:
        """Whether no cell is wrong, and no row is missing or extra; flagged cells are not wrong."""
        return not (self.wrong or self.missing or self.extra)


@dataclass(frozen=True)
class Report:
    """The comparison of every table of the truth, and how many rows the mart has of tables that it lacks."""

    tables: Mapping[TableName, Tally]
    not_in_truth: Mapping[TableName, int]

    @property
    def is_equal(self) -> bool:
        """Whether every table of the truth is equal."""
        return all(tally.is_equal for tally in self.tables.values())

    def text(self) -> str:
        """The report in words and one table; ends with `equal` or `different`."""
        found = sorted(self.tables.items())
        counted = {_name(table): (tally.rows, *counts(tally)) for table, tally in found}
        counted["all"] = tuple(map(sum, zip(*counted.values(), strict=True)))
        texts = [(name, *(f"{count:,}" for count in of)) for name, of in counted.items()]
        parts = [aligned(("table", "rows", *_COUNTS), texts, right=frozenset(range(1, 7)))]
        for table, tally in found:
            if not tally.is_equal:
                parts.append(f"{_name(table)}:\n" + "".join(f"  {printable(line)}\n" for line in tally.differences))
        if self.not_in_truth:
            others = ", ".join(f"{_name(table)} ({rows:,})" for table, rows in sorted(self.not_in_truth.items()))
            parts.append(f"not compared, as the truth has no such table (rows): {others}\n")
        different = sum(not tally.is_equal for tally in self.tables.values())
        parts.append(f"different: {different} of {len(found)} tables\n" if different else "equal\n")
        return "\n".join(parts)


def counts(tally: Tally) -> tuple[int, ...]:
    """Cells, flagged and wrong ones, missing and extra rows."""
    return tuple(getattr(tally, name) for name in _COUNTS)


def feed_and_commit(spark: SparkSession, feed: str | None, commit_ts: int | None) -> tuple[str, int]:
    """The feed, which may be left out where there is one, and the commit, by default what it is complete through.

    A feed without watermarks is taken as of its last commit. Raises `TicdcError`.
    """
    if not spark.catalog.tableExists("ticdc__completeness"):
        raise TicdcError("the warehouse has no table ticdc__completeness; `ticdc run` builds it")
    found = spark.sql("select feed, max(complete_through_ts) from ticdc__completeness group by feed").collect()
    feeds: dict[str, int | None] = {row[0]: row[1] for row in found}
    if feed is None and len(feeds) == 1:
        (feed,) = feeds
    if feed is None or feed not in feeds:
        raise TicdcError(
            f"--feed: got {feed or 'nothing'}; feeds of the warehouse: {', '.join(sorted(feeds)) or 'none'}"
        )
    if commit_ts is not None:
        return feed, commit_ts
    complete_through = feeds[feed]
    if complete_through is None:
        last = spark.sql("select max(commit_ts) from ticdc__changelog where feed = :feed", {"feed": feed})
        complete_through = last.collect()[0][0]
    if not complete_through:
        raise TicdcError(f"the feed {feed} is not complete through any commit yet")
    return feed, complete_through


def columns_as_of(spark: SparkSession, feed: str, commit_ts: int) -> Columns:
    """The columns of each table of a feed as of a commit, in table order, as the catalogue knows them."""
    found = spark.sql(
        "select * from ticdc__columns where feed = :feed and valid_from_ts <= :tso "
        "and coalesce(valid_to_ts > :tso, true) order by schema_name, table_name, ordinal_position",
        {"feed": feed, "tso": commit_ts},
    )
    columns: dict[TableName, list[Column]] = {}
    for row in found.collect():
        column = Column(row.column_name, row.column_type, bool(row.key_position), row.generated)
        columns.setdefault((row.schema_name, row.table_name), []).append(column)
    return columns


def compare(
    spark: SparkSession,
    feed: str,
    commit_ts: int,
    files: Mapping[TableName, Sequence[Path]],
    form: truth.Form,
    columns: Columns,
    with_values: bool = False,
) -> Report:
    """The rows of a feed as of a commit against those in the files of each table.

    The names of `files` are the tables to compare; one without files is empty. With values the differences show what
    both sides hold. Raises `TicdcError` where a file cannot be read, the mart cannot be asked of that commit, or there
    is nothing to compare.
    """
    if not files:
        raise TicdcError(f"no table of the feed {feed} is known as of commit {commit_ts}: nothing is compared")
    mart = spark.sql(
        f"select schema_name, table_name, {_UNNUMBERED_KEY} as row_key, row, cast(0 as bigint) as cells, "
        "coalesce(lossy, cast(array() as array<string>)) as lossy "
        f"from ticdc__rows_as_of({commit_ts}) where feed = :feed",
        {"feed": feed},
    ).persist()
    upstream = (
        _upstream(spark, files, form, columns).selectExpr("*", "cast(array() as array<string>) as lossy").persist()
    )
    try:
        return _compared(mart, upstream, files, columns, with_values)
    except Exception as error:
        fault = _FAULT.search(str(error))
        raise TicdcError(fault[1] if fault else f"the rows cannot be compared: {without_trace(error)}") from error
    finally:
        mart.unpersist()
        upstream.unpersist()


def _upstream(
    spark: SparkSession, files: Mapping[TableName, Sequence[Path]], form: truth.Form, columns: Columns
) -> DataFrame:
    """Key and row of every row of the files, as the mart writes them, and how many cells it has."""
    paths = [(*table, str(path)) for table, paths in files.items() for path in paths]
    named = spark.createDataFrame(paths, "schema_name string, table_name string, path string")
    spread = named.repartition(max(1, min(len(paths), _FILES_AT_ONCE)))
    return spread.mapInArrow(
        lambda batches: _read_files(batches, form, columns),
        "schema_name string, table_name string, row_key string, row string, cells bigint",
    )


def _read_files(batches: Iterable[pa.RecordBatch], form: truth.Form, columns: Columns) -> Iterator[pa.RecordBatch]:
    def rows() -> Iterator[tuple[Any, ...]]:
        for file in _rows_of(batches):
            known = columns.get((file["schema_name"], file["table_name"]), ())
            for image in truth.rows(Path(file["path"]), known, form):
                key = truth.key(image, known)
                yield file["schema_name"], file["table_name"], write_json(key), write_json(image), len(image)

    return _batches(rows(), _UPSTREAM_TYPE)


def _compared(
    mart: DataFrame, upstream: DataFrame, tables: Iterable[TableName], columns: Columns, with_values: bool
) -> Report:
    tallies = {table: Tally() for table in tables}
    not_in_truth: dict[TableName, int] = {}
    suspect = []
    here = _checksums(mart)
    for chunk, there in _checksums(upstream).items():
        tally = tallies[chunk[:2]]
        tally.rows += there.rows
        same = here.pop(chunk, None)
        if same is not None and (same.checksum, same.rows, same.flags) == (there.checksum, there.rows, 0):
            tally.cells += there.cells
        else:
            suspect.append(chunk)
    for chunk, extra in here.items():
        if chunk[:2] in tallies:
            suspect.append(chunk)
        else:
            not_in_truth[chunk[:2]] = not_in_truth.get(chunk[:2], 0) + extra.rows
    if suspect:
        _judge_chunks(mart, upstream, suspect, tallies, columns, with_values)
    return Report(tallies, not_in_truth)


class _Checksum(NamedTuple):
    checksum: Decimal
    rows: int
    cells: int
    flags: int


def _checksums(rows: DataFrame) -> dict[_Chunk, _Checksum]:
    from pyspark.sql import functions as f

    checks = (
        _in_chunks(rows)
        .groupBy(_CHUNK)
        .agg(f.sum(f.xxhash64("row").cast("decimal(38, 0)")), f.count("*"), f.sum("cells"), f.sum(f.size("lossy")))
    )
    return {(row[0], row[1], row[2]): _Checksum(*row[3:]) for row in checks.collect()}


def _in_chunks(rows: DataFrame) -> DataFrame:
    from pyspark.sql import functions as f

    return rows.withColumn("chunk", f.pmod(f.xxhash64("row_key"), f.lit(_CHUNKS)))


def _judge_chunks(
    mart: DataFrame,
    upstream: DataFrame,
    suspect: Sequence[_Chunk],
    tallies: Mapping[TableName, Tally],
    columns: Columns,
    with_values: bool,
) -> None:
    from pyspark.sql import Window
    from pyspark.sql import functions as f

    chunks = f.broadcast(
        mart.sparkSession.createDataFrame(suspect, "schema_name string, table_name string, chunk bigint")
    )
    # rows of a table without key may be equal
    one_row = [*_TABLE, "row_key", "place"]
    place = f.row_number().over(Window.partitionBy(*_TABLE, "row_key").orderBy("row"))
    upstream, mart = (
        _in_chunks(rows).join(chunks, _CHUNK, "left_semi").withColumn("place", place) for rows in (upstream, mart)
    )
    pairs = upstream.select(*one_row, f.col("row").alias("there")).join(
        mart.select(*one_row, f.col("row").alias("here"), "lossy"), one_row, "full"
    )
    of_counts = ", ".join(f"{name} bigint" for name in _COUNTS)
    verdicts = pairs.mapInArrow(
        lambda batches: _judge(batches, columns, with_values),
        f"schema_name string, table_name string, row_key string, {of_counts}, difference string",
    ).persist()
    try:
        sums = [f.sum(name).alias(name) for name in _COUNTS]
        for row in verdicts.groupBy(*_TABLE).agg(*sums).collect():
            tally = tallies[row.schema_name, row.table_name]
            for name in _COUNTS:
                setattr(tally, name, getattr(tally, name) + row[name])
        rank = f.row_number().over(Window.partitionBy(*_TABLE).orderBy("row_key"))
        first = verdicts.where("difference is not null").withColumn("rank", rank).where(f.col("rank") <= _SHOWN)
        for row in first.orderBy(*_TABLE, "rank").collect():
            table = (row.schema_name, row.table_name)
            # without a key the row key is all values
            is_named = with_values or any(column.is_key for column in columns.get(table, ()))
            name = row.row_key if is_named else "a row without key"
            tallies[table].differences.append(f"{name} {row.difference}")
    finally:
        verdicts.unpersist()


def _judge(batches: Iterable[pa.RecordBatch], columns: Columns, with_values: bool) -> Iterator[pa.RecordBatch]:
    def verdicts() -> Iterator[tuple[Any, ...]]:
        for pair in _rows_of(batches):
            known = columns.get((pair["schema_name"], pair["table_name"]), ())
            there, here = (None if pair[side] is None else json.loads(pair[side]) for side in ("there", "here"))
            verdict = judged(there, here, pair["lossy"] or (), known, with_values)
            yield pair["schema_name"], pair["table_name"], pair["row_key"], *verdict

    return _batches(verdicts(), _VERDICT_TYPE)


class Verdict(NamedTuple):
    """What is to be said of one row; `difference` is None where it is equal."""

    cells: int = 0
    flagged: int = 0
    wrong: int = 0
    missing: int = 0
    extra: int = 0
    difference: str | None = None


def judged(
    there: Image | None, here: Image | None, lossy: Sequence[str], columns: Sequence[Column], with_values: bool = False
) -> Verdict:
    """A row upstream and in the mart, None where it is not there; `lossy` are the flags of the mart's row.

    Columns that TiDB computes need not be in an export, as dumpling leaves them out.
    """
    if here is None:
        return Verdict(missing=1, difference="is missing")
    if there is None:
        return Verdict(extra=1, difference="is not upstream")
    by_name = {column.name: column for column in columns}
    flags = [flag.rpartition(":") for flag in lossy]
    flagged_columns = {column for column, _, _ in flags}
    row_is_flagged = not _OF_NO_CELL.issuperset(flag for flag in lossy if flag.startswith("*:"))
    cells = flagged = 0
    wrong = []
    for name in dict.fromkeys((*there, *here)):
        column = by_name.get(name) or Column(name)
        if name not in there and column.generated:
            continue
        cells += 1
        if name in flagged_columns or (row_is_flagged and not column.is_key):
            flagged += 1
        elif name not in there or name not in here or not _is_same(there[name], here[name], column.type):
            wrong.append(name)
    if not wrong:
        return Verdict(cells, flagged)
    if with_values:
        texts = (f"{name}: upstream {_shown(there, name)}, here {_shown(here, name)}" for name in wrong)
        return Verdict(cells, flagged, len(wrong), difference="; ".join(texts))
    return Verdict(cells, flagged, len(wrong), difference=", ".join(wrong))


def _is_same(there: str | None, here: str | None, column_type: str | None) -> bool:
    if there == here or there is None or here is None:
        return there == here
    texts = {"float": values.float_text, "double": values.double_text}
    text = texts.get(values.base_type(column_type or ""))
    try:
        return text is not None and text(float(there)) == text(float(here))
    except ValueError:
        return False


def _shown(image: Image, name: str) -> str:
    return json.dumps(image[name], ensure_ascii=False) if name in image else "no such column"


def _name(table: TableName) -> str:
    return printable(".".join(table))


def _rows_of(batches: Iterable[pa.RecordBatch]) -> Iterator[dict[str, Any]]:
    return (row for batch in batches for row in batch.to_pylist())


def _batches(rows: Iterator[tuple[Any, ...]], schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    while batch := list(islice(rows, _ROWS_PER_BATCH)):
        arrays = [pa.array(column, field.type) for column, field in zip(zip(*batch, strict=True), schema, strict=True)]
        yield pa.RecordBatch.from_arrays(arrays, schema=schema)
