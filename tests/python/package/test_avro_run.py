"""Avro through `ticdc run`: writer schemas from files, registries and relations, and commits that no message holds.

One session builds the same few messages again and again: `first` and `second` are increments, `idle` has no new
message, `anew` builds everything from the messages with a registry that is complete by then.
"""

from __future__ import annotations

import json
import os
from base64 import b64encode
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from support import session
from support import warehouse as embedded
from support.avro import COMMIT_TS, EXTENSION, body, column, extension, framed, record
from support.registry import registry

KEY = record(column("id", "int", "INT"))
COLUMNS = (column("id", "int", "INT"), column("v", "string", "TEXT"))
EXTENDED, PLAIN = record(*COLUMNS, *EXTENSION), record(*COLUMNS)
BINARY = record(COLUMNS[0], column("v", "bytes", "BLOB"), *EXTENSION)
SCHEMAS = {str(number): json.dumps(schema) for number, schema in enumerate((KEY, EXTENDED, PLAIN, BINARY), 1)}
LATE = "99"
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
    texts = {"key": b64encode(key).decode(), "value": None if value is None else b64encode(value).decode()}
    return {"topic": topic, "partition": 0, "offset": offset, "timestamp": at, **texts}


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
        "target_schema": "{feed}__{schema}",
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


@dataclass(frozen=True)
class Outcome:
    """What the staging and the marts held after each build, and what the registry was asked for in it."""

    staged: Mapping[str, list[dict[str, Any]]]
    dead: Mapping[str, dict[tuple[str, int], str]]
    asked: Mapping[str, list[str]]
    changelog: list[dict[str, Any]]
    current: list[dict[str, Any]]
    retyped: list[dict[str, Any]]
    files: tuple[Mapping[str, tuple[int, int]], Mapping[str, tuple[int, int]]]
    schemas_file: str


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Outcome]:
    folder = tmp_path_factory.mktemp("avro run")
    home = folder / "warehouse"
    file = folder / "registry.json"
    write_registry(file, SCHEMAS)
    dumps = folder / "messages"
    dumps.mkdir()
    placed_cuts, timed_cuts = cuts("placed", placed("placed")), cuts("timed", timed("timed"))
    gap = placed("gap")
    by_http = [extended("http", offset, 1, offset) for offset in range(4)]
    binary = {"id": 1, "v": b"bytes", **extension("c")}
    retyped = [line("retyped", 0, key(1), framed(body(BINARY, binary), schema_id=4)), extended("retyped", 1, 2, 1)]
    in_file = [extended("file", 0, 1, 1), extended("file", 1, 2, 2, int(LATE)), extended("file", 2, 3, 3)]
    write_lines(
        dumps / "first.jsonl",
        placed_cuts[0] + timed_cuts[0] + gap[:7] + gap[8:] + by_http[:2] + in_file + retyped,
        [{**each, "topic": "down"} for each in by_http[:2]],
    )
    staged, dead, asked = {}, {}, {}
    with registry(always_down) as gone:
        down_url = gone.url
    with registry(lambda number: (200, {"schema": SCHEMAS[server.asked[number - 1].rpartition("/")[2]]})) as server:
        feeds = [
            feed("placed", os.path.relpath(file), "placed%", "gap"),
            feed("timed", file, "timed%"),
            feed("file", file),
            feed("retyped", file),
            feed("http", server.url),
            feed("down", down_url),
        ]
        feeds_file = embedded.write_feeds(folder / "feeds.yml", feeds)
        rows = partial(session.ask, session.rows, home)

        def build(name: str, full_refresh: bool = False) -> None:
            before = len(server.asked)
            assert session.ask(session.run, home, dumps, feeds_file, full_refresh)
            asked[name] = sorted(server.asked[before:])
            staged[name] = rows("select * except (message_at, key, value) from stg_ticdc__avro")
            dead[name] = {
                (row["topic"], row["offset"]): f"{row['error_code']}: {row['error_message']}"
                for row in rows("select * from ticdc__dead_letters")
            }

        build("first")
        rows(
            "create table ticdc_raw.writer_schemas as "
            + " union all ".join(f"select {number} as id, '{text}' as schema" for number, text in SCHEMAS.items())
        )
        write_registry(file, {**SCHEMAS, LATE: SCHEMAS["2"]})
        embedded.write_feeds(feeds_file, [*feeds, feed("relation", "ticdc_raw.writer_schemas")])
        in_relation = [extended("relation", 0, 1, 1), extended("relation", 1, 2, 2, int(LATE))]
        write_lines(
            dumps / "second.jsonl",
            placed_cuts[1] + timed_cuts[1] + gap[7:8] + by_http[2:],
            [extended("file", 3, 4, 4, int(LATE)), *in_relation],
        )
        build("second")
        changelog = rows("select * from ticdc__changelog where feed = 'timed'")
        current = rows("select * from ticdc__current_rows where feed = 'timed'")
        typed = rows("select id, v, _lossy from retyped__shop.t order by id")
        before = embedded.files(home)
        (home / "work" / "last_build").unlink()
        build("idle")
        after = embedded.files(home)
        feeds[-1] = feed("down", server.url)
        embedded.write_feeds(feeds_file, [*feeds, feed("relation", "ticdc_raw.writer_schemas")])
        build("anew", full_refresh=True)
    yield Outcome(staged, dead, asked, changelog, current, typed, (before, after), os.path.relpath(file))


