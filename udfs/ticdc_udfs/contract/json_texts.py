"""How functions that decide are called from SQL: with JSON texts, and their answer is one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import pyarrow as pa


def by_json(function: Callable[..., object], *types: Any) -> Callable[..., pa.Array[Any]]:
    """An Arrow function that reads JSON texts of these types, and writes what the function gives; null where one is.

    A text that does not fit raises `msgspec.ValidationError`: the package wrote it.
    """

    def answer(texts: tuple[str, ...]) -> str:
        # no decoders are kept, as Spark sends this function to its workers
        arguments = (msgspec.json.decode(text, type=of) for text, of in zip(texts, types, strict=True))
        return msgspec.json.encode(function(*arguments)).decode()

    def answers(*columns: pa.Array[Any]) -> pa.Array[Any]:
        rows = zip(*(column.to_pylist() for column in columns), strict=True)
        return pa.array([None if None in row else answer(row) for row in rows], pa.string())

    return answers
