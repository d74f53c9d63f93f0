"""Values of the Debezium protocols, JSON and Avro: what the encoders make of MySQL types (protocol facts 3.6).

Texts of the wire are the value itself: digits of a number, `true` and `false`, a string as it stands, base64 of bytes.
Decimals, dates and times are also accepted as canonical text with other digits after the point: an inline schema tells
neither scale nor fraction digits, so that such a text is as short as it can be until the table's schema is known.

Years 0001 to 0099 come shifted to 1970-2069 (0.1 line 7); they cannot be told from real ones and are not flagged.
"""

from __future__ import annotations

import math
import re
from base64 import b64decode, b64encode
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Context, Decimal
from functools import lru_cache
from typing import Any, NamedTuple, overload
from zoneinfo import ZoneInfo

from ticdc_udfs.contract import values
from ticdc_udfs.contract.events import Lossy
from ticdc_udfs.contract.options import BinaryMode
from ticdc_udfs.contract.schemas import labelled_type
from ticdc_udfs.protocols.debezium import binary as debezium_binary

OfInteger = Callable[[int], tuple[str, Lossy | None]]
"""A conversion of wire integers as they come, which saves their text."""

Same = Callable[[str], bool]
"""Tells whether a canonical text is what the encoder writes in place of NULL."""

_EPOCH_DAY = date(1970, 1, 1).toordinal()
_MAX_DIGITS_OF_DOUBLE = 15
"""Of decimals that come through a double unharmed."""
_MOST_DIGITS_OF_DOUBLE = 17
"""That its shortest text has."""
_MAX_SCALE = 30
_MOST_OF_TINYBLOB, _MOST_OF_BLOB = 255, 65_535
"""Bytes; a BLOB(n) is the least of its kind that holds so many."""
_MAX_TEXT_OF_FLOAT = 3.4028235e38
"""The shortest text of the largest FLOAT, which is a little larger."""
_WIDE = Context(prec=700)
_NO_UTF8 = re.compile("[\udc80-\udcff]")
_ARE_BITS = re.compile("[01]{0,64}").fullmatch


def converter(
    column_type: str,
    zone: ZoneInfo | None = None,
    *,
    nullable: bool | None = None,
    default: str | None = None,
    binary: BinaryMode | None = "base64",
) -> values.Convert | None:
    """How a type's wire text becomes canonical; None where it is canonical as it stands.

    `default` is the column's default in canonical text, or CURRENT_TIMESTAMP; `nullable` is None where it is not known.
    The conversion flags a text that may stand for NULL or for a zero date; `zone` is the changefeed's, in which the
    encoder reads the default of a TIMESTAMP, `binary` how it writes bytes. NULLs are not converted: see `null_reason`.
    """
    is_binary = values.base_type(column_type).endswith(BINARY)
    convert = debezium_binary.converter(binary) if is_binary else _converter(column_type, nullable, zone)
    if default is None or nullable is False:
        return convert
    return flagging(convert, stands_for_null(column_type, default, zone))


def check(
    column_type: str, *, nullable: bool | None, default: str | None, binary: BinaryMode | None
) -> values.Convert | None:
    """Flags a text for what no inline schema tells; the text stays.

    A number may stand for NULL where the default is an expression. For bytes of a feed that does not say how they come
    there is `bytes_of`.
    """
    if binary is None and values.base_type(column_type).endswith(BINARY):
        return None
    same = None if default is None or nullable is False else stands_for_computed(column_type, default)
    return None if same is None else flagging(lambda text: (text, None), same)


def bytes_of(
    column_type: str, zone: ZoneInfo | None, *, nullable: bool | None, default: str | None
) -> debezium_binary.Bytes | None:
    """What a column of bytes may hold; None of other columns.

    A default in place of NULL may have another length than values: an expression, or U+FFFD for what is no UTF-8. Old
    releases of TiDB do not fill up that of a BINARY. A type without length may be one of a message, which tells none.
    """
    base = values.base_type(column_type)
    if not base.endswith(BINARY):
        return None
    length = next(iter(parameters(column_type)), None)
    most = {"tinyblob": _MOST_OF_TINYBLOB}.get(base, None if base.endswith("blob") else length)
    if base == "blob" and length is not None and length <= _MOST_OF_BLOB:
        most = _MOST_OF_BLOB
    least = length or 0 if base == "binary" else 0
    if default is None:
        return debezium_binary.Bytes(least, most)
    try:
        least = min(least, len(b64decode(default, validate=True)))
    except ValueError:
        least = 0
    if nullable is False:
        return debezium_binary.Bytes(least, most)
    same = stands_for_null(column_type, default, zone)
    return debezium_binary.Bytes(least, most, same) if same is not None else debezium_binary.Bytes()


