"""Finishes rows whose messages do not hold all of their table's schema, once that schema is known.

A decoder leaves in such a row's images what can be told without types, and flags it `*:no_schema` (protocol facts 1.6,
5.6 for Simple; 2.3 for Debezium without inline schema), `<column>:no_schema` (2.6 for Debezium-Avro: the schema of the
message tells no fraction digits), `<column>:label_unknown` (numbers of ENUM and SET in canal-json and Open Protocol),
`<column>:binary_unsure` (bytes in Debezium, of a feed that does not say how it writes them) or `*:no_key` (canal-json
and Avro name no key but the primary one).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from operator import attrgetter
from typing import Any, NamedTuple

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ticdc_udfs.contract import options, values
from ticdc_udfs.contract.arrow import MANY, Texts, collector_off, numbered, texts_of_lines
from ticdc_udfs.contract.events import DecodeError, Lossy
from ticdc_udfs.contract.json_structs import field, struct_of
from ticdc_udfs.contract.options import Options
from ticdc_udfs.contract.schemas import Column, write_json, write_json_lines
from ticdc_udfs.protocols.debezium import binary
from ticdc_udfs.protocols.debezium import values as debezium_values
from ticdc_udfs.protocols.debezium_avro import message as debezium_avro
from ticdc_udfs.protocols.open_protocol import message as open_protocol
from ticdc_udfs.protocols.simple import message as simple
from ticdc_udfs.wire import checksum
from ticdc_udfs.wire.message_columns import Numbers, flags_of_rows

_Image = dict[str, str | None]
_NO_SCHEMA = Lossy.NO_SCHEMA.of()
_NO_KEY = Lossy.NO_KEY.of()
_UNSURE = tuple(reason.of("") for reason in (Lossy.NO_SCHEMA, Lossy.LABEL_UNKNOWN))
_BINARY_UNSURE = Lossy.BINARY_UNSURE.of("")
_KEY_ONLY = {Lossy.HANDLE_KEY_ONLY.of(), Lossy.CLAIM_CHECK.of()}
_NullReason = Callable[[Column], Lossy | None]
_Convert = Callable[[Column, Options], values.Convert | None]
_Cell = tuple[values.Convert | None, Lossy | None]


class Finish(NamedTuple):
    """What a protocol's rows need once a column is known.

    `convert` gives how the text of a cell becomes canonical (None: it is so already), `null_reason` what a NULL may
    stand for, `check` what a cell may stand for that its message told whole. `bytes_of` gives of columns what they may
    hold if the cells of a row tell only together how they are written. With `key_of_schema` the row key is the
    schema's; else it keeps its columns, which the message named.
    """

    convert: _Convert
    null_reason: _NullReason = lambda column: None
    key_of_schema: bool = False
    check: _Convert = lambda column, feed: None
    bytes_of: Callable[[Column, Options], binary.Bytes | None] = lambda column, feed: None


PROTOCOLS: Mapping[str, Finish] = {
    "avro": Finish(lambda column, feed: None),
    "canal_json": Finish(lambda column, feed: values.shared_converter(column.type)),
    "open_protocol": Finish(lambda column, feed: open_protocol.finisher(column.type)),
    "simple": Finish(lambda column, feed: simple.converter(column.type, feed.time_zone), key_of_schema=True),
    "storage_canal_json": Finish(lambda column, feed: values.shared_converter(column.type)),
    "storage_csv": Finish(lambda column, feed: None),
    "debezium": Finish(
        lambda column, feed: debezium_values.converter(
            column.type, feed.time_zone, nullable=column.nullable, default=column.default, binary=feed.binary
        ),
        lambda column: debezium_values.null_reason(column.type, column.nullable),
        check=lambda column, feed: debezium_values.check(
            column.type, nullable=column.nullable, default=column.default, binary=feed.binary
        ),
        bytes_of=lambda column, feed: (
            None
            if feed.binary
            else debezium_values.bytes_of(column.type, feed.time_zone, nullable=column.nullable, default=column.default)
        ),
    ),
    "debezium_avro": Finish(
        lambda column, feed: debezium_avro.converter(
            column.type, feed.time_zone, nullable=column.nullable, default=column.default
        ),
        lambda column: debezium_values.null_reason(column.type, column.nullable),
        check=lambda column, feed: debezium_avro.converter(
            column.type, feed.time_zone, nullable=column.nullable, default=column.default, is_told=True
        ),
    ),
}

_FIELDS: tuple[tuple[str, str, pa.DataType], ...] = (
    ("row_key", "string", pa.string()),
    ("before_key", "string", pa.string()),
    ("before", "string", pa.string()),
    ("after", "string", pa.string()),
    ("lossy", "array<string>", pa.list_(pa.string())),
    ("checksum_mismatch", "string", pa.string()),
)
ROW_SQL_TYPE = "struct<" + ", ".join(f"{name}: {sql_type}" for name, sql_type, _ in _FIELDS) + ">"
_CELL_FIELDS = _FIELDS[2:5]
COMPLETED_SQL_TYPE = "struct<before: string, after: string, lossy: array<string>>"


class Row(NamedTuple):
    """A row as staging holds it, or as it is after `resolve`; texts are JSON objects as in `Event`."""

    row_key: str | bytes | None
    before_key: str | bytes | None
    before: str | bytes | None
    after: str | bytes | None
    lossy: tuple[str, ...]
    checksum_mismatch: str | bytes | None = None


class _Plan(NamedTuple):
    columns: tuple[Column, ...]
    names: list[str]
    key: tuple[str, ...]
    key_of_schema: bool
    cells: Mapping[str, _Cell]
    told_cells: Mapping[str, _Cell]
    binaries: Mapping[str, binary.Bytes]


class _Work(NamedTuple):
    """What there is to do for rows of a schema that bear the same flags: `cells` to finish, `flags` that stay.

    `fields` are the cells' fields, in their order, in the struct of the plan's columns. `binaries` are cells that are
    read together, of which `new_binaries` are not canonical for certain.
    """

    plan: _Plan
    waited: bool
    cells: tuple[tuple[str, values.Convert | None, Lossy | None], ...]
    fields: tuple[str, ...]
    flags: tuple[str, ...]
    binaries: Mapping[str, binary.Bytes]
    fields_of_binaries: tuple[str, ...]
    new_binaries: Collection[str]


_read_image = msgspec.json.Decoder(dict[str, str | None]).decode
_read_schema = msgspec.json.Decoder(list[dict[str, Any]]).decode


@lru_cache(maxsize=10_000)
def _read_names(names: str) -> tuple[str, ...]:
    return tuple(msgspec.json.decode(names, type=list[str]))


@lru_cache(maxsize=10_000)
def _plan_of(protocol: str, table_schema: str, options_text: str | None) -> _Plan | None:
    """The plan of a table schema.

    None where the protocol's rows need no schema, the schema tells no column, or the options cannot be used.
    """
    finish = PROTOCOLS.get(protocol)
    if finish is None:
        return None
    try:
        feed = options.parse(options_text)
        columns = tuple(Column(**column) for column in _read_schema(table_schema))
    except (DecodeError, msgspec.MsgspecError, TypeError):
        return None
    if not columns:  # of a table that no message described
        return None
    binaries = {column.name: found for column in columns if (found := finish.bytes_of(column, feed)) is not None}
    return _Plan(
        columns=columns,
        names=[column.name for column in columns],
        # in column order, as canal-json and Open Protocol give the keys of their rows
        key=tuple(column.name for column in columns if column.key),
        key_of_schema=finish.key_of_schema,
        cells={
            column.name: (
                None if column.name in binaries else finish.convert(column, feed),
                finish.null_reason(column),
            )
            for column in columns
        },
        told_cells={column.name: (check, None) for column in columns if (check := finish.check(column, feed))},
        binaries=binaries,
    )


def resolve(
    row: Row,
    protocol: str,
    table_schema: str | None,
    options_text: str | None,
    sent: str | None,
    key_columns: str | None = None,
) -> Row:
    """The row with canonical images, its row key, and its checksum verified; `sent` is the text of `Event.checksum`.

    `key_columns` is the JSON list of the key's columns, where more is known of them than what the schema tells. Where
    the schema is not known the row stays as it is, flagged, but for the key, if its message names none and its cells
    are as they will be. A cell that is no text of its column's type stays too, flagged `<column>:no_schema`, and one
    that the schema lacks does if its row waited for the schema.
    """
    work = _work_of(protocol, table_schema, options_text, row.lossy) if table_schema else None
    if work is None:
        return _keyed(row, _read_names(key_columns) if key_columns else ())
    plan = work.plan
    names = None
    if work.binaries:
        image = _read_image((row.before if row.after is None else row.after) or "{}")
        names = _key_columns(row, plan, image, [*work.flags], key_columns)
    before, after, flags = _canonical_images(row.before, row.after, work, names)
    key = _key_columns(row, plan, (before if after is None else after) or {}, flags, key_columns)
    row_key, before_key = _keys_of(before, after, key)
    mismatch = None
    if sent is not None and not _KEY_ONLY & set(flags):
        mismatch = checksum.verify(sent.encode(), before, after, plan.columns)
    return Row(
        row_key=row_key,
        before_key=before_key,
        before=None if before is None else write_json(before),
        after=None if after is None else write_json(after),
        lossy=tuple(dict.fromkeys(flags)),
        checksum_mismatch=mismatch,
    )


@lru_cache(maxsize=10_000)
def _work_of(protocol: str, table_schema: str, options_text: str | None, lossy: tuple[str, ...]) -> _Work | None:
    """What is to do for rows with these flags; None where no plan tells it."""
    plan = _plan_of(protocol, table_schema, options_text)
    if plan is None:
        return None
    cells = plan.cells
    if _NO_SCHEMA not in lossy:
        unsure = {flag.rpartition(":")[0] for flag in lossy if flag.endswith(_UNSURE)}
        cells = {**plan.told_cells, **{name: cell for name, cell in cells.items() if name in unsure}}
    unsure_binaries = [name for name in plan.binaries if name + _BINARY_UNSURE in lossy]
    binaries = _to_read(plan, unsure_binaries)
    known = {_NO_SCHEMA, *(name + reason for name in cells for reason in _UNSURE)}
    known.update(name + _BINARY_UNSURE for name in unsure_binaries)
    return _Work(
        plan=plan,
        waited=_NO_SCHEMA in lossy,
        cells=tuple((name, *cell) for name, cell in cells.items()),
        fields=tuple(field([*plan.cells].index(name)) for name in cells),
        flags=tuple(flag for flag in lossy if flag not in known),
        binaries=plan.binaries if _NO_SCHEMA in lossy else binaries,
        fields_of_binaries=tuple(field([*plan.cells].index(name)) for name in plan.binaries),
        new_binaries=plan.binaries if _NO_SCHEMA in lossy else unsure_binaries,
    )


def _to_read(plan: _Plan, unsure: Collection[str]) -> Mapping[str, binary.Bytes]:
    """The cells of bytes that are as the wire has them, if some are: a decoder has flagged those that it has not read.

    Where it has flagged none, all are canonical, or the message does not tell them from text.
    """
    return {name: plan.binaries[name] for name in unsure} if unsure else plan.binaries


def _canonical_images(
    before_text: str | bytes | None,
    after_text: str | bytes | None,
    work: _Work,
    key: Sequence[str] | None = None,
) -> tuple[_Image | None, _Image | None, list[str]]:
    """Both images as they are once their cells are known, and all flags of the row.

    `key` are the columns of its key, by default those of the schema.
    """
    flags = [*work.flags]
    before = None if before_text is None else _canonical(before_text, work, flags)
    after = None if after_text is None else _canonical(after_text, work, flags)
    if work.binaries:
        flags += binary.settle(
            (after, before),
            work.binaries,
            work.plan.key if key is None else key,
            of_new=work.new_binaries,
            of_neither=Lossy.NO_SCHEMA if work.waited else Lossy.BINARY_UNSURE,
        )
    if work.waited:
        flags += map(Lossy.NO_SCHEMA.of, {**(before or {}), **(after or {})}.keys() - work.plan.cells.keys())
    return before, after, flags


def _canonical(text: str | bytes, work: _Work, flags: list[str]) -> _Image:
    image: _Image = _read_image(text)
    if [*image] != work.plan.names:
        # JSON objects of Simple are sorted by name; columns that the schema lacks come last
        image = {column: image[column] for column in work.plan.cells if column in image} | image
    for column, convert, null_reason in work.cells:
        if column in image:
            image[column], reason = _finished(image[column], convert, null_reason)
            if reason is not None:
                flags.append(reason.of(column))
    return image


def _finished(
    cell: str | None, convert: values.Convert | None, null_reason: Lossy | None
) -> tuple[str | None, Lossy | None]:
    """The canonical text of a cell, and why it is flagged; what is no text of the column's type stays as it is."""
    if cell is None:
        return None, null_reason
    if convert is None:
        return cell, None
    try:
        return convert(cell)
    except (ValueError, OverflowError, ArithmeticError):
        return cell, Lossy.NO_SCHEMA


