"""What MODIFY and CHANGE COLUMN make of the values that are there: canonical text of one type to that of another.

TiDB casts each value under the SQL mode of the DDL. In strict mode a DDL that would lose a value fails: where there is
such a value the mode was not strict, and a text was cut to the new length or to the number that it begins with. What
became of a value out of the new type's range is not certain. A TIMESTAMP becomes another type by the time zone of the
DDL's session, which no message tells.
"""

from __future__ import annotations

import json
import re
import sys
from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping
from datetime import date, datetime, timedelta
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal, localcontext
from typing import NamedTuple, NoReturn

import numpy as np

from ticdc_udfs import values
from ticdc_udfs.catalogue.tables import Column

Convert = Callable[[str], str]
"""Makes canonical text of canonical text; raises `ValueError` where the result is not certain."""

_BITS = {"tinyint": 8, "smallint": 16, "mediumint": 24, "int": 32, "bigint": 64}
_FAMILIES: Mapping[str, str] = {
    **dict.fromkeys(_BITS, "int"),
    **dict.fromkeys(("float", "double"), "float"),
    **dict.fromkeys(("char", "varchar", "tinytext", "text", "mediumtext", "longtext"), "text"),
    **dict.fromkeys(("binary", "varbinary", "tinyblob", "blob", "mediumblob", "longblob"), "binary"),
}
_MOST_BYTES = {"tiny": 255, "": 65_535, "medium": 16_777_215, "long": 4_294_967_295}
_MAX_TIME = timedelta(hours=838, minutes=59, seconds=59)
_CHARACTERS = {"ascii": 0x80, "utf8": 0x10000, "utf8mb3": 0x10000, "utf8mb4": 0x110000}
_SPACE = " \t\n\r"
_UNSURE_IN_JSON = re.compile(r"[\\<>&\u2028\u2029]")

_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)", re.ASCII)
_DOUBLE = re.compile(_NUMBER.pattern + r"(?:[eE][+-]?\d{1,3})?", re.ASCII)
_DATETIME = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})(?:[ T](\d{1,2}):(\d{1,2}):(\d{1,2})(?:\.(\d{0,6}))?)?", re.ASCII)
_TIME = re.compile(r"(-?)(\d{1,3}):(\d{1,2}):(\d{1,2})(?:\.(\d{0,6}))?", re.ASCII)


class _Type(NamedTuple):
    base: str
    family: str
    sizes: tuple[int, ...]
    unsigned: bool
    labels: tuple[str, ...]
    charset: str


def _type_of(column: Column) -> _Type:
    base = values.base_type(column.type)
    family = _FAMILIES.get(base, base)
    labelled = base in ("enum", "set")
    sizes = () if labelled else tuple(map(int, re.findall(r"\d{1,9}", column.type.partition("(")[2].partition(")")[0])))
    return _Type(
        base,
        family,
        () if family == "int" or base == "year" else sizes,
        column.type.rpartition(")")[2].endswith(" unsigned"),
        values.labels(column.type) or () if labelled else (),
        (column.collation or "utf8mb4").partition("_")[0],
    )


def conversion(old: Column, new: Column) -> Convert | None:
    """How values of a column's old definition become those of its new one; None where every text stays as it is."""
    if old.type == new.type and old.collation == new.collation:
        return None
    source, target = _type_of(old), _type_of(new)
    if source == target or _keeps_text(source, target):
        return None
    to = _TARGETS.get(target.family)
    return _unsure if to is None else to(source, target)


def _unsure(text: str) -> NoReturn:
    raise ValueError("no rule tells what became of the value")


def _keeps_text(source: _Type, target: _Type) -> bool:
    """Whether every value of a type is one of the other, with the same text."""
    if source.family != target.family:
        return False
    if source.family == "int":
        return _range(target)[0] <= _range(source)[0] and _range(source)[1] <= _range(target)[1]
    if source.family in ("text", "binary"):
        fixed = target.base in ("char", "binary") and source.base != target.base
        padded = target.base == "binary" and source.sizes != target.sizes
        wider = _CHARACTERS.get(source.charset, 0x110000) <= _CHARACTERS.get(target.charset, 0x80)
        return (
            not fixed
            and not padded
            and (source.charset == target.charset or wider)
            and _characters(source) <= _characters(target)
            and _bytes(source) <= _bytes(target)
        )
    if source.family == "decimal" and len(source.sizes) == len(target.sizes) == 2:
        same_scale = source.sizes[1] == target.sizes[1] and source.sizes[0] <= target.sizes[0]
        return same_scale and source.unsigned >= target.unsigned
    if source.family == "bit":
        return source.sizes <= target.sizes
    if source.family == "enum":
        return set(source.labels) <= set(target.labels)
    if source.family == "set":
        return [label for label in target.labels if label in source.labels] == list(source.labels)
    return False


