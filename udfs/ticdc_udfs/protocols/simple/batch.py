"""Simple rows in JSON of a batch, those of one table and operation together: several times as fast as one by one.

The events are those of `simple.decode`, byte for byte; it also decodes every message that is not as it should be.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ticdc_udfs.contract import arrow
from ticdc_udfs.contract.events import Event
from ticdc_udfs.contract.options import Options
from ticdc_udfs.contract.schemas import write_json
from ticdc_udfs.protocols.simple import message
from ticdc_udfs.wire.json_columns import Alike, JsonMessages, Layout, Path, Tokens, decode_alike
from ticdc_udfs.wire.message_columns import Flags, Numbers, Texts, json_objects


@arrow.collector_off()
def decode_batch(keys: pa.Array[Any], values: pa.Array[Any], options_texts: pa.Array[Any]) -> pa.Array[Any]:
    """The event of each message, as `arrow.decode_each` gives it."""
    return decode_alike(message.decode, _decoded, keys, values, options_texts)


def _decoded(keys: pa.Array[Any], values: pa.Array[Any], places: Numbers, feed: Options) -> Iterator[arrow.Rows]:
    del keys
    messages = JsonMessages(values)
    for _, rows in messages.alike(places, _is_value):
        rows = rows.only(_have_cells(rows))
        with suppress(Exception):
            (first,) = message.decode(None, values[int(rows.rows[0])].as_py(), feed)
            if _is_of_rows(rows.layout) and first.lossy == message.NO_SCHEMA and first.checksum is None:
                yield arrow.Rows(rows.rows, _members(rows, first))


_COMMIT_TS, _BUILD_TS = ("commitTs",), ("buildTs",)
_IMAGES = {"old": "before", "data": "after"}
_CELLS = tuple((image,) for image in _IMAGES)
_UTC = b'{"location":"UTC","value":'


def _is_value(path: Path) -> bool:
    return path in (_COMMIT_TS, _BUILD_TS) or (path[:1] in _CELLS and path[1:] != () and path[2:] in ((), ("value",)))


def _is_of_rows(layout: Layout) -> bool:
    """Whether messages are rows with their images whole, and timestamps in UTC."""
    sizes = Counter(path[0] for path in layout.paths if path[0] in _IMAGES)
    return len({*sizes.values()}) == 1 and all(
        before.endswith(_UTC) and after.startswith(b"}")
        for path, before, after in zip(layout.paths, layout.around, layout.around[1:], strict=False)
        if path[2:]
    )


def _have_cells(rows: Alike) -> Flags:
    """In which messages all cells are texts or NULL."""
    good = np.ones(len(rows.rows), np.bool_)
    for path, tokens in rows.values.items():
        if path[0] in _IMAGES:
            is_text = tokens.is_text()
            good &= is_text if path[2:] or is_text.all() else is_text | tokens.is_null()
    return good


def _members(rows: Alike, first: Event) -> dict[str, Any]:
    """The members of the rows' events, of which the first is given. Raises `ValueError` where a text is not UTF-8."""
    commit_ts, _ = (rows.values[path].integers() for path in (_COMMIT_TS, _BUILD_TS))
    members = first._asdict() | {"commit_ts": commit_ts, "lossy": [*first.lossy]}
    if pc.min(commit_ts).as_py() < 0:
        raise ValueError("a commit is below 0")
    for image, member in _IMAGES.items():
        columns = {path[1]: tokens for path, tokens in rows.values.items() if path[0] == image}
        if columns:
            members[member] = _images(columns, getattr(first, member).decode())
    return members


def _images(columns: Mapping[str, Tokens], first: str) -> Texts:
    """The images of rows, of which the first is given; in the message they stand as they are, but for timestamps."""
    tokens = [*columns.values()]
    before_value = len(write_json(next(iter(columns)))) + len("{:")
    images = Tokens(tokens[0].messages, tokens[0].start - before_value, tokens[-1].end + len("}")).texts()
    if images[0].as_py() != first:
        images = json_objects({name: cells.texts() for name, cells in columns.items()})
        if images[0].as_py() != first:
            raise ValueError("the encoder writes names in another way")
    images.validate(full=True)
    return images
