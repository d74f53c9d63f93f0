"""What TiDB makes of a value of one type as one of another, in canonical text.

The rules are TiDB's own: `Datum.ConvertTo` in pkg/types (datum.go, convert.go, helper.go, mydecimal.go, enum.go,
set.go) and `CastColumnValue` in pkg/table/column.go, under the flags of a DDL (`reorgTypeFlagsWithSQLMode` in
pkg/ddl). What strict mode refuses, another mode takes with a warning, and neither gives a value that the other does
not: a DDL that passed made of every value what is here. Where the session decides (its time zone, NO_ZERO_IN_DATE,
ALLOW_INVALID_DATES, the day of the DDL), a cast raises `ValueError`.
"""

from __future__ import annotations

import math
import re
import sys
from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping
from decimal import ROUND_HALF_UP, Decimal, localcontext
from typing import Any, NamedTuple, NoReturn

import numpy as np

from ticdc_udfs.catalogue import json_text, moments
from ticdc_udfs.catalogue.moments import MAX_CLOCK, SPACES, ZERO, Moment
from ticdc_udfs.contract import values

Cast = Callable[[str], str | None]
"""Makes canonical text of canonical text, None for NULL; raises `ValueError` where the session decides."""

BITS = {"tinyint": 8, "smallint": 16, "mediumint": 24, "int": 32, "bigint": 64}
_FAMILIES: Mapping[str, str] = {
    **dict.fromkeys(BITS, "int"),
    **dict.fromkeys(("float", "double"), "float"),
    **dict.fromkeys(("char", "varchar", "tinytext", "text", "mediumtext", "longtext"), "text"),
    **dict.fromkeys(("binary", "varbinary", "tinyblob", "blob", "mediumblob", "longblob"), "binary"),
}
_MOST_BYTES = {"tiny": 255, "": 65_535, "medium": 16_777_215, "long": 4_294_967_295}
CHARACTERS = {"ascii": 0x80, "utf8": 0x10000, "utf8mb3": 0x10000, "utf8mb4": 0x110000, "latin1": 0x110000}
"""The code points of character sets; TiDB keeps any in latin1."""
_UNSUPPORTED = {
    "bit": frozenset({"date", "datetime", "timestamp", "time", "year", "text", "binary", "json"}),
    **dict.fromkeys(
        ("enum", "set"),
        frozenset({"date", "datetime", "timestamp", "time", "year", "decimal", "float", "json", "bit"}),
    ),
    **dict.fromkeys(
        ("date", "datetime", "timestamp"),
        frozenset({"enum", "set", "bit", "decimal", "float"}),
    ),
    "time": frozenset({"enum", "set", "bit"}),
}
"""By target, what TiDB refuses to modify (`checkTypeChangeSupported`)."""

_NUMBER = re.compile(r"([+-]?)(?:(\d+)\.?(\d*)|\.(\d+))(?:[eE]([+-]?\d+))?", re.ASCII)
_DECIMAL = re.compile(r"[ \t]*([+-]?)(\d*)(?:\.(\d*))?(?:[eE]\s*([+-]?\d*))?", re.ASCII)
_INDEX = re.compile(r"0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO]?[0-7]+|[1-9]\d*|0", re.ASCII)
_MOST_DIGITS = 81
_INT64, _UINT64 = (-(2**63), 2**63 - 1), (0, 2**64 - 1)
_ZONES = 15 * 3600
_FIRST_TIMESTAMP = Moment(1970, 1, 1, 0, 0, 1)
_LAST_TIMESTAMP = Moment(2038, 1, 19, 3, 14, 7, 999_999)