def always_down(number: int) -> tuple[int, Any]:
    raise AssertionError("it is not asked")


def write_registry(path: Path, schemas: Mapping[str, str]) -> None:
    path.write_text(json.dumps({number: {"schema": text} for number, text in schemas.items()}), encoding="utf-8")


def write_lines(path: Path, *lines: list[Line]) -> None:
    path.write_text("".join(json.dumps(each) + "\n" for part in lines for each in part), encoding="utf-8")


def commits(rows: list[dict[str, Any]], feed: str) -> dict[tuple[str, int], int]:
    """The commit of each staged row of a feed by topic and offset."""
    return {(row["topic"], row["offset"]): row["commit_ts"] for row in rows if row["feed"] == feed}


@pytest.mark.parametrize("build", ["second", "anew"])
def test_deletes_have_the_commit_of_their_place(outcome: Outcome, build: str) -> None:
    """However the messages came: cut anywhere, or one that others lie around."""
    found = commits(outcome.staged[build], "placed")
    for place in range(len(PLACED) + 1):
        got = [found[f"placed{place}", offset] - COMMIT_TS for offset in range(len(PLACED))]
        wanted = [commit for _, _, commit in PLACED]
        if build == "second":
            wanted = [CUT.get((place, offset), commit) for offset, commit in enumerate(wanted)]
        assert got == wanted, f"cut before offset {place}"
    assert [found["gap", offset] - COMMIT_TS for offset in range(len(PLACED))] == [commit for _, _, commit in PLACED]


@pytest.mark.parametrize("build", ["second", "anew"])
def test_rows_without_extension_have_the_time_of_their_message(outcome: Outcome, build: str) -> None:
    found = commits(outcome.staged[build], "timed")
    wanted = [((AT + second * 1000) << 18) + number for *_, (second, number) in TIMED]
    for place in range(len(TIMED) + 1):
        assert [found[f"timed{place}", offset] for offset in range(len(TIMED))] == wanted, f"cut before {place}"


