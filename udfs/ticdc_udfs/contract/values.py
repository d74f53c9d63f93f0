"""Canonical text of column values (design of the changelog: the text of TiDB's `CAST(column AS CHAR)`).

What several protocols share has its one place here. Functions take the wire's text and give canonical text; they
raise `ValueError` where the text is none of the type.
"""

from __future__ import annotations

import re
from binascii import b2a_base64
from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal
from functools import lru_cache
from zoneinfo import ZoneInfo

import numpy as np

from ticdc_udfs.contract.events import Lossy

Convert = Callable[[str], tuple[str, Lossy | None]]
"""Makes canonical text of a wire text, and tells what the encoder lost; raises `ValueError` for no text of the type."""

MAX_FLOAT = 3.4028234663852886e38
"""The largest FLOAT, as a double."""
_TOO_LARGE = 3.4028235677973366e38
"""The least double that is rounded to no FLOAT."""
_SINGLE_DIGITS = 6
"""As many digits always read back to themselves."""
UNCERTAIN_LABEL = "\ufffd"
"""What stands in a type for a label that is not certain."""

_REPLACED_BYTE = re.compile(rb"(?<!\\)((?:\\\\)*)\\ufffd", re.IGNORECASE)
_WALL_CLOCK = re.compile(r"\d{4}-\d\d-\d\d (?:[01]\d|2[0-3]):\d\d:\d\d", re.ASCII).fullmatch
_BACKSLASH = ord("\\")
_LABELS_KEPT = 4096
_ESCAPE = re.compile(rb"\\u(?:fffd|FFFD)")
_QUOTED = re.compile(r"'((?:[^']|'')*)'")
_ESCAPED = re.compile(r"\\[nr0]")
_LABEL_END = re.compile(r"(?<!\\),")


def base_type(column_type: str) -> str:
    """The bare word of a MySQL type: `bigint` of `bigint unsigned`, `enum` of `enum('a')`."""
    return column_type.partition("(")[0].partition(" ")[0]


def is_unsigned(column_type: str) -> bool:
    """Whether a MySQL type is unsigned; ZEROFILL may stand behind that word."""
    return " unsigned" in column_type.rpartition(")")[2]


def shared_converter(column_type: str) -> Convert | None:
    """The conversion of types that the encoders of several protocols write alike: index, bitmask, zero year."""
    base = base_type(column_type)
    if base == "year":
        return lambda text: (year(text), None)
    if base not in ("enum", "set"):
        return None
    known = labels(column_type)
    if known is None:
        return label_unknown
    label = enum_label if base == "enum" else set_labels
    if UNCERTAIN_LABEL not in known:
        return lru_cache(_LABELS_KEPT)(lambda text: (label(text, known), None))

    def convert(text: str) -> tuple[str, Lossy | None]:
        shown = label(text, known)
        return (text, Lossy.LABEL_UNKNOWN) if UNCERTAIN_LABEL in shown else (shown, None)

    return convert


def label_unknown(text: str) -> tuple[str, Lossy]:
    """The conversion of an index or bitmask without known labels: the text stays, and is always flagged."""
    return text, Lossy.LABEL_UNKNOWN


def timestamp_converter(zone: ZoneInfo) -> Convert:
    """The conversion of a TIMESTAMP that the encoder rendered as wall clock of `zone`."""

    def convert(text: str) -> tuple[str, Lossy | None]:
        utc, twice = timestamp_to_utc(text, zone)
        return utc, Lossy.AMBIGUOUS_TIME if twice else None

    return convert


def double_text(number: float) -> str:
    """A double as the shortest decimal that reads back to it, without exponent; whole numbers without point."""
    text = format(Decimal(repr(number)), "f")
    return text[:-2] if text.endswith(".0") else text


def float_text(number: float) -> str:
    """A single-precision number likewise: the shortest decimal that reads back to the same 32 bits."""
    return np.format_float_positional(np.float32(number), unique=True, trim="-")


def single(text: str) -> str:
    """The text of a FLOAT, with fewer digits where the encoder took it for a double, as releases before 6.5.2 do.

    Current ones write the fewest that read back to it.
    """
    if len(text) <= _SINGLE_DIGITS:
        return text
    number = float(text)
    if not abs(number) < _TOO_LARGE:
        raise ValueError("no number of single precision")
    fewest = float_text(number)
    return fewest if _digits(fewest) < _digits(text) else text


def _digits(text: str) -> int:
    return len(text.replace(".", "").strip("-0"))


def rounded(number: float, scale: int) -> float:
    """A number of FLOAT(M,D) or DOUBLE(M,D) with D digits of fraction: TiDB rounds the double, halves to even."""
    shift = 10.0**scale
    return round(number * shift) / shift


