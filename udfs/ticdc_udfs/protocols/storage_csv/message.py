"""CSV of the storage sink: cells in the order of columns, which the table's schema file has (protocol facts 7.3)."""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from binascii import Error
from collections.abc import Callable, Collection, Sequence
from functools import lru_cache
from math import isfinite
from typing import NamedTuple

import msgspec

from ticdc_udfs.catalogue.fold import DdlEvent, fold
from ticdc_udfs.contract import internal_columns, values
from ticdc_udfs.contract.events import (
    IMAGES,
    ROW,
    DecodeError,
    ErrorCode,
    Event,
    Image,
    Lossy,
    RowMembers,
    new_row_members,
    no_value,
)
from ticdc_udfs.contract.options import Csv, Options
from ticdc_udfs.contract.schemas import table_schema, write_json
from ticdc_udfs.sources import schema_files
from ticdc_udfs.sources.files import CUT_OFF, FileKind, FilePath, key_path
from ticdc_udfs.sources.schema_files import SchemaFile

_OPS = {"I": "insert", "U": "update", "D": "delete"}
_MARK = "ticdc-meta$"
_NO_COMMIT = "set csv.include-commit-ts = true in the changefeed"
_NO_NAMES = "set csv.output-field-header = true in the changefeed, and the option output_field_header of the feed"
_UNLIKE = "or the options of the feed are not those of the changefeed"
_LEAST_COMMIT_TS, _MAX_COMMIT_TS = 2**52, 2**63 - 1
"""A commit has the milliseconds since 1970 above 18 bits: what is less is a number of another kind."""
_DIGITS = re.compile(r"-?[0-9]{1,20}").fullmatch
_FLOATING = re.compile(r"-?[0-9]+(?:\.[0-9]+)?(?:e[+-]?[0-9]{1,3})?").fullmatch
_LINE_BREAKS = {"n": "\n", "r": "\r"}
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)


def decode(
    key: bytes | None, value: bytes | None, options: Options, table_schema: str | None, header: bytes | None
) -> tuple[Event, ...]:
    """The one event of a row, a schema file or `metadata`; `key` is the path. Raises `DecodeError`.

    `table_schema` is the schema file of the row's version of its table, or a JSON list of all those of its folder up to
    that version, whose statements tell virtual generated columns. `header` is that of the row's file.
    """
    path = key_path(key)
    if path.kind is not FileKind.DATA:
        return (schema_files.event_of(path, value),)
    plan, op, members = row_members(value, options, table_schema, header, path)
    images = {name: getattr(members, name) for name in IMAGES}
    texts = {name: None if image is None else write_json(image) for name, image in images.items()}
    return (plan.events[op]._replace(**members._asdict() | texts),)


def row_members(
    value: bytes | None, options: Options, schema_text: str | None, header: bytes | None, path: FilePath
) -> tuple[Plan, str, RowMembers]:
    """The plan of a row, its operation, and what its event has for itself. Raises `DecodeError`."""
    cells, replaced = _cells(value, options.csv)
    first = 4 + options.csv.has_old_rows + options.csv.has_handle_key
    if len(cells) <= first:
        raise DecodeError(ErrorCode.BAD_SHAPE, f"the row has {len(cells)} cells: {_NO_COMMIT}, {_UNLIKE}")
    op = _OPS.get(cells[0] or "")
    if op is None:
        raise DecodeError(ErrorCode.UNKNOWN_KIND, f"the first cell is none of I, U and D, {_UNLIKE}")
    commit = cells[3] or ""
    if not (_DIGITS(commit) and _LEAST_COMMIT_TS < int(commit) <= _MAX_COMMIT_TS):
        raise DecodeError(ErrorCode.BAD_SHAPE, f"the fourth cell is no commit-ts: {_NO_COMMIT}, {_UNLIKE}")
    plan = _plan_of(options, schema_text, header, path.version, len(cells) - first, cells[2], cells[1])
    image: Image = dict(zip(plan.names, cells[first:], strict=True))
    flags = [*plan.flags]
    for column, convert in plan.converters:
        text = image[column]
        if text is None:
            continue
        try:
            image[column], reason = convert(text)
        except (ValueError, OverflowError) as error:
            raise no_value(column) from error
        if reason is not None:
            flags.append(reason.of(column))
    flags += [Lossy.INVALID_UTF8.of(plan.names[place - first]) for place in replaced if place >= first]
    row_key = {column: image[column] for column in plan.key}
    before, after = (image, None) if op == "delete" else (None, image)
    own = (int(commit), True, row_key, None, before, after, tuple(flags), None, None, path.partition_id)
    return plan, op, new_row_members(own)


