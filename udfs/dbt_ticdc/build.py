"""Runs dbt on the package, in this process and its Spark session."""

from __future__ import annotations

import hashlib
import json
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

import ticdc_udfs
from dbt_ticdc import state
from dbt_ticdc.errors import TicdcError, without_trace
from dbt_ticdc.progress import Step, say
from dbt_ticdc.warehouse import DATABASE

_PROFILE = f"""\
ticdc:
  target: embedded
  outputs:
    embedded:
      type: spark
      method: session
      host: NA
      schema: {DATABASE}
      threads: 4
"""
_STATUS_IN_WORDS = {"success": "ok", "pass": "ok", "warn": "warning", "fail": "failed", "error": "failed"}
_BAR_WIDTH = 10


class Manner(NamedTuple):
    """How a build is made: whether it says nothing of its progress, and whether data tests are left out."""

    is_quiet: bool = False
    without_tests: bool = False


AS_USUAL = Manner()
"""How a build is made unless it is told otherwise."""


class NodesFailed(TicdcError):
    """Models, seeds or tests that failed; the others were built."""


def fingerprint(package: Path, variables: Mapping[str, Any], messages: int) -> str:
    """What a build is made of: the package's and the decoders' files, the variables, the number of messages."""
    digest = hashlib.sha256()
    for folder, pattern in (
        (package, "dbt_project.yml"),
        *((package / name, "**/*") for name in ("macros", "models", "seeds", "tests/generic")),
        (Path(ticdc_udfs.__file__).parent, "**/*.py"),
    ):
        for file in sorted(folder.glob(pattern)):
            if file.is_file():
                digest.update(f"{file.relative_to(folder)}\0".encode() + file.read_bytes())
    digest.update(json.dumps([variables, messages], sort_keys=True, default=str).encode())
    return digest.hexdigest()


def build(
    package: Path, work: Path, variables: Mapping[str, Any], full_refresh: bool = False, manner: Manner = AS_USUAL
) -> None:
    """`dbt build` of the package in `work`.

    Raises `NodesFailed` where models or tests fail, `TicdcError` where dbt cannot start on them.
    """
    began = time.time()
    progress = _Quiet() if manner.is_quiet else _Bar(state.last_took(work)) if sys.stderr.isatty() else _Lines()
    is_whole = False
    arguments = ["build", "--exclude-resource-type", "unit_test"]  # they say nothing of the user's messages
    arguments += ["--exclude-resource-type", "test"] if manner.without_tests else []
    arguments += ["--full-refresh"] if full_refresh else []
    try:
        result = _dbt(package, work, "target", arguments, variables, progress)
        is_whole = bool(result.success)
    finally:
        progress.end(is_whole)
    if isinstance(result.exception, KeyboardInterrupt):
        raise KeyboardInterrupt
    if result.exception is not None:
        raise TicdcError(_readable(result.exception), exit_code=1)
    done = getattr(result.result, "results", ())
    took = {each.node.name: each.execution_time for each in done if each.node.resource_type == "model"}
    state.remember_model_times(work, began, took)
    if not result.success:
        raise NodesFailed(_failures(result.result), exit_code=1)


@contextmanager
def reading(package: Path, work: Path, variables: Mapping[str, Any]) -> Iterator[None]:
    """Lets dbt read the package while the block runs: a build that follows with these variables need not.

    What it finds wrong the build says.
    """

    def read() -> None:
        with suppress(Exception):
            _dbt(package, work, "target", ["parse"], variables, lambda event: None)

    thread = threading.Thread(target=read, daemon=True)
    thread.start()
    yield
    thread.join()