def _characters(kind: _Type) -> int:
    return kind.sizes[0] if kind.sizes else _MOST_BYTES["long"]


def _bytes(kind: _Type) -> int:
    prefix = kind.base.removesuffix("text").removesuffix("blob")
    return _MOST_BYTES[prefix] if prefix in _MOST_BYTES else _characters(kind) * (4 if kind.family == "text" else 1)


def _range(kind: _Type) -> tuple[int, int]:
    bits = _BITS[kind.base]
    return (0, 2**bits - 1) if kind.unsigned else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)


# What a value is


def _raw(source: _Type, text: str) -> bytes:
    """The bytes of a value as a string."""
    if source.family == "binary":
        return b64decode(text, validate=True)
    if source.family == "text" and not text.isascii() and source.charset not in _CHARACTERS:
        raise ValueError("its bytes depend on the character set")
    return _shown(source, text).encode()


def _shown(source: _Type, text: str) -> str:
    """A value as a string."""
    if source.family == "binary":
        return b64decode(text, validate=True).decode()
    if source.base in ("timestamp", "vector") or (source.base == "year" and text == "0000"):
        _unsure(text)
    return text


def _number(source: _Type, text: str) -> Decimal:
    """A value as a number; the temporal ones as their digits."""
    match source.family:
        case "int" | "bit" | "decimal" | "year":
            return Decimal(text)
        case "float":
            return Decimal(repr(float(np.float32(text)))) if source.base == "float" else Decimal(text)
        case "text" | "binary":
            number = _shown(source, text).strip()
            if not _NUMBER.fullmatch(number):
                _unsure(text)
            return Decimal(number)
        case "enum":
            return Decimal(source.labels.index(text) + 1)
        case "set":
            chosen = text.split(",") if text else ()
            return Decimal(sum(1 << source.labels.index(label) for label in chosen))
        case "date" | "datetime" | "time":
            digits = Decimal(re.sub("[-: ]", "", text))
            return -digits if text[0] == "-" else digits
    if source.family == "json" and re.fullmatch(r"-?\d{1,18}", text):
        return Decimal(text)
    return _unsure(text)


def _integer(source: _Type, text: str, target: _Type) -> int:
    """A value as a whole number: temporal values round to seconds, floats half to even, all others half up."""
    if source.family in ("datetime", "time") and source.sizes:
        rounded = _round_datetime(text, 0) if source.family == "datetime" else _round_time(text, 0)
        if target.unsigned and rounded != text.partition(".")[0]:
            _unsure(text)
        text = rounded
    if source.family in ("text", "binary") and target.family == "int":
        return _leading_integer(_shown(source, text))
    mode = ROUND_HALF_EVEN if source.family == "float" else ROUND_HALF_UP
    return int(_number(source, text).quantize(Decimal(1), mode))


def _leading_integer(text: str) -> int:
    """The number that a text begins with, rounded half up; 0 where it begins with none."""
    text = text.strip(_SPACE)
    found = _NUMBER.match(text)
    if found is None:
        return 0
    if text[found.end() : found.end() + 1] in ("e", "E"):
        _unsure(text)
    return int(Decimal(found[0]).quantize(Decimal(1), ROUND_HALF_UP))


# What becomes of it


def _to_int(source: _Type, target: _Type) -> Convert:
    low, high = _range(target)

    def convert(text: str) -> str:
        number = _integer(source, text, target)
        if not low <= number <= high:
            _unsure(text)
        return str(number)

    return convert


def _to_bit(source: _Type, target: _Type) -> Convert:
    if source.family not in ("int", "bit", "decimal", "float"):
        return _unsure
    high = 2 ** min((target.sizes or (1,))[0], 64)

    def convert(text: str) -> str:
        number = _integer(source, text, target)
        if not 0 <= number < high:
            _unsure(text)
        return str(number)

    return convert


def _to_decimal(source: _Type, target: _Type) -> Convert:
    precision, scale = (*(target.sizes or (10,)), 0)[:2]

    def convert(text: str) -> str:
        number = _number(source, text).quantize(Decimal(1).scaleb(-scale), ROUND_HALF_UP)
        if abs(number) >= Decimal(10) ** (precision - scale) or (number < 0 and target.unsigned):
            _unsure(text)
        return format(number if number else abs(number), "f")

    return _precise(convert)


