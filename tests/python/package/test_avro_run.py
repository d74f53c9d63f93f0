"""Avro through `ticdc run`: writer schemas from files, registries and relations, and commits that no message holds.

The shared warehouse gets the messages in two increments, and then none. Another one is built in two, and then anew from
all messages with a registry that is complete by then.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from support import avro as wire
from support import session
from support import warehouse as embedded
from support.avro import COMMIT_TS, EXTENSION, body, column, extension, framed
from support.cases import Built, Stage, Story, record, story
from support.registry import registry

pytestmark = pytest.mark.usefixtures("built_cases")

KEY = wire.record(column("id", "int", "INT"))
COLUMNS = (column("id", "int", "INT"), column("v", "string", "TEXT"))
EXTENDED, PLAIN = wire.record(*COLUMNS, *EXTENSION), wire.record(*COLUMNS)
BINARY = wire.record(COLUMNS[0], column("v", "bytes", "BLOB"), *EXTENSION)
SCHEMAS = {str(number): json.dumps(schema) for number, schema in enumerate((KEY, EXTENDED, PLAIN, BINARY), 1)}
LATE = "99"
# Of this one, the rows come before the deletion.
TOLD = ((1, 100), (2, 110), (1, 120), (1, None))
AT = 1_795_238_204_400

# A row's id and commit (above COMMIT_TS), or the id of a deleted row and the commit that its place gives.
PLACED = (
    (9, None, 99),
    (1, 100, 100),
    (2, 110, 110),
    (1, None, 110),
    (2, None, 110),
    (1, 120, 120),
    (3, 130, 130),
    (3, None, 99),  # a replay begins after it
    (1, 100, 100),
    (2, 110, 110),
    (1, None, 110),
    (2, None, 110),
    (1, 120, 120),
    (3, 130, 130),
    (3, None, 130),
    (4, 140, 140),
    (5, 150, 150),
    (5, None, 150),
    (4, 140, 140),  # one record again, and the deletion
    (5, None, 150),
)
# At the end of the first run no row is known yet that comes next, or that brings a deleted row once more.
CUT = {(1, 0): (AT << 18) - COMMIT_TS, **{(place, 7): 130 for place in range(8, 14)}}
# A row's id, its value (None: deleted), the second of its message, and its commit: a second, and a number within it.
TIMED = (
    (1, "a", 5, (5, 0)),
    (1, "b", 5, (5, 1)),
    (1, "a", 5, (5, 2)),
    (2, "x", 3, (5, 3)),
    (1, None, 6, (5, 3)),
    (1, "c", 6, (6, 0)),
)

Line = dict[str, Any]


def line(topic: str, offset: int, key: bytes, value: bytes | None, at: int = AT) -> Line:
    """A Kafka record as a dump has it."""
    return dict(json.loads(record(topic, value, offset=offset, key=key, timestamp=at)))


def key(row_id: int) -> bytes:
    return framed(body(KEY, {"id": row_id}), schema_id=1)


def extended(topic: str, offset: int, row_id: int, commit: int | None, schema_id: int = 2) -> Line:
    """A row of a feed with the extension; without a commit its deletion."""
    if commit is None:
        return line(topic, offset, key(row_id), None)
    row = {"id": row_id, "v": "x", **extension("c", _tidb_commit_ts=COMMIT_TS + commit)}
    return line(topic, offset, key(row_id), framed(body(EXTENDED, row), schema_id=schema_id))


def placed(topic: str) -> list[Line]:
    return [extended(topic, offset, row_id, commit) for offset, (row_id, commit, _) in enumerate(PLACED)]


def timed(topic: str) -> list[Line]:
    return [
        line(
            topic,
            offset,
            key(row_id),
            None if text is None else framed(body(PLAIN, {"id": row_id, "v": text}), schema_id=3),
            AT + second * 1000,
        )
        for offset, (row_id, text, second, _) in enumerate(TIMED)
    ]


def feed(name: str, schemas: Path | str, *topics: str) -> dict[str, Any]:
    options = {"schemas": str(schemas), "framing": "confluent"}
    return {
        "name": name,
        "protocol": "avro",
        "topics": topics or [name],
        "options": options,
        "target_schema": "{feed}__{schema}" if name == "retyped" else None,
    }


def cuts(name: str, lines: list[Line]) -> tuple[list[Line], list[Line]]:
    """The same messages in a topic per place where two runs can be cut: what the first run and the second get."""
    first: list[Line] = []
    second: list[Line] = []
    for place in range(len(lines) + 1):
        topic = [{**each, "topic": f"{name}{place}"} for each in lines]
        first += topic[:place]
        second += topic[place:]
    return first, second


def lines_of(first: bool) -> list[Line]:
    """What the first build gets, and the second."""
    placed_lines, timed_lines = cuts("placed", placed("placed")), cuts("timed", timed("timed"))
    gap, by_http = placed("gap"), [extended("http", offset, 1, offset) for offset in range(4)]
    if not first:
        in_relation = [extended("relation", 0, 1, 1), extended("relation", 1, 2, 2, int(LATE))]
        late = extended("file", 3, 4, 4, int(LATE))
        return [*placed_lines[1], *timed_lines[1], *gap[7:8], *by_http[2:], late, *in_relation]
    binary = {"id": 1, "v": b"bytes", **extension("c")}
    retyped = [line("retyped", 0, key(1), framed(body(BINARY, binary), schema_id=4)), extended("retyped", 1, 2, 1)]
    in_file = [extended("file", 0, 1, 1), extended("file", 1, 2, 2, int(LATE)), extended("file", 2, 3, 3)]
    down = [{**each, "topic": "down"} for each in by_http[:2]]
    return [*placed_lines[0], *timed_lines[0], *gap[:7], *gap[8:], *by_http[:2], *in_file, *retyped, *down]


def texts(lines: Iterable[Line]) -> list[str]:
    return [json.dumps(each) + "\n" for each in lines]


def down_url() -> str:
    """The address of a registry that is not there any more."""
    with registry(always_down) as gone:
        return gone.url


def feeds_of(file: Path | str, server_url: str, of_down: str, has_relation: bool) -> list[dict[str, Any]]:
    feeds = [
        feed("placed", os.path.relpath(file), "placed%", "gap"),
        feed("timed", file, "timed%"),
        feed("file", file),
        feed("retyped", file),
        feed("http", server_url),
        feed("down", of_down),
    ]
    return [*feeds, feed("relation", "ticdc_raw.writer_schemas")] if has_relation else feeds


RELATION = "create table ticdc_raw.writer_schemas as " + " union all ".join(
    f"select {number} as id, '{text}' as schema" for number, text in SCHEMAS.items()
)


class AvroBuilds(Story):
    """What the staging and the marts held after each build, and what the registry was asked for in it."""

    stages = (Stage.FIRST, Stage.SECOND, Stage.IDLE)

    def begin(self, folder: Path) -> None:
        self.file, self.down_url = folder / "registry.json", down_url()
        self.staged: dict[Stage, list[dict[str, Any]]] = {}
        self.dead: dict[Stage, dict[tuple[str, int], str]] = {}
        self.asked: dict[Stage, list[str]] = {}
        self.stack = ExitStack()
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
            self.changelog = built.rows("select * from ticdc__changelog where feed = 'timed'")
            self.current = built.rows("select * from ticdc__current_rows where feed = 'timed'")
            self.retyped = built.rows("select id, v, _lossy from retyped__shop.t order by id")


AVRO = AvroBuilds()
story(AVRO)
FEEDS = "('placed', 'timed', 'file', 'retyped', 'http', 'down', 'relation', 'told')"
Query = Callable[[str], list[dict[str, Any]]]


def staging(rows: Query) -> list[dict[str, Any]]:
    return rows(f"select * except (message_at, key, value) from stg_ticdc__avro where feed in {FEEDS}")


def dead_letters(rows: Query) -> dict[tuple[str, int], str]:
    """Code and message by topic and offset."""
    letters = rows(f"select * from ticdc__dead_letters where feed in {FEEDS}")
    return {(row["topic"], row["offset"]): f"{row['error_code']}: {row['error_message']}" for row in letters}


@dataclass(frozen=True)
class Anew:
    """A warehouse of its own that is built in two runs, and then from all messages with a complete registry."""

    looked: list[bool]
    told: list[dict[str, Any]]
    staged: list[dict[str, Any]]
    dead: dict[tuple[str, int], str]
    asked: list[str]


@pytest.fixture(scope="module")
def anew(tmp_path_factory: pytest.TempPathFactory) -> Anew:
    folder = tmp_path_factory.mktemp("avro anew")
    home, dumps, file = folder / "warehouse", folder / "messages", folder / "registry.json"
    dumps.mkdir()
    write_registry(file, SCHEMAS)
    rows = partial(session.rows, home)
    told = [extended("told", offset, row_id, commit) for offset, (row_id, commit) in enumerate(TOLD)]
    looked = []

    def build(number: int, lines: Iterable[Line], feeds: list[dict[str, Any]], full_refresh: bool = False) -> None:
        (dumps / f"{number}.jsonl").write_text("".join(texts(lines)), encoding="utf-8")
        feeds_file = embedded.write_feeds(folder / "feeds.yml", [{**each, "target_schema": None} for each in feeds])
        assert session.run(home, dumps, feeds_file, full_refresh=full_refresh)
        (model,) = (home / "work").rglob("compiled/**/stg_ticdc__avro.sql")
        looked.append("placed_rows" in model.read_text(encoding="utf-8"))

    with registry(lambda number: (200, {"schema": SCHEMAS[server.asked[number - 1].rpartition("/")[2]]})) as server:
        build(0, told[:3], [feed("told", file)])
        rows(RELATION)
        feeds = [feed("told", file), *feeds_of(file, server.url, down_url(), True)]
        build(1, [*told[3:], *lines_of(True)], feeds)
        found = staging(rows)
        before = len(server.asked)
        write_registry(file, {**SCHEMAS, LATE: SCHEMAS["2"]})
        feeds = [feed("told", file), *feeds_of(file, server.url, server.url, True)]
        build(2, lines_of(False), feeds, full_refresh=True)
        return Anew(looked, found, staging(rows), dead_letters(rows), sorted(server.asked[before:]))


def always_down(number: int) -> tuple[int, Any]:
    raise AssertionError("it is not asked")


def write_registry(path: Path, schemas: Mapping[str, str]) -> None:
    path.write_text(json.dumps({number: {"schema": text} for number, text in schemas.items()}), encoding="utf-8")


def commits(rows: list[dict[str, Any]], feed: str) -> dict[tuple[str, int], int]:
    """The commit of each staged row of a feed by topic and offset."""
    return {(row["topic"], row["offset"]): row["commit_ts"] for row in rows if row["feed"] == feed}


def staged(build: str, anew: Anew) -> list[dict[str, Any]]:
    return anew.staged if build == "anew" else AVRO.staged[Stage.SECOND]


@pytest.mark.parametrize("build", ["second", "anew"])
def test_deletes_have_the_commit_of_their_place(anew: Anew, build: str) -> None:
    """However the messages came: cut anywhere, or one that others lie around."""
    found = commits(staged(build, anew), "placed")
    for place in range(len(PLACED) + 1):
        got = [found[f"placed{place}", offset] - COMMIT_TS for offset in range(len(PLACED))]
        wanted = [commit for _, _, commit in PLACED]
        if build == "second":
            wanted = [CUT.get((place, offset), commit) for offset, commit in enumerate(wanted)]
        assert got == wanted, f"cut before offset {place}"
    assert [found["gap", offset] - COMMIT_TS for offset in range(len(PLACED))] == [commit for _, _, commit in PLACED]


@pytest.mark.parametrize("build", ["second", "anew"])
def test_rows_without_extension_have_the_time_of_their_message(anew: Anew, build: str) -> None:
    found = commits(staged(build, anew), "timed")
    wanted = [((AT + second * 1000) << 18) + number for *_, (second, number) in TIMED]
    for place in range(len(TIMED) + 1):
        assert [found[f"timed{place}", offset] for offset in range(len(TIMED))] == wanted, f"cut before {place}"


def test_commits_are_looked_for_only_where_a_message_lacks_one(anew: Anew) -> None:
    """A deletion without value finds its place among rows that a run staged as they came."""
    assert anew.looked == [False, True, True]
    found = commits(anew.told, "told")
    assert [found["told", offset] - COMMIT_TS for offset in range(len(TOLD))] == [100, 110, 120, 120]


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


def test_a_schema_is_asked_for_once(anew: Anew) -> None:
    """Of a registry that two feeds share, at most once for each of them."""
    ids = ["/schemas/ids/1", "/schemas/ids/2"]
    assert {stage: AVRO.asked[stage] for stage in AVRO.stages} == {Stage.FIRST: ids, Stage.SECOND: [], Stage.IDLE: []}
    # a process of Python that lives on since the first run knows them still
    assert set(anew.asked) <= set(ids) and all(anew.asked.count(each) <= 2 for each in ids)


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


def test_a_build_anew_decodes_what_has_a_schema_by_then(anew: Anew) -> None:
    assert anew.dead.keys() == {("relation", 1)}
