"""Every command, query and configuration of README.md and docs/*.md runs as it stands there, or is named here.

The tables are those that the project of the quickstart builds over Thrift. Their server answers the queries, also those
of `ticdc sql`, as its Java is warm: a new one takes half a minute to plan what is asked of `ticdc__tables`. Other
commands, and those whose output a page shows, come in this process once the server ended.
"""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml
from click import Context
from dbt.artifacts.resources.types import NodeType
from dbt.cli.main import cli as dbt_cli
from dbt.contracts.graph.manifest import Manifest
from support import documents, exported, session
from support.corpus import SAMPLE
from support.documents import BLOCKS, ROOT, Block, Builds, Command
from support.parsed import PROFILES, parsed
from support.project import Server
from support.truth import checkpoints

from dbt_ticdc import build, cli, configuration, feeds, summary, upstream

in_server = pytest.mark.soak("documents")
COMMANDS = tuple(documents.commands())
FEEDS = documents.the_block("docs/quickstart.md", "yaml", "feeds:")
# Commands of `ticdc` that come to an end without anything of the world around; `sql` is told apart.
ENDING = ("load", "run", "redrive", "redecode", "compare", "codegen", "inspect", "status", "report")
# Where the expected output of one that is not run is looked for.
SHOWN_BY = {"--mysql": "ticdc compare --feed shop --truth export/"}


def is_a_target(command: str) -> None:
    (target,) = command.removeprefix("make ").split()
    assert re.search(rf"^{target}:.* ## ", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)


def is_installed_as(command: str) -> None:
    """The checkout that the page installs is one of a package of this name."""
    assert command.split()[-1] == "../dbt-ticdc"
    assert 'name = "dbt-ticdc"' in (ROOT / "pyproject.toml").read_text(encoding="utf-8")


def is_understood(command: str) -> None:
    words = shlex.split(command)
    arguments = words[next(place for place, word in enumerate(words) if word.endswith("ticdc")) + 1 :]
    options = cli._parser().parse_args(arguments)
    if "--mysql" in arguments:
        assert upstream.connection_settings(options.mysql)


def is_understood_by_dbt(command: str) -> None:
    _, name, *arguments = shlex.split(command)
    profiles = ["--profiles-dir", str(PROFILES)]
    called = dbt_cli.commands[name].make_context(name, [*arguments, *profiles], parent=Context(dbt_cli))
    assert called.params["vars"] == {"ticdc__redecode": True}
    assert called.params["full_refresh"]


class Left(NamedTuple):
    """Why a command does not run here, and what is checked in its place."""

    reason: str
    check: Callable[[str], None]


NOT_RUN: Mapping[str, Left] = {
    "make run": Left(
        "makes an environment from the package registry; the module `demo` has what it calls", is_a_target
    ),
    "make test": Left("runs this test", is_a_target),
    "make setup": Left("makes an environment from the package registry", is_a_target),
    ".venv/bin/ticdc demo --every 10s --warehouse shop_live": Left(
        "is ten builds; the module `demo` makes three of the same messages", is_understood
    ),
    "pip install ../dbt-ticdc": Left("asks the package registry", is_installed_as),
    "ticdc serve --warehouse my_warehouse --port 10000": Left(
        "runs until it is ended; the server of the tests is one, on a port that is free", is_understood
    ),
    r".venv/bin/ticdc run --kafka localhost:9092 --topics 'shop\_%' --protocol canal_json "
    "--warehouse my_warehouse": Left("needs a broker at this port; the module `kafka` has one", is_understood),
    "KAFKA_PASSWORD=… ticdc run --feeds feeds.yml --warehouse my_warehouse": Left(
        "needs a broker; the module `kafka` has one that asks for a password", is_understood
    ),
    "PYSPARK_SUBMIT_ARGS=\"--driver-class-path '/opt/kafka-jars/*' pyspark-shell\" ticdc serve "
    "--warehouse my_warehouse": Left("runs until it is ended; the module `kafka` has such a server", is_understood),
    "ticdc compare --feed shop --as-of 470610924950257664 --mysql mysql://reader@tidb:4000": Left(
        "asks a TiDB", is_understood
    ),
    "ticdc codegen --feed shop --output models/shop --thrift localhost:10000 --schema analytics": Left(
        "asks a server at this port; the module `integration` asks that of the tests", is_understood
    ),
    "dbt build --full-refresh --vars '{ticdc__redecode: true}'": Left(
        "is one more build, as those of the modules `dbt_tests` and `avro_anew` are", is_understood_by_dbt
    ),
}
NO_CODE = {"mermaid": "diagrams"}
NOT_RUN_BLOCKS = {"spark.sql(": "a stream needs Kafka: that it is Python is checked"}


