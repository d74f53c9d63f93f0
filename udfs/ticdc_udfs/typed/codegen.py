"""Models of the user's own over typed tables: their SQL and their yml, as files of a dbt project have them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import msgspec
import pyarrow as pa

from ticdc_udfs.typed.names import short_hash

_LOSSY = {"_lossy": "Columns whose value is not known to be what TiDB holds, each with the reason."}
_OF_CURRENT = {**_LOSSY, "_commit_ts": "TSO of the last change of the row."}
_OF_HISTORY = {
    **_LOSSY,
    "_row_key": "The row's key as JSON text, with the names and types that it had then.",
    "_valid_from_ts": "The commit from which on the row held these values (TSO).",
    "_valid_to_ts": "The commit from which on it did not any more (TSO). NULL where it still does.",
    "_valid_from_at": "Time of the commit from which on the row held these values, to the millisecond.",
    "_valid_to_at": "Time of the commit from which on it did not any more, to the millisecond.",
    "_op": "What began the time: `insert`, `update` or `upsert`.",
    "_closed_by": "What ended the time: `update`, `delete`, or the kind of a DDL. NULL where nothing did.",
}
_DEPENDS_ON = '{% if ticdc is defined %}-- depends_on: {{ ref("ticdc", "ticdc__tables") }}{% endif %}'

_ESCAPES = str.maketrans({"\\": r"\\", '"': r"\"", "\r": r"\r", "{": r"\x7b", "}": r"\x7d"})


class UpstreamColumn(msgspec.Struct, frozen=True):
    """A column as it is upstream now, with its type there."""

    column_name: str
    column_type: str
    is_nullable: bool | None = None


class Column(NamedTuple):
    """A column of the relation, as Spark describes it."""

    name: str
    type: str


class Relation(msgspec.Struct, frozen=True):
    """A typed table or its history; `relation` is its name as SQL takes it, the other names are those upstream.

    `upstream` has no columns where the catalogue does not know the table's.
    """

    feed: str
    schema_name: str
    table_name: str
    relation: str
    is_history: bool
    columns: tuple[Column, ...]
    key_columns: tuple[str, ...] = ()
    upstream: tuple[UpstreamColumn, ...] = ()


@dataclass(frozen=True)
class Model:
    """A model's name, the text of its file, and what its yml says."""

    name: str
    sql: str
    yml: Mapping[str, Any]


def model_of(relation: Relation) -> Model:
    """The model: a `select` of all columns, and a yml with descriptions, a contract and tests.

    Keys are not null and unique; histories have neither overlaps nor gaps. Raises `KeyError` for a history without
    the columns that this needs, `ValueError` for a relation without schema.
    """
    schema, table = _parts(relation.relation)[-2:]
    name = f"{schema}__{table}"
    # another schema and table may make the same name where the schema has underscores beside these
    if name.partition("__")[0] != schema:
        name = f"{name}_{short_hash(relation.relation)}"
    source = f"{relation.feed}__{schema}"
    upstream = f"Rows of {relation.schema_name}.{relation.table_name} upstream, from the feed {relation.feed}"
    which = ": which values each held from when to when." if relation.is_history else ", as they are now."
    description = as_jinja(upstream + which)
    own = _own_columns(relation)
    tests = list(_tests(relation, own))
    selected = ",\n".join(f"    {as_jinja(_quoted(column.name))}" for column in relation.columns)
    return Model(
        name,
        f"{_DEPENDS_ON}\nselect\n{selected}\nfrom {{{{ source({_jinja_string(source)}, {_jinja_string(table)}) }}}}\n",
        {
            "version": 2,
            "sources": [
                {
                    "name": as_jinja(source),
                    "schema": as_jinja(schema),
                    "quoting": {"schema": True, "identifier": True},
                    "tables": [{"name": as_jinja(table), "description": description}],
                }
            ],
            "models": [
                {
                    "name": name,
                    "description": description,
                    "config": {"contract": {"enforced": True}},
                    "columns": _columns(relation, own),
                    **({"data_tests": tests} if tests else {}),
                }
            ],
        },
    )


def as_jinja(text: str) -> str:
    """A text that dbt, where it renders Jinja, reads as it stands."""
    return f"{{{{ {_jinja_string(text)} }}}}" if re.search(r"\{[{%#]|\r", text) else text


def _jinja_string(text: str) -> str:
    return f'"{text.translate(_ESCAPES)}"'


def _quoted(name: str) -> str:
    return f"`{_doubled(name)}`"


def _doubled(name: str) -> str:
    return name.replace("`", "``")


def _parts(relation: str) -> list[str]:
    parts = re.findall(r"`((?:[^`]|``)+)`|([^.`]+)", relation)
    return [(quoted or plain).replace("``", "`") for quoted, plain in parts]


def _own_columns(relation: Relation) -> dict[str, str]:
    """The columns of the package by the names that they usually have.

    They come last, and have more underscores where the table has such a column itself.
    """
    last = {f"_{column.name.lstrip('_')}": column.name for column in relation.columns}
    return {usual: name for usual, name in last.items() if usual in _meanings(relation)}


def _meanings(relation: Relation) -> Mapping[str, str]:
    return _OF_HISTORY if relation.is_history else _OF_CURRENT


def _columns(relation: Relation, own: Mapping[str, str]) -> list[dict[str, object]]:
    """What the yml says of the columns."""
    described = {name: _meanings(relation)[usual] for usual, name in own.items()}
    upstream = {column.column_name.lower(): column for column in relation.upstream}
    tests = ["not_null", "unique"] if len(relation.key_columns) == 1 else ["not_null"]
    columns = []
    for name, spark_type in relation.columns:
        # dbt puts backticks around a name but does not double those within it
        yml: dict[str, object] = {"name": as_jinja(_doubled(name)), "quote": True}
        yml["data_type"] = "timestamp_ltz" if spark_type == "timestamp" else spark_type
        if name in described:
            yml["description"] = described[name]
        elif column := upstream.get(name.lower()):
            not_null = ", not null" if column.is_nullable is False else ""
            yml["description"] = as_jinja(f"Upstream: `{column.column_type}`{not_null}.")
        elif relation.is_history:
            yml["description"] = "A column that the table no longer has."
        if name in relation.key_columns and not relation.is_history:
            yml["data_tests"] = [*tests]
        columns.append(yml)
    return columns


def _tests(relation: Relation, own: Mapping[str, str]) -> Iterator[dict[str, object]]:
    """The tests of the model that are not of one column alone."""
    if relation.is_history:
        arguments = {
            "key": [own["_row_key"]],
            "valid_from": own["_valid_from_ts"],
            "valid_to": own["_valid_to_ts"],
            "closed_by": own["_closed_by"],
        }
        yield {"ticdc.history_intervals": {"arguments": arguments}}
    elif len(relation.key_columns) > 1:
        key = ", ".join(_quoted(column.name) for column in relation.columns if column.name in relation.key_columns)
        yield {"unique": {"arguments": {"column_name": f"struct({key})"}}}


_read_relation = msgspec.json.Decoder(Relation).decode


def model_batch(relations: pa.Array[Any]) -> pa.Array[Any]:
    """`model_of` for JSON texts of `Relation`, as JSON texts of `Model`; null where one is."""
    models = (None if text is None else model_of(_read_relation(text)) for text in relations.to_pylist())
    return pa.array([model and msgspec.json.encode(model).decode() for model in models], pa.string())