class Type(NamedTuple):
    """A column's type in its parts; `sizes` are the numbers in its parentheses, display widths left out."""

    base: str
    family: str
    sizes: tuple[int, ...] = ()
    unsigned: bool = False
    labels: tuple[str, ...] = ()
    collation: str = "utf8mb4_bin"

    @property
    def charset(self) -> str:
        """The character set of the collation."""
        return self.collation.partition("_")[0]

    @property
    def scale(self) -> int:
        """The digits of a second's fraction."""
        return min((self.sizes or (0,))[0], 6)

    @property
    def length(self) -> int:
        """The characters of CHAR and VARCHAR, the bytes of all other texts and binaries."""
        prefix = self.base.removesuffix("text").removesuffix("blob")
        if prefix in _MOST_BYTES:
            return _MOST_BYTES[prefix]
        length = self.sizes[0] if self.sizes else (1 if self.base in ("char", "binary") else _MOST_BYTES["long"])
        return min(length, 255) if self.base == "binary" else length

    @property
    def range(self) -> tuple[int, int]:
        """The smallest and the largest value of an integer type."""
        bits = BITS[self.base]
        return (0, 2**bits - 1) if self.unsigned else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)


def type_of(column_type: str, collation: str | None = None) -> Type:
    """The parts of a type as `information_schema.columns.COLUMN_TYPE` has it."""
    base = values.base_type(column_type)
    family = _FAMILIES.get(base, base)
    labelled = base in ("enum", "set")
    sizes = () if labelled else tuple(map(int, re.findall(r"\d{1,9}", column_type.partition("(")[2].partition(")")[0])))
    return Type(
        base,
        family,
        () if family == "int" or base == "year" else sizes,
        values.is_unsigned(column_type),
        values.labels(column_type) or () if labelled else (),
        collation or "utf8mb4_bin",
    )


def cast(source: Type, target: Type) -> Cast:
    """The cast from one type to another."""
    make = _TARGETS.get(target.family)
    if make is None or source.family in _UNSUPPORTED.get(target.family, ()) or source.family == "vector":
        return unsure
    convert = make(source, target)
    return _of_timestamp(convert, source.scale) if source.base == "timestamp" != target.base else convert


def _of_timestamp(convert: Cast, scale: int) -> Cast:
    """A TIMESTAMP is cast as its session sees it; what the zones at both ends of the world give, all give."""

    def in_session(text: str) -> str | None:
        result, moment = convert(text), moments.stored_moment(text)
        ends = () if moment == ZERO else (moments.shifted(moment, seconds) for seconds in (-_ZONES, _ZONES))
        if any(convert(end.text(scale)) != result for end in ends):
            raise InUtc(result)
        return result

    return in_session


class InUtc(ValueError):
    """What a value becomes in UTC; the time zone of the DDL's session decides it, and no message tells that."""

    def __init__(self, text: str | None) -> None:
        super().__init__("the time zone of the session is not told")
        self.text = text


def unsure(text: str | None = None) -> NoReturn:
    """What a cast does whose result no rule tells."""
    raise ValueError("no rule tells what became of the value")


# A value as a text


def _shown(source: Type, text: str) -> str:
    """A value as a string (`Datum.ToString`)."""
    if source.family == "binary":
        return b64decode(text, validate=True).decode(errors="replace")
    return str(int(text)) if source.base == "year" else text


def _raw(source: Type, text: str) -> bytes:
    """A value as the bytes of a string."""
    if source.family == "binary":
        return b64decode(text, validate=True)
    if source.family == "text" and not text.isascii() and source.charset not in CHARACTERS:
        unsure()
    return _shown(source, text).encode()


def _index(source: Type, text: str) -> int:
    """The number of an ENUM or SET."""
    if source.family == "set":
        return sum(1 << source.labels.index(label) for label in text.split(",")) if text else 0
    if text:
        return source.labels.index(text) + 1
    return unsure() if "" in source.labels else 0


# A value as a number


