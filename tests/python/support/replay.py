"""Replays of decoded events in plain Python: the rows of tables without Spark, and with every DDL applied."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import orjson

from support.truth import Row, TableName
from ticdc_udfs.catalogue.changes import DdlKind
from ticdc_udfs.catalogue.fold import DdlEvent, Effect, Fold, TableVersion, fold
from ticdc_udfs.catalogue.partitions import partition_of
from ticdc_udfs.catalogue.projection import key_of, project
from ticdc_udfs.catalogue.tables import Column
from ticdc_udfs.contract import values
from ticdc_udfs.contract.events import Event, Kind, Lossy
from ticdc_udfs.protocols import resolution


class Placed(NamedTuple):
    """An event and where its message stood."""

    event: Event
    partition: int
    offset: int


class _Step(NamedTuple):
    commit_ts: int
    puts: bool
    partition: int
    offset: int


def current_rows(events: Iterable[Placed]) -> dict[TableName, dict[bytes, Row]]:
    """Rows by table and row key after all row events, as the rules of order say.

    Order: commit, then what closes a key before what opens one, then partition and offset. Without an exact commit
    TSO several commits share one, so that only the offset tells.
    """
    steps: list[tuple[_Step, TableName, bytes, Row | None]] = []
    for event, partition, offset in events:
        if event.kind != "row":
            continue
        table = (event.schema_name or "", event.table_name or "")
        at = _Step(event.commit_ts or 0, False, partition, offset)
        closed = event.row_key if event.op == "delete" else event.before_key
        if closed is not None:
            steps.append((at, table, closed, None))
        if event.after is not None and event.row_key is not None:
            opened = Row(orjson.loads(event.after), event.lossy)
            steps.append((at._replace(puts=event.commit_ts_exact), table, event.row_key, opened))
    rows: dict[TableName, dict[bytes, Row]] = {}
    for _, table, key, row in sorted(steps, key=lambda step: step[0]):
        if row is None:
            rows.get(table, {}).pop(key, None)
        else:
            rows.setdefault(table, {})[key] = row
    return rows


# The replay with DDL

_NO_KEY = Lossy.NO_KEY.of()
_Identity = tuple[str, int]
Image = dict[str, str | None]


def fold_of(events: Iterable[Event]) -> Fold:
    """The table versions that the DDL and the bootstraps of a feed tell of."""
    return fold(
        DdlEvent(
            event.commit_ts or 0,
            event.schema_name,
            event.table_name,
            event.ddl_query,
            event.ddl_type,
            None if event.table_schema is None else event.table_schema.decode(),
        )
        for event in events
        if event.kind in (Kind.DDL, Kind.BOOTSTRAP)
    )


def resolved(placed: Sequence[Placed], protocol: str) -> Iterator[Placed]:
    """The row events, those that wait for a table schema finished by the one that they name."""
    schemas = {
        (event.schema_name, event.table_name, event.table_schema_id): event.table_schema.decode()
        for event, _, _ in placed
        if event.table_schema is not None
    }
    for event, partition, offset in placed:
        if event.kind != Kind.ROW:
            continue
        schema = schemas.get((event.schema_name, event.table_name, event.table_schema_id))
        row = resolution.Row(event.row_key, event.before_key, event.before, event.after, event.lossy)
        row_key, before_key, before, after, lossy, _ = resolution.resolve(row, protocol, schema, "{}", None)
        finished = event._replace(row_key=row_key, before_key=before_key, before=before, after=after, lossy=lossy)  # type: ignore[arg-type]
        yield Placed(finished, partition, offset)


class Change(NamedTuple):
    """A row that goes (`puts` false) or comes, in the order of truth."""

    commit_ts: int
    puts: bool
    place: int
    table: TableName
    image: Image
    lossy: tuple[str, ...]
    row_key: bytes


def changes(rows: Iterable[Placed]) -> list[Change]:
    """What goes and what comes, by commit, and in one commit what goes first."""
    steps = []
    for place, (event, _, _) in enumerate(rows):
        table = (event.schema_name or "", event.table_name or "")
        at = Change(event.commit_ts or 0, False, place, table, {}, event.lossy, event.row_key or b"")
        if event.before is not None:
            key = event.before_key or event.row_key or b""
            steps.append(at._replace(image=orjson.loads(event.before), row_key=key))
        if event.after is not None:
            steps.append(at._replace(puts=True, image=orjson.loads(event.after)))
    return sorted(steps, key=lambda step: step[:3])


@dataclass
class Store:
    """The rows of one table: lists by row key, as rows of a table without key may be equal."""

    columns: tuple[Column, ...]
    rows: dict[bytes, list[Row]] = field(default_factory=dict)

    def put(self, row: Row) -> None:
        key = key_of(row.image, self.columns)
        self.rows[key] = [row, *(() if any(column.key for column in self.columns) else self.rows.get(key, ()))]

    def take(self, image: Mapping[str, str | None]) -> Row:
        key = key_of(image, self.columns)
        row, *rest = self.rows.pop(key)
        if rest:
            self.rows[key] = rest
        return row

    def all(self) -> list[Row]:
        return [row for rows in self.rows.values() for row in rows]

    def become(self, columns: tuple[Column, ...]) -> None:
        """All rows as a later version of the table shows them."""
        rows, self.rows = self.all(), {}
        old, self.columns = self.columns, columns
        for row in rows:
            self.put(Row(*project(row.image, [old, columns], row.lossy)))

    def leave(self, names: Sequence[str], effect: Effect) -> list[Row]:
        """Takes the rows of some partitions away, and gives them."""
        assert effect.partitioning is not None
        rows = self.all()
        self.rows = {}
        gone = []
        for row in rows:
            partition = partition_of(row.image, effect.partitioning, self.columns)
            assert partition is not None
            if partition in names:
                gone.append(row)
            else:
                self.put(row)
        return gone


class Table(NamedTuple):
    """A table as of a commit."""

    version: TableVersion
    rows: Sequence[Row]


def replay(
    catalogue: Fold, rows: Iterable[Placed], checkpoints: Iterable[int]
) -> Iterator[tuple[int, dict[TableName, Table]]]:
    """The tables at each checkpoint with every row and DDL up to it applied, rows before a DDL of their commit."""
    stores: dict[_Identity, Store] = {}
    versions: dict[TableName, TableVersion] = {}
    steps = [
        *((change.commit_ts, 0, place, change) for place, change in enumerate(changes(rows))),
        *((effect.commit_ts, 1, place, effect) for place, effect in enumerate(catalogue.effects)),
        *((one.valid_to_ts, 2, place, one) for place, one in enumerate(catalogue.versions) if one.valid_to_ts),
        *((one.valid_from_ts, 3, place, one) for place, one in enumerate(catalogue.versions)),
        *((checkpoint, 4, checkpoint, checkpoint) for checkpoint in checkpoints),
    ]
    for _, phase, _, step in sorted(steps, key=lambda step: step[:3]):
        match step:
            case Change():
                version = versions[_lower(step.table)]
                _apply(step, stores[version.table_id, version.incarnation])
            case Effect():
                _partition_effect(step, stores)
            case TableVersion():
                name = _lower((step.schema_name, step.table_name))
                if phase == 2:
                    del versions[name]
                    continue
                versions[name] = step
                stores.setdefault((step.table_id, step.incarnation), Store(step.columns)).become(step.columns)
            case int():
                yield (
                    step,
                    {
                        (one.schema_name, one.table_name): Table(one, stores[one.table_id, one.incarnation].all())
                        for one in versions.values()
                    },
                )


def _lower(table: TableName) -> TableName:
    return table[0].lower(), table[1].lower()


def _apply(change: Change, store: Store) -> None:
    image, lossy = _labelled(change, store.columns)
    if image == change.image and _NO_KEY not in change.lossy:
        assert change.row_key == key_of(image, store.columns), "the row key is not the one on the wire"
    if change.puts:
        store.put(Row(image, lossy))
    else:
        assert store.take(image).image == image, "the row before a change is not the one on the wire"


def _labelled(change: Change, columns: Sequence[Column]) -> tuple[Image, tuple[str, ...]]:
    """The row with the labels that the catalogue knows of its enums and sets."""
    image, lossy = dict(change.image), [flag for flag in change.lossy if flag != _NO_KEY]
    for column in columns:
        flag, text = Lossy.LABEL_UNKNOWN.of(column.name), image.get(column.name)
        convert = values.shared_converter(column.type)
        if flag in lossy and convert is not None:
            lossy.remove(flag)
            if text is not None:
                image[column.name] = convert(text)[0]
    return image, tuple(lossy)


def _partition_effect(effect: Effect, stores: Mapping[_Identity, Store]) -> None:
    store = stores[effect.table_id, effect.incarnation]
    names = [partition.name for partition in effect.partitions]
    gone = store.leave(names, effect)
    if effect.kind is not DdlKind.EXCHANGE_PARTITION:
        return
    assert effect.counterpart_table_id is not None and effect.counterpart_incarnation is not None
    other = stores[effect.counterpart_table_id, effect.counterpart_incarnation]
    come, other.rows = other.all(), {}
    for row in gone:
        other.put(row)
    for row in come:
        store.put(row)
