"""The package's road in plain Python: decoded events become the catalogue, resolved rows, changes, carried rows, rows.

What the SQL models do is done here one row at a time; the functions that decide are the package's own. Rows have the
key that the model `int_ticdc__changes` gives them: nothing is asserted on the way.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import msgspec

from support.replay import Placed
from support.truth import Row, TableName
from ticdc_udfs.catalogue.changes import DdlKind
from ticdc_udfs.catalogue.fold import DdlEvent, Effect, Fold, TableVersion, fold
from ticdc_udfs.catalogue.partitions import partition_of
from ticdc_udfs.catalogue.projection import projected_text, same_key, touches_rows
from ticdc_udfs.catalogue.records import key_text, schema_text
from ticdc_udfs.catalogue.tables import ExportedColumn
from ticdc_udfs.contract.events import Event, Kind, Lossy
from ticdc_udfs.protocols import resolution

_NO_KEY = Lossy.NO_KEY.of()
_MOVES_KEYS = re.compile("drop|primary|unique|modify|change", re.IGNORECASE)
_Identity = tuple[str, int]


def catalogue_of(placed: Sequence[Placed], protocol: str, export: Iterable[ExportedColumn] = ()) -> Fold:
    """The fold of what the model `int_ticdc__catalogue` takes of a feed's events."""
    return fold(catalogue_events(placed), export, protocol)


def catalogue_events(placed: Sequence[Placed]) -> list[DdlEvent]:
    """DDL and schemas in the order of their commits and places: a row's schema once, when its first row comes."""
    told = [each for each in placed if each.event.kind in (Kind.DDL, Kind.BOOTSTRAP)]
    events = [((each.event.commit_ts or 0, each.partition, each.offset), _ddl_event(each.event)) for each in told]
    moves: dict[tuple[Any, ...], set[int]] = defaultdict(set)
    for each in told:
        if _MOVES_KEYS.search(each.event.ddl_query or ""):
            moves[each.event.schema_name, each.event.table_name].add(each.event.commit_ts or 0)
    rows = [each for each in placed if each.event.kind == Kind.ROW and each.event.table_name is not None]
    schemas = {_bearer(each.event): each.event.table_schema for each in rows if each.event.table_schema}
    first: dict[tuple[Any, ...], Placed] = {}
    for each in sorted(rows, key=lambda each: (each.event.commit_ts or 0, each.partition, each.offset)):
        event = each.event
        before = sum(commit < (event.commit_ts or 0) for commit in moves[event.schema_name, event.table_name])
        if before or _bearer(event) in schemas:
            first.setdefault((*_bearer(event), before), each)
    for each in first.values():
        event = each.event._replace(table_schema=schemas.get(_bearer(each.event)))
        events.append(((event.commit_ts or 0, each.partition, each.offset), _ddl_event(event, is_row=True)))
    return [event for _, event in sorted(events, key=lambda one: one[0])]


def _bearer(event: Event) -> tuple[Any, ...]:
    return event.schema_name, event.table_name, event.table_schema_id


def _ddl_event(event: Event, is_row: bool = False) -> DdlEvent:
    return DdlEvent(
        event.commit_ts or 0,
        event.schema_name,
        event.table_name,
        None if is_row else event.ddl_query,
        event.ddl_type,
        None if event.table_schema is None else event.table_schema.decode(),
    )


class Change(NamedTuple):
    """A row that comes, or goes (no `after`), in the order of truth."""

    commit_ts: int
    rank: int
    partition: int
    offset: int
    place: int
    table: TableName
    op: str
    row_key: str
    before: str | None
    after: str | None
    lossy: tuple[str, ...]


