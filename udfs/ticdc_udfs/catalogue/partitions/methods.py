"""The methods of partitioning: which partitions may hold a row, and which of them most likely does."""

from __future__ import annotations

import math
from base64 import b64decode
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any, NamedTuple
from zlib import crc32

from sqlglot import TokenType

from ticdc_udfs.catalogue.changes import Partition, Partitioning
from ticdc_udfs.catalogue.partitions.collations import Order, order, sort_key
from ticdc_udfs.catalogue.partitions.doubts import UNREADABLE, Doubt, Unsure, doubt_of
from ticdc_udfs.catalogue.partitions.expressions import (
    NUMBERS,
    Columns,
    Expression,
    Image,
    moment_of,
    one_cursor,
    time_of,
    whole,
)
from ticdc_udfs.catalogue.partitions.zones import WIDEST, clock_of, local_text, shifted
from ticdc_udfs.catalogue.tables import Column
from ticdc_udfs.contract import values


class Zone(NamedTuple):
    """The time zone of the sessions that define partitions, and whether the user told it."""

    name: str = "UTC"
    is_told: bool = False


class Placement(NamedTuple):
    """Where a row lies.

    `likeliest` is None where nothing tells it. `possible` are the partitions that may hold the row: one, or several
    with the doubt that keeps it from being certain; None stands for any.
    """

    likeliest: str | None
    possible: frozenset[str] | None
    doubt: Doubt | None = None


Locate = Callable[[Image], Placement]

_TEXTS = frozenset({"char", "varchar"})
_BINARIES = frozenset({"binary", "varbinary"})
_HASHED_AS_THEY_ARE = frozenset(NUMBERS - {"bit", "year"}) | {"date", "datetime", "time", "float", "double"}
_NAMED = frozenset({"enum", "set"})


def _certain(name: str) -> Placement:
    return Placement(name, frozenset((name,)))


def _nowhere() -> Placement:
    """TiDB takes no such row, so that something else is known of it, or of the table, than is true."""
    return Placement(None, None, Doubt.VALUE)


# HASH and KEY


def hash_locator(partitioning: Partitioning, columns: Columns, zone: Zone) -> Locate:
    """By the remainder; NULL counts as 0, LINEAR is ignored."""
    expression = Expression(partitioning.by[0], columns, clock_of(zone.name))
    names = [partition.name for partition in partitioning.partitions]

    def locate(row: Image) -> Placement:
        number = whole(expression.evaluate(row)) or 0
        if number >= 2**63:
            number -= 2**64
        return _certain(names[abs(number) % len(names)])

    return _in_zone(locate, expression, zone)


def _in_zone(locate: Locate, expression: Expression, zone: Zone) -> Locate:
    """The same with a doubt where another zone gives the row another value."""
    if zone.is_told or not expression.of_session:
        return locate
    return lambda row: Placement(locate(row).likeliest, None, Doubt.SESSION_ZONE)


def key_locator(partitioning: Partitioning, columns: Columns, zone: Zone) -> Locate:
    """By CRC-32 of the texts of all columns, as TiDB has it; NULL is a zero byte.

    TIMESTAMP is hashed as the session of each write shows it.
    """
    keys = sorted((column for column in columns.values() if column.key), key=lambda column: column.key or 0)
    by = [columns[name.lower()] for name in partitioning.by] or keys
    names = [partition.name for partition in partitioning.partitions]
    if not by:
        raise Unsure(Doubt.DEFINITION)
    zoned = [column for column in by if values.base_type(column.type) == "timestamp"]

    def locate(row: Image) -> Placement:
        hashed = b"".join(_hash_key(row[column.name], column, zone) for column in by)
        found = _certain(names[crc32(hashed) % len(names)])
        in_doubt = any(row[column.name] is not None for column in zoned)
        return Placement(found.likeliest, None, Doubt.SESSION_ZONE) if in_doubt else found

    return locate


