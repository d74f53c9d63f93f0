"""What a project, a profile or a command line sets that changes what the package stores or selects, all in one place.

Settings of Spark, and configurations and flags of dbt: `problems_of_switches` finds those that would do harm, and the
page docs/switches.md says of each what it does.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Any

from msgspec import Struct


class Setting(Struct, frozen=True):
    """A setting of Spark that must have one of some values, its default first; `otherwise` says what others do."""

    name: str
    allowed: tuple[str, ...]
    otherwise: str


class Effect(StrEnum):
    """What a switch does to the package."""

    WORKS = "works"
    REFUSED = "is refused"
    NONE = "without effect"


class Switch(Struct, frozen=True):
    """A flag, or a configuration, of dbt."""

    name: str
    effect: Effect
    meaning: str = ""


class Set(Struct, frozen=True):
    """A setting with the value that the session has for it, or that the hook of a model, its `place`, gives it."""

    name: str
    value: str
    place: str = ""


class Configured(Struct, frozen=True):
    """A model, or a seed, with what it is configured with, its own columns, and the hooks that run before it."""

    name: str
    config: Mapping[str, Any]
    columns: Sequence[str] = ()
    hooks: Sequence[str] = ()


_FALSE = ("false",)
_TRUE = ("true",)
_REBASED = "days before 1582-10-15, and times before 1900, are stored as others or end the build"

SETTINGS: tuple[Setting, ...] = (
    Setting(
        "spark.sql.parquet.outputTimestampType",
        ("INT96", "TIMESTAMP_MICROS"),
        "stored times lose their microseconds",
    ),
    Setting("spark.sql.parquet.datetimeRebaseModeInWrite", ("CORRECTED",), _REBASED),
    Setting("spark.sql.parquet.int96RebaseModeInWrite", ("CORRECTED",), _REBASED),
    Setting("spark.sql.files.ignoreCorruptFiles", _FALSE, "rows in files that cannot be read are left out silently"),
    Setting("spark.sql.files.ignoreMissingFiles", _FALSE, "rows in files that are gone are left out silently"),
    Setting("spark.sql.optimizer.metadataOnly", _FALSE, "partitions that have no rows count as if they had some"),
    Setting("spark.sql.json.enableExactStringParsing", _TRUE, "texts are taken from JSON in another form"),
    Setting("spark.sql.legacy.ctePrecedencePolicy", ("CORRECTED",), "queries within others read wrong rows"),
    Setting("spark.sql.hive.manageFilesourcePartitions", _TRUE, "old batches of rows cannot be dropped"),
    Setting("spark.sql.storeAssignmentPolicy", ("ANSI", "LEGACY"), "rows cannot be written"),
    Setting("spark.sql.legacy.createEmptyCollectionUsingStringType", _FALSE, "some typed tables cannot be made"),
    Setting("spark.sql.groupByAliases", _TRUE, "queries of the package are not read"),
    Setting("spark.sql.scripting.enabled", _TRUE, "a run cannot take its lease"),
    Setting("spark.sql.execution.arrow.useLargeVarTypes", _FALSE, "functions of the package cannot read texts"),
    Setting("spark.sql.parser.escapedStringLiterals", _FALSE, "names and texts that hold a backslash become others"),
    Setting("spark.sql.parser.quotedRegexColumnNames", _FALSE, "names of columns are read as patterns"),
    Setting("spark.sql.ansi.doubleQuotedIdentifiers", _FALSE, "texts are read as names"),
    Setting("spark.sql.ansi.enforceReservedKeywords", _FALSE, "names such as end are not read"),
)
WHERE_SET = (
    "server_side_parameters in profiles.yml, with method thrift as set:hiveconf:{name}, or spark-defaults.conf where "
    "Spark is started"
)

_TABLES = ("ticdc_append", "ticdc_log")
_PARTITIONS = (["batch_id"], ["batch_id", "feed"], ["batch_id", "is_redriven", "feed"])
_OWN = "of the package alone: set yours below the name of your project"

_SET = re.compile(r"\bset\s+(spark[.]sql[.][\w.]+)\s*=\s*([^\s;]+)", re.IGNORECASE)
_UNREAD = "the package's materializations do not read it"
CONFIGURATIONS: tuple[Switch, ...] = (
    Switch("access", Effect.WORKS, "models below `intermediate` are private, or protected where a macro reads them"),
    Switch("alias", Effect.WORKS),
    Switch("batch_size", Effect.NONE, _UNREAD),
    Switch("begin", Effect.NONE, _UNREAD),
    Switch("buckets", Effect.NONE, "but with `clustered_by`, which is refused"),
    Switch("clustered_by", Effect.REFUSED, "tables lie by batch and feed"),
    Switch("column_types", Effect.REFUSED, "of seeds, where a column of the package gets another type than `string`"),
    Switch("concurrent_batches", Effect.NONE, _UNREAD),
    Switch(
        "contract", Effect.WORKS, "enforced for marts unless it is false; elsewhere a column without a type is an error"
    ),
    Switch("database", Effect.REFUSED, "by dbt-spark, where it is not the schema"),
    Switch("delimiter", Effect.REFUSED, "of seeds, unless it is a comma"),
    Switch("docs", Effect.NONE),
    Switch("enabled", Effect.WORKS, "without a model that others read dbt names both"),
    Switch(
        "event_time", Effect.WORKS, "for models of yours that read the package's, with `--sample` or as microbatches"
    ),
    Switch("file_format", Effect.WORKS, "`parquet` and `delta`; others are refused"),
    Switch("freshness", Effect.WORKS, "of the source `ticdc`, for `dbt source freshness`"),
    Switch("full_refresh", Effect.WORKS, "of seeds; models of the package follow the flag alone"),
    Switch("grants", Effect.NONE, "give rights on the schema instead, or in a `post_hook`"),
    Switch("group", Effect.WORKS, "of all models of the package at once, as those that are private read each other"),
    Switch("incremental_predicates", Effect.NONE, _UNREAD),
    Switch("incremental_strategy", Effect.NONE, _UNREAD),
    Switch("location_root", Effect.WORKS, "refused where a new table would lie among files that are there already"),
    Switch("lookback", Effect.NONE, _UNREAD),
    Switch("materialized", Effect.REFUSED, "unless it is as the package has it"),
    Switch("merge_exclude_columns", Effect.NONE, _UNREAD),
    Switch("merge_update_columns", Effect.NONE, _UNREAD),
    Switch("meta", Effect.NONE),
    Switch("on_configuration_change", Effect.NONE, _UNREAD),
    Switch("on_schema_change", Effect.NONE, _UNREAD),
    Switch("options", Effect.WORKS, "in place of the package's, which save room"),
    Switch("packages", Effect.NONE),
    Switch("partition_by", Effect.REFUSED, "unless it is as the package has it"),
    Switch("persist_docs", Effect.WORKS),
    Switch("post_hook", Effect.WORKS),
    Switch("pre_hook", Effect.WORKS, "refused where it makes a setting of Spark that is refused"),
    Switch("quote_columns", Effect.WORKS, "of seeds"),
    Switch("quoting", Effect.WORKS),
    Switch("schema", Effect.WORKS),
    Switch("sql_header", Effect.NONE, _UNREAD),
    Switch("static_analysis", Effect.NONE),
    Switch("tags", Effect.WORKS, "to select by"),
    Switch(
        "tblproperties", Effect.WORKS, "with `ticdc.package: ticdc` among them, by which the package knows its tables"
    ),
    Switch("unique_key", Effect.NONE, _UNREAD),
)

_PARTS = "what is left out keeps its rows; the next build goes on. Refused for a model without the plan that it follows"
FLAGS: tuple[Switch, ...] = (
    Switch("--cache-selected-only", Effect.WORKS),
    Switch("--debug", Effect.NONE),
    Switch("--defer", Effect.REFUSED, "where a table that the run needs would be that of another schema"),
    Switch("--defer-state", Effect.WORKS, "as `--defer`"),
    Switch("--deprecated-defer", Effect.NONE),
    Switch("--deprecated-favor-state", Effect.NONE),
    Switch("--deprecated-print", Effect.NONE),
    Switch("--deprecated-state", Effect.NONE),
    Switch("--empty", Effect.WORKS, "no message is read; tables that are there keep their rows, others are made empty"),
    Switch("--event-time-end", Effect.NONE, "the package has no microbatches"),
    Switch("--event-time-start", Effect.NONE, "the package has no microbatches"),
    Switch("--exclude", Effect.WORKS, _PARTS),
    Switch("--exclude-resource-types", Effect.WORKS, "without seeds only once they are there"),
    Switch("--export-saved-queries", Effect.NONE),
    Switch("--fail-fast", Effect.WORKS, "the next build goes on"),
    Switch("--favor-state", Effect.REFUSED, "as `--defer`, also where the table is there"),
    Switch("--full-refresh", Effect.WORKS, "all tables of the package or none; a part of them is refused"),
    Switch("--help", Effect.NONE),
    Switch("--include-saved-query", Effect.NONE),
    Switch("--indirect-selection", Effect.WORKS, "it chooses tests"),
    Switch("--log-cache-events", Effect.NONE),
    Switch("--log-file-max-bytes", Effect.NONE),
    Switch("--log-format", Effect.NONE),
    Switch("--log-format-file", Effect.NONE),
    Switch("--log-level", Effect.NONE),
    Switch("--log-level-file", Effect.NONE),
    Switch("--log-path", Effect.NONE),
    Switch("--macro-debugging", Effect.NONE),
    Switch("--partial-parse", Effect.NONE),
    Switch("--partial-parse-file-diff", Effect.NONE),
    Switch("--partial-parse-file-path", Effect.NONE),
    Switch("--populate-cache", Effect.WORKS, "without it dbt asks for relations as they are needed"),
    Switch("--print", Effect.NONE),
    Switch("--printer-width", Effect.NONE),
    Switch("--profile", Effect.WORKS),
    Switch("--profiles-dir", Effect.WORKS),
    Switch("--project-dir", Effect.WORKS),
    Switch("--quiet", Effect.NONE),
    Switch("--record-timing-info", Effect.NONE),
    Switch("--resource-types", Effect.WORKS, "without seeds only once they are there"),
    Switch("--sample", Effect.WORKS, "the package takes all messages; models of yours get a sample of its tables"),
    Switch("--select", Effect.WORKS, _PARTS),
    Switch("--selector", Effect.WORKS, _PARTS),
    Switch("--send-anonymous-usage-stats", Effect.NONE),
    Switch("--show", Effect.NONE),
    Switch("--show-all-deprecations", Effect.NONE),
    Switch(
        "--single-threaded", Effect.WORKS, "but dbt itself loses its connection where it makes a schema over Thrift"
    ),
    Switch("--sqlparse", Effect.NONE),
    Switch("--state", Effect.WORKS),
    Switch("--static-parser", Effect.NONE),
    Switch("--store-failures", Effect.WORKS),
    Switch("--target", Effect.WORKS),
    Switch("--target-path", Effect.WORKS),
    Switch("--threads", Effect.WORKS),
    Switch("--upload-to-artifacts-ingest-api", Effect.NONE),
    Switch("--use-colors", Effect.NONE),
    Switch("--use-colors-file", Effect.NONE),
    Switch("--use-experimental-parser", Effect.NONE),
    Switch("--use-fast-test-edges", Effect.NONE),
    Switch("--vars", Effect.WORKS),
    Switch("--version", Effect.NONE),
    Switch("--version-check", Effect.NONE),
    Switch("--warn-error", Effect.WORKS),
    Switch("--warn-error-options", Effect.WORKS),
    Switch("--write-json", Effect.NONE),
)


def problems_of_switches(settings: Sequence[Set], configured: Sequence[Configured]) -> Iterator[str]:
    """Why what a session and a project set would do harm, a text for each."""
    for setting in (*settings, *_of_hooks(configured)):
        yield from _of_setting(setting)
    found: dict[str, list[str]] = {}
    for node in configured:
        config = _of_package(node)
        for name, (is_allowed, told) in _CHECKS.items():
            if name in config and not is_allowed(config):
                got = json.dumps(config[name], sort_keys=True)
                found.setdefault(f"+{name} of {{}}: got {got}, {told}", []).append(node.name)
    for problem, names in found.items():
        yield problem.replace("{}", shortly(names), 1)


def _of_hooks(configured: Sequence[Configured]) -> Sequence[Set]:
    """The settings that hooks make, each once, of the first model whose hook does."""
    found: dict[tuple[str, str], Set] = {}
    for node in configured:
        for name, value in (made for hook in node.hooks for made in _SET.findall(hook)):
            found.setdefault((name, value), Set(name, value, f"in a pre_hook of {node.name}"))
    return [*found.values()]


def _of_package(node: Configured) -> Mapping[str, Any]:
    """A project may configure types for columns of all seeds, by their names."""
    types = dict(node.config.get("column_types") or {})
    own = {"column_types": {column: types[column] for column in types if column in node.columns}} if types else {}
    return {**node.config, **own}


def _of_setting(found: Set) -> Iterator[str]:
    for setting in SETTINGS:
        allowed = [value.lower() for value in setting.allowed]
        if setting.name == found.name and found.value.strip("'\"; ").lower() not in allowed:
            place = found.place or WHERE_SET.format(name=setting.name)
            yield (
                f"{setting.name}: got {found.value}, allowed: {', '.join(setting.allowed)}; with others "
                f"{setting.otherwise} ({place})"
            )


def shortly(names: Sequence[str]) -> str:
    """The first names, and how many more there are."""
    first = sorted(names)[:3]
    return ", ".join(first) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


def _is_table(config: Mapping[str, Any]) -> bool:
    return config.get("materialized") in _TABLES


_CHECKS: Mapping[str, tuple[Callable[[Mapping[str, Any]], bool], str]] = {
    "materialized": (
        lambda config: str(config["materialized"]).startswith("ticdc_") or config["materialized"] == "seed",
        f"allowed: what the package has, else rows are lost. It is {_OWN}",
    ),
    "file_format": (
        lambda config: not _is_table(config) or config["file_format"] in ("parquet", "delta"),
        "allowed: parquet, delta",
    ),
    "partition_by": (
        lambda config: not _is_table(config) or config["partition_by"] in _PARTITIONS,
        f"allowed: what the package has, as rows are written and dropped by batches. It is {_OWN}",
    ),
    "clustered_by": (
        lambda config: not _is_table(config) or config["clustered_by"] is None,
        f"allowed: none. It is {_OWN}",
    ),
    "tblproperties": (
        lambda config: not _is_table(config) or dict(config["tblproperties"] or {}).get("ticdc.package") == "ticdc",
        "expected ticdc.package: ticdc among them, by which the package knows its tables",
    ),
    "delimiter": (
        lambda config: config["delimiter"] == ",",
        'allowed: ",", which stands in the files of the package. Set yours below seeds and the name of your project',
    ),
    "column_types": (
        lambda config: all(str(type_).lower() == "string" for type_ in dict(config["column_types"] or {}).values()),
        "allowed for columns of the package: string. Set yours below seeds and the name of your project",
    ),
}