def null_reason(column_type: str, nullable: bool | None) -> Lossy | None:
    """What a wire NULL of that type may hide: the encoder writes zero and invalid dates as NULL where it can."""
    return Lossy.ZERO_DATE if values.base_type(column_type) in ("date", "datetime") and nullable is not False else None


@overload
def flagging(convert: OfInteger, same: Same | None) -> OfInteger: ...
@overload
def flagging(convert: values.Convert | None, same: Same | None) -> values.Convert | None: ...
def flagging(
    convert: Callable[[Any], tuple[str, Lossy | None]] | None, same: Same | None
) -> Callable[[Any], tuple[str, Lossy | None]] | None:
    """A conversion that flags texts which the encoder also writes in place of NULL."""
    if same is None:
        return convert

    def flagged(wire: Any) -> tuple[str, Lossy | None]:
        canonical, reason = convert(wire) if convert is not None else (wire, None)
        return canonical, Lossy.NULL_OR_DEFAULT if reason is None and same(canonical) else reason

    return flagged


def told_default(column_type: str, expression: str) -> str:
    """The canonical text of a default as `tableChanges` give it: bits as binary digits, bytes as text.

    Bytes that are no UTF-8 have come as U+FFFD, and stay so.
    """
    base = values.base_type(column_type)
    if base == "bit" and _ARE_BITS(expression):
        return str(int(expression or "0", 2))
    return _base64(expression) if base.endswith(BINARY) else expression


def stands_for_null(column_type: str, default: str, zone: ZoneInfo | None, *, by_classic: bool = True) -> Same | None:
    """Which canonical text stands for NULL in a nullable column with that default (protocol facts 0.1 line 6).

    DATETIME of the present time gives 0, as TIME and BIGINT UNSIGNED beyond 2^63 do, but for those of classic TiCDC,
    which writes their default itself. Bytes that are no UTF-8 come as U+FFFD (an export of the default has them so
    already), a TIMESTAMP is read in the changefeed's zone. A YEAR is the number of the default as it was written, a
    CHAR has the spaces at its end, which values have not. None: NULL stays NULL, or the default cannot be read.
    """
    base = values.base_type(column_type)
    computed = stands_for_computed(column_type, default)
    if computed is not None:
        return computed
    try:
        if base == "year" and 1970 <= int(default) <= 2069:
            of_century = int(default) % 100
            return {default, values.year(str(of_century)), f"{of_century:02}"}.__contains__
        if base in ("enum", "set"):
            label = _label(column_type, default).casefold()
            return lambda text: text.casefold() == label
        if base == "bit":
            return _same_bits(int(default))
        if base.endswith(BINARY):
            text = default if "\ufffd" in default else _replaced(b64decode(default, validate=True))
            return _base64(text).__eq__
        now = default.upper().startswith("CURRENT_TIMESTAMP")
        convert = _converter(column_type, True) or _as_it_stands
        if base == "time" or (base == "bigint" and int(default) >= 2**63):
            zero, itself = convert("0")[0], default
            with suppress(ValueError):
                itself = convert(default)[0]
            return {zero, itself if by_classic else zero}.__contains__
        if base == "datetime" and now:
            default = "0"
        elif base == "timestamp":
            if now or default < "1970-01-01 00:00:01":
                return None
            return _same_moment(default if zone is None else values.timestamp_to_utc(default, zone)[0])
        canonical = convert(default)[0]
        if base == "char":
            return lambda text: text == canonical or text.rstrip(" ") == canonical
        return (_with_shifted_year(canonical) if base in ("date", "datetime") else canonical).__eq__
    except (ValueError, ArithmeticError):
        return None


