"""Models of the user's own over typed tables: their SQL and their yml, as files of a dbt project have them.

What they say is the same for every target of a project: the schema of a source is what `target_schema` makes of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
import pyarrow as pa

from ticdc_udfs.contract.identifiers import quoted, text_literal
from ticdc_udfs.typed import sql
from ticdc_udfs.typed.names import legal_name, short_hash
from ticdc_udfs.typed.plans import Version, columns_of, past_columns, read_schema
from ticdc_udfs.typed.types import Digits

_TYPES = {
    "commit_ts": "bigint",
    "row_key": "string",
    "valid_from_ts": "bigint",
    "valid_to_ts": "bigint",
    "valid_from_at": "timestamp",
    "valid_to_at": "timestamp",
    "op": "string",
    "closed_by": "string",
    "lossy": "array<string>",
}
_MEANINGS = {
    "lossy": "Columns whose value is not known to be what TiDB holds, each with the reason.",
    "commit_ts": "TSO of the last change of the row.",
    "row_key": "The row's key as JSON text, with the names and types that it had then.",
    "valid_from_ts": "The commit from which on the row held these values (TSO).",
    "valid_to_ts": "The commit from which on it did not any more (TSO). NULL where it still does.",
    "valid_from_at": "Time of the commit from which on the row held these values, to the millisecond.",
    "valid_to_at": "Time of the commit from which on it did not any more, to the millisecond.",
    "op": "What began the time: `insert`, `update` or `upsert`.",
    "closed_by": "What ended the time: `update`, `delete`, or the kind of a DDL. NULL where nothing did.",
}
_TARGET = "{target}"
_TARGET_IN_JINJA = "{{ target.schema | lower }}"
_DEPENDS_ON = '{% if ticdc is defined %}-- depends_on: {{ ref("ticdc", "ticdc__tables") }}{% endif %}'

_ESCAPES = str.maketrans({"\\": r"\\", '"': r"\"", "\r": r"\r", "{": r"\x7b", "}": r"\x7d"})


class UpstreamColumn(msgspec.Struct, frozen=True):
    """A column as it is upstream now, with its type there."""

    name: str
    type: str
    nullable: bool | None = None


class Table(msgspec.Struct, frozen=True):
    """A table with its relations, by what `query` asks of it; names of relations are as SQL takes them.

    `target_schema` is the pattern of its feed, None where no run noted it; `key_columns`, `observed` and `table_schema`
    are JSON texts, as `int_ticdc__typed_tables` and `int_ticdc__table_states` have them. `with_history`: the model of
    the history is wanted, too.
    """

    feed: str
    schema_name: str
    table_name: str
    table_schema: str
    current_relation: str | None = None
    history_relation: str | None = None
    target_schema: str | None = None
    key_columns: str = "[]"
    observed: str | None = None
    versions: tuple[Version, ...] = ()
    with_history: bool = False


class Request(msgspec.Struct, frozen=True):
    """What is asked for: the models of a feed. `relations` has how SQL names each of `RELATIONS`."""

    feed: str
    history: bool = False
    relations: Mapping[str, str] = {}


RELATIONS: Mapping[str, str] = {
    name: name for name in ("int_ticdc__publication", "int_ticdc__table_states", "int_ticdc__typed_tables")
}
"""What `query` reads, by name, as the current schema has it."""


def query(request: Request) -> str:
    """The query that gives a row for each typed table: its feed, and where that is asked for its models, as JSON."""
    names = {**RELATIONS, **request.relations}
    states = text_literal(sql.name_of(names["int_ticdc__table_states"]))
    return f"""select
    tables.feed,
    ticdc_generated_models(
        if(
            tables.feed = {text_literal(request.feed)},
            to_json(
                struct(
                    tables.feed,
                    tables.schema_name,
                    tables.table_name,
                    tables.current_relation,
                    tables.history_relation,
                    tables.key_columns,
                    get_json_object(tables.plan, '$.target_schema') as target_schema,
                    get_json_object(tables.plan, '$.observed') as observed,
                    states.table_schema,
                    states.versions,
                    {str(request.history).lower()} as with_history
                )
            ),
            null
        )
    ) as models
