"""TiCDC's rule of the handle key: which index's columns are the key of a table's rows (protocol facts 2).

It is the PRIMARY KEY, else of the UNIQUE indexes whose columns are all NOT NULL the one with the fewest columns, of
several the one that TiDB numbered first. TiCDC looks neither at the condition of a partial index nor at whether a
column is virtual, so that it also takes indexes that do not tell all rows apart, or not by what is on the wire: here
they are passed over.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Hashable, Iterable
from typing import Generic, NamedTuple, TypeVar

from ticdc_udfs.contract import values

Column = TypeVar("Column", bound=Hashable)


class TableIndex(NamedTuple, Generic[Column]):
    """An index; None among its columns stands for an expression.

    `number` orders the indexes of a table as TiDB's ids do: the later one is the larger, and one that is rebuilt
    gets a new one. `partial`: it holds some rows alone.
    """

    name: str
    columns: tuple[Column | None, ...]
    unique: bool = False
    primary: bool = False
    number: int = 0
    partial: bool = False


def key_index(indexes: Iterable[TableIndex[Column]], not_null: Collection[Column]) -> TableIndex[Column] | None:
    """The index that is the key of the rows; None where no index tells all of them apart.

    `not_null` are the columns that cannot be NULL and are on the wire: virtual generated ones are not.
    """
    fit = (
        index
        for index in indexes
        if index.columns
        and not index.partial
        and (index.primary or (index.unique and all(column in not_null for column in index.columns)))
    )
    return min(fit, key=lambda index: (not index.primary, len(index.columns), index.number), default=None)


def tells_apart(named: Collection[Column], indexes: Iterable[TableIndex[Column]], on_wire: Collection[Column]) -> bool:
    """Whether columns that messages name as the key may be one.

    They are none where all that explains them is a partial index, or one that has columns besides them which are not on
    the wire. What no index explains may be a key: DDL need not have told of all indexes.
    """
    columns = set(named)
    alike = [
        index
        for index in indexes
        if (index.unique or index.primary) and {column for column in index.columns if column in on_wire} == columns
    ]
    return not alike or any(not index.partial and len(index.columns) == len(columns) for index in alike)


_INTEGERS = {"tinyint": 4, "smallint": 6, "mediumint": 9, "int": 11, "bigint": 20}
_TEXTS = ("char", "varchar", "tinytext", "text", "mediumtext", "longtext")
_BINARIES = ("binary", "varbinary", "tinyblob", "blob", "mediumblob", "longblob")
_SIZES = {"tiny": 255, "": 65_535, "medium": 2**24 - 1, "long": 2**32 - 1}
_TYPE = re.compile(r"(\w+)(?:\((.*)\))?", re.DOTALL)


def is_rebuilt(old: str, new: str) -> bool:
    """Whether MODIFY COLUMN from one type to another rebuilds the column's indexes, under new numbers.

    TiDB does so where it writes the rows again: for any other type than one of the same kind that is as wide, and for
    another sign. From 8.5.5 on it checks narrower integers and texts instead, in strict mode, which no message tells.
    """
    (word, old_length), (new_word, length) = _measured(old), _measured(new)
    if values.is_unsigned(old) != values.is_unsigned(new) or word == "decimal":
        return old != new
    for kind in (_INTEGERS, _TEXTS, _BINARIES):
        if word in kind and new_word in kind:
            is_padded = len({word, new_word} & {"char", "varchar"}) == 2 or {word, new_word} == {"binary"}
            return length < old_length or (is_padded and old != new)
    if word in ("enum", "set") and word == new_word:
        return not new.startswith(old.removesuffix(")"))
    return word != new_word or any(width < before for before, width in zip(old_length, length, strict=False))


def _measured(column_type: str) -> tuple[str, tuple[int, ...]]:
    """A type's first word, and how much it holds: the larger, the wider."""
    found = _TYPE.match(column_type)
    word, parameters = (found[1], found[2]) if found else (column_type, None)
    if word in _INTEGERS:
        return word, (_INTEGERS[word],)
    for suffix in ("text", "blob"):
        if word.endswith(suffix):
            return word, (_SIZES[word.removesuffix(suffix)],)
    if word in ("enum", "set"):
        return word, ()
    return word, tuple(int(number) for number in (parameters or "0").split(","))
