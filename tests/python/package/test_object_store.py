"""A warehouse in an object store, S3Proxy, holds what one on disk holds; claim checks are read from a bucket."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from ast import literal_eval
from base64 import b64encode
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pyarrow.fs import FileSelector
from support.corpus import SAMPLE, Record, Variant, lines_about, plain, record
from support.in_store import WAREHOUSE
from support.marts import QUERIES, TYPED_QUERIES
from support.s3 import SECRET, ObjectStore, object_store
from support.warehouse import write_feeds

TABLES = ("customers", "evolve", "keyless", "swappy")
LARGE = "big_docs"
CLAIM_CHECKS = Variant(SAMPLE, "canal_json_claim_check")
FEEDS: list[dict[str, Any]] = [
    {"name": "shop", "protocol": "canal_json", "topics": ["canal_json"]},
    {
        "name": "claims",
        "protocol": "canal_json",
        "topics": [CLAIM_CHECKS.name],
        "target_schema": None,
        "options": {"claim_check": "s3a://claims/of/shop"},
    },
]


def messages(records: Iterable[Record]) -> Iterator[tuple[tuple[object, ...], str | None, bytes]]:
    """Of each row its change, the file that it stands in, and its whole message."""
    for each in records:
        message = json.loads(each.value or b"{}")
        if message.get("data"):
            change = (message["_tidb"]["commitTs"], message["type"], message["data"][0]["id"])
            yield change, message["_tidb"].get("claimCheckLocation"), each.value or b""


def put_files(store: ObjectStore, folder: str) -> int:
    """Writes the files that the messages of large rows name; gives how many there are."""
    whole = {change: value for change, _, value in messages(map(record, lines_about(plain(SAMPLE), [LARGE])))}
    waiting = [each for each in messages(map(record, lines_about(CLAIM_CHECKS, [LARGE]))) if each[1]]
    for change, place, _ in waiting:
        file = {"key": "", "value": b64encode(whole[change]).decode()}
        with store.files.open_output_stream(f"{folder}/{str(place).rpartition('/')[2]}") as stream:
            stream.write(json.dumps(file).encode())
    return len(waiting)


def halves(lines: list[str]) -> tuple[list[str], list[str]]:
    """What comes first, and what comes then."""
    return lines[: len(lines) // 2], lines[len(lines) // 2 :]


@pytest.mark.soak("object_store")
def test_a_warehouse_and_claim_checks_in_an_object_store(tmp_path: Path) -> None:
    (tmp_path / "messages").mkdir()
    for part in range(2):
        lines = [
            line
            for topic in (lines_about(plain(SAMPLE), [*TABLES, LARGE]), lines_about(CLAIM_CHECKS, [LARGE]))
            for line in halves(list(topic))[part]
        ]
        (tmp_path / "messages" / f"{part}.jsonl").write_text("".join(lines), encoding="utf-8", newline="\n")
    write_feeds(tmp_path / "feeds.json", FEEDS)
    with object_store(tmp_path, "tables", "claims") as store:
        assert put_files(store, "claims/of/shop") > 3
        command = [sys.executable, "-m", "support.in_store", str(tmp_path)]
        of_tests = {"PYTHONPATH": str(Path(__file__).parents[1])}
        done = subprocess.run(
            command, env={**os.environ, **of_tests, **store.variables}, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
        left = [each.path for each in store.files.get_file_info(FileSelector("tables", recursive=True))]
    got, want = (
        json.loads((tmp_path / f"{name}.json").read_text(encoding="utf-8")) for name in ("in_store", "on_disk")
    )
    assert any(f"{WAREHOUSE}/ticdc.db/int_ticdc__changes" in row for row in got["place"])
    assert [path for path in left if "/int_ticdc__changes/" in path]
    assert not [path for path in left if "/_temporary" in path]
    assert not any(SECRET in row for row in got["settings"])
    assert len(want["current rows"]) > 100
    for name in (*QUERIES, *TYPED_QUERIES):
        rows = want[name]
        assert got[name] == rows, f"{name} differs\n" + "\n".join(sorted(set(rows) ^ set(got[name]))[:6])
    large = [literal_eval(row) for row in got["large rows"]]
    of_feeds = [[(row["row_key"], row["row"]) for row in large if row["feed"] == feed] for feed in ("shop", "claims")]
    assert of_feeds[0] == of_feeds[1] != []
