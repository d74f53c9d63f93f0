"""Canal-JSON messages for named cases, in the members and order that the TiCDC encoder writes."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from ticdc_udfs.contract import arrow
from ticdc_udfs.contract.events import Event
from ticdc_udfs.protocols import canal_json

COMMIT_TS = 470610923863932928
Row = Mapping[str, str | None]


def row_message(
    data: Row,
    types: Mapping[str, str] | None = None,
    /,
    *,
    type: str = "INSERT",
    old: Any = None,
    key: Sequence[str] | None = ("id",),
    tidb: Mapping[str, Any] | None = None,
    **members: Any,
) -> dict[str, Any]:
    """A row message; `tidb` is the extension (default: a commit TSO), `members` replace or add members."""
    message = {
        "id": 0,
        "database": "shop",
        "table": "t",
        "pkNames": None if key is None else list(key),
        "isDdl": False,
        "type": type,
        "es": COMMIT_TS >> 18,
        "ts": (COMMIT_TS >> 18) + 5,
        "sql": "",
        "sqlType": {},
        "mysqlType": dict.fromkeys(data, "varchar") | dict(types or {}),
        "old": old,
        "data": [dict(data)],
        "_tidb": {"commitTs": COMMIT_TS} if tidb is None else dict(tidb),
    }
    return message | members


def ddl_message(sql: str, type: str, **members: Any) -> dict[str, Any]:
    """A DDL message."""
    return row_message({}, type=type, isDdl=True, sql=sql, pkNames=None, sqlType=None, mysqlType=None, data=None) | (
        members
    )


def watermark_message(watermark_ts: int, **members: Any) -> dict[str, Any]:
    """A watermark message."""
    message = ddl_message("", "TIDB_WATERMARK", isDdl=False, database="", table="", es=watermark_ts >> 18)
    return message | {"_tidb": {"watermarkTs": watermark_ts}} | members


def to_bytes(message: Mapping[str, Any]) -> bytes:
    """The message as it stands on the wire, uncompressed."""
    return json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode()


def decode(value: Mapping[str, Any] | bytes | None, options: str = "{}") -> Event:
    """The one event of a message, as the UDF gives it: errors are events too."""
    wire = to_bytes(value) if isinstance(value, Mapping) else value
    (event,) = arrow.decode_message(canal_json.decode, None, wire, options)
    return event