def _keyed(row: Row, key: Sequence[str]) -> Row:
    """A row that needs no schema, with the key of its table where its message names none."""
    if not key or _NO_KEY not in row.lossy or _NO_SCHEMA in row.lossy:
        return row
    before, after = (None if text is None else _read_image(text) for text in (row.before, row.after))
    if not ((before if after is None else after) or {}).keys() >= set(key):
        return row
    row_key, before_key = _keys_of(before, after, key)
    lossy = tuple(flag for flag in row.lossy if flag != _NO_KEY)
    return row._replace(row_key=row_key, before_key=before_key, lossy=lossy)


def _key_columns(row: Row, plan: _Plan, image: _Image, flags: list[str], key_columns: str | None) -> Sequence[str]:
    """The columns of the row key; none where no key is known, so that all columns together serve as one."""
    if not plan.key_of_schema and _NO_KEY not in flags and row.row_key is not None:
        return [*_read_image(row.row_key)]
    key = plan.key if key_columns is None else _read_names(key_columns)
    # a row of key columns alone may have those of its message's schema
    for names in (key, plan.key) if key else ():
        if names and image.keys() >= set(names):
            flags[:] = [flag for flag in flags if flag != _NO_KEY]
            return names
    flags.append(_NO_KEY)
    return ()


