r"""TiDB's own rows, exported to files: one or several for each table, read into canonical text.

Files are named `schema.table.csv` or `schema.table.jsonl`, with a number before the ending where a table has several,
and may end with `.gz`; `%2E` stands for a dot in a name, as dumpling writes it. A table of which only dumpling's
`schema.table-schema.sql` is there has no rows.
- CSV has a header; fields are separated by commas and may stand in double quotes; an unquoted `\N` is NULL.
- JSON lines hold an object a row: column to text, number or null; BIT as digits.
"""

from __future__ import annotations

import gzip
import json
import re
import zlib
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, NamedTuple, cast
from urllib.parse import unquote
from zoneinfo import ZoneInfo

from dbt_ticdc.errors import TicdcError
from ticdc_udfs.contract import values

TableName = tuple[str, str]
Image = dict[str, str | None]
Convert = Callable[[bytes], str]

BINARY_TYPES = frozenset({"binary", "varbinary", "tinyblob", "blob", "mediumblob", "longblob"})
_NUMBERS = frozenset({"tinyint", "smallint", "mediumint", "int", "bigint", "decimal"})
_DATA = re.compile(r"([^.]+)\.([^.]+?)(?:\.\d+)?\.(?:csv|jsonl)(?:\.gz)?")
_LIKE_DATA = re.compile(r".*\.(?:csv|jsonl|parquet|\d+\.sql)(?:\.\w+)?")
_DEFINITION = re.compile(r"([^.]+)\.([^.]+)-schema\.sql(?:\.gz)?")
_VIEW = re.compile(r"([^.]+)\.([^.]+)-schema-view\.sql(?:\.gz)?")


class Column(NamedTuple):
    """A column of a table as of the commit asked for; `generated` is `virtual`, `stored` or None."""

    name: str
    type: str | None = None
    is_key: bool = False
    generated: str | None = None


class Form(NamedTuple):
    """How the files write values; `binary` None means raw bytes in CSV and base64 in JSON lines."""

    binary: str | None = None
    backslash: bool = True
    time_zone: str = "UTC"


def find(folder: Path) -> dict[TableName, list[Path]]:
    """The files of each table in a folder. Raises `TicdcError` where it holds none, or rows that cannot be read."""
    if not folder.is_dir():
        raise TicdcError(f"--truth: there is no folder {folder}")
    found: dict[TableName, list[Path]] = {}
    views = set()
    for path in sorted(folder.iterdir()):
        if definition := _DEFINITION.fullmatch(path.name):
            found.setdefault(_table(definition), [])
        elif view := _VIEW.fullmatch(path.name):
            views.add(_table(view))
        elif data := _DATA.fullmatch(path.name):
            found.setdefault(_table(data), []).append(path.resolve())
        elif _LIKE_DATA.fullmatch(path.name):
            raise TicdcError(
                f"--truth: {path} cannot be read; allowed are schema.table.csv, schema.table.<number>.csv, the same "
                "with .jsonl, and each with .gz"
            )
    tables = {table: files for table, files in found.items() if table not in views}
    if not tables:
        raise TicdcError(f"--truth: {folder} holds no file schema.table.csv or schema.table.jsonl, also with .gz")
    return tables


def _table(found: re.Match[str]) -> TableName:
    return unquote(found[1]), unquote(found[2])


def rows(path: Path, columns: Sequence[Column], form: Form) -> Iterator[Image]:
    """The rows of a file in canonical text, columns in table order, without virtual generated ones.

    Raises `TicdcError` with the row's number, never with a value of it.
    """
    by_name = {column.name for column in columns}
    in_csv = path.name.endswith((".csv", ".csv.gz"))
    names: tuple[str, ...] = ()
    cells: list[tuple[str, str | None, Convert]] = []
    number = 1
    try:
        with _open(path) as file:
            for row in csv_rows(file.read(), form.backslash) if in_csv else _json_lines(file):
                if tuple(row) != names:
                    names = tuple(row)
                    _check_identity(row, columns)
                    known = [column for column in columns if column.name in row]
                    others = [Column(name) for name in row if name not in by_name]
                    cells = [
                        (column.name, column.type, _converter(column.type, form, in_csv))
                        for column in (*known, *others)
                        if column.generated != "virtual"
                    ]
                yield dict(_converted(row, cells))
                number += 1
    except (ValueError, EOFError, OSError, zlib.error) as error:
        raise TicdcError(f"--truth: {path}, row {number}: {error}") from error


def _check_identity(row: Mapping[str, bytes | None], columns: Sequence[Column]) -> None:
    needed = [column.name for column in columns if column.is_key and column.generated != "virtual"]
    needed = needed or [column.name for column in columns if column.generated == "stored"]
    if missing := [name for name in needed if name not in row]:
        raise ValueError(
            f"no column {', '.join(missing)}, by which rows are told apart (CSV begins with a header; dumpling leaves "
            "out columns that TiDB computes)"
        )


def key(image: Image, columns: Sequence[Column]) -> Image:
    """The row's key: its key columns in table order, or all columns where there is no key."""
    names = [column.name for column in columns if column.is_key]
    return {name: image.get(name) for name in names} if names else image


