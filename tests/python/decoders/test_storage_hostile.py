"""Whatever bytes a file holds, each row gives one event, which is an error of the closed list where it is none."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from support.corpus import SAMPLE
from support.hostile import cases
from support.storage import DECODERS, StorageVariant, variants

from ticdc_udfs.contract import arrow, options
from ticdc_udfs.contract.events import ErrorCode, Event, Kind
from ticdc_udfs.sources.files import CSV, path_of, rows_of

VARIANTS = {variant.name: variant for variant in variants(SAMPLE)}
names = st.sampled_from([*VARIANTS])
flips = st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.integers(1, 255)), min_size=1, max_size=8)
places = st.integers(0, 10**9)


@cache
def _messages(name: str) -> list[tuple[Any, ...]]:
    return [message for message in VARIANTS[name].messages() if len(message[1] or b"") <= 4096]


def _checked(variant: StorageVariant, *message: Any) -> Event:
    (event,) = arrow.decode_message(DECODERS[variant.protocol], *message)
    assert event.kind in set(Kind)
    if event.kind == Kind.ERROR:
        assert event.error_code in set(ErrorCode) - {ErrorCode.INTERNAL_ERROR}, event.error_message
    elif event.kind == Kind.ROW:
        assert event.commit_ts and event.op and event.commit_ts_exact
        for image in filter(None, (event.row_key, event.before, event.after)):
            assert all(text is None or isinstance(text, str) for text in json.loads(image).values())
    return event


def _flipped(value: bytes, flips: list[tuple[float, int]]) -> bytes:
    broken = bytearray(value)
    for place, byte in flips if value else []:
        broken[int(place * len(broken))] ^= byte
    return bytes(broken)


@cases(3000)
@given(names, places, flips)
def test_flipped_bytes(name: str, place: int, flips: list[tuple[float, int]]) -> None:
    key, value, *more = _messages(name)[place % len(_messages(name))]
    _checked(VARIANTS[name], key, _flipped(value, flips), *more)


@cases(2000)
@given(names, places, st.floats(0, 1), st.floats(0, 1))
def test_cut_bytes(name: str, place: int, start: float, end: float) -> None:
    key, value, *more = _messages(name)[place % len(_messages(name))]
    _checked(VARIANTS[name], key, value[int(min(start, end) * len(value)) : int(max(start, end) * len(value))], *more)


@cases(2000)
@given(names, places, st.binary(max_size=200), st.binary(max_size=100))
def test_any_bytes_and_paths(name: str, place: int, value: bytes, path: bytes) -> None:
    key, _, *more = _messages(name)[place % len(_messages(name))]
    _checked(VARIANTS[name], key, value, *more)
    _checked(VARIANTS[name], path, value, *more)


@cases(2000)
@given(st.sampled_from([name for name in VARIANTS if VARIANTS[name].protocol == CSV]), places, flips)
def test_flipped_schema_files_and_headers(name: str, place: int, flips: list[tuple[float, int]]) -> None:
    rows = [message for message in _messages(name) if message[3]]
    key, value, text, schemas, header = rows[place % len(rows)]
    broken = _flipped(schemas.encode(), flips).decode("utf-8", "replace")
    _checked(VARIANTS[name], key, value, text, broken, header)
    _checked(VARIANTS[name], key, value, text, schemas, _flipped(header or b"", flips))


@cases(1000)
@given(names, places, flips, st.floats(0, 1))
def test_files_give_all_of_their_rows(name: str, place: int, flips: list[tuple[float, int]], end: float) -> None:
    """Whatever a file holds, its bytes are in its rows, but for those of a row that is cut off."""
    variant = VARIANTS[name]
    data = [path for path in variant.files if path_of(path).version and "/CDC" in path]
    content = variant.files[data[place % len(data)]][:100_000]
    content = _flipped(content[: int(end * len(content))], flips)
    feed = options.parse(json.dumps(variant.options))
    header, rows = rows_of(content, variant.protocol, feed)
    terminator = feed.csv.terminator.encode()
    whole = [row for row in ([] if header is None else [header]) + rows if row is not None]
    assert content.startswith(b"".join(row + terminator for row in whole))
    assert None not in rows[:-1]
    assert sum(len(row) + len(terminator) for row in whole) == len(content) or rows[-1] is None
