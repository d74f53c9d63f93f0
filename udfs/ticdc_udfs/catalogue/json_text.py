"""JSON text as TiDB reads it into a JSON value and shows one (pkg/types: json_binary.go, json_binary_encode.go).

What releases of TiDB write in several ways, such as `1`, `1.0` for one double, is not certain.
"""

from __future__ import annotations

import json
import re
from typing import Any

from ticdc_udfs.contract import values

_ESCAPED = re.compile('[\x00-\x1f"\\\\\u2028\u2029]')
_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t", '"': '\\"', "\\": "\\\\"}
_MOMENT = re.compile(
    r"\d{4}-\d\d-\d\d(?: \d\d:\d\d:\d\d\.\d{6})?|-?\d{2,3}:\d\d:\d\d\.\d{6}|base64:type\d+:.*", re.ASCII | re.DOTALL
)
_LARGEST_EXACT = 2**53


def read(text: str) -> Any:
    """A JSON value, of a text that is one."""
    return json.loads(text, parse_constant=_no_number, parse_int=_whole)


def read_stored(text: str) -> Any:
    """The JSON value that TiDB shows as this text; raises `ValueError` where several have one text.

    Moments and bytes inside JSON look like strings, and large doubles like whole numbers.
    """
    value = read(text)
    if isinstance(value, str) and _MOMENT.fullmatch(value):
        raise ValueError("a string or a moment")
    ambiguous = isinstance(value, int) and not isinstance(value, bool) and abs(value) > _LARGEST_EXACT
    if ambiguous and values.double_text(float(value)) == text:
        raise ValueError("a whole number or a double")
    return value


def write(value: Any) -> str:
    """The text that TiDB shows: members sorted, one space behind each comma and colon."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case float():
            return _double(value)
        case str():
            return f'"{_ESCAPED.sub(_escape, value)}"'
        case list():
            return f"[{', '.join(map(write, value))}]"
    return "{" + ", ".join(f"{write(key)}: {write(value[key])}" for key in sorted(value)) + "}"


def _no_number(word: str) -> float:
    raise ValueError("no JSON")


def _whole(digits: str) -> int | float:
    number = int(digits)
    return number if -(2**63) <= number < 2**64 else float(digits)


def _double(number: float) -> str:
    if number.is_integer() or not 1e-6 <= abs(number) < 1e15:
        raise ValueError("releases write such a double in several ways")
    return values.double_text(number)


def _escape(match: re.Match[str]) -> str:
    sign = match[0]
    if sign in "\b\f":
        raise ValueError("releases write this sign in several ways")
    return _SHORT.get(sign) or f"\\u{ord(sign):04x}"
