"""What `ticdc__error_codes` and `ticdc__problems` tell to do: it is done, and what was wrong is gone.

One warehouse has a broken feed for each remedy. A re-drive has the options mended, then a redecode the protocols.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pytest
from support import avro as wire
from support import messages, session, simple
from support.avro import COMMIT_TS, EXTENSION, body, column, extension, framed
from support.dumps import line, write
from support.warehouse import write_feeds

from dbt_ticdc import cli, feeds, package_path
from dbt_ticdc.errors import TicdcError
from ticdc_udfs.contract.events import ErrorCode

REDRIVE, REDECODE = "ticdc redrive", "ticdc redecode"
KEY = wire.record(column("id", "int", "INT"))
ROW = wire.record(column("id", "int", "INT"), *EXTENSION)
ROW_OF_AVRO = {"id": 1, **extension("c", _tidb_commit_ts=COMMIT_TS)}
ROW_OF_CANAL = messages.to_bytes(messages.row_message({"id": "1"}, {"id": "int"}))
SCHEMAS = "{folder}/%s.json"
OF_REGISTRY = {"protocol": "avro", "options": {"schemas": SCHEMAS % "whole"}}

Feed = dict[str, Any]


class Case(NamedTuple):
    """A feed with a mistake: the code of its dead letter, what it says where that is wrong and where it is mended."""

    code: ErrorCode
    command: str
    value: bytes
    wrong: Feed
    right: Feed
    key: bytes | None = None


def with_option(name: str, wrong: str, right: str, protocol: str = "canal_json") -> tuple[Feed, Feed]:
    of_wrong, of_right = ({"protocol": protocol, "options": {name: value}} for value in (wrong, right))
    return of_wrong, of_right


def of_avro(code: ErrorCode, option: str, wrong: str, right: str) -> Case:
    wrong_feed, right_feed = (
        {**OF_REGISTRY, "options": {**OF_REGISTRY["options"], option: each}} for each in (wrong, right)
    )
    return Case(
        code,
        REDRIVE,
        framed(body(ROW, ROW_OF_AVRO), schema_id=2),
        wrong_feed,
        right_feed,
        framed(body(KEY, {"id": 1}), schema_id=1),
    )


CASES: Mapping[str, Case] = {
    "packed": Case(
        ErrorCode.BAD_JSON,
        REDRIVE,
        pa.compress(ROW_OF_CANAL, "lz4", asbytes=True),
        *with_option("compression", "none", "lz4"),
    ),
    "plain": Case(ErrorCode.BAD_COMPRESSION, REDRIVE, ROW_OF_CANAL, *with_option("compression", "lz4", "none")),
    "encoded": Case(
        ErrorCode.BAD_AVRO,
        REDRIVE,
        simple.to_json(simple.watermark_message(COMMIT_TS)),
        *with_option("encoding", "avro", "json", "simple"),
    ),
    "framing": of_avro(ErrorCode.BAD_FRAME, "framing", "glue", "confluent"),
    "schemas": of_avro(ErrorCode.SCHEMA_MISSING, "schemas", SCHEMAS % "half", SCHEMAS % "whole"),
    "json_of_another": Case(
        ErrorCode.BAD_JSON,
        REDECODE,
        simple.to_avro(simple.watermark_message(COMMIT_TS)),
        {"protocol": "canal_json"},
        {"protocol": "simple", "options": {"encoding": "avro"}},
    ),
    "shape_of_another": Case(
        ErrorCode.BAD_SHAPE, REDECODE, ROW_OF_CANAL, {"protocol": "simple"}, {"protocol": "canal_json"}
    ),
    "frame_of_another": Case(
        ErrorCode.BAD_FRAME, REDECODE, ROW_OF_CANAL, {"protocol": "open_protocol"}, {"protocol": "canal_json"}
    ),
    "avro_of_another": Case(
        ErrorCode.BAD_AVRO,
        REDECODE,
        ROW_OF_CANAL,
        {"protocol": "simple", "options": {"encoding": "avro"}},
        {"protocol": "canal_json"},
    ),
}
NOT_TRIED = {
    "bad_options": "the configuration is refused before anything is decoded",
    "not_utf8": "packed messages are no JSON first: this is text of another writer",
}
TWINS = ("one", "two")


def feed_list(are_mended: Sequence[str], folder: Path) -> list[Feed]:
    """The feeds, of which those are mended whose remedy is one of these commands."""
    found = []
    for name, case in CASES.items():
        told = case.right if case.command in are_mended else case.wrong
        of_feed = json.loads(json.dumps(told).replace("{folder}", str(folder)))
        found.append({"name": name, "topics": [name.replace("_", r"\_")], "target_schema": None, **of_feed})
    # of one upstream
    target = {"target_schema": "{feed}_{schema}"} if are_mended else {}
    return [*found, *({"name": name, "protocol": "canal_json", "topics": ["twins"], **target} for name in TWINS)]


@dataclass(frozen=True)
class Step:
    """What a warehouse told after a command: codes of dead letters by feed, and of problems of severity error."""

    dead: Mapping[str, str]
    errors: Sequence[Mapping[str, Any]]


@pytest.fixture(scope="module")
def steps(tmp_path_factory: pytest.TempPathFactory) -> list[Step]:
    folder = tmp_path_factory.mktemp("remedies")
    home, dump = folder / "warehouse", folder / "dump.jsonl"
    lines = [line(0, case.value, case.key, topic=name) for name, case in CASES.items()]
    write(dump, [*lines, *(line(offset, ROW_OF_CANAL, topic="twins") for offset in range(2))])
    schemas = {"1": {"schema": json.dumps(KEY)}, "2": {"schema": json.dumps(ROW)}}
    (folder / "whole.json").write_text(json.dumps(schemas))
    (folder / "half.json").write_text(json.dumps({"1": schemas["1"]}))
    files = [
        write_feeds(folder / f"{len(mended)}.yml", feed_list(mended, folder))
        for mended in ((), (REDRIVE,), (REDRIVE, REDECODE))
    ]
    session.opened(home, session.IN_MEMORY)
    found = []

    def look() -> None:
        dead = session.rows(home, "select feed, error_code from ticdc__dead_letters")
        errors = session.rows(home, "select * from ticdc__problems where severity = 'error'")
        found.append(Step({row["feed"]: row["error_code"] for row in dead}, errors))

    session.run(home, dump, files[0])
    look()
    session.redrive(home, files[1], [])
    look()
    # the rule that refuses it names the command that does it
    with pytest.raises(TicdcError, match=REDECODE):
        session.redrive(home, files[2], [])
    cli.redecode(session.opened(home), home, feeds.read_vars(files[2]))
    look()
    return found


def test_each_mistake_has_its_code(steps: list[Step]) -> None:
    assert steps[0].dead == {name: case.code for name, case in CASES.items()}


@pytest.mark.parametrize("name", CASES)
def test_a_dead_letter_is_gone_once_its_remedy_was_followed(steps: list[Step], name: str) -> None:
    """To correct the protocol and build with --full-refresh was told, and refused by the next rule."""
    dead = [name in step.dead for step in steps]
    assert dead == [True, CASES[name].command == REDECODE, False]


def test_feeds_of_one_upstream_have_tables_once_each_has_schemas_of_its_own(steps: list[Step]) -> None:
    """One row for the feed, as its tables have one cause, and not one for each of hundreds."""
    told = [[row for row in step.errors if row["code"] == "table_not_typed"] for step in steps]
    ((problem,), *later) = told
    assert problem["feed"] == "two" and "{feed}_{schema}" in problem["remedy"]
    assert later == [[], []]


def test_nothing_is_left_in_the_end(steps: list[Step]) -> None:
    assert [(row["feed"], row["code"]) for row in steps[-1].errors] == []


def test_every_remedy_with_a_command_is_tried() -> None:
    with (package_path() / "seeds" / "ticdc__error_codes.csv").open(encoding="utf-8") as file:
        remedies = {row["error_code"]: row["remedy"] for row in csv.DictReader(file)}
    told = {
        (code, command) for code, remedy in remedies.items() for command in (REDRIVE, REDECODE) if command in remedy
    }
    tried = {(str(case.code), case.command) for case in CASES.values()}
    assert {(code, command) for code, command in told if code not in NOT_TRIED} == tried
