"""Which partition holds a row, from its canonical text: what a partition DDL takes away or brings follows from that."""

from __future__ import annotations

import math
import re
from base64 import b64decode
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from functools import lru_cache
from typing import Any
from zlib import crc32

import msgspec
import pyarrow as pa
from sqlglot import TokenType

from ticdc_udfs.catalogue.changes import Partition, Partitioning
from ticdc_udfs.catalogue.dialect import Cursor, cursors
from ticdc_udfs.catalogue.tables import Column
from ticdc_udfs.contract import values
from ticdc_udfs.contract.arrow import collector_off

Image = Mapping[str, str | None]
_Value = int | Decimal | str | None
_Evaluate = Callable[[Image], _Value]
_Locate = Callable[[Image], str | None]
_Comparable = tuple[Any, ...]

_NUMBERS = frozenset({"tinyint", "smallint", "mediumint", "int", "bigint", "bit", "year", "decimal"})
_TEXTS = frozenset({"char", "varchar"})
_BINARIES = frozenset({"binary", "varbinary"})
_HASHED_AS_TEXT = (_NUMBERS - {"bit", "year"}) | {"date", "datetime"}
_WIDEST_ZONE = 14 * 3600
_MOST_DIGITS = 65
_DATE = re.compile(r"(\d{1,4})-(\d{1,2})-(\d{1,2})(?:[ T](\d{1,2}):(\d{1,2}):(\d{1,2})(?:\.(\d{1,6}))?)?", re.ASCII)
_DIGITS = re.compile(r"(\d{4})(\d\d)(\d\d)(?:(\d\d)(\d\d)(\d\d))?()", re.ASCII)
_CLOCK = re.compile(r"(-?)(\d{1,3}):(\d\d):(\d\d)(?:\.(\d{1,6}))?", re.ASCII)


class _Unknown(ValueError):
    """Nothing tells the value for certain."""


def partition_of(row: Image, partitioning: Partitioning, columns: Sequence[Column]) -> str | None:
    """The name of the partition that holds a row with these columns; None where that cannot be told for certain.

    NULL is in the lowest RANGE partition and counts as 0 in HASH. A bound that is the UNIX_TIMESTAMP of a text depends
    on the time zone of the DDL's session: rows that are within 14 hours of one have no certain partition.
    """
    return _located(row, _locator(partitioning, columns))


def _located(row: Image, locate: _Locate | None) -> str | None:
    try:
        return None if locate is None else locate(row)
    except (ValueError, ArithmeticError, LookupError, RecursionError):
        return None


def _locator(partitioning: Partitioning, columns: Sequence[Column]) -> _Locate | None:
    """How rows find their partition; None where the definition cannot be read."""
    try:
        return _LOCATORS[partitioning.method](partitioning, {column.name.lower(): column for column in columns})
    except (ValueError, ArithmeticError, LookupError, RecursionError):
        return None


# Methods

_Columns = Mapping[str, Column]


def _hash(partitioning: Partitioning, columns: _Columns) -> _Locate:
    expression = _Expression(partitioning.by[0], columns).evaluate
    names = [partition.name for partition in partitioning.partitions]

    def locate(row: Image) -> str:
        number = _whole(expression(row)) or 0
        if number >= 2**63:
            number -= 2**64
        return names[abs(number) % len(names)]

    return locate


def _key(partitioning: Partitioning, columns: _Columns) -> _Locate:
    """By CRC-32 of the texts of all columns, as TiDB has it (`ToHashKey`); NULL is a zero byte."""
    keys = sorted((column for column in columns.values() if column.key), key=lambda column: column.key or 0)
    by = [columns[name.lower()] for name in partitioning.by] or keys
    names = [partition.name for partition in partitioning.partitions]
    if not by:
        raise _Unknown

    def locate(row: Image) -> str:
        return names[crc32(b"".join(_hash_key(row[column.name], column) for column in by)) % len(names)]

    return locate


