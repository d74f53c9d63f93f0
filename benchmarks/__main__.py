"""`python -m benchmarks`: measures the package against native Spark SQL in one run, and prints the ratios.

A ratio is native time / the package's time: above 1 the package is faster. Contenders that give different results
stop the run. Avro is measured against spark-avro, which Spark gets from Maven Central. `peers` has Flink SQL with
Paimon beside both; their jars come from PyPI and Maven Central, 300 MB once, and stay in the user's cache.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from statistics import mean, median

from support import broker as brokers

from benchmarks import flink, native, native_decoders
from benchmarks.encoders import ENCODERS
from benchmarks.first_minute import first_minute
from benchmarks.holes import holes
from benchmarks.kafka import kafka
from benchmarks.many_tables import ROWS, ManyTables
from benchmarks.measure import Contender, Cost, alternate, measured, progress, say
from benchmarks.messages import Changefeed
from benchmarks.peers import peers
from benchmarks.protocols import protocols
from benchmarks.queries import compared
from benchmarks.report import check, check_typed, line, profile, ratios
from benchmarks.session import Bench
from benchmarks.tables import DATABASE, LARGE, MIXED, SMALL, Shape
from dbt_ticdc import warehouse

_STAGING_COLUMNS = (
    *("kind", "commit_ts", "commit_ts_exact", "schema_name", "table_name", "op", "row_key", "before_key", "before"),
    *("after", "ddl_query", "ddl_type", "error_code"),
)
_MEASUREMENTS = ("decode", "build", "increment", "queries")
_FIRST_MINUTE = "first_minute"
_TABLES = "tables"
_INCREMENTS = "increments"
_HOLES = "holes"
_KAFKA = "kafka"
_PEERS = "peers"
_PROTOCOLS = "protocols"
_ALONE = (_FIRST_MINUTE, _TABLES, _INCREMENTS, _HOLES, _KAFKA, _PEERS, _PROTOCOLS)
_SPARK_AVRO = "org.apache.spark:spark-avro_2.13:4.1.1"


def decode(bench: Bench, shape: Shape, protocol: str, rounds: int) -> list[str]:
    """Messages to staging: the staging model's select against the same columns by `from_json` or `from_avro`."""
    bench.empty(warehouse.DATABASE)
    ours = bench.compiled(f"stg_ticdc__{protocol}")
    known = bench.sql(f"select table_schema from ({ours}) where kind = 'row' and table_schema is not null").first()
    rivals = native_decoders.queries(protocol, shape, known[0] if known else "")
    queries = {"ticdc": ours, **{f"native, {rival.label}": rival.sql for rival in rivals}}
    to_noop = [Contender(label, partial(bench.to_noop, query)) for label, query in queries.items()]
    alternate(to_noop, rounds)
    to_parquet = [
        Contender(label, partial(bench.to_parquet, query, f"default.staging_{place}"))
        for place, (label, query) in enumerate(queries.items())
    ]
    alternate(to_parquet, rounds)
    for place, label in enumerate(queries):
        if place:
            _check_staging(bench, label, f"default.staging_{place}")
    what = f"decode {protocol}"
    return [*ratios(what, shape, to_noop), *ratios(f"{what}, write parquet", shape, to_parquet)]


def _check_staging(bench: Bench, label: str, table: str) -> None:
    equal = " and ".join(f"ours.{name} <=> theirs.{name}" for name in _STAGING_COLUMNS)
    equal += " and sort_array(ours.lossy) <=> sort_array(theirs.lossy)"
    if "texts" not in label:  # there the types have the wire's order
        equal += " and (ours.kind <> 'row' or ours.table_schema is null or ours.table_schema <=> theirs.table_schema)"
    wrong = bench.count(
        f"""
        select count(*) from default.staging_0 as ours full outer join {table} as theirs
        using (topic, `partition`, `offset`, event_index) where not ({equal})
        """
    )
    check(wrong, f"staging rows of ticdc and of {label}")


def build(bench: Bench, shape: Shape, rounds: int) -> list[str]:
    """Messages to typed rows, read once: `dbt run` on an empty warehouse against hand-written SQL."""
    nodes: list[dict[str, float]] = []

    def ours() -> None:
        nodes.append(bench.build())
        bench.to_noop(f"select * from {DATABASE}.{shape.table}")

    def theirs(statements: Sequence[str], database: str) -> None:
        for statement in statements:
            bench.sql(statement)
        bench.to_noop(f"select * from {database}.typed")

    rivals = {"native, only the typed table": ("native_shot", native.single_shot(shape, "native_shot"))}
    for place, reader in enumerate(native.readers(shape)):
        database = f"native_{place}"
        rivals[f"native, the same tables, {reader.label}"] = (database, native.road(reader, shape, database))
    contenders = [Contender("ticdc", ours, bench.empty_warehouse)]
    for label, (database, statements) in rivals.items():
        contenders.append(Contender(label, partial(theirs, statements, database), partial(bench.empty, database)))
    alternate(contenders, rounds)
    for label, (database, _) in rivals.items():
        check_typed(bench, shape, label, f"{database}.typed")
    return [*ratios("raw to typed rows", shape, contenders), *profile(nodes[1:])]