def _copies(rows: Sequence[tuple[Placed, resolution.Row]]) -> list[int]:
    """Of rows without key, the number of each among equal ones of its commit that stand side by side; 1 of others."""
    found = [1] * len(rows)
    of_commits: dict[tuple[Any, ...], list[tuple[int, int, int]]] = defaultdict(list)
    indexes: Counter[tuple[int, int]] = Counter()
    for number, (place, row) in enumerate(rows):
        index = indexes[place.partition, place.offset]
        indexes[place.partition, place.offset] += 1
        if _NO_KEY in row.lossy and place.event.row_id is None:
            commit = place.event.schema_name, place.event.table_name, place.event.commit_ts, place.partition
            of_commits[commit].append((place.offset, index, number))
    for places in of_commits.values():
        counts: Counter[tuple[Any, ...]] = Counter()
        last = (-1, -1)
        for offset, index, number in sorted(places):
            if (offset, index) not in ((last[0], last[1] + 1), (last[0] + 1, 0)):
                counts.clear()
            last = offset, index
            event, (_, _, before, after, *_) = rows[number][0].event, rows[number][1]
            counts[event.op, before, after] += 1
            found[number] = counts[event.op, before, after]
    return found


def _ranked(changes: Collection[Change]) -> Iterator[Change]:
    """The changes; without exact commits, a deletion comes first where another row is put in its millisecond."""
    put: dict[tuple[Any, ...], set[str]] = defaultdict(set)
    for change in changes:
        if change.after is not None:
            put[change.table, change.commit_ts, change.row_key].add(change.after)
    for change in changes:
        images = put.get((change.table, change.commit_ts, change.row_key), set())
        is_replaced = change.op == "delete" and images and change.before and change.before not in images
        if is_replaced and all(_columns(change.before) == _columns(image) for image in images):
            yield change._replace(rank=0)
        else:
            yield change


def _columns(image: str | None) -> list[str]:
    return list(msgspec.json.decode(image or "{}"))


class _Held(NamedTuple):
    row: str
    lossy: tuple[str, ...]
    version: TableVersion


@dataclass
class Table:
    """The rows of one table incarnation by their keys; of one without key equal rows are copies."""

    rows: dict[str, list[_Held]] = field(default_factory=dict)
    without_row: list[Change] = field(default_factory=list)
    keys_taken: list[Change] = field(default_factory=list)

    def put(self, key: str, held: _Held, copies: bool = False) -> None:
        self.rows[key] = [held, *(self.rows.get(key, ()) if copies else ())]

    def all(self) -> list[Row]:
        return [Row(msgspec.json.decode(one.row), one.lossy) for held in self.rows.values() for one in held]


class Shown(NamedTuple):
    """A table as of a commit."""

    version: TableVersion
    table: Table


