"""What the package is measured against: the same work as plain Spark SQL on `from_json`, as well as we can write it."""

from __future__ import annotations

from typing import NamedTuple

from benchmarks.tables import Column, Shape

MESSAGES = "ticdc_raw.messages"


class Reader(NamedTuple):
    """A way to read canal-json by `from_json`, with how its pieces are written in SQL.

    `images` is the type of `data`, `old` that of `old`, `types` that of `mysqlType`; `text` renders an image, `key` a
    row's key, `pre_image` the row before an update, `schema` the table schema.
    """

    label: str
    images: str
    old: str
    types: str
    text: str
    key: str
    pre_image: str
    schema: str


def readers(shape: Shape) -> tuple[Reader, ...]:
    """The readers to try, of which the fastest is the yardstick.

    Only the first two treat an `old` that holds but the columns that changed as the package does. The first knows
    nothing of the table; the next two have its columns and key written out, the last only its key: it takes images as
    they stand, and gives the table schema in the wire's changing order.
    """
    names = [f"`{column.name}`" for column in shape.columns]
    struct = "struct<" + ", ".join(f"{name}: string" for name in names) + ">"
    members = ", ".join(
        f"named_struct('name', '{column.name}', 'type', m.mysqlType.`{column.name}`, "
        f"'key', {1 if place == 0 else 'null'})"
        for place, column in enumerate(shape.columns)
    )
    with_nulls = "map('ignoreNullFields', 'false')"
    completed = ", ".join(
        f"'{column.name}', if(map_contains_key(m.old[0], '{column.name}'), "
        f"m.old[0]['{column.name}'], m.data[0].`{column.name}`)"
        for column in shape.columns
    )
    structs = Reader(
        label="structs",
        images=struct,
        old=struct,
        types=struct,
        text=f"to_json({{image}}, {with_nulls})",
        key="to_json(named_struct('id', {image}.id))",
        pre_image="m.old[0]",
        schema=f"to_json(array({members}), {with_nulls})",
    )
    return (
        Reader(
            label="maps",
            images="map<string, string>",
            old="map<string, string>",
            types="map<string, string>",
            text="to_json({image})",
            key="to_json(map_from_entries(transform(m.pkNames, k -> struct(k, {image}[k]))))",
            pre_image=(
                "if(size(m.old[0]) = size(m.data[0]), m.old[0], "
                "transform_values(m.data[0], (k, v) -> if(map_contains_key(m.old[0], k), m.old[0][k], v)))"
            ),
            schema=(
                "to_json(transform(map_keys(m.data[0]), k -> named_struct('name', k, 'type', m.mysqlType[k], "
                f"'key', nullif(array_position(m.pkNames, k), 0))), {with_nulls})"
            ),
        ),
        structs._replace(label="structs, any old", old="map<string, string>", pre_image=f"named_struct({completed})"),
        structs,
        Reader(
            label="texts",
            images="string",
            old="string",
            types="string",
            text="{image}",
            key="""concat('{{"id":"', get_json_object({image}, '$.id'), '"}}')""",
            pre_image="m.old[0]",
            schema="m.mysqlType",
        ),
    )


