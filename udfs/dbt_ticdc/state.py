"""Asks a warehouse, or a Thrift server, for its state; `ticdc_udfs.state` has the queries and what is made of them."""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from dbt_ticdc import arguments, results, target, warehouse
from dbt_ticdc.errors import TicdcError
from dbt_ticdc.progress import clock, step
from ticdc_udfs.state import facts, queries, report, status
from ticdc_udfs.state.facts import Facts, ModelTime

if TYPE_CHECKING:
    from pyspark.sql import Row, SparkSession

STALLED_AFTER_MINUTES = 60
"""The default of `ticdc__stalled_after_minutes`."""
REPORT = "report.html"
"""The file of a warehouse that each run writes."""
_MODEL_TIMES = "model_times.json"
_RUNS_KEPT = 10
_AT_ONCE = 4

Ask = Callable[[str], str | None]
"""Gives the one text of the one row of a query."""


def add_commands(commands: Any, with_warehouse: argparse.ArgumentParser) -> None:
    """Adds `ticdc status` and `ticdc report` to the commands."""
    of_target = target.options()
    of_target.add_argument(
        "--max-lag",
        type=arguments.seconds,
        metavar="TIME",
        help="from which a feed is late, such as 90s or 10m (default: ticdc__stalled_after_minutes, an hour)",
    )
    told = commands.add_parser(
        "status",
        parents=[with_warehouse, of_target],
        help="say how complete and how late feeds are, and what is wrong; exit code 0: fine, 1: problems, 2: late",
    )
    told.add_argument(
        "--format",
        choices=("table", "json", "prometheus"),
        default="table",
        help="table (the default), json (an object) or prometheus (for node_exporter's folder of text files)",
    )
    told.add_argument(
        "--output", type=Path, metavar="FILE", help="a file that is written whole, in place of the screen"
    )
    told.set_defaults(command=_status)
    page = commands.add_parser(
        "report", parents=[with_warehouse, of_target], help="write the state as a page, which each run writes too"
    )
    page.add_argument("--output", type=Path, metavar="FILE", help="the file (default: report.html of the warehouse)")
    page.set_defaults(command=_report)


def _status(options: argparse.Namespace) -> int:
    """0: fine, 1: problems, 2: late or stale."""
    found = _asked_for(options, queries.STATUS)
    text = {
        "table": lambda: status.table(found, results.aligned, results.printable),
        "json": lambda: status.as_json(found),
        "prometheus": lambda: status.prometheus(found),
    }[options.format]()
    if options.output is None:
        print(text, end="")
    else:
        write_whole(options.output, text)
    return facts.exit_code(found)


def _report(options: argparse.Namespace) -> None:
    found = _asked_for(options)
    in_warehouse = options.warehouse / REPORT if options.thrift is None else Path(REPORT)
    path: Path = options.output or in_warehouse
    write_whole(path, report.html(found))
    print(path)


def _asked_for(options: argparse.Namespace, parts: Sequence[str] = ()) -> Facts:
    """The state of a warehouse, or of what a Thrift server has."""
    if options.thrift is not None:
        late = options.max_lag or STALLED_AFTER_MINUTES * 60
        host, port = options.thrift
        return of_server(host, port, options.schema, parts, stalled_after=round(late))
    warehouse.check_exists(options.warehouse)
    with step(f"opening {options.warehouse}"):
        spark = warehouse.open_session(options.warehouse)
    try:
        target.use(spark, options.schema)
        with clock("asking the tables"):
            return of_warehouse(spark, options.warehouse, parts, options.max_lag)
    finally:
        spark.stop()


