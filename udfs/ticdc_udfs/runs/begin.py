"""What must be right before a run begins."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec
import pyarrow as pa
from msgspec import Struct

from ticdc_udfs.contract.configuration import problems_of
from ticdc_udfs.runs.switches import Configured, Set, problems_of_switches, shortly


class TakenFolder(Struct, frozen=True):
    """A folder below `root` that holds files already, in which a run would make the `table` of a model."""

    model: str
    root: str
    folder: str
    table: str


class Request(Struct, frozen=True):
    """What a run is to do.

    `variables` and `relations` are those of `problems_of`; `lacks_connector` tells of Spark where a feed reads Kafka.
    `models` are the models of the package that it builds, `stored` all of the package that store rows, `missing_seeds`
    the seeds that models read and that are neither there nor in the run, `deferred` the models that store rows and for
    which `--defer` gives those of another schema. `settings` are those of the session, `configured` the models and
    seeds of the run, `taken_folders` those of tables that it would make. Without `variables` it makes seeds alone.
    """

    variables: Mapping[str, Any] | None = None
    relations: Sequence[tuple[str, str, Mapping[str, str]]] = ()
    lacks_connector: bool = False
    models: Sequence[str] = ()
    stored: Sequence[str] = ()
    missing_seeds: Sequence[str] = ()
    is_full_refresh: bool = False
    deferred: Sequence[str] = ()
    settings: Sequence[Set] = ()
    configured: Sequence[Configured] = ()
    taken_folders: Sequence[TakenFolder] = ()


def problems_of_run(request: Request) -> list[str]:
    """Why a run cannot begin, a text for each reason; none where it can."""
    return [
        *problems_of_switches(request.settings, request.configured),
        *(problems_of(request.variables, request.relations) if request.variables is not None else ()),
        *_of_connector(request.lacks_connector),
        *_of_folders(request.taken_folders),
        *_of_seeds(request.missing_seeds),
        *_of_refresh(request),
        *_of_deferral(request.deferred),
    ]


def problems_batch(requests: pa.Array[Any]) -> pa.Array[Any]:
    """`problems_of_run` for JSON texts; null where one is."""
    found = [
        None if text is None else problems_of_run(msgspec.json.decode(text, type=Request))
        for text in requests.to_pylist()
    ]
    return pa.array(found, pa.list_(pa.string()))


def _of_connector(is_missing: bool) -> Iterator[str]:
    if is_missing:
        yield (
            "ticdc__feeds: a feed reads Kafka, and this Spark lacks the connector spark-sql-kafka-0-10_2.13. Put it on "
            "the class path of Spark's driver and executors when Spark starts, with the jars that it needs; "
            "docs/configuration.md, Messages in Kafka, has a command"
        )


def _of_folders(taken: Sequence[TakenFolder]) -> Iterator[str]:
    for root in dict.fromkeys(folder.root for folder in taken):
        first, *others = (folder for folder in taken if folder.root == root)
        yield (
            f"+location_root of {shortly([first.model, *(other.model for other in others)])}: got {root}, and "
            f"{first.folder} holds files already, while there is no table {first.table}: they may be another target's. "
            f"Give each target a folder of its own, such as {root}/{{{{ target.name }}}}, or remove the files if "
            "nothing needs them"
        )


def _of_seeds(missing: Sequence[str]) -> Iterator[str]:
    if missing:
        yield (
            f"the models read seeds that are not there: {', '.join(sorted(set(missing)))}. Run dbt seed once, or "
            "dbt build, which does both"
        )


def _of_refresh(request: Request) -> Iterator[str]:
    left_out = sorted(set(request.stored) - set(request.models))
    if not request.is_full_refresh:
        if (request.variables or {}).get("ticdc__redecode") is True:
            yield (
                "ticdc__redecode is true, and only --full-refresh rebuilds what follows from the messages: give "
                "both, or neither"
            )
    elif left_out and len(left_out) < len(request.stored):
        yield (
            "--full-refresh rebuilds all tables of the package or none, as each settles what it took of the others; "
            f"left out: {', '.join(left_out)}. Select package:ticdc as well, or none of its models"
        )


def _of_deferral(deferred: Sequence[str]) -> Iterator[str]:
    """Which rows of a table count is told by the schema that it is in, where the run would find none."""
    if deferred:
        yield (
            "--defer takes these from another schema, and what is told of them is there: "
            f"{', '.join(sorted(deferred))}. Select package:ticdc as well, or none of its models"
        )
