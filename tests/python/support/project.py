"""The project in `integration_tests/`, which installs the package, and a Thrift server on which it is built."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from pyhive import hive

PROJECT = Path(__file__).parents[3] / "integration_tests"


class Server(NamedTuple):
    """A Thrift server that the command started."""

    process: subprocess.Popen[str]
    warehouse: Path
    port: int

    @property
    def dump(self) -> Path:
        """The messages that it was given, as lines of a dump."""
        return self.warehouse.parent / "messages.jsonl"

    def connect(self) -> Any:
        """A cursor of a new session."""
        return hive.connect(host="127.0.0.1", port=self.port).cursor()

    def take(self, lines: Iterable[str]) -> None:
        """Makes the table of messages from lines of a dump."""
        self.dump.write_text("".join(lines), encoding="utf-8", newline="\n")
        cursor = self.connect()
        cursor.execute("create database ticdc_raw")
        cursor.execute(
            "create table ticdc_raw.messages using parquet as select topic, cast(`partition` as int), `offset`, "
            f"timestamp_millis(timestamp) as timestamp, unbase64(key) as key, unbase64(value) as value "
            f"from json.`{self.dump}`"
        )


@contextmanager
def served(folder: Path, variables: Mapping[str, str] | None = None) -> Iterator[Server]:
    """A server on a new warehouse without messages; `variables` are of its environment."""
    warehouse, environment = folder / "warehouse", {**os.environ, **(variables or {})}
    command = [sys.executable, "-m", "dbt_ticdc.cli", "serve", "--warehouse", str(warehouse), "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment, cwd=folder) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line.startswith("listening on 127.0.0.1:"), line
        try:
            yield Server(process, warehouse, int(line.rpartition(":")[2]))
        finally:
            process.terminate()


def dbt(
    command: str | Sequence[str], client: str, port: int, folder: Path, variables: Mapping[str, str] | None = None
) -> subprocess.Popen[str]:
    """The command, whose models go to the schema that the client is named like."""
    arguments = [
        sys.executable,
        "-m",
        "dbt.cli.main",
        *(command.split() if isinstance(command, str) else command),
        "--project-dir",
        str(PROJECT),
        "--no-use-colors",
    ]
    if command != "deps":
        arguments += ["--target-path", str(folder / client / "target"), "--log-path", str(folder / client / "logs")]
    return subprocess.Popen(
        arguments,
        cwd=PROJECT,
        env={
            **os.environ,
            "DBT_PROFILES_DIR": str(PROJECT),
            "DBT_SEND_ANONYMOUS_USAGE_STATS": "false",
            "DBT_LOG_PATH": str(folder / client / "logs"),
            "TICDC_PORT": str(port),
            "TICDC_SCHEMA": client,
            **(variables or {}),
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def install(port: int, folder: Path) -> None:
    """`dbt deps`."""
    deps = dbt("deps", "deps", port, folder)
    output, _ = deps.communicate(timeout=120)
    assert deps.returncode == 0, output


def assert_passes(client: subprocess.Popen[str]) -> None:
    """It comes to its end, and all tests pass."""
    output, _ = client.communicate(timeout=900)
    assert client.returncode == 0, output
    assert "Completed successfully" in output or "Completed with 1 warning" in output, output


def write_project(folder: Path, files: Mapping[str, str]) -> Path:
    """A folder with these files, by their paths in it."""
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content, encoding="utf-8")
    return folder
