"""Proves a mart: the rows as of a commit against TiDB's own, checksums of chunks first, then rows and cells."""

from __future__ import annotations

import hashlib
import json
import os
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from itertools import zip_longest
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

from dbt_ticdc import truth
from dbt_ticdc.errors import TicdcError
from dbt_ticdc.results import aligned, printable
from dbt_ticdc.target import Ask, has_table
from dbt_ticdc.truth import Column, Image, TableName
from ticdc_udfs.contract import values
from ticdc_udfs.contract.events import Lossy
from ticdc_udfs.contract.identifiers import text_literal
from ticdc_udfs.contract.schemas import write_json

Columns = Mapping[TableName, Sequence[Column]]
_Chunk = tuple[str, str, int]

_CHUNKS = 256  # of each table
_ROWS_AT_ONCE = 500_000  # of both sides that are held in memory
_BYTES_FOR_ONE_PROCESS = 16_000_000  # to start another one takes a second
_SHOWN = 5  # differences of each table
_COUNTS = ("cells", "flagged", "wrong", "missing", "extra")
# Flags of a whole row that say nothing of its cells.
_OF_NO_CELL = frozenset({Lossy.NO_KEY.of(), Lossy.NO_COMMIT_TS.of()})
# What `_checksum_of` and `_chunk_of` give. The mart numbers the second and further copies of a row of a table without
# key; no column of TiDB has an empty name.
_MART = """(
    select
        *,
        cast(pmod(crc32(cast(row_key as binary)), {chunks}) as int) as chunk,
        cast(conv(substring(md5(cast(row as binary)), 1, 15), 16, 10) as decimal(38, 0)) as checksum
    from (
        select
            schema_name,
            table_name,
            if(
                array_contains(lossy, '*:no_key'), regexp_replace(row_key, ',"":"[0-9]+"}}$', '}}'), row_key
            ) as row_key,
            row,
            coalesce(lossy, cast(array() as array<string>)) as lossy
        from ticdc__rows_as_of({commit_ts})
        where feed = {feed}
    )
)"""
_CHECKSUMS = """
select
    schema_name,
    table_name,
    chunk,
    cast(sum(checksum) as string) as checksum,
    count(*) as row_count,
    sum(size(lossy)) as flags
from {mart} as mart
group by schema_name, table_name, chunk"""
_ROWS = """
select
    mart.schema_name,
    mart.table_name,
    mart.row_key,
    mart.row,
    to_json(mart.lossy) as lossy
from {mart} as mart
inner join (select * from values {chunks} as named (schema_name, table_name, chunks)) as suspect
    on
        mart.schema_name = suspect.schema_name
        and mart.table_name = suspect.table_name
        and array_contains(suspect.chunks, mart.chunk)"""


@dataclass
class Tally:
    """What was found in a table: upstream rows, compared cells, what is not equal, the first differences by row key."""

    rows: int = 0
    cells: int = 0
    flagged: int = 0
    wrong: int = 0
    missing: int = 0
    extra: int = 0
    differences: list[tuple[str, str]] = field(default_factory=list)

    @property
    def is_equal(self) -> bool:
        """Whether no cell is wrong, and no row is missing or extra; flagged cells are not wrong."""
        return not (self.wrong or self.missing or self.extra)


@dataclass(frozen=True)
class Report:
    """The comparison of every table of the truth, and how many rows the mart has of tables that it lacks."""

    tables: Mapping[TableName, Tally]
    not_in_truth: Mapping[TableName, int]

    @property
    def is_equal(self) -> bool:
        """Whether every table of the truth is equal."""
        return all(tally.is_equal for tally in self.tables.values())

    def text(self) -> str:
        """The report in words and one table; ends with `equal` or `different`."""
        found = sorted(self.tables.items())
        counted = {_name(table): (tally.rows, *counts(tally)) for table, tally in found}
        counted["all"] = tuple(map(sum, zip(*counted.values(), strict=True)))
        texts = [(name, *(f"{count:,}" for count in of)) for name, of in counted.items()]
        parts = [aligned(("table", "rows", *_COUNTS), texts, right=frozenset(range(1, 7)))]
        for table, tally in found:
            if not tally.is_equal:
                parts.append(f"{_name(table)}:\n" + "".join(f"  {printable(line)}\n" for _, line in tally.differences))
        if self.not_in_truth:
            others = ", ".join(f"{_name(table)} ({rows:,})" for table, rows in sorted(self.not_in_truth.items()))
            parts.append(f"not compared, as the truth has no such table (rows): {others}\n")
        different = sum(not tally.is_equal for tally in self.tables.values())
        parts.append(f"different: {different} of {len(found)} tables\n" if different else "equal\n")
        return "\n".join(parts)


