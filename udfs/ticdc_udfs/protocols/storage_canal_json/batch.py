"""Rows of a batch of lines become Arrow columns without an event each."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from ticdc_udfs.contract import arrow, options
from ticdc_udfs.contract.events import DecodeError
from ticdc_udfs.protocols.canal_json import message as canal_json
from ticdc_udfs.protocols.storage_canal_json import message
from ticdc_udfs.sources.files import FileKind, key_path


@arrow.collector_off()
def decode_batch(keys: pa.Array[Any], values: pa.Array[Any], options_texts: pa.Array[Any]) -> pa.Array[Any]:
    """The event of each message, as `arrow.decode_each` gives it."""
    texts = options_texts.unique().to_pylist()
    try:
        (feed,) = map(options.parse, texts)
    except (ValueError, DecodeError):
        return arrow.decode_each(message.decode, keys, values, options_texts)
    events = arrow.Gathered()
    for key, value in zip(keys.to_pylist(), values.to_pylist(), strict=True):
        try:
            path = key_path(key)
            found = canal_json.read(value)
            plan = canal_json.plan_of(found, feed.time_zone)
            members = canal_json.row_members(found, plan, value)
            if path.kind is not FileKind.DATA or plan.has_internal_columns or not members.commit_ts_exact:
                raise ValueError("the decoder of single messages tells it")
            if members.physical_table_id is None and path.partition_id is not None:
                members = members._replace(physical_table_id=path.partition_id)
            events.add_row(plan.events[found.type], members)
        except Exception:  # the decoder of single messages tells what it is, and which is at fault
            (event,) = arrow.decode_message(message.decode, key, value, texts[0])
            events.add(event)
    return events.array()
