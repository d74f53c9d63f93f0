"""A warehouse in an object store, S3Proxy, holds what one on disk holds; claim checks are read from a bucket."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from pyarrow.fs import FileSelector
from support.corpus import SAMPLE, Record, Variant, lines_about, plain, record
from support.marts import contents
from support.project import assert_passes, dbt, install, served
from support.s3 import SECRET, ObjectStore, object_store

TABLES = ("customers", "evolve", "keyless", "swappy")
LARGE = "big_docs"
CLAIM_CHECKS = Variant(SAMPLE, "canal_json_claim_check")
FEEDS = [
    {"name": "shop", "protocol": "canal_json", "topics": ["%canal_json"], "target_schema": "{target}_{schema}"},
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


@pytest.mark.soak("object_store")
def test_a_warehouse_and_claim_checks_in_an_object_store(tmp_path: Path) -> None:
    variables = "--vars " + json.dumps({"ticdc__feeds": FEEDS}, separators=(",", ":"))
    with object_store(tmp_path, "tables", "claims") as store, served(tmp_path, store.variables) as server:
        assert put_files(store, "claims/of/shop") > 3
        server.take([*lines_about(plain(SAMPLE), [*TABLES, LARGE]), *lines_about(CLAIM_CHECKS, [LARGE])])
        install(server.port, tmp_path)
        cursor = server.connect()
        for client in ("in_store", "in_store_shop"):
            cursor.execute(f"create database {client} location 's3a://tables/{client}'")
        cursor.execute("create table ticdc_raw.all_messages as select * from ticdc_raw.messages")
        cursor.execute("truncate table ticdc_raw.messages")
        for part in ("<", ">="):
            cursor.execute(
                "insert into ticdc_raw.messages select * from ticdc_raw.all_messages where "
                f"`offset` {part} (select percentile_approx(`offset`, 0.5) from ticdc_raw.all_messages)"
            )
            assert_passes(dbt(f"build {variables}", "in_store", server.port, tmp_path))
        assert_passes(dbt(f"build {variables}", "on_disk", server.port, tmp_path))
        cursor.execute("describe extended in_store.int_ticdc__changes")
        (place,) = (row[1] for row in cursor.fetchall() if row[0] == "Location")
        cursor.execute(f"select feed, row_key, row from in_store.ticdc__current_rows where table_name = '{LARGE}'")
        of_feeds = {feed: sorted(row[1:] for row in rows) for feed, rows in by_feed(cursor.fetchall()).items()}
        cursor.execute("set")
        assert not any(SECRET in str(row) for row in cursor.fetchall())
        left = [each.path for each in store.files.get_file_info(FileSelector("tables", recursive=True))]
        got, want = contents(cursor, "in_store"), contents(cursor, "on_disk")
    assert place.startswith("s3a://tables/in_store/")
    assert [path for path in left if "/int_ticdc__changes/" in path]
    assert not [path for path in left if "/_temporary" in path]
    assert len(want["current rows"]) > 100
    for name, rows in want.items():
        assert got[name] == rows, f"{name} differs\n" + "\n".join(sorted(set(rows) ^ set(got[name]))[:6])
    assert of_feeds["claims"]
    assert of_feeds["claims"] == of_feeds["shop"]


def by_feed(rows: Iterable[tuple[str, ...]]) -> dict[str, list[tuple[str, ...]]]:
    """The rows of each feed."""
    found: dict[str, list[tuple[str, ...]]] = {}
    for row in rows:
        found.setdefault(row[0], []).append(row)
    return found
