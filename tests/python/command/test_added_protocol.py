"""The recipe "Add a protocol" of CONTRIBUTING.md, followed in a copy of the project with a protocol `toy`."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.dumps import TIMESTAMP, line, write
from support.parsed import parsed
from support.session import JAVA_OPTIONS, JVM, SMALL

from ticdc_udfs.contract.options import OPTIONS
from ticdc_udfs.protocols import resolution
from ticdc_udfs.spark.registry import UDFS

ROOT = Path(__file__).parents[3]
COPIED = ("dbt_project.yml", "macros", "models", "seeds", "tests/generic", "udfs")
LIKE = "canal_json"
MESSAGE = '''
"""Toy: one JSON object per message, of texts alone."""

from __future__ import annotations

import msgspec

from ticdc_udfs.contract.events import DecodeError, ErrorCode, Event, Kind
from ticdc_udfs.contract.options import Options
from ticdc_udfs.contract.schemas import Column, table_schema, write_json


class _Message(msgspec.Struct):
    ts: int
    op: str
    db: str = ""
    table: str = ""
    key: list[str] = []
    row: dict[str, str | None] = {}


def decode(key: bytes | None, value: bytes | None, options: Options) -> tuple[Event, ...]:
    """The one event of a message. Raises `DecodeError`."""
    try:
        message = msgspec.json.decode(value or b"", type=_Message)
    except msgspec.DecodeError as error:
        raise DecodeError(ErrorCode.BAD_JSON, "no toy message") from error
    if message.op == "watermark":
        return (Event(Kind.WATERMARK, commit_ts=message.ts),)
    places = {column: place for place, column in enumerate(message.key, start=1)}
    schema = table_schema([Column(column, "varchar(9)", places.get(column, 0)) for column in message.row])
    image = write_json(message.row)
    return (
        Event(
            Kind.ROW,
            commit_ts=message.ts,
            schema_name=message.db,
            table_name=message.table,
            op=message.op,
            row_key=write_json({column: message.row[column] for column in message.key}),
            before=image if message.op == "delete" else None,
            after=None if message.op == "delete" else image,
            table_schema_id=schema.id,
            table_schema=schema.text,
        ),
    )
'''
INIT = '''"""Toy: `message` decodes one message."""

from ticdc_udfs.protocols.toy.message import decode

__all__ = ["decode"]
'''
FEEDS = [{"name": "play", "protocol": "toy", "topics": ["play"], "partitions": 1}]


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The copy after the steps of the recipe."""
    home = tmp_path_factory.mktemp("copy")
    for name in COPIED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, home / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, home / name)
    udfs = home / "udfs" / "ticdc_udfs"
    # 1. the decoder, and its line in the registry
    room = udfs / "protocols" / "toy"
    room.mkdir()
    (room / "message.py").write_text(MESSAGE.lstrip(), encoding="utf-8")
    (room / "__init__.py").write_text(INIT, encoding="utf-8")
    registry = udfs / "spark" / "registry.py"
    put_in(registry, "    canal_json,\n", "    canal_json,\n    toy,\n")
    put_in(registry, "import dataclass\n", "import dataclass\nfrom functools import partial\n")
    of_canal_json = '    _decoder("canal_json", canal_json.decode_batch),\n'
    put_in(registry, of_canal_json, of_canal_json + '    _decoder("toy", partial(arrow.decode_each, toy.decode)),\n')
    # 2. nothing is left to tell of its rows once the schema is known
    put_in(
        udfs / "protocols" / "resolution.py",
        '    "avro": Finish(',
        '    "toy": Finish(lambda column, feed: None),\n    "avro": Finish(',
    )
    # 3. its options, and what the protocol tells
    options = udfs / "contract" / "options.py"
    taken = re.search(rf'    "{LIKE}": {{.*?}},\n', options.read_text(encoding="utf-8"))
    assert taken is not None
    put_in(options, taken[0], taken[0] + taken[0].replace(LIKE, "toy"))
    protocols = home / "macros" / "config" / "protocols.sql"
    told = re.search(rf'        "{LIKE}": {{.*?\n        }},\n', protocols.read_text(encoding="utf-8"), re.DOTALL)
    assert told is not None
    put_in(protocols, told[0], told[0] + told[0].replace(LIKE, "toy"))
    # 4. the staging model
    like(home / "models" / "staging" / LIKE)
    return home


