"""Schema files and the checkpoint of TiCDC's storage sink become events (protocol facts 7.1)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated

import msgspec

from ticdc_udfs.contract.events import DecodeError, ErrorCode, Event, Kind
from ticdc_udfs.contract.schemas import Column, labelled_type, table_schema
from ticdc_udfs.sources.files import FileKind, FilePath
from ticdc_udfs.wire.json_text import parsed

_Uint63 = Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]


class FileColumn(msgspec.Struct, frozen=True):
    """A column of a schema file; numbers and flags are texts there, and absent where they have their default."""

    name: str = msgspec.field(name="ColumnName")
    word: str = msgspec.field(name="ColumnType")
    precision: str | None = msgspec.field(default=None, name="ColumnPrecision")
    scale: str | None = msgspec.field(default=None, name="ColumnScale")
    nullable: str | None = msgspec.field(default=None, name="ColumnNullable")
    primary: str | None = msgspec.field(default=None, name="ColumnIsPk")
    labels: tuple[str, ...] | None = msgspec.field(default=None, name="ColumnElems")


class SchemaFile(msgspec.Struct, frozen=True):
    """A schema file: the DDL that made the version with the columns after it, or, without `query`, only these.

    The sink marks neither virtual generated columns nor keys but the primary one.
    """

    schema: str = msgspec.field(name="Schema")
    table: str = msgspec.field(name="Table")
    version: _Uint63 = msgspec.field(name="TableVersion")
    query: str = msgspec.field(name="Query")
    type: int = msgspec.field(name="Type")
    columns: tuple[FileColumn, ...] | None = msgspec.field(name="TableColumns")

    @property
    def shown(self) -> list[FileColumn]:
        """The columns but for those of expressions in indexes, which no row holds."""
        return [column for column in self.columns or () if not _OF_EXPRESSION(column.name)]


_OF_EXPRESSION = re.compile(r"_v\$_.+_[0-9]+", re.IGNORECASE | re.DOTALL).fullmatch


class _Metadata(msgspec.Struct):
    checkpoint: _Uint63 = msgspec.field(name="checkpoint-ts")


_read_file = msgspec.json.Decoder(SchemaFile).decode
_read_metadata = msgspec.json.Decoder(_Metadata).decode


def read_schema(content: bytes | str) -> SchemaFile:
    """The schema file of these bytes. Raises `DecodeError`."""
    found: SchemaFile = parsed(_read_file, content, "schema file of the storage sink")
    return found


def event_of(path: FilePath, content: bytes | None) -> Event:
    """The event of a file that is a message as a whole. Raises `DecodeError`.

    A schema file is a DDL; one without a statement tells the table as of its version (a bootstrap). `metadata` is a
    watermark: all rows up to its commit are in files.
    """
    if path.kind not in (FileKind.SCHEMA, FileKind.METADATA):
        raise DecodeError(ErrorCode.UNKNOWN_KIND, "the path is of no data file or schema file, nor metadata")
    if not content:
        raise DecodeError(ErrorCode.EMPTY_VALUE, "the file is empty")
    if path.kind is FileKind.METADATA:
        checkpoint: int = parsed(_read_metadata, content, "file metadata of the storage sink").checkpoint
        return Event(Kind.WATERMARK, commit_ts=checkpoint)
    return event_of_schema(read_schema(content), path.partition_id)


def event_of_schema(file: SchemaFile, physical_id: int | None) -> Event:
    """The event of a schema file; `physical_id` is that of its table, where its path tells one."""
    event = Event(
        Kind.DDL if file.query else Kind.BOOTSTRAP,
        commit_ts=file.version,
        schema_name=file.schema,
        table_name=file.table,
        physical_table_id=physical_id,
        ddl_query=file.query or None,
        ddl_type=str(file.type) if file.query else None,
    )
    if not file.columns:
        return event
    schema = table_schema(columns_of(file))
    return event._replace(table_schema_id=schema.id, table_schema=schema.text)


def columns_of(file: SchemaFile, names: Sequence[str] | None = None) -> list[Column]:
    """The columns of a schema file, or those with these names, in table order; the key is the primary one.

    Defaults are not told: the sink writes bytes of binary ones as text.
    """
    named = [column for column in file.shown if names is None or column.name in names]
    keys = [column.name for column in file.columns or () if column.primary == "true"]
    # part of a key is none
    keys = keys if {column.name for column in named}.issuperset(keys) else []
    places = {name: place for place, name in enumerate(keys, start=1)}
    return [
        Column(column.name, type_of(column), places.get(column.name), nullable=column.nullable != "false")
        for column in named
    ]


_WITH_LENGTH = frozenset(
    {"tinyint", "smallint", "mediumint", "int", "bigint", "bit", "year"} | {"char", "varchar", "binary", "varbinary"}
)
_WITH_FRACTION = frozenset({"datetime", "timestamp", "time"})
_WITHOUT_SIGN = ("bit", "year")
"""Types that the sink calls unsigned, though that is no word of theirs."""


def type_of(column: FileColumn) -> str:
    """The MySQL type of a column with what the file tells of its parameters, in lower case."""
    word, _, sign = column.word.lower().partition(" ")
    if word in ("enum", "set"):
        return labelled_type(word, column.labels) if column.labels else word
    if word in _WITH_LENGTH and column.precision:
        word = f"{word}({column.precision})"
    elif word == "decimal" and column.precision:
        word = f"{word}({column.precision},{column.scale or 0})"
    elif word in ("float", "double") and column.precision and column.scale:
        word = f"{word}({column.precision},{column.scale})"
    elif word in _WITH_FRACTION and column.scale:
        word = f"{word}({column.scale})"
    return word if not sign or word.startswith(_WITHOUT_SIGN) else f"{word} {sign}"
