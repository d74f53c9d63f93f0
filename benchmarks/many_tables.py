"""A changefeed of many small tables: what a run costs where the tables are many and the rows few."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pyarrow.parquet as pq

from benchmarks.encoders import CanalJson, Entry
from benchmarks.messages import FIRST_MILLISECOND, Message, table_of
from benchmarks.tables import DATABASE, TEN, Shape

ROWS = 3
_PARTITION = 0


class ManyTables:
    """Messages of canal-json about `count` tables of ten columns; with `has_ddl` each begins with its CREATE TABLE."""

    def __init__(self, count: int, has_ddl: bool = True, seed: int = 1) -> None:
        self._has_ddl = has_ddl
        self._random = Random(seed)
        self._milliseconds = FIRST_MILLISECOND
        self._offset = 0
        encoder = CanalJson(TEN, self._random)
        self._encoders = []
        for number in range(count):
            one = copy.copy(encoder)
            one.shape = Shape(TEN.label, f"t{number:04}", TEN.columns)
            self._encoders.append(one)

    def write(self, folder: Path, name: str, tables: slice, first_key: int) -> int:
        """Writes a parquet file with `ROWS` new rows of each of these tables and a watermark; their number."""
        folder.mkdir(parents=True, exist_ok=True)
        messages = list(self._messages(self._encoders[tables], first_key))
        pq.write_table(table_of(messages), folder / f"{name}.parquet")
        return len(messages)

    def add_column(self, folder: Path, name: str) -> None:
        """Writes a parquet file with a DDL that gives the first table a column more, which its later rows have."""
        encoder = self._encoders[0]
        table, columns = encoder.shape.table, encoder.shape.columns
        column = columns[-1]._replace(name=f"{columns[-1].name}_{len(columns)}")
        ddl = f"ALTER TABLE `{table}` ADD COLUMN `{column.name}` {column.ddl}"
        messages = [self._message(encoder.ddl(table, ddl, self._tick()))]
        self._encoders[0] = CanalJson(Shape(TEN.label, table, (*columns, column)), self._random)
        pq.write_table(table_of(messages), folder / f"{name}.parquet")

    def _messages(self, encoders: list[CanalJson], first_key: int) -> Iterator[Message]:
        if self._has_ddl and first_key == 1:
            yield self._message(encoders[0].ddl("", f"CREATE DATABASE `{DATABASE}`", self._tick()))
            columns = ",".join(f"`{column.name}` {column.ddl}" for column in TEN.columns)
            for encoder in encoders:
                table = encoder.shape.table
                yield self._message(encoder.ddl(table, f"CREATE TABLE `{table}` ({columns})", self._tick()))
        for encoder in encoders:
            key_column, *others = encoder.shape.columns
            for key in range(first_key, first_key + ROWS):
                cells = [encoder.cell(key_column, str(key))]
                cells += [encoder.cell(column, column.value(self._random)) for column in others]
                yield self._message(encoder.row("insert", self._tick(), None, cells))
        yield self._message(encoders[0].watermark(self._tick()))

    def _tick(self) -> int:
        self._milliseconds += 1
        return self._milliseconds << 18

    def _message(self, entry: Entry) -> Message:
        self._offset += 1
        return Message(_PARTITION, self._offset - 1, self._milliseconds, *entry)