def _whole(source: Type, text: str, *, unsigned: bool) -> int:
    """A value as a whole number, before it is fitted to a type (`toSignedInteger`, `convertToUint`)."""
    match source.family:
        case "int" | "bit" | "year":
            return int(text)
        case "decimal":
            return int(Decimal(text).to_integral_value(ROUND_HALF_UP))
        case "float":
            return round(_double(source, text))
        case "text" | "binary":
            return _leading_whole(_shown(source, text), unsigned=unsigned)
        case "enum" | "set":
            return round(float(_index(source, text)))
        case "json":
            return _json_whole(text)
    if unsigned or source.family == "date":
        return int(Decimal(_digits(text)).quantize(Decimal(1), ROUND_HALF_UP))
    if source.family == "time":
        clock = moments.rounded_clock(moments.stored_clock(text), 0)
        return int(_digits(moments.clock_text(clock, 0)))
    return int(_digits(moments.rounded_moment(moments.stored_moment(text), 0).text(0)))


def _leading_whole(text: str, *, unsigned: bool) -> int:
    """The number that a text begins with, rounded half up; 0 where it begins with none (`StrToInt`, `StrToUint`)."""
    match = _NUMBER.match(text.strip(SPACES))
    if match is None:
        return 0
    sign, whole, fraction, only_fraction, exponent = match.groups()
    digits = (whole or "") + (fraction or only_fraction or "")
    place = len(whole or "") + int(exponent or 0)
    if exponent is not None and (abs(int(exponent)) >= 2**63 or (int(exponent) >= 0 and place + len(sign) > 21)):
        number = 2**64 - 1
    else:
        number = int(digits[:place].ljust(place, "0") or "0") if place > 0 else 0
        number += 0 <= place < len(digits) and digits[place] >= "5"
    low, high = _UINT64 if unsigned else _INT64
    return min(max(-number if sign == "-" else number, low), high)


def _decimal(source: Type, text: str) -> Decimal:
    """A value as a number with all its digits; one of more than 81 digits before the point is beyond any DECIMAL."""
    match source.family:
        case "int" | "bit" | "decimal" | "year":
            return Decimal(text)
        case "float":
            return Decimal(repr(_double(source, text)))
        case "text" | "binary":
            return _leading_decimal(_shown(source, text))
        case "enum" | "set":
            return Decimal(repr(float(_index(source, text))))
        case "json":
            return _json_decimal(json_text.read_stored(text))
    return Decimal(_digits(text))


def _leading_decimal(text: str) -> Decimal:
    """The number that a text begins with (`MyDecimal.FromString`)."""
    match = _DECIMAL.match(text)
    sign, whole, fraction, exponent = match.groups() if match else ("", "", "", "")
    if not whole and not fraction:
        return Decimal(0)
    if len(whole) > _MOST_DIGITS:
        unsure()
    number = Decimal(f"{sign}{whole or 0}.{fraction or 0}")
    shift = int(exponent) if exponent and exponent not in "+-" else 0
    if not number or shift < -(2**30):
        return Decimal(0)
    if number.adjusted() + shift > _MOST_DIGITS:
        return Decimal(10 if number > 0 else -10) ** _MOST_DIGITS
    return number.scaleb(max(shift, -1000))


def _double(source: Type, text: str) -> float:
    """A value as a double."""
    match source.family:
        case "float":
            return float(np.float32(text)) if source.base == "float" else float(text)
        case "text" | "binary":
            return _leading_double(_shown(source, text))
        case "enum" | "set":
            return float(_index(source, text))
        case "int" | "bit" | "decimal" | "year":
            return float(int(text)) if source.family != "decimal" else float(text)
        case "json":
            value = json_text.read_stored(text)
            if isinstance(value, str):
                return _leading_double(value)
            return 0.0 if value is None or isinstance(value, (list, dict)) else float(value)
    return float(_digits(text))


def _leading_double(text: str) -> float:
    match = _NUMBER.match(text.strip(SPACES))
    return min(max(float(match[0]), -sys.float_info.max), sys.float_info.max) if match else 0.0


def _digits(text: str) -> str:
    """A DATE, TIME or DATETIME as the digits of a number (`ToNumber`)."""
    sign = "-" if text.startswith("-") else ""
    return sign + re.sub("[-: ]", "", text)


