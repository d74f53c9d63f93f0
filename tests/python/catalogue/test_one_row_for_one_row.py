"""Tables of every kind, DDL that moves their handle keys, and rows: in each protocol one row is found for one row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from random import Random
from typing import Any

import pytest
from support.hostile import PERCENT
from support.road import Road
from support.upstream import BIGINT, INT, SHORT, VARCHAR, Column, Index, Kind, Snapshot, Table, Upstream

from ticdc_udfs.catalogue.fold import ProblemCode

WITH_DDL = ("canal_json", "debezium", "open_protocol", "simple")
KINDS = (INT, INT, BIGINT, VARCHAR)


class Story:
    """What happens to one table, drawn by a seed."""

    def __init__(self, protocol: str, seed: int) -> None:
        self.title = f"seed {seed} of {protocol}"
        self.random = random = Random(seed)
        self.names = iter(f"{letter}{number}" for number in range(1, 100) for letter in "xyzwv")
        self.index_names = iter(f"u{number}" for number in range(1, 100))
        table = self._table()
        options = {"classic": random.random() < 0.4, "raw": random.random() < 0.3, "keys_only": random.random() < 0.3}
        self.upstream = Upstream(protocol, table, **options)

    @property
    def table(self) -> Table:
        return self.upstream.table

    def _table(self) -> Table:
        random = self.random
        table = Table("t", [], [], clustered=random.random() < 0.5, partitioned=random.random() < 0.25)
        for _ in range(random.randint(2, 5)):
            self._add(table, Column(0, next(self.names), random.choice(KINDS), random.random() < 0.4))
        if random.random() < 0.3:
            source = random.choice(table.columns)
            self._add(
                table, Column(0, next(self.names), source.kind, source.nullable or random.random() < 0.5, of=source.id)
            )
        if random.random() < 0.35:
            self._index(table, self._columns(table, True, 2), primary=True)
        for _ in range(random.randint(0, 3)):
            self._unique(table)
        numbers = [c for c in table.sent if c.kind is INT]
        led = [
            c
            for c in numbers
            if any(i.columns == [c.id] and i.unique and not i.expression and i.partial is None for i in table.indexes)
        ]
        if led and random.random() < 0.5:
            led[0].auto, led[0].nullable = True, False
        for index in table.indexes:
            for id in index.columns if index.primary else ():
                table.column(id).nullable = False
        return table

    def _add(self, table: Table, column: Column) -> None:
        column.id = table.next_column
        table.next_column += 1
        table.columns.append(column)

    def _columns(self, table: Table, only_sent: bool, most: int) -> list[int]:
        columns = table.sent if only_sent else table.columns
        return [column.id for column in self.random.sample(columns, min(len(columns), self.random.randint(1, most)))]

    def _index(self, table: Table, columns: list[int], **more: Any) -> Index:
        name = "PRIMARY" if more.get("primary") else next(self.index_names)
        index = Index(table.next_index, name, columns, **more)
        table.next_index += 1
        table.indexes.append(index)
        return index

    def _unique(self, table: Table) -> Index:
        random = self.random
        kind = random.random()
        if kind < 0.15:
            return self._index(table, self._columns(table, True, 1), expression=True)
        if kind < 0.3:
            return self._index(table, self._columns(table, True, 2), partial=random.choice(table.sent).id)
        if kind < 0.4:
            return self._index(table, self._columns(table, True, 2), prefix=True)
        return self._index(table, self._columns(table, False, 3))

    # What happens

    def value(self, column: Column) -> int | str | None:
        if column.nullable and self.random.random() < 0.3:
            return None
        number = self.random.randint(1, 12)
        return number if column.kind.word != "varchar" else f"{number:03}"

    def insert(self) -> None:
        row = {column.id: self.value(column) for column in self.table.sent}
        if self.table.takes(row):
            self.upstream.insert(row)

    def delete(self) -> None:
        if self.table.rows:
            self.upstream.delete(self.random.choice(self.table.rows))

    def update(self) -> None:
        if self.table.rows:
            row = self.random.choice(self.table.rows)
            chosen = self.random.sample(self.table.sent, self.random.randint(1, min(2, len(self.table.sent))))
            changed = {column.id: self.value(column) for column in chosen}
            if self.table.takes({**row, **changed}, row) and any(row[id] != value for id, value in changed.items()):
                self.upstream.update(row, changed)

    def add_unique(self) -> None:
        index = self._unique(self.table)
        if not all(self.table.takes(row, row) for row in self.table.rows):
            self.table.indexes.remove(index)
            return
        name = self.table.name
        definition = self.table.definition(index)
        if self.random.random() < 0.5 and index.partial is None:
            parts = definition.partition(f"`{index.name}` ")[2]
            self.upstream.ddl(f"CREATE UNIQUE INDEX `{index.name}` ON `{name}` {parts}", "CINDEX", 7)
        else:
            self.upstream.ddl(f"ALTER TABLE `{name}` ADD {definition}", "CINDEX", 7)

    def drop_index(self) -> None:
        indexes = [index for index in self.table.indexes if not index.primary]
        if indexes:
            index = self.random.choice(indexes)
            self.table.indexes.remove(index)
            self.upstream.ddl(f"ALTER TABLE `{self.table.name}` DROP INDEX `{index.name}`", "DINDEX", 8)

    def add_primary_key(self) -> None:
        table = self.table
        columns = self._columns(table, True, 2)
        if table.primary() or any(row[id] is None for row in table.rows for id in columns):
            return
        index = self._index(table, columns, primary=True)
        table.clustered = False
        if not all(table.takes(row, row) for row in table.rows):
            table.indexes.remove(index)
            return
        for id in columns:
            table.column(id).nullable = False
        self.upstream.ddl(f"ALTER TABLE `{table.name}` ADD {table.definition(index)}", "CINDEX", 32)

    def drop_primary_key(self) -> None:
        primary = self.table.primary()
        if primary and not self.table.clustered:
            self.table.indexes.remove(primary)
            self.upstream.ddl(f"ALTER TABLE `{self.table.name}` DROP PRIMARY KEY", "DINDEX", 33)

    def modify(self) -> None:
        """MODIFY or CHANGE COLUMN: another type, NULL or NOT NULL, another place, another name."""
        table = self.table
        shown = {column.of for column in table.columns}
        column = self.random.choice([column for column in table.sent])
        if column.id in shown or any(i.expression and column.id in i.columns for i in table.indexes):
            return
        primary = table.primary()
        is_primary = primary is not None and column.id in primary.columns
        kind, auto = column.kind, column.auto
        others = WIDER[column.kind] if is_primary or table.partitioned else OTHERS[column.kind]
        if self.random.random() < 0.6 and not auto:
            kind = self.random.choice(others)
        nullable = column.nullable
        if not is_primary and self.random.random() < 0.5:
            nullable = not nullable
        if not nullable and any(row[column.id] is None for row in table.rows):
            return
        if kind.word == "varchar" and column.kind.word != "varchar":
            for row in table.rows:
                row[column.id] = None if row[column.id] is None else str(row[column.id])
        # in MODIFY, AUTO_INCREMENT does not make NOT NULL
        column.nullable = nullable
        if kind not in WIDER[column.kind]:
            for index in table.indexes:
                if column.id in index.columns:
                    index.number, table.next_index = table.next_index, table.next_index + 1
        column.kind = kind
        old, is_named = column.name, any(index.partial == column.id for index in table.indexes)
        if self.random.random() < 0.3 and not is_named:
            column.name = next(self.names)
        place = ""
        if self.random.random() < 0.2:
            table.columns.remove(column)
            table.columns.insert(0, column)
            place = " FIRST"
        null = "" if nullable else " NOT NULL"
        words = f"`{column.name}` {kind.sql}{' AUTO_INCREMENT' if auto else ''}{null}{place}"
        what = "MODIFY COLUMN" if old == column.name else f"CHANGE COLUMN `{old}`"
        self.upstream.ddl(f"ALTER TABLE `{table.name}` {what} {words}", "ALTER", 12)

    def add_column(self) -> None:
        column = Column(0, next(self.names), self.random.choice(KINDS))
        self._add(self.table, column)
        for row in self.table.rows:
            row[column.id] = None
        self.upstream.ddl(f"ALTER TABLE `{self.table.name}` ADD COLUMN {column.sql}")

    def swap_indexes(self) -> None:
        """Several indexes in one statement: one goes, two come, the second of a column that comes too."""
        table, before = self.table, list(self.table.indexes)
        column = Column(0, next(self.names), self.random.choice(KINDS))
        gone = next((index for index in before if not index.primary), None)
        table.indexes[:] = [index for index in before if index is not gone]
        first = self._index(table, self._columns(table, True, 3))
        if not all(table.takes(row, row) for row in table.rows):
            table.indexes[:] = before
            return
        self._add(table, column)
        for row in table.rows:
            row[column.id] = None
        clauses = [] if gone is None else [f"DROP INDEX `{gone.name}`"]
        clauses += [f"ADD {table.definition(first)}", f"ADD COLUMN {column.sql}"]
        clauses += [f"ADD {table.definition(self._index(table, [column.id]))}"]
        self.upstream.ddl(f"ALTER TABLE `{table.name}` {', '.join(clauses)}", "ALTER", 61)

    def drop_column(self) -> None:
        """DROP COLUMN, with which an index of that column alone goes."""
        table = self.table
        alone = [i for i in table.indexes if len(i.columns) == 1 and not (i.primary or i.expression)]
        used = {id for i in table.indexes if i not in alone for id in i.columns}
        used |= {index.partial for index in table.indexes} | {column.of for column in table.columns}
        free = [column for column in table.sent if column.id not in used]
        if free and len(table.sent) > 1:
            column = self.random.choice(free)
            table.columns.remove(column)
            table.indexes[:] = [index for index in table.indexes if index.columns != [column.id]]
            for row in table.rows:
                del row[column.id]
            self.upstream.ddl(f"ALTER TABLE `{table.name}` DROP COLUMN `{column.name}`", "ALTER", 6)

    def rename_column(self) -> None:
        column = self.random.choice(self.table.sent)
        used = {id for index in self.table.indexes if index.expression or index.partial for id in index.columns}
        if column.id not in used | {one.of for one in self.table.columns}:
            old, column.name = column.name, next(self.names)
            sql = f"ALTER TABLE `{self.table.name}` RENAME COLUMN `{old}` TO `{column.name}`"
            self.upstream.ddl(sql, "ALTER", 12)

    def rename_table(self) -> None:
        old, self.table.name = self.table.name, next(self.names)
        self.upstream.ddl(f"RENAME TABLE `shop`.`{old}` TO `shop`.`{self.table.name}`", "RENAME", 14)

    def truncate(self) -> None:
        self.table.rows.clear()
        self.upstream.ddl(f"TRUNCATE TABLE `{self.table.name}`", "TRUNCATE", 11)

    @property
    def key_ddl(self) -> Sequence[Callable[[], None]]:
        """The DDL that may move the handle key, or its columns."""
        return (
            *(self.add_unique, self.drop_index, self.modify) * 3,
            *(self.add_primary_key, self.drop_primary_key, self.rename_column) * 2,
            *(self.swap_indexes, self.drop_column),
        )

    def goes_on(self, steps: int, only: Sequence[Callable[[], None]] = ()) -> None:
        """Rows and DDL, more of the first; without messages of DDL, that of indexes alone."""
        rows = (self.insert, self.insert, self.insert, self.update, self.update, self.update, self.delete)
        ddl = (*self.key_ddl, *(self.add_column,) * 2, self.rename_table, self.truncate)
        if self.upstream.protocol not in WITH_DDL:
            ddl = (self.add_unique, self.drop_index)
        for _ in range(steps):
            self.random.choice(only or (rows if self.random.random() < 0.75 else ddl))()


WIDER: Mapping[Kind, tuple[Kind, ...]] = {
    INT: (INT, BIGINT),
    BIGINT: (BIGINT,),
    VARCHAR: (VARCHAR,),
    SHORT: (SHORT, VARCHAR),
}
OTHERS: Mapping[Kind, tuple[Kind, ...]] = {
    INT: (INT, BIGINT, VARCHAR),
    BIGINT: (BIGINT, VARCHAR),
    VARCHAR: (VARCHAR, SHORT),
    SHORT: (SHORT, VARCHAR),
}


SEEDS = range(max(1, 7 * PERCENT))
"""Each is a story."""


def counted(rows: Iterable[Mapping[str, str | None]]) -> Counter[tuple[tuple[str, str | None], ...]]:
    """Rows as a multiset; in the classic architecture columns have no order."""
    return Counter(tuple(sorted(row.items())) for row in rows)


def compare(story: Story, road: Road, snapshots: Iterable[Snapshot], left_out: Collection[str] = ()) -> None:
    """After each of the commits the rows are the upstream's, and no change missed its row."""
    by_commit = {snapshot.commit_ts: snapshot for snapshot in snapshots}
    for commit_ts, shown in road.replay(by_commit):
        if commit_ts not in by_commit:
            continue
        snapshot = by_commit[commit_ts]
        tables = [one.table for name, one in shown.items() if name == ("shop", snapshot.name)]
        rows = [row.image for table in tables for row in table.all()]
        got = [{name: cell for name, cell in row.items() if name not in left_out} for row in rows]
        assert counted(got) == counted(snapshot.rows), story.title
        assert not any(table.without_row or table.keys_taken for table in tables), story.title


