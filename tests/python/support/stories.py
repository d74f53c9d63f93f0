"""Stories of changes as canal-json messages with the TiDB extension: each commit a step after the one before it."""

from __future__ import annotations

import json
from base64 import b64encode
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from support.messages import COMMIT_TS, ddl_message, row_message, to_bytes, watermark_message

STEP = 1 << 28
"""From one commit of a story to its next, in TSO: about a second."""
DELAY_MS = 5
Message = Mapping[str, Any]
Value = int | str | bytes | None


class Feed:
    """Messages of a changefeed, of which each is one commit, or several are. Stories run at the same time."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.commit_ts = 0
        self.begun: dict[str, int] = {}
        self.messages: list[tuple[int, Message]] = []
        self._is_one_commit = False

    def begin(self, story: str) -> None:
        """Commits from here on are those of a story, a step after each other."""
        self.begun[story] = COMMIT_TS + len(self.begun)
        self.commit_ts = self.begun[story] - STEP

    @contextmanager
    def one_commit(self) -> Iterator[None]:
        """Changes of one transaction."""
        self.commit_ts += STEP
        self._is_one_commit = True
        yield
        self._is_one_commit = False

    def send(self, message: Message, partition: int = 0) -> None:
        """A row or DDL, of the next commit or of the one that is open."""
        self.commit_ts += 0 if self._is_one_commit else STEP
        message = {**message, "es": self.commit_ts >> 18, "_tidb": {"commitTs": self.commit_ts}}
        self.messages.append((partition, message))

    def watermark(self, watermark_ts: int, *partitions: int) -> None:
        """The partitions are complete through that commit."""
        self.messages.extend((partition, watermark_message(watermark_ts)) for partition in partitions)

    def lines(self, last_delay_ms: int = DELAY_MS) -> list[str]:
        """The messages as Kafka has them; the last one may have come later after its commit than the others."""
        offsets: Counter[int] = Counter()
        lines = []
        for place, (partition, message) in enumerate(self.messages, start=1):
            delay_ms = last_delay_ms if place == len(self.messages) else DELAY_MS
            record = {
                "topic": self.name,
                "partition": partition,
                "offset": offsets[partition],
                "timestamp": message["es"] + delay_ms,
                "key": None,
                "value": b64encode(to_bytes(message)).decode(),
            }
            offsets[partition] += 1
            lines.append(json.dumps(record) + "\n")
        return lines


@dataclass(frozen=True)
class Table:
    """Writes changes of a table to a feed; `columns` are `name type` pairs as `mysqlType` has them."""

    feed: Feed
    name: str
    columns: str
    key: tuple[str, ...] | None = ("id",)
    schema: str = "shop"

    def ddl(self, type: str, sql: str) -> None:
        """A DDL; `{}` in it is the name of the table."""
        self.feed.send(ddl_message(sql.format(f"`{self.name}`"), type, database=self.schema, table=self.name))

    def insert(self, *row: Value) -> None:
        self.send("INSERT", row)

    def insert_all(self, *rows: Sequence[Value]) -> None:
        """Rows of one commit."""
        with self.feed.one_commit():
            for row in rows:
                self.insert(*row)

    def update(self, old: Sequence[Value], new: Sequence[Value]) -> None:
        self.send("UPDATE", new, old)

    def delete(self, *row: Value) -> None:
        self.send("DELETE", row, partition=1)

    def send(self, type: str, row: Sequence[Value], old: Sequence[Value] | None = None, **place: int) -> None:
        types = dict(column.split() for column in self.columns.split(", "))
        message = row_message(
            self._image(row),
            types,
            type=type,
            old=None if old is None else [self._image(old)],
            key=self.key,
            database=self.schema,
            table=self.name,
        )
        self.feed.send(message, **place)

    def _image(self, row: Sequence[Value]) -> dict[str, str | None]:
        names = [column.split()[0] for column in self.columns.split(", ")]
        return dict(zip(names, map(wire_text, row), strict=True))


def wire_text(value: Value) -> str | None:
    if value is None:
        return None
    return value.decode("latin-1") if isinstance(value, bytes) else str(value)
