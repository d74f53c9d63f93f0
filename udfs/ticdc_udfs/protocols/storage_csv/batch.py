"""Rows of a batch become Arrow columns without an event each."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from ticdc_udfs.contract import arrow, options
from ticdc_udfs.contract.events import DecodeError
from ticdc_udfs.protocols.storage_csv import message
from ticdc_udfs.sources.files import FileKind, key_path


@arrow.collector_off()
def decode_batch(
    keys: pa.Array[Any],
    values: pa.Array[Any],
    options_texts: pa.Array[Any],
    table_schemas: pa.Array[Any],
    headers: pa.Array[Any],
) -> pa.Array[Any]:
    """The event of each message, as `arrow.decode_each` gives it."""
    texts = options_texts.unique().to_pylist()
    try:
        (feed,) = map(options.parse, texts)
    except (ValueError, DecodeError):
        return arrow.decode_each(message.decode, keys, values, options_texts, table_schemas, headers)
    events = arrow.Gathered()
    shared = (_shared(table_schemas), _shared(headers))
    for key, value, table_schema, header in zip(keys.to_pylist(), values.to_pylist(), *shared, strict=True):
        try:
            path = key_path(key)
            plan, op, members = message.row_members(value, feed, table_schema, header, path)
            if path.kind is not FileKind.DATA or plan.has_internal_columns:
                raise ValueError("the decoder of single messages tells it")
            events.add_row(plan.events[op], members)
        except Exception:  # the decoder of single messages tells what it is, and which is at fault
            (event,) = arrow.decode_message(message.decode, key, value, texts[0], table_schema, header)
            events.add(event)
    return events.array()


def _shared(column: pa.Array[Any]) -> list[Any]:
    """The values, equal ones as one object: rows of a file share them, and they are long."""
    encoded = column if isinstance(column, pa.DictionaryArray) else column.dictionary_encode()
    known = encoded.dictionary.to_pylist()
    return [None if place is None else known[place] for place in encoded.indices.to_pylist()]
