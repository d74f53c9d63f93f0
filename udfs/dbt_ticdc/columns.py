"""Loads an export of TiDB's `information_schema.columns` for the variable `ticdc__information_schema`."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dbt_ticdc import truth
from dbt_ticdc.errors import TicdcError
from ticdc_udfs.contract.identifiers import quoted

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TABLE = "information_schema_columns"
_REQUIRED = ("table_schema", "table_name", "column_name", "ordinal_position", "column_type")
_OPTIONAL = (
    "column_default",
    "is_nullable",
    "data_type",
    "character_set_name",
    "collation_name",
    "column_key",
    "extra",
)
# Tools of TiDB that write NULL so write backslash escapes too.
_CSV_NULL = re.compile(rb"(?:^|,)\\N(?:,|\r?$)", re.MULTILINE)
_CHECKSUM = "ticdc.sha256"

_Row = tuple[str | int | None, ...]


def load(spark: SparkSession, path: Path, schema: str) -> str:
    r"""Puts the file's rows into `<schema>.information_schema_columns` unless it holds them; gives its name.

    The file is JSON lines or CSV with a header (NULL is `\N`, with backslash escapes, or else `NULL`); column names in
    any case, further columns are ignored. Raises `TicdcError`.
    """
    content = _read(path)
    table = _table(schema)
    found = hashlib.sha256(content).hexdigest()
    if checksum(spark, schema) != found:
        columns = ", ".join(
            f"{name} {'bigint' if name == 'ordinal_position' else 'string'}" for name in (*_REQUIRED, *_OPTIONAL)
        )
        rows = list(_rows(content, path))
        frame = spark.createDataFrame(rows, columns).coalesce(1)
        frame.write.mode("overwrite").format("parquet").saveAsTable(table)
        spark.sql(f"alter table {table} set tblproperties ('{_CHECKSUM}' = '{found}')")
    return table


def check(path: Path) -> None:
    """Raises `TicdcError` where the file is no such export."""
    for _ in _rows(_read(path), path):
        pass


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise TicdcError(f"--columns: {path} cannot be read: {error.strerror}") from error


def checksum(spark: SparkSession, schema: str) -> str | None:
    """What tells the file that was loaded last into the schema from others; None where none was."""
    table = _table(schema)
    if not spark.catalog.tableExists(table):
        return None
    (row,) = spark.sql(f"show tblproperties {table} ('{_CHECKSUM}')").collect()
    return str(row["value"])


def _table(schema: str) -> str:
    return f"{quoted(schema)}.{TABLE}"


def _rows(content: bytes, path: Path) -> Iterator[_Row]:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise TicdcError(f"--columns: {path} is not UTF-8 at byte {error.start}") from error
    for place, row in _csv(content, path) if path.suffix == ".csv" else _json_lines(text, path):
        named = {name.lower(): value for name, value in row.items()}
        missing = [name for name in _REQUIRED if named.get(name) is None]
        if missing:
            needed = ", ".join(_REQUIRED)
            raise TicdcError(f"--columns: {path}, {place}: no {', '.join(missing)}; a row needs {needed}")
        try:
            named["ordinal_position"] = int(named["ordinal_position"])
        except (TypeError, ValueError) as error:
            got = json.dumps(named["ordinal_position"])
            raise TicdcError(f"--columns: {path}, {place}: ordinal_position: got {got}, expected an integer") from error
        yield tuple(
            value if value is None or name == "ordinal_position" else str(value)
            for name in (*_REQUIRED, *_OPTIONAL)
            for value in (named.get(name),)
        )


def _csv(content: bytes, path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    backslash = _CSV_NULL.search(content) is not None
    null = None if backslash else b"NULL"
    number = 1
    try:
        for row in truth.csv_rows(content, backslash):
            yield (
                f"row {number}",
                {name: None if cell is None or cell == null else cell.decode() for name, cell in row.items()},
            )
            number += 1
    except ValueError as error:
        raise TicdcError(f"--columns: {path}, row {number}: {error}") from error


def _json_lines(text: str, path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError:
            row = None
        if not isinstance(row, dict):
            raise TicdcError(f"--columns: {path}, line {number} is no JSON object; a .csv file is read as CSV")
        yield f"line {number}", row