class Plan(NamedTuple):
    """What is the same for all rows with the same columns."""

    names: list[str]
    key: list[str]
    converters: list[tuple[str, values.Convert]]
    flags: list[str]
    has_internal_columns: bool
    events: dict[str, Event]


_Schemas = tuple[SchemaFile, ...]
_read_schemas = msgspec.json.Decoder(_Schemas).decode


@lru_cache(maxsize=1_000)
def _plan_of(
    options: Options,
    schema_text: str | None,
    header: bytes | None,
    version: int | None,
    count: int,
    schema_name: str | None,
    table_name: str | None,
) -> Plan:
    """The plan of rows with so many cells of columns. Raises `DecodeError`."""
    files = _files(schema_text or "[]")
    of_version = [file for file in files if file.version == version]
    if not of_version:
        raise DecodeError(ErrorCode.SCHEMA_MISSING, "no schema file of the table has the version of the row's folder")
    # where paths have ids, an exchange of partitions leaves one of both tables in a folder
    of_table = [file for file in of_version if (file.schema, file.table) == (schema_name, table_name)]
    if not of_table:
        raise DecodeError(ErrorCode.BAD_SHAPE, f"the row is of another table than its schema file, {_UNLIKE}")
    file = of_table[-1]
    names = _names(file, files, header, count, options.csv)
    columns = schema_files.columns_of(file, names)
    columns = [column._replace(nullable=None) for column in columns]
    key = [column.name for column in columns if column.key]
    schema = table_schema(columns)
    common = Event(
        ROW,
        schema_name=schema_name,
        table_name=table_name,
        table_schema_id=schema.id,
        table_schema=schema.text,
    )
    converters = [(column.name, _converter(column.type, options)) for column in columns]
    return Plan(
        names=names,
        key=key or names,
        converters=[(name, convert) for name, convert in converters if convert is not None],
        flags=[] if key else [Lossy.NO_KEY.of()],
        has_internal_columns=bool(internal_columns.among(names)),
        events={op: common._replace(op=op) for op in _OPS.values()},
    )


@lru_cache(maxsize=1_000)
def _files(text: str) -> _Schemas:
    if not text.lstrip().startswith("["):
        return (schema_files.read_schema(text),)
    try:
        files = _read_schemas(text)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise DecodeError(ErrorCode.BAD_SHAPE, f"no list of schema files: {error}") from error
    return files


def _names(file: SchemaFile, files: _Schemas, header: bytes | None, count: int, csv: Csv) -> list[str]:
    """The names of a row's columns in their order: those of the header, or all but the virtual ones."""
    known = [column.name for column in file.shown]
    if header is not None:
        names = _of_header(header, known, csv)
        if len(names) != count:
            raise DecodeError(ErrorCode.BAD_SHAPE, f"the row has {count} cells, the header {len(names)}, {_UNLIKE}")
        return names
    if len(known) == count:
        return known
    virtual = _virtual(file, files)
    names = [name for name in known if name not in virtual]
    if len(names) != count:
        raise DecodeError(
            ErrorCode.BAD_SHAPE,
            f"the row has {count} cells, the table {len(known)} columns, of which statements tell "
            f"{len(known) - len(names)} to be virtual: {_NO_NAMES}, {_UNLIKE}",
        )
    return names


def _of_header(header: bytes, known: Sequence[str], csv: Csv) -> list[str]:
    """The columns that a header names, which are some of the known ones, in order: names may hold the delimiter."""
    meta = 4 + csv.has_old_rows
    try:
        rest = header.decode()
    except UnicodeDecodeError as error:
        raise DecodeError(ErrorCode.NOT_UTF8, f"the header is not UTF-8 at byte {error.start}") from error
    *marks, rest = rest.split(csv.delimiter, meta)
    if not all(mark.startswith(_MARK) for mark in marks) or rest.startswith(_MARK) or len(marks) < meta:
        raise DecodeError(ErrorCode.BAD_SHAPE, f"the header is not that of {meta} cells before the columns, {_UNLIKE}")
    names = []
    for name in known:
        if rest == name or rest.startswith(name + csv.delimiter):
            names.append(name)
            rest = rest[len(name) + len(csv.delimiter) :]
    if rest:
        raise DecodeError(
            ErrorCode.BAD_SHAPE, "the header has names that are none of the schema file, or in another order"
        )
    return names