@pytest.mark.parametrize("protocol", WITH_DDL)
def test_one_row_for_one_row_whatever_becomes_of_the_handle_key(protocol: str) -> None:
    codes: Counter[str] = Counter()
    for seed in SEEDS:
        story = Story(protocol, seed)
        story.upstream.create()
        story.goes_on(40)
        road = Road(story.upstream.placed(), protocol)
        compare(story, road, story.upstream.snapshots)
        codes.update({problem.code for problem in road.catalogue.problems})
    # all DDL is there, so that the rule needs no message to put it right
    assert codes.keys() <= {ProblemCode.KEY_NOT_UNIQUE}
    assert bool(codes) == (protocol in ("debezium", "open_protocol")), "no story had a key that is not unique"


@pytest.mark.parametrize("is_exported", [False, True], ids=["", "export"])
@pytest.mark.parametrize("protocol", WITH_DDL)
def test_a_changefeed_that_begins_later_learns_the_key(protocol: str, is_exported: bool) -> None:
    for seed in SEEDS:
        story = Story(protocol, seed)
        upstream, table = story.upstream, story.table
        # nothing tells of indexes from before that they are partial, nor canal-json which columns a delete has left
        upstream.keys_only &= protocol != "canal_json"
        upstream.create()
        story.goes_on(8, only=story.key_ddl)
        table.indexes[:] = [index for index in table.indexes if index.partial is None]
        first = upstream.begin_anew()
        export = upstream.export() if is_exported else []
        story.goes_on(30)
        compare(story, Road(upstream.placed(first), protocol, export=export), upstream.snapshots)


@pytest.mark.parametrize("protocol", ["avro", "debezium_avro"])
def test_without_ddl_rows_follow_a_key_that_an_export_tells_to_be_renamed(protocol: str) -> None:
    codes: Counter[str] = Counter()
    for seed in SEEDS:
        story = Story(protocol, seed)
        upstream, table = story.upstream, story.table
        upstream.raw = False
        if table.primary() is None:
            story.add_primary_key()
        upstream.create()
        story.goes_on(12)
        for column in story.random.sample(table.sent, min(2, len(table.sent))):
            column.name = next(story.names)
            story.goes_on(6)
        export = upstream.export()
        # a row tells the names of now, the deletion of one those of the key alone
        shown = [snapshot for snapshot in upstream.snapshots if snapshot.is_of_insert]
        road = Road(upstream.placed(), protocol, export=export)
        compare(story, road, shown, {column.name for column in table.columns if column.of is not None})
        codes.update({problem.code for problem in road.catalogue.problems})
    assert codes.keys() == {ProblemCode.KEY_DIFFERS}
