"""Runs a decoder over a batch: Arrow arrays of bytes in, an Arrow array of event lists out."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pyarrow as pa

from ticdc_udfs import options
from ticdc_udfs.events import DecodeError, ErrorCode, Event, Kind

Decode = Callable[[bytes | None, bytes | None, options.Options], Sequence[Event]]

_FIELDS: tuple[tuple[str, str, pa.DataType], ...] = (
    ("kind", "string", pa.string()),
    ("commit_ts", "bigint", pa.int64()),
    ("commit_ts_exact", "boolean", pa.bool_()),
    ("start_ts", "bigint", pa.int64()),
    ("schema_name", "string", pa.string()),
    ("table_name", "string", pa.string()),
    ("physical_table_id", "bigint", pa.int64()),
    ("op", "string", pa.string()),
    ("row_key", "string", pa.string()),
    ("before_key", "string", pa.string()),
    ("before", "string", pa.string()),
    ("after", "string", pa.string()),
    ("table_schema_id", "bigint", pa.int64()),
    ("table_schema", "string", pa.string()),
    ("ddl_query", "string", pa.string()),
    ("ddl_type", "string", pa.string()),
    ("lossy", "array<string>", pa.list_(pa.string())),
    ("error_code", "string", pa.string()),
    ("error_message", "string", pa.string()),
    ("checksum", "string", pa.string()),
    ("checksum_mismatch", "string", pa.string()),
    ("claim_check", "string", pa.string()),
)
_TABLE_SCHEMA = Event._fields.index("table_schema")
_EVENT_TYPE = pa.struct([(name, arrow_type) for name, _, arrow_type in _FIELDS])
EVENTS_SQL_TYPE = "array<struct<" + ", ".join(f"{name}: {sql_type}" for name, sql_type, _ in _FIELDS) + ">>"


def decode_message(decode: Decode, key: bytes | None, value: bytes | None, options_text: str | None) -> Sequence[Event]:
    """The events of one message; a message that cannot be decoded gives one event of kind `error`."""
    try:
        return decode(key, value, options.parse(options_text))
    except DecodeError as error:
        return (Event(Kind.ERROR, error_code=error.code, error_message=str(error)),)
    except Exception as error:  # a decoder's own fault must not fail the query either
        return (
            Event(
                Kind.ERROR,
                error_code=ErrorCode.INTERNAL_ERROR,
                error_message=f"the decoder failed with {type(error).__name__}",
            ),
        )


def decode_batch(
    decode: Decode, keys: pa.Array[Any], values: pa.Array[Any], options_texts: pa.Array[Any]
) -> pa.Array[Any]:
    """A list of events per message. A table schema is given once per batch, with the first row that bears it."""
    events: list[Event] = []
    offsets = [0]
    with _collector_off():
        for key, value, options_text in zip(
            keys.to_pylist(), values.to_pylist(), options_texts.to_pylist(), strict=True
        ):
            events.extend(decode_message(decode, key, value, options_text))
            offsets.append(len(events))
        columns: list[Sequence[Any]] = list(zip(*events, strict=True)) or [()] * len(_FIELDS)
        columns[_TABLE_SCHEMA] = _first_of_each(events)
        arrays = [pa.array(column, arrow_type) for column, (_, _, arrow_type) in zip(columns, _FIELDS, strict=True)]
    return pa.ListArray.from_arrays(
        pa.array(offsets, pa.int32()), pa.StructArray.from_arrays(arrays, fields=list(_EVENT_TYPE))
    )


def _first_of_each(events: Sequence[Event]) -> list[bytes | None]:
    seen: set[tuple[str | None, str | None, int | None]] = set()
    texts: list[bytes | None] = []
    for event in events:
        bearer = (event.schema_name, event.table_name, event.table_schema_id)
        texts.append(None if bearer in seen else event.table_schema)
        seen.add(bearer)
    return texts


@contextmanager
def _collector_off() -> Iterator[None]:
    """Thousands of small objects live for one batch; collecting among them costs several times the decoding."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