class Answer(NamedTuple):
    """What came of a command."""

    exit_code: int
    output: str
    errors: str


class Answers(NamedTuple):
    """What came of the commands `ticdc`, and the variables and full refreshes of the builds that they began."""

    of: Mapping[str, Answer]
    builds: Sequence[tuple[dict[str, Any], bool]]


def is_run_here(command: Command) -> bool:
    """Whether the fixture `answers` runs it."""
    if command.text in NOT_RUN or not command.text.startswith(documents.OF_TICDC):
        return False
    return command.text.split()[1] in ENDING or (documents.query_of(command.text) is not None and bool(command.shown))


def _answer(command: str) -> Answer:
    try:
        return Answer(*session.command(shlex.split(command)[1:]))
    except SystemExit as error:
        return Answer(2, "", f"the command does not understand its arguments: {error}")


@pytest.fixture(scope="module")
def answers(server: Server, builds: Builds, tmp_path_factory: pytest.TempPathFactory) -> Answers:
    """Runs commands in the order of the pages, each once; builds are noted and not made, as each takes a minute."""
    server.process.terminate()
    server.process.wait(60)
    folder = tmp_path_factory.mktemp("transcripts")
    for name in ("ticdc_warehouse", "my_warehouse"):
        (folder / name).symlink_to(server.warehouse, target_is_directory=True)
    (folder / "dump").mkdir()
    shutil.copy(server.dump, folder / "dump")
    (folder / "feeds.yml").write_text(FEEDS.text, encoding="utf-8")
    truth = checkpoints(SAMPLE).popitem()[1]
    exported.write_json_lines(folder / "export", [truth.tables["shop", "customers"]])
    found: dict[str, Answer] = {}
    begun: list[tuple[dict[str, Any], bool]] = []

    def note(package: Path, work: Path, variables: Mapping[str, Any], full_refresh: bool, manner: build.Manner) -> None:
        begun.append((dict(variables), full_refresh))

    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setattr(build, "build", note)
        patch.setattr(summary, "text", lambda spark, folder: "")
        for command in filter(is_run_here, COMMANDS):
            if command.text not in found:
                found[command.text] = _answer(command.text)
    return Answers(found, begun)


RUN = [command for command in COMMANDS if command.text not in NOT_RUN or command.shown]


@in_server
@pytest.mark.parametrize("command", RUN, ids=lambda command: f"{command.block} {command.text}")
def test_a_command(command: Command, request: pytest.FixtureRequest) -> None:
    if command.text.startswith("dbt "):
        assert any(exit_code == 0 for _, exit_code in request.getfixturevalue("builds").first)
    elif is_run_here(command):
        answer = request.getfixturevalue("answers").of[command.text]
        # the messages of the sample are of one day: whoever asks for the status later is told that they are late
        is_status = command.text.startswith("ticdc status")
        assert answer.exit_code in ((0, 1, 2) if is_status else (0,)), answer.errors
        assert "ticdc: " not in answer.errors
    elif query := documents.query_of(command.text):
        rows = request.getfixturevalue("builds").answers[query]
        assert rows and not isinstance(rows, str), rows
    if command.shown:
        shown_by = next((other for part, other in SHOWN_BY.items() if part in command.text), command.text)
        lines = request.getfixturevalue("answers").of[shown_by].output.splitlines()
        first = lines.index(command.shown[0]) if command.shown[0] in lines else 0
        assert lines[first : first + len(command.shown)] == list(command.shown)


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: f"{command.block} {command.text}")
def test_every_command_is_run_or_named(command: Command) -> None:
    if command.text in NOT_RUN:
        NOT_RUN[command.text].check(command.text)
    elif command.text.startswith("dbt "):
        # those of one line run one after the other
        assert {part.strip() for part in command.text.split("&&")} <= {*documents.DBT_COMMANDS}, "it is not run"
    else:
        assert is_run_here(command) or documents.query_of(command.text), "it is neither run nor named"


def test_what_is_named_as_not_run_is_there() -> None:
    assert not NOT_RUN.keys() - {command.text for command in COMMANDS}


