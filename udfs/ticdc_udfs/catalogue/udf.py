"""The catalogue for SQL: Arrow arrays in, Arrow arrays out."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any

import pyarrow as pa

from ticdc_udfs.catalogue.ddl import kind_and_tables
from ticdc_udfs.catalogue.records import records, table_names
from ticdc_udfs.catalogue.states import table_states

_Field = tuple[str, str, pa.DataType]


def _struct(fields: Iterable[_Field]) -> tuple[str, pa.DataType]:
    fields = tuple(fields)
    sql_type = ", ".join(f"{name}: {sql_type}" for name, sql_type, _ in fields)
    return f"struct<{sql_type}>", pa.struct([(name, arrow_type) for name, _, arrow_type in fields])


def _list(name: str, fields: Iterable[_Field]) -> _Field:
    sql_type, arrow_type = _struct(fields)
    return name, f"array<{sql_type}>", pa.list_(arrow_type)


def _of(sql_type: str, arrow_type: pa.DataType, *names: str) -> list[_Field]:
    return [(name, sql_type, arrow_type) for name in names]


_texts = partial(_of, "string", pa.string())
_numbers = partial(_of, "bigint", pa.int64())
_ints = partial(_of, "int", pa.int32())
_flags = partial(_of, "boolean", pa.bool_())
_TABLES = _texts("schema_name", "table_name")
_RECORD_SQL_TYPE, _RECORD_TYPE = _struct(
    [
        *_texts("record"),
        *_numbers("commit_ts"),
        *_TABLES,
        *_texts("table_id"),
        *_ints("table_incarnation"),
        # of versions
        *_numbers("valid_from_ts", "valid_to_ts", "rows_after_ts", "rows_to_ts"),
        *_texts("started_by", "ended_by", "origin"),
        *_flags("keys_rows", "has_unsure_cells", "has_unsure_key"),
        *_texts("columns", "table_schema", "key_columns", "row_effect", "partitioning"),
        # of moves
        *_texts("kind"),
        ("partition_names", "array<string>", pa.list_(pa.string())),
        *_numbers("version_from_ts"),
        *_texts("to_table_id"),
        *_ints("to_incarnation"),
        *_numbers("to_version_from_ts"),
        *_texts("to_columns", "to_partition_name"),
        *_numbers("physical_id"),
        _list("regrouped", [*_texts("partition_name"), *_numbers("commit_ts")]),
        _list("lineage", [*_numbers("valid_from_ts"), *_texts("columns", "row_effect")]),
        # of statements
        _list("touched_tables", _TABLES),
        *_texts("ddl_type", "ddl_query", "topic"),
        *_ints("partition"),
        *_numbers("offset"),
        *_ints("event_index"),
        # of problems
        *_texts("code", "detail"),
    ]
)
FOLD_SQL_TYPE = f"array<{_RECORD_SQL_TYPE}>"
"""What `fold_batch` returns: `record` is version, move, statement or problem; members that it has not are null."""

KIND_SQL_TYPE, _KIND_TYPE = _struct([*_texts("kind"), _list("tables", _TABLES)])
"""What `kind_batch` returns; a table without name stands for its database."""

_STATE_SQL_TYPE, _STATE_TYPE = _struct(
    [
        *_texts("table_id"),
        *_ints("table_incarnation"),
        *_TABLES,
        *_flags("is_live"),
        *_texts("table_schema", "origin"),
        *_numbers("valid_from_ts"),
        _list("lives", [*_numbers("from_ts", "to_ts"), *_texts("ended_by")]),
        _list("versions", [*_numbers("from_ts"), *_texts("table_schema")]),
        _list("left_behind", [*_ints("incarnation"), *_numbers("at_ts")]),
    ]
)
STATES_SQL_TYPE = f"array<{_STATE_SQL_TYPE}>"
"""What `states_batch` returns."""


def kind_batch(queries: pa.Array[Any], schema_names: pa.Array[Any]) -> pa.Array[Any]:
    """The kind of each DDL text and the tables it touches; null for no text."""
    return pa.array(map(_kind, queries.to_pylist(), schema_names.to_pylist()), _KIND_TYPE)


def _kind(query: str | None, schema_name: str | None) -> dict[str, Any] | None:
    if not query:
        return None
    kind, tables = kind_and_tables(query, schema_name)
    return {"kind": kind.value, "tables": table_names(tables)}


def fold_batch(seen: pa.Array[Any], exports: pa.Array[Any], feeds: pa.Array[Any]) -> pa.Array[Any]:
    """The records of each feed: see `records`."""
    columns = (each.to_pylist() for each in (seen, exports, feeds))
    return pa.array(map(records, *columns), pa.list_(_RECORD_TYPE))


def states_batch(versions: pa.Array[Any], shown_through: pa.Array[Any]) -> pa.Array[Any]:
    """The states of each feed's tables: see `table_states`."""
    return pa.array(map(table_states, versions.to_pylist(), shown_through.to_pylist()), pa.list_(_STATE_TYPE))