def _keys_of(before: _Image | None, after: _Image | None, key: Sequence[str]) -> tuple[bytes | None, bytes | None]:
    """The row key, and that of the old image where it is another one."""
    row_key, old_key = _key_of(before if after is None else after, key), _key_of(before, key)
    return row_key, old_key if old_key != row_key else None


def _key_of(image: _Image | None, key: Sequence[str]) -> bytes | None:
    if image is None:
        return None
    return write_json({column: image.get(column) for column in key} if key else image)


class Told(NamedTuple):
    """What a table's schema tells of a row whose message told all else: images that are others then, and all flags."""

    before: str | bytes | None
    after: str | bytes | None
    lossy: tuple[str, ...]


_NOTHING = (None, None, None)


def unsure_cells(
    protocol: str,
    table_schema: str,
    options_text: str | None,
    before: str | None,
    after: str | None,
    lossy: tuple[str, ...] = (),
) -> Told | None:
    """What only the table's schema tells of cells that may stand for something else; None where that is nothing.

    It is for rows whose messages told all else, with the images as they are after `resolve`.
    """
    plan = _plan_of(protocol, table_schema, options_text)
    if plan is None:
        return None
    read = _cells_reader((*plan.told_cells, *plan.binaries))
    flags = [*lossy]
    are_read = _BINARY_UNSURE not in "".join(lossy)
    for text in (before, after):
        cells = () if text is None else read(text)
        for cell, (column, (check, _)) in zip(cells, plan.told_cells.items(), strict=False):
            if cell is not None and check is not None:
                with suppress(ValueError, OverflowError, ArithmeticError):
                    _, reason = check(cell)
                    flags += [] if reason is None else [reason.of(column)]
        are_read = are_read and all(not cell or binary.is_base64(cell) for cell in cells[len(plan.told_cells) :])
    if plan.binaries and not are_read:
        return _with_binaries(plan, before, after, flags)
    return Told(None, None, tuple(dict.fromkeys(flags))) if len(flags) > len(lossy) else None


