"""Canal-JSON messages of a batch: rows become Arrow columns without an event each."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from ticdc_udfs.contract import arrow, options
from ticdc_udfs.contract.events import DecodeError
from ticdc_udfs.protocols.canal_json import message
from ticdc_udfs.wire.compression import decompress


@arrow.collector_off()
def decode_batch(keys: pa.Array[Any], values: pa.Array[Any], options_texts: pa.Array[Any]) -> pa.Array[Any]:
    """The event of each message, as `arrow.decode_each` gives it."""
    texts = options_texts.unique().to_pylist()
    try:
        (feed,) = map(options.parse, texts)
    except (ValueError, DecodeError):
        return arrow.decode_each(message.decode, keys, values, options_texts)
    events = arrow.Gathered()
    for value in values.to_pylist():
        try:
            plain = decompress(value, feed.compression)
            found = message.read(plain)
            plan = message.plan_of(found, feed.time_zone)
            if plan.has_internal_columns:
                raise ValueError("the event is to be without them")
            events.add_row(plan.events[found.type], message.row_members(found, plan, plain))
        except Exception:  # the decoder of single messages tells what it is, and which is at fault
            (event,) = arrow.decode_message(message.decode, None, value, texts[0])
            events.add(event)
    return events.array()
