"""How TiCDC's encoders write the changes of one table: a class for each protocol, with its default options.

canal-json, Simple and Open Protocol have the TiDB extension; Avro has it too, and old rows.
"""

from __future__ import annotations

import json
import struct
from abc import ABC, abstractmethod
from base64 import b64encode
from collections.abc import Sequence
from datetime import UTC, datetime
from random import Random
from typing import Any, ClassVar, NamedTuple

from benchmarks.tables import DATABASE, Column, Shape

Cells = Sequence[bytes]
"""A row's columns in order, each as the encoder writes it."""


class Entry(NamedTuple):
    """Key and value of a message; of Open Protocol one of its batch."""

    key: bytes | None
    value: bytes


class Encoder(ABC):
    """The messages of one table. A commit is a TSO; `op` is `insert`, `update` or `delete`."""

    protocol: ClassVar[str]
    rows_held: ClassVar[int] = 0
    """So many rows wait for others of their partition, to go in one message."""

    def __init__(self, shape: Shape, random: Random) -> None:
        self.shape = shape
        self.random = random

    @abstractmethod
    def cell(self, column: Column, text: str | None) -> bytes:
        """A column of a row, with its name where the protocol has it."""

    @abstractmethod
    def row(self, op: str, commit_ts: int, old: Cells | None, new: Cells | None) -> Entry:
        """A change of a row: an insert has no old one, a delete no new one."""

    def ddl(self, table: str, query: str, commit_ts: int) -> Entry | None:
        """A DDL, where the protocol sends such."""
        return None

    def watermark(self, commit_ts: int) -> Entry | None:
        """A watermark, where the protocol sends such."""
        return None

    def join(self, entries: Sequence[Entry]) -> list[Entry]:
        """The messages that hold these entries of one partition."""
        return list(entries)


def _json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def _member(column: Column, value: bytes) -> bytes:
    return b'"%s":%s' % (column.name.encode(), value)


def _text(text: str | None) -> bytes:
    return b"null" if text is None else b'"%s"' % text.encode()  # values are JSON texts already


def _milliseconds(commit_ts: int) -> int:
    return commit_ts >> 18


_DELAY = 27_000
"""Milliseconds from a commit to its message."""


class CanalJson(Encoder):
    """Protocol facts 2.1. `mysqlType` has the order of a Go map: turned up to 8 keys, mixed beyond."""

    protocol = "canal_json"
    _ORDERS = 500

    def __init__(self, shape: Shape, random: Random) -> None:
        super().__init__(shape, random)
        codes = ",".join(f'"{column.name}":{column.jdbc_type}' for column in shape.columns)
        names = [f'"{column.name}":"{column.mysql_type}"' for column in shape.columns]
        self._types = []
        for _ in range(self._ORDERS):
            turn = random.randrange(len(names))
            order = names[turn:] + names[:turn] if len(names) <= 8 else random.sample(names, len(names))
            self._types.append(f'"sqlType":{{{codes}}},"mysqlType":{{{",".join(order)}}}'.encode())

    def cell(self, column: Column, text: str | None) -> bytes:  # noqa: D102
        return _member(column, _text(text))

    def row(self, op: str, commit_ts: int, old: Cells | None, new: Cells | None) -> Entry:  # noqa: D102
        data = old if new is None else new
        return Entry(
            b"",
            b"%s%s,%s%s%s"
            % (
                self._head(self.shape.table, '["id"]', op.upper(), "", commit_ts, is_ddl=False),
                self._types[int(self.random.random() * self._ORDERS)],
                b'"old":%s,' % (b"[{%s}]" % b",".join(old) if op == "update" and old else b"null"),
                b'"data":[{%s}]' % b",".join(data or ()),
                b',"_tidb":{"commitTs":%d}}' % commit_ts,
            ),
        )

    def ddl(self, table: str, query: str, commit_ts: int) -> Entry:  # noqa: D102
        head = self._head(table, "null", "CREATE" if table else "QUERY", query, commit_ts, is_ddl=True)
        return Entry(None, head + self._NO_ROW + b',"_tidb":{"commitTs":%d}}' % commit_ts)

    def watermark(self, commit_ts: int) -> Entry:  # noqa: D102
        head = self._head("", "null", "TIDB_WATERMARK", "", commit_ts, is_ddl=False)
        return Entry(None, head + self._NO_ROW + b',"_tidb":{"watermarkTs":%d}}' % commit_ts)

    _NO_ROW = b'"sqlType":null,"mysqlType":null,"data":null,"old":null'

    def _head(self, table: str, key: str, kind: str, query: str, commit_ts: int, is_ddl: bool) -> bytes:
        database = "" if kind == "TIDB_WATERMARK" else DATABASE
        return (
            f'{{"id":0,"database":"{database}","table":"{table}","pkNames":{key},"isDdl":{json.dumps(is_ddl)},'
            f'"type":"{kind}","es":{_milliseconds(commit_ts)},"ts":{_milliseconds(commit_ts) + _DELAY},"sql":"{query}",'
        ).encode()