def test_commits_are_looked_for_only_where_a_message_lacks_one(tmp_path: Path) -> None:
    """A deletion without value finds its place among rows that a run staged as they came."""
    home, dumps = tmp_path / "warehouse", tmp_path / "messages"
    dumps.mkdir()
    write_registry(tmp_path / "registry.json", SCHEMAS)
    feeds_file = embedded.write_feeds(tmp_path / "feeds.yml", [feed("told", tmp_path / "registry.json")])
    rows = ((1, 100), (2, 110), (1, 120), (1, None))
    lines = [extended("told", offset, row_id, commit) for offset, (row_id, commit) in enumerate(rows)]
    looked = []
    for number, part in enumerate((lines[:3], lines[3:])):
        write_lines(dumps / f"{number}.jsonl", part)
        assert session.ask(session.run, home, dumps, feeds_file)
        (model,) = (home / "work").rglob("compiled/**/stg_ticdc__avro.sql")
        looked.append("placed_rows" in model.read_text(encoding="utf-8"))
    assert looked == [False, True]
    found = commits(session.ask(session.rows, home, "select * from stg_ticdc__avro"), "told")
    assert [found["told", offset] - COMMIT_TS for offset in range(len(rows))] == [100, 110, 120, 120]


def test_commits_that_no_message_holds_are_not_exact(outcome: Outcome) -> None:
    for row in outcome.staged["second"]:
        if row["feed"] in ("placed", "timed"):
            sent = row["feed"] == "placed" and row["op"] != "delete"
            assert row["commit_ts_exact"] == sent
            assert ("*:no_commit_ts" in row["lossy"]) == (not sent)


def test_changes_of_one_time_are_all_there(outcome: Outcome) -> None:
    """Three changes of one row have the time of their messages in common, and the last is like the first."""
    changes = sorted(outcome.changelog, key=lambda row: (row["commit_ts"], row["offset"]))
    assert [(json.loads(row["row_key"])["id"], value_of(row["after"]), row["op"]) for row in changes] == [
        ("1", "a", "upsert"),
        ("1", "b", "upsert"),
        ("1", "a", "upsert"),
        ("2", "x", "upsert"),
        ("1", None, "delete"),
        ("1", "c", "upsert"),
    ]
    assert {row["row_key"]: value_of(row["row"]) for row in outcome.current} == {'{"id":"1"}': "c", '{"id":"2"}': "x"}


def test_a_text_in_a_column_that_was_binary_does_not_break_its_table(outcome: Outcome) -> None:
    assert outcome.retyped == [
        {"id": 1, "v": b"bytes", "_lossy": []},
        {"id": 2, "v": None, "_lossy": ["v:out_of_range"]},
    ]


def value_of(image: str | None) -> str | None:
    value: str | None = None if image is None else json.loads(image)["v"]
    return value


def test_a_schema_is_asked_for_once(outcome: Outcome) -> None:
    """Of a registry that two feeds share, at most once for each of them."""
    ids = ["/schemas/ids/1", "/schemas/ids/2"]
    anew = outcome.asked["anew"]
    assert outcome.asked == {"first": ids, "second": [], "idle": [], "anew": anew}
    # a process of Python that lives on since the first run knows them still
    assert set(anew) <= set(ids) and all(anew.count(each) <= 2 for each in ids)


def test_messages_without_schema_are_dead_letters_with_the_reason(outcome: Outcome) -> None:
    first = outcome.dead["first"]
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
    assert outcome.dead["second"] == first | {
        ("relation", 1): f"schema_missing: the value's writer schema 99 is not known: {missing}"
    }


def test_other_messages_are_decoded(outcome: Outcome) -> None:
    """Also those that name a schema which an earlier run did not find."""
    decoded = {(row["topic"], row["offset"]) for row in outcome.staged["second"] if row["kind"] == "row"}
    assert {
        ("file", 0),
        ("file", 2),
        ("file", 3),
        ("relation", 0),
        *(("http", offset) for offset in range(4)),
    } <= decoded


def test_a_build_anew_decodes_what_has_a_schema_by_then(outcome: Outcome) -> None:
    assert outcome.dead["anew"].keys() == {("relation", 1)}


def test_a_build_without_new_messages_writes_no_file(outcome: Outcome) -> None:
    seeds = {path.stem for path in (embedded.REPOSITORY / "seeds").glob("*.csv")}
    before, after = (
        {path: state for path, state in files.items() if not seeds & set(Path(path).parts)}
        for files in outcome.files  # dbt loads seeds in every build
    )
    assert len(before) > 50
    assert after == before