def stands_for_computed(column_type: str, default: str) -> Same | None:
    """Which canonical text stands for NULL where the default is an expression; None where it is a constant.

    The encoder takes the expression for a constant: of a number it writes 0, of an ENUM or SET the empty label, of what
    is text the expression itself, as TiDB writes it.
    """
    base = values.base_type(column_type)
    if base in _NUMBERS:
        return None if _is_number(default) else lambda text: float(text) == 0
    if base in ("enum", "set"):
        known = values.labels(column_type)
        return None if known is None or _is_label(default, known) else lambda text: not text
    if "(" not in default and not default.lower().startswith("next value for"):
        return None
    expression = _bare(default)
    if base.endswith(BINARY):
        return lambda text: _bare(b64decode(text).decode("utf-8", "replace")) == expression
    if base in ("char", "varchar", "json") or base.endswith("text"):
        return lambda text: _bare(text) == expression
    return None


BINARY = ("blob", "binary")
_NUMBERS = frozenset(
    {"tinyint", "smallint", "mediumint", "int", "bigint", "float", "double", "decimal", "year"},
)
_INTRODUCER = re.compile(r"_[a-z0-9]+(?=')|[\s`]")
_SEQUENCE = re.compile(r"(?:nextvaluefor|nextval\()(?:[^.]*\.)?([^)]*)\)?")


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def _is_label(text: str, known: Sequence[str]) -> bool:
    folded = {label.casefold() for label in known}
    return text.isdecimal() or {text.casefold()} <= folded or not text or {*text.casefold().split(",")} <= folded


def _label(column_type: str, default: str) -> str:
    """The label of a default of ENUM or SET, which may be a number."""
    known = values.labels(column_type)
    if known is None or default in known or not default.isdecimal():
        return default
    return (values.enum_label if column_type.startswith("enum") else values.set_labels)(default, known)


def _bare(expression: str) -> str:
    """An expression without what TiDB and its DDL write in different ways: blanks, quotes of names, character sets."""
    return _SEQUENCE.sub(r"nextval(\1)", _INTRODUCER.sub("", expression.casefold()))


def told_inline_stands_for_null(column_type: str, default: str, zone: ZoneInfo | None, *, signed: bool) -> Same | None:
    """The same by the default of an inline schema, which does not tell every default as it is written for NULL.

    Integers went through a double there. `signed` tells that a BIGINT is not unsigned, so that its default is below
    2^63.
    """
    base = values.base_type(column_type)
    try:
        if base == "bigint" and abs(int(default)) >= 2**53:
            zero = "0" if int(default) >= 2**63 and not signed else None
            return lambda text: text == zero or float(text) == float(default)
    except ValueError:
        return None
    return stands_for_null(column_type, default, zone)


def _with_shifted_year(text: str) -> str:
    """A date as the encoder writes it (protocol facts 0.1 line 7)."""
    year = int(text[:4])
    return text if year >= 100 else f"{year + (2000 if year < 70 else 1900)}{text[4:]}"


def _as_it_stands(text: str) -> tuple[str, None]:
    return text, None


def _base64(text: str) -> str:
    return b64encode(text.encode()).decode()


def _replaced(data: bytes) -> str:
    """Bytes as the encoder writes them in place of NULL: each that is no UTF-8 as U+FFFD."""
    return _NO_UTF8.sub("\ufffd", data.decode("utf-8", "surrogateescape"))


def _same_moment(wanted: str) -> Same:
    shortest = _with_fraction(wanted, 0)
    return lambda text: _with_fraction(text, 0) == shortest


def _same_bits(wanted: int) -> Same:
    def same(text: str) -> bool:
        number = int(text)
        return wanted in (number, int.from_bytes(_replaced(number.to_bytes(8, "big")).encode(), "big"))

    return same


def _converter(column_type: str, nullable: bool | None, zone: ZoneInfo | None = None) -> values.Convert | None:
    base = values.base_type(column_type)
    if base == "decimal":
        digits = parameters(column_type)
        return (
            decimal_converter(digits[0], digits[1]) if len(digits) == 2 and digits[1] <= _MAX_SCALE else plain_decimal
        )
    if base in ("datetime", "time", "timestamp"):
        fraction = min((parameters(column_type) or (0,))[0], 6)
        if base == "datetime":
            return datetime_converter(1000 if fraction <= 3 else 1_000_000, fraction, nullable)
        return time_converter(fraction) if base == "time" else timestamp_converter(fraction, zone)
    if base == "date":
        return date_converter(nullable)
    if column_type in ("bit", "bit(1)"):
        return bit
    if base == "bigint" and "unsigned" in column_type:
        return unsigned_bigint
    return _CONVERTERS.get(base)