def increment(bench: Bench, shape: Shape, feed: Changefeed, changes: int, rounds: int) -> list[str]:
    """One per cent more changes on a built warehouse against the full build, both by `dbt run`."""
    full = Contender("full build", bench.build, bench.empty_warehouse)
    alternate([full], 1)
    nodes: list[dict[str, float]] = []
    costs: list[Cost] = []
    for number in range(rounds + 1):
        feed.write(bench.messages, f"increment{number}", changes // 100, inserts=0.2, updates=0.75)
        bench.publish_messages()
        costs.append(measured(lambda: nodes.append(bench.build())))
        progress(f"{number + 1} %", "increment", costs[-1])
    bench.empty("native_shot")
    for statement in native.single_shot(shape, "native_shot"):
        bench.sql(statement)
    check_typed(bench, shape, "one native build of all messages", "native_shot.typed")
    wall, cpu = (median(costs) for costs in zip(*costs[1:], strict=True))
    share = 100 * wall / full.median.wall
    return [
        line("full build", shape, "ticdc", full.median),
        f"{line('increment of 1 %', shape, 'ticdc', Cost(wall, cpu))}   {share:.1f} % of the full build",
        *profile(nodes[1:]),
    ]


def queries(bench: Bench, shape: Shape, rounds: int) -> list[str]:
    """Queries on what a build made against the same ones on plain typed Parquet tables of the same rows.

    The typed table and its history are stored, as those of large tables are.
    """
    bench.variables = {"ticdc__stored_from_rows": 1}
    bench.empty_warehouse()
    bench.build()
    bench.variables = {}
    lines = []
    for query in compared(bench, shape):
        ours, plain = (
            Contender(label, partial(bench.rows, sql)) for label, sql in (("ticdc", query.ours), ("plain", query.plain))
        )
        wrong = int(sorted(bench.rows(query.ours), key=str) != sorted(bench.rows(query.plain), key=str))
        check(wrong, f"results of {query.label} on the package's tables and on plain ones")
        alternate([ours, plain], rounds)
        best, yardstick = (min(contender.costs) for contender in (ours, plain))
        lines += [
            f"{line(query.label, shape, 'ticdc', best)}   {best.wall / yardstick.wall:.1f} times a plain table",
            line(query.label, shape, "plain typed Parquet", yardstick),
        ]
    bench.sql(f"use {warehouse.DATABASE}")
    return lines


def many_tables(bench: Bench, count: int, has_ddl: bool, relations: Sequence[str]) -> list[str]:
    """`dbt run` on many tables of three rows, then on rows for five of them."""
    feed = ManyTables(count, has_ddl)
    bench.expect_tables(relations)
    bench.empty_warehouse()
    lines = []
    for what, tables, first_key in (("first build", slice(None), 1), ("increment of 5 tables", slice(5), 1 + ROWS)):
        feed.write(bench.messages, f"from{first_key}", tables, first_key)
        bench.publish_messages()
        nodes: list[dict[str, float]] = []
        with bench.statements() as sent:
            cost = measured(partial(_note_build, bench, nodes))
        progress("", what, cost)
        longest = max(len(statement.sql.encode()) for statement in sent)
        lines += [
            f"{what}, {count:,} tables {'with' if has_ddl else 'without'} DDL, {', '.join(relations)}: "
            f"{cost.wall:.1f} s ({cost.cpu:.1f} s CPU), {len(sent)} statements, the longest of {longest:,} bytes",
            *profile(nodes),
        ]
    wrong = bench.count(f"select count(*) from {DATABASE}.t0000") - 2 * ROWS
    check(wrong, "rows of the first table and of its messages")
    return lines


def increments(bench: Bench, count: int) -> list[str]:
    """Run after run on one warehouse of a few tables, each tenth with a DDL: whether the later ones take longer."""
    tables = 5
    feed = ManyTables(tables)
    bench.expect_tables()
    bench.empty_warehouse()
    nodes: list[dict[str, float]] = []
    costs: list[Cost] = []
    for number in range(count + 1):
        if number and number % 10 == 0:
            feed.add_column(bench.messages, f"ddl{number}")
        feed.write(bench.messages, f"increment{number}", slice(tables), 1 + ROWS * number)
        bench.publish_messages()
        costs.append(measured(partial(_note_build, bench, nodes)))
        progress(f"{number}", "increment", costs[-1])
    wrong = bench.count(f"select count(*) from {DATABASE}.t0000") - ROWS * (count + 1)
    check(wrong, "rows of the first table and of its messages")
    early, late = (mean(cost.wall for cost in some) for some in (costs[10:20], costs[-10:]))
    return [
        f"increments of {tables} tables: {early:.1f} s each from the 10th to the 19th, {late:.1f} s from the "
        f"{count - 9}th to the {count}th: {late / early:.2f} times as long",
        *profile(nodes[-10:]),
    ]


def _note_build(bench: Bench, nodes: list[dict[str, float]]) -> None:
    nodes.append(bench.build())


def run(bench: Bench, shape: Shape, protocol: str, measurements: Sequence[str], changes: int, rounds: int) -> list[str]:
    """The lines of the report for one protocol and size of messages."""
    feed = Changefeed(shape, ENCODERS[protocol])
    bench.expect(shape, ENCODERS[protocol])
    files = feed.write(bench.messages, "base", changes)
    bench.publish_messages()
    report = [f"\n{protocol}: {files.messages:,} messages of {files.mean_bytes:,.0f} bytes on average"]
    say(report[0])
    if "decode" in measurements:
        report += decode(bench, shape, protocol, rounds)
    if "build" in measurements:
        report += build(bench, shape, rounds)
    if "increment" in measurements:
        report += increment(bench, shape, feed, changes, rounds)
    if "queries" in measurements:
        report += queries(bench, shape, max(rounds, 4))
    if _PEERS in measurements:
        report += peers(bench, shape, files, rounds)
    return report


def main() -> None:
    """Parses the options and measures what they ask for."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    words = (*_MEASUREMENTS, *_ALONE, *ENCODERS)
    parser.add_argument(
        "what",
        nargs="*",
        help=f"some of {', '.join(words)}; build, increment and queries are of canal_json; "
        f"{', '.join(_ALONE)} are measured alone, and only where they are named",
    )
    parser.add_argument("--tables", type=int, default=1_000, help="of the measurement tables (default: %(default)s)")
    parser.add_argument(
        "--relations", default="current,history,as_of", help="typed ones of these tables (default: %(default)s)"
    )
    parser.add_argument("--increments", type=int, default=50, help="of that measurement (default: %(default)s)")
    parser.add_argument("--changes", "--messages", type=int, help="of each size (default: 200,000; 1,000,000 of Kafka)")
    parser.add_argument("--rounds", type=int, default=3, help="timed rounds after a warm-up (default: %(default)s)")
    parser.add_argument("--sizes", default="640B,2.5KB,mixed", help="of messages (default: %(default)s)")
    parser.add_argument("--big", action="store_true", help="1,000,000 changes in build and increment")
    parser.add_argument("--spark-avro", default=_SPARK_AVRO, help="its Maven coordinates (default: %(default)s)")
    options = parser.parse_args()
    for number in (signal.SIGTERM, signal.SIGHUP):  # by an exception, which ends the processes that were started, too
        signal.signal(number, lambda got, _: sys.exit(128 + got))
    if unknown := set(options.what) - set(words):
        parser.error(f"unknown: {', '.join(sorted(unknown))}; known: {', '.join(words)}")
    options.changes = options.changes or (1_000_000 if _KAFKA in options.what else 200_000)
    if _KAFKA in options.what:  # Spark's class path, which no session can change
        os.environ["PYSPARK_SUBMIT_ARGS"] = f"--driver-class-path {brokers.connector()} pyspark-shell"
    measurements = [word for word in _MEASUREMENTS if word in options.what] or _MEASUREMENTS
    encoders = [word for word in ENCODERS if word in options.what] or list(ENCODERS)
    if set(_ALONE) & set(options.what):
        encoders = []
    packages = options.spark_avro if any("avro" in protocol for protocol in encoders) else ""
    versions = flink.VERSIONS if _PEERS in options.what else packages
    report: list[str] = []
    if _FIRST_MINUTE in options.what:  # before this process has a Java of its own
        with tempfile.TemporaryDirectory(prefix="ticdc_bench_") as folder:
            print("\n".join(first_minute(Path(folder), options.rounds)))
        return
    with tempfile.TemporaryDirectory(prefix="ticdc_bench_") as folder:
        bench = Bench(Path(folder), packages)
        try:
            report.append("\n".join(filter(None, (bench.machine(), versions))))
            say(report[0])
            if _TABLES in options.what:
                for has_ddl in (True, False):
                    report += many_tables(bench, options.tables, has_ddl, options.relations.split(","))
            if _INCREMENTS in options.what:
                report += increments(bench, options.increments)
            if _HOLES in options.what:
                report += holes(bench, SMALL, options.changes, options.rounds)
            if _KAFKA in options.what:
                with brokers.running(Path(folder) / "broker") as broker:
                    report += kafka(bench, broker, SMALL, options.changes, options.rounds)
            if _PEERS in options.what:
                report += run(bench, MIXED, "canal_json", [_PEERS], options.changes, options.rounds)
            if _PROTOCOLS in options.what:
                report += protocols(bench, SMALL, options.changes, options.rounds)
            for protocol in encoders:
                of_one = [word for word in measurements if word != "decode" and protocol == "canal_json"]
                groups = {options.changes: [word for word in measurements if word == "decode"]}
                groups.setdefault(1_000_000 if options.big else options.changes, []).extend(of_one)
                for shape in (SMALL, LARGE, MIXED):
                    if shape.label in options.sizes.split(","):
                        for changes, group in groups.items():
                            # its rows wait for labels, which staging cannot know
                            measured_now = [word for word in group if word != "decode" or shape is not MIXED]
                            if measured_now:
                                report += run(bench, shape, protocol, measured_now, changes, options.rounds)
        finally:
            bench.close()
    print("\n".join(report))


if __name__ == "__main__":
    main()