def _hash_key(text: str | None, column: Column, zone: Zone) -> bytes:
    if text is None:
        return b"\0"
    base = values.base_type(column.type)
    if base in _HASHED_AS_THEY_ARE:
        return text.encode()
    if base == "year":
        return str(int(text)).encode()
    if base == "timestamp":
        return local_text(text, zone.name).encode()
    if base == "bit":
        return int(text).to_bytes((_length(column) + 7) // 8, "big").rstrip(b" ")
    if base in _BINARIES:
        return _bytes_of(text, column)
    if base in _TEXTS or base in _NAMED:
        if not column.collation:
            raise Unsure(Doubt.COLLATION)
        return sort_key(text, column.collation)
    raise Unsure(Doubt.VALUE)


def _length(column: Column) -> int:
    inner = column.type.partition("(")[2].partition(")")[0]
    return int(inner) if inner else 1


def _bytes_of(text: str, column: Column) -> bytes:
    """BINARY has zeros up to its length."""
    found = b64decode(text, validate=True)
    return found.ljust(_length(column), b"\0") if values.base_type(column.type) == "binary" else found


# RANGE and LIST


class _Bound(NamedTuple):
    """A constant: its likeliest value (None: nothing tells it), and the lowest and highest that it may have."""

    likeliest: float | None
    low: float
    high: float
    doubt: Doubt | None = None


_HIGHEST = _Bound(math.inf, math.inf, math.inf)


def _bound(text: str, zone: Zone) -> _Bound | None:
    """The value of a constant; None for NULL."""
    try:
        expression = Expression(text, {}, clock_of(zone.name))
        found = whole(expression.evaluate({}))
        if found is None:
            return None
        if not expression.of_session or zone.is_told:
            return _Bound(found, found, found)
        if not expression.is_even:
            return _Bound(found, -math.inf, math.inf, Doubt.SESSION_ZONE)
        furthest = [whole(Expression(text, {}, shifted(offset)).evaluate({})) for offset in (-WIDEST, WIDEST)]
        others = [found, *(each for each in furthest if each is not None)]
        return _Bound(found, min(others), max(others), Doubt.SESSION_ZONE)
    except UNREADABLE as error:
        return _Bound(None, -math.inf, math.inf, doubt_of(error, Doubt.EXPRESSION))


def range_locator(partitioning: Partitioning, columns: Columns, zone: Zone) -> Locate:
    """What is below the bound and not below the one before; NULL is in the lowest."""
    expression = Expression(partitioning.by[0], columns, clock_of(zone.name))
    names = [partition.name for partition in partitioning.partitions]
    bounds = _between_neighbours([_upper(partition, zone) for partition in partitioning.partitions])
    lows, highs = [bound.low for bound in bounds], [bound.high for bound in bounds]

    def locate(row: Image) -> Placement:
        value = whole(expression.evaluate(row))
        if value is None:
            return _certain(names[0])
        start, end = bisect_right(highs, value), bisect_right(lows, value)
        return _among([_below(value, bound) for bound in bounds[start:end]], names[start : end + 1])

    return _in_zone(locate, expression, zone)


def _upper(partition: Partition, zone: Zone) -> _Bound:
    if partition.less_than == ("MAXVALUE",):
        return _HIGHEST
    bound = _bound((partition.less_than or ())[0], zone)
    if bound is None:
        raise Unsure(Doubt.DEFINITION)
    return bound


def _between_neighbours(bounds: list[_Bound]) -> list[_Bound]:
    """Bounds grow, so that one that is not known lies between those that are."""
    low = -math.inf
    for place, bound in enumerate(bounds):
        bounds[place] = bound._replace(low=max(bound.low, low))
        low = bounds[place].low
    high = math.inf
    for place, bound in reversed(list(enumerate(bounds))):
        bounds[place] = bound._replace(high=min(bound.high, high))
        high = bounds[place].high
    return bounds


class _Below(NamedTuple):
    """Whether a row is below a bound: for certain (no doubt), or most likely (None: nothing tells it)."""

    is_so: bool | None
    doubt: Doubt | None = None


def _below(value: int, bound: _Bound) -> _Below:
    return _Below(None if bound.likeliest is None else value < bound.likeliest, bound.doubt or Doubt.EXPRESSION)


def _among(unsure: Sequence[_Below], names: Sequence[str]) -> Placement:
    """The place of a row that is above the bounds before these, and below those after.

    `names` are the partitions that end at these, and the one after them, if there is any.
    """
    if not unsure:
        return _certain(names[0]) if names else _nowhere()
    doubt = next(below.doubt for below in unsure)
    likeliest = next((place for place, below in enumerate(unsure) if below.is_so is not False), len(unsure))
    is_known = likeliest < len(names) and (likeliest == len(unsure) or unsure[likeliest].is_so)
    return Placement(names[likeliest] if is_known else None, frozenset(names), doubt)


def list_locator(partitioning: Partitioning, columns: Columns, zone: Zone) -> Locate:
    """What is named; NULL too, and what is not is in the default partition."""
    expression = Expression(partitioning.by[0], columns, clock_of(zone.name))
    known: dict[int | None, str] = {}
    unsure: list[tuple[_Bound, str]] = []
    default = None
    for partition, text in _listed(partitioning):
        if text == "DEFAULT":
            default = partition.name
        elif (bound := _bound(text, zone)) is None:
            known[None] = partition.name
        elif bound.doubt is None and bound.likeliest is not None:
            known[int(bound.likeliest)] = partition.name
        else:
            unsure.append((bound, partition.name))

    def locate(row: Image) -> Placement:
        value = whole(expression.evaluate(row))
        if value in known:
            return _certain(known[value])
        near = [] if value is None else [each for each in unsure if each[0].low <= value <= each[0].high]
        found = [(name, bound.likeliest == value, bound.doubt) for bound, name in near]
        return _listed_in(found, default)

    return _in_zone(locate, expression, zone)


def _listed(partitioning: Partitioning) -> Iterator[tuple[Partition, str]]:
    for partition in partitioning.partitions:
        for text in partition.values or ():
            yield partition, text


def _listed_in(found: Sequence[tuple[str, bool, Doubt | None]], default: str | None) -> Placement:
    """The place of a row that may be one of these values, or none: the partition, whether it likely is, the doubt."""
    if not found:
        return _nowhere() if default is None else _certain(default)
    possible = {name for name, _, _ in found} | ({default} if default is not None else set())
    if len(possible) == 1:
        return _certain(*possible)
    likely = next((name for name, is_likely, _ in found if is_likely), default)
    return Placement(likely, frozenset(possible), found[0][2])


# Columns

_Comparable = tuple[Any, ...] | str
_NULL, _MAXIMUM = (-1,), (1,)


class _Unread(NamedTuple):
    """A bound that cannot be read."""

    doubt: Doubt


def range_columns_locator(partitioning: Partitioning, columns: Columns, zone: Zone) -> Locate:
    """As RANGE, column after column; NULL is below all else."""
    by = [columns[name.lower()] for name in partitioning.by]
    names = [partition.name for partition in partitioning.partitions]
    bounds = []
    for partition in partitioning.partitions:
        texts = partition.less_than or ()
        texts = texts * len(by) if texts == ("MAXVALUE",) else texts
        bounds.append([_constant(text, column) for text, column in zip(texts, by, strict=True)])

    def locate(row: Image) -> Placement:
        value = [_comparable(row[column.name], column) for column in by]
        found = []
        for bound in bounds:
            compared, doubt = _compared(value, bound, by)
            if compared.sign < 0 and doubt is None:
                break
            found.append(_Below(None if doubt is Doubt.EXPRESSION else compared.sign < 0, doubt))
        start = max((place for place, below in enumerate(found, start=1) if below.doubt is None), default=0)
        return _among(found[start:], names[start : len(found) + 1])

    return locate


def list_columns_locator(partitioning: Partitioning, columns: Columns, zone: Zone) -> Locate:
    """The list of values, one for each column, that equals the row's."""
    by = [columns[name.lower()] for name in partitioning.by]
    places: list[tuple[str, list[_Comparable | _Unread]]] = []
    default = None
    for partition, text in _listed(partitioning):
        if text == "DEFAULT":
            default = partition.name
            continue
        texts = one_cursor(text).items() if text.startswith("(") else (text,)
        places.append(
            (partition.name, [_padded(_constant(one, column), column) for one, column in zip(texts, by, strict=True)])
        )

    exact = {tuple(bound): name for name, bound in places if not any(isinstance(one, _Unread) for one in bound)}

    def locate(row: Image) -> Placement:
        value = [_comparable(row[column.name], column) for column in by]
        if (name := exact.get(tuple(value))) is not None:
            return _certain(name)
        near = []
        for name, bound in places:
            compared, doubt = _compared(value, bound, by)
            if compared.sign == 0 and doubt is None:
                return _certain(name)
            if doubt is not None and not _differs(value, bound, by):
                near.append((name, compared.sign == 0, doubt))
        return _listed_in(near, default)

    return locate


def _compared(
    value: Sequence[_Comparable], bound: Sequence[_Comparable | _Unread], by: Sequence[Column]
) -> tuple[Order, Doubt | None]:
    """How a row lies to a bound, and the doubt that it does."""
    for one, other, column in zip(value, bound, by, strict=True):
        if isinstance(other, _Unread):
            return Order(1, False), other.doubt
        found = _order(one, other, column)
        if not found.is_certain:
            return found, Doubt.COLLATION
        if found.sign:
            return found, None
    return Order(0, True), None


def _differs(value: Sequence[_Comparable], bound: Sequence[_Comparable | _Unread], by: Sequence[Column]) -> bool:
    for one, other, column in zip(value, bound, by, strict=True):
        if not isinstance(other, _Unread):
            found = _order(one, other, column)
            if found.sign and found.is_certain:
                return True
    return False


def _order(one: _Comparable, other: _Comparable, column: Column) -> Order:
    if isinstance(one, str) and isinstance(other, str):
        return order(one, other, column.collation or "")
    if isinstance(one, str):
        return Order(1 if other == _NULL else -1, True)
    if isinstance(other, str):
        return Order(-1 if one == _NULL else 1, True)
    return Order((one > other) - (one < other), True)


def _constant(text: str, column: Column) -> _Comparable | _Unread:
    """A bound of one column in the order of its type."""
    if text == "MAXVALUE":
        return _MAXIMUM
    if text == "NULL":
        return _NULL
    base = values.base_type(column.type)
    try:
        if base in NUMBERS:
            number = Expression(text, {}).evaluate({})
            return _NULL if number is None else (0, Decimal(number))
        cursor = one_cursor(text)
        while cursor.take_any(("DATE", "TIMESTAMP", "TIME", "BINARY")):
            pass
        kind, value = cursor.literal() or (None, "")
        if kind is None or cursor:
            return _Unread(Doubt.EXPRESSION)
        if base in _BINARIES:
            return 0, bytes.fromhex(value) if kind is TokenType.HEX_STRING else value.encode()
        if kind is TokenType.HEX_STRING:
            value = bytes.fromhex(value).decode()
        elif kind is TokenType.BIT_STRING:
            return _Unread(Doubt.EXPRESSION)
        return _comparable(value, column)
    except UNREADABLE:
        return _Unread(Doubt.EXPRESSION)


def _padded(bound: _Comparable | _Unread, column: Column) -> _Comparable | _Unread:
    """A value of a list becomes one of the column's type."""
    if values.base_type(column.type) == "binary" and isinstance(bound, tuple) and len(bound) == 2:
        return 0, bound[1].ljust(_length(column), b"\0")
    return bound


def _comparable(text: str | None, column: Column) -> _Comparable:
    """A value in the order of its column's type, above NULL; a text is compared by its collation."""
    base = values.base_type(column.type)
    if text is None:
        return _NULL
    if base in NUMBERS:
        return 0, Decimal(text)
    if base in ("date", "datetime"):
        return 0, moment_of(text)
    if base == "time":
        sign, *parts = time_of(text)
        return 0, tuple(sign * part for part in parts)
    if base in _BINARIES:
        return 0, _bytes_of(text, column)
    if base in _TEXTS:
        return text
    raise Unsure(Doubt.VALUE)


LOCATORS: Mapping[str, Callable[[Partitioning, Columns, Zone], Locate]] = {
    "hash": hash_locator,
    "key": key_locator,
    "range": range_locator,
    "range_columns": range_columns_locator,
    "list": list_locator,
    "list_columns": list_columns_locator,
}
