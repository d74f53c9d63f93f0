"""Expressions that TiDB allows in partitioning, over the canonical texts of a row, as TiDB evaluates them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import date
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from functools import partial
from typing import NamedTuple

from sqlglot import TokenType

from ticdc_udfs.catalogue.dialect import Cursor, cursors
from ticdc_udfs.catalogue.partitions.doubts import Doubt, Unsure
from ticdc_udfs.catalogue.partitions.zones import UTC_CLOCK, Clock
from ticdc_udfs.catalogue.tables import Column
from ticdc_udfs.contract import values

Image = Mapping[str, str | None]
Columns = Mapping[str, Column]
Value = int | Decimal | str | None
Evaluate = Callable[[Image], Value]

NUMBERS = frozenset({"tinyint", "smallint", "mediumint", "int", "bigint", "bit", "year", "decimal"})
_MOST_DIGITS = 65
_EXACT = Context(prec=3 * _MOST_DIGITS)
_SEPARATOR = r"[-/.:_^*+@]"
_DATE = re.compile(
    rf"(\d{{4}}|\d\d){_SEPARATOR}(\d{{1,2}}){_SEPARATOR}(\d{{1,2}})"
    r"(?:[ T](\d{1,2}):(\d{1,2})(?::(\d{1,2}))?(?:\.(\d{1,6}))?)?",
    re.ASCII,
)
_DIGITS = re.compile(r"(\d{4}|\d\d)(\d\d)(\d\d)(?:(\d\d)(\d\d)(\d\d))?()", re.ASCII)
_CLOCK = re.compile(r"(-?)(\d{1,3}):(\d\d)(?::(\d\d))?(?:\.(\d{1,6}))?", re.ASCII)
_LAST_DAY_NUMBER = date.max.toordinal() + 365


def number_of(value: Value) -> int | Decimal:
    """A number; of what is none, nothing is certain."""
    if value is None or isinstance(value, str):
        raise Unsure(Doubt.EXPRESSION)
    return value


def whole(value: Value) -> int | None:
    """The whole number that a partition expression has to be."""
    if value is None or isinstance(value, int):
        return value
    if isinstance(value, str) or value != int(value):
        raise Unsure(Doubt.EXPRESSION)
    return int(value)


def one_cursor(text: str) -> Cursor:
    """A cursor at the start of an expression's text."""
    for cursor in cursors(text):
        return cursor
    raise Unsure(Doubt.EXPRESSION)


class Expression:
    """An expression over the columns of a row.

    `of_session` tells that its value depends on a session's time zone, `is_even` that it then grows, or falls, all the
    way as the zone is further from UTC.
    """

    def __init__(self, text: str, columns: Columns, clock: Clock = UTC_CLOCK) -> None:
        self._columns, self._clock = columns, clock
        self.of_session, self.is_even = False, True
        cursor = one_cursor(text)
        try:
            self.evaluate = self._sum(cursor)
        except (ValueError, ArithmeticError, LookupError) as error:
            raise Unsure(Doubt.EXPRESSION) from error
        if cursor:
            raise Unsure(Doubt.EXPRESSION)

    def _sum(self, c: Cursor) -> Evaluate:
        left = self._product(c)
        while sign := c.take_any(("+", "-")):
            left = _applied(_add if sign == "+" else _subtract, left, self._product(c))
        return left

    def _product(self, c: Cursor) -> Evaluate:
        left = self._signed(c)
        while sign := c.take_any(_PRODUCTS):
            self.is_even &= sign in ("*", "DIV")
            left = _applied(_PRODUCTS[sign], left, self._signed(c))
        return left

    def _signed(self, c: Cursor) -> Evaluate:
        if c.take("+"):
            return self._signed(c)
        if c.take("-"):
            return _applied(lambda value: -number_of(value), self._signed(c))
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
        if c.take("("):
            return self._call(c, name.upper())
        if name.upper() in ("DATE", "TIMESTAMP", "TIME") and (literal := c.literal()) is not None:
            moment = _constant(*literal)
            return lambda row: moment
        return self._column(c, name)

    def _column(self, c: Cursor, name: str) -> Evaluate:
        while c.take("."):
            name = c.name()
        column = self._columns[name.lower()]
        if values.base_type(column.type) in NUMBERS:
            return lambda row: None if (text := row[column.name]) is None else _constant(TokenType.NUMBER, text)
        return lambda row: row[column.name]

    def _call(self, c: Cursor, function: str) -> Evaluate:
        apply: Callable[..., Value]
        if function == "EXTRACT":
            apply = _UNITS[c.name().upper()]
            c.need("FROM")
        elif function != "UNIX_TIMESTAMP":
            apply = _FUNCTIONS[function]
        start = c.mark()
        arguments = [self._sum(c)]
        while c.take(","):
            arguments.append(self._sum(c))
        if function == "UNIX_TIMESTAMP":
            column = self._columns.get(c.since(start).strip("`").lower())
            is_column = column is not None and values.base_type(column.type) == "timestamp"
            self.of_session |= not is_column
            apply = partial(_unix_timestamp, clock=UTC_CLOCK if is_column else self._clock)
        else:
            self.is_even &= function in ("FLOOR", "CEIL", "CEILING")
        c.need(")")
        return _applied(apply, *arguments)


