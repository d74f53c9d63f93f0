"""Messages that are decoded together must give what each of them gives alone."""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType
from typing import Any

import pyarrow as pa
import pytest

from support.avro import Message, arrays
from ticdc_udfs.contract import arrow
from ticdc_udfs.protocols import open_protocol
from ticdc_udfs.schema_sources import pack_schemas
from ticdc_udfs.spark.registry import UDFS

FEW = 20


def read_together(protocol: ModuleType, columns: Sequence[pa.Array[Any]], many: int = FEW) -> int:
    """How many messages of a batch were read together (so many of one kind are); what they give is compared."""
    alone = arrow.decode_batch if protocol is open_protocol else arrow.decode_each
    expected = alone(protocol.decode, *columns)
    found = 0
    decode_others = arrow.decode_others

    def counted(decode: arrow.Decode, decoded: Sequence[arrow.Rows], *arguments: pa.Array[Any]) -> pa.Array[Any]:
        nonlocal found
        found = sum(len(rows.places) for rows in decoded)
        return decode_others(decode, decoded, *arguments)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(arrow, "decode_others", counted)
        patch.setattr(arrow, "MANY", many)
        batch = protocol.decode_batch(*columns)
    check_equal(batch, expected)
    return found


def check_equal(batch: pa.Array[Any], expected: pa.Array[Any]) -> None:
    """Holds the events of a batch against those of its messages alone; says of which message they differ."""
    batch.validate(full=True)
    assert batch.type == expected.type
    if not batch.equals(expected):
        for place, (got, want) in enumerate(zip(batch.to_pylist(), expected.to_pylist(), strict=True)):
            assert got == want, place
        raise AssertionError("the arrays differ, their values do not")


def decoded_packed(protocol: ModuleType, messages: Sequence[Message]) -> pa.Array[Any]:
    """What the SQL function of a protocol gives for packed writer schemas, which is what it gives for their texts."""
    name = f"ticdc_decode_{protocol.__name__.rpartition('.')[2]}"
    (udf,) = (each for each in UDFS if each.name == name)
    *columns, key_schemas, value_schemas = arrays(messages)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(arrow, "MANY", FEW)
        packed = udf.function(*columns, pack_schemas(key_schemas), pack_schemas(value_schemas))
        assert packed.equals(udf.function(*columns, key_schemas, value_schemas))
    return packed