def counts(tally: Tally) -> tuple[int, ...]:
    """Cells, flagged and wrong ones, missing and extra rows."""
    return tuple(getattr(tally, name) for name in _COUNTS)


def feed_and_commit(ask: Ask, feed: str | None, commit_ts: int | None) -> tuple[str, int]:
    """The feed, which may be left out where there is one, and the commit, by default what it is complete through.

    A feed without watermarks is taken as of its last commit. Raises `TicdcError`.
    """
    if not has_table(ask, "ticdc__completeness"):
        raise TicdcError("the schema (--schema) has no ticdc__completeness; `ticdc run` or `dbt build` makes it")
    found = ask("select feed, max(complete_through_ts) as complete_through_ts from ticdc__completeness group by feed")
    feeds: dict[str, int | None] = {row[0]: row[1] for row in found}
    if feed is None and len(feeds) == 1:
        (feed,) = feeds
    if feed is None or feed not in feeds:
        raise TicdcError(f"--feed: got {feed or 'nothing'}; feeds that are there: {', '.join(sorted(feeds)) or 'none'}")
    if commit_ts is not None:
        return feed, commit_ts
    complete_through = feeds[feed]
    if complete_through is None:
        query = f"select max(commit_ts) as commit_ts from ticdc__changelog where feed = {text_literal(feed)}"
        complete_through = ask(query)[0][0]
    if not complete_through:
        raise TicdcError(f"the feed {feed} is not complete through any commit yet; --as-of names one")
    return feed, complete_through


def columns_as_of(ask: Ask, feed: str, commit_ts: int) -> Columns:
    """The columns of each table of a feed as of a commit, in table order, as the catalogue knows them."""
    found = ask(
        "select schema_name, table_name, column_name, column_type, key_position, generated from ticdc__columns "
        f"where feed = {text_literal(feed)} and valid_from_ts <= {commit_ts} "
        f"and coalesce(valid_to_ts > {commit_ts}, true) order by schema_name, table_name, ordinal_position"
    )
    columns: dict[TableName, list[Column]] = {}
    for schema, table, name, column_type, key_position, generated in found:
        columns.setdefault((schema, table), []).append(Column(name, column_type, bool(key_position), generated))
    return columns


def compare(
    ask: Ask,
    feed: str,
    commit_ts: int,
    files: Mapping[TableName, Sequence[Path]],
    form: truth.Form,
    columns: Columns,
    with_values: bool = False,
) -> Report:
    """The rows of a feed as of a commit against those in the files of each table.

    The names of `files` are the tables to compare; one without files is empty. With values the differences show what
    both sides hold. Raises `TicdcError` where a file cannot be read, the mart cannot be asked of that commit, or there
    is nothing to compare.
    """
    if not files:
        raise TicdcError(f"no table of the feed {feed} is known as of commit {commit_ts}: nothing is compared")
    mart = _MART.format(chunks=_CHUNKS, commit_ts=commit_ts, feed=text_literal(feed))
    tallies = {table: Tally() for table in files}
    not_in_truth: dict[TableName, int] = {}
    suspect: dict[_Chunk, int] = {}
    here = {
        (schema, table, chunk): _Checksum(int(checksum), rows, 0, flags)
        for schema, table, chunk, checksum, rows, flags in ask(_CHECKSUMS.format(mart=mart))
    }
    for chunk, there in _checksums(files, form, columns).items():
        tally, same = tallies[chunk[:2]], here.pop(chunk, _Checksum())
        tally.rows += there.rows
        if (same.checksum, same.rows, same.flags) == (there.checksum, there.rows, 0):
            tally.cells += there.cells
        else:
            suspect[chunk] = there.rows + same.rows
    for chunk, extra in here.items():
        if chunk[:2] in tallies:
            suspect[chunk] = extra.rows
        else:
            not_in_truth[chunk[:2]] = not_in_truth.get(chunk[:2], 0) + extra.rows
    for chunks in _some_at_once(suspect):
        of_mart = _rows_here(ask, mart, chunks)
        of_truth = _rows_there(files, form, columns, chunks)
        _judge(of_truth, of_mart, tallies, columns, with_values)
    return Report(tallies, not_in_truth)


