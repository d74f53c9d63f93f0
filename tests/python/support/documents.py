"""The blocks of code in README.md and docs/*.md, and the project of a user that those of the quickstart make."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from jinja2 import Environment
from pyhive.exc import Error

from dbt_ticdc import cli
from support.project import Server, assert_passes, dbt, install
from support.settings import HARMLESS

ROOT = Path(__file__).parents[3]
GENERATED = ("fidelity.md", "switches.md", "udfs.md")
PAGES = [ROOT / "README.md", *(path for path in sorted((ROOT / "docs").glob("*.md")) if path.name not in GENERATED)]
SHELLS = ("sh", "bash", "console")

_FENCE = re.compile(r"^(?P<indent> *)```(?P<language>\w*)\n(?P<text>.*?)^ *```$", re.MULTILINE | re.DOTALL)


class Block(NamedTuple):
    """A block of code: the page, its line there, the language that the fence names, and the text without indent."""

    page: str
    line: int
    language: str
    text: str

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"


class Command(NamedTuple):
    """A command line of a block, and the output that the page shows below it."""

    block: Block
    text: str
    shown: tuple[str, ...]


def _blocks() -> Iterator[Block]:
    for path in PAGES:
        content = path.read_text(encoding="utf-8")
        for found in _FENCE.finditer(content):
            text = re.sub(rf"^{found['indent']}", "", found["text"], flags=re.MULTILINE)
            line = content.count("\n", 0, found.start()) + 1
            yield Block(path.relative_to(ROOT).as_posix(), line, found["language"], text)


BLOCKS = tuple(_blocks())


def commands() -> Iterator[Command]:
    """Those of all blocks: each line of a script, and what stands after `$` in a transcript."""
    for block in BLOCKS:
        if block.language in SHELLS:
            yield from (Command(block, _without_comment(line), ()) for line in block.text.splitlines())
        elif not block.language:
            for part in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
                command, *shown = part.splitlines()
                yield Command(block, _without_comment(command), tuple(shown))


def _without_comment(line: str) -> str:
    return re.sub(r"\s+# .*", "", line).strip()


def of_language(language: str) -> list[Block]:
    """The blocks of one language."""
    return [block for block in BLOCKS if block.language == language]


def the_block(page: str, language: str, beginning: str) -> Block:
    """The one block of a page that begins so."""
    (found,) = (one for one in of_language(language) if one.page == page and one.text.startswith(beginning))
    return found


PROJECT = {
    "dbt_project.yml": the_block("docs/quickstart.md", "yaml", "name: my_project"),
    "packages.yml": the_block("docs/quickstart.md", "yaml", "packages:"),
    "profiles.yml": the_block("docs/quickstart.md", "yaml", "my_project:"),
    "models/my_changes.sql": the_block("docs/tables.md", "sql", "{{ config("),
    "models/my_changes.yml": the_block("docs/tables.md", "yaml", "models:"),
}
"""The files of a user's project, each as a page has it."""


def project(folder: Path, port: int) -> Path:
    """That project beside a checkout of this repository.

    It goes to the schemas that the command takes without being told, so that what pages ask it finds the tables; a
    server of tests has any port.
    """
    own = {
        "schema: analytics": "schema: ticdc",
        'target_schema: "{target}_{schema}"': 'target_schema: "{schema}"',
        "port: 10000": f"port: {port}",
    }
    home = folder / "my_project"
    for name, block in PROJECT.items():
        text = block.text
        for written, wanted in own.items():
            text = text.replace(written, wanted)
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text(text, encoding="utf-8")
    (folder / "dbt-ticdc").symlink_to(ROOT, target_is_directory=True)
    return home


# Commands of the pages, in this order, of which the last two come at once.
DBT_COMMANDS = ("dbt deps", "dbt build", "dbt build --vars '{ticdc__redrive: true}'")


OF_TICDC = ("ticdc ", ".venv/bin/ticdc ")


class Query(NamedTuple):
    """A query of a page, and the schema in which it finds its names."""

    text: str
    schema: str = "ticdc"


def query_of(command: str) -> Query | None:
    """The query of a command `ticdc sql`; None of another one."""
    if not command.startswith(tuple(f"{name}sql " for name in OF_TICDC)):
        return None
    try:
        options = cli._parser().parse_args(shlex.split(command)[1:])
    except SystemExit as error:
        raise ValueError(f"the command does not understand: {command}") from error
    return Query(options.query, options.schema)


def query_in(block: Block, model: str = "my_changes", *, is_incremental: bool = True) -> Query:
    """The query in a block of SQL, as dbt renders it for a model: for an increment, or to make its table."""
    names = {"this": model, "is_incremental": lambda: is_incremental, "ref": str, "config": lambda **_: ""}
    return Query(Environment().from_string(block.text).render(names))


def queries() -> Iterator[Query]:
    """Those of all pages."""
    yield from (query for command in commands() if (query := query_of(command.text)))
    yield from map(query_in, of_language("sql"))


class Builds(NamedTuple):
    """Two clients on one server: what came of both builds of the first, as output and exit code.

    `home`: the project of the first; `answers`: the rows of each query of the pages after them, or why there are none.
    """

    home: Path
    first: tuple[tuple[str, int], tuple[str, int]]
    answers: Mapping[Query, list[tuple[Any, ...]] | str]


def build(server: Server, folder: Path) -> Builds:
    """Builds at once over Thrift: twice the project of the quickstart, and the one in `integration_tests/`.

    Its session has settings that are not usual.
    """
    install(server.port, folder)
    home = project(folder, server.port)
    deps, *rivals = DBT_COMMANDS
    with shell(deps, home) as installing:
        output, _ = installing.communicate(timeout=120)
    assert installing.returncode == 0, output
    settings = {"TICDC_SETTINGS": str({f"set:hiveconf:{name}": value for name, value in HARMLESS.items()})}
    second = dbt("run --select +ticdc__current_rows +changes_per_day", "second", server.port, folder, settings)
    clients = [shell(command, home, f"build_{place}") for place, command in enumerate(rivals)]
    assert_passes(second)
    one, other = ((client.communicate(timeout=900)[0], client.returncode) for client in clients)
    return Builds(home, (one, other), {query: _answer(server, query) for query in dict.fromkeys(queries())})


def _answer(server: Server, query: Query) -> list[tuple[Any, ...]] | str:
    cursor = server.connect()
    cursor.execute(f"use {query.schema}")
    try:
        cursor.execute(query.text)
        return list(cursor.fetchall())
    except Error as error:
        return str(error)


def shell(command: str, home: Path, name: str = "target") -> subprocess.Popen[str]:
    """A command line of `dbt` in a project, as a shell takes it; its files go to a folder of its own."""
    python = f'dbt() {{ "{sys.executable}" -m dbt.cli.main "$@"; }}'
    return subprocess.Popen(
        ["bash", "-c", f"{python}\n{command}"],
        cwd=home,
        env={
            **{name: value for name, value in os.environ.items() if not name.startswith("DBT_")},
            "DBT_SEND_ANONYMOUS_USAGE_STATS": "false",
            "DBT_USE_COLORS": "false",
            "DBT_TARGET_PATH": str(home.parent / name),
            "DBT_LOG_PATH": str(home.parent / name),
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
