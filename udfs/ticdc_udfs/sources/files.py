"""Files of TiCDC's storage sink: what a path is, and which rows a file holds (protocol facts 7).

A message of such a file has the path below the feed's prefix as its topic and key, and the number of the row as its
offset. Schema files and `metadata` are one message each.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from enum import StrEnum
from functools import lru_cache
from typing import Any, NamedTuple

import pyarrow as pa

from ticdc_udfs.contract import options
from ticdc_udfs.contract.events import DecodeError, ErrorCode
from ticdc_udfs.contract.options import Options

PATH_SQL_TYPE = "struct<kind: string, table_folder: string, version: bigint, partition_id: bigint>"
"""What `path_batch` gives for a path."""
ROWS_SQL_TYPE = "struct<header: binary, rows: array<binary>>"
"""What `rows_batch` gives for a file."""

CSV = "storage_csv"
"""The protocol whose files may have a header and quotes."""
CUT_OFF = (
    "the file does not end with the terminator of rows: its last row is cut off, or the option terminator of the feed "
    "is not that of the changefeed"
)


class FileKind(StrEnum):
    """What a file of the sink is; `index` names the last data file of a folder, and `other` is none of the sink's."""

    DATA = "data"
    SCHEMA = "schema"
    METADATA = "metadata"
    INDEX = "index"
    OTHER = "other"


class FilePath(NamedTuple):
    """What a path below the prefix tells.

    `table_folder` is `<schema>/<table>`, or the id of a table or partition where paths have ids; schema and table are
    what schema files say, as names may hold a slash. `version` is the commit since which the table has its schema: data
    files lie below the version of their schema file. `date` is that of writing, `number` counts the files of a folder,
    those of each `writer` where several nodes write one table. A single part of four digits may be a year or the id of
    a partition: it is taken for neither.
    """

    kind: FileKind
    table_folder: str = ""
    version: int | None = None
    partition_id: int | None = None
    date: str | None = None
    number: int | None = None
    writer: str | None = None


# a version is a TSO, and longer than the ids of tables and partitions
_DATA = re.compile(
    r"(?P<folder>.+)/(?P<version>[0-9]{15,19})"
    r"(?:/(?P<partition>[0-9]{1,14}))?(?:/(?P<date>[0-9]{4}(?:-[0-9]{2}){0,2}))?"
    r"/CDC(?:_(?P<writer>[^/]+)_)?(?P<number>[0-9]{6,})\.(?:csv|json)",
    re.DOTALL,
)
_SCHEMA = re.compile(r"(?P<folder>.+)/meta/schema_(?P<version>[0-9]{1,19})_[0-9]{10}\.json", re.DOTALL)
_INDEX = re.compile(r"(?:.+/)?meta/CDC(?:_[^/]+)?\.index", re.DOTALL)
_DIGITS = re.compile(r"[0-9]{1,14}")
_DIGITS_OF_YEAR = 4


@lru_cache(maxsize=10_000)
def path_of(path: str) -> FilePath:
    """What a path below the prefix is; parts are separated by `/`."""
    if path == "metadata":
        return FilePath(FileKind.METADATA)
    if found := _SCHEMA.fullmatch(path):
        return FilePath(FileKind.SCHEMA, found["folder"], int(found["version"]), _id_of(found["folder"]))
    if found := _DATA.fullmatch(path):
        partition, date = found["partition"], found["date"]
        if partition and date is None and len(partition) == _DIGITS_OF_YEAR:
            partition = None
        return FilePath(
            FileKind.DATA,
            found["folder"],
            int(found["version"]),
            _id_of(found["folder"]) if partition is None else int(partition),
            date,
            int(found["number"]),
            found["writer"],
        )
    return FilePath(FileKind.INDEX if _INDEX.fullmatch(path) else FileKind.OTHER)


def _id_of(folder: str) -> int | None:
    """The id of the table or partition that a folder is named by, where paths have ids."""
    return int(folder) if _DIGITS.fullmatch(folder) else None


def key_path(key: bytes | None) -> FilePath:
    """What the path in the key of a message is. Raises `DecodeError`."""
    try:
        return path_of((key or b"").decode())
    except UnicodeDecodeError as error:
        raise DecodeError(ErrorCode.NOT_UTF8, "the path of the file is not UTF-8") from error


class Rows(NamedTuple):
    """The rows of a file without their terminators; the last one is None where the file does not end with one."""

    header: bytes | None
    rows: list[bytes | None]


def rows_of(content: bytes, protocol: str, feed: Options) -> Rows:
    """The rows of a data file, in order; the header of CSV stands apart, and does not count."""
    terminator = feed.csv.terminator.encode()
    if not content:
        return Rows(None, [])
    header = None
    if protocol == CSV and feed.csv.has_header:
        first, found, content = content.partition(terminator)
        if not found:
            return Rows(None, [None])
        header = first
    parts = content.split(terminator)
    if protocol == CSV and feed.csv.quote:
        parts = _whole_rows(parts, terminator, feed.csv.quote.encode())
    rest = parts.pop()
    return Rows(header, [*parts, None] if rest else [*parts])


def _whole_rows(parts: list[bytes], terminator: bytes, quote: bytes) -> list[bytes]:
    """The rows of parts that end with a terminator, which may also stand within quotes; the last part is the rest.

    A quote within quotes is doubled: up to the end of a row their number is even.
    """
    rows, within = [], list[bytes]()
    for part in parts:
        is_odd = part.count(quote) % 2 == 1
        if not within and not is_odd:
            rows.append(part)
            continue
        within.append(part)
        if is_odd and len(within) > 1:
            rows.append(terminator.join(within))
            within = []
    if within:
        rows.append(terminator.join(within))
    return rows


def path_batch(paths: pa.Array[Any]) -> pa.Array[Any]:
    """What each path is, as `PATH_SQL_TYPE`; of a path that is null nothing."""
    found = [None if path is None else path_of(path) for path in paths.to_pylist()]
    columns: dict[str, tuple[Callable[[FilePath], object], pa.DataType]] = {
        "kind": (lambda path: path.kind.value, pa.string()),
        "table_folder": (lambda path: path.table_folder or None, pa.string()),
        "version": (lambda path: path.version, pa.int64()),
        "partition_id": (lambda path: path.partition_id, pa.int64()),
    }
    return pa.StructArray.from_arrays(
        [
            pa.array([None if path is None else member(path) for path in found], arrow_type)
            for member, arrow_type in columns.values()
        ],
        names=list(columns),
    )


def rows_batch(contents: pa.Array[Any], protocols: pa.Array[Any], options_texts: pa.Array[Any]) -> pa.Array[Any]:
    """The header and the rows of each file, as `ROWS_SQL_TYPE`; one row that is null where the options are wrong."""
    headers: list[bytes | None] = []
    lists: list[list[bytes | None] | None] = []
    for content, protocol, text in zip(contents, protocols.to_pylist(), options_texts.to_pylist(), strict=True):
        found = Rows(None, [None])
        with suppress(DecodeError):  # the decoder tells it
            found = rows_of(content.as_py() or b"", protocol, options.parse(text))
        headers.append(found.header)
        lists.append(found.rows if content.is_valid else None)
    return pa.StructArray.from_arrays(
        [pa.array(headers, pa.binary()), pa.array(lists, pa.list_(pa.binary()))], names=["header", "rows"]
    )
