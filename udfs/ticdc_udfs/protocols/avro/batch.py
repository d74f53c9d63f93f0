"""Avro messages of a batch, those of one writer schema together: several times as fast as one by one.

The events are those of `avro.decode`, byte for byte; it also decodes every message that is not as it should be.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ticdc_udfs.contract import arrow
from ticdc_udfs.contract.events import Kind, Lossy
from ticdc_udfs.contract.options import Options
from ticdc_udfs.contract.schemas import write_json
from ticdc_udfs.protocols.avro import message
from ticdc_udfs.protocols.avro.message import RowPlan
from ticdc_udfs.wire.avro_binary import decimal_scale
from ticdc_udfs.wire.avro_columns import (
    AvroMessages,
    decimal_texts,
    decode_alike,
    float_texts,
    has_operation,
    json_texts,
    operations,
)
from ticdc_udfs.wire.message_columns import (
    Column,
    Flags,
    Numbers,
    Texts,
    flags_of_rows,
    json_objects,
    present,
    quoted,
    slices,
    spread,
)


@arrow.collector_off()
def decode_batch(
    keys: pa.Array[Any],
    values: pa.Array[Any],
    options_texts: pa.Array[Any],
    key_schemas: pa.Array[Any],
    value_schemas: pa.Array[Any],
) -> pa.Array[Any]:
    """The event of each message, as `arrow.decode_each` gives it."""
    arguments = (keys, values, options_texts, key_schemas, value_schemas)
    return decode_alike(message.decode, _plan, _plausible, _members, *arguments)


def _plan(value_schema: str, key_schema: str | None, feed: Options) -> RowPlan | None:
    """What rows of a writer schema are read by; those with a checksum are read one by one."""
    plan = message.row_plan(value_schema, key_schema, feed.time_zone)
    return plan if plan.checksum is None else None


def _plausible(plan: RowPlan, wire: list[Column], messages: AvroMessages) -> Flags:
    """Whether operation and commit are such as the encoder writes."""
    good = np.ones(wire[0].count, np.bool_)
    if plan.commit_ts is not None:
        good &= wire[plan.commit_ts].numbers > 0
    if plan.op is not None:
        good &= has_operation(messages, wire[plan.op])
    return good


def _members(plan: RowPlan, wire: list[Column], messages: AvroMessages, count: int) -> dict[str, Any]:
    """The members of the rows' events that are not null."""
    image, row_key = _images(plan, wire, messages)
    before = before_key = pa.nulls(count, pa.string())
    old = None if plan.before is None else wire[plan.before]
    if old is not None and plan.before_plan is not None and (old.rows is None or len(old.rows)):
        before, before_key = (spread(texts, old, None) for texts in _images(plan.before_plan, old.columns, messages))
        before_key = pc.if_else(pc.not_equal(before_key, row_key), before_key, None)
    op: Any = "upsert"
    after = image
    if plan.op is not None:
        op = operations(messages, wire[plan.op])
        deletes = messages.bytes[wire[plan.op].start] == ord("d")
        if deletes.any():
            deleted = pa.array(deletes)
            before = pc.if_else(deleted, pc.coalesce(before, image), before)
            before_key, after = pc.if_else(deleted, None, before_key), pc.if_else(deleted, None, image)
    return {
        "kind": Kind.ROW,
        "commit_ts": None if plan.commit_ts is None else pa.array(wire[plan.commit_ts].numbers),
        "commit_ts_exact": plan.commit_ts is not None,
        "schema_name": plan.schema_name,
        "table_name": plan.record.name,
        "op": op,
        "row_key": row_key,
        "before_key": before_key,
        "before": before,
        "after": after,
        "table_schema_id": plan.schema.id,
        "lossy": flags_of_rows(plan.flags, _flagged(plan, wire, old), count),
    }


def _flagged(plan: RowPlan, wire: list[Column], old: Column | None) -> Iterator[tuple[str, Numbers]]:
    """The flags of columns that may be virtual generated ones, and the rows in which they are."""
    new_columns = dict(zip(plan.names, wire, strict=False))
    old_columns = {}
    if old is not None and plan.before_plan is not None:
        old_columns = dict(zip(plan.before_plan.names, old.columns, strict=False))
    for name in plan.maybe_virtual:
        null = ~present(new_columns[name])
        if old is not None and name in old_columns:
            null[slice(None) if old.rows is None else old.rows] &= ~present(old_columns[name])
        yield Lossy.NULL_OR_GENERATED.of(name), np.flatnonzero(null)


def _images(plan: RowPlan, wire: list[Column], messages: AvroMessages) -> tuple[Texts, Texts]:
    """The images of rows and their keys.

    Raises `ValueError` where a text is not UTF-8, or flagged, or a virtual generated column has a value.
    """
    columns = dict(zip(plan.names, wire, strict=False))
    if any(present(columns[name]).any() for name in plan.virtual):
        raise ValueError("a virtual generated column has a value")
    members = {
        name: _values(plan, place, column, messages)
        for place, (name, column) in enumerate(zip(plan.names, wire, strict=False))
        if name not in plan.virtual and name not in plan.hidden
    }
    image = json_objects(members)
    image.validate(full=True)
    return image, json_objects({name: members[name] for name in plan.key if name in members})


def _values(plan: RowPlan, place: int, column: Column, messages: AvroMessages) -> Texts:
    """A column as JSON values of what `avro.decode` gives."""
    field, told, text = plan.record.fields[place], plan.columns[place], plan.texts[place]
    convert = plan.zoned.get(told.name)
    if convert is not None:
        converted = [convert(local) for local in slices(messages, column.start, column.end).to_pylist()]
        if any(reason is not None for _, reason in converted):
            raise ValueError("a text is flagged")
        return spread(pa.array([write_json(utc) for utc, _ in converted], pa.string()), column, "null")
    if text is None:
        return json_texts(messages, column)
    scale = decimal_scale(field)
    if scale is not None and (decimals := decimal_texts(messages, column, scale)) is not None:
        return quoted(decimals, column)
    if field.kind == "bytes":
        data = slices(messages, column.start, column.end).cast(pa.binary())
        return quoted(pa.array(map(text, data.to_pylist()), pa.string()), column)
    if field.kind == "float" or (field.kind == "double" and told.type != "float"):
        return quoted(float_texts(column.numbers), column)
    if text is str:
        return quoted(pa.array(column.numbers).cast(pa.string()), column)
    if told.type == "bigint unsigned":
        return quoted(pa.array(column.numbers.view(np.uint64)).cast(pa.string()), column)
    return quoted(pa.array(map(text, column.numbers.tolist()), pa.string()), column)
