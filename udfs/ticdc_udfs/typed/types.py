"""The Spark types of typed columns: which type holds every value of an upstream type."""

from __future__ import annotations

import re
from typing import NamedTuple

BARE_TYPES = ("decimal", "decimal unsigned", "bit")
"""The types whose precision a message may leave out: what the values show completes them."""

_MOST_DIGITS = 38  # of Spark's decimal
_SIGNED = {"tinyint": "tinyint", "smallint": "smallint", "mediumint": "int", "int": "int", "bigint": "bigint"}
_UNSIGNED = {"tinyint": "smallint", "smallint": "int", "mediumint": "int", "int": "bigint", "bigint": "decimal(20,0)"}
_OTHERS = {
    "float": "float",
    "double": "double",
    "date": "date",
    "datetime": "timestamp_ntz",
    "timestamp": "timestamp",
    "year": "int",
    "set": "array<string>",
    "vector": "array<float>",
}


class Digits(NamedTuple):
    """The most digits that values of a column have before and after the point."""

    before: int = 0
    after: int = 0


def spark_type(mysql_type: str, observed: Digits | None = None) -> str:
    """The Spark type of an upstream type, such as `decimal(10,2)` or `int unsigned`.

    `observed` counts for a type that names no precision. Text holds what no other type does, such as a decimal of more
    than 38 digits.
    """
    lower = mysql_type.lower()
    word = re.match("[a-z]*", lower).group()  # type: ignore[union-attr]
    if word in _SIGNED:
        return (_UNSIGNED if " unsigned" in lower else _SIGNED)[word]
    lengths = [int(length) for length in re.findall("[0-9]+", lower.split(")")[0])]
    if word == "decimal":
        return _decimal(lengths, observed or Digits())
    if word == "bit":
        is_wide = lengths == [64] if lengths else (observed or Digits()).before > 18
        return "decimal(20,0)" if is_wide else "bigint"
    if word.endswith(("binary", "blob")):
        return "binary"
    return _OTHERS.get(word, "string")


def told_type(mysql_type: str, observed: Digits | None) -> str:
    """`spark_type`, but text for a type without precision where nothing was observed.

    A decimal without digits after the point would round what rows of the past have there.
    """
    is_bare = mysql_type.lower() in BARE_TYPES and not any(observed or ())
    return "string" if is_bare else spark_type(mysql_type, observed)


def _decimal(lengths: list[int], observed: Digits) -> str:
    if lengths:
        precision, scale = lengths[0], lengths[1] if len(lengths) > 1 else 0
    else:
        precision = _MOST_DIGITS if sum(observed) <= _MOST_DIGITS else _MOST_DIGITS + 1
        scale = observed.after
    return f"decimal({precision},{scale})" if 0 < precision <= _MOST_DIGITS and scale <= precision else "string"