def _json_whole(text: str) -> int:
    value = json_text.read_stored(text)
    match value:
        case None | list() | dict():
            return 0
        case str():
            return _leading_whole(value, unsigned=not value.startswith("-"))
        case float():
            return round(value)
    return int(value)


def _json_decimal(value: Any) -> Decimal:
    match value:
        case None | list() | dict():
            return Decimal(0)
        case str():
            return _leading_decimal(value)
        case float():
            return Decimal(repr(value))
    return Decimal(int(value))


# To numbers


def _to_int(source: Type, target: Type) -> Cast:
    low, high = target.range

    def convert(text: str) -> str:
        number = _whole(source, text, unsigned=target.unsigned)
        if source.family == "json" and text.startswith('"') and not low <= number <= high:
            unsure()  # TiDB does not fit the number of a JSON string to the type
        return str(min(max(number, low), high))

    return convert


def _to_bit(source: Type, target: Type) -> Cast:
    high = 2 ** min((target.sizes or (1,))[0], 64) - 1

    def convert(text: str) -> str:
        number = _whole(source, text, unsigned=True)
        if source.family == "int":
            number %= 2**64  # a negative number is taken by its bits
        return str(min(max(number, 0), high))

    return convert


def _to_decimal(source: Type, target: Type) -> Cast:
    precision, scale = (*(target.sizes or (10,)), 0)[:2]
    if precision > _MOST_DIGITS or scale > precision:
        return unsure
    most = Decimal((0, (9,) * precision, -scale))

    def convert(text: str) -> str:
        number = _decimal(source, text)
        if abs(number) < most + 1:
            number = number.quantize(Decimal(1).scaleb(-scale), ROUND_HALF_UP)
        number = min(max(number, -most), most)
        if not number or (number < 0 and target.unsigned):
            number = Decimal(0).scaleb(-scale)
        return format(number, "f")

    return _precise(convert)


def _precise(convert: Cast) -> Cast:
    def with_all_digits(text: str) -> str | None:
        with localcontext(prec=1200):
            return convert(text)

    return with_all_digits


def _to_float(source: Type, target: Type) -> Cast:
    write = values.float_text if target.base == "float" else values.double_text
    most = values.MAX_FLOAT if target.base == "float" else sys.float_info.max

    def convert(text: str) -> str:
        number = _double(source, text)
        if len(target.sizes) == 2:
            digits, scale = target.sizes
            if math.isfinite(number * 10.0**scale):
                number = values.rounded(number, scale)
            largest = float(f"1e{digits - scale}") - float(f"1e{-scale}")
            number = min(max(number, -largest), largest)
        if number < 0 and target.unsigned:
            number = 0.0
        return write(min(max(number, -most), most))

    return convert


def _to_year(source: Type, target: Type) -> Cast:
    def convert(text: str) -> str:
        return _fitted_year(_year(source, text), two_zeros=_is_year_2000(source, text))

    return convert


def _year(source: Type, text: str) -> int:
    if source.family in ("date", "datetime", "timestamp"):
        return int(text[:4])
    number = _whole(source, text, unsigned=False)
    if source.family in ("text", "binary"):
        return number if _INT64[0] < number < _INT64[1] else 0
    return number if _INT64[0] <= number <= _INT64[1] else unsure()


def _is_year_2000(source: Type, text: str) -> bool:
    """Whether a text is some zeros, but for four signs (`ConvertToMysqlYear`)."""
    if source.family not in ("text", "binary"):
        return False
    return len(_raw(source, text)) != 4 and _shown(source, text).strip(SPACES).startswith("0")


def _fitted_year(year: int, *, two_zeros: bool = False) -> str:
    """A year of two digits as one of four, else the nearest that YEAR has (`AdjustYear`)."""
    if not year and not two_zeros:
        return "0000"
    year = moments.adjusted_year(year)
    return f"{0 if year < 0 else min(max(year, 1901), 2155):04}"


# To texts