class _Checksum(NamedTuple):
    checksum: int = 0
    rows: int = 0
    cells: int = 0
    flags: int = 0


def _chunk_of(row_key: bytes) -> int:
    return zlib.crc32(row_key) % _CHUNKS


def _checksum_of(row: bytes) -> int:
    return int(hashlib.md5(row, usedforsecurity=False).hexdigest()[:15], 16)


def _checksums(
    files: Mapping[TableName, Sequence[Path]], form: truth.Form, columns: Columns
) -> dict[_Chunk, _Checksum]:
    """The checksums of the files' rows, by several processes where there is much to read."""
    parts = [(table, path) for table, paths in files.items() for path in paths]
    read = partial(_checksums_of_file, form=form)
    told = [(table, path, columns.get(table, ())) for table, path in parts]
    found: dict[_Chunk, _Checksum] = {}
    for (table, _), chunks in zip(parts, _mapped(read, told), strict=True):
        for chunk, checksum in chunks.items():
            before = found.get((*table, chunk), _Checksum())
            found[(*table, chunk)] = _Checksum(*map(sum, zip(before, checksum, strict=True)))
    return found


_Told = tuple[TableName, Path, Sequence[Column]]


def _mapped(read: Callable[[_Told], dict[int, _Checksum]], told: Sequence[_Told]) -> Iterable[dict[int, _Checksum]]:
    if len(told) < 2 or sum(path.stat().st_size for _, path, _ in told) < _BYTES_FOR_ONE_PROCESS:
        return map(read, told)
    # this one has threads of Spark, which no fork takes along
    with ProcessPoolExecutor(min(len(told), os.cpu_count() or 1), get_context("spawn")) as pool:
        return list(pool.map(read, told))


def _checksums_of_file(told: _Told, form: truth.Form) -> dict[int, _Checksum]:
    _, path, columns = told
    checksums, rows, cells = ([0] * _CHUNKS for _ in range(3))
    for image, key in _images(path, columns, form):
        chunk = _chunk_of(key)
        checksums[chunk] += _checksum_of(write_json(image))
        rows[chunk] += 1
        cells[chunk] += len(image)
    return {chunk: _Checksum(checksums[chunk], rows[chunk], cells[chunk]) for chunk in range(_CHUNKS) if rows[chunk]}


def _images(path: Path, columns: Sequence[Column], form: truth.Form) -> Iterator[tuple[Image, bytes]]:
    """The rows of a file, each with its key as the mart writes it."""
    for image in truth.rows(path, columns, form):
        yield image, write_json(truth.key(image, columns))


def _some_at_once(suspect: Mapping[_Chunk, int]) -> Iterator[dict[TableName, set[int]]]:
    """The chunks by table, as many together as fit in memory."""
    chunks: dict[TableName, set[int]] = {}
    rows = 0
    for (schema, table, chunk), count in sorted(suspect.items()):
        if chunks and rows + count > _ROWS_AT_ONCE:
            yield chunks
            chunks, rows = {}, 0
        chunks.setdefault((schema, table), set()).add(chunk)
        rows += count
    if chunks:
        yield chunks


_Rows = dict[tuple[TableName, str], list[tuple[str, Sequence[str]]]]
"""Rows with their flags by table and key; those of a table without key may be equal."""


