"""Messages of Debezium-Avro for named cases."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from support.avro import COMMIT_TS, record

NULLABLE = {"default": None}


def column(name: str, schema: Any, tidb_type: str | None = None, field: str | None = None) -> dict[str, Any]:
    """A column's field: every column is optional. `field` is its sanitized name."""
    members = {"name": field or name, "type": ["null", schema], "connect.field": name, **NULLABLE}
    return members if tidb_type is None else {**members, "tidb_type": tidb_type}


def connect(kind: str, name: str, **parameters: str) -> dict[str, Any]:
    """A type with a name of Kafka Connect."""
    return {"type": kind, "connect.name": name, "connect.version": 1, "connect.parameters": parameters}


def decimal(precision: int, scale: int) -> dict[str, Any]:
    """A decimal in bytes."""
    name = "org.apache.kafka.connect.data.Decimal"
    return {"type": "bytes", "logicalType": "decimal", "precision": precision, "scale": scale, "connect.name": name}


TEXTS, OPTIONAL_TEXTS = (
    ("version", "connector", "name", "db", "table", "file", "cluster_id"),
    ("snapshot", "gtid", "query"),
)
LONGS = ("ts_ms", "server_id", "pos", "commit_ts")
SOURCE = record(
    *({"name": name, "type": "string"} for name in TEXTS),
    *({"name": name, "type": "long"} for name in LONGS),
    *({"name": name, "type": ["null", "string"], **NULLABLE} for name in OPTIONAL_TEXTS),
    {"name": "row", "type": "int"},
    {"name": "thread", "type": ["null", "long"], **NULLABLE},
    name="Source",
    namespace="c.shop",
)


def envelope(*columns: Mapping[str, Any], name: str = "t", namespace: str = "c.shop") -> dict[str, Any]:
    """The schema of a table's values."""
    row = record(*columns, name=name, namespace=namespace)
    return record(
        {"name": "before", "type": ["null", row], **NULLABLE},
        {"name": "after", "type": ["null", f"{namespace}.{name}"], **NULLABLE},
        {"name": "source", "type": {**SOURCE, "namespace": namespace}},
        {"name": "op", "type": "string"},
        {"name": "ts_ms", "type": "long"},
        name=f"{name}Envelope",
        namespace=namespace,
    )


def wire(op: str, before: Any, after: Any, **source: Any) -> dict[str, Any]:
    """The values of an envelope."""
    origin = {
        **dict.fromkeys(TEXTS, ""),
        **dict.fromkeys(LONGS, 0),
        **dict.fromkeys(OPTIONAL_TEXTS),
        "row": 0,
        "thread": None,
    }
    origin |= {"db": "shop", "table": "t", "commit_ts": COMMIT_TS, **source}
    return {"before": before, "after": after, "source": origin, "op": op, "ts_ms": 1}


ID = column("id", "int", "int")
KEY = record(ID, name="tKey", namespace="c.shop")