def _to_text(source: Type, target: Type) -> Cast:
    """Cut to the length; what an encoding lacks becomes `?`, and bytes end where they are none of it."""
    limit = CHARACTERS.get(target.charset, 0x80)
    same_charset = source.family == "text" and source.charset == target.charset

    def convert(text: str) -> str:
        whole = True
        if source.family == "binary":
            text, whole = _decoded(b64decode(text, validate=True), target.charset)
        else:
            text = _shown(source, text)
            if not same_charset and text and ord(max(text)) >= limit:
                if target.charset != "ascii":
                    unsure()
                text, whole = "".join(sign if sign < "\x80" else "?" for sign in text), False
        if whole and target.base in ("char", "varchar"):
            text = text[: target.length]
        elif whole:
            text = text.encode()[: target.length].decode(errors="ignore")
        return text.rstrip(" ") if target.base == "char" else text

    return convert


def _decoded(raw: bytes, charset: str) -> tuple[str, bool]:
    """The text of bytes up to what is none of the character set, and whether that is all."""
    if charset not in CHARACTERS:
        return raw.decode("ascii"), True
    encoding = "ascii" if charset == "ascii" else "utf-8"
    try:
        text = raw.decode(encoding)
    except UnicodeDecodeError as error:
        if charset == "latin1":
            raise
        text = raw[: error.start].decode(encoding)
    if text and ord(max(text)) >= CHARACTERS[charset]:
        unsure()
    return text, len(text.encode()) == len(raw)


def _to_binary(source: Type, target: Type) -> Cast:
    length = target.length

    def convert(text: str) -> str:
        raw = _raw(source, text)[:length]
        return b64encode(raw.ljust(length, b"\0") if target.base == "binary" else raw).decode("ascii")

    return convert


def _to_enum(source: Type, target: Type) -> Cast:
    """By label, else by number; '' where there is neither (`ParseEnum`)."""

    def convert(text: str) -> str:
        if source.family == "int":
            return _numbered_label(int(text), target)
        label = _shown(source, text)
        if source.family == "enum" and not label:
            return ""
        found = _label(label, target)
        return _numbered_label(_label_number(label), target) if found is None else found

    return convert


def _numbered_label(number: int | None, target: Type) -> str:
    return target.labels[number - 1] if number is not None and 0 < number <= len(target.labels) else ""


def _label_number(text: str) -> int | None:
    """A whole number in any of Go's spellings; None where the text is none, or beyond 64 bits."""
    if "_" in text:
        unsure()
    if not _INDEX.fullmatch(text):
        return None
    base = {"x": 16, "b": 2, "o": 8}.get(text[1:2].lower(), 8 if text[0] == "0" else 10)
    number = int(text[2:] if text[1:2].isalpha() else text, base)
    return number if number <= _UINT64[1] else None


def _label(text: str, target: Type) -> str | None:
    """The label that the collation takes for the text (`ParseEnumName`)."""
    if text in target.labels:
        return text
    padded = "_0900_" not in target.collation and target.charset != "binary"
    by_case = target.collation.endswith("_bin") or target.collation == "binary"
    if not by_case and not (text.isascii() and all(label.isascii() for label in target.labels)):
        unsure()

    def key(label: str) -> str:
        label = label.rstrip(" ") if padded else label
        return label if by_case else label.lower()

    return next((label for label in target.labels if key(label) == key(text)), None)


def _to_set(source: Type, target: Type) -> Cast:
    """By labels, else by number; '' where one is not known (`ParseSet`)."""

    def convert(text: str) -> str:
        if source.family == "int":
            return _numbered_labels(int(text), target)
        shown = _shown(source, text)
        chosen = {_label(part, target) for part in shown.split(",")} if shown else set()
        if None in chosen:
            return _numbered_labels(_label_number(shown), target)
        return ",".join(label for label in target.labels if label in chosen)

    return convert


def _numbered_labels(mask: int | None, target: Type) -> str:
    if mask is None or not 0 <= mask < 1 << len(target.labels):
        return ""
    return values.set_labels(str(mask), target.labels)


