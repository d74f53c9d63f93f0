"""What must be right before a run begins, all told at once."""

from __future__ import annotations

import json
from typing import Any

import pyarrow as pa
import pytest

from ticdc_udfs.runs.begin import Request, TakenFolder, problems_batch, problems_of_run

STORED = ("changes", "latest", "staged")
COLUMNS = {
    "topic": "string",
    "partition": "int",
    "offset": "bigint",
    "timestamp": "timestamp",
    "key": "binary",
    "value": "binary",
}
FEED = {"name": "shop", "protocol": "simple", "topics": ["shop"]}
RUN: dict[str, Any] = {
    "variables": {"ticdc__feeds": [FEED]},
    "relations": [("", "kafka", COLUMNS)],
    "models": [*STORED, "a view"],
    "stored": STORED,
    "missing_seeds": [],
    "is_full_refresh": False,
}
REDECODE = {"variables": {"ticdc__feeds": [FEED], "ticdc__redecode": True}}


@pytest.mark.parametrize(
    "run",
    [
        {},
        {"models": ["changes"]},
        {"models": ["a view"]},
        {"is_full_refresh": True},
        {"is_full_refresh": True, "models": ["a view"]},
        {"is_full_refresh": True, **REDECODE},
    ],
)
def test_a_run_that_can_begin(run: dict[str, Any]) -> None:
    assert problems_of_run(Request(**{**RUN, **run})) == []


@pytest.mark.parametrize("models", [*([name] for name in STORED), ["latest", "a view"], STORED[1:]])
def test_a_full_refresh_takes_all_stored_tables_or_none(models: list[str]) -> None:
    (said,) = problems_of_run(Request(**{**RUN, "is_full_refresh": True, "models": models}))
    assert said.startswith("--full-refresh rebuilds all tables of the package or none")
    left_out = [name for name in STORED if name not in models]
    assert f"left out: {', '.join(left_out)}. Select" in said


def test_messages_are_decoded_again_in_a_full_refresh_alone() -> None:
    (said,) = problems_of_run(Request(**{**RUN, **REDECODE}))
    assert said.startswith("ticdc__redecode is true, and only --full-refresh rebuilds")


def test_tables_of_another_schema_are_not_read_by_a_part_of_the_package() -> None:
    (said,) = problems_of_run(Request(**{**RUN, "models": ["latest"], "deferred": ["staged", "changes"]}))
    assert said.startswith("--defer takes these from another schema")
    assert "is there: changes, staged. Select package:ticdc as well" in said


def test_a_feed_of_brokers_needs_the_connector() -> None:
    (said,) = problems_of_run(Request(**{**RUN, "lacks_connector": True}))
    assert said.startswith("ticdc__feeds: a feed reads Kafka, and this Spark lacks the connector spark-sql-kafka-")


def test_folders_that_hold_files_are_told_once_for_each_root() -> None:
    taken = [TakenFolder(name, root, f"{root}/{name}", f"s.{name}") for root in ("/a", "/b") for name in ("u", "v")]
    first, second = problems_of_run(Request(**{**RUN, "taken_folders": taken}))
    assert first.startswith("+location_root of u, v: got /a, and /a/u holds files already, while there is no table s.u")
    assert "such as /a/{{ target.name }}, or remove" in first
    assert second.startswith("+location_root of u, v: got /b, and /b/u holds")


def test_all_problems_of_a_run_are_told_at_once() -> None:
    variables = {"ticdc__feeds": [{**FEED, "options": {"encoding": "xml"}}], "ticdc__visibility": "ä"}
    run = {"variables": variables, "missing_seeds": ["b", "a", "b"], "is_full_refresh": True, "models": ["changes"]}
    text = json.dumps({**RUN, **run})
    said, none = problems_batch(pa.array([text, None], pa.string())).to_pylist()
    assert [problem.split()[0] for problem in said] == [
        "ticdc__feeds[0].options.encoding:",
        "ticdc__visibility:",
        "the",
        "--full-refresh",
    ]
    assert said[1] == r'ticdc__visibility: got "\u00e4", allowed: complete, latest'
    assert "not there: a, b. Run dbt seed once" in said[2]
    assert none is None
