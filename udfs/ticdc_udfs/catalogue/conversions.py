"""What MODIFY and CHANGE COLUMN make of the values that are there: canonical text of one type to that of another.

TiDB rewrites rows where the new type is narrower or stored in another way (`needChangeColumnData` in
pkg/ddl/modify_column.go), each value by a cast (`casts`). All other changes leave what is stored.
"""

from __future__ import annotations

from collections.abc import Callable

from ticdc_udfs.catalogue.casts import CHARACTERS, Type, cast, type_of, unsure
from ticdc_udfs.catalogue.tables import Column

Convert = Callable[[str | None], str | None]
"""Makes canonical text of canonical text, None is NULL; raises `ValueError` where the result is not certain."""

_FLOAT_SIZES = {"float": (12, -1), "double": (22, -1)}


def conversion(old: Column, new: Column) -> Convert | None:
    """How values of a column's old definition become those of its new one; None where every text stays as it is."""
    if old.type == new.type and old.collation == new.collation:
        return None
    source, target = type_of(old.type, old.collation), type_of(new.type, new.collation)
    if source == target or _keeps_text(source, target):
        return None
    convert = cast(source, target)
    if target.base == "timestamp" and source.base != "timestamp" and new.nullable is False:
        # NULL becomes the time of the DDL
        return lambda text: unsure() if text is None else convert(text)
    return lambda text: None if text is None else convert(text)


def _keeps_text(source: Type, target: Type) -> bool:
    """Whether TiDB leaves what is stored, or a cast gives every value the same text."""
    if source.family != target.family:
        return False
    match source.family:
        case "int":
            return target.range[0] <= source.range[0] and source.range[1] <= target.range[1]
        case "text" | "binary":
            return _keeps_string(source, target)
        case "decimal":
            sizes = len(source.sizes) == len(target.sizes) == 2
            grows = sizes and source.sizes[1] == target.sizes[1] and source.sizes[0] <= target.sizes[0]
            return grows and source.unsigned >= target.unsigned
        case "float":
            old, new = ((*one.sizes, *_FLOAT_SIZES[one.base])[:2] for one in (source, target))
            same = source.base == target.base and source.unsigned == target.unsigned
            return same and old[0] <= new[0] and old[1] <= new[1]
        case "bit":
            return source.sizes <= target.sizes
        case "enum":
            return set(source.labels) <= set(target.labels)
        case "set":
            return [label for label in target.labels if label in source.labels] == list(source.labels)
    return source.family == "vector"


def _keeps_string(source: Type, target: Type) -> bool:
    """Whether a text or binary stays as it is; TiDB compares the lengths as they are written, bytes or characters."""
    if (source.base, target.base) in (("varchar", "char"), ("varbinary", "binary")):
        return False
    if source.base == target.base == "binary" and source.sizes != target.sizes:
        return False
    wider = CHARACTERS.get(source.charset, 0x110000) <= CHARACTERS.get(target.charset, 0)
    return source.length <= target.length and (source.charset == target.charset or wider)
