"""Canonical text of column values (design of the changelog: the text of TiDB's `CAST(column AS CHAR)`).

What several protocols share has its one place here. Functions take the wire's text and give canonical text; they
raise `ValueError` where the text is none of the type.
"""

from __future__ import annotations

import re
from base64 import b64encode
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

_QUOTED = re.compile(r"'((?:[^']|'')*)'")


def binary_from_latin1(text: str) -> str:
    """Base64 of bytes that came as one code point per byte (protocol facts 3.2)."""
    return b64encode(text.encode("latin-1")).decode("ascii")


def year(text: str) -> str:
    """A YEAR with its four digits: the zero year is `0` on the wire and `0000` in TiDB."""
    return "0000" if text == "0" else text


def timestamp_to_utc(text: str, zone: ZoneInfo) -> tuple[str, bool]:
    """A TIMESTAMP's wall clock in `zone` as UTC, with its own number of fraction digits.

    The flag tells that the hour occurs twice in that zone (clocks set back), so that the first of both was taken.
    """
    if text.startswith("0000-00-00"):
        return text, False
    seconds, dot, fraction = text.partition(".")
    local = datetime.strptime(seconds, "%Y-%m-%d %H:%M:%S").replace(tzinfo=zone)
    first = local.astimezone(UTC)
    twice = local.replace(fold=1).astimezone(UTC) > first
    return f"{first:%Y-%m-%d %H:%M:%S}".rjust(19, "0") + dot + fraction, twice


def labels(column_type: str) -> tuple[str, ...] | None:
    """The labels of `enum('a','b')` or `set('a','b')`, in definition order; None where the type names none."""
    start = column_type.find("(")
    if start < 0:
        return None
    return tuple(label.replace("''", "'") for label in _QUOTED.findall(column_type[start:]))


def enum_label(index: str, of: tuple[str, ...]) -> str:
    """The label of a 1-based ENUM index; 0 is the empty error value."""
    number = int(index)
    if not 0 <= number <= len(of):
        raise ValueError("the index is beyond the labels")
    return of[number - 1] if number else ""


def set_labels(mask: str, of: tuple[str, ...]) -> str:
    """The labels of a SET bitmask, comma-joined in definition order; bit 0 is the first label."""
    bits = int(mask)
    if bits < 0 or bits >> len(of):
        raise ValueError("the bitmask is beyond the labels")
    return ",".join(label for place, label in enumerate(of) if bits >> place & 1)