class OpenProtocol(Encoder):
    """Protocol facts 1.5 and 2.2: rows of a partition go in one message."""

    protocol = "open_protocol"
    rows_held = 6
    _MOST_ROWS = 16
    _CODES: ClassVar = {
        **{"tinyint": 1, "smallint": 2, "int": 3, "double": 5, "timestamp": 7, "bigint": 8, "date": 10, "time": 11},
        **{"datetime": 12, "varchar": 15, "json": 245, "decimal": 246, "text": 252, "char": 254},
    }
    _TEXTS = ("varchar", "char", "text")

    def cell(self, column: Column, text: str | None) -> bytes:  # noqa: D102
        flags = (column.base not in self._TEXTS) | 11 * column.is_key | 0x40 * column.nullable | 0x80 * column.unsigned
        value = _text(text)
        if text is not None and column.is_number and column.base != "decimal":
            value = text.encode()
        elif text is not None and column.base == "text":
            value = b'"%s"' % b64encode(text.encode())
        handle = b'"h":true,' if column.is_key else b""
        return _member(column, b'{"t":%d,%s"f":%d,"v":%s}' % (self._CODES[column.base], handle, flags, value))

    def row(self, op: str, commit_ts: int, old: Cells | None, new: Cells | None) -> Entry:  # noqa: D102
        if new is None:
            value = b'{"d":{%s}}' % b",".join(old or ())
        elif old is None:
            value = b'{"u":{%s}}' % b",".join(new)
        else:
            value = b'{"u":{%s},"p":{%s}}' % (b",".join(new), b",".join(old))
        return Entry(self._key(commit_ts, self.shape.table, 1), value)

    def ddl(self, table: str, query: str, commit_ts: int) -> Entry:  # noqa: D102
        return Entry(self._key(commit_ts, table, 2), _json({"q": query, "t": 3 if table else 1}))

    def watermark(self, commit_ts: int) -> Entry:  # noqa: D102
        return Entry(b'{"ts":%d,"t":3}' % commit_ts, b"")

    def join(self, entries: Sequence[Entry]) -> list[Entry]:  # noqa: D102
        batches = [entries[start : start + self._MOST_ROWS] for start in range(0, len(entries), self._MOST_ROWS)]
        return [
            Entry(_LENGTH.pack(1) + _frames([key or b"" for key, _ in batch]), _frames([value for _, value in batch]))
            for batch in batches
        ]

    def _key(self, commit_ts: int, table: str, kind: int) -> bytes:
        return b'{"ts":%d,"scm":"%s","tbl":"%s","t":%d}' % (commit_ts, DATABASE.encode(), table.encode(), kind)


_LENGTH = struct.Struct(">q")


def _frames(bodies: Sequence[bytes]) -> bytes:
    return b"".join(_LENGTH.pack(len(body)) + body for body in bodies)


