"""What several test modules share."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from support import session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The warehouse of tests that need no messages, in a path that is hard to quote."""
    return tmp_path_factory.mktemp("ware house%20 ü") / "warehouse"


@pytest.fixture(scope="module")
def spark(home: Path) -> SparkSession:
    """The Spark session of this process, as the command opens it."""
    return session.opened(home)


# Tests of the package that share no warehouse.
ALONE = (
    "avro_anew",
    "configuration",
    "dbt_tests",
    "dbt_unit_tests",
    "descriptions",
    "formats",
    "interfaces",
    "interrupted",
    "kafka",
    "known_when",
    "layers_of_models",
    "macros",
    "models_side_by_side",
    "one_table_harms_no_other",
    "object_store",
    "plugin",
    "real_registry",
    "registrar",
    "remedies",
    "storage_sinks",
    "typed_macros",
    "typed_statements",
)
# What runs in one process, as it shares a warehouse, a server, or a Java that is warm. The longest begin first, so that
# none is waited for.
GROUPS = {
    "warehouses": re.compile(rf"package/test_(?!{'|'.join(ALONE)})"),
    "servers": re.compile(r"command/test_(thrift|hooks_of_projects|integration|switches_over_thrift|transcripts)"),
    "dbt": re.compile(r"package/test_(dbt_tests|avro_anew|one_table_harms_no_other|storage_sinks)"),
    "parsed": re.compile(r"package/test_(configuration|descriptions|interfaces|layers_of_models|macros|typed_[ms])"),
}
# Modules that `.ci/run` has and `make test` has not, as they take minutes.
IN_CI_ALONE = re.compile(r"test_(corpus|remedies)")
# Parts of the long tests that `.ci/run` takes along, and parts that have more of what some modules build.
OF_CI = ("kafka", "processes", "storage")
OF_ALL = ("corpus", "models", "odd_tables")


def _group(node_id: str) -> str:
    """The group of a test, or its module."""
    return next((name for name, modules in GROUPS.items() if modules.search(node_id)), node_id.partition("::")[0])


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    from xdist.scheduler import LoadScopeScheduling

    class Groups(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return _group(nodeid)

    return Groups(config, log)


def pytest_addoption(parser: pytest.Parser) -> None:
    told = "run this part of the long tests, or `all` of them; `ci`: what is of no part, and what `.ci/run` takes along"
    parser.addoption("--soak", metavar="PART", help=told)


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "soak(part, …): takes long, and runs in those parts of `make soak` alone")
    config.addinivalue_line("markers", "in_soak(part): runs in that part of `make soak` too, with more of its kind")
    os.environ.setdefault(session.JAVA_OPTIONS, f"{session.JVM} {session.SMALL}")
    os.environ["TICDC_SOAK"] = part = config.getoption("--soak") or ""
    if part in ("ci", "all"):
        os.environ["TICDC_SOAK"] = ",".join((part, *OF_CI, *(OF_ALL if part == "all" else ())))
    if part in ("hostile", "all"):
        os.environ.setdefault("TICDC_CASES_PERCENT", "100")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    part = config.getoption("--soak")
    left_out = [item for item in items if not _is_chosen(item, part)]
    if part and len(left_out) == len(items):
        there = sorted({name for item in items for name in chain(*_parts(item).values())})
        raise pytest.UsageError(f"--soak: got {part}; parts of the chosen tests: {', '.join(there) or 'none'}")
    items[:] = [item for item in items if item not in left_out]
    config.hook.pytest_deselected(items=left_out)
    order = list(GROUPS)

    def place(item: pytest.Item) -> tuple[int, bool]:
        # what opens another warehouse is last, as a catalogue in memory ends with its session
        group = _group(item.nodeid)
        return order.index(group) if group in order else len(order), item.path.name.startswith("test_corpus_")

    items.sort(key=place)


def _is_chosen(item: pytest.Item, part: str | None) -> bool:
    """Whether a test runs: those of a part of the long tests where one is asked for, else all but those."""
    if part == "hostile":
        return item.path.parent.name in ("decoders", "catalogue")
    parts = _parts(item)
    # one that runs there alone is of its own parts, also in a module of which another part has more
    part_of = parts["soak"] or parts["in_soak"]
    if part is None:
        return not parts["soak"] and IN_CI_ALONE.match(item.path.name) is None
    if part == "ci":
        # one that is of another part, too, takes that long
        return parts["soak"] <= {*OF_CI}
    return part in part_of or (part == "all" and bool(part_of))


def _parts(item: pytest.Item) -> dict[str, set[str]]:
    return {name: {*chain(*(mark.args for mark in item.iter_markers(name)))} for name in ("in_soak", "soak")}


@pytest.fixture
def show(record_property: Callable[[str, object], None]) -> Callable[[str], None]:
    """Prints a text at the end of the session, also when the test ran in a worker process."""
    return lambda text: record_property("shown", text)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for reports in list(terminalreporter.stats.values()):
        for report in reports:
            is_result = getattr(report, "when", None) == "call"
            for name, text in report.user_properties if is_result else ():
                if name == "shown":
                    terminalreporter.write_line(str(text))