def staging(reader: Reader) -> str:
    """The select that gives the columns of `stg_ticdc__canal_json`."""
    data_text = reader.text.format(image="data")
    before_text = reader.text.format(image="pre_image")
    return f"""
with

parsed as (

    select
        *,
        from_json(
            cast(value as string),
            'type string, isDdl boolean, es bigint, `database` string, `table` string, sql string,
             pkNames array<string>, mysqlType {reader.types}, data array<{reader.images}>, old array<{reader.old}>,
             _tidb struct<commitTs: bigint, watermarkTs: bigint, onlyHandleKey: boolean, claimCheckLocation: string>,
             corrupt string',
            map('mode', 'PERMISSIVE', 'columnNameOfCorruptRecord', 'corrupt')
        ) as m
    from {MESSAGES}
    where topic like 'bench'

),

messages as (

    select
        *,
        case
            when m.corrupt is not null or m.type is null or m.es is null then 'error'
            when m.type in ('INSERT', 'UPDATE', 'DELETE') then if(size(m.data) = 1, 'row', 'error')
            when m.isDdl then 'ddl'
            when m.type = 'TIDB_WATERMARK' then 'watermark'
            else 'error'
        end as kind,
        m.data[0] as data,
        if(m.type = 'UPDATE' and size(m.old) = 1, {reader.pre_image}, null) as pre_image
    from parsed

),

events as (

    select
        *,
        lower(m.type) as op,
        {reader.key.format(image="data")} as row_key,
        if(pre_image is null, null, {reader.key.format(image="pre_image")}) as old_key,
        {data_text} as data_text,
        if(pre_image is null, null, {before_text}) as before_text,
        {reader.schema} as table_schema
    from messages

)

select
    topic,
    `partition`,
    `offset`,
    0 as event_index,
    `timestamp` as message_at,
    kind,
    case
        when kind in ('row', 'ddl') then coalesce(m._tidb.commitTs, shiftleft(m.es, 18))
        when kind = 'watermark' then m._tidb.watermarkTs
    end as commit_ts,
    kind in ('watermark', 'error') or m._tidb.commitTs is not null as commit_ts_exact,
    cast(null as bigint) as start_ts,
    if(kind in ('row', 'ddl'), m.`database`, null) as schema_name,
    if(kind in ('row', 'ddl'), m.`table`, null) as table_name,
    cast(null as bigint) as physical_table_id,
    if(kind = 'row', op, null) as op,
    if(kind = 'row', row_key, null) as row_key,
    if(kind = 'row' and old_key <> row_key, old_key, null) as before_key,
    if(kind = 'row', if(op = 'delete', data_text, before_text), null) as before,
    if(kind = 'row' and op <> 'delete', data_text, null) as after,
    if(kind = 'row', xxhash64(table_schema), null) as table_schema_id,
    if(kind = 'row', table_schema, null) as table_schema,
    if(kind = 'ddl', m.sql, null) as ddl_query,
    if(kind = 'ddl', m.type, null) as ddl_type,
    filter(
        array(
            if(m._tidb.claimCheckLocation is not null, '*:claim_check', null),
            if(m._tidb.onlyHandleKey, '*:handle_key_only', null)
        ),
        flag -> flag is not null
    ) as lossy,
    if(kind = 'error', if(m.corrupt is null, 'bad_shape', 'bad_json'), null) as error_code,
    if(kind = 'error', 'no canal-json message', null) as error_message,
    if(kind = 'error', key, null) as key,
    if(kind = 'error', value, null) as value,
    if(kind = 'error', octet_length(key), null) as key_length,
    if(kind = 'error', octet_length(value), null) as value_length,
    cast(0 as bigint) as run_id,
    false as is_redriven,
    'bench' as feed
from events
"""


