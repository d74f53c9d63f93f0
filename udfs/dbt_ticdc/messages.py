"""Loads dumps of Kafka records into the table that the dbt source `ticdc.messages` reads.

A dump is a text of JSON objects, one a line: `topic` text, `partition`, `offset` and `timestamp` (milliseconds)
integers, `key` and `value` base64 text or null, all six present. Further members are ignored, and so are empty lines.
"""

from __future__ import annotations

import gzip
import lzma
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, Any, NamedTuple, cast

import msgspec
import pyarrow as pa

from dbt_ticdc.errors import TicdcError, without_trace
from ticdc_udfs.contract.identifiers import quoted
from ticdc_udfs.contract.patterns import is_like

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

SUFFIXES = (".jsonl", ".json", ".ndjson")
_TOPICS_SAID = 20
_COMPRESSIONS = ("", ".gz", ".xz")
_COLUMNS = "topic string, partition int, offset bigint, timestamp timestamp_ltz, key binary, value binary"
_IDENTITY = ["topic", "partition", "offset"]
_RECORDS_PER_FILE = 20_000  # one task reads a whole .gz; many files let all cores decode its records

_Int64 = Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)]
_Millis = Annotated[int, msgspec.Meta(ge=-(2**53), le=2**53)]


class Record(msgspec.Struct):
    """A line of a dump: a Kafka record, its timestamp in milliseconds since 1970."""

    topic: str
    partition: Annotated[int, msgspec.Meta(ge=-(2**31), le=2**31 - 1)]
    offset: _Int64
    timestamp: _Millis
    key: bytes | None
    value: bytes | None


_RECORD_TYPE = pa.schema(
    [
        ("topic", pa.string()),
        ("partition", pa.int32()),
        ("offset", pa.int64()),
        ("timestamp", pa.timestamp("us", "UTC")),
        ("key", pa.binary()),
        ("value", pa.binary()),
    ]
)
_IDENTITY_TYPE = pa.schema([*list(_RECORD_TYPE)[:3], ("bad", pa.bool_())])
_decoder = msgspec.json.Decoder(Record)


class Loaded(NamedTuple):
    """Records found in the files, and how many of them were new to the table."""

    records: int
    new: int


def find_files(paths: Sequence[Path]) -> list[Path]:
    """The files of each path: itself, or every dump in a folder. Raises `TicdcError` for a path without any."""
    found: list[Path] = []
    endings = ", ".join(SUFFIXES) + ", each also with .gz or .xz"
    for path in paths:
        if path.is_dir():
            inside = sorted(file for file in path.iterdir() if file.is_file() and _is_dump(file))
            if not inside:
                raise TicdcError(f"--messages: the folder {path} holds no file that ends with {endings}")
            found += inside
        elif not path.is_file():
            raise TicdcError(f"--messages: there is no file or folder {path}")
        elif not _is_dump(path):
            raise TicdcError(f"--messages: the name of {path} does not end with {endings}")
        else:
            found.append(path)
    return list(dict.fromkeys(file.resolve() for file in found))


def load(spark: SparkSession, files: Sequence[Path], schema: str, scratch: Path) -> Loaded:
    """Adds the files' records to `<schema>.messages`; a (topic, partition, offset) that is there already is left out.

    Nothing is written when none is new. Raises `TicdcError` that names file and line of the first line that is no
    record; then nothing is written either. `scratch` is a folder for temporary files.
    """
    table = _table(schema)
    spark.sql(f"create database if not exists {quoted(schema)}")
    spark.sql(f"create table if not exists {table} ({_COLUMNS}) using parquet")
    with _readable(files, scratch) as folder:
        try:
            return _add(spark, _lines(spark, folder), table)
        except Exception as error:
            raise first_fault(files) or TicdcError(
                f"the messages cannot be loaded: {without_trace(error)}", 1
            ) from error


def count(spark: SparkSession, schema: str) -> int:
    """The number of records in the table. Raises `TicdcError` where there is none."""
    if not spark.catalog.tableExists(_table(schema)):
        raise TicdcError(f"the warehouse has no table {_table(schema)}; `ticdc run` makes it of messages")
    return spark.table(_table(schema)).count()


def unmatched(spark: SparkSession, variables: Mapping[str, Any], schema: str) -> list[str]:
    """A sentence for each feed of the table whose topics take none of it, with the topics that are there."""
    feeds = [
        feed
        for feed in variables.get("ticdc__feeds") or ()
        if not feed.get("source") and feed.get("topics") is not None
    ]
    if not feeds:
        return []
    topics = sorted(row[0] for row in spark.table(_table(schema)).select("topic").distinct().collect())
    there = told_topics(topics)
    return [
        f"feed {feed['name']}: no topic is like {' or '.join(feed['topics'])}; topics that are there: {there}"
        for feed in feeds
        if not any(is_like(topic, feed["topics"]) for topic in topics)
    ]


def told_topics(topics: Sequence[str]) -> str:
    """The first of these topics, and how many more there are; `none` where there is none."""
    more = f" and {len(topics) - _TOPICS_SAID:,} more" if topics[_TOPICS_SAID:] else ""
    return ", ".join(topics[:_TOPICS_SAID]) + more or "none"


def _table(schema: str) -> str:
    return f"{quoted(schema)}.messages"