from {names["int_ticdc__typed_tables"]} as tables
inner join {names["int_ticdc__table_states"]} as states
    on
        tables.feed = states.feed
        and tables.table_id = states.table_id
        and tables.table_incarnation = states.table_incarnation
where
    coalesce(tables.current_relation, tables.history_relation) is not null
    and array_contains(
        (select try_element_at(batches, {states}) from {names["int_ticdc__publication"]}), states.batch_id
    )"""


class Column(msgspec.Struct, frozen=True):
    """A column of a relation: its Spark type, what is to be said of it, and whether the table's key has it."""

    name: str
    type: str
    description: str | None = None
    is_key: bool = False


@dataclass(frozen=True)
class Model:
    """A model's name, the text of its file, and what its yml says."""

    name: str
    sql: str
    yml: Mapping[str, Any]


def models_of(table: Table) -> list[Model]:
    """The models of a table: a `select` of all columns, and a yml with descriptions, a contract and tests.

    Keys are not null and unique; histories have neither overlaps nor gaps. A model whose relation is gone has no rows.
    """
    found = []
    upstream = _read_upstream(table.table_schema)
    columns = columns_of(read_schema(table.table_schema), _read_observed(table.observed or "{}"))
    types = {column.name: column.type for column in columns}
    if table.current_relation:
        found.append(_model(table, table.current_relation, types, upstream))
    if table.history_relation and table.with_history:
        # where the columns never changed, a history has those of now
        changed = len({version.table_schema for version in table.versions}) > 1
        past = past_columns(columns, table.versions) if changed else ()
        types = {column.name: column.type for column in past} or types
        found.append(_model(table, table.history_relation, types, upstream, is_history=True))
    return found


def _model(
    table: Table,
    relation: str,
    types: Mapping[str, str],
    upstream: Sequence[UpstreamColumn],
    is_history: bool = False,
) -> Model:
    schema, stem, identifier = _place(table, relation)
    name = f"{stem}__{identifier}"
    # another schema and table may make the same name where the schema has underscores beside these
    if name.partition("__")[0] != stem:
        name = f"{name}_{short_hash(f'{stem}.{identifier}')}"
    source = f"{table.feed}__{stem}"
    which = ": which values each held from when to when." if is_history else ", as they are now."
    rows = f"Rows of {table.schema_name}.{table.table_name} upstream, from the feed {table.feed}"
    description = as_jinja(rows + which)
    own = sql.own_columns(types, sql.OF_HISTORY if is_history else sql.OF_CURRENT)
    keys = frozenset() if is_history else frozenset(msgspec.json.decode(table.key_columns, type=list[str]))
    columns = [
        *_columns(types, upstream, keys),
        *(Column(own[usual], _TYPES[usual], _MEANINGS[usual]) for usual in own),
    ]
    return Model(
        name,
        _sql(source, identifier, columns),
        {
            "version": 2,
            "sources": [
                {
                    "name": as_jinja(source),
                    "schema": schema,
                    "quoting": {"schema": True, "identifier": True},
                    "tables": [{"name": as_jinja(identifier), "description": description}],
                }
            ],
            "models": [
                {
                    "name": name,
                    "description": description,
                    "config": {"contract": {"enforced": True}},
                    "columns": [_yml(column, len(keys)) for column in columns],
                    **_tests(columns, own, is_history),
                }
            ],
        },
    )


def _place(table: Table, relation: str) -> tuple[str, str, str]:
    """The schema of a relation as a yml has it, its name without that of the target, and the relation's own name."""
    schema, identifier = _parts(relation)[-2:]
    if _TARGET not in (pattern := (table.target_schema or "").lower()):
        return as_jinja(schema), schema, identifier
    upstream = legal_name(table.schema_name)
    told = pattern.replace("{schema}", upstream).replace("{feed}", table.feed.lower())
    return told.replace(_TARGET, _TARGET_IN_JINJA), told.replace(_TARGET, "").strip("_") or upstream, identifier


