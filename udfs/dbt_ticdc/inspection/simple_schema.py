"""The Avro schema of Simple, which no registry has, for a reader that knows nothing of the protocol."""

from __future__ import annotations

import io
from functools import cache
from typing import Any

_OPTIONAL_LONG = ["null", "long"]


def _record(title: str, **fields: Any) -> dict[str, Any]:
    return {
        "type": "record",
        "name": title,
        "namespace": "com.pingcap.simple.avro",
        "fields": [{"name": field, "type": kind} for field, kind in fields.items()],
    }


def _array(items: Any) -> dict[str, Any]:
    return {"type": "array", "items": items}


def _enum(name: str, *symbols: str) -> dict[str, Any]:
    return {"type": "enum", "name": name, "symbols": list(symbols)}


_CELL = ["null", "long", "float", "double", "string", "bytes", "Timestamp", "UnsignedBigint"]
_OPTIONAL_ROW = ["null", {"type": "map", "values": _CELL}]
_SCHEMA = [
    _record(
        "DataType",
        mysqlType="string",
        charset="string",
        collate="string",
        length="long",
        decimal=_OPTIONAL_LONG,
        elements=["null", _array("string")],
        unsigned=["null", "boolean"],
        zerofill=["null", "boolean"],
    ),
    # the default of a BIT column is no text, though its type says so
    _record("ColumnSchema", name="string", dataType="DataType", nullable="boolean", default=["null", "bytes"]),
    _record(
        "IndexSchema",
        name="string",
        unique="boolean",
        primary="boolean",
        nullable="boolean",
        columns=_array("string"),
    ),
    _record(
        "TableSchema",
        database="string",
        table="string",
        tableID="long",
        version="long",
        columns=_array("ColumnSchema"),
        indexes=_array("IndexSchema"),
    ),
    _record("Checksum", version="int", corrupted="boolean", current="long", previous="long"),
    _record("Watermark", version="int", commitTs="long", buildTs="long"),
    _record("Bootstrap", version="int", buildTs="long", tableSchema="TableSchema"),
    _record(
        "DDL",
        version="int",
        type=_enum("DDLType", "CREATE", "ALTER", "ERASE", "RENAME", "TRUNCATE", "CINDEX", "DINDEX", "QUERY"),
        sql="string",
        commitTs="long",
        buildTs="long",
        tableSchema=["null", "TableSchema"],
        preTableSchema=["null", "TableSchema"],
    ),
    _record("Timestamp", location="string", value="string"),
    _record("UnsignedBigint", value="long"),
    _record(
        "DML",
        version="int",
        database="string",
        table="string",
        tableID="long",
        type=_enum("DMLType", "INSERT", "UPDATE", "DELETE"),
        commitTs="long",
        buildTs="long",
        schemaVersion="long",
        claimCheckLocation=["null", "string"],
        handleKeyOnly=["null", "boolean"],
        checksum=["null", "Checksum"],
        data=_OPTIONAL_ROW,
        old=_OPTIONAL_ROW,
    ),
    _record(
        "Message",
        type=_enum("MessageType", "WATERMARK", "BOOTSTRAP", "DDL", "DML"),
        payload=["Watermark", "Bootstrap", "DDL", "DML"],
    ),
]


@cache
def _parsed() -> Any:
    import fastavro

    return fastavro.parse_schema(_SCHEMA)


def read(data: bytes) -> dict[str, Any]:
    """The payload of a message as fastavro reads it. Raises what that raises, `ValueError` where bytes are left."""
    import fastavro

    stream = io.BytesIO(data)
    message: Any = fastavro.schemaless_reader(stream, _parsed(), None)
    if stream.tell() != len(data):
        raise ValueError(f"{len(data) - stream.tell()} byte(s) are left after the message")
    payload: dict[str, Any] = message["payload"]
    return payload if "type" in payload else {"type": message["type"], **payload}