def _with_binaries(plan: _Plan, before_text: str | None, after_text: str | None, flags: list[str]) -> Told:
    unsure = [name for name in plan.binaries if name + _BINARY_UNSURE in flags]
    before, after = (None if text is None else _read_image(text) for text in (before_text, after_text))
    known = {name + _BINARY_UNSURE for name in unsure}
    flags = [flag for flag in flags if flag not in known]
    flags += binary.settle(
        (after, before), _to_read(plan, unsure), plan.key, of_new=unsure, of_neither=Lossy.BINARY_UNSURE
    )
    return Told(
        None if before is None else write_json(before),
        None if after is None else write_json(after),
        tuple(dict.fromkeys(flags)),
    )


@lru_cache(maxsize=10_000)
def _cells_reader(columns: tuple[str, ...]) -> Callable[[str], Sequence[str | None]]:
    """Reads some cells of an image, and passes over the others, which takes a fraction of the time."""
    fields = [f"cell_{place}" for place in range(len(columns))]
    try:
        some = msgspec.defstruct(
            "Cells", [(field, str | None, None) for field in fields], rename=dict(zip(fields, columns, strict=True))
        )
    except ValueError:  # a name that JSON escapes
        return lambda text: [*map(_read_image(text).get, columns)]
    read = msgspec.json.Decoder(some).decode
    return lambda text: msgspec.structs.astuple(read(text))