def _applied(function: Callable[..., Value], *arguments: Evaluate) -> Evaluate:
    def evaluate(row: Image) -> Value:
        found = [argument(row) for argument in arguments]
        return None if None in found else function(*found)

    return evaluate


def _constant(kind: TokenType, text: str) -> Value:
    if kind is not TokenType.NUMBER:
        return text if kind is TokenType.STRING else int(text, 16 if kind is TokenType.HEX_STRING else 2)
    number = Decimal(text)
    if number.adjusted() > _MOST_DIGITS:
        raise Unsure(Doubt.VALUE)
    return int(number) if number == number.to_integral_value() else number


# Numbers


def _narrowed(number: Decimal) -> int | Decimal:
    return int(number) if number == number.to_integral_value() else number


def _add(left: Value, right: Value) -> Value:
    return _narrowed(_EXACT.add(Decimal(number_of(left)), Decimal(number_of(right))))


def _subtract(left: Value, right: Value) -> Value:
    return _narrowed(_EXACT.subtract(Decimal(number_of(left)), Decimal(number_of(right))))


def _multiply(left: Value, right: Value) -> Value:
    return _narrowed(_EXACT.multiply(Decimal(number_of(left)), Decimal(number_of(right))))


def _divide(left: Value, right: Value) -> Value:
    """Whole, towards zero; NULL where divided by zero."""
    dividend, divisor = Decimal(number_of(left)), Decimal(number_of(right))
    return int(_EXACT.divide_int(dividend, divisor)) if divisor else None


def _remainder(left: Value, right: Value) -> Value:
    """With the sign of the dividend; NULL where divided by zero."""
    dividend, divisor = Decimal(number_of(left)), Decimal(number_of(right))
    return _narrowed(_EXACT.remainder(dividend, divisor)) if divisor else None


def _absolute(value: Value) -> Value:
    number = number_of(value)
    return -number if number < 0 else number


def _rounded(value: Value, rounding: str) -> Value:
    return int(Decimal(number_of(value)).to_integral_value(rounding, _EXACT))


_PRODUCTS: Mapping[str, Callable[[Value, Value], Value]] = {
    "*": _multiply,
    "DIV": _divide,
    "%": _remainder,
    "MOD": _remainder,
}


# Dates and times


class _Moment(NamedTuple):
    """Any member may be zero."""

    year: int
    month: int
    day: int
    hour: int
    minute: int
    second: int
    microsecond: int


def moment_of(value: Value) -> _Moment:
    """A date with or without a time, written as TiDB reads it."""
    text = str(value)
    match = _DATE.fullmatch(text) or _DIGITS.fullmatch(text)
    if match is None:
        raise Unsure(Doubt.VALUE)
    year, *parts, fraction = (part or "" for part in match.groups())
    of_century = (1900 if int(year) >= 70 else 2000) if len(year) == 2 else 0
    month, day, hour, minute, second = (int(part or 0) for part in parts)
    return _Moment(of_century + int(year), month, day, hour, minute, second, int(fraction.ljust(6, "0") or 0))


def _is_real(moment: _Moment) -> bool:
    return moment.month > 0 and moment.day > 0


