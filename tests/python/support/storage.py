"""The files of storage sinks: a folder tree for each variant, packed in one archive of the corpus."""

from __future__ import annotations

import json
import tarfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from random import Random
from typing import Any

from support.corpus import root
from ticdc_udfs.contract import arrow, options
from ticdc_udfs.contract.events import Event
from ticdc_udfs.protocols import storage_canal_json, storage_csv
from ticdc_udfs.sources.files import CSV, FileKind, path_of, rows_of

DECODERS: Mapping[str, arrow.Decode] = {
    "storage_canal_json": storage_canal_json.decode,
    CSV: storage_csv.decode,
}

EARLY = 0.5  # of the files that may come before their time


@cache
def _unpacked(archive: Path) -> dict[str, bytes]:
    with tarfile.open(archive) as tar:
        return {
            member.name.partition("/")[2]: file.read()
            for member in tar
            if member.isfile() and (file := tar.extractfile(member)) is not None
        }


@dataclass(frozen=True)
class StorageVariant:
    """One changefeed of the corpus that writes to a bucket."""

    archive: Path
    name: str

    @cached_property
    def meta(self) -> dict[str, Any]:
        """What the corpus says of the variant."""
        return dict(json.loads(_unpacked(self.archive)[f"{self.name}.meta.json"]))

    @cached_property
    def files(self) -> dict[str, bytes]:
        """The content of each file by its path below the prefix."""
        prefix = self.name + "/"
        return {
            name.removeprefix(prefix): content
            for name, content in sorted(_unpacked(self.archive).items())
            if name.startswith(prefix)
        }

    @property
    def protocol(self) -> str:
        """The protocol of the feed."""
        return CSV if self.meta["csv"] else "storage_canal_json"

    @property
    def options(self) -> dict[str, Any]:
        """The feed's options: those of the changefeed, with underscores."""
        csv = {name.replace("-", "_"): value for name, value in (self.meta["csv"] or {}).items()}
        return {**csv, "terminator": self.meta["terminator"], "time_zone": self.meta["timezone"]}

    @property
    def has_commits(self) -> bool:
        """Whether rows tell their commit."""
        return not self.meta["csv"] or bool(self.meta["csv"]["include-commit-ts"])

    def messages(self) -> Iterator[tuple[Any, ...]]:
        """The arguments of the decoder for each message."""
        text = json.dumps({**self.options, "include_commit_ts": True} if self.meta["csv"] else self.options)
        for path, content in self.files.items():
            found = path_of(path)
            if found.kind is FileKind.DATA:
                rows = rows_of(content, self.protocol, options.parse(text))
                more = (self.schemas(path), rows.header) if self.protocol == CSV else ()
                yield from ((path.encode(), row, text, *more) for row in rows.rows)
            elif found.kind in (FileKind.SCHEMA, FileKind.METADATA):
                yield (path.encode(), content, text, *((None, None) if self.protocol == CSV else ()))

    @cached_property
    def first_commits(self) -> dict[str, int]:
        """The first commit that each file tells of; none of `metadata` and files that tell of none."""
        decode, found = DECODERS[self.protocol], dict[str, int]()
        for key, value, text, *more in self.messages():
            path = key.decode()
            kind = path_of(path)
            if kind.kind is FileKind.SCHEMA:
                found[path] = kind.version or 0
            elif kind.kind is FileKind.DATA:
                told = [event.commit_ts or 0 for event in arrow.decode_message(decode, key, value, text, *more)]
                found[path] = min([*told, found.get(path, told[0])])
        return found

    def cut(self, checkpoints: Sequence[int], random: Random) -> Iterator[dict[str, bytes]]:
        """The files that come up to each checkpoint, the last of which is that of the changefeed.

        `metadata` comes with each; of files that tell of later commits alone, some come before their time, but no data
        file before its schema file.
        """
        left = {path: content for path, content in self.files.items() if path != "metadata"}
        for checkpoint in checkpoints:
            ahead = random.choice(
                [*{commit for commit in self.first_commits.values() if commit > checkpoint}, checkpoint]
            )
            come = [
                path
                for path in left
                if checkpoint == checkpoints[-1]
                or (first := self.first_commits.get(path, ahead)) <= checkpoint
                or (first <= ahead and (path_of(path).kind is FileKind.SCHEMA or random.random() < EARLY))
            ]
            yield {**{path: left.pop(path) for path in come}, "metadata": b'{"checkpoint-ts":%d}' % checkpoint}

    def schemas(self, path: str) -> str:
        """The schema files of a data file's table up to its version, as a JSON list."""
        data = path_of(path)
        found = [
            (schema.version or 0, content.decode())
            for name, content in self.files.items()
            if (schema := path_of(name)).kind is FileKind.SCHEMA
            and schema.table_folder == data.table_folder
            and (schema.version or 0) <= (data.version or 0)
        ]
        return "[" + ",".join(text for _, text in sorted(found)) + "]"

    @cached_property
    def events(self) -> list[Event]:
        """The events of all messages."""
        decode = DECODERS[self.protocol]
        return [
            event
            for key, value, text, *more in self.messages()
            for event in arrow.decode_message(decode, key, value, text, *more)
        ]


def variants(folder: Path | None = None) -> tuple[StorageVariant, ...]:
    """Every variant of the archive in a corpus folder, by name."""
    folder = folder or root()
    archive = next(folder / name for name in ("storage.tar.xz", "storage.tar.gz") if (folder / name).exists())
    names = sorted(name.removesuffix(".meta.json") for name in _unpacked(archive) if name.endswith(".meta.json"))
    return tuple(StorageVariant(archive, name) for name in names)