@collector_off()
def unsure_cells_batch(
    protocols: pa.Array[Any],
    table_schemas: pa.Array[Any],
    options_texts: pa.Array[Any],
    befores: pa.Array[Any],
    afters: pa.Array[Any],
    lossy: pa.Array[Any],
) -> pa.Array[Any]:
    """`unsure_cells` for arrays of the same length: an array of structs, null where nothing is told."""
    rows = zip(
        *map(_repeated, (protocols, table_schemas, options_texts)),
        *(array.to_pylist() for array in (befores, afters, lossy)),
        strict=True,
    )
    found = [
        None if schema is None else unsure_cells(protocol, schema, options_text, before, after, tuple(flags or ()))
        for protocol, schema, options_text, before, after, flags in rows
    ]
    columns = list(zip(*(told or _NOTHING for told in found), strict=True)) or [()] * len(_NOTHING)
    arrays = [pa.array(column, arrow_type) for column, (_, _, arrow_type) in zip(columns, _CELL_FIELDS, strict=True)]
    fields = [pa.field(name, arrow_type) for name, _, arrow_type in _CELL_FIELDS]
    return pa.StructArray.from_arrays(arrays, fields=fields)


def _repeated(texts: pa.Array[Any]) -> list[str | None]:
    """The texts of an array, with one object for equal ones: a schema is longer than its rows, and hashed for each."""
    encoded = texts.dictionary_encode()
    values = [*encoded.dictionary.to_pylist(), None]
    return [values[place] for place in encoded.indices.fill_null(len(values) - 1).to_pylist()]