def _precise(convert: Convert) -> Convert:
    def with_all_digits(text: str) -> str:
        with localcontext(prec=200):
            return convert(text)

    return with_all_digits


def _to_float(source: _Type, target: _Type) -> Convert:
    write = values.float_text if target.base == "float" else values.double_text
    most = values.MAX_FLOAT if target.base == "float" else sys.float_info.max

    def convert(text: str) -> str:
        if source.family in ("text", "binary"):
            text = _shown(source, text).strip()
            if not _DOUBLE.fullmatch(text):
                _unsure(text)
            number = float(text)
        else:
            number = float(_number(source, text))
        if len(target.sizes) == 2:
            number = values.rounded(number, target.sizes[1])
            most_digits = 10.0 ** (target.sizes[0] - target.sizes[1])
            if abs(number) >= most_digits:
                _unsure(text)
        if abs(number) > most or (number < 0 and target.unsigned):
            _unsure(text)
        return write(number)

    return convert


def _to_year(source: _Type, target: _Type) -> Convert:
    def convert(text: str) -> str:
        if source.family in ("date", "datetime"):
            year = int(text[:4])
        elif source.family in ("time", "bit", "enum", "set", "json"):
            _unsure(text)
        else:
            year = _integer(source, text, target)
            if source.family in ("text", "binary") and not year:
                _unsure(text)
            if 0 < year < 100:
                year += 2000 if year < 70 else 1900
        if year and not 1901 <= year <= 2155:
            _unsure(text)
        return f"{year:04}"

    return convert


def _to_text(source: _Type, target: _Type) -> Convert:
    same_charset = source.family == "text" and source.charset == target.charset
    limit = 0x110000 if same_charset else _CHARACTERS.get(target.charset, 0x80)

    def convert(text: str) -> str:
        text = _shown(source, text)
        if text and ord(max(text)) >= limit:
            _unsure(text)
        if target.base == "char":
            text = text.rstrip(" ")
        return text[: _characters(target)].encode()[: _bytes(target)].decode(errors="ignore")

    return convert


def _to_binary(source: _Type, target: _Type) -> Convert:
    length = _bytes(target) if target.base != "binary" else min((target.sizes or (1,))[0], 255)

    def convert(text: str) -> str:
        if source.family == "json":
            _unsure(text)
        raw = _raw(source, text)
        return b64encode(raw[:length].ljust(length if target.base == "binary" else 0, b"\0")).decode("ascii")

    return convert


def _to_date(source: _Type, target: _Type) -> Convert:
    """DATE and DATETIME; a date cuts the time off, without rounding."""
    scale = _scale(target)

    def convert(text: str) -> str:
        if source.family in ("text", "binary"):
            text = _parsed_datetime(_shown(source, text).strip())
            if target.base == "date" and text[20:].strip("0"):
                _unsure(text)
        elif source.family == "int":
            text = _datetime_of_digits(text)
        elif source.family not in ("date", "datetime"):
            _unsure(text)
        if target.base == "date":
            return text[:10]
        return _round_datetime(text if len(text) > 10 else text + " 00:00:00", scale)

    return convert


def _to_timestamp(source: _Type, target: _Type) -> Convert:
    if source.base != "timestamp":
        return _unsure
    return lambda text: _round_datetime(text, _scale(target))


def _to_time(source: _Type, target: _Type) -> Convert:
    scale = _scale(target)

    def convert(text: str) -> str:
        match source.family:
            case "date":
                text = "00:00:00"
            case "datetime":
                text = text[11:]
            case "int":
                digits = text.removeprefix("-").rjust(6, "0")
                text = "-" * text.startswith("-") + f"{digits[:-4]}:{digits[-4:-2]}:{digits[-2:]}"
            case "text" | "binary":
                text = _shown(source, text).strip()
            case "time":
                pass
            case _:
                _unsure(text)
        return _round_time(text, scale)

    return convert


def _to_enum(source: _Type, target: _Type) -> Convert:
    def convert(text: str) -> str:
        if source.family == "int":
            if int(text) < 1:
                _unsure(text)
            return values.enum_label(text, target.labels)
        if source.family not in ("enum", "set", "text", "binary"):
            _unsure(text)
        label = _shown(source, text)
        return label if not label else target.labels[target.labels.index(label)]

    return convert


