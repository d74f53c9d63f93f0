"""What decoders are measured against: the staging columns of a protocol as plain Spark SQL, as well as we can write it.

The table is known: its columns, key and schema stand in the query. Which kind a message is, whether it is broken and
what a row was before is told by the messages.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import NamedTuple

from benchmarks import native
from benchmarks.encoders import Avro, DebeziumAvro, debezium_type
from benchmarks.tables import DATABASE, Column, Shape

_KEEP_NULLS = "map('ignoreNullFields', 'false')"
_PERMISSIVE = "map('mode', 'PERMISSIVE', 'columnNameOfCorruptRecord', 'corrupt')"
_NO_FLAGS = "cast(array() as array<string>)"


class Query(NamedTuple):
    """A way to decode; `sql` gives the columns of the staging model."""

    label: str
    sql: str


def queries(protocol: str, shape: Shape, table_schema: str) -> list[Query]:
    """The queries to try, of which the fastest is the yardstick; `table_schema` is the text that rows bear."""
    schema = table_schema.replace("\\", "\\\\").replace("'", "\\'")
    if protocol == "canal_json":
        return [Query(reader.label, native.staging(reader)) for reader in native.readers(shape)]
    return [
        Query(label, f"with {_events(ctes)}{_STAGED}")
        for label, ctes in _PROTOCOLS[protocol](shape, f"'{schema}'").items()
    ]


def _events(ctes: Mapping[str, str]) -> str:
    return ",\n".join(f"{name} as ({sql})" for name, sql in ctes.items())


_STAGED = """
select
    topic, `partition`, `offset`, event_index, `timestamp` as message_at, kind, commit_ts, true as commit_ts_exact,
    cast(null as bigint) as start_ts, schema_name, table_name, cast(null as bigint) as physical_table_id,
    if(kind = 'row', op, null) as op,
    if(kind = 'row', coalesce(key_after, key_before), null) as row_key,
    if(kind = 'row' and key_before <> key_after, key_before, null) as before_key,
    if(kind = 'row', before, null) as before,
    if(kind = 'row', after, null) as after,
    if(kind = 'row', xxhash64(table_schema), null) as table_schema_id,
    if(kind = 'row', table_schema, null) as table_schema,
    ddl_query, ddl_type, lossy, error_code,
    if(kind = 'error', 'not a message', null) as error_message,
    if(kind = 'error', key, null) as key,
    if(kind = 'error', value, null) as value,
    cast(0 as bigint) as run_id, 'bench' as feed