def parameters(column_type: str) -> tuple[int, ...]:
    """The numbers of `decimal(10,2)` or `datetime(6)`; none where the type has no parameters."""
    numbers = column_type.partition("(")[2].partition(")")[0].split(",")
    return tuple(map(int, numbers)) if all(map(_IS_PARAMETER, numbers)) else ()


_IS_PARAMETER = re.compile(r"\s*\d{1,10}\s*").fullmatch


def unsigned_bigint(text: str) -> tuple[str, Lossy | None]:
    """From two's complement: values from 2^63 come negative."""
    return str(int(text) + 2**64) if text.startswith("-") else text, None


def unsigned_of_integer(number: int) -> tuple[str, Lossy | None]:
    """The same of an integer."""
    return str(number + 2**64 if number < 0 else number), None


def single(text: str) -> tuple[str, Lossy | None]:
    """A FLOAT; a text of six digits or less is the shortest one already."""
    if len(text) <= 7 and "e" not in text and "E" not in text and text[-2:] != ".0":
        return text, None
    number = _finite(text)
    if abs(number) > _MAX_TEXT_OF_FLOAT:
        raise ValueError("the number is beyond a float")
    return values.float_text(number), None


def double(text: str) -> tuple[str, Lossy | None]:
    """A DOUBLE, with or without exponent."""
    if "e" in text or "E" in text or text.endswith(".0"):
        return values.double_text(_finite(text)), None
    return text, None


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError("the number is beyond a double")
    return number


def plain_decimal(text: str) -> tuple[str, Lossy | None]:
    """A DECIMAL whose scale is not known: without exponent, otherwise as it stands."""
    if "e" in text or "E" in text:
        text = format(Decimal(repr(_finite(text))), "f")
    return text[:-2] if text.endswith(".0") else text, None


def decimal_converter(precision: int, scale: int) -> values.Convert:
    """A DECIMAL that went through a double: flagged where another decimal of that scale reads as the same double."""
    step = Decimal(1).scaleb(-scale)

    def convert(text: str) -> tuple[str, Lossy | None]:
        text = plain_decimal(text)[0]
        whole, _, fraction = text.partition(".")
        lost = None
        if precision > _MAX_DIGITS_OF_DOUBLE or len(fraction) > scale:
            number, exact = float(text), Decimal(text)
            above, below = float(_WIDE.add(exact, step)), float(_WIDE.subtract(exact, step))
            if (len(fraction) > scale or number in (above, below)) and not _was_text(text):
                lost = Lossy.DOUBLE_PRECISION
        if len(fraction) > scale:
            return format(Decimal(text).quantize(step, context=_WIDE), "f"), lost
        return f"{whole}.{fraction.ljust(scale, '0')}" if scale else whole, lost

    return convert


def _was_text(decimal: str) -> bool:
    """Whether a decimal came with all its digits: a double has 17 at most, and none at the end that is a zero."""
    digits = decimal.lstrip("-0.").replace(".", "")
    return len(digits.rstrip("0")) > _MOST_DIGITS_OF_DOUBLE or ("." in decimal and decimal.endswith("0"))


def bit(text: str) -> tuple[str, Lossy | None]:
    """A BIT(1): a boolean, or what another BIT is."""
    if text in ("true", "false"):
        return ("1" if text == "true" else "0"), None
    return bits(text)


def bits(text: str) -> tuple[str, Lossy | None]:
    """A BIT of more than one bit: base64 of little-endian bytes, of which `true` is one."""
    return str(int.from_bytes(b64decode(text, validate=True), "little")), None


def _year(text: str) -> tuple[str, Lossy | None]:
    return values.year(text), None


_CONVERTERS: dict[str, values.Convert] = {"float": single, "double": double, "bit": bits, "year": _year}


def date_converter(nullable: bool | None) -> values.Convert:
    """A DATE from days since 1970; day 0 may be a zero date unless the column is known to be nullable."""
    of_integer = _date_of_integer(nullable)

    def convert(text: str) -> tuple[str, Lossy | None]:
        if text[4:5] == "-" and text[:4].isdigit():
            return text, None
        canonical, reason = of_integer(int(text))
        return canonical, reason if text == "0" else None

    return convert


def _date_of_integer(nullable: bool | None) -> OfInteger:
    return lambda days: (_day(days), Lossy.ZERO_DATE if days == 0 and nullable is not True else None)


@lru_cache(maxsize=10_000)
def _day(since_1970: int) -> str:
    return date.fromordinal(_EPOCH_DAY + since_1970).isoformat()