def _open(path: Path) -> IO[bytes]:
    return cast(IO[bytes], gzip.open(path)) if path.suffix == ".gz" else path.open("rb")


def _converted(
    row: Mapping[str, bytes | None], cells: Iterable[tuple[str, str | None, Convert]]
) -> Iterator[tuple[str, str | None]]:
    for name, column_type, convert in cells:
        value = row[name]
        try:
            yield name, None if value is None else convert(value)
        except (ValueError, ArithmeticError) as error:
            raise ValueError(f"column {name} holds no {column_type}") from error


_QUOTED = {True: rb'"(?:[^"\\]|""|\\.)*+"', False: rb'"(?:[^"]|"")*+"'}
_PLAIN = {True: rb'(?!")(?:[^,\r\n\\]|\\.)*+', False: rb'(?!")[^,\r\n]*+'}
_FIELD = {
    backslash: re.compile(rb"(?:(%b)|(%b))(,|\r?\n|\Z)" % (_QUOTED[backslash], _PLAIN[backslash]), re.DOTALL)
    for backslash in (True, False)
}
_ESCAPED = re.compile(rb"\\(.)", re.DOTALL)
_ESCAPES = {b"0": b"\0", b"b": b"\b", b"n": b"\n", b"r": b"\r", b"t": b"\t", b"Z": b"\x1a"}
_NULL = rb"\N"


def csv_rows(content: bytes, backslash: bool) -> Iterator[Mapping[str, bytes | None]]:
    """The rows of CSV with header. Raises `ValueError`."""
    records = _records(content.removeprefix(b"\xef\xbb\xbf"), backslash)
    names = [(name or b"").decode() for name in next(records, ())]
    if len(set(names)) < len(names):
        raise ValueError("the header names a column twice")
    for record in records:
        if len(record) != len(names):
            raise ValueError(f"{len(record)} fields, and the header names {len(names)}")
        yield dict(zip(names, record, strict=True))


def _records(content: bytes, backslash: bool) -> Iterator[list[bytes | None]]:
    field = _FIELD[backslash]
    record: list[bytes | None] = []
    place = 0
    while place < len(content) or record:
        found = field.match(content, place)
        if found is None:
            raise ValueError("a field's quotes are not closed, or text follows them")
        quoted, plain, end = found.groups()
        place = found.end()
        if quoted is None and plain == _NULL:
            record.append(None)
        else:
            text = plain if quoted is None else quoted[1:-1].replace(b'""', b'"')
            record.append(_ESCAPED.sub(_unescaped, text) if backslash else text)
        if end != b",":
            if record != [b""] or quoted is not None:  # an empty line is no row
                yield record
            record = []


def _unescaped(found: re.Match[bytes]) -> bytes:
    return _ESCAPES.get(found[1], found[1])


def _json_lines(file: IO[bytes]) -> Iterator[Mapping[str, bytes | None]]:
    for line in file:
        if line.isspace():
            continue
        try:
            row = json.loads(line, parse_int=str, parse_float=str, object_pairs_hook=_object)
        except ValueError as error:
            raise ValueError("no JSON object whose values are texts, numbers or null") from error
        if not isinstance(row, dict):
            raise ValueError("no JSON object whose values are texts, numbers or null")
        yield row


def _object(members: list[tuple[str, object]]) -> dict[str, bytes | None]:
    row: dict[str, bytes | None] = {}
    for name, value in members:
        if isinstance(value, bool):
            value = str(int(value))
        if not (value is None or isinstance(value, str)):
            raise ValueError("a value within a value")
        row[name] = None if value is None else value.encode("utf-8", "surrogatepass")
    return row


def _converter(column_type: str | None, form: Form, in_csv: bool) -> Convert:
    """What makes canonical text of a value of a type as the file writes it."""
    base = values.base_type(column_type or "")
    from_binary = _BYTES_OF[form.binary or ("raw" if in_csv else "base64")]
    if base in BINARY_TYPES:
        return lambda value: b64encode(from_binary(value)).decode("ascii")
    if base == "bit" and in_csv:
        return lambda value: str(int.from_bytes(from_binary(value), "big"))
    if base == "float":
        return lambda value: values.float_text(float(value))
    if base == "double":
        return lambda value: values.double_text(float(value))
    if base == "year":
        return lambda value: values.year(value.decode())
    if base == "timestamp" and form.time_zone != "UTC":
        zone = ZoneInfo(form.time_zone)
        return lambda value: values.timestamp_to_utc(value.decode(), zone)[0]
    if base in _NUMBERS:  # ZEROFILL, which a protocol may not tell
        return lambda value: re.sub(r"^0+(?=\d)", "", value.decode())
    return lambda value: value.decode("utf-8", "replace")


def _from_base64(value: bytes) -> bytes:
    return b64decode(value, validate=True)


def _from_hex(value: bytes) -> bytes:
    return bytes.fromhex(value.decode("ascii").removeprefix("0x"))


_BYTES_OF: Mapping[str, Callable[[bytes], bytes]] = {"raw": bytes, "base64": _from_base64, "hex": _from_hex}
BINARY_FORMS = tuple(_BYTES_OF)
