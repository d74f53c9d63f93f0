"""A row as TiDB shows it after DDL that no message repeats: the columns of a later version of its table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise, repeat
from typing import Any, NamedTuple

import msgspec
import pyarrow as pa

from ticdc_udfs.catalogue.casts import InUtc
from ticdc_udfs.catalogue.conversions import Convert, conversion
from ticdc_udfs.catalogue.tables import Column
from ticdc_udfs.contract.arrow import collector_off
from ticdc_udfs.contract.events import Lossy
from ticdc_udfs.contract.schemas import write_json

Image = dict[str, str | None]
Columns = Sequence[Column]

_FIELDS: tuple[tuple[str, str, pa.DataType], ...] = (
    ("row", "string", pa.string()),
    ("row_key", "string", pa.string()),
    ("lossy", "array<string>", pa.list_(pa.string())),
)
PROJECTED_SQL_TYPE = "struct<" + ", ".join(f"{name}: {sql_type}" for name, sql_type, _ in _FIELDS) + ">"
"""What `project_batch` returns."""

_NOT_KNOWN = Lossy.NOT_CONVERTED.of()
_NO_KEY = Lossy.NO_KEY.of()


class Projected(NamedTuple):
    """A row with the columns asked for, and its flags."""

    row: Image
    lossy: tuple[str, ...] = ()


class _Cell(NamedTuple):
    """Where a column's value comes from: a column of the written row, or what rows from before it hold."""

    name: str
    source: str | None
    steps: tuple[Convert, ...]
    added: str | None = None
    flag: str | None = None


class _Plan(NamedTuple):
    cells: tuple[_Cell, ...]
    known: frozenset[str]
    carried: Mapping[str, str]
    names: tuple[str, ...]
    key: tuple[str, ...]
    columns_known: bool
    keeps_rows: bool


def project(row: Mapping[str, str | None], versions: Sequence[Columns], lossy: Iterable[str] = ()) -> Projected:
    """The row after the DDL between the versions of its table, from the one it was written in to the one asked for.

    Columns are the same by `column_id`: a renamed one carries on, a dropped one goes, an added one has what TiDB gave
    old rows, a changed type converts step by step (`conversions`). Virtual generated columns are never there, as none
    are on the wire. A column that an image of key columns lacks stays away. What cannot be converted for certain keeps
    its text, or what it is in UTC where a time zone decides, flagged `<column>:not_converted`; so does a column that
    the first version lacks. Where the columns of a version are not known, the row stays as it is, flagged as a whole.
    `lossy` are the flags of the row: they follow their columns.
    """
    plan = _plan(versions)
    flags = _carried(lossy, plan)
    return Projected(dict(_project(row, plan, flags)), tuple(flags))


def key_of(row: Mapping[str, str | None], columns: Columns) -> bytes:
    """The row key as decoders give it: JSON of the key columns in table order; of all columns where there is no key."""
    return write_json(_key(row, _key_columns(columns)))


def same_key(old: Columns, new: Columns) -> bool:
    """Whether every row has the same text of its key under both versions."""
    plan = _plan((old, new))
    if not plan.key:
        return plan.keeps_rows and not _key_columns(old)
    cells = {cell.name: cell for cell in plan.cells}
    return plan.key == _key_columns(old) and all(
        cells[name].source == name and not cells[name].steps for name in plan.key if name in cells
    )


def touches_rows(old: Columns, new: Columns) -> bool:
    """Whether the image of any row may differ between both versions, the order of its columns included."""
    return not _plan((old, new)).keeps_rows


def _key_columns(columns: Columns) -> tuple[str, ...]:
    return tuple(column.name for column in columns if column.key)


def _key(row: Mapping[str, str | None], key: Sequence[str]) -> Mapping[str, str | None]:
    try:
        return {name: row[name] for name in key} if key else row
    except KeyError:
        return row


def _plan(versions: Sequence[Columns]) -> _Plan:
    written, asked = versions[0], versions[-1]
    cells = tuple(_cell(column, versions) for column in asked if column.generated != "virtual")
    columns_known = all(versions)
    return _Plan(
        cells=cells,
        known=frozenset(column.name for column in written),
        carried={cell.source: cell.name for cell in cells if cell.source is not None},
        names=tuple(cell.name for cell in cells),
        key=_key_columns(asked),
        columns_known=columns_known,
        keeps_rows=columns_known == any(versions)
        and [column.name for column in written if column.generated != "virtual"] == [cell.source for cell in cells]
        and all(cell.source == cell.name and not cell.steps for cell in cells),
    )


def _cell(column: Column, versions: Sequence[Columns]) -> _Cell:
    """How a column came to be what it is in the last version."""
    history = [[one for one in version if one.column_id == column.column_id] for version in versions]
    since = len(history)
    while since and history[since - 1]:
        since -= 1
    lived = [found[0] for found in history[since:]]
    first = lived[0]
    steps = (conversion(old, new) for old, new in pairwise(lived))
    cell = _Cell(column.name, None if since else first.name, tuple(step for step in steps if step is not None))
    if cell.source is not None:
        return cell
    flags: list[str] = []
    if _is_untold(first):
        flags.append(Lossy.NOT_CONVERTED.of(column.name))
    return cell._replace(added=_converted(first.added_value, cell, flags), flag=flags[0] if flags else None)


