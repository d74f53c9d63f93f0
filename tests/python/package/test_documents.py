"""What the documents point to is there: files, headings, variables, models and commands; the README stays short."""

from __future__ import annotations

import argparse
import csv
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from dbt_ticdc.cli import _parser
from dbt_ticdc.feeds import VARIABLES

ROOT = Path(__file__).parents[3]
DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
MOST_LINES = 180
LONGEST_LINE = 160
LONGEST_ROW = 300
MOST_WORDS = 25

_FENCE = re.compile(r"^ *```.*?^ *```$", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"`[^`\n]*`")
_LINK = re.compile(r"\[([^\]]*)\]\(([^()\s]+)\)")
_NAME = re.compile(r"(?<!\w)(?:(?:stg|int)_)?ticdc__[a-z_]*[a-z](?!\w)")
_FILE = re.compile(r"`([\w./-]+\.(?:csv|md|py|sql|yml))`")
_COMMAND = re.compile(r"(?:^|[`$ /])ticdc ([a-z]+)\b(?!:)", re.MULTILINE)

FOLDERS = ("benchmarks", "docs", "integration_tests", "macros", "models", "seeds", "tests", "udfs")
OF_USERS = {"dbt_project.yml", "feeds.yml", "packages.yml", "profiles.yml"}

document = pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))


def test_the_readme_is_short() -> None:
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    assert len(lines) <= MOST_LINES
    for number, line in enumerate(lines, 1):
        limit = LONGEST_ROW if line.startswith("|") else LONGEST_LINE
        assert len(line) <= limit, f"README.md, line {number}: {len(line)} characters, at most {limit} are allowed"


@document
def test_links_lead_somewhere(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    links = [link for _, link in _LINK.findall(_FENCE.sub("", text))]
    broken = [link for link in links if not re.match(r"[a-z]+:", link) and not _is_there(path, link)]
    assert not broken, f"{path.relative_to(ROOT)}: nothing is at {', '.join(broken)}"


@document
def test_names_of_the_package_are_there(path: Path) -> None:
    relations = {file.stem for folder in ("models", "seeds") for file in (ROOT / folder).rglob("*.*")}
    unknown = set(_NAME.findall(path.read_text(encoding="utf-8"))) - relations - VARIABLES
    assert not unknown, f"{path.relative_to(ROOT)}: no variable, model or seed is named {', '.join(sorted(unknown))}"


@document
def test_commands_are_there(path: Path) -> None:
    (subcommands,) = (action for action in _parser()._actions if isinstance(action, argparse._SubParsersAction))
    text = path.read_text(encoding="utf-8")
    code = [part.group() for pattern in (_FENCE, _CODE) for part in pattern.finditer(text)]
    unknown = {name for part in code for name in _COMMAND.findall(part)} - set(subcommands.choices)
    assert not unknown, f"{path.relative_to(ROOT)}: ticdc has no command {', '.join(sorted(unknown))}"


@document
def test_files_that_documents_name_are_there(path: Path) -> None:
    """By their path from the root of the repository, or by its end; those of a user's project are named here."""
    files = {f"/{file.relative_to(ROOT).as_posix()}" for folder in FOLDERS for file in (ROOT / folder).rglob("*.*")}
    files |= {f"/{file.name}" for file in ROOT.iterdir()}
    named = set(_FILE.findall(_FENCE.sub("", path.read_text(encoding="utf-8")))) - OF_USERS
    missing = sorted(name for name in named if not any(file.endswith(f"/{name}") for file in files))
    assert not missing, f"{path.relative_to(ROOT)}: there is no file {', '.join(missing)}"


def test_the_glossary_is_short_and_in_order() -> None:
    rows = re.findall(r"^\| ([^|*]+?) \| ", (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8"), re.MULTILINE)
    words = rows[1:]
    assert len(words) <= MOST_WORDS
    assert words == sorted(words, key=str.casefold)


def test_decisions_are_listed_by_their_titles() -> None:
    folder = ROOT / "docs" / "decisions"
    page = (folder / "README.md").read_text(encoding="utf-8")
    for path in sorted(folder.glob("0*.md")):
        title = path.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")
        assert f"\n{int(path.name[:3])}. [{title}]({path.name})" in page


def _is_there(path: Path, link: str) -> bool:
    name, _, anchor = link.partition("#")
    target = (path.parent / name).resolve() if name else path
    if not target.is_relative_to(ROOT) or not target.exists():
        return False
    return not anchor or anchor in _anchors(target.read_text(encoding="utf-8"))


def _anchors(text: str) -> Iterator[str]:
    """The anchors that GitHub gives headings: words in lower case, with hyphens, numbered where they repeat."""
    seen: Counter[str] = Counter()
    for heading in re.findall(r"^#{1,6} +(.+?) *#*$", _FENCE.sub("", text), re.MULTILINE):
        slug = re.sub(r"[^\w\- ]", "", _LINK.sub(r"\1", heading).lower()).replace(" ", "-")
        yield f"{slug}-{seen[slug]}" if seen[slug] else slug
        seen[slug] += 1


def test_operations_say_what_to_do_about_each_error() -> None:
    """Those that the problems name themselves, and those of the seeds."""
    problems = (ROOT / "models" / "operations" / "ticdc__problems.sql").read_text(encoding="utf-8")
    codes = set(re.findall(r"'error' as severity,\s+'(\w+)' as code", problems))
    codes |= set(re.findall(r"'(claim_check_\w+|messages_\w+|topic_re\w+)'", problems))
    for seed in ("ticdc__catalogue_problems", "ticdc__typed_reasons"):
        with (ROOT / "seeds" / f"{seed}.csv").open(encoding="utf-8", newline="") as file:
            codes |= {row["code"] for row in csv.DictReader(file) if row["severity"] == "error"}
    assert len(codes) > 25
    page = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
    assert not {code for code in codes if f"`{code}`" not in page}
