"""What dbt knows of a project after parsing it; no Spark is started."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from dbt.cli.main import dbtRunner
from dbt.contracts.graph.manifest import Manifest

ROOT = Path(__file__).parents[3]
PROFILES = ROOT / "tests" / "lint"


def parsed(work: Path, variables: Mapping[str, Any], project: Path = ROOT) -> Manifest:
    """The manifest of the package, or of another project, with these variables; dbt's files go to `work`."""
    flags = ["--quiet", "--no-partial-parse", "--no-send-anonymous-usage-stats", "--no-version-check"]
    places = ["--project-dir", project, "--profiles-dir", PROFILES]
    places += ["--target-path", work / "target", "--log-path", work / "logs"]
    result = dbtRunner().invoke(["parse", *flags, *map(str, places), "--vars", json.dumps(variables)])
    if not isinstance(result.result, Manifest):
        pytest.fail(f"dbt cannot parse the project: {result.exception}", pytrace=False)
    return result.result