def _sql(source: str, identifier: str, columns: Sequence[Column]) -> str:
    names = [as_jinja(quoted(column.name)) for column in columns]
    selected = ",\n".join(f"    {name}" for name in names)
    nothing = ",\n".join(
        f"    cast(null as {_told_type(column.type)}) as {name}" for name, column in zip(names, columns, strict=True)
    )
    return f"""{_DEPENDS_ON}
{{%- set rows = source({_jinja_string(source)}, {_jinja_string(identifier)}) %}}
{{% if execute and not load_relation(rows) -%}}
-- the table is gone, and the next `ticdc codegen` takes this model away
select
{nothing}
where false
{{%- else -%}}
select
{selected}
from {{{{ rows }}}}
{{%- endif %}}
"""


def as_jinja(text: str) -> str:
    """A text that dbt, where it renders Jinja, reads as it stands."""
    return f"{{{{ {_jinja_string(text)} }}}}" if re.search(r"\{[{%#]|\r", text) else text


def _jinja_string(text: str) -> str:
    return f'"{text.translate(_ESCAPES)}"'


def _parts(relation: str) -> list[str]:
    parts = re.findall(r"`((?:[^`]|``)+)`|([^.`]+)", relation)
    return [(quoted or plain).replace("``", "`") for quoted, plain in parts]


def _columns(types: Mapping[str, str], upstream: Sequence[UpstreamColumn], keys: frozenset[str]) -> Iterator[Column]:
    known = {column.name.lower(): column for column in upstream}
    for name, spark_type in types.items():
        column = known.get(name.lower())
        if column is None:
            description = "A column that the table no longer has."
        else:
            description = f"Upstream: `{column.type}`{', not null' if column.nullable is False else ''}."
        yield Column(name, spark_type, as_jinja(description), name in keys)


def _yml(column: Column, key_size: int) -> dict[str, object]:
    # dbt puts backticks around a name but does not double those within it
    yml: dict[str, object] = {"name": as_jinja(quoted(column.name)[1:-1]), "quote": True}
    yml["data_type"] = _told_type(column.type)
    if column.description is not None:
        yml["description"] = column.description
    if column.is_key:
        yml["data_tests"] = ["not_null", "unique"] if key_size == 1 else ["not_null"]
    return yml


def _told_type(spark_type: str) -> str:
    return "timestamp_ltz" if spark_type == "timestamp" else spark_type


def _tests(columns: Sequence[Column], own: Mapping[str, str], is_history: bool) -> dict[str, list[dict[str, object]]]:
    """The member of a model's yml with the tests that are not of one column alone; none where there are none."""
    if is_history:
        arguments = {
            "key": [own["row_key"]],
            "valid_from": own["valid_from_ts"],
            "valid_to": own["valid_to_ts"],
            "closed_by": own["closed_by"],
        }
        return {"data_tests": [{"ticdc.history_intervals": {"arguments": arguments}}]}
    keys = [quoted(column.name) for column in columns if column.is_key]
    if len(keys) < 2:
        return {}
    return {"data_tests": [{"unique": {"arguments": {"column_name": f"struct({', '.join(keys)})"}}}]}


_read_table = msgspec.json.Decoder(Table).decode
_read_upstream = msgspec.json.Decoder(tuple[UpstreamColumn, ...]).decode
_read_observed = msgspec.json.Decoder(dict[str, Digits]).decode
_read_request = msgspec.json.Decoder(Request).decode


def models_batch(tables: pa.Array[Any]) -> pa.Array[Any]:
    """`models_of` for JSON texts of `Table`, as JSON lists of `Model`; null where one is."""
    models = (None if text is None else models_of(_read_table(text)) for text in tables.to_pylist())
    return pa.array([None if each is None else msgspec.json.encode(each).decode() for each in models], pa.string())


def query_batch(requests: pa.Array[Any]) -> pa.Array[Any]:
    """`query` for JSON texts of `Request`; null where one is."""
    return pa.array([text and query(_read_request(text)) for text in requests.to_pylist()], pa.string())