def put_in(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1, f"{path.name} has no {old}"
    path.write_text(text.replace(old, new), encoding="utf-8")


def like(folder: Path) -> None:
    """The files of another protocol's folder, with the name of the new one."""
    there = folder.with_name("toy")
    there.mkdir()
    for file in folder.iterdir():
        text = file.read_text(encoding="utf-8").replace(LIKE, "toy")
        (there / file.name.replace(LIKE, "toy")).write_text(text, encoding="utf-8")


def messages() -> Iterator[dict[str, Any]]:
    table = {"db": "shop", "table": "carts", "key": ["id"]}
    yield {**table, "ts": (TIMESTAMP + 10) << 18, "op": "insert", "row": {"id": "1", "v": "a"}}
    yield {**table, "ts": (TIMESTAMP + 11) << 18, "op": "insert", "row": {"id": "2", "v": "b"}}
    yield {**table, "ts": (TIMESTAMP + 12) << 18, "op": "update", "row": {"id": "1", "v": None}}
    yield {**table, "ts": (TIMESTAMP + 13) << 18, "op": "delete", "row": {"id": "2", "v": "b"}}
    yield {"ts": (TIMESTAMP + 14) << 18, "op": "watermark"}


def python(copy: Path, *arguments: str | Path) -> str:
    environment = {**os.environ, "PYTHONPATH": str(copy / "udfs"), JAVA_OPTIONS: f"{JVM} {SMALL}"}
    command = [sys.executable, *map(str, arguments)]
    done = subprocess.run(command, env=environment, cwd=copy, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, f"{done.stdout[-4000:]}\n{done.stderr[-4000:]}"
    return done.stdout


def test_the_project_knows_the_protocol(copy: Path, tmp_path: Path) -> None:
    manifest = parsed(tmp_path, {"ticdc__feeds": FEEDS}, copy)
    assert manifest.nodes["model.ticdc.stg_ticdc__toy"].config.enabled
    events = manifest.nodes["model.ticdc.int_ticdc__events"].to_dict()
    assert "model.ticdc.stg_ticdc__toy" in events["depends_on"]["nodes"]
    code = "from ticdc_udfs.spark.registry import UDFS; print(*(udf.name for udf in UDFS))"
    assert "ticdc_decode_toy" in python(copy, "-c", code).split()


BUILD = """
import json, sys
from pathlib import Path
from dbt_ticdc import cli, feeds, messages, warehouse

home = Path("warehouse").resolve()
one_task = {"spark.sql.shuffle.partitions": "1", "spark.sql.leafNodeDefaultParallelism": "1"}
spark = warehouse.open_session(home, {"spark.sql.catalogImplementation": "in-memory", **one_task})
cli.run(spark, home, feeds.read_vars(Path("feeds.json")), messages.find_files([Path("toy.jsonl")]))
found = {
    name: [row.asDict() for row in spark.sql(f"select {columns} from ticdc__{name} order by 1, 2").collect()]
    for name, columns in json.loads(sys.argv[1]).items()
}
print(json.dumps(found))
spark.stop()
"""


@pytest.mark.soak("corpus")
def test_its_messages_become_rows(copy: Path) -> None:
    write(
        copy / "toy.jsonl",
        [line(*pair, topic="play") for pair in enumerate(json.dumps(one).encode() for one in messages())],
    )
    (copy / "feeds.json").write_text(json.dumps(FEEDS), encoding="utf-8")
    wanted = {
        "changelog": f"shiftright(commit_ts, 18) - {TIMESTAMP} as at, op, row_key, before, after",
        "current_rows": "feed, table_name, row",
        "dead_letters": "*",
        "problems": "*",
    }
    found = json.loads(python(copy, "-c", BUILD, json.dumps(wanted)).splitlines()[-1])
    assert found["dead_letters"] == found["problems"] == []
    one, two = '{"id":"1"}', '{"id":"2"}'
    # a message of an update brings no old image
    first, last, other = '{"id":"1","v":"a"}', '{"id":"1","v":null}', '{"id":"2","v":"b"}'
    assert [tuple(row.values()) for row in found["changelog"]] == [
        (10, "insert", one, None, first),
        (11, "insert", two, None, other),
        (12, "update", one, None, last),
        (13, "delete", two, other, None),
    ]
    assert found["current_rows"] == [{"feed": "play", "table_name": "carts", "row": last}]


def folders(path: Path) -> set[str]:
    return {folder.name for folder in path.iterdir() if folder.is_dir() and folder.name != "__pycache__"}


def test_every_place_names_the_same_protocols() -> None:
    table = (ROOT / "macros" / "config" / "protocols.sql").read_text(encoding="utf-8")
    listed = re.findall(r'^        "(\w+)": {$', table, re.MULTILINE)
    assert listed == sorted(listed)
    staged = {path.stem.removeprefix("stg_ticdc__") for path in ROOT.glob("models/staging/*/*.sql")}
    places = {
        "models/staging": folders(ROOT / "models" / "staging"),
        "staging models": staged,
        "ticdc_udfs/protocols": folders(ROOT / "udfs" / "ticdc_udfs" / "protocols"),
        "UDFs": {udf.name.removeprefix("ticdc_decode_") for udf in UDFS if udf.name.startswith("ticdc_decode_")},
        "PROTOCOLS of resolution.py": set(resolution.PROTOCOLS),
        "OPTIONS of options.py": set(OPTIONS),
    }
    assert places == {place: set(listed) for place in places}
    row = re.search(
        r"^\| `protocol` \|.*$", (ROOT / "docs" / "configuration.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert row is not None
    assert re.findall(r"`(\w+)`", row[0])[1:] == listed