def _to_json(source: Type, target: Type) -> Cast:
    """JSON text is read, numbers and moments become JSON's; a text that is no JSON is refused in every mode."""

    def convert(text: str) -> str:
        match source.family:
            case "text" | "binary" | "enum" | "set":
                raw = _raw(source, text).decode()
                written = json_text.write(json_text.read(raw))
                written.encode()  # a lone surrogate is none
                return written
            case "int" | "year":
                return str(int(text))
            case "decimal" | "float":
                return json_text.write(_double(source, text))
            case "date":
                return f'"{text}"'
            case "datetime" | "timestamp":
                return f'"{moments.stored_moment(text).text(6)}"'
            case "time":
                return f'"{moments.clock_text(moments.stored_clock(text), 6)}"'
        raw_bits = int(text).to_bytes(((source.sizes or (1,))[0] + 7) // 8)
        return re.sub("[\udc80-\udcff]", r"\\ufffd", json_text.write(raw_bits.decode("utf-8", "surrogateescape")))

    return convert


# To dates and times


def _to_date(source: Type, target: Type) -> Cast:
    """DATE and DATETIME; a date cuts the time off, a text's after rounding. What is no date is the zero date."""
    scale = 0 if target.base == "date" else target.scale

    def convert(text: str) -> str:
        moment = _read_moment(source, text, scale)
        if moment is None or not moments.is_date(moment):
            moment = ZERO
        return moment.date() if target.base == "date" else moments.rounded_moment(moment, scale).text(scale)

    return convert


def _read_moment(source: Type, text: str, scale: int) -> Moment | None:
    match source.family:
        case "text" | "binary":
            return moments.parsed_moment(_shown(source, text), scale)
        case "json":
            return moments.parsed_moment(_json_shown(text), scale)
        case "int" | "year":
            return moments.numbered_moment(int(text))
        case "date" | "datetime" | "timestamp":
            return moments.stored_moment(text)
    return unsure()


def _json_shown(text: str) -> str:
    """A JSON string without its quotes, any other value as it stands (`Unquote`)."""
    value = json_text.read_stored(text)
    return value if isinstance(value, str) else text


def _to_timestamp(source: Type, target: Type) -> Cast:
    """What no time zone makes a TIMESTAMP is the zero date (`checkTimestampType`)."""

    def convert(text: str) -> str:
        if source.base == "timestamp":
            return moments.rounded_moment(moments.stored_moment(text), target.scale).text(target.scale)
        moment = _read_moment(source, text, target.scale)
        result = ZERO.text(target.scale)
        if moment is not None and moment != ZERO and moments.is_in_calendar(moment):
            early, late = moments.shifted(moment, -_ZONES), moments.shifted(moment, _ZONES)
            if late >= _FIRST_TIMESTAMP and early <= _LAST_TIMESTAMP:
                rounded = moments.rounded_moment(moment, target.scale)
                is_one = _FIRST_TIMESTAMP <= rounded <= _LAST_TIMESTAMP
                raise InUtc(rounded.text(target.scale) if is_one else result)
        return result

    return convert


def _to_time(source: Type, target: Type) -> Cast:
    scale = target.scale

    def convert(text: str) -> str | None:
        clock: int | None
        match source.family:
            case "date" | "datetime" | "timestamp":
                clock = moments.rounded_clock(moments.stored_moment(text).clock(), scale)
            case "time":
                clock = moments.rounded_clock(moments.stored_clock(text), scale)
            case "text" | "binary":
                clock = moments.parsed_clock(_shown(source, text), scale)
            case "json":
                clock = moments.parsed_clock(_json_shown(text), scale)
            case _:
                clock = moments.numbered_clock(_whole(source, text, unsigned=False), _shown(source, text), scale)
        return None if clock is None else moments.clock_text(min(clock, MAX_CLOCK), scale)

    return convert


_TARGETS: Mapping[str, Callable[[Type, Type], Cast]] = {
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