class Simple(Encoder):
    """Protocol facts 2.4, in JSON: members of a row are sorted by name."""

    protocol = "simple"

    def __init__(self, shape: Shape, random: Random) -> None:
        super().__init__(shape, random)
        names = [column.name for column in shape.columns]
        self._order = sorted(range(len(names)), key=names.__getitem__)

    def cell(self, column: Column, text: str | None) -> bytes:  # noqa: D102
        if text is not None and column.base == "timestamp":
            return _member(column, b'{"location":"UTC","value":"%s"}' % text.encode())
        return _member(column, _text(text))

    def row(self, op: str, commit_ts: int, old: Cells | None, new: Cells | None) -> Entry:  # noqa: D102
        head = (
            f'{{"version":1,"database":"{DATABASE}","table":"{self.shape.table}","tableID":120,"type":"{op.upper()}",'
            f'"commitTs":{commit_ts},"buildTs":{_milliseconds(commit_ts) + _DELAY},"schemaVersion":{_SCHEMA_VERSION}'
        )
        images = (
            b',"%s":{%s}' % (name, b",".join([cells[place] for place in self._order]))
            for name, cells in ((b"data", new), (b"old", old))
            if cells is not None
        )
        return Entry(b"", head.encode() + b"".join(images) + b"}")

    def ddl(self, table: str, query: str, commit_ts: int) -> Entry:  # noqa: D102
        message: dict[str, Any] = {"version": 1, "type": "CREATE" if table else "QUERY", "sql": query}
        message |= {"commitTs": commit_ts, "buildTs": _milliseconds(commit_ts) + _DELAY}
        if table:
            message["tableSchema"] = {"schema": DATABASE, "table": table, "tableID": 120, "version": _SCHEMA_VERSION}
            message["tableSchema"]["columns"] = [self._column(column) for column in self.shape.columns]
            message["tableSchema"]["indexes"] = [
                {"name": "primary", "unique": True, "primary": True, "nullable": False, "columns": ["id"]}
            ]
        return Entry(None, _json(message))

    def watermark(self, commit_ts: int) -> Entry:  # noqa: D102
        message = {"version": 1, "type": "WATERMARK", "commitTs": commit_ts}
        return Entry(None, _json({**message, "buildTs": _milliseconds(commit_ts) + _DELAY}))

    def _column(self, column: Column) -> dict[str, Any]:
        data_type: dict[str, Any] = {"mysqlType": column.base, "charset": "binary", "collate": "binary"}
        data_type |= {"length": column.parameters[0]} if column.parameters else {}
        data_type |= {"decimal": column.parameters[1]} if len(column.parameters) > 1 else {}
        data_type |= {"unsigned": True} if column.unsigned else {}
        return {"name": column.name, "dataType": data_type, "nullable": column.nullable, "default": None}


_SCHEMA_VERSION = 470610923782406144


