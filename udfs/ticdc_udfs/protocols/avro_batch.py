"""Avro messages of a batch, those of one writer schema together: several times as fast as one by one.

The events are those of `avro.decode`, byte for byte; it also decodes every message that is not as it should be.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ticdc_udfs import arrow, options
from ticdc_udfs.avro_binary import decimal_scale
from ticdc_udfs.avro_columns import AvroMessages, decimal_texts, float_texts, json_texts
from ticdc_udfs.events import Kind
from ticdc_udfs.message_columns import Column, Flags, Numbers, Texts, json_objects, quoted, slices, spread
from ticdc_udfs.protocols import avro
from ticdc_udfs.protocols.avro import RowPlan


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
    decoded = []
    for rows in arrow.alike(values, options_texts, key_schemas, value_schemas):
        first = int(rows[0])
        shared = [texts[first].as_py() for texts in arguments[2:]]
        try:
            decoded.append(_rows(rows, keys, values, *shared))
        except Exception:  # the decoder of single messages tells which of them is at fault
            continue
    return arrow.decode_others(avro.decode, [rows for rows in decoded if rows is not None], *arguments)


def _rows(
    rows: Numbers,
    keys: pa.Array[Any],
    values: pa.Array[Any],
    options_text: str | None,
    key_schema: str | None,
    value_schema: str | None,
) -> arrow.Rows | None:
    """The events of those messages that are as they should be; None where there is no way to take them together."""
    feed = options.parse(options_text)
    if value_schema is None:
        return None
    plan = avro.row_plan(value_schema, key_schema, feed.time_zone)
    if plan.checksum is not None:
        return None
    some = pa.array(rows)
    messages, heads = AvroMessages(values.take(some)), AvroMessages(keys.take(some))
    good = messages.framed(feed.framing) & (heads.empty() if key_schema is None else heads.framed(feed.framing))
    wire, whole = messages.read(plan.record, feed.framing)
    good &= whole & _plausible(plan, wire, messages)
    if not good.any():
        return None
    if not good.all():
        return _rows(rows[good], keys, values, options_text, key_schema, value_schema)
    return arrow.Rows(rows, _members(plan, wire, messages, len(rows)), plan.schema.text)


_LETTERS = np.frombuffer(b"cdu", np.uint8)
_OPS = pa.array(["insert", "delete", "update"])


def _plausible(plan: RowPlan, wire: list[Column], messages: AvroMessages) -> Flags:
    """Whether operation and commit are such as the encoder writes."""
    good = np.ones(wire[0].count, np.bool_)
    if plan.commit_ts is not None:
        good &= wire[plan.commit_ts].numbers > 0
    if plan.op is not None:
        letter = wire[plan.op]
        good &= (letter.end - letter.start == 1) & np.isin(messages.bytes[letter.start], _LETTERS)
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
        letters = messages.bytes[wire[plan.op].start]
        op = _OPS.take(pa.array(np.searchsorted(_LETTERS, letters)))
        deletes = letters == ord("d")
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
        "lossy": plan.flags,
    }


def _images(plan: RowPlan, wire: list[Column], messages: AvroMessages) -> tuple[Texts, Texts]:
    """The images of rows and their keys. Raises `ValueError` where a text is not UTF-8, or flagged."""
    members = {
        name: _values(plan, place, column, messages)
        for place, (name, column) in enumerate(zip(plan.names, wire, strict=False))
        if name not in plan.virtual
    }
    image = json_objects(members)
    image.validate(full=True)
    return image, json_objects({name: members[name] for name in plan.key})


def _values(plan: RowPlan, place: int, column: Column, messages: AvroMessages) -> Texts:
    """A column as JSON values of what `avro.decode` gives."""
    field, told, text = plan.record.fields[place], plan.columns[place], plan.texts[place]
    convert = plan.zoned.get(told.name)
    if convert is not None:
        converted = [convert(local) for local in slices(messages, column.start, column.end).to_pylist()]
        if any(reason is not None for _, reason in converted):
            raise ValueError("a text is flagged")
        return quoted(pa.array([utc for utc, _ in converted], pa.string()), column)
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