def road(reader: Reader, shape: Shape, database: str) -> tuple[str, ...]:
    """Statements that make the package's tables natively: events, changes, latest versions, typed rows.

    The rules are the package's: repeats go, an update that changes the key is a delete and an insert, and the last
    change of a key is told by commit, deletes first, then position, up to what all partitions have completed.
    """
    change_columns = "feed, schema_name, table_name, commit_ts, lossy, topic, `partition`, `offset`, event_index"
    return (
        f"create table {database}.events using parquet as {staging(reader)}",
        f"""
        create table {database}.changes using parquet as
        with
        bound as (
            select min(watermark_ts) as commit_ts
            from (
                select max(commit_ts) as watermark_ts
                from {database}.events where kind = 'watermark' group by topic, `partition`
            )
        ),
        changes as (
            select {change_columns}, op, row_key, before, after
            from {database}.events where kind = 'row' and before_key is null
            union all
            select {change_columns}, change.*
            from {database}.events
            lateral view explode(array(
                named_struct('op', 'delete', 'row_key', before_key, 'before', before, 'after', null),
                named_struct('op', 'insert', 'row_key', row_key, 'before', null, 'after', after)
            )) as change
            where kind = 'row' and before_key is not null
        ),
        numbered as (
            select
                *,
                row_number() over (
                    partition by commit_ts, row_key, op, table_name, schema_name, feed
                    order by topic, `partition`, `offset`, event_index
                ) as occurrence
            from changes
            where commit_ts <= (select commit_ts from bound)
        )
        select
            feed, schema_name, table_name, commit_ts, timestamp_millis(shiftright(commit_ts, 18)) as commit_at, op,
            if(op = 'delete', 0, 1) as apply_rank, row_key, before, after, lossy,
            topic, `partition`, `offset`, event_index
        from numbered where occurrence = 1
        """,
        f"""
        create table {database}.latest using parquet as
        select feed, schema_name, table_name, row_key, after as row, commit_ts, commit_at, lossy
        from (
            select
                *,
                row_number() over (
                    partition by xxhash64(row_key), row_key, table_name, schema_name, feed
                    order by
                        commit_ts desc, apply_rank desc, topic desc, `partition` desc, `offset` desc, event_index desc
                ) as place
            from {database}.changes
        )
        where place = 1 and after is not null
        """,
        f"""
        create table {database}.typed using parquet as
        select {_typed("image", shape)}, commit_ts, lossy
        from (
            select commit_ts, lossy, from_json(row, 'struct<{_fields(shape)}>') as image
            from {database}.latest where schema_name = 'bench' and table_name = '{shape.table}'
        )
        """,
    )


def single_shot(shape: Shape, database: str) -> tuple[str, ...]:
    """One statement from messages to the typed rows, with nothing kept in between: what a one-off script would do."""
    return (
        f"""
        create table {database}.typed using parquet as
        with
        watermarks as (
            select `partition`, max(get_json_object(cast(value as string), '$._tidb.watermarkTs')) as commit_ts
            from {MESSAGES}
            where topic like 'bench' and cast(value as string) like '%"type":"TIDB_WATERMARK"%'
            group by `partition`
        ),
        messages as (
            select
                `partition`,
                `offset`,
                from_json(
                    cast(value as string),
                    'type string, `table` string, data array<struct<{_fields(shape)}>>, _tidb struct<commitTs: bigint>'
                ) as m
            from {MESSAGES}
            where topic like 'bench'
        ),
        ranked as (
            select
                m.type as type,
                m.data[0] as image,
                m._tidb.commitTs as commit_ts,
                row_number() over (
                    partition by m.data[0].id
                    order by m._tidb.commitTs desc, if(m.type = 'DELETE', 0, 1) desc, `partition` desc, `offset` desc
                ) as place
            from messages
            where
                m.type in ('INSERT', 'UPDATE', 'DELETE')
                and m.table = '{shape.table}'
                and m._tidb.commitTs <= (select min(cast(commit_ts as bigint)) from watermarks)
        )
        select {_typed("image", shape)}, commit_ts, cast(array() as array<string>) as lossy
        from ranked where place = 1 and type <> 'DELETE'
        """,
    )


def _fields(shape: Shape) -> str:
    return ", ".join(f"`{column.name}`: string" for column in shape.columns)


def _typed(image: str, shape: Shape) -> str:
    return ", ".join(
        f"{_value(f'{image}.`{column.name}`', column, shape)} as `{column.name}`" for column in shape.columns
    )


def _value(text: str, column: Column, shape: Shape) -> str:
    """A cell as its typed value: of an ENUM its label, of a SET the labels of its bits."""
    labels = ["'" + label.replace("'", "\\'") + "'" for label in column.labels]
    if column.base == "enum":
        return f"element_at(array({', '.join(labels)}), int({text}))"
    if column.base == "set":
        members = ", ".join(f"if(int({text}) & {1 << bit} <> 0, {label}, null)" for bit, label in enumerate(labels))
        return f"if({text} is null, null, array_compact(array({members})))"
    if column.spark_type == "binary":
        return f"encode({text}, 'ISO-8859-1')"
    if column.spark_type == "timestamp":
        return f"try_cast(concat({text}, ' {shape.time_zone}') as timestamp)"
    return text if column.spark_type == "string" else f"try_cast({text} as {column.spark_type})"
