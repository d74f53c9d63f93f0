"""The files around the project are in order: what runs elsewhere, the hooks of git, and the form for bugs."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from support.catalogue import DECODERS
from support.storage import DECODERS as DECODERS_OF_FILES

ROOT = Path(__file__).parents[3]
WORKFLOW = ROOT / ".github/workflows/ci.yml"
HOOKS = ROOT / ".pre-commit-config.yaml"
FORM = ROOT / ".github/ISSUE_TEMPLATE/bug.yml"
OF_DOCS = ROOT / "tests/lint/docs.yml"
TARGETS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
PROTOCOLS = {*DECODERS, *DECODERS_OF_FILES, "avro", "debezium_avro"}


def read(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def commands() -> list[str]:
    """What workflow and hooks call, and what the first of these does."""
    steps = [step for job in read(WORKFLOW)["jobs"].values() for step in job["steps"]]
    hooks = [hook for repo in read(HOOKS)["repos"] for hook in repo["hooks"]]
    script = (ROOT / ".ci/run").read_text(encoding="utf-8")
    called = [step["run"] for step in steps if "run" in step] + [hook["entry"] for hook in hooks]
    return called + re.findall(r"^make [a-z-]+", script, re.MULTILINE)


def test_what_is_called_is_there() -> None:
    called = commands()
    assert len(called) > 5
    for command in called:
        program, *arguments = command.split()
        if program == "make":
            assert set(arguments) <= TARGETS, command
        else:
            assert os.access(ROOT / program, os.X_OK), command


def test_hooks_need_no_network() -> None:
    for repo in read(HOOKS)["repos"]:
        assert repo["repo"] == "local"
        assert {hook["language"] for hook in repo["hooks"]} == {"system"}


def test_hooks_are_parts_of_lint() -> None:
    (parts,) = re.findall(r"^lint: (.*?) ##", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    hooks = [hook["entry"] for repo in read(HOOKS)["repos"] for hook in repo["hooks"]]
    assert hooks == [f"make {part}" for part in parts.split()]


def test_pages_are_what_docs_writes() -> None:
    (written,) = re.findall(r"cp \S+ (\S+)/index.html", (ROOT / "Makefile").read_text(encoding="utf-8"))
    steps = [step for job in read(WORKFLOW)["jobs"].values() for step in job["steps"]]
    (published,) = (step["with"]["path"] for step in steps if "upload-pages" in step.get("uses", ""))
    assert published == written
    assert f"{written}/" in (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()


def test_the_form_and_the_pages_have_each_protocol() -> None:
    (options,) = (field["attributes"]["options"] for field in read(FORM)["body"] if field["type"] == "dropdown")
    assert set(options) - {"none, or all"} == PROTOCOLS
    assert {feed["protocol"] for feed in read(OF_DOCS)["ticdc__feeds"]} == PROTOCOLS


def test_the_form_asks_for_no_values() -> None:
    fields = {field.get("id"): field for field in read(FORM)["body"]}
    assert {"status", "versions", "protocol", "inspect"} <= set(fields)
    assert fields["values"]["attributes"]["options"][0]["required"] is True


@pytest.mark.parametrize("path", [WORKFLOW, HOOKS, FORM], ids=lambda path: path.name)
def test_no_file_names_a_machine(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert not re.findall(r"https?://\S+|(?<![\w.~])/(?:home|root|tmp|work)\b\S*", text)