@collector_off()
def resolve_batch(
    protocols: pa.Array[Any],
    table_schemas: pa.Array[Any],
    options_texts: pa.Array[Any],
    row_keys: pa.Array[Any],
    before_keys: pa.Array[Any],
    befores: pa.Array[Any],
    afters: pa.Array[Any],
    lossy: pa.Array[Any],
    checksums: pa.Array[Any],
    key_columns: pa.Array[Any],
) -> pa.Array[Any]:
    """`resolve` for arrays of the same length; gives an array of structs with the members of `Row`."""
    context = zip(
        *(_repeated(array) for array in (protocols, table_schemas, options_texts)),
        checksums.to_pylist(),
        _repeated(key_columns),
        strict=True,
    )
    images = (row_keys, before_keys, befores, afters)
    rows = zip(*(array.to_pylist() for array in images), lossy.to_pylist(), strict=True)
    resolved = [
        resolve(Row(key, old_key, before, after, tuple(flags or ())), *of_row)
        for (key, old_key, before, after, flags), of_row in zip(rows, context, strict=True)
    ]
    columns = list(zip(*resolved, strict=True)) or [()] * len(_FIELDS)
    arrays = [pa.array(column, arrow_type) for column, (_, _, arrow_type) in zip(columns, _FIELDS, strict=True)]
    return pa.StructArray.from_arrays(arrays, fields=[pa.field(name, arrow) for name, _, arrow in _FIELDS])


@collector_off()
def complete_batch(
    protocols: pa.Array[Any],
    table_schemas: pa.Array[Any],
    options_texts: pa.Array[Any],
    befores: pa.Array[Any],
    afters: pa.Array[Any],
    lossy: pa.Array[Any],
) -> pa.Array[Any]:
    """The images and flags that `resolve` gives rows whose key and checksum it would leave as they are.

    Arrays of the same length in, an array of structs out.
    """
    contexts = (protocols, table_schemas, options_texts, pc.binary_join(lossy, "\0"))
    _, examples, numbers = np.unique(numbered(*contexts), return_index=True, return_inverse=True)
    works = [_named_work(*(column[place].as_py() for column in contexts)) for place in examples.tolist()]
    images = [array.cast(pa.binary()) for array in (befores, afters)]
    parts: list[tuple[Numbers, list[pa.Array[Any]]]] = []
    is_left = np.ones(len(numbers), np.bool_)
    for number in np.flatnonzero(np.bincount(numbers) >= MANY):
        rows = np.flatnonzero(numbers == number)
        with suppress(msgspec.MsgspecError):  # a row has other columns than its table
            parts.append((rows, _completed_alike(works[number], [_some(image, rows) for image in images])))
            is_left[rows] = False
    if is_left.any() or not parts:
        rows = np.flatnonzero(is_left)
        works_of_rows = [works[number] for number in numbers[rows].tolist()]
        parts.append((rows, _completed_each(works_of_rows, [_some(image, rows) for image in images])))
    columns = [pa.concat_arrays(column) for column in zip(*(columns for _, columns in parts), strict=True)]
    if len(parts) > 1:
        order = np.argsort(np.concatenate([rows for rows, _ in parts]))
        columns = [column.take(pa.array(order)) for column in columns]
    return pa.StructArray.from_arrays(columns, names=["before", "after", "lossy"])


def _some(column: pa.Array[Any], rows: Numbers) -> pa.Array[Any]:
    return column if len(rows) == len(column) else column.take(pa.array(rows))


