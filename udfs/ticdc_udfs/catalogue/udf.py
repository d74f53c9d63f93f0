"""The catalogue for SQL: Arrow arrays in, Arrow arrays out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec
import pyarrow as pa

from ticdc_udfs.catalogue.changes import Partitioning
from ticdc_udfs.catalogue.ddl import kind_and_tables
from ticdc_udfs.catalogue.fold import Effect, Problem, TableVersion, fold
from ticdc_udfs.catalogue.projection import same_key, touches_rows
from ticdc_udfs.catalogue.seen import SeenTable, ddl_events
from ticdc_udfs.catalogue.tables import ExportedColumn

_COLUMN = (
    ("column_id", "int", pa.int32()),
    ("name", "string", pa.string()),
    ("type", "string", pa.string()),
    ("key", "int", pa.int32()),
    ("nullable", "boolean", pa.bool_()),
    ("default", "string", pa.string()),
    ("default_expression", "string", pa.string()),
    ("generated", "string", pa.string()),
    ("auto_increment", "boolean", pa.bool_()),
    ("collation", "string", pa.string()),
    ("added_value", "string", pa.string()),
)


def _struct(fields: Iterable[tuple[str, str, pa.DataType]]) -> tuple[str, pa.DataType]:
    fields = tuple(fields)
    sql_type = ", ".join(f"{name}: {sql_type}" for name, sql_type, _ in fields)
    return f"struct<{sql_type}>", pa.struct([(name, arrow_type) for name, _, arrow_type in fields])


_COLUMN_SQL_TYPE, _COLUMN_TYPE = _struct(_COLUMN)
_RECORD = (
    ("record", "string", pa.string()),
    ("commit_ts", "bigint", pa.int64()),
    ("schema_name", "string", pa.string()),
    ("table_name", "string", pa.string()),
    ("table_id", "string", pa.string()),
    ("incarnation", "int", pa.int32()),
    ("incarnation_ts", "bigint", pa.int64()),
    ("valid_from_ts", "bigint", pa.int64()),
    ("valid_to_ts", "bigint", pa.int64()),
    ("started_by", "string", pa.string()),
    ("ended_by", "string", pa.string()),
    ("origin", "string", pa.string()),
    ("keys_rows", "boolean", pa.bool_()),
    ("columns", f"array<{_COLUMN_SQL_TYPE}>", pa.list_(_COLUMN_TYPE)),
    ("row_effect", "string", pa.string()),
    ("partitioning", "string", pa.string()),
    ("kind", "string", pa.string()),
    ("partition_names", "array<string>", pa.list_(pa.string())),
    ("partitions", "string", pa.string()),
    ("counterpart_table_id", "string", pa.string()),
    ("counterpart_incarnation", "int", pa.int32()),
    ("counterpart_schema_name", "string", pa.string()),
    ("counterpart_table_name", "string", pa.string()),
    ("code", "string", pa.string()),
    ("detail", "string", pa.string()),
)
_NO_MEMBERS: Mapping[str, Any] = dict.fromkeys(name for name, _, _ in _RECORD)
_RECORD_SQL_TYPE, _RECORD_TYPE = _struct(_RECORD)
FOLD_SQL_TYPE = f"array<{_RECORD_SQL_TYPE}>"
"""What `fold_batch` returns: `record` is version, effect or problem; members that it has not are null."""

_TABLE_SQL_TYPE, _TABLE_TYPE = _struct((("schema_name", "string", pa.string()), ("table_name", "string", pa.string())))
KIND_SQL_TYPE, _KIND_TYPE = _struct(
    (("kind", "string", pa.string()), ("tables", f"array<{_TABLE_SQL_TYPE}>", pa.list_(_TABLE_TYPE)))
)
"""What `kind_batch` returns; a table without name stands for its database."""

_read_seen = msgspec.json.Decoder(list[SeenTable]).decode
_read_export = msgspec.json.Decoder(list[dict[str, Any]]).decode


def kind_batch(queries: pa.Array[Any], schema_names: pa.Array[Any]) -> pa.Array[Any]:
    """The kind of each DDL text and the tables it touches; null for no text."""
    return pa.array(map(_kind, queries.to_pylist(), schema_names.to_pylist()), _KIND_TYPE)


def _kind(query: str | None, schema_name: str | None) -> dict[str, Any] | None:
    if not query:
        return None
    kind, tables = kind_and_tables(query, schema_name)
    return {"kind": kind.value, "tables": [{"schema_name": schema, "table_name": table} for schema, table in tables]}


def fold_batch(seen: pa.Array[Any], exports: pa.Array[Any], protocols: pa.Array[Any]) -> pa.Array[Any]:
    """The records of each feed: see `fold_json`."""
    feeds = (each.to_pylist() for each in (seen, exports, protocols))
    return pa.array(map(fold_json, *feeds), pa.list_(_RECORD_TYPE))


def fold_json(seen: str | None, export: str | None, protocol: str | None) -> list[dict[str, Any]]:
    """Folds the JSON list of what runs saw of a feed's tables (objects with the members of `SeenTable`).

    `export` is a JSON list of rows of `information_schema.columns` with its column names in any case, or null.
    Partitions and partitioning are JSON text with the members of `PartitionRange` and `Partitioning`.
    """
    export_columns = map(exported_column, _read_export(export or "[]"))
    result = fold(ddl_events(_read_seen(seen or "[]")), export_columns, protocol or "")
    return [
        *_versions(result.versions),
        *map(_effect, result.effects),
        *map(_problem, result.problems),
    ]


def exported_column(row: Mapping[str, Any]) -> ExportedColumn:
    """A row of `information_schema.columns`, whose numbers may be text."""
    member = {name.upper(): value for name, value in row.items()}
    nullable = member.get("IS_NULLABLE")
    return ExportedColumn(
        schema_name=str(member["TABLE_SCHEMA"]),
        table_name=str(member["TABLE_NAME"]),
        column_name=str(member["COLUMN_NAME"]),
        ordinal_position=int(member["ORDINAL_POSITION"]),
        column_type=str(member["COLUMN_TYPE"]),
        is_nullable=None if nullable is None else str(nullable).upper() in ("YES", "TRUE", "1"),
        column_default=member.get("COLUMN_DEFAULT"),
        column_key=member.get("COLUMN_KEY") or "",
        extra=member.get("EXTRA") or "",
        collation_name=member.get("COLLATION_NAME"),
    )


def _versions(versions: Sequence[TableVersion]) -> Iterator[dict[str, Any]]:
    """The versions, each with what its start does to the rows of the one before: none, columns or key."""
    before: TableVersion | None = None
    for version in versions:
        effect = "none"
        if before is not None and before[:2] == version[:2] and before.columns and version.columns:
            if not same_key(before.columns, version.columns):
                effect = "key"
            elif touches_rows(before.columns, version.columns):
                effect = "columns"
        yield _version(version, effect)
        before = version


def _version(version: TableVersion, row_effect: str) -> dict[str, Any]:
    return {
        **_NO_MEMBERS,
        **version._asdict(),
        "record": "version",
        "commit_ts": version.valid_from_ts,
        "columns": [column._asdict() for column in version.columns],
        "row_effect": row_effect,
        "partitioning": _partitioning(version.partitioning),
    }


def _effect(effect: Effect) -> dict[str, Any]:
    return {
        **_NO_MEMBERS,
        **effect._asdict(),
        "record": "effect",
        "partition_names": list(effect.partition_names),
        "partitions": _text([partition._asdict() for partition in effect.partitions]),
        "partitioning": _partitioning(effect.partitioning),
    }


def _problem(problem: Problem) -> dict[str, Any]:
    return {**_NO_MEMBERS, **problem._asdict(), "record": "problem"}


def _partitioning(partitioning: Partitioning | None) -> str | None:
    if partitioning is None:
        return None
    partitions = [partition._asdict() for partition in partitioning.partitions]
    return _text({**partitioning._asdict(), "partitions": partitions})


def _text(value: object) -> str:
    return msgspec.json.encode(value).decode()
