"""Binary values of Debezium in JSON: base64, or what an option of newer releases makes of them (facts 0.1 line 19).

Where the feed does not say which, a text may read as base64 and as hex alike; it is taken for base64 and flagged. Other
texts tell what they are: base64 that is safe in URLs differs from base64 only in letters that the latter has not.
"""

from __future__ import annotations

import re
from binascii import a2b_base64, a2b_hex, b2a_base64

from ticdc_udfs.contract import values
from ticdc_udfs.contract.events import Lossy
from ticdc_udfs.contract.options import BinaryMode

HEX = "(?:[0-9a-f]{4})+"
"""What may be base64 too."""
BASE64 = "(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?"

_ARE_DIGITS = re.compile("[0-9a-f]+").fullmatch
_TO_BASE64 = str.maketrans("-_", "+/")


def converter(mode: BinaryMode | None) -> values.Convert | None:
    """How binary values become canonical base64; None where they are so as they stand."""
    if mode is None:
        return unsure
    if mode == "hex":
        return _from_hex
    return _from_url_safe if mode == "base64-url-safe" else None


def unsure(text: str) -> tuple[str, Lossy | None]:
    """A value of a feed that does not say how it comes. Raises `ValueError` where it is neither."""
    if _ARE_DIGITS(text):
        return (text, Lossy.BINARY_UNSURE) if len(text) % 4 == 0 else _from_hex(text)
    try:
        a2b_base64(text, strict_mode=True)
    except ValueError:
        return _from_url_safe(text)
    return text, None


def _from_hex(text: str) -> tuple[str, None]:
    return _base64(a2b_hex(text)), None


def _from_url_safe(text: str) -> tuple[str, None]:
    padded = text.translate(_TO_BASE64)
    return _base64(a2b_base64(padded.ljust(-(-len(padded) // 4) * 4, "="), strict_mode=True)), None


def _base64(data: bytes) -> str:
    return b2a_base64(data, newline=False).decode("ascii")
