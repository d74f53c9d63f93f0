"""Writes dbt files for the typed tables of a feed, to be kept in the user's own project."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from dbt_ticdc.errors import TicdcError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def write(spark: SparkSession, feed: str, output: Path) -> tuple[Path, bool]:
    """Writes `ticdc_<feed>.yml` with the feed's typed tables as dbt sources; the flag tells whether it changed.

    Raises `TicdcError` for a feed without tables.
    """
    content = sources_yml(spark, feed)
    path = output / f"ticdc_{feed}.yml"
    try:
        output.mkdir(parents=True, exist_ok=True)
        if path.exists() and path.read_bytes() == content.encode():
            return path, False
        path.write_bytes(content.encode())
    except OSError as error:
        raise TicdcError(f"--output: {path} cannot be written: {error.strerror}") from error
    return path, True


def sources_yml(spark: SparkSession, feed: str) -> str:
    """A source per target schema: its tables, their columns with Spark's types, and a not_null test per key column."""
    from pyspark.sql import functions as f

    if not spark.catalog.tableExists("ticdc__tables"):
        raise TicdcError("the warehouse has no table ticdc__tables; `ticdc run` builds it")
    known = spark.table("ticdc__tables").where("current_relation is not null")
    tables = known.where(f.col("feed") == feed).orderBy("current_relation").collect()
    if not tables:
        feeds = ", ".join(sorted(row.feed for row in known.select("feed").distinct().collect()))
        raise TicdcError(f"--feed: {feed!r} has no typed tables; feeds that have: {feeds or 'none'}")
    schemas: dict[str, list[dict[str, Any]]] = {}
    for table in tables:
        schema, name = parts(table.current_relation)
        fields = spark.table(table.current_relation).schema.fields
        columns = [_column(field.name, field.dataType.simpleString(), table.key_columns or ()) for field in fields]
        upstream = f"Current rows of {table.schema_name}.{table.table_name} from the feed {feed}."
        schemas.setdefault(schema, []).append(
            {"name": literal(name), "description": literal(upstream), "columns": columns}
        )
    sources = [
        {"name": literal(f"{feed}__{schema}"), "schema": literal(schema), "tables": described}
        for schema, described in schemas.items()
    ]
    head = f"# Written by `ticdc codegen --feed {feed}`; the next call writes it anew.\n"
    content: str = yaml.safe_dump({"version": 2, "sources": sources}, sort_keys=False, allow_unicode=True, width=120)
    return head + content


def parts(relation: str) -> tuple[str, str]:
    """Schema and name of a relation as Spark writes it, with or without backticks."""
    names: list[str] = []
    rest = relation
    while rest:
        if rest.startswith("`"):
            end = 1
            while rest[end] != "`" or rest[end + 1 : end + 2] == "`":
                end += 2 if rest[end] == "`" else 1
            names.append(rest[1:end].replace("``", "`"))
            rest = rest[end + 2 :]
        else:
            name, _, rest = rest.partition(".")
            names.append(name)
    schema, name = names[-2:]
    return schema, name


def literal(text: str) -> str:
    """A text that dbt, which renders yml as Jinja, reads as it stands."""
    if not any(mark in text for mark in ("{{", "{%", "{#")):
        return text
    return "{{ " + repr(text).replace("{", "\\x7b") + " }}"


def _column(name: str, data_type: str, key_columns: tuple[str, ...]) -> dict[str, Any]:
    # dbt puts backticks around a quoted name but does not double those within it.
    column: dict[str, Any] = {"name": literal(name.replace("`", "``")), "data_type": data_type, "quote": True}
    if name in key_columns:
        column["data_tests"] = ["not_null"]
    return column
