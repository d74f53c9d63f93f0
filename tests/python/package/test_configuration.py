"""dbt parses a wrong configuration but for what no model can be rendered without; a run checks all as it begins."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from dbt.cli.main import dbtRunner
from support.configuration import PROBLEMS, WRONG
from support.parsed import parsed

ROOT = Path(__file__).parents[3]
LINES = (
    "ticdc__feeds[0].protocol",
    "ticdc__feeds[2].topics",
    "ticdc__feeds[4].name",
    "ticdc__feeds[8]",
    "ticdc__feeds[10].topics",
)
"""What feeds cannot be rendered without."""
# For whatever stands where something else should.
ODD: tuple[Any, ...] = (7, [], "x", {"a": 1}, [[1]], None, True, 1.5)
OPTIONS = (
    "binary_handling_mode",
    "claim_check",
    "compression",
    "encoding",
    "framing",
    "schemas",
    "target_schema",
    "session_time_zone",
    "time_zone",
)


def error_of(variables: dict[str, Any], folder: Path) -> str:
    """The text of the error with which dbt refuses to parse the package."""
    places = ["--project-dir", ROOT, "--profiles-dir", ROOT / "tests" / "lint"]
    places += ["--target-path", folder / "target", "--log-path", folder / "logs"]
    flags = ["--quiet", "--no-partial-parse", "--no-send-anonymous-usage-stats", "--no-version-check"]
    result = dbtRunner().invoke(["parse", *map(str, places), *flags, "--vars", json.dumps(variables)])
    assert not result.success
    return str(result.exception)


def test_one_error_names_all_feeds_that_cannot_be_rendered(tmp_path: Path) -> None:
    text = error_of(WRONG, tmp_path)
    assert f"ticdc: the configuration has {len(LINES)} problem(s):" in text
    told = [line.strip()[2:] for line in text.splitlines() if line.strip().startswith("- ")]
    # what may be meant only Python says, before Spark is opened and when a run begins
    found = [problem for problem in PROBLEMS if problem.startswith(tuple(f"{line}: " for line in LINES))]
    assert told == [re.sub(r"did you mean \w+\? ", "", problem) for problem in found]


@pytest.mark.parametrize(
    "variables",
    [{}, {"ticdc__feeds": {"name": "shop"}}, {"ticdc__feeds": 7}, {"ticdc__feeds": []}],
    ids=["no feeds", "no list", "a number", "none"],
)
def test_feeds_are_a_list(variables: dict[str, Any], tmp_path: Path) -> None:
    text = error_of(variables, tmp_path)
    got = json.dumps(variables.get("ticdc__feeds"))
    assert f"ticdc__feeds: got {got}, expected a list of at least one feed (vars in dbt_project.yml)" in text


def test_other_mistakes_are_parsed(tmp_path: Path) -> None:
    feeds = []
    for number, odd in enumerate(ODD):
        for protocol in ("avro", "debezium_avro", "simple"):
            name = f"{number} {protocol}"
            members = dict.fromkeys(("partitions", "options", "tables", "typed_relations", "target_schema"), odd)
            feeds.append(
                {"name": name, "protocol": protocol, "topics": [odd, "a"], "finished_topics": [odd], **members}
            )
            feeds.append({"name": name, "protocol": protocol, "topics": [], "options": dict.fromkeys(OPTIONS, odd)})
    loads: list[Any] = [*ODD, {"commit_ts": 1}, {"commit_ts": "1"}]
    loads += [
        dict.fromkeys(("feed", "schema", "table", "relation", "key_columns"), odd) | {"commit_ts": 1} for odd in ODD
    ]
    others = {name: ["x"] for name in WRONG}
    assert parsed(tmp_path, {**others, "ticdc__feeds": feeds, "ticdc__initial_loads": loads}).nodes