def _virtual(file: SchemaFile, files: _Schemas) -> set[str]:
    """The columns of a version that are virtual for certain, as the statements up to it tell."""
    events = []
    for each in sorted(files, key=lambda one: (one.version, one is file)):
        event = schema_files.event_of_schema(each, None)
        text = None if event.table_schema is None else event.table_schema.decode()
        events.append(DdlEvent(each.version, each.schema, each.table, event.ddl_query, event.ddl_type, text))
    return {
        column.name
        for version in fold(events).versions
        if version.valid_to_ts is None and (version.schema_name, version.table_name) == (file.schema, file.table)
        for column in version.columns
        if column.generated == "virtual"
    }


# Cells


def _cells(value: bytes | None, csv: Csv) -> tuple[list[str | None], Collection[int]]:
    """The cells of a row, and the places of those whose bytes are not UTF-8."""
    if value is None:
        raise DecodeError(ErrorCode.BAD_FRAME, CUT_OFF)
    if not value:
        raise DecodeError(ErrorCode.EMPTY_VALUE, "the row is empty")
    try:
        return _split(value.decode(), csv), ()
    except UnicodeDecodeError:
        cells = _split(value.decode("utf-8", "surrogateescape"), csv)
    raw = [None if cell is None else cell.encode("utf-8", "surrogateescape") for cell in cells]
    texts = [None if cell is None else cell.decode("utf-8", "replace") for cell in raw]
    return texts, [place for place, text in enumerate(texts) if text != cells[place]]


def _split(row: str, csv: Csv) -> list[str | None]:
    raw = _finder(csv)(row + csv.delimiter)
    if sum(map(len, raw)) + len(raw) * len(csv.delimiter) != len(row) + len(csv.delimiter):
        raise DecodeError(ErrorCode.BAD_SHAPE, f"the row is no CSV: a cell is quoted in part, {_UNLIKE}")
    null, quote, doubled = csv.null, csv.quote, csv.quote * 2
    if not quote:
        return [None if cell == null else _unescaped(cell) for cell in raw]
    return [None if cell == null else cell[1:-1].replace(doubled, quote) if cell[:1] == quote else cell for cell in raw]


@lru_cache(maxsize=100)
def _finder(csv: Csv) -> Callable[[str], list[str]]:
    """What finds the cells of a row that ends with a delimiter."""
    delimiter, quote = re.escape(csv.delimiter), re.escape(csv.quote)
    if not quote:
        return re.compile(rf"((?:\\.|(?!{delimiter})[^\\])*){delimiter}", re.DOTALL).findall
    unquoted = f"[^{delimiter}{quote}]*" if len(csv.delimiter) == 1 else f"(?:(?!{delimiter})[^{quote}])*"
    return re.compile(f"((?:{quote}[^{quote}]*{quote})+|{unquoted}){delimiter}").findall


def _unescaped(cell: str) -> str:
    return _ESCAPED.sub(lambda found: _LINE_BREAKS.get(found[1], found[1]), cell) if "\\" in cell else cell


# Values


def _converter(column_type: str, options: Options) -> values.Convert | None:
    """How the text of a cell becomes canonical; None where it is as it stands, such as the labels of ENUM and SET."""
    base = values.base_type(column_type)
    if base.endswith(("blob", "binary")):
        return _of_base64 if options.csv.binary == "base64" else _of_hex
    if base in _NUMBERS:
        return _number
    if base == "float":
        return _float
    if base == "double":
        return _double
    if base == "year":
        return _year
    if base == "timestamp" and options.time_zone is not None:
        return values.timestamp_converter(options.time_zone)
    return None


_NUMBERS = frozenset({"tinyint", "smallint", "mediumint", "int", "bigint", "bit"})


def _number(text: str) -> tuple[str, None]:
    if not _DIGITS(text):
        raise ValueError("no whole number")
    return text, None


def _year(text: str) -> tuple[str, None]:
    return values.year(_number(text)[0]), None


def _float(text: str) -> tuple[str, None]:
    number = _finite(text)
    return values.float_text(number) if "e" in text else values.single(text), None


def _double(text: str) -> tuple[str, None]:
    number = _finite(text)
    return values.double_text(number) if "e" in text else text, None


def _finite(text: str) -> float:
    if not _FLOATING(text) or not isfinite(number := float(text)):
        raise ValueError("no finite number")
    return number


def _of_base64(text: str) -> tuple[str, None]:
    try:
        b64decode(text, validate=True)
    except Error as error:
        raise ValueError("no base64") from error
    return text, None


def _of_hex(text: str) -> tuple[str, None]:
    return b64encode(bytes.fromhex(text)).decode("ascii"), None