def _hash_key(text: str | None, column: Column) -> bytes:
    if text is None:
        return b"\0"
    base = values.base_type(column.type)
    if base in _HASHED_AS_TEXT:
        return text.encode()
    if base in _BINARIES:
        return b64decode(text, validate=True)
    if base in _TEXTS and (column.collation or "").endswith("_bin"):
        return _unpadded(text, column.collation or "")
    raise _Unknown


def _range(partitioning: Partitioning, columns: _Columns) -> _Locate:
    expression = _Expression(partitioning.by[0], columns)
    names, bounds, slack = [], [], 0
    for partition in partitioning.partitions:
        bound: float = math.inf
        if partition.less_than != ("MAXVALUE",):
            constant = _Expression((partition.less_than or ())[0], {})
            found = _whole(constant.evaluate({}))
            if found is None:
                raise _Unknown
            bound = found
            slack = _WIDEST_ZONE if constant.of_session else slack
        names.append(partition.name)
        bounds.append(bound)

    def locate(row: Image) -> str | None:
        value = _whole(expression.evaluate(row))
        if value is None:
            return names[0]
        if slack and any(abs(value - bound) <= slack for bound in bounds):
            return None
        return next((name for name, bound in zip(names, bounds, strict=True) if value < bound), None)

    return locate


def _range_columns(partitioning: Partitioning, columns: _Columns) -> _Locate:
    by = [columns[name.lower()] for name in partitioning.by]
    names = [partition.name for partition in partitioning.partitions]
    bounds = []
    for partition in partitioning.partitions:
        texts = partition.less_than or ()
        texts = texts * len(by) if texts == ("MAXVALUE",) else texts
        bounds.append([_bound(text, column) for text, column in zip(texts, by, strict=True)])

    def locate(row: Image) -> str | None:
        value = [_comparable(row[column.name], column) for column in by]
        return next((name for name, bound in zip(names, bounds, strict=True) if value < bound), None)

    return locate


def _list(partitioning: Partitioning, columns: _Columns) -> _Locate:
    expression = _Expression(partitioning.by[0], columns)
    places: dict[int | None, str] = {}
    default = None
    for partition in partitioning.partitions:
        for text in partition.values or ():
            if text == "DEFAULT":
                default = partition.name
                continue
            constant = _Expression(text, {})
            if constant.of_session:
                raise _Unknown
            places[_whole(constant.evaluate({}))] = partition.name

    return lambda row: places.get(_whole(expression.evaluate(row)), default)


def _list_columns(partitioning: Partitioning, columns: _Columns) -> _Locate:
    by = [columns[name.lower()] for name in partitioning.by]
    places: dict[_Comparable, str] = {}
    default = None
    for partition in partitioning.partitions:
        for text in partition.values or ():
            if text == "DEFAULT":
                default = partition.name
                continue
            texts = _cursor(text).items() if text.startswith("(") else (text,)
            places[tuple(_bound(one, column) for one, column in zip(texts, by, strict=True))] = partition.name

    return lambda row: places.get(tuple(_comparable(row[column.name], column) for column in by), default)


_LOCATORS: Mapping[str, Callable[[Partitioning, _Columns], _Locate]] = {
    "hash": _hash,
    "key": _key,
    "range": _range,
    "range_columns": _range_columns,
    "list": _list,
    "list_columns": _list_columns,
}


# Values of columns

_LOWEST, _HIGHEST = (-1,), (1,)


def _bound(text: str, column: Column) -> _Comparable:
    """A bound of one column in the order of its type."""
    if text == "MAXVALUE":
        return _HIGHEST
    if text == "NULL":
        return _LOWEST
    cursor = _cursor(text)
    sign = "-" if cursor.take("-") else ""
    kind, value = cursor.literal() or (None, "")
    if kind is None or cursor:
        raise _Unknown
    if values.base_type(column.type) in _BINARIES:
        return 0, bytes.fromhex(value) if kind is TokenType.HEX_STRING else value.encode()
    if kind is TokenType.HEX_STRING:
        raise _Unknown
    return _comparable(sign + value, column)