def _day_number(year: int, month: int, day: int) -> int:
    """Days since year 0, also of days that a month has not."""
    days = 365 * year + 31 * (month - 1) + day
    if month <= 2:
        year -= 1
    else:
        days -= (month * 4 + 23) // 10
    return days + int(year / 4) - (int(year / 100) + 1) * 3 // 4


def _days(value: Value) -> int | None:
    """NULL for a date with a zero month or day."""
    moment = moment_of(value)
    return _day_number(*moment[:3]) if _is_real(moment) else None


def _of_days(count: Callable[[int], int]) -> Callable[[Value], Value]:
    """Of a day that its month has, as TiDB takes others for a Sunday."""

    def apply(value: Value) -> Value:
        days = _days(value)
        if days is None:
            return None
        moment = moment_of(value)
        if moment.year:
            date(*moment[:3])
        return count(days)

    return apply


def _to_seconds(value: Value) -> Value:
    days, moment = _days(value), moment_of(value)
    return None if days is None else days * 86_400 + moment.hour * 3600 + moment.minute * 60 + moment.second


def _day_of_year(value: Value) -> Value:
    days = _days(value)
    return None if days is None else days - _day_number(moment_of(value).year, 1, 1) + 1


def _days_in_year(year: int) -> int:
    return 366 if year % 4 == 0 and (year % 100 or (year % 400 == 0 and year)) else 365


def _week(moment: _Moment, mode: int, of_year: bool) -> tuple[int, int]:
    """Year and week; the modes are those of MySQL's WEEK, `of_year` that a week is of the year that has most of it."""
    monday_first, by_first_weekday = bool(mode & 1), bool(mode & 4)
    of_year |= bool(mode & 2)
    if not monday_first:
        by_first_weekday = not by_first_weekday
    year, days, first = moment.year, _day_number(*moment[:3]), _day_number(moment.year, 1, 1)
    weekday = (first + 5 + (not monday_first)) % 7

    def is_short(weekday: int) -> bool:
        return weekday != 0 if by_first_weekday else weekday >= 4

    if moment.month == 1 and moment.day <= 7 - weekday:
        if not of_year and is_short(weekday):
            return year, 0
        of_year = True
        year -= 1
        of_last = _days_in_year(year)
        first -= of_last
        weekday = (weekday + 53 * 7 - of_last) % 7
    passed = days - (first + 7 - weekday if is_short(weekday) else first - weekday)
    if of_year and passed >= 52 * 7:
        weekday = (weekday + _days_in_year(year)) % 7
        if not is_short(weekday):
            return year + 1, 1
    return year, passed // 7 + 1


def _year_week(value: Value, mode: Value = 0) -> Value:
    moment = moment_of(value)
    if not _is_real(moment):
        return None
    year, week = _week(moment, int(number_of(mode)) & 7, of_year=True)
    return year * 100 + week if year >= 0 else 2**32 - 1


def _from_days(value: Value) -> Value:
    number = int(number_of(value))
    if number <= 365:
        return "0000-00-00"
    return date.fromordinal(number - 365).isoformat() if number <= _LAST_DAY_NUMBER else None


def _unix_timestamp(value: Value, clock: Clock) -> Value:
    """0 for what is no moment, or out of range."""
    moment = moment_of(value)
    if not (_is_real(moment) and moment.year):
        return 0
    local = (date(*moment[:3]).toordinal() - date(1970, 1, 1).toordinal()) * 86_400
    seconds = clock(local + moment.hour * 3600 + moment.minute * 60 + moment.second)
    if not 1 <= seconds < 32_536_771_200:
        return 0
    return _narrowed(seconds + Decimal(moment.microsecond).scaleb(-6))


def _date_difference(left: Value, right: Value) -> Value:
    first, second = _days(left), _days(right)
    return None if first is None or second is None else first - second


class _Time(NamedTuple):
    sign: int
    hour: int
    minute: int
    second: int
    microsecond: int


def time_of(value: Value) -> _Time:
    """A TIME, or the time of a DATETIME."""
    text = str(value)
    match = _CLOCK.fullmatch(text)
    if match is None:
        moment = moment_of(value)
        return _Time(1, *moment[3:])
    sign, hour, minute, second, fraction = match.groups()
    return _Time(-1 if sign else 1, int(hour), int(minute), int(second or 0), int((fraction or "").ljust(6, "0")))


