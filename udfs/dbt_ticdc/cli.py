"""The command `ticdc`."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dbt_ticdc import (
    arguments,
    build,
    codegen,
    columns,
    compare,
    configuration,
    demo,
    feeds,
    forecast,
    kafka,
    last_run,
    messages,
    package_path,
    prompt,
    results,
    state,
    summary,
    target,
    truth,
    upstream,
    warehouse,
)
from dbt_ticdc.errors import TicdcError, without_trace
from dbt_ticdc.inspection import command as inspect
from dbt_ticdc.progress import AfterClock, clock, say, step
from ticdc_udfs.contract.identifiers import quoted
from ticdc_udfs.state import report

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from ticdc_udfs.state.facts import Facts

_LAST_BUILD = "last_build"
_OF_DEMO = build.Manner(without_tests=True)  # the package's tests look whether the tables are those of TiDB
_OF_FUNCTIONS = '\nFunctions are those of the current schema: ticdc sql --schema shop "select * from orders_as_of(…)"'
_NOTHING_IS_NEW = "nothing is new since the last build: no messages, no change of feeds, columns or package"


def main(given: Sequence[str] | None = None) -> int:
    """Runs a command; gives its exit code.

    0 done, 1 the work failed, tables differ or there are problems, 2 wrong usage or late, 130 interrupted.
    """
    options = arguments.parsed(_parser(), given)
    try:
        return options.command(options) or 0
    except TicdcError as error:
        print(f"ticdc: {error}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        goes_on = "; the same command goes on from where it was" if options.command in _GOING_ON else ""
        print(f"ticdc: interrupted{goes_on}", file=sys.stderr)
        return 130
    except BrokenPipeError:  # the reader of the output has seen enough
        sys.stderr.close()
        return 0


def _run(options: argparse.Namespace) -> None:
    variables = _variables_of_run(options)
    if not options.messages:
        _run_sources(options, variables)
        return
    files = messages.find_files(options.messages)
    if options.columns is not None:
        columns.check(options.columns)
    folder: Path = options.warehouse.resolve()
    read = [*files, options.columns.resolve()] if options.columns is not None else files
    asked_for = last_run.request(package_path(), variables, read)
    must_build = options.full_refresh or kafka.reads_elsewhere(variables)
    if not (must_build or options.strict) and _is_as_last(folder, asked_for):
        return
    settings = warehouse.settings_of_short_life() if forecast.has_few_rows(options.warehouse, files) else None
    told = forecast.of_run(options.warehouse, files)
    spark = _open_to_build(options.warehouse, variables, told, options.columns, settings)
    with _summary(spark, folder, is_strict=options.strict) as texts:
        run(spark, folder, variables, files, options.columns, options.full_refresh)
    _remember(folder, asked_for, texts[0])


def _is_as_last(folder: Path, asked_for: str) -> bool:
    """Whether nothing is new since the last run, which was asked for the same; says then what that one said."""
    said = last_run.recall(folder, asked_for)
    if said is not None:
        say(_NOTHING_IS_NEW)
        print(said, end="")
    return said is not None


def _remember(folder: Path, asked_for: str, said: str) -> None:
    """Keeps what a run said, where it left nothing to do."""
    if (warehouse.work_folder(folder) / _LAST_BUILD).is_file():
        last_run.remember(folder, asked_for, said)


def _demo(options: argparse.Namespace) -> None:
    """Builds the sample of a shop at once, or piece by piece, and shows what its tables answer."""
    folder: Path = options.warehouse.resolve()
    variables = configuration.understood(feeds.read_vars(demo.feeds_file()))
    demo.check_warehouse(options.warehouse, variables)
    arrived = demo.arrived(options.warehouse).resolve() if options.every else None
    file = demo.messages_file()
    asked_for = last_run.request(package_path(), {**variables, "shown by": "demo"}, [file])
    if arrived is None and _is_as_last(folder, asked_for):
        return
    told = forecast.of_demo(options.warehouse, file, demo.PIECES, options.every)
    spark = _open_to_build(options.warehouse, variables, told, settings=warehouse.settings_of_short_life())

    def show(found: summary.Found) -> str:
        return demo.screen(found, answers.result(), options.warehouse, arguments.program())

    with ThreadPoolExecutor(1) as pool, _summary(spark, folder, show=show) as texts:
        if arrived is None:
            run(spark, folder, variables, [file], manner=_OF_DEMO)
        else:
            kafka.every(options.every, partial(_take_piece, spark, folder, variables, arrived))
        answers = pool.submit(demo.answers, spark)  # beside what the summary asks
    if arrived is None:
        _remember(folder, asked_for, texts[0])


def _take_piece(spark: SparkSession, folder: Path, variables: dict[str, object], arrived: Path) -> bool:
    """A run of the demo with a few messages more; True where these were the last."""
    began = time.time()
    demo.bring(arrived)
    with warehouse.writing(spark, folder):
        files, manner = messages.find_files([arrived]), _OF_DEMO._replace(is_quiet=True)
        _load_and_build(spark, folder, variables, files, manner=manner)
    print(f"{summary.line(spark, began)}\n  {demo.order_10(spark)}", flush=True)
    return demo.is_whole(arrived)


def _load(options: argparse.Namespace) -> None:
    """Loads dumps, and builds nothing: for a project that builds over a Thrift server on the warehouse."""
    files = messages.find_files(options.messages)
    if options.columns is not None:
        columns.check(options.columns)
    folder: Path = options.warehouse.resolve()
    spark = _open(options.warehouse)
    try:
        with warehouse.writing(spark, folder):
            _load_messages(spark, folder, options.schema, files)
            if options.columns is not None:
                table = _load_columns(spark, options.columns, options.schema)
                say(f"the project reads these columns with ticdc__information_schema: {table}")
    finally:
        spark.stop()


def _load_messages(spark: SparkSession, folder: Path, schema: str, files: Sequence[Path]) -> None:
    size = sum(file.stat().st_size for file in files)
    with step(f"loading messages: {len(files)} file(s), {forecast.size_of(size)}") as outcome:
        loaded = messages.load(spark, files, schema, warehouse.work_folder(folder))
        outcome.append(f"{loaded.new:,} new of {loaded.records:,}")
    if not loaded.records:
        say("the files hold no record")


def _load_columns(spark: SparkSession, file: Path, schema: str) -> str:
    with step(f"loading columns: {file}"):
        return columns.load(spark, file, schema)


def _variables_of_run(options: argparse.Namespace) -> dict[str, Any]:
    """The variables of the feeds; checks that options go together."""
    of_kafka = (options.topics, options.protocol)
    if options.kafka is None:
        if any(of_kafka):
            raise TicdcError(
                "--topics and --protocol go with --kafka HOST:PORT; in a file of feeds (--feeds) each feed has its own"
            )
        variables = feeds.read_vars(options.feeds)
        if not options.messages and not kafka.need_no_messages(variables):
            raise TicdcError(
                "say where the messages are: --messages, --kafka, or --feeds with a `source` for each feed"
            )
    elif options.messages or options.feeds:
        raise TicdcError("--kafka cannot stand beside --messages or --feeds; in a file of feeds `source` names brokers")
    elif not all(of_kafka):
        raise TicdcError("--kafka needs --topics and --protocol: which topics to read, and how to decode them")
    else:
        variables = kafka.variables(options.kafka, options.topics, options.protocol)
    variables = configuration.understood(variables)
    if options.kafka is None:
        configuration.check(variables, f"--feeds {options.feeds}" if options.feeds else "the default feed")
    else:
        configuration.check(variables, "--kafka", kafka.OPTIONS)
    if options.every and options.messages:
        raise TicdcError("--every cannot stand beside --messages: it reads brokers, buckets and tables again")
    if options.messages_per_run:
        variables["ticdc__messages_per_run"] = options.messages_per_run
    return variables


def _run_sources(options: argparse.Namespace, variables: dict[str, Any]) -> None:
    """Runs of feeds that say where their messages are: until all is read that was there, or again and again."""
    folder: Path = options.warehouse.resolve()
    spark = _open_to_build(options.warehouse, variables, forecast.of_run(options.warehouse, ()), options.columns)
    once = {"ticdc__accept_lost_messages": True} if options.accept_lost_messages else {}

    def catch_up(is_quiet: bool) -> None:
        with warehouse.writing(spark, folder):
            while True:
                began = time.time()
                _build_sources(spark, folder, options, variables, once, is_quiet)
                once.clear()
                print(summary.line(spark, began), flush=True)
                _write_report(lambda: state.of_warehouse(spark, folder), folder, is_quiet)
                if kafka.is_caught_up(spark):
                    return

    def again() -> None:
        try:
            catch_up(is_quiet=True)
        except TicdcError as error:
            say(f"ticdc: {error}")

    if options.every is None:
        with _summary(spark, folder, writes_report=False, is_strict=options.strict):
            catch_up(is_quiet=False)
        return
    try:
        kafka.every(options.every, again)
    finally:
        spark.stop()


def _build_sources(
    spark: SparkSession,
    folder: Path,
    options: argparse.Namespace,
    variables: dict[str, Any],
    once: Mapping[str, object],
    is_quiet: bool,
) -> None:
    work = warehouse.work_folder(folder)
    schema = str(variables.setdefault("ticdc__messages_schema", "ticdc_raw"))
    if options.columns is not None and "ticdc__information_schema" not in variables:
        spark.sql(f"create database if not exists {quoted(schema)}")
        variables["ticdc__information_schema"] = _load_columns(spark, options.columns, schema)
    (work / _LAST_BUILD).unlink(missing_ok=True)
    (work / warehouse.VARIABLES).write_text(json.dumps(variables), encoding="utf-8")
    build.build(package_path(), work, {**variables, **once}, options.full_refresh, build.Manner(is_quiet))


def _redrive(options: argparse.Namespace) -> int:
    """0: dead letters could be decoded, or there were none; 1: none of them could."""
    with _of_last_build(options) as (spark, variables):
        before = summary.dead_letters(spark, options.feed)
        redrive(spark, options.warehouse.resolve(), variables, options.feed)
        left = summary.dead_letters(spark, options.feed)
    if not before:
        say("there was no dead letter to decode again")
        return 0
    say(f"{before - left:,} of {before:,} dead letters could be decoded")
    if left == before:
        say("nothing changed: put right what made them first; `ticdc inspect` shows one and what would heal it")
    return int(left == before)


def _redecode(options: argparse.Namespace) -> None:
    with _of_last_build(options) as (spark, variables):
        redecode(spark, options.warehouse.resolve(), variables)


@contextmanager
def _of_last_build(options: argparse.Namespace) -> Iterator[tuple[SparkSession, dict[str, object]]]:
    """A session on a warehouse that is there, and the variables of its last build."""
    warehouse.check_exists(options.warehouse)
    variables = configuration.of_last_build(options.warehouse, options.feeds)
    spark = _open(options.warehouse, variables)
    with _summary(spark, options.warehouse):
        yield spark, variables


@contextmanager
def _summary(
    spark: SparkSession,
    folder: Path,
    writes_report: bool = True,
    is_strict: bool = False,
    show: Callable[[summary.Found], str] | None = None,
) -> Iterator[list[str]]:
    """Ends the session; says before what its tables hold, and writes the report, also where a part of a build failed.

    What it says is in the list when the block is left; `show` gives it where no part failed (default: the summary).
    """
    said: list[str] = []
    try:
        try:
            yield said
        except build.NodesFailed:
            if summary.is_possible(spark):
                found = summary.found(spark)
                print(summary.text(found, folder), flush=True)
                _write_report(lambda: state.of_warehouse(spark, folder, problems=found.problems), folder)
            raise
        # each query takes seconds to plan, and the driver plans one on one core
        with step("asking the tables"), ThreadPoolExecutor(1) as pool:
            state_of = pool.submit(state.of_warehouse, spark, folder, problems=()) if writes_report else None
            found = summary.found(spark)
            said.append(show(found) if show else summary.text(found, folder))
        print(said[0], end="", flush=True)
        if state_of is not None:
            _write_report(lambda: state.with_problems(state_of.result(), found.problems), folder, show is not None)
        if is_strict and (errors := sum(problem.severity == "error" for problem in found.problems)):
            raise TicdcError(f"--strict: {errors:,} problem(s) of severity error are left; ticdc__problems has them", 1)
    finally:
        spark.stop()


def _write_report(ask: Callable[[], Facts], folder: Path, is_quiet: bool = False) -> None:
    """Writes the page of the state; where that fails, it says so, and the run is done nevertheless."""
    path = folder / state.REPORT
    try:
        state.write_whole(path, report.html(ask()))
    except Exception as error:
        told = (without_trace(error) or type(error).__name__).splitlines()[0]
        say(f"the report could not be written to {path}: {told}")
    else:
        if not is_quiet:
            say(f"report: {path}")


def run(
    spark: SparkSession,
    folder: Path,
    variables: dict[str, object],
    files: Sequence[Path],
    columns_file: Path | None = None,
    full_refresh: bool = False,
    manner: build.Manner = build.AS_USUAL,
) -> bool:
    """Loads the files and builds the package; does not build, and gives False, where nothing is new since the last."""
    with warehouse.writing(spark, folder):
        return _load_and_build(spark, folder, variables, files, columns_file, full_refresh, manner)


def _load_and_build(
    spark: SparkSession,
    folder: Path,
    variables: dict[str, object],
    files: Sequence[Path],
    columns_file: Path | None = None,
    full_refresh: bool = False,
    manner: build.Manner = build.AS_USUAL,
) -> bool:
    work = warehouse.work_folder(folder)
    schema = str(variables.setdefault("ticdc__messages_schema", "ticdc_raw"))
    _load_messages(spark, folder, schema, files)
    unmatched = messages.unmatched(spark, variables, schema)
    for text in unmatched:
        say(text)
    given = variables.get("ticdc__feeds")
    if unmatched and isinstance(given, list) and len(unmatched) == len(given) and messages.count(spark, schema):
        raise TicdcError("no feed takes any of these messages, and nothing is built: correct `topics` (--feeds)")
    if columns_file is not None:
        variables["ticdc__information_schema"] = _load_columns(spark, columns_file, schema)

    last_build = work / _LAST_BUILD
    made_of = _made_of(spark, variables, schema)
    must_build = full_refresh or kafka.reads_elsewhere(variables)
    if not must_build and last_build.is_file() and last_build.read_text() == made_of:
        say(_NOTHING_IS_NEW)
        return False
    _build(spark, work, variables, made_of, full_refresh=full_refresh, manner=manner)
    return True


def redrive(spark: SparkSession, folder: Path, variables: dict[str, object], feeds: Sequence[str] = ()) -> None:
    """Builds the package, and decodes the dead letters of these feeds (default: all) again."""
    _build_once(spark, folder, variables, {"ticdc__redrive": list(feeds) or True})


def redecode(spark: SparkSession, folder: Path, variables: dict[str, object]) -> None:
    """Decodes all messages again and builds the package of them; refuses where one is gone that is decoded."""
    _build_once(spark, folder, variables, {"ticdc__redecode": True}, full_refresh=True)


def _build_once(
    spark: SparkSession,
    folder: Path,
    variables: dict[str, object],
    once: Mapping[str, object],
    full_refresh: bool = False,
) -> None:
    """Builds of the messages that are there, with variables beside those that later builds have too."""
    schema = str(variables.setdefault("ticdc__messages_schema", "ticdc_raw"))
    made_of = _made_of(spark, variables, schema)
    with warehouse.writing(spark, folder):
        _build(spark, warehouse.work_folder(folder), variables, made_of, once, full_refresh)


def _made_of(spark: SparkSession, variables: Mapping[str, object], schema: str) -> str:
    """What a build is made of: the variables name the table of columns, and not which file it holds."""
    told = {**variables, "columns": columns.checksum(spark, schema)}
    return build.fingerprint(package_path(), told, messages.count(spark, schema))


def _build(
    spark: SparkSession,
    work: Path,
    variables: Mapping[str, object],
    made_of: str,
    once: Mapping[str, object] | None = None,
    full_refresh: bool = False,
    manner: build.Manner = build.AS_USUAL,
) -> None:
    """Builds with these variables, and with those of `once`, which a later build does not know of."""
    last_build = work / _LAST_BUILD
    last_build.unlink(missing_ok=True)
    (work / warehouse.VARIABLES).write_text(json.dumps(variables), encoding="utf-8")
    build.build(package_path(), work, {**variables, **(once or {})}, full_refresh, manner)
    if not summary.waits(spark):
        last_build.write_text(made_of)


def _sql(options: argparse.Namespace) -> None:
    def answer(query: str) -> None:
        try:
            with clock("asking") as shown:
                names, rows = ask(query)
                results.WRITERS[options.format](names, rows, AfterClock(shown))
            sys.stdout.flush()
        except (TicdcError, BrokenPipeError):
            raise
        except Exception as error:
            hint = _OF_FUNCTIONS if "INVALID_TABLE_VALUED_FUNC_NAME" in str(error) else ""
            raise TicdcError(f"the query failed: {without_trace(error)}{hint}", exit_code=1) from error

    with _queried(options) as ask:
        if options.query is None:
            history = None if options.thrift else warehouse.work_folder(options.warehouse)
            prompt.run(answer, lambda: [row[1] for row in ask("show tables")[1]], history)
        else:
            answer(options.query.strip().rstrip(";"))


@contextmanager
def _queried(options: argparse.Namespace) -> Iterator[Callable[[str], tuple[Sequence[str], Iterable[results.Row]]]]:
    """Gives the names of columns and the rows of queries, of a warehouse or at a Thrift server."""
    if options.thrift is not None:
        host, port = options.thrift
        with target.connected(host, port, options.schema) as connection, connection.cursor() as cursor:

            def ask_server(query: str) -> tuple[Sequence[str], Iterable[results.Row]]:
                cursor.execute(query)
                names = [each[0] for each in cursor.description or ()]
                return names, results.rows_of_server(cursor) if names else ()

            yield ask_server
        return
    warehouse.check_exists(options.warehouse)
    spark = _open(options.warehouse)

    def ask(query: str) -> tuple[Sequence[str], Iterable[results.Row]]:
        frame = spark.sql(query)
        return frame.columns, results.rows_of(frame)

    try:
        target.use(spark, options.schema)
        yield ask
    finally:
        spark.stop()


def _serve(options: argparse.Namespace) -> None:
    from dbt_ticdc.server import serve

    serve(options.warehouse, options.host, options.port)


def _codegen(options: argparse.Namespace) -> None:
    with target.asked(options) as ask:
        outcomes = codegen.write(ask, options.feed, options.output, options.history)
    for path, outcome in outcomes.items():
        if outcome != codegen.Outcome.UNCHANGED:
            print(f"{path}: {outcome}")
    unchanged = sum(outcome == codegen.Outcome.UNCHANGED for outcome in outcomes.values())
    print(f"{len(outcomes):,} files, {unchanged:,} of them unchanged")


def _compare(options: argparse.Namespace) -> int:
    """0: equal, 1: different."""
    if options.thrift is None:
        warehouse.check_exists(options.warehouse)
    form = truth.Form(options.binary, options.csv_escape == "backslash", options.time_zone)
    files = truth.find(options.truth) if options.truth is not None else {}
    if options.mysql is not None:
        upstream.connection_settings(options.mysql)
    scratch_of = warehouse.work_folder(options.warehouse) if options.thrift is None else None
    with target.asked(options) as ask:
        feed, commit_ts = compare.feed_and_commit(ask, options.feed, options.as_of)
        known = compare.columns_as_of(ask, feed, commit_ts)
        with tempfile.TemporaryDirectory(prefix="truth-", dir=scratch_of) as scratch:
            if options.mysql is not None:
                form = truth.Form()
                with step(f"reading {len(known)} table(s) of TiDB"):
                    files = upstream.export(options.mysql, commit_ts, known, Path(scratch))
            with step(f"comparing {len(files)} table(s)"):
                found = compare.compare(ask, feed, commit_ts, files, form, known, options.show_values)
    print(f"feed {feed} as of {commit_ts} ({summary.utc(commit_ts)} UTC)\n\n{found.text()}", end="")
    return 0 if found.is_equal else 1


def _open(
    folder: Path, variables: Mapping[str, object] | None = None, settings: Mapping[str, str] | None = None
) -> SparkSession:
    """A session on a warehouse; where feeds of these variables are at brokers, one that can read them."""
    of_brokers = kafka.settings() if variables and kafka.is_read(variables) else {}
    with step(f"opening {folder}"):
        return warehouse.open_session(folder, {**of_brokers, **(settings or {})})


def _open_to_build(
    folder: Path,
    variables: dict[str, Any],
    told: str,
    columns_file: Path | None = None,
    settings: Mapping[str, str] | None = None,
) -> SparkSession:
    """A session for a build with these variables; asks brokers first, and dbt reads the package while it opens.

    `told` is said once nothing stands in the way.
    """
    kafka.check_brokers(variables)
    work = warehouse.work_folder(warehouse.take(folder))
    say(told)
    if columns_file is not None:  # its table is a variable, too
        return _open(folder, variables, settings)
    variables.setdefault("ticdc__messages_schema", "ticdc_raw")
    with build.reading(package_path(), work, variables):
        return _open(folder, variables, settings)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="ticdc", description="TiCDC changefeeds become tables that analysts query.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    with_warehouse = _with_warehouse("folder of the tables, made where there is none")
    with_tables = _with_warehouse("folder of the tables")

    run_command = commands.add_parser(
        "run",
        parents=[with_warehouse],
        help="build the tables of messages: of dumps, at brokers, or where feeds say",
    )
    run_command.add_argument("--kafka", metavar="HOST:PORT", help="brokers that have the messages, others after commas")
    run_command.add_argument(
        "--topics", nargs="+", action="extend", metavar="PATTERN", help="with --kafka: the topics, as SQL like patterns"
    )
    run_command.add_argument("--protocol", metavar="NAME", help="with --kafka: the changefeed's, such as canal_json")
    run_command.add_argument(
        "--every",
        type=arguments.seconds,
        metavar="SECONDS",
        help="run again and again, such as every 60s or 5m, until Ctrl-C; not for --messages",
    )
    run_command.add_argument(
        "--messages-per-run", type=int, metavar="N", help="read about so many at once of brokers (default: all)"
    )
    run_command.add_argument(
        "--accept-lost-messages",
        action="store_true",
        help="go on where messages of brokers were gone before they were read, or a topic was made again",
    )
    _add_dumps(run_command)
    run_command.add_argument(
        "--feeds", type=Path, metavar="FILE", help="YAML or JSON with the feeds (default: canal-json in all topics)"
    )
    run_command.add_argument(
        "--full-refresh", action="store_true", help="build everything again from what is decoded of the messages"
    )
    run_command.add_argument(
        "--strict", action="store_true", help="exit code 1 where problems of severity error are left"
    )
    run_command.set_defaults(command=_run)

    shop = commands.add_parser(
        "demo",
        parents=[with_warehouse],
        help="build the sample of a shop, and show its tables, three queries with their answers, and what to do next",
    )
    shop.add_argument(
        "--every",
        type=arguments.seconds,
        metavar="SECONDS",
        help="let the messages come in pieces, such as every 10s, each a file in the warehouse's folder `messages`, "
        "and run with each, until all are there or Ctrl-C (default: all at once)",
    )
    shop.set_defaults(command=_demo)

    load = commands.add_parser(
        "load",
        parents=[with_warehouse],
        help="load dumps as `run` does, and build nothing: for a project of yours that builds over Thrift",
    )
    _add_dumps(load, is_required=True)
    load.add_argument(
        "--schema",
        default="ticdc_raw",
        metavar="NAME",
        help="the schema of the table of messages, ticdc__messages_schema of the project (default: %(default)s)",
    )
    load.set_defaults(command=_load)

    redrive_command = commands.add_parser(
        "redrive", parents=[with_tables], help="decode the dead letters again, after what made them was put right"
    )
    redrive_command.add_argument(
        "--feed", action="append", default=[], metavar="NAME", help="a feed whose dead letters to decode (default: all)"
    )
    redrive_command.add_argument(
        "--feeds", type=Path, metavar="FILE", help="YAML or JSON with the feeds (default: those of the last run)"
    )
    redrive_command.set_defaults(command=_redrive)

    redecode_command = commands.add_parser(
        "redecode",
        parents=[with_tables],
        help="decode all messages again and build everything of them, after another protocol or option of a feed; "
        "refuses where a message is gone that is decoded",
    )
    redecode_command.add_argument(
        "--feeds", type=Path, metavar="FILE", help="YAML or JSON with the feeds (default: those of the last run)"
    )
    redecode_command.set_defaults(command=_redecode)

    sql = commands.add_parser("sql", parents=[with_tables, target.options()], help="query the tables")
    sql.add_argument(
        "query", nargs="?", metavar="QUERY", help="a statement of Spark SQL (default: a prompt, or those of the input)"
    )
    sql.add_argument(
        "--format",
        choices=tuple(results.WRITERS),
        default="table",
        help="table (the default; cuts long cells and results), json (an object a line) or csv",
    )
    sql.set_defaults(command=_sql)

    inspect.add_command(commands, with_tables)

    proof = commands.add_parser(
        "compare",
        parents=[with_tables, target.options()],
        help="prove that tables equal TiDB's own rows as of a commit; exit code 0: equal, 1: different",
    )
    proof.add_argument("--feed", metavar="NAME", help="the feed's name; may be left out where there is one")
    proof.add_argument(
        "--as-of", type=arguments.tso, metavar="TSO", help="the commit (default: what the feed is complete through)"
    )
    against = proof.add_mutually_exclusive_group(required=True)
    against.add_argument(
        "--truth",
        type=Path,
        metavar="DIR",
        help="rows that TiDB exported as of that commit: schema.table.csv (with header) or schema.table.jsonl, also "
        "schema.table.<number>.csv and .gz; other tables are not compared",
    )
    against.add_argument(
        "--mysql",
        metavar="URL",
        help=f"mysql://user@host:port of the TiDB itself; the password is ${upstream.PASSWORD}",
    )
    proof.add_argument(
        "--binary", choices=truth.BINARY_FORMS, help="how files hold binary values (default: CSV raw, JSON base64)"
    )
    proof.add_argument(
        "--csv-escape",
        choices=("backslash", "none"),
        default="backslash",
        help="whether CSV has backslash escapes, as dumpling writes them (the default), or doubled quotes alone",
    )
    proof.add_argument(
        "--time-zone",
        type=arguments.zone,
        default="UTC",
        metavar="ZONE",
        help="of TIMESTAMP in the files (default: UTC)",
    )
    proof.add_argument("--show-values", action="store_true", help="show the values of cells that differ")
    proof.set_defaults(command=_compare)

    state.add_commands(commands, with_tables)

    serve = commands.add_parser("serve", parents=[with_warehouse], help="serve the tables by JDBC and Thrift")
    serve.add_argument("--host", default="127.0.0.1", help="address to listen on (default: 127.0.0.1)")
    serve.add_argument(
        "--port", type=arguments.port, default=10000, metavar="N", help="default: 10000; 0: any free port"
    )
    serve.set_defaults(command=_serve)

    generate = commands.add_parser(
        "codegen",
        parents=[with_tables, target.options()],
        help="write dbt models for a feed's typed tables to a project of yours",
    )
    generate.add_argument("--feed", required=True, metavar="NAME", help="the feed's name")
    generate.add_argument(
        "--output",
        type=Path,
        default=Path(),
        metavar="DIR",
        help="folder of the models, two files for each (default: this one); a file that was edited is left alone",
    )
    generate.add_argument(
        "--history",
        action="store_true",
        help="models of the histories too; the project needs the package for their test",
    )
    generate.set_defaults(command=_codegen)
    return parser


def _with_warehouse(told: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(add_help=False)
    default = Path(warehouse.DEFAULT)
    parser.add_argument(
        "--warehouse", type=Path, default=default, metavar="DIR", help=f"{told} (default: ./{warehouse.DEFAULT})"
    )
    return parser


def _add_dumps(parser: argparse.ArgumentParser, is_required: bool = False) -> None:
    parser.add_argument(
        "--messages",
        type=Path,
        nargs="+",
        action="extend",
        required=is_required,
        metavar="PATH",
        help="files of JSON lines (topic, partition, offset, timestamp in ms, key and value in base64 or null), also "
        ".gz or .xz, or folders of such files; records that are loaded already are left out",
    )
    parser.add_argument(
        "--columns", type=Path, metavar="FILE", help="export of TiDB's information_schema.columns, JSON lines or CSV"
    )


_GOING_ON = (_load, _run, _demo, _redrive, _redecode)


if __name__ == "__main__":
    sys.exit(main())