def _comparable(text: str | None, column: Column) -> _Comparable:
    """A value in the order of its column's type, above NULL."""
    base = values.base_type(column.type)
    if text is None:
        return _LOWEST
    if base in _NUMBERS:
        return 0, Decimal(text)
    if base in ("date", "datetime"):
        return 0, _parts(text)
    if base == "varbinary":
        return 0, b64decode(text, validate=True)
    collation = column.collation or ""
    if base not in _TEXTS or not collation:
        raise _Unknown
    if collation.endswith("_bin"):
        return 0, _unpadded(text, collation)
    # the order of letters and digits is all that every other collation shares
    if not text.isascii() or (text and not text.isalnum()):
        raise _Unknown
    return 0, text.lower().encode()


def _unpadded(text: str, collation: str) -> bytes:
    if collation.startswith("gb") and not text.isascii():
        raise _Unknown  # compared by the bytes of its own character set (`gbkBinCollator`)
    return (text if "0900" in collation else text.rstrip(" ")).encode()


def _whole(value: _Value) -> int | None:
    if value is None or isinstance(value, int):
        return value
    if isinstance(value, str) or value != int(value):
        raise _Unknown
    return int(value)


# Expressions


def _cursor(text: str) -> Cursor:
    for cursor in cursors(text):
        return cursor
    raise _Unknown