def _seconds_of_time(value: Value) -> Value:
    time = time_of(value)
    return time.sign * (time.hour * 3600 + time.minute * 60 + time.second)


def _of_date(count: Callable[[_Moment], int]) -> Callable[[Value], Value]:
    return lambda value: count(moment_of(value))


def _of_time(count: Callable[[_Time], int]) -> Callable[[Value], Value]:
    return lambda value: count(time_of(value))


def _of_signed_time(count: Callable[[_Time], int]) -> Callable[[Value], Value]:
    """Of a time below zero newer releases give a number below zero, older ones one above."""

    def apply(value: Value) -> Value:
        time = time_of(value)
        number = count(time)
        if number and time.sign < 0:
            raise Unsure(Doubt.VALUE)
        return number

    return apply


def _clock_digits(time: _Time | _Moment, *, second: bool = True) -> int:
    digits = time.hour * 100 + time.minute
    return digits * 100 + time.second if second else digits


_UNITS: Mapping[str, Callable[[Value], Value]] = {
    "YEAR": _of_date(lambda at: at.year),
    "QUARTER": _of_date(lambda at: (at.month + 2) // 3),
    "MONTH": _of_date(lambda at: at.month),
    "YEAR_MONTH": _of_date(lambda at: at.year * 100 + at.month),
    "WEEK": _of_date(lambda at: _week(at, 0, of_year=False)[1] if _is_real(at) else 0),
    "DAY": _of_date(lambda at: at.day),
    "DAY_HOUR": _of_date(lambda at: at.day * 100 + at.hour),
    "DAY_MINUTE": _of_date(lambda at: at.day * 10_000 + _clock_digits(at, second=False)),
    "DAY_SECOND": _of_date(lambda at: at.day * 1_000_000 + _clock_digits(at)),
    "DAY_MICROSECOND": _of_date(lambda at: (at.day * 1_000_000 + _clock_digits(at)) * 1_000_000 + at.microsecond),
    "HOUR": _of_signed_time(lambda at: at.hour),
    "HOUR_MINUTE": _of_signed_time(lambda at: _clock_digits(at, second=False)),
    "HOUR_SECOND": _of_signed_time(_clock_digits),
    "HOUR_MICROSECOND": _of_signed_time(lambda at: _clock_digits(at) * 1_000_000 + at.microsecond),
    "MINUTE": _of_signed_time(lambda at: at.minute),
    "MINUTE_SECOND": _of_signed_time(lambda at: at.minute * 100 + at.second),
    "MINUTE_MICROSECOND": _of_signed_time(lambda at: (at.minute * 100 + at.second) * 1_000_000 + at.microsecond),
    "SECOND": _of_signed_time(lambda at: at.second),
    "SECOND_MICROSECOND": _of_signed_time(lambda at: at.second * 1_000_000 + at.microsecond),
    "MICROSECOND": _of_signed_time(lambda at: at.microsecond),
}

_FUNCTIONS: Mapping[str, Callable[..., Value]] = {
    "ABS": _absolute,
    "CEIL": partial(_rounded, rounding=ROUND_CEILING),
    "CEILING": partial(_rounded, rounding=ROUND_CEILING),
    "FLOOR": partial(_rounded, rounding=ROUND_FLOOR),
    "MOD": _remainder,
    "YEAR": _UNITS["YEAR"],
    "QUARTER": _UNITS["QUARTER"],
    "MONTH": _UNITS["MONTH"],
    "DAY": _UNITS["DAY"],
    "DAYOFMONTH": _UNITS["DAY"],
    "DAYOFYEAR": _day_of_year,
    "DAYOFWEEK": _of_days(lambda days: (days - 1) % 7 + 1),
    "WEEKDAY": _of_days(lambda days: (days - 2) % 7),
    "YEARWEEK": _year_week,
    "TO_DAYS": _days,
    "TO_SECONDS": _to_seconds,
    "FROM_DAYS": _from_days,
    "DATEDIFF": _date_difference,
    "HOUR": _of_time(lambda at: at.hour),
    "MINUTE": _of_time(lambda at: at.minute),
    "SECOND": _of_time(lambda at: at.second),
    "MICROSECOND": _of_time(lambda at: at.microsecond),
    "TIME_TO_SEC": _seconds_of_time,
}
