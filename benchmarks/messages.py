"""Generates canal-json messages in the exact form of TiCDC's encoder, as files of the table `ticdc.messages`.

A `Changefeed` is an endless stream of changes of one table: inserts, updates with the full old row, deletes, a delete
and insert of one key in one commit, watermarks on every partition, stretches that are replayed after a restart, and,
before each of these, a record that was cut off. It is the same for the same seed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

TOPIC = "bench"
DATABASE = "bench"
PARTITIONS = 3

_MESSAGES_PER_FILE = 25_000
_MESSAGES_PER_WATERMARK = 1_000
_MESSAGES_PER_RESTART = 20_000
_REPLAYED = 400
_CELLS = 10_000
_TYPE_ORDERS = 500
_FIRST_MILLISECOND = 1_795_237_977_000
_WORDS = (
    *("amber", "birch", "cedar", "delta", "ember", "fjord", "grape", "harbor", "iris", "jade", "kelpé", "lunar"),
    *("maple", "onyx", "pine", "„quartz“", "ruby", "slate"),
)

Value = Callable[[Random], str | None]


class Column(NamedTuple):
    """A column: its type on the wire (canal's JDBC code and TiDB's word), in a CREATE TABLE and in a typed table."""

    name: str
    jdbc_type: int
    mysql_type: str
    ddl: str
    spark_type: str
    value: Value


@dataclass(frozen=True)
class Shape:
    """A table, with the key column `id` first, and the size its messages are meant to have."""

    label: str
    table: str
    columns: tuple[Column, ...]


class Message(NamedTuple):
    """A Kafka record; `timestamp` in milliseconds."""

    partition: int
    offset: int
    timestamp: int
    key: bytes | None
    value: bytes


class Files(NamedTuple):
    """What was written: the number of messages, and the mean size in bytes of those that carry a row."""

    messages: int
    mean_row_bytes: float


def _number(low: int, high: int) -> Value:
    return lambda random: str(random.randint(low, high))


def _decimal(digits: int, scale: int) -> Value:
    return lambda random: f"{random.randint(0, 10**digits - 1) / 10**scale:.{scale}f}"


def _moment(fraction_digits: int) -> Value:
    def value(random: Random) -> str:
        day = f"20{random.randint(10, 37)}-{random.randint(1, 12):02}-{random.randint(1, 28):02}"
        time = f"{random.randint(0, 23):02}:{random.randint(0, 59):02}:{random.randint(0, 59):02}"
        fraction = f".{random.randint(0, 10**fraction_digits - 1):0{fraction_digits}}" if fraction_digits else ""
        return f"{day} {time}{fraction}"

    return value


def _date(random: Random) -> str:
    return _moment(0)(random).partition(" ")[0]  # type: ignore[union-attr]


def _clock(random: Random) -> str:
    return _moment(0)(random).partition(" ")[2]  # type: ignore[union-attr]


def _sku(random: Random) -> str:
    return f"SKU-{random.randint(0, 99999):06}"


def _double(random: Random) -> str:
    return repr(random.randint(1, 10**6) / 128)


def _label(*labels: str) -> Value:
    return lambda random: random.choice(labels)


def _text(low: int, high: int) -> Value:
    return lambda random: " ".join(random.choices(_WORDS, k=random.randint(low, high)))


def _json(random: Random) -> str:
    tags = ", ".join(f'\\"{word}\\"' for word in random.choices(_WORDS, k=2))
    return f'{{\\"at\\": {random.randint(0, 99)}, \\"tags\\": [{tags}]}}'


def _or_null(value: Value) -> Value:
    return lambda random: None if random.random() < 0.1 else value(random)


_ID = Column("id", -5, "bigint", "BIGINT NOT NULL PRIMARY KEY", "bigint", _number(0, 0))

SMALL = Shape(
    "640B",
    "orders",
    (
        _ID,
        Column("customer", -5, "bigint unsigned", "BIGINT UNSIGNED NOT NULL", "decimal(20,0)", _number(1, 10**9)),
        Column("state", 12, "varchar", "VARCHAR(16) NOT NULL", "string", _label("new", "paid", "sent", "done")),
        Column("quantity", 4, "int", "INT NOT NULL", "int", _number(1, 500)),
        Column("total", 3, "decimal", "DECIMAL(15,2) NOT NULL", "decimal(38,2)", _decimal(9, 2)),
        Column("placed", 93, "datetime", "DATETIME(3) NOT NULL", "timestamp_ntz", _moment(3)),
        Column("note", 12, "varchar", "VARCHAR(200)", "string", _or_null(_text(1, 4))),
    ),
)

LARGE = Shape(
    "2.5KB",
    "shipments",
    (
        _ID,
        Column("tenant", 4, "int", "INT NOT NULL", "int", _number(1, 400)),
        Column("account", -5, "bigint", "BIGINT NOT NULL", "bigint", _number(10**8, 10**12)),
        Column("device", -5, "bigint unsigned", "BIGINT UNSIGNED", "decimal(20,0)", _number(0, 2**64 - 1)),
        Column("channel", -6, "tinyint", "TINYINT NOT NULL", "tinyint", _number(0, 9)),
        Column("status", 5, "smallint", "SMALLINT NOT NULL", "smallint", _number(0, 999)),
        Column("attempts", 4, "int unsigned", "INT UNSIGNED", "bigint", _number(0, 2**32 - 1)),
        Column("carrier", 12, "varchar", "VARCHAR(32) NOT NULL", "string", _label("road", "rail", "air", "sea")),
        Column(
            "sku", 12, "varchar", "VARCHAR(32) NOT NULL", "string", lambda random: f"SKU-{random.randint(0, 99999):06}"
        ),
        Column("title", 12, "varchar", "VARCHAR(200)", "string", _or_null(_text(3, 8))),
        Column("sender", 12, "varchar", "VARCHAR(100)", "string", _text(2, 3)),
        Column("recipient", 12, "varchar", "VARCHAR(100)", "string", _text(2, 3)),
        Column("street", 12, "varchar", "VARCHAR(100)", "string", _text(2, 5)),
        Column("city", 12, "varchar", "VARCHAR(60)", "string", _text(1, 2)),
        Column("country", 1, "char", "CHAR(2)", "string", _label("DE", "FR", "JP", "BR", "US")),
        Column("weight", 3, "decimal", "DECIMAL(12,4) NOT NULL", "decimal(38,4)", _decimal(9, 4)),
        Column("price", 3, "decimal", "DECIMAL(12,2) NOT NULL", "decimal(38,2)", _decimal(8, 2)),
        Column("discount", 3, "decimal", "DECIMAL(6,4)", "decimal(38,4)", _or_null(_decimal(5, 4))),
        Column("tax", 3, "decimal", "DECIMAL(12,2)", "decimal(38,2)", _decimal(6, 2)),
        Column("latitude", 8, "double", "DOUBLE", "double", _double),
        Column("longitude", 8, "double", "DOUBLE", "double", _double),
        Column("payload", 12, "json", "JSON", "string", _or_null(_json)),
        Column("remark", 2005, "text", "TEXT", "string", _or_null(_text(10, 40))),
        Column("day", 91, "date", "DATE", "date", _date),
        Column("slot", 92, "time", "TIME", "string", _clock),
        Column("zone", 5, "smallint unsigned", "SMALLINT UNSIGNED", "int", _number(0, 65535)),
        Column("created_at", 93, "datetime", "DATETIME(6) NOT NULL", "timestamp_ntz", _moment(6)),
        Column("shipped_at", 93, "datetime", "DATETIME", "timestamp_ntz", _or_null(_moment(0))),
        Column("arrived_at", 93, "datetime", "DATETIME(3)", "timestamp_ntz", _or_null(_moment(3))),
        Column("updated_at", 93, "timestamp", "TIMESTAMP(3) NULL", "timestamp", _moment(3)),
    ),
)


class Changefeed:
    """The changes of one table, from its CREATE on."""

    def __init__(self, shape: Shape, seed: int = 1) -> None:
        self._shape = shape
        self._random = Random(seed)
        self._columns = shape.columns[1:]
        self._cells = [self._rendered(column) for column in self._columns]
        self._types = self._type_members()
        self._rows: dict[int, list[str]] = {}
        self._keys: list[int] = []
        self._next_key = 1
        self._milliseconds = _FIRST_MILLISECOND
        self._offsets = [0] * PARTITIONS
        self._replayable: list[tuple[int, bytes]] = []
        self._emitted = 0

    def take(self, count: int, inserts: float = 0.4, updates: float = 0.54) -> Iterator[Message]:
        """`count` messages and what completes the last commit, then a watermark on every partition.

        The shares of inserts and updates among the transactions' changes; the rest are deletes, and deletes with an
        insert of the same key in the same commit.
        """
        end = self._emitted + count
        if not self._emitted:
            yield from self._creation()
        while self._emitted < end:
            before = self._emitted
            yield from self._transaction(inserts, updates)
            if before // _MESSAGES_PER_RESTART < self._emitted // _MESSAGES_PER_RESTART:
                partition, value = self._replayable[-1]
                yield self._message(partition, b"", value[: len(value) // 2])
                yield from [self._message(partition, b"", value) for partition, value in self._replayable]
            if before // _MESSAGES_PER_WATERMARK < self._emitted // _MESSAGES_PER_WATERMARK:
                yield from self._watermarks()
        yield from self._watermarks()

    def write(self, folder: Path, name: str, count: int, **shares: float) -> Files:
        """Parquet files `<name>-<number>.parquet` with the columns of `ticdc.messages`."""
        folder.mkdir(parents=True, exist_ok=True)
        written = rows = row_bytes = 0
        batch: list[Message] = []

        def flush() -> None:
            pq.write_table(_table(batch), folder / f"{name}-{written // _MESSAGES_PER_FILE:04}.parquet")
            batch.clear()

        for message in self.take(count, **shares):
            batch.append(message)
            if message.key is not None:
                rows += 1
                row_bytes += len(message.value)
            if len(batch) == _MESSAGES_PER_FILE:
                flush()
                written += _MESSAGES_PER_FILE
        left = len(batch)
        if batch:
            flush()
        return Files(written + left, row_bytes / max(rows, 1))

    def _creation(self) -> Iterator[Message]:
        columns = ",".join(f"`{column.name}` {column.ddl}" for column in self._shape.columns)
        yield from self._watermarks()
        yield self._ddl("QUERY", "", f"CREATE DATABASE `{DATABASE}`")
        yield self._ddl("CREATE", self._shape.table, f"CREATE TABLE `{self._shape.table}` ({columns})")

    def _transaction(self, inserts: float, updates: float) -> Iterator[Message]:
        """One to four rows with one commit TSO, each of another key."""
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
            if dice < inserts + updates:
                old = self._rows[key]
                self._rows[key] = self._changed(old)
                yield self._row("UPDATE", key, commit_ts, old, self._rows[key])
                continue
            yield self._row("DELETE", key, commit_ts, None, self._rows.pop(key))
            if self._random.random() < 0.1:
                yield self._insert(key, commit_ts)
            else:
                self._keys[place] = self._keys[-1]
                self._keys.pop()

    def _insert(self, key: int, commit_ts: int) -> Message:
        random = self._random.random
        self._rows[key] = [cells[int(random() * _CELLS)] for cells in self._cells]
        return self._row("INSERT", key, commit_ts, None, self._rows[key])

    def _changed(self, row: list[str]) -> list[str]:
        """The row with about a fifth of its cells anew."""
        random = self._random.random
        changed = list(row)
        for _ in range(1 + len(row) // 5):
            place = int(random() * len(row))
            changed[place] = self._cells[place][int(random() * _CELLS)]
        return changed

    def _row(self, kind: str, key: int, commit_ts: int, old: list[str] | None, data: list[str]) -> Message:
        identity = f'"id":"{key}"'
        old_text = "null" if old is None else f"[{{{identity},{','.join(old)}}}]"
        types = self._types[int(self._random.random() * _TYPE_ORDERS)]
        text = (
            f'{{"id":0,"database":"{DATABASE}","table":"{self._shape.table}","pkNames":["id"],"isDdl":false,'
            f'"type":"{kind}","es":{commit_ts >> 18},"ts":{(commit_ts >> 18) + 27_000},"sql":"",{types},'
            f'"old":{old_text},"data":[{{{identity},{",".join(data)}}}],"_tidb":{{"commitTs":{commit_ts}}}}}'
        )
        value = text.encode()
        partition = key % PARTITIONS
        self._replayable.append((partition, value))
        if len(self._replayable) > 2 * _REPLAYED:
            del self._replayable[:_REPLAYED]
        return self._message(partition, b"", value)

    def _ddl(self, kind: str, table: str, query: str) -> Message:
        commit_ts = self._tick()
        text = (
            f'{{"id":0,"database":"{DATABASE}","table":"{table}","pkNames":null,"isDdl":true,"type":"{kind}",'
            f'"es":{commit_ts >> 18},"ts":{(commit_ts >> 18) + 27_000},"sql":"{query}","sqlType":null,'
            f'"mysqlType":null,"data":null,"old":null,"_tidb":{{"commitTs":{commit_ts}}}}}'
        )
        return self._message(0, None, text.encode())

    def _watermarks(self) -> list[Message]:
        commit_ts = self._tick()
        text = (
            '{"id":0,"database":"","table":"","pkNames":null,"isDdl":false,"type":"TIDB_WATERMARK",'
            f'"es":{commit_ts >> 18},"ts":{(commit_ts >> 18) + 27_000},"sql":"","sqlType":null,"mysqlType":null,'
            f'"data":null,"old":null,"_tidb":{{"watermarkTs":{commit_ts}}}}}'
        )
        return [self._message(partition, None, text.encode()) for partition in range(PARTITIONS)]

    def _tick(self) -> int:
        """The next commit TSO."""
        self._milliseconds += self._random.randint(1, 5)
        return self._milliseconds << 18 | self._random.randint(0, 9)

    def _message(self, partition: int, key: bytes | None, value: bytes) -> Message:
        offset = self._offsets[partition]
        self._offsets[partition] += 1
        self._emitted += 1
        return Message(partition, offset, self._milliseconds + 30, key, value)

    def _rendered(self, column: Column) -> list[str]:
        """Members `"column":"value"` to draw cells from."""
        values = (column.value(self._random) for _ in range(_CELLS))
        return [f'"{column.name}":' + ("null" if value is None else f'"{value}"') for value in values]

    def _type_members(self) -> list[str]:
        """`sqlType` in column order and `mysqlType` in the order of a Go map: turned up to 8 keys, mixed beyond."""
        codes = ",".join(f'"{column.name}":{column.jdbc_type}' for column in self._shape.columns)
        names = [f'"{column.name}":"{column.mysql_type}"' for column in self._shape.columns]
        members = []
        for _ in range(_TYPE_ORDERS):
            if len(names) <= 8:
                turn = self._random.randrange(len(names))
                order = names[turn:] + names[:turn]
            else:
                order = self._random.sample(names, len(names))
            members.append(f'"sqlType":{{{codes}}},"mysqlType":{{{",".join(order)}}}')
        return members


def _table(messages: list[Message]) -> pa.Table:
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