class Debezium(Encoder):
    """Protocol facts 2.3 and 3.6: every message has its schema."""

    protocol = "debezium"

    def __init__(self, shape: Shape, random: Random) -> None:
        super().__init__(shape, random)
        self._fields = [self._field(column) for column in shape.columns]
        image = {"type": "struct", "optional": True, "name": f"{_CLUSTER}.{DATABASE}.{shape.table}.Value"}
        images = [{**image, "field": name, "fields": self._fields} for name in ("before", "after")]
        self._row_schema = self._envelope(f"{DATABASE}.{shape.table}", [*images, *_ENVELOPE])
        key = {"type": "struct", "name": f"{_CLUSTER}.{DATABASE}.{shape.table}.Key", "optional": False}
        self._key_schema = _json({**key, "fields": self._fields[:1]})
        self._watermark_schema = self._envelope("watermark", _ENVELOPE)

    def cell(self, column: Column, text: str | None) -> bytes:  # noqa: D102
        value = debezium_value(column, text)
        if column.base == "decimal" and text is not None:
            value = f"{float(text):.15g}"
        return _member(column, _text(value) if isinstance(value, str) and column.base != "decimal" else _number(value))

    def row(self, op: str, commit_ts: int, old: Cells | None, new: Cells | None) -> Entry:  # noqa: D102
        key = b'{"payload":{%s},"schema":%s}' % ((new or old or ())[0], self._key_schema)
        before, after = (b"null" if cells is None else b"{%s}" % b",".join(cells) for cells in (old, new))
        images = b'"after":null,"before":%s' % before if new is None else b'"before":%s,"after":%s' % (before, after)
        head = self._head(DATABASE, self.shape.table, commit_ts)
        return Entry(key, head + b'"op":"%s",%s},"schema":%s}' % (_OPS[op], images, self._row_schema))

    def ddl(self, table: str, query: str, commit_ts: int) -> Entry:  # noqa: D102
        columns = [self._table_column(column) for column in self.shape.columns]
        told = {"primaryKeyColumnNames": ["id"], "columns": columns, "comment": None}
        changes = [{"type": "CREATE", "id": f'"{DATABASE}"."{table}"', "table": told}] if table else []
        payload = _json({"databaseName": DATABASE, "schemaName": None, "ddl": query, "tableChanges": changes})[1:]
        schema = {"type": "struct", "optional": False, "name": "io.debezium.connector.mysql.SchemaChangeValue"}
        head = self._head(DATABASE, table, commit_ts).replace(b'"transaction":null,', b"")
        return Entry(_json({"payload": {"databaseName": DATABASE}}), head + payload + b',"schema":%s}' % _json(schema))

    def watermark(self, commit_ts: int) -> Entry:  # noqa: D102
        return Entry(
            b'{"payload":{}}', self._head("", "", commit_ts) + b'"op":"m"},"schema":%s}' % self._watermark_schema
        )

    def _head(self, database: str, table: str, commit_ts: int) -> bytes:
        source = {"version": "2.4.0.Final", "connector": "TiCDC", "name": _CLUSTER, "ts_ms": _milliseconds(commit_ts)}
        source |= {"snapshot": "false", "db": database, "table": table, "server_id": 0, "gtid": None}
        source |= {"file": "", "pos": 0, "row": 0, "thread": 0, "query": None, "commit_ts": commit_ts}
        source |= {"cluster_id": _CLUSTER}
        sent = _milliseconds(commit_ts) + _DELAY
        return b'{"payload":{"source":%s,"ts_ms":%d,"transaction":null,' % (_json(source), sent)

    def _field(self, column: Column) -> dict[str, Any]:
        kind, name = debezium_type(column)
        field: dict[str, Any] = {"tidb_type": column.mysql_type, "type": "double" if kind == "decimal" else kind}
        return {
            **field,
            "optional": column.nullable,
            **({"name": name, "version": 1} if name else {}),
            "field": column.name,
        }

    def _envelope(self, name: str, fields: Sequence[Any]) -> bytes:
        head = {"type": "struct", "optional": False, "name": f"{_CLUSTER}.{name}.Envelope", "version": 1}
        return _json({**head, "fields": fields})

    def _table_column(self, column: Column) -> dict[str, Any]:
        length, scale = (*column.parameters, None, None)[:2]
        told = {"name": column.name, "jdbcType": column.jdbc_type, "typeName": column.mysql_type.upper()}
        return told | {"length": length, "scale": scale, "optional": column.nullable}


_CLUSTER = "bench_cluster"
_OPS = {"insert": b"c", "update": b"u", "delete": b"d"}


def _fields(kind: str, *names: str, optional: bool = False) -> list[dict[str, Any]]:
    return [{"type": kind, "optional": optional, "field": name} for name in names]


_ENVELOPE: list[dict[str, Any]] = [
    {
        "type": "struct",
        "fields": [
            *_fields("string", "version", "connector", "name"),
            *_fields("int64", "ts_ms"),
            {
                **{"type": "string", "optional": True, "name": "io.debezium.data.Enum", "version": 1},
                **{"parameters": {"allowed": "true,last,false,incremental"}, "default": "false", "field": "snapshot"},
            },
            *_fields("string", "db"),
            *_fields("string", "sequence", "table", optional=True),
            *_fields("int64", "server_id"),
            *_fields("string", "gtid", optional=True),
            *_fields("string", "file"),
            *_fields("int64", "pos"),
            *_fields("int32", "row"),
            *_fields("int64", "thread", optional=True),
            *_fields("string", "query", optional=True),
            *_fields("int64", "commit_ts"),
            *_fields("string", "cluster_id"),
        ],
        **{"optional": False, "name": "io.debezium.connector.mysql.Source", "field": "source"},
    },
    *_fields("string", "op"),
    *_fields("int64", "ts_ms", optional=True),
    {
        "type": "struct",
        "fields": [*_fields("string", "id"), *_fields("int64", "total_order", "data_collection_order")],
        **{"optional": True, "name": "event.block", "version": 1, "field": "transaction"},
    },
]