def _dbt(
    package: Path,
    work: Path,
    target: str,
    arguments: Sequence[str],
    variables: Mapping[str, Any],
    callback: Callable[[Any], None],
) -> Any:
    """The result of a dbt command on the package, with its files in `work`."""
    folder = work / "dbt"
    folder.mkdir(exist_ok=True)
    (folder / "profiles.yml").write_text(_PROFILE, encoding="utf-8")
    # The user's own dbt settings mean other projects.
    for name in [name for name in os.environ if name.startswith("DBT_")]:
        del os.environ[name]

    from dbt.cli.main import dbtRunner

    places = ["--project-dir", package, "--profiles-dir", folder, "--profile", "ticdc", "--target", "embedded"]
    places += ["--target-path", folder / target, "--log-path", folder / "logs", "--log-level", "none"]
    flags = ["--no-send-anonymous-usage-stats", "--no-version-check", "--no-use-colors"]
    before = Path.cwd()
    try:  # dbt changes to the project's folder
        runner = dbtRunner(callbacks=[callback])
        return runner.invoke([*arguments, *map(str, places), *flags], vars=dict(variables))
    finally:
        os.chdir(before)


class _Quiet:
    """Nothing of dbt's events."""

    def __call__(self, event: Any) -> None:
        """Takes an event of dbt."""

    def end(self, is_whole: bool) -> None:
        """Ends what is shown; says whether all nodes were built."""


class _Lines(_Quiet):
    """dbt's events as lines like `[ 3/14] stg_ticdc__canal_json  ok  1.2 s`."""

    def __init__(self) -> None:
        self._running: dict[str, Step] = {}

    def __call__(self, event: Any) -> None:
        name = event.info.name
        if name == "LogStartLine":
            node = event.data.node_info
            self._running[node.unique_id] = Step(f"{_place(event.data)} {node.node_name}")
        elif name == "NodeFinished" and event.data.node_info.unique_id in self._running:
            self._running.pop(event.data.node_info.unique_id).end(_status(event.data.node_info))
        elif name == "JinjaLogInfo":
            say(event.data.msg)
        elif name == "SkippingDetails":
            say(f"{_place(event.data)} {event.data.node_info.node_name}  skipped")

    def end(self, is_whole: bool) -> None:
        for step in self._running.values():
            step.end("failed")


class _Bar(_Quiet):
    """dbt's events on a terminal: one line with how many nodes are done, and which runs; lines of those that failed.

    `seconds` are those that the build may take.
    """

    def __init__(self, seconds: float | None) -> None:
        self._step = Step("building: dbt begins", seconds)
        self._running: dict[str, str] = {}
        self._done = self._total = 0

    def __call__(self, event: Any) -> None:
        name = event.info.name
        if name == "JinjaLogInfo":
            say(event.data.msg)
        if name not in ("LogStartLine", "NodeFinished", "SkippingDetails"):
            return
        node = event.data.node_info
        if name == "LogStartLine":
            self._total = event.data.total
            self._running[node.unique_id] = node.node_name
        elif name == "SkippingDetails":
            self._done += 1
            say(f"{node.node_name}  skipped")
        elif self._running.pop(node.unique_id, None):
            self._done += 1
            if (status := _status(node)) != "ok":
                say(f"{node.node_name}  {status}")
        self._show()

    def _show(self) -> None:
        filled = round(_BAR_WIDTH * self._done / self._total)
        runs = next(reversed(self._running.values()), "")
        bar = "#" * filled + "-" * (_BAR_WIDTH - filled)
        self._step.show(f"building [{bar}] {self._done}/{self._total} {runs}".rstrip())

    def end(self, is_whole: bool) -> None:
        self._step.show(f"building: {self._done}/{self._total} models, seeds and tests" if self._total else "building")
        self._step.end("ok" if is_whole else "failed")


def _status(node: Any) -> str:
    status = str(node.node_status)
    return _STATUS_IN_WORDS.get(status, status)


def _place(data: Any) -> str:
    return f"[{data.index:>{len(str(data.total))}}/{data.total}]"


def _failures(run: Any) -> str:
    failed = [result for result in run.results if str(result.status) in ("error", "fail")]
    skipped = sum(str(result.status) == "skipped" for result in run.results)
    texts = [f"{len(failed)} node(s) failed" + (f", {skipped} that need them were skipped" if skipped else "")]
    texts += [f"{result.node.name}: {_readable(result.message)}" for result in failed]
    return "\n".join(texts)


def _readable(error: Any) -> str:
    """The text of dbt's error without the list of macros that led to it."""
    lines = without_trace(error).split("\n")
    return "\n".join(line for line in lines if not line.strip().startswith(("> in macro", "> called by"))).strip()