def datetime_converter(units: int, fraction: int, nullable: bool | None) -> values.Convert:
    """A DATETIME from 1000 or 1,000,000 units a second since 1970, with at least that many fraction digits."""
    of_integer = DatetimeOfInteger(units, fraction, nullable)

    def convert(text: str) -> tuple[str, Lossy | None]:
        if " " in text:
            return _with_fraction(text, fraction), None
        canonical, reason = of_integer(int(text))
        return canonical, reason if text == "0" else None

    return convert


@dataclass(frozen=True, slots=True)
class DatetimeOfInteger:
    """A DATETIME from so many units a second since 1970, with at least that many fraction digits."""

    units: int
    fraction: int
    nullable: bool | None

    def __call__(self, number: int) -> tuple[str, Lossy | None]:
        """The canonical text; 0 may be a zero date unless the column is known to be nullable."""
        units, fraction = self.units, self.fraction
        seconds, part = number // units, number % units
        minutes = seconds // 60
        at = f"{_day(minutes // 1440)} {_MINUTES[minutes % 1440]}:{_SECONDS[seconds % 60]}"
        if part or fraction:
            digits = _MILLISECONDS[part] if units == 1000 else f"{part:06}".rstrip("0")
            at = f"{at}.{digits.ljust(fraction, '0')}"
        return at, Lossy.ZERO_DATE if number == 0 and self.nullable is not True else None


# small tables stay in the processor's caches, which one of all seconds of a day does not
_MINUTES = [f"{minute // 60:02}:{minute % 60:02}" for minute in range(1440)]
_SECONDS = [f"{second:02}" for second in range(60)]
_MILLISECONDS = [f"{part:03}".rstrip("0") for part in range(1000)]


def timestamp_converter(fraction: int, zone: ZoneInfo | None) -> values.Convert:
    """A TIMESTAMP from ISO 8601 in UTC; the start of 1970 is beyond its range and stands for the zero date.

    The encoder looks at the wall clock of the changefeed's zone: west of UTC it stands for the first hours of 1970 too.
    Releases before 8.5.1 do not, and give it its fraction digits. A time that this clock shows twice is one of both.
    """
    zero = _with_fraction("0000-00-00 00:00:00", fraction)
    ahead = None if zone is None else datetime(1970, 1, 1, tzinfo=zone).utcoffset()
    lost = Lossy.ZERO_DATE if ahead is not None and ahead < timedelta(0) else None

    def convert(text: str) -> tuple[str, Lossy | None]:
        if text == "1970-01-01T00:00:00Z" or text.startswith("0000-00-00"):
            return zero, lost
        if _IS_ZERO_WITH_FRACTION(text):
            return zero, None
        day, separator, time = text.replace(" ", "T").partition("T")
        if not separator or len(day) != 10:
            raise ValueError("no timestamp")
        return _with_fraction(f"{day} {time.removesuffix('Z')}", fraction), _of_clock(f"{day} {time[:8]}", zone)

    return convert


def _of_clock(utc: str, zone: ZoneInfo | None) -> Lossy | None:
    """Why a moment is flagged that the encoder took from the wall clock of a zone."""
    return Lossy.AMBIGUOUS_TIME if zone is not None and values.occurs_twice(utc, zone) else None


_IS_ZERO_WITH_FRACTION = re.compile(r"1970-01-01T00:00:00(\.0{1,6})Z").fullmatch


def time_converter(fraction: int) -> values.Convert:
    """A TIME from microseconds, with at least that many fraction digits."""

    def convert(text: str) -> tuple[str, Lossy | None]:
        if ":" in text:
            return _with_fraction(text, fraction), None
        seconds, micros = divmod(abs(int(text)), 1_000_000)
        sign = "-" if text.startswith("-") else ""
        clock = f"{sign}{seconds // 3600:02}:{_SECONDS[seconds // 60 % 60]}:{_SECONDS[seconds % 60]}"
        return _with_fraction(f"{clock}.{micros:06}" if micros else clock, fraction), None

    return convert


def _with_fraction(text: str, digits: int) -> str:
    """The text with at least so many fraction digits, and more only where they are not zero."""
    whole, _, fraction = text.partition(".")
    if len(fraction) != digits:
        fraction = fraction.rstrip("0").ljust(digits, "0")
    return f"{whole}.{fraction}" if fraction else whole


