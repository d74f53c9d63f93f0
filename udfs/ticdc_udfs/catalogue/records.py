"""What the catalogue of a feed holds: versions of tables, moves of rows, DDL statements and problems.

A record is a mapping: `record` says what it is, members that are null may be left out.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, Literal, NamedTuple

import msgspec

from ticdc_udfs.catalogue.changes import Partitioning, Table
from ticdc_udfs.catalogue.ddl import kind_and_tables
from ticdc_udfs.catalogue.fold import Effect, Fold, Problem, TableVersion, fold
from ticdc_udfs.catalogue.partitions import Zone
from ticdc_udfs.catalogue.projection import same_key, touches_rows
from ticdc_udfs.catalogue.seen import Position, SeenTable, ddl_events, with_one_commit
from ticdc_udfs.catalogue.tables import Column, ExportedColumn, Identity, Origin, key_of

_Record = dict[str, Any]


class Feed(msgspec.Struct, frozen=True):
    """What of a feed its catalogue depends on.

    `hides_nulls_of` is the capability of the protocol: of columns with a default, or with an expression for one, a
    message has the default where the row has NULL. The others are the options of these names.
    """

    protocol: str = ""
    hides_nulls_of: Literal["defaults", "expressions"] | None = None
    binary_handling_mode: str | None = None
    time_zone: str | None = None
    session_time_zone: str | None = None

    @property
    def zone(self) -> Zone:
        """The time zone of the sessions whose DDL the feed has."""
        return Zone(self.session_time_zone or self.time_zone or "UTC", self.session_time_zone is not None)


class Version(NamedTuple):
    """A version, the JSON text of its columns, and what its start does to the rows of the one before it.

    That is `none`, `columns` (rows get other columns or values) or `key` (rows get another key).
    """

    of: TableVersion
    columns: str
    row_effect: str

    @property
    def identity(self) -> Identity:
        """What tells the rows of its table from those of all others."""
        return self.of.table_id, self.of.incarnation

    @property
    def place(self) -> tuple[Identity, int]:
        """What tells it from all other versions."""
        return self.identity, self.of.valid_from_ts


_read_seen = msgspec.json.Decoder(list[SeenTable]).decode
_read_export = msgspec.json.Decoder(list[dict[str, Any]]).decode
_read_feed = msgspec.json.Decoder(Feed).decode


def records(seen_text: str | None, export: str | None, feed_text: str | None) -> list[_Record]:
    """Folds the JSON list of what runs saw of a feed's tables (objects with the members of `SeenTable`).

    `export` is a JSON list of rows of `information_schema.columns` with its column names in any case, or null.
    `feed_text` is a JSON object with the members of `Feed`. Partitioning is JSON text with the members of
    `Partitioning`, columns are JSON text with those of `Column`.
    """
    seen, feed = with_one_commit(_read_seen(seen_text or "[]")), _read_feed(feed_text or "{}")
    result = fold(ddl_events(seen), map(exported_column, _read_export(export or "[]")), feed.protocol)
    versions = [*_versions(result.versions)]
    is_exact = all(each.commit_ts_exact or (each.kind == "row" and not each.has_schema) for each in seen)
    ends = {} if is_exact else _last_commits(versions)
    return [
        *(_version(version, ends.get(version.place), is_exact, feed, export is not None) for version in versions),
        *_moves(result, versions, feed.zone),
        *_statements(seen),
        *map(_problem, result.problems),
    ]


def exported_column(row: Mapping[str, Any]) -> ExportedColumn:
    """A row of `information_schema.columns`, whose numbers may be text, and defaults numbers."""
    member = {name.upper(): value for name, value in row.items()}
    nullable, default = member.get("IS_NULLABLE"), member.get("COLUMN_DEFAULT")
    return ExportedColumn(
        schema_name=str(member["TABLE_SCHEMA"]),
        table_name=str(member["TABLE_NAME"]),
        column_name=str(member["COLUMN_NAME"]),
        ordinal_position=int(member["ORDINAL_POSITION"]),
        column_type=str(member["COLUMN_TYPE"]),
        is_nullable=None if nullable is None else str(nullable).upper() in ("YES", "TRUE", "1"),
        column_default=None if default is None else str(default),
        column_key=member.get("COLUMN_KEY") or "",
        extra=member.get("EXTRA") or "",
        collation_name=member.get("COLLATION_NAME"),
    )


def table_names(tables: Iterable[Table]) -> list[_Record]:
    """Names of tables; one without name stands for its database."""
    return [{"schema_name": schema, "table_name": table} for schema, table in tables]


# Versions


def _versions(versions: Sequence[TableVersion]) -> Iterator[Version]:
    before: TableVersion | None = None
    for version in versions:
        effect = "none"
        if before is not None and before[:2] == version[:2] and before.columns and version.columns:
            if not same_key(before.columns, version.columns):
                effect = "key"
            elif touches_rows(before.columns, version.columns):
                effect = "columns"
        yield Version(version, _text([_told(column._asdict()) for column in version.columns]), effect)
        before = version


def _last_commits(versions: Iterable[Version]) -> dict[tuple[Identity, int], int]:
    """The last commits of versions whose names others bear from a DDL of the same millisecond on, or an earlier one."""
    by_name = defaultdict(list)
    for version in sorted(versions, key=lambda version: version.of.valid_from_ts):
        by_name[key_of(version.of.schema_name, version.of.table_name)].append(version)
    return {
        version.place: later.of.valid_from_ts - 1
        for of_name in by_name.values()
        for version, later in pairwise(of_name)
        if version.of.valid_to_ts is not None and later.of.valid_from_ts <= version.of.valid_to_ts
    }


def _version(version: Version, last_ts: int | None, is_exact: bool, feed: Feed, is_exported: bool) -> _Record:
    of = version.of
    return {
        "record": "version",
        "commit_ts": of.valid_from_ts,
        "schema_name": of.schema_name,
        "table_name": of.table_name,
        "table_id": of.table_id,
        "table_incarnation": of.incarnation,
        "valid_from_ts": of.valid_from_ts,
        "valid_to_ts": of.valid_to_ts,
        # without commit TSOs, rows of the DDL's own millisecond come after it: a new table has none before
        "rows_after_ts": of.valid_from_ts - (not is_exact),
        "rows_to_ts": of.valid_to_ts if last_ts is None else last_ts,
        "started_by": of.started_by,
        "ended_by": of.ended_by,
        "origin": of.origin,
        "keys_rows": of.keys_rows,
        "has_unsure_cells": _has_unsure_cells(of, feed, is_exported),
        "has_unsure_key": _has_unsure_key(of, feed),
        "columns": version.columns,
        "table_schema": schema_text(of),
        "key_columns": key_text(of),
        "row_effect": version.row_effect,
        "partitioning": partitioning_text(of.partitioning, feed.zone, of.columns),
    }


def schema_text(version: TableVersion) -> str:
    """The JSON text of the columns of a version that rows have, as `schemas.TableSchema` reads it."""
    return _text(
        [
            _told(
                {
                    "name": column.name,
                    "type": column.type,
                    "key": column.key,
                    "nullable": column.nullable,
                    "default": _default(column),
                }
            )
            for column in version.columns
            if column.generated != "virtual"
        ]
    )


def key_text(version: TableVersion) -> str:
    """The JSON list of the names of a version's key columns, in the order of the table."""
    return _text([column.name for column in version.columns if column.key is not None])