class _Expression:
    """An expression over the columns of a row; `of_session` tells that its value depends on a session's time zone."""

    def __init__(self, text: str, columns: _Columns) -> None:
        self._columns = columns
        self.of_session = False
        cursor = _cursor(text)
        self.evaluate = self._sum(cursor)
        if cursor:
            raise _Unknown

    def _sum(self, c: Cursor) -> _Evaluate:
        left = self._product(c)
        while sign := c.take_any(("+", "-")):
            left = _applied(_add if sign == "+" else _subtract, left, self._product(c))
        return left

    def _product(self, c: Cursor) -> _Evaluate:
        left = self._signed(c)
        while sign := c.take_any(("*", "DIV", "%", "MOD")):
            left = _applied(_PRODUCTS[sign], left, self._signed(c))
        return left

    def _signed(self, c: Cursor) -> _Evaluate:
        if c.take("-"):
            return _applied(lambda value: -_number(value), self._signed(c))
        if c.take("("):
            inner = self._sum(c)
            c.need(")")
            return inner
        if c.take("NULL"):
            return lambda row: None
        literal = c.literal()
        if literal is not None:
            constant = _constant(*literal)
            return lambda row: constant
        name = c.name()
        return self._call(c, name.upper()) if c.take("(") else self._column(c, name)

    def _column(self, c: Cursor, name: str) -> _Evaluate:
        while c.take("."):
            name = c.name()
        column = self._columns[name.lower()]
        if values.base_type(column.type) in _NUMBERS:
            return lambda row: None if (text := row[column.name]) is None else _constant(TokenType.NUMBER, text)
        return lambda row: row[column.name]

    def _call(self, c: Cursor, function: str) -> _Evaluate:
        if function == "EXTRACT":
            function = c.name().upper()
            c.need("FROM")
            if function not in ("YEAR", "QUARTER", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND"):
                raise _Unknown
        start = c.mark()
        arguments = [self._sum(c)]
        while c.take(","):
            arguments.append(self._sum(c))
        if function == "UNIX_TIMESTAMP":
            column = self._columns.get(c.since(start).strip("`").lower())
            self.of_session |= column is None or values.base_type(column.type) != "timestamp"
        c.need(")")
        return _applied(_FUNCTIONS[function], *arguments)


def _applied(function: Callable[..., _Value], *arguments: _Evaluate) -> _Evaluate:
    def evaluate(row: Image) -> _Value:
        found = [argument(row) for argument in arguments]
        return None if None in found else function(*found)

    return evaluate


def _constant(kind: TokenType, text: str) -> _Value:
    if kind is not TokenType.NUMBER:
        return text if kind is TokenType.STRING else int(text, 16 if kind is TokenType.HEX_STRING else 2)
    number = Decimal(text)
    if number.adjusted() > _MOST_DIGITS:
        raise _Unknown
    return int(number) if number == number.to_integral_value() else number


def _number(value: _Value) -> int | Decimal:
    if value is None or isinstance(value, str):
        raise _Unknown
    return value


def _add(left: _Value, right: _Value) -> _Value:
    return _number(left) + _number(right)


def _subtract(left: _Value, right: _Value) -> _Value:
    return _number(left) - _number(right)


def _multiply(left: _Value, right: _Value) -> _Value:
    return _number(left) * _number(right)


def _absolute(value: _Value) -> _Value:
    number = _number(value)
    return -number if number < 0 else number


def _divide(left: _Value, right: _Value) -> _Value:
    """Whole, towards zero; NULL where divided by zero."""
    dividend, divisor = Decimal(_number(left)), Decimal(_number(right))
    return int(dividend // divisor) if divisor else None


def _remainder(left: _Value, right: _Value) -> _Value:
    """With the sign of the dividend; NULL where divided by zero."""
    dividend, divisor = Decimal(_number(left)), Decimal(_number(right))
    return dividend % divisor if divisor else None


_PRODUCTS: Mapping[str, Callable[[_Value, _Value], _Value]] = {
    "*": _multiply,
    "DIV": _divide,
    "%": _remainder,
    "MOD": _remainder,
}


def _parts(value: _Value) -> tuple[int, ...]:
    """Year, month, day, hour, minute, second, microsecond; any may be zero."""
    text = str(value)
    match = _DATE.fullmatch(text) or _DIGITS.fullmatch(text)
    if match is None or len(match[1]) != 4:
        raise _Unknown
    *parts, fraction = (part or "" for part in match.groups())
    return (*(int(part or 0) for part in parts), int(fraction.ljust(6, "0") or 0))


def _part(place: int) -> Callable[[_Value], _Value]:
    return lambda value: _parts(value)[place]


def _clock(value: _Value) -> tuple[int, int, int, int, int]:
    """Sign, hours, minutes, seconds, microseconds of a TIME, or of a DATETIME's time."""
    text = str(value)
    match = _CLOCK.fullmatch(text[11:] if text[4:5] == "-" else text)
    if match is None:
        raise _Unknown
    sign, hour, minute, second, fraction = match.groups()
    return -1 if sign else 1, int(hour), int(minute), int(second), int((fraction or "").ljust(6, "0"))


def _clock_part(place: int) -> Callable[[_Value], _Value]:
    return lambda value: _clock(value)[place]


def _days(value: _Value) -> int | None:
    """Days since year 0; NULL for a date with a zero month or day."""
    year, month, day = _parts(value)[:3]
    if not (month and day):
        return None
    return date(year, month, day).toordinal() + 365


def _of_days(count: Callable[[int], int]) -> Callable[[_Value], _Value]:
    return lambda value: None if (days := _days(value)) is None else count(days)


def _to_seconds(value: _Value) -> _Value:
    days = _days(value)
    hour, minute, second = _parts(value)[3:6]
    return None if days is None else days * 86_400 + hour * 3600 + minute * 60 + second


def _day_of_year(value: _Value) -> _Value:
    return None if _days(value) is None else date(*_parts(value)[:3]).timetuple().tm_yday


def _unix_timestamp(value: _Value) -> _Value:
    parts = _parts(value)
    if not any(parts):
        return 0
    seconds = (datetime(*parts[:6]) - datetime(1970, 1, 1)).total_seconds()  # type: ignore[arg-type]
    return int(seconds) + (Decimal(parts[6]) / 1_000_000 if parts[6] else 0)


def _date_difference(left: _Value, right: _Value) -> _Value:
    first, second = _days(left), _days(right)
    return None if first is None or second is None else first - second


def _seconds_of_time(value: _Value) -> _Value:
    sign, hour, minute, second, _ = _clock(value)
    return sign * (hour * 3600 + minute * 60 + second)


_FUNCTIONS: Mapping[str, Callable[..., _Value]] = {
    "ABS": _absolute,
    "CEIL": lambda value: math.ceil(_number(value)),
    "CEILING": lambda value: math.ceil(_number(value)),
    "FLOOR": lambda value: math.floor(_number(value)),
    "MOD": _remainder,
    "YEAR": _part(0),
    "QUARTER": lambda value: (_parts(value)[1] + 2) // 3,
    "MONTH": _part(1),
    "DAY": _part(2),
    "DAYOFMONTH": _part(2),
    "DAYOFYEAR": _day_of_year,
    "DAYOFWEEK": _of_days(lambda days: (days - 1) % 7 + 1),
    "WEEKDAY": _of_days(lambda days: (days - 2) % 7),
    "TO_DAYS": _of_days(int),
    "TO_SECONDS": _to_seconds,
    "DATEDIFF": _date_difference,
    "HOUR": _clock_part(1),
    "MINUTE": _clock_part(2),
    "SECOND": _clock_part(3),
    "MICROSECOND": _clock_part(4),
    "TIME_TO_SEC": _seconds_of_time,
    "UNIX_TIMESTAMP": _unix_timestamp,
}


# Batches

_BOUNDS = ("less_than", "values")
_read_row = msgspec.json.Decoder(dict[str, str | None]).decode
_read_partitioning = msgspec.json.Decoder(dict[str, Any]).decode
_read_columns = msgspec.json.Decoder(list[dict[str, Any]]).decode


PLACED_SQL_TYPE = "struct<partition_name: string, is_in: boolean, doubt: string>"
"""What `partition_batch` returns."""
_PLACED_TYPE = pa.struct([("partition_name", pa.string()), ("is_in", pa.bool_()), ("doubt", pa.string())])


@collector_off()
def partition_batch(
    row_texts: pa.Array[Any],
    partitioning_texts: pa.Array[Any],
    columns_texts: pa.Array[Any],
    name_lists: pa.Array[Any],
) -> pa.Array[Any]:
    """The partition that most likely holds each row, whether it is one of these names, and why that is in doubt.

    A partitioning is JSON text with the members of `Partitioning`, columns are a JSON list of objects with those of
    `Column`, names are in lower case. Without names `is_in` is null.
    """
    arrays = (row_texts, partitioning_texts, columns_texts, name_lists)
    rows = zip(*(array.to_pylist() for array in arrays), strict=True)
    return pa.array([_placed(*row) for row in rows], _PLACED_TYPE)


def _placed(row: str | None, partitioning: str | None, columns: str | None, names: list[str] | None) -> dict[str, Any]:
    name = _partition(row, partitioning, columns)
    return {
        "partition_name": name,
        "is_in": (name is not None and name.lower() in names) if names else None,
        "doubt": "definition" if name is None else None,
    }


def _partition(row: str | None, partitioning: str | None, columns: str | None) -> str | None:
    locate = None if row is None or not partitioning else _locator_of(partitioning, columns or "[]")
    if row is None or locate is None:
        return None
    try:
        return _located(_read_row(row), locate)
    except (msgspec.DecodeError, UnicodeError):
        return None


@lru_cache(maxsize=1_000)
def _locator_of(partitioning: str, columns: str) -> _Locate | None:
    wire = _read_partitioning(partitioning)
    partitions = (
        Partition(one["name"], *(None if one.get(member) is None else tuple(one[member]) for member in _BOUNDS))
        for one in wire["partitions"]
    )
    return _locator(
        Partitioning(wire["method"], tuple(wire["by"]), tuple(partitions)),
        [Column(**column) for column in _read_columns(columns)],
    )