from events
"""
_IDENTITY = "topic, `partition`, `offset`, `timestamp`, key, value"


def _image(path: str, columns: Sequence[Column], text: Callable[[Column, str], str]) -> str:
    """The canonical row image of a struct."""
    members = ", ".join(f"'{column.name}', {text(column, f'{path}.`{column.name}`')}" for column in columns)
    return f"if({path} is null, null, to_json(named_struct({members}), {_KEEP_NULLS}))"


def _key(path: str) -> str:
    return f"""if({path} is null, null, concat('{{"id":"', cast({path}.id as string), '"}}'))"""


def _struct(columns: Sequence[Column], kind: Callable[[Column], str]) -> str:
    return "struct<" + ", ".join(f"`{column.name}`: {kind(column)}" for column in columns) + ">"


def _open_protocol(shape: Shape, table_schema: str) -> dict[str, Mapping[str, str]]:
    columns = _struct(shape.columns, lambda column: "struct<v: string>")

    def text(column: Column, path: str) -> str:
        return f"cast(unbase64({path}.v) as string)" if column.base == "text" else f"{path}.v"

    # five zero bytes and up to three more are a frame's length: no JSON text holds a zero byte
    frames = r"""split(cast({} as string), '(?s)\\x00{{5}}.{{1,3}}?(?=\\{{")')"""
    body = f"u {columns}, p {columns}, d {columns}, q string, t int"
    batches = f"""
        select
            {_IDENTITY},
            slice({frames.format("substring(key, 9)")}, 2, 1000) as heads,
            if(octet_length(value) = 8, array(''), slice({frames.format("value")}, 2, 1000)) as bodies
        from {native.MESSAGES} where topic like 'bench'
    """
    # of a record that was cut off the last frame is shorter than it says
    last_size = "octet_length(try_element_at(bodies, -1))"
    said_size = f"hex(substring(value, octet_length(value) - {last_size} - 7, 8))"
    whole = f"""
        select {_IDENTITY}, heads, if({said_size} = lpad(hex({last_size}), 16, '0'), bodies, null) as bodies
        from batches
    """
    entries = f"""
        select {_IDENTITY}, bodies is null as is_broken, event_index,
            from_json(entry.heads, 'ts bigint, scm string, tbl string, t int') as k,
            from_json(entry.bodies, '{body}') as m
        from whole
        lateral view posexplode(
            if(bodies is null, array(named_struct('heads', '', 'bodies', '')), arrays_zip(heads, bodies))
        ) exploded as event_index, entry
    """
    before, after, gone = (_image(path, shape.columns, text) for path in ("m.p", "m.u", "m.d"))
    key_before, key_after = (f"""concat('{{"id":"', {path}.id.v, '"}}')""" for path in ("coalesce(m.p, m.d)", "m.u"))
    events = f"""
        select {_IDENTITY}, event_index,
            case when is_broken then 'error' when k.t = 1 then 'row' when k.t = 2 then 'ddl' else 'watermark' end
                as kind,
            k.ts as commit_ts, if(k.t = 3, null, k.scm) as schema_name, if(k.t = 3, null, k.tbl) as table_name,
            case when m.d is not null then 'delete' when m.p is not null then 'update' else 'insert' end as op,
            {key_before} as key_before, {key_after} as key_after,
            coalesce({before}, {gone}) as before, {after} as after,
            {table_schema} as table_schema, m.q as ddl_query, if(k.t = 2, cast(m.t as string), null) as ddl_type,
            {_NO_FLAGS} as lossy, if(is_broken, 'bad_frame', null) as error_code
        from entries
    """
    return {"structs": {"batches": batches, "whole": whole, "entries": entries, "events": events}}


def _simple(shape: Shape, table_schema: str) -> dict[str, Mapping[str, str]]:
    del table_schema  # rows do not bear it
    columns = sorted(shape.columns, key=lambda column: column.name)
    has_timestamps = any(column.base == "timestamp" for column in columns)

    def of_structs(path: str) -> str:
        return _image(path, columns, lambda column, cell: f"{cell}.value" if column.base == "timestamp" else cell)

    def of_texts(path: str) -> str:
        pattern = r'\\{"location":"[^"]*","value":("[^"]*")\\}'
        return f"regexp_replace({path}, '{pattern}', '$1')" if has_timestamps else path

    kinds = lambda column: "struct<value: string>" if column.base == "timestamp" else "string"  # noqa: E731
    readers = {"structs": (_struct(columns, kinds), of_structs), "texts": ("string", of_texts)}
    return {label: _simple_ctes(images, image) for label, (images, image) in readers.items()}


def _simple_ctes(images: str, image: Callable[[str], str]) -> Mapping[str, str]:
    parsed = f"""
        select {_IDENTITY}, from_json(
            cast(value as string),
            'type string, commitTs bigint, `database` string, `table` string, schemaVersion bigint, sql string,
             data {images}, old {images}, tableSchema struct<schema: string, `table`: string>, corrupt string',
            {_PERMISSIVE}
        ) as m
        from {native.MESSAGES} where topic like 'bench'
    """
    rendered = f"select *, {image('m.old')} as before, {image('m.data')} as after from parsed"
    events = f"""
        select {_IDENTITY}, 0 as event_index,
            case when m.corrupt is not null or m.type is null then 'error'
                when m.type in ('INSERT', 'UPDATE', 'DELETE') then 'row' when m.type = 'WATERMARK' then 'watermark'
                else 'ddl' end as kind,
            if(m.corrupt is null, m.commitTs, null) as commit_ts,
            if(m.corrupt is null, coalesce(m.tableSchema.schema, m.`database`), null) as schema_name,
            if(m.corrupt is null, coalesce(m.tableSchema.`table`, m.`table`), null) as table_name,
            lower(m.type) as op,
            -- which columns are the key is not known before the schema is
            cast(null as string) as key_before, cast(null as string) as key_after,
            before, after, cast(null as string) as table_schema,
            if(m.corrupt is null, m.sql, null) as ddl_query, if(m.sql is null, null, m.type) as ddl_type,
            if(m.corrupt is null and m.type in ('INSERT', 'UPDATE', 'DELETE'), array('*:no_schema'), {_NO_FLAGS})
                as lossy,
            if(m.corrupt is null, null, 'bad_json') as error_code
        from rendered
    """
    return {"parsed": parsed, "rendered": rendered, "events": events}


def _debezium(shape: Shape, table_schema: str) -> dict[str, Mapping[str, str]]:
    def kind(column: Column) -> str:
        connect_type, name = debezium_type(column)
        is_long = (name and connect_type.startswith("int")) or column.mysql_type == "bigint unsigned"
        return "bigint" if is_long else "string"

    columns = _struct(shape.columns, kind)
    flags = [column.name for column in shape.columns if column.base in ("decimal", "datetime", "time")]
    whole, cut = "cast(value as string)", """concat(substring_index(cast(value as string), ',"schema":', 1), '}')"""

    def ctes(text: str) -> Mapping[str, str]:
        parsed = f"""
            select {_IDENTITY}, from_json(
                {text},
                'payload struct<source: struct<db: string, `table`: string, commit_ts: bigint>, op: string,
                 before: {columns}, after: {columns}, ddl: string, tableChanges: array<struct<type: string>>>,
                 corrupt string',
                {_PERMISSIVE}
            ) as m
            from {native.MESSAGES} where topic like 'bench'
        """
        return {
            "parsed": parsed,
            "read": "select *, m.payload.*, m.payload.source.* from parsed",
            "events": _debezium_events(shape, table_schema, flags, "m.corrupt is not null", "bad_json"),
        }

    # of a record that was cut off in its schema the rest would pass: a lone brace is what cannot be read
    return {
        "structs": ctes(whole),
        "structs, without the schema": ctes(f"if(endswith(value, cast('}}}}' as binary)), {cut}, '{{')"),
    }


def _debezium_text(column: Column, path: str) -> str:
    """The canonical text of a Kafka Connect value, as far as the message tells it."""
    meaning = (debezium_type(column)[1] or "").rpartition(".")[2]
    forms = {
        "Date": f"cast(date_from_unix_date(cast({path} as int)) as string)",
        "Timestamp": f"cast(timestamp_millis({path}) as string)",
        "MicroTimestamp": f"cast(timestamp_micros({path}) as string)",
        "MicroTime": f"substring(cast(timestamp_micros({path}) as string), 12)",
        "ZonedTimestamp": f"translate({path}, 'TZ', ' ')",
    }
    if column.mysql_type == "bigint unsigned":
        wrapped = f"cast(cast({path} as decimal(20, 0)) + 18446744073709551616 as string)"
        return f"if({path} < 0, {wrapped}, cast({path} as string))"
    return forms.get(meaning, path)


def _debezium_events(
    shape: Shape,
    table_schema: str,
    flags: Sequence[str],
    broken: str,
    error_code: str,
    text: Callable[[Column, str], str] = _debezium_text,
) -> str:
    before, after = (_image(path, shape.columns, text) for path in ("before", "after"))
    unsure = [f"'{name}:no_schema'" for name in flags]
    for column in shape.columns:
        if column.nullable and column.base in ("date", "datetime"):
            null = " or ".join(
                f"({image} is not null and {image}.`{column.name}` is null)" for image in ("after", "before")
            )
            unsure.append(f"if({null}, '{column.name}:zero_date', null)")
    lossy = f"array_compact(array({', '.join(unsure)}))"
    is_row = "(op in ('c', 'u', 'd'))"
    return f"""
        select {_IDENTITY}, 0 as event_index,
            case when {broken} then 'error' when {is_row} then 'row' when op = 'm' then 'watermark' else 'ddl' end
                as kind,
            if({broken}, null, commit_ts) as commit_ts,
            if({broken} or op = 'm', null, db) as schema_name, if({broken} or op = 'm', null, `table`) as table_name,
            case op when 'c' then 'insert' when 'u' then 'update' else 'delete' end as op,
            {_key("before")} as key_before, {_key("after")} as key_after, {before} as before, {after} as after,
            {table_schema} as table_schema, if({broken}, null, ddl) as ddl_query, tableChanges[0].type as ddl_type,
            if({broken} or {is_row} is not true, {_NO_FLAGS}, {lossy}) as lossy,
            if({broken}, '{error_code}', null) as error_code
        from read
    """


def _double(path: str) -> str:
    return f"if({path} = floor({path}), cast(cast({path} as bigint) as string), cast({path} as string))"


def _avro(shape: Shape, table_schema: str) -> dict[str, Mapping[str, str]]:
    def text(column: Column, path: str) -> str:
        return _double(path) if column.base == "double" else f"cast({path} as string)"

    broken = "m._tidb_op is null"  # what cannot be read gives a record of NULLs
    names = ", ".join(f"m.`{column.name}`" for column in shape.columns)
    top = f"select {_IDENTITY}, m, m._ticdc_before as old, struct({names}) as row from parsed"
    old, row = (_image(path, shape.columns, text) for path in ("old", "row"))
    events = f"""
        select {_IDENTITY}, 0 as event_index, if({broken}, 'error', 'row') as kind, m._tidb_commit_ts as commit_ts,
            if({broken}, null, '{DATABASE}') as schema_name, if({broken}, null, '{shape.table}') as table_name,
            case m._tidb_op when 'c' then 'insert' when 'u' then 'update' else 'delete' end as op,
            {_key("old")} as key_before, if(m._tidb_op = 'd', null, {_key("row")}) as key_after,
            {old} as before, if(m._tidb_op = 'd', null, {row}) as after, {table_schema} as table_schema,
            cast(null as string) as ddl_query, cast(null as string) as ddl_type, {_NO_FLAGS} as lossy,
            if({broken}, 'bad_avro', null) as error_code
        from top
    """
    return {"from_avro": {"parsed": _from_avro(Avro(shape, Random(0)), _IDENTITY), "top": top, "events": events}}


def _from_avro(encoder: Avro, columns: str) -> str:
    schema = encoder.schemas()["2"].replace("\\", "\\\\").replace("'", "\\'")
    return f"""
        select {columns}, from_avro(substring(value, 6), '{schema}', map('mode', 'PERMISSIVE')) as m
        from {native.MESSAGES} where topic like 'bench'
    """


def _debezium_avro(shape: Shape, table_schema: str) -> dict[str, Mapping[str, str]]:
    def text(column: Column, path: str) -> str:
        if column.mysql_type == "bigint unsigned":
            return path
        return _double(path) if column.base == "double" else f"cast({_debezium_text(column, path)} as string)"

    flags = [column.name for column in shape.columns if column.base in ("datetime", "time")]
    no_ddl = "cast(null as string) as ddl, cast(null as array<struct<type: string>>) as tableChanges"
    return {
        "from_avro": {
            "parsed": _from_avro(DebeziumAvro(shape, Random(0)), _IDENTITY),
            "read": f"select {_IDENTITY}, m, m.before, m.after, m.op, m.source.*, {no_ddl} from parsed",
            "events": _debezium_events(shape, table_schema, flags, "op is null", "bad_avro", text),
        }
    }


_PROTOCOLS: Mapping[str, Callable[[Shape, str], dict[str, Mapping[str, str]]]] = {
    "open_protocol": _open_protocol,
    "simple": _simple,
    "debezium": _debezium,
    "avro": _avro,
    "debezium_avro": _debezium_avro,
}
