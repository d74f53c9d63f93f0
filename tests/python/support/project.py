"""The project in `integration_tests/`, which installs the package, and a Thrift server on which it is built."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from pyhive import hive

PROJECT = Path(__file__).parents[3] / "integration_tests"

LOAD = """
import sys
from pathlib import Path
from dbt_ticdc import messages, warehouse
folder = Path(sys.argv[1])
spark = warehouse.open_session(folder)
messages.load(spark, [Path(sys.argv[2])], "ticdc_raw", warehouse.work_folder(folder))
spark.stop()
"""


class Server(NamedTuple):
    """A Thrift server that the command started."""

    process: subprocess.Popen[str]
    warehouse: Path
    port: int

    def connect(self) -> Any:
        """A cursor of a new session."""
        return hive.connect(host="127.0.0.1", port=self.port).cursor()


@contextmanager
def served(folder: Path, lines: Iterable[str], variables: Mapping[str, str] | None = None) -> Iterator[Server]:
    """A server on a new warehouse with these messages; `variables` are of its environment."""
    warehouse, messages = folder / "warehouse", folder / "messages.jsonl"
    environment = {**os.environ, **(variables or {})}
    messages.write_text("".join(lines), encoding="utf-8", newline="\n")
    # the server's own session cannot take the messages, as the warehouse is its alone
    subprocess.run(
        [sys.executable, "-c", LOAD, str(warehouse), str(messages)], check=True, timeout=300, env=environment
    )
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
    command: str, client: str, port: int, folder: Path, variables: Mapping[str, str] | None = None
) -> subprocess.Popen[str]:
    """The command, whose models go to the schema that the client is named like."""
    arguments = [
        sys.executable,
        "-m",
        "dbt.cli.main",
        *command.split(),
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