def _to_set(source: _Type, target: _Type) -> Convert:
    def convert(text: str) -> str:
        if source.family == "int":
            return values.set_labels(text, target.labels)
        if source.family not in ("enum", "set", "text", "binary"):
            _unsure(text)
        shown = _shown(source, text)
        chosen = set(shown.split(",")) if shown else set()
        if not chosen <= set(target.labels):
            _unsure(text)
        return ",".join(label for label in target.labels if label in chosen)

    return convert


def _to_json(source: _Type, target: _Type) -> Convert:
    """Whole numbers, and JSON text without fractions: TiDB sorts members and writes its own spaces."""
    if source.family == "int":
        return lambda text: text
    return _json_text if source.family == "text" else _unsure


def _json_text(text: str) -> str:
    value = json.loads(text, parse_float=_unsure, parse_constant=_unsure, parse_int=_json_integer)
    written = json.dumps(value, ensure_ascii=False, sort_keys=True)
    if _UNSURE_IN_JSON.search(written):
        _unsure(text)
    return written


def _json_integer(digits: str) -> int:
    number = int(digits)
    return number if -(2**63) <= number < 2**63 else _unsure(digits)


_TARGETS: Mapping[str, Callable[[_Type, _Type], Convert]] = {
    "int": _to_int,
    "bit": _to_bit,
    "decimal": _to_decimal,
    "float": _to_float,
    "year": _to_year,
    "text": _to_text,
    "binary": _to_binary,
    "date": _to_date,
    "datetime": _to_date,
    "timestamp": _to_timestamp,
    "time": _to_time,
    "enum": _to_enum,
    "set": _to_set,
    "json": _to_json,
}


# Dates and times


def _scale(kind: _Type) -> int:
    """The digits of a second's fraction."""
    return min((kind.sizes or (0,))[0], 6)


def _parsed_datetime(text: str) -> str:
    match = _DATETIME.fullmatch(text)
    if match is None:
        _unsure(text)
    year, month, day, *clock, fraction = (part or "0" for part in match.groups())
    hour, minute, second = map(int, clock)
    at = datetime(int(year), int(month), int(day), hour, minute, second)
    return f"{at.isoformat(' ')}.{fraction}"


def _datetime_of_digits(digits: str) -> str:
    if len(digits) not in (8, 14) or not digits.isdigit():
        _unsure(digits)
    parts = [int(digits[start : start + 2]) for start in range(4, len(digits), 2)]
    return datetime(int(digits[:4]), *parts).isoformat(" ")  # type: ignore[arg-type]


def _round_datetime(text: str, scale: int) -> str:
    """A DATETIME or TIMESTAMP with so many digits of fraction, rounded half up; a zero date carries nothing."""
    seconds, _, fraction = text.partition(".")
    if _rounds_up(fraction, scale) and seconds.startswith("0000-00-00"):
        _unsure(text)
    carry, fraction = _round_fraction(fraction, scale)
    if carry:
        day = date.fromisoformat(seconds[:10])
        clock = timedelta(seconds=_seconds(seconds[11:]) + 1)
        seconds = f"{(day + timedelta(days=clock.days)).isoformat()} {_clock(clock - timedelta(days=clock.days))}"
    return seconds + fraction


def _round_time(text: str, scale: int) -> str:
    match = _TIME.fullmatch(text)
    if match is None:
        _unsure(text)
    sign, hours, minutes, seconds, fraction = match.groups()
    if int(minutes) > 59 or int(seconds) > 59:
        _unsure(text)
    carry, digits = _round_fraction(fraction or "", scale)
    clock = timedelta(hours=int(hours), minutes=int(minutes), seconds=int(seconds) + carry)
    if clock > _MAX_TIME or (clock == _MAX_TIME and digits.strip(".0")):
        _unsure(text)
    return (sign if clock or digits.strip(".0") else "") + _clock(clock) + digits


def _rounds_up(digits: str, scale: int) -> bool:
    return digits[scale : scale + 1] >= "5"


def _round_fraction(digits: str, scale: int) -> tuple[int, str]:
    """Whole seconds to add, and the fraction with its point."""
    number = int(digits[:scale].ljust(scale, "0") or "0") + _rounds_up(digits, scale)
    carry, number = divmod(number, 10**scale)
    return carry, f".{number:0{scale}}" if scale else ""


def _seconds(clock: str) -> int:
    hour, minute, second = map(int, clock.split(":"))
    return hour * 3600 + minute * 60 + second


def _clock(clock: timedelta) -> str:
    seconds = clock.days * 86_400 + clock.seconds
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