@pytest.mark.parametrize("block", BLOCKS, ids=str)
def test_every_block_is_of_a_kind_that_is_run(block: Block) -> None:
    if block.language in ("sql", "yaml", *documents.SHELLS):
        return
    if block.language == "python":
        assert block.text.startswith(tuple(NOT_RUN_BLOCKS)), "it is neither run nor named"
        compile(block.text, str(block), "exec")
    elif block.language:
        assert block.language in NO_CODE
    else:
        assert block.text.startswith("$ "), "a block that is no code of a language is a transcript of commands"


@in_server
def test_builds_that_commands_begin(answers: Answers) -> None:
    """`ticdc run`, `redrive` and `redecode` hand the feeds of their file to the build, and what it is to do."""
    feed_list = yaml.safe_load(FEEDS.text)["feeds"]
    once = {tuple(variables.keys() - {"ticdc__feeds", "ticdc__messages_schema"}) for variables, _ in answers.builds}
    assert once == {(), ("ticdc__redrive",), ("ticdc__redecode",)}
    for variables, full_refresh in answers.builds:
        assert variables["ticdc__feeds"] == feed_list
        assert full_refresh == ("ticdc__redecode" in variables)


@in_server
@pytest.mark.parametrize("block", documents.of_language("sql"), ids=str)
def test_a_query(block: Block, builds: Builds) -> None:
    """None finds a row: a model has no increment without a build, and the tables did not tell anything before that."""
    assert builds.answers[documents.query_in(block)] == []


BUILT = {block.text for block in documents.PROJECT.values()}
OTHERS = [block for block in documents.of_language("yaml") if block.text not in BUILT]
FEED_FILES = [block for block in OTHERS if "feeds" in yaml.safe_load(block.text)]
CONFIGURATIONS = [block for block in OTHERS if block not in FEED_FILES]
"""The blocks of yaml that are neither a file of the quickstart's project nor of `ticdc run`."""


@pytest.fixture(scope="module")
def configured(tmp_path_factory: pytest.TempPathFactory) -> Manifest:
    """What dbt makes of a project that has them all; dbt refuses what the package's own checks find wrong."""
    content: dict[str, Any] = {"name": "probe", "profile": "ticdc", "vars": {}, "models": {}, "sources": {}}
    for block in CONFIGURATIONS:
        for member, settings in yaml.safe_load(block.text).items():
            for name, value in settings.items():
                assert content[member].setdefault(name, value) == value, f"{block}: {name} is another one elsewhere"
    project = tmp_path_factory.mktemp("configured")
    (project / "dbt_packages").mkdir()
    (project / "dbt_packages" / "ticdc").symlink_to(ROOT, target_is_directory=True)
    (project / "dbt_project.yml").write_text(yaml.safe_dump(content), encoding="utf-8")
    return parsed(project, {"ticdc__redrive": True, "ticdc__redecode": True}, project)


@pytest.mark.parametrize("block", CONFIGURATIONS, ids=str)
def test_a_configuration(block: Block, configured: Manifest) -> None:
    content = yaml.safe_load(block.text)
    assert content.get("vars", {}).keys() <= feeds.VARIABLES
    of_package = [node for node in configured.nodes.values() if node.package_name == "ticdc"]
    for name, value in content.get("models", {}).get("ticdc", {}).items():
        assert {node.config[name.removeprefix("+")] for node in of_package if node.resource_type == NodeType.Model} == {
            value
        }


@pytest.mark.parametrize("block", FEED_FILES, ids=str)
def test_a_file_of_feeds_is_right(block: Block, tmp_path: Path) -> None:
    file = tmp_path / "feeds.yml"
    file.write_text(block.text, encoding="utf-8")
    configuration.check(configuration.understood(feeds.read_vars(file)), str(file))


def test_the_feeds_of_a_file_are_right_too() -> None:
    """They have no member that those lack which dbt reads in the configurations."""
    (feed,) = yaml.safe_load(FEEDS.text)["feeds"]
    read = [
        of_vars
        for block in CONFIGURATIONS
        for of_vars in yaml.safe_load(block.text).get("vars", {}).get("ticdc__feeds", ())
    ]
    assert read
    assert all(feed.items() <= other.items() for other in read)


def test_operations_are_macros(configured: Manifest) -> None:
    pages = "".join(path.read_text(encoding="utf-8") for path in documents.PAGES)
    names = {name.removeprefix("ticdc.") for name in re.findall(r"`dbt [^`]*run-operation ([\w.]+)", pages)}
    assert names
    assert {f"macro.ticdc.{name}" for name in names} <= configured.macros.keys()