class Road:
    """A feed's tables as its events make them."""

    def __init__(
        self,
        placed: Sequence[Placed],
        protocol: str,
        options_text: str = "{}",
        export: Iterable[ExportedColumn] = (),
    ) -> None:
        self.catalogue = catalogue_of(placed, protocol, export)
        self.versions: dict[TableName, list[TableVersion]] = defaultdict(list)
        self.lineages: dict[_Identity, list[TableVersion]] = defaultdict(list)
        for version in self.catalogue.versions:
            self.versions[version.schema_name.lower(), version.table_name.lower()].append(version)
            self.lineages[version.table_id, version.incarnation].append(version)
        changes = _ranked(list(self._changes(placed, protocol, options_text)))
        self.changes = sorted(changes, key=lambda change: change[:5])

    def version_at(self, schema: str | None, table: str | None, commit_ts: int) -> TableVersion | None:
        """The version that a row of this name and commit belongs to."""
        for version in self.versions[(schema or "").lower(), (table or "").lower()]:
            if version.valid_from_ts < commit_ts and (version.valid_to_ts is None or commit_ts <= version.valid_to_ts):
                return version
        return None

    def _changes(self, placed: Sequence[Placed], protocol: str, options_text: str) -> Iterator[Change]:
        named = {
            _bearer(event): event.table_schema.decode()
            for event, _, _ in placed
            if event.table_schema is not None and event.kind in (Kind.DDL, Kind.BOOTSTRAP)
        }
        rows: list[tuple[Placed, resolution.Row]] = []
        for place in placed:
            event = place.event
            if event.kind != Kind.ROW or event.table_name is None:
                continue
            version = self.version_at(event.schema_name, event.table_name, event.commit_ts or 0)
            keys_rows = version is not None and version.keys_rows
            lossy = tuple(dict.fromkeys((*event.lossy, *([_NO_KEY] if keys_rows else []))))
            row = resolution.Row(*map(_text, event[8:12]), lossy)
            if any(flag.rpartition(":")[2] in ("no_schema", "label_unknown", "no_key") for flag in lossy):
                schema = None if version is None else schema_text(version)
                if event.table_schema_id is not None and Lossy.NO_SCHEMA.of() in lossy:
                    schema = named.get(_bearer(event))
                elif version is not None and version.origin == "wire" and protocol.startswith("debezium"):
                    schema = schema if Lossy.NO_SCHEMA.of() in lossy else None
                key = None if version is None else key_text(version)
                row = resolution.resolve(row, protocol, schema, options_text, None, key)
            texts = {name: _text(member) for name, member in row._asdict().items() if name != "lossy"}
            rows.append((place, row._replace(**texts)))
        seen = set()
        for (place, row), copy in zip(rows, _copies(rows), strict=True):
            event = place.event
            for half in (None,) if row.before_key is None else ("delete", "insert"):
                op = half or event.op
                change = Change(
                    event.commit_ts or 0,
                    0 if event.commit_ts_exact and op == "delete" else 1,
                    place.partition,
                    place.offset,
                    copy,
                    (event.schema_name or "", event.table_name or ""),
                    op or "",
                    str(row.before_key if half == "delete" else row.row_key),
                    None if half == "insert" else row.before,  # type: ignore[arg-type]
                    None if half == "delete" else row.after,  # type: ignore[arg-type]
                    row.lossy,
                )
                has_key = event.commit_ts_exact and _NO_KEY not in row.lossy
                images = () if has_key else (row.before, row.after, event.row_id)
                identity = (change.table, change.commit_ts, change.row_key, op, copy, *images)
                if identity not in seen:
                    seen.add(identity)
                    yield change

    def replay(self, checkpoints: Iterable[int] = ()) -> Iterator[tuple[int, dict[TableName, Shown]]]:
        """The tables at each checkpoint, and at last."""
        tables: dict[_Identity, Table] = defaultdict(Table)
        steps: list[tuple[int, int, int, Any]] = [
            *((change.commit_ts, 0, place, change) for place, change in enumerate(self.changes)),
            *((effect.commit_ts, 1, place, effect) for place, effect in enumerate(self.catalogue.effects)),
            *((one.valid_from_ts, 2, place, one) for place, one in enumerate(self.catalogue.versions)),
            *((checkpoint, 3, 0, checkpoint) for checkpoint in [*checkpoints, 2**63 - 1]),
        ]
        for commit_ts, _, _, step in sorted(steps, key=lambda step: step[:3]):
            match step:
                case Change():
                    self._apply(step, tables)
                case Effect():
                    self._effect(step, tables)
                case TableVersion():
                    self._carry(step, tables[step.table_id, step.incarnation])
                case _:
                    shown = {
                        (one.schema_name, one.table_name): Shown(one, tables[one.table_id, one.incarnation])
                        for one in self.catalogue.versions
                        if one.valid_from_ts <= commit_ts and (one.valid_to_ts is None or commit_ts < one.valid_to_ts)
                    }
                    yield commit_ts, shown

    def _apply(self, change: Change, tables: Mapping[_Identity, Table]) -> None:
        version = self.version_at(*change.table, change.commit_ts)
        assert version is not None, f"no version of {change.table} at {change.commit_ts}"
        table = tables[version.table_id, version.incarnation]
        if _NO_KEY in change.lossy:
            for image, comes in ((change.before, False), (change.after, True)):
                if image is None:
                    continue
                if comes:
                    table.put(image, _Held(image, change.lossy, version), copies=True)
                elif not table.rows.get(image):
                    table.without_row.append(change)
                else:
                    _, *rest = table.rows.pop(image)
                    if rest:
                        table.rows[image] = rest
            return
        here = change.row_key in table.rows
        if change.before is not None and not here:
            table.without_row.append(change)
        if change.op == "insert" and here:
            table.keys_taken.append(change)
        if change.after is None:
            table.rows.pop(change.row_key, None)
        else:
            table.put(change.row_key, _Held(change.after, change.lossy, version))

    def _carry(self, version: TableVersion, table: Table) -> None:
        lineage = self.lineages[version.table_id, version.incarnation]
        at = lineage.index(version)
        before = lineage[at - 1] if at else None
        if before is None or not before.columns or not version.columns:
            return
        if not same_key(before.columns, version.columns):
            held, table.rows = table.rows, {}
            for rows in held.values():
                for one in rows:
                    row, key, lossy = self._projected(one, version)
                    table.put(key or row, _Held(row, tuple(lossy), version), _NO_KEY in lossy)
        elif touches_rows(before.columns, version.columns):
            for key, rows in list(table.rows.items()):
                moved = [self._projected(one, version) for one in rows]
                carried = [_Held(row, tuple(lossy), version) for row, _, lossy in moved]
                if _NO_KEY in carried[0].lossy:
                    del table.rows[key]
                    for one in carried:
                        table.put(one.row, one, copies=True)
                else:
                    table.rows[key] = carried

    def _projected(self, held: _Held, version: TableVersion) -> tuple[str, str | None, Sequence[str]]:
        lineage = self.lineages[version.table_id, version.incarnation]
        chain = lineage[lineage.index(held.version) : lineage.index(version) + 1]
        text = msgspec.json.encode([[column._asdict() for column in one.columns] for one in chain]).decode()
        row, key, lossy = projected_text(held.row, text, held.lossy)
        return str(_text(row)), _text(key), lossy

    def _effect(self, effect: Effect, tables: Mapping[_Identity, Table]) -> None:
        source = self._version_before(effect.table_id, effect.incarnation, effect.commit_ts)
        table = tables[effect.table_id, effect.incarnation]
        names = {partition.name for partition in effect.partitions}
        gone = []
        for key, rows in list(table.rows.items()):
            stays = []
            for held in rows:
                row, _, lossy = self._projected(held, source)
                image = msgspec.json.decode(row, type=dict[str, str | None])
                partition = effect.partitioning and partition_of(image, effect.partitioning, source.columns)
                if partition in names:
                    gone.append(_Held(row, tuple(lossy), source))
                else:
                    stays.append(held)
            table.rows[key] = stays
            if not stays:
                del table.rows[key]
        if effect.kind is not DdlKind.EXCHANGE_PARTITION:
            return
        assert effect.counterpart_table_id is not None and effect.counterpart_incarnation is not None
        target = self._version_before(effect.counterpart_table_id, effect.counterpart_incarnation, effect.commit_ts)
        other = tables[effect.counterpart_table_id, effect.counterpart_incarnation]
        come = [_Held(*self._row_of(held, target), target) for rows in other.rows.values() for held in rows]
        other.rows = {}
        for receiver, version, rows in ((other, target, gone), (table, source, come)):
            columns = msgspec.json.encode([[column._asdict() for column in version.columns]]).decode()
            for held in rows:
                row, key, lossy = projected_text(held.row, columns, held.lossy)
                receiver.put(
                    _text(key) or str(_text(row)), _Held(str(_text(row)), tuple(lossy), version), _NO_KEY in lossy
                )

    def _row_of(self, held: _Held, version: TableVersion) -> tuple[str, tuple[str, ...]]:
        row, _, lossy = self._projected(held, version)
        return row, tuple(lossy)

    def _version_before(self, table_id: str, incarnation: int, commit_ts: int) -> TableVersion:
        return next(
            one
            for one in self.lineages[table_id, incarnation]
            if one.valid_from_ts < commit_ts and (one.valid_to_ts is None or commit_ts <= one.valid_to_ts)
        )


def _text(data: Any) -> str | None:
    return data.decode() if isinstance(data, bytes) else data
