"""A feed's DDL events from its messages, and from texts in order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from support.corpus import DATA, Record, root
from ticdc_udfs.catalogue.changes import DdlKind
from ticdc_udfs.catalogue.fold import DdlEvent, Fold, ProblemCode, TableVersion, fold
from ticdc_udfs.catalogue.tables import Column, ExportedColumn
from ticdc_udfs.contract import arrow, schemas
from ticdc_udfs.contract.events import Kind
from ticdc_udfs.contract.schemas import table_schema
from ticdc_udfs.protocols import canal_json, debezium, open_protocol, simple

DECODERS: Mapping[str, arrow.Decode] = {
    "canal_json": canal_json.decode,
    "debezium": debezium.decode,
    "open_protocol": open_protocol.decode,
    "simple": simple.decode,
}


def events_of(decode: arrow.Decode, records: Sequence[Record], options: str) -> list[DdlEvent]:
    """The DDL events of messages, and the schemas that bootstraps tell."""
    return [
        DdlEvent(
            event.commit_ts or 0,
            event.schema_name,
            event.table_name,
            event.ddl_query,
            event.ddl_type,
            None if event.table_schema is None else event.table_schema.decode(),
        )
        for record in records
        for event in arrow.decode_message(decode, record.key, record.value, options)
        if event.kind in (Kind.DDL, Kind.BOOTSTRAP)
    ]


def truth_tables() -> Path:
    """The tables at every checkpoint."""
    whole = root() / "truth" / "tables.jsonl"
    return whole if whole.exists() else DATA / "catalogue" / "tables.jsonl"


def folded(*texts: str | DdlEvent, **rest: Any) -> Fold:
    """The fold of texts that commit at 10, 20, 30, … in the database `shop`."""
    events = [
        text if isinstance(text, DdlEvent) else DdlEvent(10 * place, "shop", None, text)
        for place, text in enumerate(texts, start=1)
    ]
    return fold(events, **rest)


def versions_of(result: Fold, table: str) -> list[TableVersion]:
    """The versions under a name, in order of time."""
    return sorted((one for one in result.versions if one.table_name == table), key=lambda one: one.valid_from_ts)


def at(result: Fold, table: str, commit_ts: int) -> TableVersion:
    """The version that a row of this commit belongs to."""
    (found,) = (
        one
        for one in versions_of(result, table)
        if one.valid_from_ts < commit_ts and (one.valid_to_ts is None or commit_ts <= one.valid_to_ts)
    )
    return found


def last(result: Fold, table: str) -> TableVersion:
    """The version that has no end."""
    (found,) = (one for one in versions_of(result, table) if one.valid_to_ts is None)
    return found


def names(version: TableVersion) -> list[str]:
    """The names of the columns in order."""
    return [column.name for column in version.columns]


def key(version: TableVersion) -> list[str]:
    """The key columns in key order."""
    return [column.name for column in sorted(version.columns, key=lambda one: one.key or 0) if column.key]


def column(version: TableVersion, name: str) -> Column:
    """The column of that name."""
    (found,) = (one for one in version.columns if one.name == name)
    return found


KIND_OF_ACTION: Mapping[int, DdlKind] = {
    1: DdlKind.CREATE_DATABASE,
    2: DdlKind.DROP_DATABASE,
    3: DdlKind.CREATE_TABLE,
    4: DdlKind.DROP_TABLE,
    5: DdlKind.ADD_COLUMN,
    6: DdlKind.DROP_COLUMN,
    7: DdlKind.ADD_INDEX,
    8: DdlKind.DROP_INDEX,
    9: DdlKind.ADD_FOREIGN_KEY,
    10: DdlKind.DROP_FOREIGN_KEY,
    11: DdlKind.TRUNCATE_TABLE,
    12: DdlKind.MODIFY_COLUMN,
    13: DdlKind.TABLE_OPTION,
    14: DdlKind.RENAME_TABLE,
    15: DdlKind.SET_DEFAULT,
    17: DdlKind.TABLE_COMMENT,
    18: DdlKind.RENAME_INDEX,
    19: DdlKind.ADD_PARTITION,
    20: DdlKind.DROP_PARTITION,
    21: DdlKind.CREATE_VIEW,
    23: DdlKind.TRUNCATE_PARTITION,
    24: DdlKind.DROP_VIEW,
    25: DdlKind.RECOVER_TABLE,
    32: DdlKind.ADD_PRIMARY_KEY,
    33: DdlKind.DROP_PRIMARY_KEY,
    41: DdlKind.INDEX_VISIBILITY,
    42: DdlKind.EXCHANGE_PARTITION,
    61: DdlKind.MULTI_SCHEMA_CHANGE,
    64: DdlKind.REORGANIZE_PARTITION,
    67: DdlKind.TABLE_TTL,
    71: DdlKind.PARTITION_BY,
    72: DdlKind.REMOVE_PARTITIONING,
}
"""What TiDB's numbers of DDL jobs mean (protocol facts 8.3), of those that real messages and the vectors have."""

CREATE = "CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(10))"


def codes(result: Fold) -> list[ProblemCode]:
    """The problems' codes in order."""
    return [problem.code for problem in result.problems]


def schema_text(*columns: schemas.Column) -> str:
    """A table schema as messages bear it."""
    return table_schema(columns).text.decode()


def exported(table: str, *columns: tuple[str, str, str]) -> list[ExportedColumn]:
    """A table of the user's export: name, type and key of each column."""
    return [
        ExportedColumn("shop", table, name, place, column_type, column_key != "PRI", None, column_key)
        for place, (name, column_type, column_key) in enumerate(columns, start=1)
    ]


def told(commit_ts: int, table: str, *columns: str) -> DdlEvent:
    """A schema without DDL, of columns of integers."""
    return DdlEvent(commit_ts, "shop", table, None, None, schema_text(*(schemas.Column(one, "int") for one in columns)))