def debezium_type(column: Column) -> tuple[str, str | None]:
    """Kafka Connect's type of a column, `decimal` where the encoders differ, and the name of its meaning."""
    base = column.base
    if base == "datetime":
        return "int64", "io.debezium.time." + ("MicroTimestamp" if column.fraction > 3 else "Timestamp")
    named = {
        "date": ("int32", "io.debezium.time.Date"),
        "time": ("int64", "io.debezium.time.MicroTime"),
        "timestamp": ("string", "io.debezium.time.ZonedTimestamp"),
        "json": ("string", "io.debezium.data.Json"),
    }
    if base in named:
        return named[base]
    words = {"tinyint": "int16", "smallint": "int32" if column.unsigned else "int16", "bigint": "int64"}
    words |= {"int": "int64" if column.unsigned else "int32", "double": "double", "decimal": "decimal"}
    return words.get(base, "string"), None


def debezium_value(column: Column, text: str | None) -> str | int | float | None:
    """A value as Kafka Connect's type has it; a decimal as its text."""
    kind, name = debezium_type(column)
    if text is None or kind == "decimal":
        return text
    meaning = (name or "").rpartition(".")[2]
    if meaning == "ZonedTimestamp":
        return text.replace(" ", "T") + "Z"
    if meaning == "MicroTime":
        hours, minutes, seconds = map(int, text.split(":"))
        return (hours * 3600 + minutes * 60 + seconds) * 1_000_000
    if meaning in ("Date", "Timestamp", "MicroTimestamp"):
        since = datetime.fromisoformat(text).replace(tzinfo=UTC) - _EPOCH
        micros = (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds
        return since.days if meaning == "Date" else micros // (1000 if meaning == "Timestamp" else 1)
    if kind == "double":
        return float(text)
    if kind == "string":
        return text
    number = int(text)
    return number - (1 << 64) if number >= 1 << 63 else number


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def _number(value: str | int | float | None) -> bytes:
    if isinstance(value, float):
        value = int(value) if value.is_integer() else repr(value)
    return b"null" if value is None else str(value).encode()


class Avro(Encoder):
    """Protocol facts 1.7 and 2.5, with `avro-include-before-value`; decimals and BIGINT UNSIGNED are texts."""

    protocol = "avro"

    def schemas(self) -> dict[str, str]:
        """The writer schemas by id."""
        columns = [self._field(column) for column in self.shape.columns]
        before = {
            "type": "record",
            "name": f"{self.shape.table}_before",
            "namespace": self._NAMESPACE,
            "fields": columns,
        }
        extension: list[Any] = [{"default": None, "name": "_ticdc_before", "type": ["null", before]}]
        extension += [{"default": "", "name": "_tidb_op", "type": "string"}]
        extension += [{"default": 0, "name": f"_tidb_commit_{n}", "type": "long"} for n in ("ts", "physical_time")]
        row = {"type": "record", "name": self.shape.table, "namespace": self._NAMESPACE}
        return {
            "1": _json({**row, "fields": columns[:1]}).decode(),
            "2": _json({**row, "fields": [*columns, *extension]}).decode(),
        }

    _NAMESPACE = f"default.{DATABASE}"

    def cell(self, column: Column, text: str | None) -> bytes:  # noqa: D102
        branch = b"\x02" if column.nullable else b""
        return b"\x00" if text is None else branch + _avro_value(self._type(column)[0], text)

    def row(self, op: str, commit_ts: int, old: Cells | None, new: Cells | None) -> Entry:  # noqa: D102
        top = old if new is None else new
        before = b"\x00" if old is None else b"\x02" + b"".join(old)
        tail = _bytes(_OPS[op]) + _long(commit_ts) + _long(_milliseconds(commit_ts))
        value = b"".join((*(top or ()), before, tail))
        return Entry(b"\x00\x00\x00\x00\x01" + (top or ())[0], b"\x00\x00\x00\x00\x02" + value)

    def _field(self, column: Column) -> dict[str, Any]:
        kind, word = self._type(column)
        schema: Any = {"type": kind, "connect.parameters": {"tidb_type": word}}
        if column.nullable:
            return {"default": None, "name": column.name, "type": ["null", schema]}
        return {"name": column.name, "type": schema}

    def _type(self, column: Column) -> tuple[str, str]:
        base, unsigned = column.base, " UNSIGNED" * column.unsigned
        if base == "bigint":
            return "string" if column.unsigned else "long", "BIGINT" + unsigned
        if base in ("tinyint", "smallint", "int"):
            return "long" if base == "int" and column.unsigned else "int", "INT" + unsigned
        return "double" if base == "double" else "string", "TEXT" if base in ("varchar", "char") else base.upper()


class DebeziumAvro(Avro):
    """Protocol facts 2.6: Debezium's envelope and values in Avro."""

    protocol = "debezium_avro"

    def schemas(self) -> dict[str, str]:  # noqa: D102
        name = f"{_CLUSTER}.{DATABASE}"
        columns = [self._field(column) for column in self.shape.columns]
        row = {
            "name": self.shape.table,
            "connect.name": f"{name}.{self.shape.table}",
            "namespace": name,
            "type": "record",
        }
        source = [self._member(n, "long" if n in self._LONGS else "string", n in self._OPTIONAL) for n in self._SOURCE]
        fields = [
            {"name": "before", "default": None, "type": ["null", {**row, "fields": columns}]},
            {"name": "after", "default": None, "type": ["null", f"{name}.{self.shape.table}"]},
            {"name": "source", "type": {"name": "Source", "namespace": name, "type": "record", "fields": source}},
            *(self._member(n, kind, False) for n, kind in (("op", "string"), ("ts_ms", "long"))),
        ]
        return {
            "1": _json({**row, "name": f"{self.shape.table}Key", "fields": columns[:1]}).decode(),
            "2": _json({**row, "name": f"{self.shape.table}Envelope", "fields": fields}).decode(),
        }

    _SOURCE = (
        *("version", "connector", "name", "ts_ms", "snapshot", "db", "table", "server_id", "gtid", "file", "pos"),
        *("row", "thread", "query", "commit_ts", "cluster_id"),
    )
    _LONGS = ("ts_ms", "server_id", "pos", "row", "thread", "commit_ts")
    _OPTIONAL = ("snapshot", "gtid", "thread", "query")

    def cell(self, column: Column, text: str | None) -> bytes:  # noqa: D102
        kind, name = self._type(column)
        value = str(debezium_value(column, text)) if text and (name or kind in ("int", "long")) else text
        return b"\x00" if value is None else b"\x02" + _avro_value(kind, value)

    def row(self, op: str, commit_ts: int, old: Cells | None, new: Cells | None) -> Entry:  # noqa: D102
        before, after = (b"\x00" if cells is None else b"\x02" + b"".join(cells) for cells in (old, new))
        at = _milliseconds(commit_ts)
        source = [*map(_bytes, (b"2.4.0.Final", b"TiCDC", _CLUSTER.encode())), _long(at), b"\x00"]
        source += [*map(_bytes, (DATABASE.encode(), self.shape.table.encode())), b"\x00\x00\x00\x00\x00\x00\x00"]
        source += [_long(commit_ts), _bytes(_CLUSTER.encode())]
        value = b"".join((before, after, *source, _bytes(_OPS[op]), _long(at + _DELAY)))
        return Entry(b"\x00\x00\x00\x00\x01" + (new or old or ())[0], b"\x00\x00\x00\x00\x02" + value)

    def _member(self, name: str, kind: Any, optional: bool, **more: Any) -> dict[str, Any]:
        schema = {"type": ["null", kind], "default": None} if optional else {"type": kind}
        return {"connect.field": name, "name": name, **schema, **more}

    def _field(self, column: Column) -> dict[str, Any]:
        kind, name = self._type(column)
        schema = {"type": kind, "connect.name": name, "connect.version": 1} if name else kind
        return self._member(column.name, schema, True, tidb_type=column.mysql_type)

    def _type(self, column: Column) -> tuple[str, str]:
        kind, name = debezium_type(column)
        words = {"int16": "int", "int32": "int", "int64": "long", "double": "double"}
        return "string" if column.mysql_type == "bigint unsigned" else words.get(kind, "string"), name or ""


def _avro_value(kind: str, text: str) -> bytes:
    if kind == "string":
        return _bytes(text.replace('\\"', '"').encode())
    return struct.pack("<d", float(text)) if kind == "double" else _long(int(text))


def _bytes(data: bytes) -> bytes:
    return _long(len(data)) + data


def _long(number: int) -> bytes:
    rest, out = number << 1 ^ number >> 63, bytearray()
    while rest > 0x7F:
        out.append(rest & 0x7F | 0x80)
        rest >>= 7
    out.append(rest)
    return bytes(out)


ENCODERS = {encoder.protocol: encoder for encoder in (CanalJson, OpenProtocol, Simple, Debezium, Avro, DebeziumAvro)}