class Field(NamedTuple):
    """What the schema of a message tells of a column's type.

    `connect_type` and `name` are Kafka Connect's words (`int64`, `io.debezium.time.Timestamp`), `tidb_type` MySQL's
    (with the TiDB extension), `length` that of bits, `allowed` the labels of enum and set, comma-joined.
    """

    connect_type: str
    name: str | None = None
    tidb_type: str | None = None
    length: str | None = None
    allowed: str | None = None


class Told(NamedTuple):
    """A column's type as far as it is told, and the conversion by it.

    `of_integer` gives the same for integers of JSON; None where they are converted as texts.
    `complete` is false where the canonical text also depends on what is not told: scale, fraction digits, or the
    type itself; the text is then to be converted again by `converter` once the table's schema is known.
    """

    column_type: str
    convert: values.Convert | None
    complete: bool
    of_integer: OfInteger | None = None


def told(field: Field, nullable: bool | None, binary: BinaryMode | None, zone: ZoneInfo | None = None) -> Told:
    """The type and conversion of a field of an inline schema.

    `binary` is how the feed says that bytes are written, `zone` that of the changefeed.
    """
    name = (field.name or "").rpartition(".")[2]
    word = field.tidb_type or _MYSQL_WORDS.get(name) or _MYSQL_WORDS.get(field.connect_type, field.connect_type)
    if word in ("enum", "set") and field.allowed is not None:
        return Told(labelled_type(word, values.allowed_labels(word, field.allowed)), None, True)
    if word == "bit":
        column_type = "bit(1)" if field.length is None else f"bit({field.length})"
        return Told(column_type, _converter(column_type, nullable), True)
    if name == "MicroTimestamp":
        of_integer = DatetimeOfInteger(1_000_000, 0, nullable)
        return Told(word, datetime_converter(1_000_000, 0, nullable), False, of_integer)
    if word == "datetime":
        return Told(word, _converter(word, nullable), False, DatetimeOfInteger(1000, 0, nullable))
    if word == "date":
        return Told(word, date_converter(nullable), True, _date_of_integer(nullable))
    if word == "bigint unsigned":
        return Told(word, unsigned_bigint, True, unsigned_of_integer)
    if word == "time":
        return Told(word, _converter(word, nullable), False)
    if word == "timestamp":
        return Told(word, lambda text: _timestamp_told(text, zone), True)
    if word == "decimal":
        is_text = field.connect_type == "string"  # an option of newer releases, with all digits
        return Told(word, None if is_text else plain_decimal, is_text)
    if word.endswith(BINARY):
        return Told(word, None if field.connect_type == "bytes" else debezium_binary.converter(binary), True)
    if field.tidb_type is None and word == "text":  # or bytes
        return Told(word, None, binary not in ("base64-url-safe", "hex"))
    if field.tidb_type is None and word == "bigint":
        return Told(word, _bigint_told, True)
    return Told(word, _converter(word, nullable), field.tidb_type is not None or word != "double")


_MYSQL_WORDS = {
    "int16": "smallint",
    "int32": "int",
    "int64": "bigint",
    "float": "float",
    "double": "double",
    "boolean": "bit",
    "string": "text",
    "bytes": "blob",
    "Bits": "bit",
    "Enum": "enum",
    "EnumSet": "set",
    "Date": "date",
    "Timestamp": "datetime",
    "MicroTimestamp": "datetime",
    "ZonedTimestamp": "timestamp",
    "MicroTime": "time",
    "Year": "year",
    "Json": "json",
    "TiDBVectorFloat32": "vector",
}


def _bigint_told(text: str) -> tuple[str, Lossy | None]:
    """A number that may be unsigned: only a negative one leaves it open."""
    return text, Lossy.NO_SCHEMA if text.startswith("-") else None


def _timestamp_told(text: str, zone: ZoneInfo | None) -> tuple[str, Lossy | None]:
    """The text has its fraction digits, but for the zero date."""
    if text == "1970-01-01T00:00:00Z":
        return "0000-00-00 00:00:00", Lossy.NO_SCHEMA
    zero = _IS_ZERO_WITH_FRACTION(text)
    if zero is not None:
        return f"0000-00-00 00:00:00{zero[1]}", None
    if text[10:11] != "T":
        raise ValueError("no timestamp")
    return f"{text[:10]} {text[11:].removesuffix('Z')}", _of_clock(f"{text[:10]} {text[11:19]}", zone)