def _rows_here(ask: Ask, mart: str, chunks: Mapping[TableName, set[int]]) -> _Rows:
    named = ", ".join(
        f"({text_literal(schema)}, {text_literal(table)}, array({', '.join(map(str, sorted(some)))}))"
        for (schema, table), some in chunks.items()
    )
    found: _Rows = {}
    for schema, table, key, row, lossy in ask(_ROWS.format(mart=mart, chunks=named)):
        found.setdefault(((schema, table), key), []).append((row, json.loads(lossy)))
    return found


def _rows_there(
    files: Mapping[TableName, Sequence[Path]], form: truth.Form, columns: Columns, chunks: Mapping[TableName, set[int]]
) -> _Rows:
    found: _Rows = {}
    for table, some in chunks.items():
        for path in files[table]:
            for image, key in _images(path, columns.get(table, ()), form):
                if _chunk_of(key) in some:
                    found.setdefault((table, key.decode()), []).append((write_json(image).decode(), ()))
    return found


def _judge(there: _Rows, here: _Rows, tallies: Mapping[TableName, Tally], columns: Columns, with_values: bool) -> None:
    for table, key in sorted({*there, *here}):
        tally, known = tallies[table], columns.get(table, ())
        pairs = zip_longest(*(sorted(side.get((table, key), ())) for side in (there, here)))
        for of_truth, of_mart in pairs:
            upstream, mart = (None if row is None else json.loads(row[0]) for row in (of_truth, of_mart))
            verdict = judged(upstream, mart, of_mart[1] if of_mart else (), known, with_values)
            for name in _COUNTS:
                setattr(tally, name, getattr(tally, name) + getattr(verdict, name))
            if verdict.difference is not None:
                # without a key the row key is all values
                is_named = with_values or any(column.is_key for column in known)
                told = f"{key if is_named else 'a row without key'} {verdict.difference}"
                tally.differences = sorted([*tally.differences, (key, told)])[:_SHOWN]


class Verdict(NamedTuple):
    """What is to be said of one row; `difference` is None where it is equal."""

    cells: int = 0
    flagged: int = 0
    wrong: int = 0
    missing: int = 0
    extra: int = 0
    difference: str | None = None


def judged(
    there: Image | None, here: Image | None, lossy: Sequence[str], columns: Sequence[Column], with_values: bool = False
) -> Verdict:
    """A row upstream and in the mart, None where it is not there; `lossy` are the flags of the mart's row.

    Columns that TiDB computes need not be in an export, as dumpling leaves them out.
    """
    if here is None:
        return Verdict(missing=1, difference="is missing")
    if there is None:
        return Verdict(extra=1, difference="is not upstream")
    by_name = {column.name: column for column in columns}
    flags = [flag.rpartition(":") for flag in lossy]
    flagged_columns = {column for column, _, _ in flags}
    row_is_flagged = not _OF_NO_CELL.issuperset(flag for flag in lossy if flag.startswith("*:"))
    cells = flagged = 0
    wrong = []
    for name in dict.fromkeys((*there, *here)):
        column = by_name.get(name) or Column(name)
        if name not in there and column.generated:
            continue
        cells += 1
        if name in flagged_columns or (row_is_flagged and not column.is_key):
            flagged += 1
        elif name not in there or name not in here or not _is_same(there[name], here[name], column.type):
            wrong.append(name)
    if not wrong:
        return Verdict(cells, flagged)
    if with_values:
        texts = (f"{name}: upstream {_shown(there, name)}, here {_shown(here, name)}" for name in wrong)
        return Verdict(cells, flagged, len(wrong), difference="; ".join(texts))
    return Verdict(cells, flagged, len(wrong), difference=", ".join(wrong))


def _is_same(there: str | None, here: str | None, column_type: str | None) -> bool:
    if there == here or there is None or here is None:
        return there == here
    texts = {"float": values.float_text, "double": values.double_text}
    text = texts.get(values.base_type(column_type or ""))
    try:
        return text is not None and text(float(there)) == text(float(here))
    except ValueError:
        return False


def _shown(image: Image, name: str) -> str:
    return json.dumps(image[name], ensure_ascii=False) if name in image else "no such column"


def _name(table: TableName) -> str:
    return printable(".".join(table))