def binary_from_latin1(text: str) -> str:
    """Base64 of bytes that came as one code point per byte (protocol facts 3.2)."""
    return b2a_base64(text.encode("latin-1"), newline=False).decode("ascii")


def may_have_replaced_bytes(json_text: bytes) -> bool:
    r"""Whether JSON text has an escape `\ufffd` somewhere, or what looks like one."""
    # a byte is found sooner than a text, and one pattern sooner than two texts
    return _BACKSLASH in json_text and _ESCAPE.search(json_text) is not None


def without_replaced_bytes(json_text: bytes) -> bytes:
    r"""JSON text without its escapes `\ufffd`: Go writes them for bytes that are no UTF-8, a true U+FFFD literally."""
    return _REPLACED_BYTE.sub(rb"\1", json_text)


def year(text: str) -> str:
    """A YEAR with its four digits: the zero year is `0` on the wire and `0000` in TiDB."""
    return "0000" if text == "0" else text


@lru_cache(maxsize=10_000)  # an update brings most of its texts twice
def timestamp_to_utc(text: str, zone: ZoneInfo) -> tuple[str, bool]:
    """A TIMESTAMP's wall clock in `zone` as UTC, with its own number of fraction digits.

    The flag tells that the hour occurs twice in that zone (clocks set back), so that the first of both was taken.
    """
    if text.startswith("0000-00-00"):
        return text, False
    seconds, dot, fraction = text.partition(".")
    # strptime takes fifty times as long for the same
    read = datetime.fromisoformat if _WALL_CLOCK(seconds) else _read_wall_clock
    local = read(seconds).replace(tzinfo=zone)
    first = local.astimezone(UTC)
    twice = local.replace(fold=1).astimezone(UTC) > first
    return first.isoformat(" ")[:19] + dot + fraction, twice


@lru_cache(maxsize=10_000)
def occurs_twice(utc: str, zone: ZoneInfo) -> bool:
    """Whether the clocks of a zone show the time of a moment twice, as they are set back; of other texts false."""
    try:
        local = datetime.fromisoformat(utc).replace(tzinfo=UTC).astimezone(zone)
    except (ValueError, OverflowError):
        return False
    return local.replace(fold=0).utcoffset() != local.replace(fold=1).utcoffset()


def _read_wall_clock(text: str) -> datetime:
    return datetime.strptime(text, "%Y-%m-%d %H:%M:%S")


def labels(column_type: str) -> tuple[str, ...] | None:
    """The labels of `enum('a','b')` or `set('a','b')`, in definition order; None where the type names none."""
    start = column_type.find("(")
    if start < 0:
        return None
    return tuple(label.replace("''", "'") for label in _QUOTED.findall(column_type[start:]))


def certain_type(column_type: str) -> str:
    r"""A type as `information_schema` and canal-json show it, without the labels that are not certain.

    TiDB writes a line break, a carriage return and a zero byte of a label as `\n`, `\r` and `\0` there, and a backslash
    as it is (`OutputFormat` in pkg/parser/format): such a label becomes `UNCERTAIN_LABEL`.
    """
    if "\\" not in column_type or base_type(column_type) not in ("enum", "set"):
        return column_type
    return _QUOTED.sub(lambda label: f"'{UNCERTAIN_LABEL}'" if _ESCAPED.search(label[0]) else label[0], column_type)


def allowed_labels(word: str, allowed: str) -> list[str]:
    r"""The labels of a schema's parameter `allowed`: joined by commas, one within a label as `\,` (protocol facts 2.5).

    Labels of a SET have none, so that a backslash before a comma ends one.
    """
    if word == "set":
        return allowed.split(",")
    return [label.replace("\\,", ",") for label in _LABEL_END.split(allowed)]


def enum_label(index: str, of: tuple[str, ...]) -> str:
    """The label of a 1-based ENUM index; 0 is the empty error value. A label, as some old images have it, is itself."""
    if not index.isdecimal() and index in of:
        return index
    number = int(index)
    if not 0 <= number <= len(of):
        raise ValueError("the index is beyond the labels")
    return of[number - 1] if number else ""


def set_labels(mask: str, of: tuple[str, ...]) -> str:
    """The labels of a SET bitmask, comma-joined in definition order; bit 0 is the first label.

    Labels, as some old images have them, are themselves.
    """
    if not mask.isdecimal() and (not mask or set(mask.split(",")) <= {*of}):
        return mask
    bits = int(mask)
    if bits < 0 or bits >> len(of):
        raise ValueError("the bitmask is beyond the labels")
    return ",".join(label for place, label in enumerate(of) if bits >> place & 1)