def _is_untold(column: Column) -> bool:
    """Whether rows from before a column hold something that no DDL told, such as the time at which it began."""
    if column.default_expression is not None or column.generated == "stored":
        return True
    return column.added_value is None and (column.default is not None or column.nullable is False)


def _converted(text: str | None, cell: _Cell, flags: list[str]) -> str | None:
    is_certain = True
    for step in cell.steps:
        try:
            text = step(text)
        except InUtc as told:
            text, is_certain = told.text, False
        except (ValueError, ArithmeticError, RecursionError):
            is_certain = False
            break
    if not is_certain and (flag := Lossy.NOT_CONVERTED.of(cell.name)) not in flags:
        flags.append(flag)
    return text


def _carried(lossy: Iterable[str], plan: _Plan) -> list[str]:
    """Flags by the names that their columns have now; those of dropped columns go."""
    flags = []
    for flag in lossy:
        column, _, reason = flag.rpartition(":")
        if column in plan.carried:
            flags.append(f"{plan.carried[column]}:{reason}")
        elif column not in plan.known or not plan.columns_known:
            flags.append(flag)
    return flags


def _project(row: Mapping[str, str | None], plan: _Plan, flags: list[str]) -> Mapping[str, str | None]:
    if plan.keeps_rows and (tuple(row) == plan.names or not plan.columns_known):
        return row
    if not plan.columns_known:
        flags.append(_NOT_KNOWN)
        return row
    image: Image = {}
    for cell in plan.cells:
        if cell.source is None:
            image[cell.name] = cell.added
            if cell.flag is not None:
                flags.append(cell.flag)
        elif cell.source in row:
            text = row[cell.source]
            image[cell.name] = _converted(text, cell, flags) if cell.steps else text
    for name in row:
        if name not in plan.known and name not in image:
            image[name] = row[name]
            flags.append(Lossy.NOT_CONVERTED.of(name))
    return image


_read_image = msgspec.json.Decoder(Image).decode
_read_chain = msgspec.json.Decoder(list[list[dict[str, Any]]]).decode


@lru_cache(maxsize=10_000)
def _plan_of(chain: str) -> _Plan:
    return _plan([[Column(**column) for column in version] for version in _read_chain(chain)])


@collector_off()
def project_batch(row_texts: pa.Array[Any], chains: pa.Array[Any], lossy: pa.Array[Any] | None = None) -> pa.Array[Any]:
    """`project` for arrays of the same length; a chain is `versions` as JSON text, objects with members of `Column`.

    Gives structs: the row, its key under the last version (null where that has no columns), and its flags, `*:no_key`
    as that version says. A null row, or one without a chain, gives null in all three; a text that is no row stays,
    flagged as a whole.
    """
    encoded = chains.dictionary_encode()
    plans = [_plan_of(chain) for chain in encoded.dictionary.to_pylist()]
    projected = [
        (None, None, None) if text is None or place is None else _projected(text, plans[place], flags or ())
        for text, place, flags in zip(
            row_texts.to_pylist(),
            encoded.indices.to_pylist(),
            repeat(None, len(row_texts)) if lossy is None else lossy.to_pylist(),
            strict=True,
        )
    ]
    return structs_of(projected)


def structs_of(projected: Sequence[tuple[Any, ...]]) -> pa.Array[Any]:
    """Rows, keys and flags as the structs that `project_batch` gives."""
    columns = list(zip(*projected, strict=True)) or [()] * len(_FIELDS)
    arrays = [pa.array(column, arrow_type) for column, (_, _, arrow_type) in zip(columns, _FIELDS, strict=True)]
    return pa.StructArray.from_arrays(arrays, fields=[pa.field(name, arrow) for name, _, arrow in _FIELDS])


def projected_text(text: str, chain: str, lossy: Iterable[str]) -> tuple[str | bytes, bytes | None, Sequence[str]]:
    """Row, key and flags of one row, as `project_batch` gives them."""
    return _projected(text, _plan_of(chain), lossy)


def _projected(text: str, plan: _Plan, lossy: Iterable[str]) -> tuple[str | bytes, bytes | None, Sequence[str]]:
    try:
        row = _read_image(text)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return text, None, (*lossy, _NOT_KNOWN)
    flags = _carried(lossy, plan) if lossy else []
    image = _project(row, plan, flags)
    if not plan.names:
        return text, None, flags
    key = _key(image, plan.key)
    if _NO_KEY in flags:
        flags.remove(_NO_KEY)
    if key is image:
        flags.append(_NO_KEY)
    return text if image is row else write_json(image), write_json(key), flags