def of_warehouse(
    spark: SparkSession,
    folder: Path,
    parts: Sequence[str] = (),
    max_lag: float | None = None,
    problems: Sequence[Row] | None = None,
) -> Facts:
    """The state of a warehouse that a session has open; `max_lag` is in seconds.

    `problems` are the rows of `ticdc__problems` where they are known: it takes longest to ask for.
    """
    minutes = warehouse.variables(folder).get("ticdc__stalled_after_minutes", STALLED_AFTER_MINUTES)
    times = model_times(warehouse.work_folder(folder))
    known: dict[str, Any] = {"stalled_after": round(max_lag or 60 * minutes), "model_times": times}
    if problems is None:
        return of_session(spark, parts, **known)
    others = [part for part in parts or queries.PARTS if part != "problems"]
    return with_problems(of_session(spark, others, **known), problems)


def with_problems(found: Facts, problems: Sequence[Row]) -> Facts:
    """The state with these rows of `ticdc__problems`."""
    return msgspec.structs.replace(found, problems=facts.kinds_of_problems(row.asDict() for row in problems))


def of_session(spark: SparkSession, parts: Sequence[str] = (), **known: Any) -> Facts:
    """The state of the session's current schema; empty where the package was not built there yet."""
    if not all(spark.catalog.tableExists(name) for name in queries.RELATIONS):
        return _collect({}, lambda query: None, 1, **known)

    def ask(query: str) -> str | None:
        found = spark.sql(query).collect()[0][0]
        return None if found is None else str(found)

    return _collect(queries.queries(queries.RELATIONS, tuple(parts)), ask, _AT_ONCE, **known)


def of_server(host: str, port: int, schema: str, parts: Sequence[str] = (), **known: Any) -> Facts:
    """The state of a schema of a Thrift server. Raises `TicdcError` where it does not answer, or has no such tables."""
    with target.of_server(host, port, schema) as ask:

        def ask_text(query: str) -> str | None:
            text = ask(query)[0][0]
            return None if text is None else str(text)

        return _collect(queries.queries(queries.RELATIONS, tuple(parts)), ask_text, 1, **known)


def _collect(
    asked: Mapping[str, str],
    ask: Ask,
    at_once: int,
    stalled_after: int = STALLED_AFTER_MINUTES * 60,
    model_times: Sequence[ModelTime] = (),
) -> Facts:
    # each takes seconds to plan, and the driver plans one on one core
    with ThreadPoolExecutor(at_once) as pool:
        answers = dict(zip(asked, pool.map(ask, asked.values()), strict=True))
    return facts.of(round(time.time() * 1000), stalled_after, answers, model_times)


def remember_model_times(work: Path, began: float, seconds: Mapping[str, float]) -> None:
    """Notes how long the models of a run took; `began` is in seconds since 1970. A folder that is full is no fault."""
    kept = [each for each in _recalled(work) if each["run_at"] != round(began * 1000)][-(_RUNS_KEPT - 1) :]
    run = {"run_at": round(began * 1000), "took": round(time.time() - began, 3)}
    kept.append({**run, "seconds": {name: round(took, 3) for name, took in seconds.items()}})
    with suppress(TicdcError):
        write_whole(work / _MODEL_TIMES, json.dumps(kept))


def model_times(work: Path) -> list[ModelTime]:
    """How long models took in the last runs of a warehouse."""
    return [
        ModelTime(int(run["run_at"]), name, float(took))
        for run in _recalled(work)
        for name, took in run["seconds"].items()
    ]


def last_took(work: Path) -> float | None:
    """The seconds that the last build of a warehouse took; None where there was none, or none that noted it."""
    took = [run.get("took") for run in _recalled(work)]
    return float(took[-1]) if took and took[-1] is not None else None


def _recalled(work: Path) -> list[dict[str, Any]]:
    try:
        return list(msgspec.json.decode((work / _MODEL_TIMES).read_bytes(), type=list[dict[str, Any]]))
    except (OSError, msgspec.MsgspecError):
        return []


def write_whole(path: Path, text: str) -> None:
    """Writes a file at once: whoever reads it finds the one before or this one. Raises `TicdcError`."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
        try:
            with open(descriptor, "w", encoding="utf-8") as file:
                file.write(text)
            os.chmod(name, 0o644)
            os.replace(name, path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise TicdcError(f"{path} cannot be written: {error.strerror}") from error