def _has_unsure_cells(version: TableVersion, feed: Feed, is_exported: bool) -> bool:
    """Whether the columns tell what messages of rows do not, so that a cell may stand for something else.

    With an export each row of a protocol without types is resolved, but for those of a table whose types it does not
    have.
    """
    if feed.hides_nulls_of == "defaults":
        return (version.origin is Origin.WIRE or not is_exported) and any(
            column.nullable is not False and _default(column) is not None for column in version.columns
        )
    return feed.hides_nulls_of == "expressions" and any(
        _may_hide_null(column) or _is_unsure_binary(column, version, feed) for column in version.columns
    )


def _has_unsure_key(version: TableVersion, feed: Feed) -> bool:
    """Whether the key that messages name may be no canonical text."""
    return feed.hides_nulls_of == "expressions" and any(
        column.key is not None and _is_unsure_binary(column, version, feed) for column in version.columns
    )


def _is_unsure_binary(column: Column, version: TableVersion, feed: Feed) -> bool:
    """Whether the version tells more of bytes than messages do, which do not say how they are written."""
    return version.origin is not Origin.WIRE and not feed.binary_handling_mode and _is_binary(column)


def _may_hide_null(column: Column) -> bool:
    expression = column.default_expression
    is_computed = expression is not None and not expression.upper().startswith("CURRENT_TIMESTAMP")
    return column.nullable is not False and is_computed


def _is_binary(column: Column) -> bool:
    return column.type.partition("(")[0].endswith(("binary", "blob"))


def _default(column: Column) -> str | None:
    return column.default_expression if column.default is None else column.default


# Moves