def _add(spark: SparkSession, lines: DataFrame, table: str) -> Loaded:
    from pyspark.sql import functions as f

    identities = lines.mapInArrow(_identities, "topic string, partition int, offset bigint, bad boolean").cache()
    try:
        found = identities.agg(f.count("*"), f.count_if("bad"), f.min("offset"), f.max("offset")).collect()[0]
        records, bad, first_offset, last_offset = found
        if bad:
            raise ValueError("a line is no record")
        if not records:
            return Loaded(0, 0)
        # The bounds let Spark skip the files of older messages.
        known = (
            spark.table(table).where(f.col("offset").between(first_offset, last_offset)).select(_IDENTITY).distinct()
        )
        in_files, already = (
            identities.select(_IDENTITY)
            .distinct()
            .join(known.withColumn("known", f.lit(True)), _IDENTITY, "left")
            .agg(f.count("*"), f.count("known"))
            .collect()[0]
        )
        if in_files > already:
            fresh = lines.mapInArrow(_records, _COLUMNS)
            if in_files < records:
                fresh = fresh.dropDuplicates(_IDENTITY)
            if already:
                fresh = fresh.join(known, _IDENTITY, "left_anti")
            fresh = fresh.select("topic", "partition", "offset", "timestamp", "key", "value")
            with _setting(spark, "spark.sql.files.maxRecordsPerFile", str(_RECORDS_PER_FILE)):
                fresh.write.insertInto(table)
        return Loaded(records, in_files - already)
    finally:
        identities.unpersist()


def _is_dump(path: Path) -> bool:
    return path.name.endswith(tuple(suffix + compression for suffix in SUFFIXES for compression in _COMPRESSIONS))


def _lines(spark: SparkSession, folder: Path) -> DataFrame:
    # Without lineSep Spark would also end a line at a bare \r.
    return spark.read.option("lineSep", "\n").text(str(folder)).selectExpr("cast(value as binary) as line")


def _identities(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        rows: list[tuple[str | int | None, ...]] = []
        for line in _not_empty(batch):
            try:
                record = _decoder.decode(line)
            except (msgspec.MsgspecError, ValueError):
                rows.append((None, None, None, True))
            else:
                rows.append((record.topic, record.partition, record.offset, False))
        yield _batch(rows, _IDENTITY_TYPE)


def _records(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        rows = []
        for line in _not_empty(batch):
            record = _decoder.decode(line)
            millis = record.timestamp * 1000
            rows.append((record.topic, record.partition, record.offset, millis, record.key, record.value))
        yield _batch(rows, _RECORD_TYPE)


def _not_empty(batch: pa.RecordBatch) -> Iterator[bytes]:
    return (line for line in batch.column(0).to_pylist() if not line.isspace() and line)


def _batch(rows: Sequence[tuple[Any, ...]], schema: pa.Schema) -> pa.RecordBatch:
    columns = list(zip(*rows, strict=True)) or [()] * len(schema)
    arrays = [pa.array(column, field.type) for column, field in zip(columns, schema, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


@contextmanager
def _setting(spark: SparkSession, key: str, value: str) -> Iterator[None]:
    before = spark.conf.get(key)
    spark.conf.set(key, value)
    try:
        yield
    finally:
        spark.conf.set(key, before or "")


@contextmanager
def _readable(files: Sequence[Path], scratch: Path) -> Iterator[Path]:
    """A folder with the files under plain names: Spark hides some names, takes others for patterns, and reads no xz."""
    with tempfile.TemporaryDirectory(prefix="messages-", dir=scratch) as name:
        folder = Path(name)
        for number, file in enumerate(files):
            link = folder / f"{number:06}{'.gz' if file.suffix == '.gz' else '.txt'}"
            if file.suffix == ".xz":
                try:
                    with lzma.open(file) as packed, link.open("wb") as plain:
                        shutil.copyfileobj(packed, plain)
                except (lzma.LZMAError, EOFError) as error:
                    raise TicdcError(f"--messages: {file} is no whole .xz file: it is damaged, or was cut") from error
            else:
                link.symlink_to(file)
        yield folder


def records(files: Iterable[Path]) -> Iterator[Record]:
    """The records of the files, in order. Raises `TicdcError` that names file and line of the first that is none."""
    for file in files:
        try:
            with _open(file) as lines:
                for number, line in enumerate(lines, start=1):
                    if not line.isspace():
                        text = line.removesuffix(b"\n")
                        yield _decoder.decode(text.removeprefix(b"\xef\xbb\xbf") if number == 1 else text)
        except (msgspec.MsgspecError, ValueError, EOFError, OSError, lzma.LZMAError) as error:
            raise first_fault([file]) or TicdcError(f"{file} cannot be read: {error}") from error


def first_fault(files: Iterable[Path]) -> TicdcError | None:
    """The error for the first file or line that cannot be read; never with a value of the line in it."""
    for file in files:
        number = 0
        try:
            with _open(file) as lines:
                for number, line in enumerate(lines, start=1):
                    if not line.isspace():
                        text = line.removesuffix(b"\n")
                        _decoder.decode(text.removeprefix(b"\xef\xbb\xbf") if number == 1 else text)
        except msgspec.MsgspecError as error:
            return TicdcError(
                f"{file}, line {number}: no Kafka record: {error}. A line is a JSON object with topic, partition, "
                "offset, timestamp (milliseconds), and key and value in base64 or null."
            )
        except UnicodeDecodeError:
            return TicdcError(f"{file}, line {number}: no Kafka record: the line is not UTF-8")
        except (EOFError, OSError, lzma.LZMAError) as error:
            return TicdcError(f"{file} cannot be read to its end (after line {number}): {error}")
    return None


def _open(file: Path) -> IO[bytes]:
    if file.suffix == ".gz":
        return cast(IO[bytes], gzip.open(file))
    return cast(IO[bytes], lzma.open(file)) if file.suffix == ".xz" else file.open("rb")
