"""Every UDF of the plug-in, declared once: the registrar, docs/udfs.md and the tests read this list."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from ticdc_udfs import schema_sources
from ticdc_udfs.catalogue import loaded, partitions, projection
from ticdc_udfs.catalogue import udf as catalogue
from ticdc_udfs.contract import arrow, configuration
from ticdc_udfs.protocols import avro, canal_json, debezium, debezium_avro, open_protocol, resolution, simple
from ticdc_udfs.typed import codegen, plans, relations
from ticdc_udfs.wire import claim_check

ArrowFunction = Callable[..., "pa.Array[Any]"]


@dataclass(frozen=True)
class Udf:
    """A SQL function: Arrow arrays in, one Arrow array of the same length out; no message makes it raise.

    Spark calls it once for each row. With `where_asked` it may call it again for each place that names a result, and
    does not where none does; the others it also keeps from filters and from what a query leaves out.
    """

    name: str
    arguments: tuple[tuple[str, str], ...]
    returns: str
    description: str
    function: ArrowFunction
    where_asked: bool = False

    @property
    def signature(self) -> str:
        """The function as SQL sees it, e.g. `f(value binary) → string`."""
        arguments = ", ".join(f"{name} {sql_type}" for name, sql_type in self.arguments)
        return f"{self.name}({arguments}) → {self.returns}"


def _decoder(protocol: str, decode_batch: ArrowFunction, has_batches: bool = False) -> Udf:
    events = "events" if has_batches else "event"
    return Udf(
        name=f"ticdc_decode_{protocol}",
        arguments=(("key", "binary"), ("value", "binary"), ("options", "string")),
        returns=arrow.EVENTS_SQL_TYPE if has_batches else arrow.EVENT_SQL_TYPE,
        description=f"The {events} of one {protocol} message; options is the feed's options as JSON text.",
        function=arrow.feed_by_feed(decode_batch),
    )


def _avro_decoder(protocol: str, decode_batch: ArrowFunction) -> Udf:
    return Udf(
        name=f"ticdc_decode_{protocol}",
        arguments=(
            ("key", "binary"),
            ("value", "binary"),
            ("options", "string"),
            ("key_schema", "string"),
            ("value_schema", "string"),
        ),
        returns=arrow.EVENT_SQL_TYPE,
        description=(
            f"The event of one {protocol} message, whose writer schemas are given as JSON text, or packed by "
            "`ticdc_pack_schema`."
        ),
        function=arrow.feed_by_feed(
            lambda keys, values, options, *schemas: decode_batch(
                keys, values, options, *map(schema_sources.unpack_schemas, schemas)
            )
        ),
    )


_FETCH = Udf(
    name="ticdc_fetch_schema",
    arguments=(("source", "string"), ("id", "string")),
    returns=schema_sources.FETCHED_SQL_TYPE,
    description="The writer schema of an id from a registry (its URL) or a JSON file (its path), or why there is none.",
    function=schema_sources.fetch_schemas,
)

_PACK = Udf(
    name="ticdc_pack_schema",
    arguments=(("schema", "string"),),
    returns="binary",
    description="A writer schema in less bytes, for the decoders, which get it with every message.",
    function=schema_sources.pack_schemas,
)

_RESOLVE = Udf(
    name="ticdc_resolve_row",
    arguments=(
        ("protocol", "string"),
        ("table_schema", "string"),
        ("options", "string"),
        ("row_key", "string"),
        ("before_key", "string"),
        ("before", "string"),
        ("after", "string"),
        ("lossy", "array<string>"),
        ("checksum", "string"),
        ("key_columns", "string"),
    ),
    returns=resolution.ROW_SQL_TYPE,
    description="A staged row that waited for its table's schema: key, images and checksum as that tells them.",
    function=resolution.resolve_batch,
)

_COMPLETE = Udf(
    name="ticdc_complete_row",
    arguments=(
        ("protocol", "string"),
        ("table_schema", "string"),
        ("options", "string"),
        ("before", "string"),
        ("after", "string"),
        ("lossy", "array<string>"),
    ),
    returns=resolution.COMPLETED_SQL_TYPE,
    description="A staged row whose key stays as it is: images and flags as its table's schema tells them.",
    function=resolution.complete_batch,
    # the changes ask for keys alone, too
    where_asked=True,
)

_UNSURE_CELLS = Udf(
    name="ticdc_unsure_cells",
    arguments=(
        ("protocol", "string"),
        ("table_schema", "string"),
        ("options", "string"),
        ("before", "string"),
        ("after", "string"),
    ),
    returns="array<string>",
    description="The flags of a row's cells that may stand for something else, as only the table's schema tells.",
    function=resolution.unsure_cells_batch,
)

_FOLD_DDL = Udf(
    name="ticdc_fold_ddl",
    arguments=(("seen_tables", "string"), ("information_schema", "string"), ("protocol", "string")),
    returns=catalogue.FOLD_SQL_TYPE,
    description="The table versions, effects and problems of what runs saw of a feed's tables (JSON list).",
    function=catalogue.fold_batch,
)
_DDL_KIND = Udf(
    name="ticdc_ddl_kind",
    arguments=(("ddl_query", "string"), ("schema_name", "string")),
    returns=catalogue.KIND_SQL_TYPE,
    description="What a DDL statement does, in one vocabulary, and the tables it touches.",
    function=catalogue.kind_batch,
)
_PROJECT_ROW = Udf(
    name="ticdc_project_row",
    arguments=(("row", "string"), ("versions", "string"), ("lossy", "array<string>")),
    returns=projection.PROJECTED_SQL_TYPE,
    description="A row as the last of its table's versions shows it; versions is a JSON list of column lists.",
    function=projection.project_batch,
)
_LOADED_ROW = Udf(
    name="ticdc_loaded_row",
    arguments=(("row", "string"), ("columns", "string"), ("key_columns", "string")),
    returns=projection.PROJECTED_SQL_TYPE,
    description="A row of an initial load (a struct as JSON text) as the version of its table shows it.",
    function=loaded.loaded_batch,
)
_PARTITION_OF = Udf(
    name="ticdc_partition_of",
    arguments=(("row", "string"), ("partitioning", "string"), ("columns", "string")),
    returns="string",
    description="The name of the partition that holds a row; null where that cannot be told.",
    function=partitions.partition_batch,
)
_CLAIM_CHECK = Udf(
    name="ticdc_claim_check",
    arguments=(("content", "binary"),),
    returns=claim_check.MESSAGE_SQL_TYPE,
    description="Key and value of the message that a claim-check file holds, in whichever of its two forms.",
    function=claim_check.message_batch,
)
_TYPED_TABLES = Udf(
    name="ticdc_typed_tables",
    arguments=(("tables", "string"), ("plans", "string"), ("request", "string")),
    returns="string",
    description="What a run makes, remembers and drops of typed tables, as JSON: of JSON lists of the tables that are "
    "there and of the plans that are known, and of what the run is told.",
    function=relations.relations_batch,
)
_TYPED_STORAGES = Udf(
    name="ticdc_typed_storages",
    arguments=(("tables", "string"), ("plans", "string"), ("run", "string")),
    returns="string",
    description="The typed tables whose storages a run adds to, as a JSON list: of the same lists, and of its state.",
    function=relations.storages_batch,
)
_TYPED_COLUMNS = Udf(
    name="ticdc_typed_columns",
    arguments=(("table_schema", "string"), ("observed", "string")),
    returns="string",
    description="The columns of a version of a table with their Spark types, as a JSON list; observed has the digits "
    "before and after the point of columns whose type names none.",
    function=plans.columns_batch,
)
_GENERATED_MODEL = Udf(
    name="ticdc_generated_model",
    arguments=(("relation", "string"),),
    returns="string",
    description="The dbt model over a typed table or its history, given as JSON text: its name, its SQL and its yml.",
    function=codegen.model_batch,
)
_CONFIGURATION_PROBLEMS = Udf(
    name="ticdc_configuration_problems",
    arguments=(("variables", "string"), ("protocols", "string"), ("columns", "string")),
    returns="array<string>",
    description="What is wrong with the configuration, in words: with the package's variables, by what options each "
    "protocol takes, and with the columns of the messages, by the type of each; all three are JSON objects.",
    function=configuration.problems_batch,
)

UDFS: tuple[Udf, ...] = (
    _avro_decoder("avro", avro.decode_batch),
    _decoder("canal_json", canal_json.decode_batch),
    _decoder("debezium", debezium.decode_batch),
    _avro_decoder("debezium_avro", debezium_avro.decode_batch),
    _decoder("open_protocol", open_protocol.decode_batch, has_batches=True),
    _decoder("simple", simple.decode_batch),
    _FETCH,
    _PACK,
    _RESOLVE,
    _COMPLETE,
    _UNSURE_CELLS,
    _FOLD_DDL,
    _DDL_KIND,
    _PROJECT_ROW,
    _LOADED_ROW,
    _PARTITION_OF,
    _CLAIM_CHECK,
    _TYPED_TABLES,
    _TYPED_STORAGES,
    _TYPED_COLUMNS,
    _GENERATED_MODEL,
    _CONFIGURATION_PROBLEMS,
)