def _moves(result: Fold, versions: Sequence[Version], zone: Zone) -> Iterator[_Record]:
    """Where the rows of a table go: all of them with a new key, those of partitions with DDL about these."""
    lineages: dict[Identity, list[Version]] = defaultdict(list)
    for version in versions:
        lineages[version.identity].append(version)
    for version in versions:
        if version.row_effect == "key":
            yield _move(version.of.valid_from_ts, "key_change", version, version, lineages)
    for effect in result.effects:
        source = _before(lineages[effect.table_id, effect.incarnation], effect.commit_ts)
        if source is None:
            continue
        target = None
        if effect.counterpart_table_id is not None and effect.counterpart_incarnation is not None:
            other = lineages[effect.counterpart_table_id, effect.counterpart_incarnation]
            target = _before(other, effect.commit_ts)
        yield _move(effect.commit_ts, effect.kind, source, target, lineages, effect, zone)
        if target is not None:
            # all rows of a table that was exchanged go into the partition, also those that do not fit it
            yield _move(effect.commit_ts, effect.kind, target, source, lineages) | {
                "to_partition_name": effect.partition_names[0]
            }


def _before(versions: Iterable[Version], commit_ts: int) -> Version | None:
    """The version of a table that ends with a commit, or holds at it."""
    for version in versions:
        if version.of.valid_from_ts < commit_ts and (version.of.valid_to_ts or commit_ts) >= commit_ts:
            return version
    return None


def _move(
    ddl_commit_ts: int,
    kind: str,
    source: Version,
    target: Version | None,
    lineages: Mapping[Identity, Sequence[Version]],
    effect: Effect | None = None,
    zone: Zone | None = None,
) -> _Record:
    record = {
        "record": "move",
        "commit_ts": ddl_commit_ts,
        "schema_name": source.of.schema_name,
        "table_name": source.of.table_name,
        "table_id": source.of.table_id,
        "table_incarnation": source.of.incarnation,
        "kind": kind,
        "version_from_ts": source.of.valid_from_ts,
        "columns": source.columns,
        "lineage": [
            {"valid_from_ts": each.of.valid_from_ts, "columns": each.columns, "row_effect": each.row_effect}
            for each in lineages[source.identity]
        ],
    }
    if effect is not None:
        record["partitioning"] = partitioning_text(effect.partitioning, zone, source.of.columns)
        record["partition_names"] = [name.lower() for name in effect.partition_names]
        record["physical_id"] = effect.physical_id
        record["regrouped"] = [{"partition_name": name, "commit_ts": at} for name, at in effect.regrouped]
    if target is not None:
        record["to_table_id"], record["to_incarnation"] = target.identity
        record["to_version_from_ts"], record["to_columns"] = target.of.valid_from_ts, target.columns
    return record


# Statements and problems


def _statements(seen: Iterable[SeenTable]) -> Iterator[_Record]:
    """Each DDL statement once, with the place of its first copy: replays and copies for other partitions are one."""
    copies: dict[tuple[Any, ...], list[tuple[Position, str]]] = defaultdict(list)
    for each in seen:
        if each.kind == "ddl" and each.first_position is not None:
            statement = each.message_ts, each.schema_name, each.table_name, each.ddl_query
            copies[statement].append((each.first_position, each.ddl_type or ""))
    for (commit_ts, schema_name, table_name, query), of_statement in copies.items():
        position, ddl_type = min(of_statement)
        kind, tables = kind_and_tables(query, schema_name) if query else (None, ())
        yield {
            "record": "statement",
            "commit_ts": commit_ts,
            "schema_name": schema_name,
            "table_name": table_name,
            "kind": kind,
            "touched_tables": table_names(tables),
            "ddl_type": ddl_type or None,
            "ddl_query": query,
            **msgspec.structs.asdict(position),
        }


def _problem(problem: Problem) -> _Record:
    return {**problem._asdict(), "record": "problem"}


def partitioning_text(
    partitioning: Partitioning | None, zone: Zone | None = None, columns: Sequence[Column] = ()
) -> str | None:
    """The JSON text of how a table with these columns is partitioned, as `partition_batch` reads it; None: it is not.

    `zone` is that of the sessions that did so, UTC where nothing tells it. It stands in the text where it may decide.
    """
    if partitioning is None:
        return None
    partitions = [partition._asdict() for partition in partitioning.partitions]
    is_zoned = any(column.type.startswith("timestamp") for column in columns)
    of_zone = {"zone": zone.name, "zone_is_told": zone.is_told} if zone is not None and is_zoned else {}
    return _text({**partitioning._asdict(), "partitions": partitions, **of_zone})


def _told(members: Mapping[str, Any]) -> _Record:
    return {name: member for name, member in members.items() if member is not None}


def _text(value: object) -> str:
    return msgspec.json.encode(value).decode()
