"""Writes dbt models for the typed tables of a feed to the user's own project, and keeps them up to date.

What the files say is of `ticdc_udfs.typed.codegen`. Each begins with a line that names the feed and holds a checksum of
the rest: so a later call knows which files it may replace or remove, and which someone has edited.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from enum import StrEnum
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import yaml

from dbt_ticdc.errors import TicdcError
from dbt_ticdc.target import Ask, has_table
from ticdc_udfs.typed import codegen

_COMMENTS = {".sql": "--", ".yml": "#"}
_HEAD = re.compile(r"(?:--|#) Written by `ticdc codegen --feed (\w+)`; checksum ([0-9a-f]{16})")


class Outcome(StrEnum):
    """What became of a file."""

    WRITTEN = "written"
    UNCHANGED = "unchanged"
    EDITED = "left alone, as it or its other half was edited, or is of another feed"
    REMOVED = "removed, as its table is gone"
    EDITED_AND_GONE = "left alone, as it or its other half was edited; its table is gone"


class _File(NamedTuple):
    """A file as it lies there: whose it is (None: the user's), and whether it is as it was written."""

    feed: str | None
    is_pristine: bool

    def is_pristine_of(self, feed: str) -> bool:
        """Whether it was written for this feed and is as it was written."""
        return self.is_pristine and self.feed == feed


def write(ask: Ask, feed: str, output: Path, history: bool = False) -> dict[Path, Outcome]:
    """Brings the models of the feed's typed tables in `output` up to date: `<model>.sql` and `<model>.yml` for each.

    Both files of a model are left alone where one of them was edited, was there before, or is of another feed. What is
    as it should be is not touched. Raises `TicdcError` for a feed without tables, and a folder that cannot be written.
    """
    wanted = models(ask, feed, history)
    outcomes: dict[Path, Outcome] = {}
    try:
        output.mkdir(parents=True, exist_ok=True)
        for name, texts in wanted.items():
            paths = {output / f"{name}{suffix}": text for suffix, text in texts.items()}
            is_edited = any(not _read(path).is_pristine_of(feed) for path in paths if path.exists())
            for path, text in paths.items():
                outcomes[path] = Outcome.EDITED if is_edited else _write(path, _head(path, feed, text) + text)
        outcomes.update(_clear(output, feed, wanted))
    except OSError as error:
        raise TicdcError(f"--output: {error.filename or output} cannot be written: {error.strerror}") from error
    return outcomes


def models(ask: Ask, feed: str, history: bool = False) -> dict[str, dict[str, str]]:
    """The models of a feed by name, each with the text of its `.sql` and its `.yml`; asked for by one query.

    Raises `TicdcError` for a feed without typed tables.
    """
    if not has_table(ask, "int_ticdc__typed_tables"):
        raise TicdcError("the schema (--schema) has no int_ticdc__typed_tables; `ticdc run` or `dbt build` makes it")
    found = ask(codegen.query(codegen.Request(feed, history)))
    feeds = sorted({of_feed for of_feed, _ in found})
    if feed not in feeds:
        raise TicdcError(f"--feed: {feed} has no typed tables; feeds that have: {', '.join(feeds) or 'none'}")
    return {
        model["name"]: {
            ".sql": model["sql"],
            ".yml": yaml.safe_dump(model["yml"], sort_keys=False, allow_unicode=True, width=120),
        }
        for _, of_table in found
        for model in json.loads(of_table or "[]")
    }


def _write(path: Path, text: str) -> Outcome:
    # read as text: a file whose line ends git has changed is the same file
    if path.exists() and path.read_text(encoding="utf-8") == text:
        return Outcome.UNCHANGED
    path.write_text(text, encoding="utf-8", newline="\n")
    return Outcome.WRITTEN


def _clear(output: Path, feed: str, wanted: Mapping[str, object]) -> Iterator[tuple[Path, Outcome]]:
    """Removes what earlier calls wrote for the feed and this one does not."""
    found = {path: _read(path) for path in sorted(output.iterdir()) if path.suffix in _COMMENTS and path.is_file()}
    left = {path: file for path, file in found.items() if file.feed == feed and path.stem not in wanted}
    edited = {path.stem for path, file in left.items() if not file.is_pristine}
    for path in left:
        if path.stem in edited:
            yield path, Outcome.EDITED_AND_GONE
        else:
            path.unlink()
            yield path, Outcome.REMOVED


def _head(path: Path, feed: str, text: str) -> str:
    return (
        f"{_COMMENTS[path.suffix]} Written by `ticdc codegen --feed {feed}`; checksum {_checksum(text)}. "
        "The next call writes it anew, unless it was edited.\n"
    )


def _read(path: Path) -> _File:
    head, _, text = path.read_text(encoding="utf-8", errors="replace").partition("\n")
    found = _HEAD.match(head)
    return _File(None, False) if found is None else _File(found[1], found[2] == _checksum(text))


def _checksum(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:16]
