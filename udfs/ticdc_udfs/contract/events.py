"""What a decoder gives back for one message: events, and the closed list of reasons why there is none.

The members of `Event` are the staging columns of every protocol (docs/udfs.md, "Staging columns"), in order.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from functools import partial
from typing import NamedTuple


class Kind(StrEnum):
    """What an event is; the staging column `kind`."""

    ROW = "row"
    DDL = "ddl"
    WATERMARK = "watermark"
    BOOTSTRAP = "bootstrap"
    ERROR = "error"


class ErrorCode(StrEnum):
    """Why a message is a dead letter; described in the seed `ticdc__error_codes`."""

    EMPTY_VALUE = "empty_value"
    BAD_COMPRESSION = "bad_compression"
    BAD_FRAME = "bad_frame"
    TOO_LARGE = "too_large"
    NOT_UTF8 = "not_utf8"
    BAD_JSON = "bad_json"
    BAD_AVRO = "bad_avro"
    BAD_SHAPE = "bad_shape"
    BAD_VALUE = "bad_value"
    UNKNOWN_KIND = "unknown_kind"
    SCHEMA_MISSING = "schema_missing"
    BAD_OPTIONS = "bad_options"
    INTERNAL_ERROR = "internal_error"


class Lossy(StrEnum):
    """Why a value is not what TiDB holds; described in the seed `ticdc__fidelity_reasons`.

    `OUT_OF_RANGE` is set by typed tables alone, where Spark's type cannot hold the text. `PARTITION_…` are set where
    it is not certain whether a DDL took the row with its partition.
    """

    NO_SCHEMA = "no_schema"
    LABEL_UNKNOWN = "label_unknown"
    NULL_OR_DEFAULT = "null_or_default"
    NULL_OR_GENERATED = "null_or_generated"
    BINARY_UNSURE = "binary_unsure"
    DOUBLE_PRECISION = "double_precision"
    ZERO_DATE = "zero_date"
    INVALID_UTF8 = "invalid_utf8"
    AMBIGUOUS_TIME = "ambiguous_time"
    HANDLE_KEY_ONLY = "handle_key_only"
    CLAIM_CHECK = "claim_check"
    NO_KEY = "no_key"
    NO_COMMIT_TS = "no_commit_ts"
    COLUMN_UNSURE = "column_unsure"
    AMBIGUOUS_NAME = "ambiguous_name"
    SOFT_DELETE = "soft_delete"
    NOT_CONVERTED = "not_converted"
    PARTITION_SESSION_ZONE = "partition_session_zone"
    PARTITION_COLLATION = "partition_collation"
    PARTITION_EXPRESSION = "partition_expression"
    PARTITION_VALUE = "partition_value"
    OUT_OF_RANGE = "out_of_range"

    def of(self, column: str = "*") -> str:
        """The flag as it stands in `lossy`: `<column>:<reason>`, `*` for the whole row."""
        return column + ":" + self


class DecodeError(Exception):
    """A message that cannot be decoded. The text names the place, never a value of the message."""

    def __init__(self, code: ErrorCode, message: str) -> None:
        super().__init__(message)
        self.code = code


def no_value(column: str, why: str | None = None) -> DecodeError:
    """The error of a message in which a column's value is none of its type; `why` says who is known to write so."""
    text = f"the value of column {column!r} is none of its type"
    return DecodeError(ErrorCode.BAD_VALUE, text if why is None else f"{text}: {why}")


class Event(NamedTuple):
    """One event of a message.

    Row images (`before`, `after`) and `row_key` are JSON objects as UTF-8 bytes, column name to canonical text or
    null. `commit_ts` and `start_ts` are TSOs (milliseconds << 18 | logical); `commit_ts_exact` is false where the
    wire holds only milliseconds. `before_key` is set where an update moved the row to another key. `table_schema` is
    the text of `schemas.TableSchema`, and `table_schema_id` its id (Simple: the version that its rows name).
    `checksum` is the row checksum as sent, for decoders that cannot verify it before the table schema is known, and
    `checksum_mismatch` what a verification found. `claim_check` is the base name of the file that holds the row.
    `row_id` is TiDB's own key of a row whose message names none, where the wire tells it: equal rows differ in it.
    """

    kind: str
    commit_ts: int | None = None
    commit_ts_exact: bool = True
    start_ts: int | None = None
    schema_name: str | None = None
    table_name: str | None = None
    physical_table_id: int | None = None
    op: str | None = None
    row_key: bytes | None = None
    before_key: bytes | None = None
    before: bytes | None = None
    after: bytes | None = None
    table_schema_id: int | None = None
    table_schema: bytes | None = None
    ddl_query: str | None = None
    ddl_type: str | None = None
    lossy: tuple[str, ...] = ()
    error_code: str | None = None
    error_message: str | None = None
    checksum: bytes | None = None
    checksum_mismatch: bytes | None = None
    claim_check: str | None = None
    row_id: str | None = None


Image = dict[str, str | None]
"""A row image that is not yet written as JSON: column name to canonical text."""


IMAGES = ("row_key", "before_key", "before", "after")


class RowMembers(NamedTuple):
    """The members of a row's event that rows of the same table schema and operation do not share; images unwritten."""

    commit_ts: int
    commit_ts_exact: bool
    row_key: Image
    before_key: Image | None
    before: Image | None
    after: Image | None
    lossy: tuple[str, ...]
    claim_check: str | None
    row_id: str | None
    physical_table_id: int | None


ROW = Kind.ROW
"""Python 3.11 runs code to look up a member of an enumeration, for every row."""

new_event = Event.__new__
"""`new_event(Event, …)` is `Event(…)`: to call the class costs as much again as to make the tuple."""

new_row_members: Callable[[tuple[object, ...]], RowMembers] = partial(tuple.__new__, RowMembers)
"""A row's members, all of them in order: the named tuple's own constructor costs as much as writing an image."""
