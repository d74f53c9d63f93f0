"""Loading messages: every kind of file, each record once, and what a broken file is told by."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from support.dumps import changed, line, tables_of, write

from dbt_ticdc import cli, messages, warehouse
from dbt_ticdc.errors import TicdcError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture
def load(spark: SparkSession, home: Path, request: pytest.FixtureRequest) -> Callable[..., messages.Loaded]:
    """Loads paths into a schema of the test's own."""
    schema = "raw_" + request.node.name.partition("[")[0]

    def load(*paths: Path) -> messages.Loaded:
        return messages.load(spark, messages.find_files(paths), schema, warehouse.work_folder(home))

    return load


def loaded(spark: SparkSession, request: pytest.FixtureRequest) -> list[Any]:
    name = request.node.name.partition("[")[0]
    return spark.table(f"raw_{name}.messages").orderBy("topic", "offset").collect()


def test_every_kind_of_file_is_loaded_once(
    load: Callable[..., messages.Loaded],
    spark: SparkSession,
    home: Path,
    tmp_path: Path,
    request: pytest.FixtureRequest,
) -> None:
    write(tmp_path / "_a[1]*.jsonl", ["\ufeff" + line(0, b"\x00\xff", b""), line(1, None, b"k"), line(1, None, b"k")])
    write(tmp_path / "b, c.json.gz", [line(2, b""), "", line(3, topic="u\u2028v")], end="\r\n")
    write(tmp_path / ".d.ndjson.xz", [line(0, b"\x00\xff", b""), line(4, b"x" * 25_000_000)])
    (tmp_path / "notes.txt").write_text("not read")
    assert load(tmp_path) == (7, 5)

    rows = loaded(spark, request)
    assert [(row.topic, row.offset) for row in rows] == [("t", 0), ("t", 1), ("t", 2), ("t", 4), ("u\u2028v", 3)]
    assert [None if row.value is None else bytes(row.value) for row in rows[:3]] == [b"\x00\xff", None, b""]
    assert [None if row.key is None else bytes(row.key) for row in rows[:3]] == [b"", b"k", None]
    assert len(rows[3].value) == 25_000_000
    assert rows[0].timestamp.isoformat() == "2023-11-14T22:13:20.123000"

    before = tables_of(home)
    assert load(tmp_path) == (7, 0)
    assert tables_of(home) == before
    assert load(write(tmp_path / "e.jsonl", [line(offset) for offset in range(7)])) == (7, 3)
    assert sorted(row.offset for row in loaded(spark, request)) == [0, 1, 2, 3, 3, 4, 5, 6]
    assert not list(warehouse.work_folder(home).glob("messages-*"))


def test_a_load_builds_nothing(
    spark: SparkSession, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """For a project that builds over a Thrift server: `ticdc run` would build the package in its own schema, too."""
    monkeypatch.setattr(cli, "_open", lambda folder: spark)
    monkeypatch.setattr(type(spark), "stop", lambda session: None)
    dump = write(tmp_path / "a.jsonl", [line(0), line(1)])
    column = {"table_schema": "s", "table_name": "t", "column_name": "id", "ordinal_position": 1, "column_type": "int"}
    (tmp_path / "columns.jsonl").write_text(json.dumps(column))
    before = {row.namespace for row in spark.sql("show databases").collect()}
    arguments = ["load", "--messages", str(dump), "--columns", str(tmp_path / "columns.jsonl"), "--schema", "raw_alone"]
    assert cli.main([*arguments, "--warehouse", str(home)]) == 0
    assert {row.namespace for row in spark.sql("show databases").collect()} == {*before, "raw_alone"}
    assert (spark.table("raw_alone.messages").count(), spark.table("raw_alone.information_schema_columns").count()) == (
        2,
        1,
    )
    said = capsys.readouterr().err
    assert f"loading messages: 1 file(s), {dump.stat().st_size / 1000:.1f} kB  2 new of 2" in said
    assert "the project reads these columns with ticdc__information_schema: `raw_alone`.information_schema_c" in said


def test_an_empty_file_is_fine(load: Callable[..., messages.Loaded], tmp_path: Path) -> None:
    assert load(write(tmp_path / "a.jsonl", [])) == (0, 0)


BAD_LINES = {
    "cut": (line(1)[:-10], "truncated"),
    "two on a line": (line(1) + line(2), "trailing characters"),
    "a list": ("[1]", "got `array`"),
    "no value": ('{"topic": "t", "partition": 0, "offset": 1, "timestamp": 1, "key": null}', "`value`"),
    "text for a number": (changed(offset="1"), "`$.offset`"),
    "too large a number": (changed(offset=2**63), "`$.offset`"),
    "no base64": (changed(value="SECRET!"), "`$.value`"),
    "a number for text": (changed(topic=1), "`$.topic`"),
}


@pytest.mark.parametrize("bad, says", BAD_LINES.values(), ids=BAD_LINES)
def test_a_bad_line_is_explained(tmp_path: Path, bad: str, says: str) -> None:
    fault = messages.first_fault([write(tmp_path / "a.jsonl", ["\ufeff" + line(0), bad])])
    assert f"{tmp_path / 'a.jsonl'}, line 2: no Kafka record: " in str(fault)
    assert says in str(fault)
    assert "SECRET" not in str(fault)


def test_a_bad_line_keeps_all_from_being_loaded(
    load: Callable[..., messages.Loaded], spark: SparkSession, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    write(tmp_path / "a.jsonl", [line(0)])
    write(tmp_path / "b.jsonl.gz", [line(5), "", line(1) + line(2), "{"])
    with pytest.raises(TicdcError, match=r"b\.jsonl\.gz, line 3: no Kafka record"):
        load(tmp_path)
    assert loaded(spark, request) == []


@pytest.mark.parametrize(
    "name, content",
    [("a.jsonl.gz", gzip.compress(b"x" * 99, mtime=0)[:-9]), ("a.jsonl.gz", b"{}"), ("a.jsonl.xz", b"{}")],
)
def test_a_broken_file_is_named(
    load: Callable[..., messages.Loaded], tmp_path: Path, name: str, content: bytes
) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(TicdcError, match=name):
        load(tmp_path)


def test_paths_without_dumps_are_named(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("")
    for path in (tmp_path, tmp_path / "a.csv", tmp_path / "none"):
        with pytest.raises(TicdcError, match="--messages") as caught:
            messages.find_files([path])
        assert str(path) in str(caught.value)
