"""Generates messages in the exact form of TiCDC's encoders, as files of the table `ticdc.messages`.

A `Changefeed` is an endless stream of changes of one table: inserts, updates with the full old row, deletes, a delete
and insert of one key in one commit, watermarks on every partition, offset ranges that are replayed after a restart,
and, before each of these, a record that was cut off. It is the same for the same seed.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.encoders import Encoder, Entry
from benchmarks.tables import DATABASE, Column, Shape

TOPIC = "bench"
PARTITIONS = 3
FIRST_MILLISECOND = 1_795_237_977_000

_MESSAGES_PER_FILE = 25_000
_CHANGES_PER_WATERMARK = 1_000
_CHANGES_PER_RESTART = 20_000
_REPLAYED = 400
_CELLS = 10_000


class Message(NamedTuple):
    """A Kafka record; `timestamp` in milliseconds."""

    partition: int
    offset: int
    timestamp: int
    key: bytes | None
    value: bytes


class Files(NamedTuple):
    """What was written: the number of messages, and the mean size of their values in bytes."""

    messages: int
    mean_bytes: float


class Changefeed:
    """The changes of one table, from its CREATE on."""

    def __init__(self, shape: Shape, encoder: type[Encoder], seed: int = 1) -> None:
        self._shape = shape
        self._random = Random(seed)
        self._encoder = encoder(shape, Random(seed))
        self._cells = [self._rendered(column) for column in shape.columns[1:]]
        self._rows: dict[int, list[bytes]] = {}
        self._keys: list[int] = []
        self._next_key = 1
        self._milliseconds = FIRST_MILLISECOND
        self._offsets = [0] * PARTITIONS
        self._replayable: list[tuple[int, Entry]] = []
        self._held: dict[int, list[Entry]] = {}
        self._changes = 0

    def take(self, count: int, inserts: float = 0.4, updates: float = 0.54) -> Iterator[Message]:
        """Messages of `count` changes and what completes the last commit, then a watermark on every partition.

        The shares of inserts and updates among the transactions' changes; the rest are deletes, and deletes with an
        insert of the same key in the same commit.
        """
        end = self._changes + count
        if not self._changes:
            yield from self._creation()
        while self._changes < end:
            before = self._changes
            for partition, entry in self._transaction(inserts, updates):
                self._changes += 1
                self._hold(partition, entry)
                self._replayable.append((partition, entry))
            if sum(map(len, self._held.values())) >= self._encoder.rows_held:
                yield from self._send()
            if before // _CHANGES_PER_RESTART < self._changes // _CHANGES_PER_RESTART:
                yield from self._restart()
            if before // _CHANGES_PER_WATERMARK < self._changes // _CHANGES_PER_WATERMARK:
                yield from self._watermarks()
        yield from self._watermarks()

    def write(self, folder: Path, name: str, count: int, **shares: float) -> Files:
        """Parquet files `<name>-<number>.parquet` with the columns of `ticdc.messages`."""
        folder.mkdir(parents=True, exist_ok=True)
        written = value_bytes = 0
        batch: list[Message] = []

        def flush() -> None:
            pq.write_table(table_of(batch), folder / f"{name}-{written // _MESSAGES_PER_FILE:04}.parquet")
            batch.clear()

        for message in self.take(count, **shares):
            batch.append(message)
            value_bytes += len(message.value)
            if len(batch) == _MESSAGES_PER_FILE:
                flush()
                written += _MESSAGES_PER_FILE
        left = len(batch)
        if batch:
            flush()
        return Files(written + left, value_bytes / max(written + left, 1))

    def _creation(self) -> Iterator[Message]:
        columns = ",".join(f"`{column.name}` {column.ddl}" for column in self._shape.columns)
        yield from self._watermarks()
        for table, query in (
            ("", f"CREATE DATABASE `{DATABASE}`"),
            (self._shape.table, f"CREATE TABLE `{self._shape.table}` ({columns})"),
        ):
            self._hold(0, self._encoder.ddl(table, query, self._tick()))
            yield from self._send()

    def _transaction(self, inserts: float, updates: float) -> Iterator[tuple[int, Entry]]:
        """One to four rows with one commit TSO, each of another key, with their partitions."""
        commit_ts = self._tick()
        touched: set[int] = set()
        for _ in range(self._random.randint(1, 4)):
            dice = self._random.random()
            if dice < inserts or not self._keys:
                key, self._next_key = self._next_key, self._next_key + 1
                self._keys.append(key)
                touched.add(key)
                yield self._insert(key, commit_ts)
                continue
            place = int(self._random.random() * len(self._keys))
            key = self._keys[place]
            if key in touched:
                continue
            touched.add(key)
            old = self._rows.pop(key)
            if dice < inserts + updates:
                self._rows[key] = self._changed(old)
                yield key % PARTITIONS, self._encoder.row("update", commit_ts, old, self._rows[key])
                continue
            yield key % PARTITIONS, self._encoder.row("delete", commit_ts, old, None)
            if self._random.random() < 0.1:
                yield self._insert(key, commit_ts)
            else:
                self._keys[place] = self._keys[-1]
                self._keys.pop()

    def _insert(self, key: int, commit_ts: int) -> tuple[int, Entry]:
        random = self._random.random
        cells = [cells[int(random() * _CELLS)] for cells in self._cells]
        self._rows[key] = [self._encoder.cell(self._shape.columns[0], str(key)), *cells]
        return key % PARTITIONS, self._encoder.row("insert", commit_ts, None, self._rows[key])

    def _changed(self, row: list[bytes]) -> list[bytes]:
        """The row with about a fifth of its cells anew."""
        random = self._random.random
        changed = list(row)
        for _ in range(1 + len(self._cells) // 5):
            place = int(random() * len(self._cells))
            changed[place + 1] = self._cells[place][int(random() * _CELLS)]
        return changed

    def _watermarks(self) -> Iterator[Message]:
        yield from self._send()
        commit_ts = self._tick()
        for partition in range(PARTITIONS):
            self._hold(partition, self._encoder.watermark(commit_ts))
        yield from self._send()

    def _restart(self) -> Iterator[Message]:
        """The last record, cut off, and then what is sent once more."""
        yield from self._send()
        del self._replayable[:-_REPLAYED]
        partition, last = self._replayable[-1]
        (whole,) = self._encoder.join([last])
        yield self._message(partition, Entry(whole.key, whole.value[: len(whole.value) // 2]))
        for partition, entry in self._replayable:
            self._hold(partition, entry)
        yield from self._send()

    def _hold(self, partition: int, entry: Entry | None) -> None:
        if entry is not None:
            self._held.setdefault(partition, []).append(entry)

    def _send(self) -> Iterator[Message]:
        """The messages of all that was held."""
        for partition, entries in self._held.items():
            for entry in self._encoder.join(entries):
                yield self._message(partition, entry)
        self._held.clear()

    def _tick(self) -> int:
        """The next commit TSO."""
        self._milliseconds += self._random.randint(1, 5)
        return self._milliseconds << 18 | self._random.randint(0, 9)

    def _message(self, partition: int, entry: Entry) -> Message:
        offset = self._offsets[partition]
        self._offsets[partition] += 1
        return Message(partition, offset, self._milliseconds + 30, *entry)

    def _rendered(self, column: Column) -> list[bytes]:
        """A column's values to draw cells from."""
        return [self._encoder.cell(column, column.value(self._random)) for _ in range(_CELLS)]


def table_of(messages: list[Message]) -> pa.Table:
    """The columns of `ticdc.messages`."""
    partitions, offsets, timestamps, keys, values = zip(*messages, strict=True)
    return pa.table(
        {
            "topic": pa.array([TOPIC] * len(messages), pa.string()),
            "partition": pa.array(partitions, pa.int32()),
            "offset": pa.array(offsets, pa.int64()),
            "timestamp": pa.array(timestamps, pa.timestamp("ms", tz="UTC")).cast(pa.timestamp("us", tz="UTC")),
            "key": pa.array(keys, pa.binary()),
            "value": pa.array(values, pa.binary()),
        }
    )
