"""Every UDF of the plug-in, declared once: the registrar, docs/udfs.md and the tests read this list."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from ticdc_udfs import schema_sources
from ticdc_udfs.catalogue import loaded, partitions, projection
from ticdc_udfs.catalogue import udf as catalogue
from ticdc_udfs.contract import arrow
from ticdc_udfs.contract.json_texts import by_json
from ticdc_udfs.protocols import (
    avro,
    canal_json,
    debezium,
    debezium_avro,
    open_protocol,
    resolution,
    simple,
    storage_canal_json,
    storage_csv,
)
from ticdc_udfs.runs import begin, changes, ddl_commits, latest, loads, opening, plan, progress, publication
from ticdc_udfs.sources import files
from ticdc_udfs.sources import udf as sources
from ticdc_udfs.state import queries, report
from ticdc_udfs.typed import codegen, plans, relations, sql
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


_STORAGE_CSV = Udf(
    name="ticdc_decode_storage_csv",
    arguments=(
        ("key", "binary"),
        ("value", "binary"),
        ("options", "string"),
        ("table_schema", "string"),
        ("header", "binary"),
    ),
    returns=arrow.EVENT_SQL_TYPE,
    description=(
        "The event of one row, schema file or `metadata` of a storage sink that writes CSV; key is the path. A row has "
        "the schema files of its folder up to its version, as a JSON list or packed by `ticdc_pack_schema`, and the "
        "header of its file."
    ),
    function=arrow.feed_by_feed(
        lambda keys, values, options, table_schemas, headers: storage_csv.decode_batch(
            keys, values, options, schema_sources.unpack_schemas(table_schemas), headers
        )
    ),
)

_STORAGE_PATH = Udf(
    name="ticdc_storage_path",
    arguments=(("path", "string"),),
    returns=files.PATH_SQL_TYPE,
    description="What a path below the folder of a storage sink is: data, schema, metadata, index or other.",
    function=files.path_batch,
)

_STORAGE_ROWS = Udf(
    name="ticdc_storage_rows",
    arguments=(("content", "binary"), ("protocol", "string"), ("options", "string")),
    returns=files.ROWS_SQL_TYPE,
    description="The rows of a data file of a storage sink, in order; the last is NULL where it is cut off.",
    function=files.rows_batch,
)

_FETCH = Udf(
    name="ticdc_fetch_schema",
    arguments=(("source", "string"), ("id", "string")),
    returns=schema_sources.FETCHED_SQL_TYPE,
    description=(
        "The writer schema of an id from a registry (its URL) or a JSON file (its path), or why there is none. "
        "Credentials of the workers' environment go only to hosts that it lists in `TICDC_REGISTRY_HOSTS`."
    ),
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
        ("lossy", "array<string>"),
    ),
    returns=resolution.COMPLETED_SQL_TYPE,
    description=(
        "A row's flags with those of cells that may stand for something else, as only the table's schema tells, and "
        "images that it tells to be others; NULL where they stay."
    ),
    function=resolution.unsure_cells_batch,
)

_FOLD_DDL = Udf(
    name="ticdc_fold_ddl",
    arguments=(("seen_tables", "string"), ("information_schema", "string"), ("feed", "string")),
    returns=catalogue.FOLD_SQL_TYPE,
    description="The table versions, moves, statements and problems of what runs saw of a feed's tables (JSON list).",
    function=catalogue.fold_batch,
)
_DDL_KIND = Udf(
    name="ticdc_ddl_kind",
    arguments=(("ddl_query", "string"), ("schema_name", "string")),
    returns=catalogue.KIND_SQL_TYPE,
    description="What a DDL statement does, in one vocabulary, and the tables it touches.",
    function=catalogue.kind_batch,
)
_TABLE_STATES = Udf(
    name="ticdc_table_states",
    arguments=(("versions", "string"), ("shown_through_ts", "bigint")),
    returns=catalogue.STATES_SQL_TYPE,
    description="Each incarnation of a feed's tables as it is shown, of their versions (JSON list).",
    function=catalogue.states_batch,
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
    arguments=(
        ("row", "string"),
        ("partitioning", "string"),
        ("columns", "string"),
        ("partition_names", "array<string>"),
    ),
    returns=partitions.PLACED_SQL_TYPE,
    description="The likeliest partition of a row, whether it is one of those named, and why that is not certain.",
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
    returns="array<string>",
    description="What a run makes, remembers and drops of typed tables, as JSON: what is of all tables, then each of "
    "them. It takes JSON lists of the tables that are there and of the plans that are known, and what the run is told.",
    function=relations.relations_batch,
)
_TYPED_STORAGES = Udf(
    name="ticdc_typed_storages",
    arguments=(("tables", "string"), ("plans", "string"), ("request", "string")),
    returns="array<string>",
    description="What a run adds to the storages of typed tables, in the same form, of the same lists and its state.",
    function=relations.storages_batch,
)
_REMEMBERED_PLANS = Udf(
    name="ticdc_remembered_plans",
    arguments=(("tables", "string"),),
    returns=relations.PLANS_SQL_TYPE,
    description="The plans of typed tables that changed, by what was made of the tables that `ticdc_typed_tables` "
    "gave: a JSON list.",
    function=relations.remembered_batch,
)
_TYPED_COLUMNS = Udf(
    name="ticdc_typed_columns",
    arguments=(("table_schema", "string"), ("observed", "string")),
    returns="string",
    description="The columns of a version of a table with their Spark types, as a JSON list; observed has the digits "
    "before and after the point of columns whose type names none.",
    function=plans.columns_batch,
)
_TYPED_ROWS = Udf(
    name="ticdc_typed_rows",
    arguments=(("table", "string"), ("columns", "string"), ("rows", "string")),
    returns="string",
    description="The query that gives the rows of a table their columns with Spark types: of its feed, id and "
    "incarnation as JSON, its columns as `ticdc_typed_columns` gives them, and a query of the rows of all tables.",
    function=sql.rows_as_of_batch,
)
_GENERATED_MODELS = Udf(
    name="ticdc_generated_models",
    arguments=(("table", "string"),),
    returns="string",
    description="The dbt models over a typed table and its history, given as JSON text: a JSON list with the name, the "
    "SQL and the yml of each.",
    function=codegen.models_batch,
)
_CODEGEN_QUERY = Udf(
    name="ticdc_codegen_query",
    arguments=(("request", "string"),),
    returns="string",
    description="The query that asks for the models of a feed, by how SQL names what it reads: a JSON object.",
    function=codegen.query_batch,
)
_CONFIGURATION_PROBLEMS = Udf(
    name="ticdc_configuration_problems",
    arguments=(("request", "string"),),
    returns="array<string>",
    description="Why a run cannot begin, in words: what is wrong with the package's variables, with the columns of the "
    "messages, with what Spark and dbt are set to, and with what is to be built; a JSON object.",
    function=begin.problems_batch,
)

_OPENED_STATE = Udf(
    name="ticdc_opened_state",
    arguments=(("published", "string"), ("working", "string"), ("facts", "string")),
    returns="string",
    description="The state that a run begins with, or why it cannot begin, by the states of the last publication and "
    "of the last run, and what the run is: JSON objects.",
    function=by_json(opening.opened_state, dict[str, Any], dict[str, Any], opening.OpeningFacts),
)

_EVENT_PROGRESS = Udf(
    name="ticdc_event_progress",
    arguments=(("feeds", "string"), ("settled", "string"), ("settings", "string")),
    returns="string",
    description="How far events go now, and which feeds may have come out of order, by what staging has of each feed, "
    "what a table settled before, and the settings that count; all are JSON texts.",
    function=by_json(progress.event_progress, list[progress.SeenFeed], progress.Settled, progress.EventSettings),
)
_REBUILDS = Udf(
    name="ticdc_rebuilds",
    arguments=(
        ("out_of_order", "string"),
        ("shown_otherwise", "string"),
        ("progress", "string"),
        ("settled", "string"),
        ("run_id", "string"),
    ),
    returns="string",
    description="How far events go, with the feeds that a run rebuilds, by the first events that came out of order, "
    "the feeds that are shown with other versions of tables, how far events go, and what was settled before; all are "
    "JSON texts.",
    function=by_json(
        progress.rebuilds,
        list[progress.OutOfOrder],
        list[progress.ShownOtherwise],
        progress.Settled,
        progress.Settled,
        int,
    ),
)
_CHANGES_PROGRESS = Udf(
    name="ticdc_changes_progress",
    arguments=(
        ("arrivals", "string"),
        ("loads", "string"),
        ("settled", "string"),
        ("rows", "string"),
        ("run_id", "string"),
    ),
    returns="string",
    description="What the changes of a run are made of, by the rows that arrive in each feed, the initial loads, what "
    "the changes settled before, and how far rows go; all are JSON texts.",
    function=by_json(
        changes.changes_progress,
        list[changes.Arrival],
        list[changes.Load],
        changes.SettledChanges,
        progress.Settled,
        int,
    ),
)
_SPLIT_TABLES = Udf(
    name="ticdc_split_tables",
    arguments=(("written", "string"), ("known", "string")),
    returns="string",
    description="The tables of which a commit may change a key twice, a feed and an id each: those written now and "
    "those known; all are JSON lists.",
    function=by_json(changes.split_tables, list[tuple[str, str]], list[tuple[str, str]]),
)
_DDL_PASSES = Udf(
    name="ticdc_ddl_passes",
    arguments=(
        ("effects", "string"),
        ("late_rows", "string"),
        ("settled", "string"),
        ("changes", "string"),
        ("run_id", "string"),
    ),
    returns="string",
    description="The statements by which a run applies DDL to rows, one after the other, and the feeds for which it "
    "applies all anew, by what commits do to rows, the feeds of which rows came late, what was settled before, and how "
    "far changes go; all are JSON texts.",
    function=by_json(
        ddl_commits.ddl_passes, list[ddl_commits.DdlEffect], list[str], progress.Settled, progress.Settled, int
    ),
)

_LATEST_STATE = Udf(
    name="ticdc_latest_state",
    arguments=(("facts", "string"), ("settled", "string"), ("redriven", "string"), ("run_id", "string")),
    returns="string",
    description="How the newest states of rows take in changes, by how many came and are there, what the states "
    "settled before, and the feeds that are rebuilt; all are JSON texts.",
    function=by_json(latest.latest_state, latest.LatestFacts, latest.SettledLatest, dict[str, int], int),
)

_RUN_PLAN = Udf(
    name="ticdc_run_plan",
    arguments=(("run", "string"),),
    returns="string",
    description="What a run took of each model, and which feeds it rebuilt and why, by the state that it ends with; "
    "JSON objects.",
    function=by_json(plan.run_plan, plan.EndedRun),
)

_PUBLICATION = Udf(
    name="ticdc_publication",
    arguments=(("published", "string"), ("run", "string")),
    returns="string",
    description="Whether readers may see what a run wrote, and what is dropped as nothing reads it any more, by the "
    "state that they see and what the run found; JSON objects.",
    function=by_json(publication.publication, publication.Published, publication.PublishingRun),
)

_INITIAL_LOADS = Udf(
    name="ticdc_initial_loads",
    arguments=(("exported", "string"), ("given", "string"), ("feeds", "string")),
    returns="string",
    description="The initial loads, of the tables whose exports are read, what `ticdc__initial_loads` has, and "
    "the names of the feeds; all are JSON texts.",
    function=by_json(loads.initial_loads, list[loads.ExportedTable], Any, list[str]),
)

_KAFKA_OFFSETS = Udf(
    name="ticdc_kafka_offsets",
    arguments=(("request", "string"), ("known", "string")),
    returns="string",
    description="The offsets that a run reads of each partition, of feeds with a Kafka source and the partitions that "
    "are known of them, for which it asks their brokers; all are JSON texts. It needs confluent-kafka, and secrets "
    "that options name in the workers' environment.",
    function=sources.offsets_batch,
)

_KAFKA_VIEWS = Udf(
    name="ticdc_kafka_views",
    arguments=(("reading", "string"), ("ranges", "string")),
    returns="string",
    description="The temporary views by which Spark reads ranges of offsets of feeds with a Kafka source: a statement "
    "and a query for each; all are JSON texts.",
    function=sources.views_batch,
)

_STATE_QUERIES = Udf(
    name="ticdc_state_queries",
    arguments=(("relations", "string"),),
    returns="string",
    description="The queries that tell the state of a target, by name, each of which gives one JSON text; `relations` "
    "has how SQL names what they read. Both are JSON objects.",
    function=by_json(queries.queries_of_request, dict[str, str]),
)
_REPORT = Udf(
    name="ticdc_report",
    arguments=(("answers", "string"), ("stalled_after_minutes", "string")),
    returns="string",
    description="The state of a target as an HTML page, by what the queries of `ticdc_state_queries` give, and from "
    "which lag a feed is late; all are JSON texts.",
    function=by_json(report.html_of_answers, dict[str, str | None], int),
)

UDFS: tuple[Udf, ...] = (
    _avro_decoder("avro", avro.decode_batch),
    _decoder("canal_json", canal_json.decode_batch),
    _decoder("debezium", debezium.decode_batch),
    _avro_decoder("debezium_avro", debezium_avro.decode_batch),
    _decoder("open_protocol", open_protocol.decode_batch, has_batches=True),
    _decoder("simple", simple.decode_batch),
    _decoder("storage_canal_json", storage_canal_json.decode_batch),
    _STORAGE_CSV,
    _STORAGE_PATH,
    _STORAGE_ROWS,
    _FETCH,
    _PACK,
    _RESOLVE,
    _COMPLETE,
    _UNSURE_CELLS,
    _FOLD_DDL,
    _DDL_KIND,
    _TABLE_STATES,
    _PROJECT_ROW,
    _LOADED_ROW,
    _PARTITION_OF,
    _CLAIM_CHECK,
    _TYPED_TABLES,
    _TYPED_STORAGES,
    _REMEMBERED_PLANS,
    _TYPED_COLUMNS,
    _TYPED_ROWS,
    _CODEGEN_QUERY,
    _GENERATED_MODELS,
    _CONFIGURATION_PROBLEMS,
    _OPENED_STATE,
    _EVENT_PROGRESS,
    _REBUILDS,
    _CHANGES_PROGRESS,
    _SPLIT_TABLES,
    _DDL_PASSES,
    _LATEST_STATE,
    _RUN_PLAN,
    _PUBLICATION,
    _INITIAL_LOADS,
    _KAFKA_OFFSETS,
    _KAFKA_VIEWS,
    _STATE_QUERIES,
    _REPORT,
)
