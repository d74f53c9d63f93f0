"""A message as text: bytes beside their signs, envelope, events cell by cell, and what became of it."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

from dbt_ticdc.inspection import second
from dbt_ticdc.inspection.reading import Message, Part, Reading
from dbt_ticdc.results import aligned, printable
from ticdc_udfs.contract.events import Event, Kind
from ticdc_udfs.contract.options import NAMES

_BYTES_A_LINE = 16
_LINES_SHOWN = 12
_LINES_AROUND = 3
_CELL_WIDTH = 60
_LONGEST = 400


@dataclass(frozen=True)
class Fate:
    """What became of a message, in sentences, and the types of columns that its tables had then, by table and name."""

    sentences: tuple[str, ...] = ()
    types: Mapping[tuple[str, str], Mapping[str, str]] = field(default_factory=dict)


def render(message: Message, reading: Reading, fate: Fate, package: Path, show_all: bool = False) -> str:
    """The page; bytes and texts are cut unless `show_all`."""
    parts = [
        _head(message, reading),
        *(_bytes(part, show_all) for part in reading.parts),
        _writer_schemas(message, show_all),
        _envelope(reading, show_all),
        *(
            _event(number, event, reading, fate, package, show_all, len(reading.events) > 1)
            for number, event in enumerate(reading.events)
        ),
        _second_reader(reading),
        "what became of it\n" + "".join(f"  {printable(line)}\n" for line in fate.sentences) if fate.sentences else "",
    ]
    return "\n".join(part for part in parts if part)


def _head(message: Message, reading: Reading) -> str:
    at = "" if message.timestamp is None else f", {_instant(message.timestamp)} UTC"
    # others may hold a secret, such as the URL of a registry
    read_by = {name: value for name, value in message.options.items() if name in NAMES}
    given = ", ".join(f"{name} {_option(value)}" for name, value in read_by.items())
    lines = [
        f"topic {printable(message.topic)}, partition {message.partition}, offset {message.offset}{at}",
        f"feed {printable(message.feed)}: {message.protocol}{', ' + printable(given) if given else ''}",
        f"key: {_size(message.key)}; value: {_size(message.value)}",
        *map(printable, message.notes),
    ]
    if reading.stopped:
        lines.append(f"the decoder stopped {printable(reading.stopped)}")
    return "\n".join(lines) + "\n"


def _option(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _size(data: bytes | None) -> str:
    return "null" if data is None else f"{len(data):,} byte{'' if len(data) == 1 else 's'}"


def _instant(millis: int) -> str:
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=millis)
    return f"{moment:%Y-%m-%d %H:%M:%S}.{moment.microsecond // 1000:03}"


def _bytes(part: Part, show_all: bool) -> str:
    count = -(-len(part.data) // _BYTES_A_LINE)
    stop_line = None if part.stopped_at is None else min(part.stopped_at, max(len(part.data) - 1, 0)) // _BYTES_A_LINE
    shown = [
        number
        for number in range(count)
        if show_all or number < _LINES_SHOWN or (stop_line is not None and abs(number - stop_line) <= _LINES_AROUND)
    ]
    lines = [f"{part.name}, {_size(part.data)}"]
    before = -1
    for number in shown:
        if number != before + 1:
            lines.append(f"  … {(number - before - 1) * _BYTES_A_LINE:,} bytes")
        lines.append(_line(part.data, number * _BYTES_A_LINE))
        if number == stop_line and part.stopped_at is not None:
            place = min(part.stopped_at - number * _BYTES_A_LINE, _BYTES_A_LINE)
            lines.append(" " * (12 + 3 * place) + "^^ the decoder stopped here")
        before = number
    if before + 1 < count:
        lines.append(f"  … {len(part.data) - (before + 1) * _BYTES_A_LINE:,} more bytes: --all shows them")
    if part.fields:
        rows = [(f"{start}", f"{end - 1}", printable(name)) for name, start, end in part.fields if end > start]
        shown_rows = rows if show_all else rows[:_LINES_SHOWN]
        lines.append(
            _indented(aligned(("from byte", "to byte", "field"), shown_rows, right=frozenset({0, 1}))).rstrip("\n")
        )
        if len(rows) > len(shown_rows):
            lines.append(f"  … {len(rows) - len(shown_rows):,} more fields: --all shows them")
    return "\n".join(lines) + "\n"


def _line(data: bytes, start: int) -> str:
    """Sixteen bytes: the place of the first, all in hex, and what is a sign of ASCII."""
    line = data[start : start + _BYTES_A_LINE]
    signs = "".join(chr(byte) if 32 <= byte < 127 else "." for byte in line)
    return f"  {start:08x}  {line.hex(' '):<{3 * _BYTES_A_LINE - 1}}  |{signs}|"


def _writer_schemas(message: Message, show_all: bool) -> str:
    names = ("table's schema files", "header of the file") if message.protocol == "storage_csv" else ("key", "value")
    lines = []
    for name, schema in zip(names, message.schemas, strict=False):
        if schema:
            text = schema.decode(errors="replace") if isinstance(schema, bytes) else schema
            lines.append(f"  {name}: {_cut(printable(text), show_all)}")
    return "writer schema\n" + "\n".join(lines) + "\n" if lines else ""


def _envelope(reading: Reading, show_all: bool) -> str:
    if not reading.second.envelope:
        return ""
    width = max(len(printable(name)) for name, _ in reading.second.envelope)
    lines = [
        f"  {printable(name):<{width}}  {_cut(printable(text), show_all)}" for name, text in reading.second.envelope
    ]
    return f"envelope, as {reading.second.library} reads it\n" + "\n".join(lines) + "\n"


def _cut(text: str, show_all: bool, longest: int = _LONGEST) -> str:
    return text if show_all or len(text) <= longest else text[: longest - 1] + "…"


def _event(
    number: int, event: Event, reading: Reading, fate: Fate, package: Path, show_all: bool, has_others: bool
) -> str:
    name = f"event {number}: " if has_others else "event: "
    if event.kind == Kind.ERROR:
        return name + _dead_letter(event, package)
    commit = "" if event.commit_ts is None else f", commit {event.commit_ts} ({_instant(event.commit_ts >> 18)} UTC)"
    exact = "" if event.commit_ts_exact else ", of which only the millisecond is known"
    kind = f"{event.kind}{f' {event.op}' if event.op else ''}"
    lines = [name + kind + commit + exact]
    if event.table_name is not None:
        lines.append(f"  table {printable('.'.join(filter(None, (event.schema_name, event.table_name))))}")
    if event.ddl_query is not None:
        lines.append(f"  {_cut(printable(event.ddl_query), show_all)}")
    for title, text in (
        ("row key", event.row_key),
        ("key before", event.before_key),
        ("file that holds the row", event.claim_check),
        ("checksum that does not fit", event.checksum_mismatch),
    ):
        if text is not None:
            shown = text.decode() if isinstance(text, bytes) else text
            lines.append(f"  {title}: {_cut(printable(shown), show_all)}")
    images = reading.second.images[number] if number < len(reading.second.images) else (None, None)
    types = _types(event, fate)
    if event.kind == Kind.ROW:
        lines.append(_indented(_cells(event, types, images, show_all)).rstrip("\n"))
    elif event.table_schema is not None:
        rows = [(printable(column), printable(kind)) for column, kind in types.items()]
        lines.append(_indented(aligned(("column", "type"), rows)).rstrip("\n"))
    lines += _flags(event, package)
    return "\n".join(lines) + "\n"


def _types(event: Event, fate: Fate) -> Mapping[str, str]:
    if event.table_schema is not None:
        return {column["name"]: column["type"] for column in json.loads(event.table_schema)}
    return fate.types.get((event.schema_name or "", event.table_name or ""), {})


def _cells(event: Event, types: Mapping[str, str], wire: Sequence[Any], show_all: bool) -> str:
    """A line for each column: its type, canonical text before and after, its flags, and how the message has it."""
    images = [None if text is None else json.loads(text) for text in (event.before, event.after)]
    shown = [(name, image) for name, image in zip(("before", "after"), images, strict=True) if image is not None]
    names = dict.fromkeys(column for _, image in shown for column in image)
    flags: dict[str, list[str]] = {}
    for flag in event.lossy:
        column, _, reason = flag.rpartition(":")
        flags.setdefault(column, []).append(reason)
    rows = []
    for column in names:
        cells = [_cell(image.get(column), column in image, show_all) for _, image in shown]
        told = wire[1] if wire[1] is not None and column in wire[1] else wire[0]
        of_image = images[1] if told is wire[1] else images[0]
        written = _as_written(told, column, (of_image or {}).get(column), show_all)
        rows.append(
            (printable(column), printable(types.get(column, "-")), *cells, ", ".join(flags.get(column, ())), written)
        )
    return aligned(("column", "type", *(name for name, _ in shown), "flags", "as written"), rows)


def _cell(text: str | None, is_there: bool, show_all: bool) -> str:
    if not is_there:
        return "-"
    return "NULL" if text is None else _cut(printable(text), show_all, _CELL_WIDTH)


def _as_written(image: Mapping[str, Any] | None, column: str, canonical: str | None, show_all: bool) -> str:
    """What the second reader has, where that is no text alike."""
    if image is None or column not in image:
        return ""
    text = second.cell_text(image[column])
    if text == canonical:
        return "the same"
    return "null" if text is None else _cut(printable(text), show_all, _CELL_WIDTH)


def _flags(event: Event, package: Path) -> Iterator[str]:
    for reason in dict.fromkeys(flag.rpartition(":")[2] for flag in event.lossy):
        known = seed(package, "ticdc__fidelity_reasons").get(reason, {})
        yield f"  flag {reason}: {known.get('meaning', '')}\n    what helps: {known.get('remedy', '')}"


def _dead_letter(event: Event, package: Path) -> str:
    known = seed(package, "ticdc__error_codes").get(event.error_code or "", {})
    return (
        f"none, the message is a dead letter\n  {event.error_code}: {printable(event.error_message or '')}\n"
        f"  {known.get('meaning', '')}\n  what heals it: {known.get('remedy', '')}\n"
    )


def _second_reader(reading: Reading) -> str:
    again = reading.second
    if again.library is None:
        return "read a second time: there is no independent library for this protocol\n"
    if reading.differences:
        lines = [f"  {printable(text)}" for text in reading.differences]
        return f"read a second time by {again.library}: both differ\n" + "\n".join(lines) + "\n"
    told = "both read the same" if again.error is None else f"it does not read it either: {printable(again.error)}"
    return f"read a second time by {again.library}: {told}\n"


@cache
def seed(package: Path, name: str) -> Mapping[str, Mapping[str, str]]:
    """The rows of a seed by their first column."""
    with (package / "seeds" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        rows = [*csv.DictReader(file)]
    return {next(iter(row.values())): row for row in rows}


def _indented(text: str) -> str:
    return "".join(f"  {line}\n" for line in text.splitlines())
