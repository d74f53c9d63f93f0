"""Columns of Debezium rows that are read together, in JSON and in Avro."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ticdc_udfs.protocols.debezium.values import DatetimeOfInteger
from ticdc_udfs.wire.message_columns import Texts

_FIRST_SECOND, _LAST_SECOND = -62_135_596_800, 253_402_300_799
"""Of the years 1 to 9999."""


def datetimes(numbers: pa.Array[Any], of_integer: DatetimeOfInteger) -> Texts:
    """What `of_integer` gives. Raises `ValueError` where a year is none, or a number may be a zero date."""
    units = of_integer.units
    beyond = pc.or_(pc.less(numbers, _FIRST_SECOND * units), pc.greater_equal(numbers, (_LAST_SECOND + 1) * units))
    if of_integer.fraction or pc.any(beyond).as_py():
        raise ValueError("a year is none")
    if of_integer.nullable is not True and pc.any(pc.equal(numbers, 0)).as_py():
        raise ValueError("a number may be a zero date")
    texts = numbers.cast(pa.timestamp("ms" if units == 1000 else "us")).cast(pa.string())
    return pc.utf8_rtrim(pc.utf8_rtrim(texts, "0"), ".")
