"""Lints the SQL of the package, as a part of `make lint`.

sqlfluff sees the models as dbt compiles them, and macros ask the warehouse while they compile: so the package is
built first, on no messages at all, in a warehouse that is removed afterwards. sqlfluff reads no macro and judges only
what stands in a model's own file; a second pass over the compiled models shows it what the macros render.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import tomllib
from pathlib import Path
from tempfile import TemporaryDirectory

from dbt.cli.main import dbtRunner
from sqlfluff.cli.commands import cli
from support import session

from dbt_ticdc.warehouse import open_session

ROOT = Path(__file__).parents[2]
NOT_IN_RENDERED_SQL = "layout,AL09"
"""Rendered SQL has the line breaks of Jinja, and macros alias every expression alike, be it a column of that name."""


def main() -> None:
    """Exits with 0 where sqlfluff finds nothing, else with 1."""
    os.chdir(ROOT)
    os.environ.setdefault(session.JAVA_OPTIONS, f"{session.JVM} {session.SMALL}")
    settings = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))["tool"]["sqlfluff"]
    target = Path(settings["templater"]["dbt"]["target_path"])
    shutil.rmtree(target, ignore_errors=True)
    with TemporaryDirectory() as folder:
        spark = open_session(Path(folder, "warehouse"), {**session.ONE_TASK, **session.IN_MEMORY})
        try:
            spark.sql("create database ticdc_raw")
            spark.sql(
                "create table ticdc_raw.messages (topic string, partition int, offset bigint, timestamp timestamp, "
                "key binary, value binary) using parquet"
            )
            build(target, json.dumps(settings["templater"]["dbt"]["context"]))
            own = sqlfluff("models")
            excluded = f"{settings['core']['exclude_rules']},{NOT_IN_RENDERED_SQL}"
            rendered = sqlfluff("--templater", "raw", "--exclude-rules", excluded, str(target / "compiled"))
        finally:
            spark.stop()
    sys.exit(0 if own and rendered else 1)


def build(target: Path, variables: str) -> None:
    """Builds the seeds and models of the package, so that each model can be compiled."""
    paths = ["--profiles-dir", "tests/lint", "--target-path", str(target), "--log-path", str(target)]
    no_tests = ["--exclude-resource-type", "test", "--exclude-resource-type", "unit_test"]
    flags = ["--quiet", "--no-send-anonymous-usage-stats", "--vars", variables]
    if not dbtRunner().invoke(["build", *no_tests, *paths, *flags]).success:
        sys.exit("the package cannot be built on an empty table of messages")


def sqlfluff(*arguments: str) -> bool:
    """Whether sqlfluff finds nothing; it prints what it finds."""
    try:
        cli(["lint", "--disable-progress-bar", *arguments])
    except SystemExit as end:
        return not end.code
    return True


if __name__ == "__main__":
    main()
