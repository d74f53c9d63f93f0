"""Avro through `ticdc run`: writer schemas from files, registries and relations, and commits that no message holds.

The shared warehouse gets the messages in two increments, and then none.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from operator import itemgetter
from pathlib import Path
from typing import Any

import pytest
from support.avro import COMMIT_TS
from support.avro_feeds import (
    CUT,
    LATE,
    PLACED,
    RELATION,
    SCHEMAS,
    TIMED,
    TIMED_COMMITS,
    commits,
    dead_letters,
    down_url,
    feeds_of,
    lines_of,
    staging,
    texts,
    write_registry,
)
from support.cases import Built, Stage, Story, story
from support.registry import registry

pytestmark = pytest.mark.usefixtures("built_cases")


class AvroBuilds(Story):
    """What the staging and the marts held after each build, and what the registry was asked for in it."""

    stages = (Stage.FIRST, Stage.SECOND, Stage.IDLE)

    def begin(self, folder: Path) -> None:
        self.file = folder / "registry.json"
        self.staged: dict[Stage, list[dict[str, Any]]] = {}
        self.dead: dict[Stage, dict[tuple[str, int], str]] = {}
        self.asked: dict[Stage, list[str]] = {}
        self.stack = ExitStack()
        self.down_url = self.stack.enter_context(down_url())
        self.server = self.stack.enter_context(registry(lambda number: (200, {"schema": self.schema(number)})))

    def schema(self, number: int) -> str:
        return SCHEMAS[self.server.asked[number - 1].rpartition("/")[2]]

    def end(self) -> None:
        self.stack.close()

    def feeds(self, stage: Stage) -> Sequence[Mapping[str, Any]]:
        return feeds_of(self.file, self.server.url, self.down_url, stage >= Stage.SECOND)

    def lines(self, stage: Stage) -> Sequence[str]:
        return texts(lines_of(stage is Stage.FIRST)) if stage in (Stage.FIRST, Stage.SECOND) else []

    def before(self, stage: Stage, built: Built) -> None:
        self.count = len(self.server.asked)
        if stage is Stage.FIRST:
            write_registry(self.file, SCHEMAS)
        elif stage is Stage.SECOND:
            built.rows(RELATION)
            write_registry(self.file, {**SCHEMAS, LATE: SCHEMAS["2"]})

    def after(self, stage: Stage, built: Built) -> None:
        self.asked[stage] = sorted(self.server.asked[self.count :])
        if stage in (Stage.FIRST, Stage.SECOND):
            self.staged[stage], self.dead[stage] = staging(built.rows), dead_letters(built.rows)
        if stage is Stage.SECOND:
            self.changelog = built.of("changelog", "timed")
            self.current = sorted(built.of("current_rows", "timed"), key=itemgetter("row"))
            self.retyped = built.rows("select id, v, _lossy from retyped__shop.t order by id")


AVRO = AvroBuilds()
story(AVRO)


def test_deletes_have_the_commit_of_their_place() -> None:
    """However the messages came: cut anywhere, or one that others lie around."""
    found = commits(AVRO.staged[Stage.SECOND], "placed")
    for place in range(len(PLACED) + 1):
        got = [found[f"placed{place}", offset] - COMMIT_TS for offset in range(len(PLACED))]
        wanted = [CUT.get((place, offset), commit) for offset, (_, _, commit) in enumerate(PLACED)]
        assert got == wanted, f"cut before offset {place}"
    assert [found["gap", offset] - COMMIT_TS for offset in range(len(PLACED))] == [commit for _, _, commit in PLACED]


def test_rows_without_extension_have_the_time_of_their_message() -> None:
    found = commits(AVRO.staged[Stage.SECOND], "timed")
    for place in range(len(TIMED) + 1):
        assert [found[f"timed{place}", offset] for offset in range(len(TIMED))] == TIMED_COMMITS, f"cut before {place}"


def test_commits_that_no_message_holds_are_not_exact() -> None:
    for row in AVRO.staged[Stage.SECOND]:
        if row["feed"] in ("placed", "timed"):
            sent = row["feed"] == "placed" and row["op"] != "delete"
            assert row["commit_ts_exact"] == sent
            assert ("*:no_commit_ts" in row["lossy"]) == (not sent)


def test_changes_of_one_time_are_all_there() -> None:
    """Three changes of one row have the time of their messages in common, and the last is like the first."""
    changes = sorted(AVRO.changelog, key=lambda row: (row["commit_ts"], row["offset"]))
    assert [(json.loads(row["row_key"])["id"], value_of(row["after"]), row["op"]) for row in changes] == [
        ("1", "a", "upsert"),
        ("1", "b", "upsert"),
        ("1", "a", "upsert"),
        ("2", "x", "upsert"),
        ("1", None, "delete"),
        ("1", "c", "upsert"),
    ]
    assert {row["row_key"]: value_of(row["row"]) for row in AVRO.current} == {'{"id":"1"}': "c", '{"id":"2"}': "x"}


def test_a_text_in_a_column_that_was_binary_does_not_break_its_table() -> None:
    assert AVRO.retyped == [
        {"id": 1, "v": b"bytes", "_lossy": []},
        {"id": 2, "v": None, "_lossy": ["v:out_of_range"]},
    ]


def value_of(image: str | None) -> str | None:
    value: str | None = None if image is None else json.loads(image)["v"]
    return value


def test_a_schema_is_asked_for_once() -> None:
    """Of a registry that two feeds share, at most once for each of them."""
    ids = ["/schemas/ids/1", "/schemas/ids/2"]
    assert {stage: AVRO.asked[stage] for stage in AVRO.stages} == {Stage.FIRST: ids, Stage.SECOND: [], Stage.IDLE: []}


def test_messages_without_schema_are_dead_letters_with_the_reason() -> None:
    first = AVRO.dead[Stage.FIRST]
    assert first.keys() == {("file", 1), ("down", 0), ("down", 1)}
    assert first["file", 1].startswith("schema_missing: the value's writer schema 99 is not known: the file ")
    assert first["file", 1].endswith(" has no schema 99")
    for offset in (0, 1):
        reason = first["down", offset]
        assert reason.startswith(
            "schema_missing: the key's writer schema 1 is not known: the registry http://127.0.0.1:"
        )
        assert reason.endswith(" cannot be reached: NewConnectionError")
    missing = "the relation ticdc_raw.writer_schemas has no schema 99"
    assert AVRO.dead[Stage.SECOND] == first | {
        ("relation", 1): f"schema_missing: the value's writer schema 99 is not known: {missing}"
    }


def test_other_messages_are_decoded() -> None:
    """Also those that name a schema which an earlier run did not find."""
    decoded = {(row["topic"], row["offset"]) for row in AVRO.staged[Stage.SECOND] if row["kind"] == "row"}
    assert {
        ("file", 0),
        ("file", 2),
        ("file", 3),
        ("relation", 0),
        *(("http", offset) for offset in range(4)),
    } <= decoded