def _completed_each(works: Sequence[_NamedWork], images: Sequence[pa.Array[Any]]) -> list[pa.Array[Any]]:
    """Images and flags of rows, of each by itself."""
    before_texts, after_texts = Texts(), Texts()
    places: dict[tuple[str, ...], int] = {}
    place_of_rows: list[int] = []
    rows = zip(works, *(array.to_pylist() for array in images), strict=True)
    for row, ((work, flags), before, after) in enumerate(rows):
        if work is None:
            before_texts.add(row, before)
            after_texts.add(row, after)
        else:
            before_image, after_image, all_flags = _canonical_images(before, after, work)
            if before_image is not None:
                before_texts.write(row, before_image)
            if after_image is not None:
                after_texts.write(row, after_image)
            if len(all_flags) > len(flags):
                flags = tuple(dict.fromkeys(all_flags))
        place_of_rows.append(places.setdefault(flags, len(places)))
    known_flags = pa.array([*places], pa.list_(pa.string()))
    texts = (column.array(len(place_of_rows)) for column in (before_texts, after_texts))
    return [*texts, known_flags.take(pa.array(place_of_rows, pa.int32()))]


_CHUNK = 250
"""Images that are objects at once: those of a whole batch do not fit into the processor's cache."""


def _completed_alike(named_work: _NamedWork, images: Sequence[pa.Array[Any]]) -> list[pa.Array[Any]]:
    """Images and flags of rows that have the same to do, cell by cell.

    Raises `msgspec.MsgspecError` where a row has other columns than the plan, or cells that are read together.
    """
    work, flags = named_work
    if work is not None and work.new_binaries:
        raise msgspec.MsgspecError
    flagged: list[tuple[str, Numbers]] = []
    if work is not None:
        images = [_finished_column(texts, work, flagged) for texts in images]
    count = len(images[0])
    lossy = flags_of_rows(flags, flagged, count)
    if not isinstance(lossy, pa.Array):
        lossy = pa.array([lossy], pa.list_(pa.string())).take(pa.array(np.zeros(count, np.int32)))
    return [*(texts.view(pa.string()) for texts in images), lossy]


def _finished_column(texts: pa.Array[Any], work: _Work, flagged: list[tuple[str, Numbers]]) -> pa.Array[Any]:
    """A column of images as they are once their cells are known; appends which rows are flagged."""
    read = _image_reader(tuple(work.plan.cells))
    rows = np.flatnonzero(texts.is_valid())
    present = texts.drop_null().to_pylist()
    lines = bytearray()
    for start in range(0, len(present), _CHUNK):
        images = [*map(read, present[start : start + _CHUNK])]
        for name in work.fields_of_binaries:
            if not all(map(binary.is_base64, {cell for cell in map(attrgetter(name), images) if cell})):
                raise msgspec.MsgspecError
        for name, (column, convert, null_reason) in zip(work.fields, work.cells, strict=True):
            cells = [*map(attrgetter(name), images)]
            finished = {cell: _finished(cell, convert, null_reason) for cell in {*cells}}
            for image, cell in zip(images, cells, strict=True):
                setattr(image, name, finished[cell][0])
            for reason in {reason for _, reason in finished.values() if reason is not None}:
                places = np.flatnonzero([finished[cell][1] is reason for cell in cells])
                flagged.append((reason.of(column), rows[start + places]))
        lines += write_json_lines(images)
    return texts_of_lines(lines, rows, len(texts))


_NamedWork = tuple[_Work | None, tuple[str, ...]]


@lru_cache(maxsize=10_000)
def _named_work(protocol: str, table_schema: str | None, options_text: str | None, flag_text: str | None) -> _NamedWork:
    """What is to do for rows with these flags, which NUL parts, and the flags that stay."""
    flags = tuple(flag_text.split("\0")) if flag_text else ()
    work = _work_of(protocol, table_schema, options_text, flags) if table_schema else None
    return work, flags if work is None else tuple(dict.fromkeys(work.flags))


@lru_cache(maxsize=1_000)
def _image_reader(columns: tuple[str, ...]) -> Callable[[bytes], msgspec.Struct]:
    """Reads images that have exactly these columns; raises `msgspec.MsgspecError` for others."""
    struct = struct_of(dict.fromkeys(columns, str | None))
    if struct is None:
        raise msgspec.MsgspecError
    return msgspec.json.Decoder(struct).decode
