"""A warehouse of Avro feeds that is driven again, and then built anew from all messages, with a complete registry.

Its first build has only messages that hold their commit.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any

import pytest
from support import session
from support import warehouse as embedded
from support.avro import COMMIT_TS
from support.avro_feeds import (
    LATE,
    PLACED,
    RELATION,
    SCHEMAS,
    TIMED,
    TIMED_COMMITS,
    TOLD,
    Line,
    commits,
    dead_letters,
    down_url,
    extended,
    feed,
    feeds_of,
    lines_of,
    staging,
    texts,
    write_registry,
)
from support.registry import registry

pytestmark = pytest.mark.soak("avro")


@dataclass(frozen=True)
class Anew:
    """A warehouse of its own: two runs, a re-drive, and a build of all messages anew with a complete registry."""

    looked: list[bool]
    told: list[dict[str, Any]]
    redriven: dict[tuple[str, int], str]
    staged: list[dict[str, Any]]
    dead: dict[tuple[str, int], str]
    asked: list[str]


@pytest.fixture(scope="module")
def anew(tmp_path_factory: pytest.TempPathFactory) -> Anew:
    folder = tmp_path_factory.mktemp("avro anew")
    session.opened(folder / "warehouse", session.IN_MEMORY)
    home, dumps, file = folder / "warehouse", folder / "messages", folder / "registry.json"
    dumps.mkdir()
    write_registry(file, SCHEMAS)
    rows = partial(session.rows, home)
    told = [extended("told", offset, row_id, commit) for offset, (row_id, commit) in enumerate(TOLD)]
    looked = []

    def build(number: int, lines: Iterable[Line], feeds: list[dict[str, Any]], redecode: bool = False) -> None:
        (dumps / f"{number}.jsonl").write_text("".join(texts(lines)), encoding="utf-8")
        feeds_file = embedded.write_feeds(folder / "feeds.yml", [{**each, "target_schema": None} for each in feeds])
        assert session.run(home, dumps, feeds_file, redecode=redecode)
        (model,) = (home / "work").rglob("compiled/**/stg_ticdc__avro.sql")
        looked.append("placed_rows" in model.read_text(encoding="utf-8"))

    def schema(number: int) -> str:
        return SCHEMAS[server.asked[number - 1].rpartition("/")[2]]

    with registry(lambda number: (200, {"schema": schema(number)})) as server, down_url() as of_down:
        build(0, told[:3], [feed("told", file)])
        rows(RELATION)
        feeds = [feed("told", file), *feeds_of(file, server.url, of_down, True)]
        build(1, [*told[3:], *lines_of(True)], feeds)
        found = staging(rows)
        before = len(server.asked)
        write_registry(file, {**SCHEMAS, LATE: SCHEMAS["2"]})
        session.redrive(home, folder / "feeds.yml", ["file"])
        redriven = dead_letters(rows)
        feeds = [feed("told", file), *feeds_of(file, server.url, server.url, True)]
        build(2, lines_of(False), feeds, redecode=True)
        return Anew(looked, found, redriven, staging(rows), dead_letters(rows), sorted(server.asked[before:]))


def test_deletes_have_the_commit_of_their_place(anew: Anew) -> None:
    found = commits(anew.staged, "placed")
    for topic in [*(f"placed{place}" for place in range(len(PLACED) + 1)), "gap"]:
        assert [found[topic, offset] - COMMIT_TS for offset in range(len(PLACED))] == [
            commit for _, _, commit in PLACED
        ], topic


def test_rows_without_extension_have_the_time_of_their_message(anew: Anew) -> None:
    found = commits(anew.staged, "timed")
    for place in range(len(TIMED) + 1):
        assert [found[f"timed{place}", offset] for offset in range(len(TIMED))] == TIMED_COMMITS, f"topic {place}"


def test_commits_are_looked_for_only_where_a_message_lacks_one(anew: Anew) -> None:
    """A deletion without value finds its place among rows that a run staged as they came."""
    assert anew.looked == [False, True, True]
    found = commits(anew.told, "told")
    assert [found["told", offset] - COMMIT_TS for offset in range(len(TOLD))] == [100, 110, 120, 120]


def test_a_schema_is_asked_for_once(anew: Anew) -> None:
    """Of a registry that two feeds share, at most once for each; a process of Python that lives on knows them still."""
    ids = ["/schemas/ids/1", "/schemas/ids/2"]
    assert set(anew.asked) <= set(ids)
    assert all(anew.asked.count(each) <= 2 for each in ids)


def test_a_redrive_decodes_what_has_a_schema_by_then(anew: Anew) -> None:
    assert anew.redriven.keys() == {("down", 0), ("down", 1)}


def test_a_build_anew_decodes_what_has_a_schema_by_then(anew: Anew) -> None:
    assert anew.dead.keys() == {("relation", 1)}
