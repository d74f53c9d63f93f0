"""Avro through `ticdc run`: writer schemas from files, registries and relations, and commits that no message holds.

One session builds the same few messages again and again: `first` and `second` are increments, `redriven` decodes the
dead letters again, `idle` has no new message, `anew` builds everything from the messages with registries that are
complete by then.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from base64 import b64encode
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from support import messages, session
from support import warehouse as embedded
from support.avro import COMMIT_TS, EXTENSION, body, column, extension, framed, record
from support.registry import registry

KEY = record(column("id", "int", "INT"))
COLUMNS = (column("id", "int", "INT"), column("v", "string", "TEXT"))
EXTENDED, PLAIN = record(*COLUMNS, *EXTENSION), record(*COLUMNS)
SCHEMAS = {"1": json.dumps(KEY), "2": json.dumps(EXTENDED), "3": json.dumps(PLAIN)}
LATE, NEVER = "99", "98"
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
)
# Where the next row is not known yet: at the end of the first run.
CUT = {(1, 0): (AT << 18) - COMMIT_TS, (8, 7): 130}
# A row's id, its value (None: deleted), the second of its message, and its commit: a second, and a number within it.
TIMED = (
    (1, "a", 5, (5, 0)),
    (1, "b", 5, (5, 1)),
    (1, "a", 5, (5, 2)),
    (2, "x", 3, (5, 3)),
    (1, None, 6, (5, 3)),
    (1, "c", 6, (6, 0)),
)

# A row's id, its commit (None: deleted) and its schema: the second's comes late, and the deletion is of its commit.
OUT_OF_PLACE = ((1, 100, "2"), (1, 110, LATE), (1, None, ""), (2, 120, "2"))
AILING = {
    "down": "the key's writer schema 1 is not known: the registry {url} cannot be reached: NewConnectionError",
    "slow": "the key's writer schema 1 is not known: the registry {url} cannot be reached: ReadTimeoutError",
    "broken": "the key's writer schema 1 is not known: the registry {url} is not able to answer: HTTP 503",
    "lacking": "the value's writer schema 2 is not known: the registry {url} gives no schema 2: HTTP 404 (40403)",
}
# What holds the changes of a feed and what is known of them, whatever the runs were.
MARTS = ("changelog", "current_rows", "row_history", "ddl_history", "columns", "completeness", "accounting", "problems")

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


def out_of_place() -> list[Line]:
    return [
        extended("out_of_place", offset, row_id, commit, int(schema_id or 0))
        for offset, (row_id, commit, schema_id) in enumerate(OUT_OF_PLACE)
    ]


def compressed(topic: str) -> list[Line]:
    """Canal-JSON in LZ4 of a table that DDL alters; the last two messages come later."""

    def row(commit: int, row_id: int, **columns: str) -> dict[str, Any]:
        data, types = {"id": str(row_id), **columns}, {"id": "int", "v": "varchar", "w": "int"}
        types = {name: types[name] for name in data}
        return messages.row_message(data, types, es=AT, tidb={"commitTs": COMMIT_TS + commit})

    def ddl(commit: int, sql: str, kind: str) -> dict[str, Any]:
        return messages.ddl_message(sql, kind, es=AT, _tidb={"commitTs": COMMIT_TS + commit})

    wire = [
        ddl(1, "CREATE TABLE `t` (`id` INT PRIMARY KEY, `v` VARCHAR(9))", "CREATE"),
        row(2, 1, v="a"),
        row(3, 2, v="b"),
        ddl(4, "ALTER TABLE `t` ADD COLUMN `w` INT DEFAULT 7", "ALTER"),
        messages.watermark_message(COMMIT_TS + 5),
        row(6, 3, v="c", w="8"),
        messages.watermark_message(COMMIT_TS + 7),
    ]
    return [
        line(topic, offset, b"", pa.compress(messages.to_bytes(each), "lz4", asbytes=True))
        for offset, each in enumerate(wire)
    ]


def canal(name: str, compression: str) -> dict[str, Any]:
    return {**feed(name, ""), "protocol": "canal_json", "topics": ["canal"], "options": {"compression": compression}}


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
    letters: Mapping[str, dict[tuple[str, int], dict[str, Any]]]
    marts: Mapping[str, dict[str, list[dict[str, Any]]]]
    urls: Mapping[str, str]
    asked: Mapping[str, list[str]]
    changelog: list[dict[str, Any]]
    current: list[dict[str, Any]]
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
    in_file = [extended("file", 0, 1, 1), extended("file", 1, 2, 2, int(LATE)), extended("file", 2, 3, 3)]
    canal_lines = compressed("canal")
    write_lines(
        dumps / "first.jsonl",
        placed_cuts[0] + timed_cuts[0] + gap[:7] + gap[8:] + by_http[:2] + in_file,
        [{**each, "topic": name} for name in AILING for each in by_http[:2]],
        out_of_place() + canal_lines[:5],
    )
    write_lines(dumps / "gone.jsonl", [extended("gone", 0, 1, 1, int(NEVER))])
    staged, dead, asked, letters, marts = {}, {}, {}, {}, {}
    ailing = {"slow", "broken", "lacking"}

    def ail(number: int) -> tuple[int, Any]:
        _, name, *_, schema_id = sickbed.asked[number - 1].split("/")
        if name in ailing and name == "slow":
            time.sleep(2)
        if name in ailing and name == "broken":
            return 503, {}
        if (name in ailing and schema_id == "2") or (name == "broken" and "second" in staged and "idle" not in staged):
            return 404, {"error_code": 40403}
        return 200, {"schema": SCHEMAS[schema_id]}

    with registry(always_down) as gone:
        down_url = gone.url
    with (
        registry(lambda number: (200, {"schema": SCHEMAS[server.asked[number - 1].rpartition("/")[2]]})) as server,
        registry(ail) as sickbed,
        pytest.MonkeyPatch.context() as environment,
    ):
        environment.setenv("TICDC_REGISTRY_TIMEOUT", "0.5")
        urls = {"down": down_url, **{name: f"{sickbed.url}/{name}" for name in sorted(ailing)}}
        feeds = [
            feed("placed", os.path.relpath(file), "placed%", "gap"),
            feed("timed", file, "timed%"),
            feed("file", file),
            feed("http", server.url),
            feed("down", down_url),
            *(feed(name, urls[name]) for name in sorted(ailing)),
            feed("out_of_place", file),
            feed("gone", file),
            canal("whole", "lz4"),
            canal("healed", "none"),
        ]
        feeds_file = write_feeds(folder / "feeds.yml", feeds)
        with session.executor() as process:

            def build(name: str, full_refresh: bool = False, redrive: bool = False) -> None:
                before = len(server.asked)
                if redrive:
                    process.submit(session.redrive, home, feeds_file).result()
                else:
                    assert process.submit(session.run, home, dumps, feeds_file, full_refresh).result()
                asked[name] = sorted(server.asked[before:])
                staged[name] = rows("select * except (message_at, key, value) from stg_ticdc__avro")
                letters[name] = {(row["feed"], row["offset"]): row for row in rows("select * from ticdc__dead_letters")}
                dead[name] = {
                    place: f"{row['error_code']}: {row['error_message']}" for place, row in letters[name].items()
                }
                if name in ("redriven", "anew"):
                    marts[name] = {mart: rows(f"select * from ticdc__{mart}") for mart in MARTS}

            def rows(query: str) -> list[dict[str, Any]]:
                found: list[dict[str, Any]] = process.submit(session.rows, home, query).result()
                return found

            build("first")
            rows(
                "create table ticdc_raw.writer_schemas as "
                + " union all ".join(f"select {number} as id, '{text}' as schema" for number, text in SCHEMAS.items())
            )
            write_registry(file, {**SCHEMAS, LATE: SCHEMAS["2"]})
            feeds[-1] = canal("healed", "lz4")
            feeds.append(feed("relation", "ticdc_raw.writer_schemas"))
            write_feeds(feeds_file, feeds, "hash")
            in_relation = [extended("relation", 0, 1, 1), extended("relation", 1, 2, 2, int(LATE))]
            write_lines(
                dumps / "second.jsonl",
                placed_cuts[1] + timed_cuts[1] + gap[7:8] + by_http[2:],
                [extended("file", 3, 4, 4, int(LATE)), *in_relation],
                canal_lines[5:],
            )
            build("second")
            changelog = rows("select * from ticdc__changelog where feed = 'timed'")
            current = rows("select * from ticdc__current_rows where feed = 'timed'")
            feeds[4] = feed("down", f"{sickbed.url}/well")
            write_feeds(feeds_file, feeds, "cut")
            ailing.clear()
            (dumps / "gone.jsonl").unlink()
            rows("create table ticdc_raw.kept as select * from ticdc_raw.messages where topic <> 'gone'")
            rows("drop table ticdc_raw.messages")
            rows("alter table ticdc_raw.kept rename to ticdc_raw.messages")
            process.submit(session.stage_dead_letters, home, feeds_file, ["healed", "file"]).result()
            build("redriven", redrive=True)
            before = embedded.files(home)
            (home / "work" / "last_build").unlink()
            build("idle")
            after = embedded.files(home)
            feeds[4] = feed("down", server.url)
            write_feeds(feeds_file, feeds)
            build("anew", full_refresh=True)
    yield Outcome(staged, dead, letters, marts, urls, asked, changelog, current, (before, after), os.path.relpath(file))


def always_down(number: int) -> tuple[int, Any]:
    raise AssertionError("it is not asked")


def write_registry(path: Path, schemas: Mapping[str, str]) -> None:
    path.write_text(json.dumps({number: {"schema": text} for number, text in schemas.items()}), encoding="utf-8")


def write_feeds(path: Path, feeds: list[dict[str, Any]], payloads: str = "keep") -> Path:
    path.write_text(json.dumps({"feeds": feeds, "ticdc__dead_letter_payloads": payloads}), encoding="utf-8")
    return path


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


def value_of(image: str | None) -> str | None:
    value: str | None = None if image is None else json.loads(image)["v"]
    return value


def test_a_schema_is_asked_for_once(outcome: Outcome) -> None:
    """Of a registry that two feeds share, at most once for each of them."""
    ids = ["/schemas/ids/1", "/schemas/ids/2"]
    anew = outcome.asked["anew"]
    assert outcome.asked == {"first": ids, "second": [], "redriven": [], "idle": [], "anew": anew}
    assert set(anew) == set(ids) and all(anew.count(each) <= 2 for each in ids)


def test_messages_without_schema_are_dead_letters_with_the_reason(outcome: Outcome) -> None:
    first = outcome.dead["first"]
    assert first.keys() == {
        ("file", 1),
        ("out_of_place", 1),
        ("gone", 0),
        *((name, offset) for name in AILING for offset in (0, 1)),
        *(("healed", offset) for offset in range(5)),
    }
    assert first["file", 1].startswith("schema_missing: the value's writer schema 99 is not known: the file ")
    assert first["file", 1].endswith(" has no schema 99")
    missing = "the relation ticdc_raw.writer_schemas has no schema 99"
    assert outcome.dead["second"] == first | {
        ("relation", 1): f"schema_missing: the value's writer schema 99 is not known: {missing}"
    }


@pytest.mark.parametrize("name", AILING)
def test_a_registry_that_ails_gives_dead_letters_with_the_reason(outcome: Outcome, name: str) -> None:
    """One that is down, is slow, fails, or lacks the id."""
    reason = "schema_missing: " + AILING[name].format(url=outcome.urls[name])
    assert [outcome.dead["first"][name, offset] for offset in (0, 1)] == [reason] * 2


def test_a_redrive_heals_dead_letters(outcome: Outcome) -> None:
    """All but those without a schema still: they have the reason of now, and those that are gone say so."""
    url = outcome.urls["broken"]
    still = f"schema_missing: the key's writer schema 1 is not known: the registry {url} gives no schema 1"
    gone = outcome.dead["second"]["gone", 0].replace(": ", ": the source no longer has the message; it was: ", 1)
    assert outcome.dead["redriven"] == {
        ("relation", 1): outcome.dead["second"]["relation", 1],
        ("broken", 0): still + ": HTTP 404 (40403)",
        ("broken", 1): still + ": HTTP 404 (40403)",
        ("gone", 0): gone,
    }
    assert outcome.dead["idle"] == outcome.dead["redriven"]


@pytest.mark.parametrize("name", ["file", "down", "slow", "lacking", "out_of_place", "whole", "healed"])
def test_after_a_redrive_all_is_as_if_nothing_had_happened(outcome: Outcome, name: str) -> None:
    """As in a build of everything anew, also where the run was killed once (`file`, `healed`)."""
    for mart in MARTS:
        redriven, anew = (of_feed(outcome.marts[build][mart], name) for build in ("redriven", "anew"))
        assert redriven == anew, mart
        assert redriven or mart in ("ddl_history", "problems")
    (accounting,) = (row for row in outcome.marts["redriven"]["accounting"] if row["feed"] == name)
    assert accounting["balanced"] and accounting["dead_letters"] == 0


def of_feed(rows: list[dict[str, Any]], feed: str) -> list[str]:
    return sorted(str({**row, "feed": None}) for row in rows if row["feed"] == feed)


def test_ddl_among_dead_letters_counts_from_its_commit_on(outcome: Outcome) -> None:
    """As in a feed of the same topic that had no dead letter."""
    for mart in MARTS:
        rows = outcome.marts["redriven"][mart]
        assert of_feed(rows, "healed") == of_feed(rows, "whole"), mart
    current = outcome.marts["redriven"]["current_rows"]
    assert sorted(row["row"] for row in current if row["feed"] == "healed") == [
        '{"id":"1","v":"a","w":"7"}',
        '{"id":"2","v":"b","w":"7"}',
        '{"id":"3","v":"c","w":"8"}',
    ]


def test_a_deletion_has_the_commit_of_its_place_after_a_redrive(outcome: Outcome) -> None:
    for build, row_ids in (("redriven", ["2"]), ("anew", ["2"])):
        current = [row for row in outcome.marts[build]["current_rows"] if row["feed"] == "out_of_place"]
        assert [json.loads(row["row"])["id"] for row in current] == row_ids
    assert commits(outcome.staged["second"], "out_of_place")["out_of_place", 2] == COMMIT_TS + 100
    assert commits(outcome.staged["anew"], "out_of_place")["out_of_place", 2] == COMMIT_TS + 110


def test_payloads_of_dead_letters(outcome: Outcome) -> None:
    """Kept in `first`, hashed in `second`, cut in `redriven`; each as it was when the message was decoded."""

    def shown(build: str, feed: str, offset: int) -> tuple[Any, ...]:
        letter = outcome.letters[build][feed, offset]
        payload = (letter[name] and bytes(letter[name]) for name in ("key", "value"))
        return (*payload, letter["key_length"], letter["value_length"])

    row = {"id": 2, "v": "x", **extension("c", _tidb_commit_ts=COMMIT_TS + 2)}
    value = framed(body(EXTENDED, row), schema_id=int(LATE))
    lengths = len(key(2)), len(value)
    assert shown("first", "file", 1) == (key(2), value, *lengths)
    digests = [hashlib.sha256(each).digest() for each in (key(2), value)]
    assert shown("second", "relation", 1) == (*digests, *lengths)
    assert shown("redriven", "relation", 1) == (*digests, *lengths)
    assert shown("redriven", "broken", 1)[:2] == (None, None)
    assert shown("redriven", "broken", 1)[2:] == shown("first", "broken", 1)[2:]
    assert shown("redriven", "gone", 0) == shown("first", "gone", 0)


def test_what_fails_as_before_is_not_written_again(outcome: Outcome) -> None:
    staged = [row for row in outcome.staged["redriven"] if row["feed"] in ("relation", "file")]
    assert [row["offset"] for row in staged if row["feed"] == "relation"].count(1) == 1
    assert sorted((row["offset"], row["is_redriven"]) for row in staged if row["feed"] == "file") == [
        (0, False),
        (1, False),
        (1, True),
        (2, False),
        (3, False),
    ]


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
