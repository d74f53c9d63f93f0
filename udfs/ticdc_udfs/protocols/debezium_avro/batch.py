"""Debezium-Avro rows of a batch, those of one writer schema together: several times as fast as one by one.

The events are those of `debezium_avro.decode`, byte for byte; it also decodes every message that is not as it should
be.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ticdc_udfs.contract import arrow
from ticdc_udfs.contract.events import Kind, Lossy
from ticdc_udfs.contract.options import Options
from ticdc_udfs.contract.schemas import write_json
from ticdc_udfs.protocols.debezium.columns import datetimes
from ticdc_udfs.protocols.debezium.values import DatetimeOfInteger, unsigned_of_integer
from ticdc_udfs.protocols.debezium_avro import message
from ticdc_udfs.protocols.debezium_avro.message import PlanColumn, RowPlan, Told
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


def _plan(value_schema: str, key_schema: str | None, feed: Options) -> RowPlan:
    return message.row_plan(value_schema, key_schema, feed.binary, feed.time_zone)


def _plausible(plan: RowPlan, wire: list[Column], messages: AvroMessages) -> Flags:
    """Whether operation, images and commit are such as the encoder writes."""
    before, after = present(wire[plan.before]), present(wire[plan.after])
    letter = messages.bytes[wire[plan.op].start]
    good: Flags = has_operation(messages, wire[plan.op]) & (_commits(plan, wire).numbers > 0)
    good &= (after == (letter != ord("d"))) & ((letter == ord("u")) | (before == (letter == ord("d"))))
    return good


def _commits(plan: RowPlan, wire: list[Column]) -> Column:
    return wire[plan.source].columns[plan.source_places[2]]


def _members(plan: RowPlan, wire: list[Column], messages: AvroMessages, count: int) -> dict[str, Any]:
    """The members of the rows' events that are not null. Raises `ValueError` where a text is not UTF-8."""
    source = wire[plan.source].columns
    for column in (*wire, *source):  # a text that is not UTF-8 is flagged, wherever it stands
        slices(messages, column.start, column.end).validate(full=True)
    schema_name, table_name = (_only_text(source[place], messages) for place in plan.source_places[:2])
    flagged: list[tuple[str, Numbers]] = []
    after, new_key = _images(plan, wire[plan.after], messages, flagged)
    before, old_key = _images(plan, wire[plan.before], messages, flagged)
    row_key = pc.coalesce(new_key, old_key)
    return {
        "kind": Kind.ROW,
        "commit_ts": pa.array(_commits(plan, wire).numbers),
        "commit_ts_exact": True,
        "schema_name": schema_name,
        "table_name": table_name,
        "op": operations(messages, wire[plan.op]),
        "row_key": row_key,
        "before_key": pc.if_else(pc.not_equal(old_key, row_key), old_key, None),
        "before": before,
        "after": after,
        "table_schema_id": plan.schema.id,
        "lossy": flags_of_rows(plan.flags, flagged, count),
    }


def _only_text(column: Column, messages: AvroMessages) -> str:
    (text,) = slices(messages, column.start, column.end).unique().to_pylist()
    return str(text)


def _images(
    plan: RowPlan, image: Column, messages: AvroMessages, flagged: list[tuple[str, Numbers]]
) -> tuple[Texts, Texts]:
    """One of the images of all rows and its key, NULL where they have none; appends what is flagged, and where."""
    if image.rows is not None and not len(image.rows):
        return pa.nulls(image.count, pa.string()), pa.nulls(image.count, pa.string())
    members: dict[str, Texts] = {}
    for column, wire in zip(plan.columns, image.columns, strict=True):
        members[column.name], reasons = _cells(column, wire, messages)
        found = [(reason.of(column.name), _of_message(where, wire)) for reason, where in reasons.items()]
        if column.null_flag is not None:
            found.append((column.null_flag, np.flatnonzero(~present(wire))))
        flagged += [(flag, _of_message(where, image)) for flag, where in found]
    whole = json_objects(members)
    whole.validate(full=True)
    key = json_objects({name: members[name] for name in plan.key})
    return spread(whole, image, None), spread(key, image, None)


def _of_message(places: Numbers, column: Column) -> Numbers:
    """The places of messages from those among a column's present rows."""
    return places if column.rows is None else column.rows[places]


def _cells(column: PlanColumn, wire: Column, messages: AvroMessages) -> tuple[Texts, dict[Lossy, Numbers]]:
    """A column as JSON of its canonical texts, and which of its present values are flagged."""
    texts = _texts(column, wire, messages)
    if texts is not None:
        return texts, {}
    kind = column.field.kind
    if kind == "float" or kind == "double":  # equal numbers may differ in their sign
        found = [column.told.convert(number) for number in wire.numbers.tolist()]
        places: Numbers = np.arange(len(found))
    else:
        cells: pa.Array[Any] = pa.array(wire.numbers)
        if kind == "boolean":
            cells = cells.cast(pa.bool_())
        elif kind == "string" or kind == "bytes":
            cells = slices(messages, wire.start, wire.end)
        if kind == "bytes":
            cells = cells.cast(pa.binary())
        distinct = cells.dictionary_encode()
        found = [column.told.convert(value) for value in distinct.dictionary.to_pylist()]
        places = distinct.indices.to_numpy()
    texts = pa.array([write_json(text) for text, _ in found], pa.string()).take(pa.array(places))
    reasons = {reason for _, reason in found if reason is not None}
    where = {reason: np.array([each is reason for _, each in found], np.bool_)[places] for reason in reasons}
    return spread(texts, wire, "null"), {reason: np.flatnonzero(some) for reason, some in where.items()}


def _texts(column: PlanColumn, wire: Column, messages: AvroMessages) -> Texts | None:
    """A column that is made canonical all at once; None where there is no way, or a value may be flagged."""
    kind, told = column.field.kind, column.told
    scale = decimal_scale(column.field)
    if scale is not None:
        decimals = decimal_texts(messages, wire, scale)
        return None if decimals is None else quoted(decimals, wire)
    if kind == "string":
        return json_texts(messages, wire) if told.is_plain or _are_digits(told, wire, messages) else None
    if told.is_plain:
        numbers = float_texts(wire.numbers) if kind == "double" else pa.array(wire.numbers).cast(pa.string())
        return quoted(numbers, wire)
    if kind == "int" or kind == "long":
        if told.of_integer is unsigned_of_integer:
            return quoted(pa.array(wire.numbers.view(np.uint64)).cast(pa.string()), wire)
        if isinstance(told.of_integer, DatetimeOfInteger):
            with suppress(ValueError):
                return quoted(datetimes(pa.array(wire.numbers), told.of_integer), wire)
    return None


def _are_digits(told: Told, wire: Column, messages: AvroMessages) -> bool:
    """Whether texts are of numbers that stay as they are: of two's complement, only those from 2^63 do not."""
    return told.of_integer is unsigned_of_integer and not (messages.bytes[wire.start] == ord("-")).any()
