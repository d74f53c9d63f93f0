"""How functions that decide are called from SQL: with JSON texts, and their answer is one, or several."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import msgspec
import pyarrow as pa


def by_json(function: Callable[..., object], *types: Any) -> Callable[..., pa.Array[Any]]:
    """An Arrow function that reads JSON texts of these types, and writes what the function gives; null where one is.

    A text that does not fit raises `msgspec.ValidationError`: the package wrote it.
    """
    return _called(lambda *arguments: _text(function(*arguments)), types, pa.string())


def rows_by_json(function: Callable[..., Iterable[object]], *types: Any) -> Callable[..., pa.Array[Any]]:
    """As `by_json`, for a function that gives several things: a list of texts."""
    return _called(lambda *arguments: [*map(_text, function(*arguments))], types, pa.list_(pa.string()))


def _called(function: Callable[..., object], types: tuple[Any, ...], gives: Any) -> Callable[..., pa.Array[Any]]:
    def answer(texts: tuple[str, ...]) -> object:
        # no decoders are kept, as Spark sends this function to its workers
        return function(*(msgspec.json.decode(text, type=of) for text, of in zip(texts, types, strict=True)))

    def answers(*columns: pa.Array[Any]) -> pa.Array[Any]:
        rows = zip(*(column.to_pylist() for column in columns), strict=True)
        return pa.array([None if None in row else answer(row) for row in rows], gives)

    return answers


def _text(value: object) -> str:
    return msgspec.json.encode(value).decode()
