"""Feeds of storage sinks: files that come in steps, under odd names, cut off, gone, and put back."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest
from pyarrow.fs import S3FileSystem
from support import session
from support import truth as upstream
from support.corpus import root
from support.package import Package
from support.s3 import object_store
from support.storage import StorageVariant, variants

pytestmark = pytest.mark.soak("storage")
*EARLIER, LAST = json.loads((root() / "truth" / "meta.json").read_text(encoding="utf-8"))["checkpoints"]
CHECKPOINTS = [*sorted(Random("sinks").sample(EARLIER, 2)), LAST]
VARIANTS = {variant.name: variant for variant in variants() if variant.has_commits}
# Of each changefeed two feeds, one of which has all files from its first run on.
WHOLE = {f"{name}_whole": variant for name, variant in VARIANTS.items()}
FEEDS = {**VARIANTS, **WHOLE}
IN_STORE, IN_STORE_AT = ("canal_json", "csv_commit_ts"), CHECKPOINTS[1:]
VERSION = 470610923857117184
COLUMNS = [
    {"ColumnName": "id", "ColumnType": "INT", "ColumnPrecision": "11", "ColumnNullable": "false", "ColumnIsPk": "true"},
    {"ColumnName": "v", "ColumnType": "VARCHAR", "ColumnPrecision": "10"},
]
# Spark passes over names that begin so, and takes others for patterns
ODD = [("_x", "_t"), (".x", ".t"), ("shop", "per%cent `q?*[a]{b}")]
BUILD = ("build", "--exclude", "resource_type:unit_test")


truths = cache(upstream.checkpoints)


@cache
def cuts() -> dict[str, list[dict[str, bytes]]]:
    """The files of each changefeed that come up to each checkpoint."""
    return {name: [*variant.cut(CHECKPOINTS, Random(name))] for name, variant in VARIANTS.items()}


class Sinks(Package):
    """Changefeeds, each with a folder of a bucket, and what the package makes of them."""

    def __init__(
        self,
        folder: Path,
        bucket: str,
        write: Callable[[str, bytes], object],
        names: Iterable[str],
        *others: dict[str, Any],
    ) -> None:
        """`write` writes a file with a path in the bucket; `names` are of `FEEDS`, `others` feeds beside them."""
        self.write = write
        feeds: list[dict[str, Any]] = [
            *({"name": name, "protocol": FEEDS[name].protocol, "options": FEEDS[name].options} for name in names),
            *others,
        ]
        for feed in feeds:
            feed |= {"source": {"files": f"{bucket}/{feed['name']}/"}, "target_schema": None}
        super().__init__(folder, {"ticdc__feeds": feeds})
        self.spark.sql("create database if not exists ticdc_lint")
        self.spark.sql("use ticdc_lint")

    def put_all(self, feed: str, files: Mapping[str, bytes]) -> None:
        """Writes files below a feed's folder."""
        for path, content in files.items():
            self.write(f"{feed}/{path}", content)

    def current(self, feed: str) -> Mapping[tuple[str, str], list[upstream.Row]]:
        """The rows of each table."""
        found = defaultdict(list)
        columns = "schema_name, table_name, row, lossy"
        for row in self.rows(f"select {columns} from ticdc__current_rows where feed = '{feed}'"):
            image = upstream.Row(json.loads(row["row"]), row["lossy"] or ())
            found[row["schema_name"], row["table_name"]].append(image)
        return found

    def problems(self, feed: str) -> dict[str, str]:
        """The details of a feed's problems by code."""
        rows = self.rows(f"select code, detail from ticdc__problems where feed = '{feed}'")
        return {row["code"]: row["detail"] for row in rows}

    def unbalanced(self) -> list[Any]:
        """The files and partitions of which not all messages are accounted for."""
        return self.values("select topic from ticdc__accounting where not balanced or gaps > 0")


class FolderOfSinks(Sinks):
    """Those in a folder with an odd name, and a feed of odd tables."""

    def __init__(self, folder: Path) -> None:
        self.bucket = folder / "bucket {a} [b]*"
        odd = {"name": "odd", "protocol": "storage_csv", "options": {"include_commit_ts": True}}
        super().__init__(
            folder, f"file://{self.bucket}", self.put_file, FEEDS, odd, {"name": "later", "protocol": "storage_csv"}
        )

    def put_file(self, path: str, content: bytes) -> Path:
        """Writes a file."""
        file = self.bucket / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
        return file

    def put_row(self, schema: str, table: str, number: int, *ids: int, end: str = "\r\n") -> Path:
        """Writes a data file of the feed `odd`."""
        rows = "\r\n".join(f'"I","{table}","{schema}",{VERSION + 10 * number},{each},"x"' for each in ids)
        return self.put_file(f"odd/{schema}/{table}/{VERSION}/2026-11-21/CDC{number:020}.csv", (rows + end).encode())

    def put_schema(self, schema: str, table: str) -> None:
        """Writes the schema file of a table of the feed `odd`."""
        file = {"Table": table, "Schema": schema, "Version": 1, "TableVersion": VERSION, "Query": "", "Type": 0}
        content = json.dumps({**file, "TableColumns": COLUMNS, "TableColumnsTotal": 2}).encode()
        self.put_file(f"odd/{schema}/{table}/meta/schema_{VERSION}_0123456789.json", content)

    def put_checkpoint(self, feed: str, checkpoint: int) -> None:
        """Writes `metadata`."""
        self.put_file(f"{feed}/metadata", b'{"checkpoint-ts":%d}' % checkpoint)

    def ids(self, schema: str, table: str) -> list[int]:
        """The keys of a table of the feed `odd`."""
        return sorted(int(row.image["id"] or "") for row in self.current("odd")[schema, table])


def has_old(variant: StorageVariant) -> bool:
    """Whether rows have the values that they had before."""
    return not variant.meta["csv"] or bool(variant.meta["csv"]["output-old-value"])


def assert_equals_truth(sinks: Sinks, name: str, checkpoint: int) -> None:
    tally, rows, variant = upstream.Tally(), dict(sinks.current(name)), FEEDS[name]
    for table_name, table in truths(root())[checkpoint].tables.items():
        if ".".join(table_name) in variant.meta["excluded_tables"] or not (table.primary_key or has_old(variant)):
            continue  # without a key and old values, a change names no row
        compare = upstream.compare if table.primary_key else upstream.compare_keyless
        tally.add(compare(table, rows.pop(table_name, [])))
    assert tally.right and not tally.flagged, f"{name} at {checkpoint}:\n" + "\n".join(tally.details)
    assert tally.tables > 25


def assert_complete(sinks: Sinks, checkpoint: int, *names: str) -> None:
    """These feeds tell the truth at a checkpoint, and that they do."""
    for name in names:
        (complete,) = sinks.rows(f"select topic, complete_through_ts from ticdc__completeness where feed = '{name}'")
        assert complete == {"topic": "metadata", "complete_through_ts": checkpoint}
        assert_equals_truth(sinks, name, checkpoint)


@pytest.fixture(scope="module")
def sinks(tmp_path_factory: pytest.TempPathFactory) -> FolderOfSinks:
    """The folders after a first build: of some changefeeds only the first files are there."""
    sinks = FolderOfSinks(tmp_path_factory.mktemp("storage %20"))
    for name, variant in WHOLE.items():
        sinks.put_all(name, variant.files)
    for name, (first, *_) in cuts().items():
        sinks.put_all(name, first)
    for number, (schema, table) in enumerate(ODD, start=1):
        sinks.put_schema(schema, table)
        sinks.put_row(schema, table, number, 1, 2)
    sinks.put_row(*ODD[0], 4, 3, 44, end="")
    sinks.put_file("odd/shop/other.csv", b"x")
    sinks.put_checkpoint("odd", VERSION + 1000)
    sinks.passing(*BUILD)
    return sinks


def test_tables_of_files_that_come_at_once_and_of_the_first_files_equal_the_truth(sinks: FolderOfSinks) -> None:
    assert_complete(sinks, LAST, *WHOLE)
    assert_complete(sinks, CHECKPOINTS[0], *VARIANTS)


def test_what_lies_beyond_the_checkpoint_waits(sinks: FolderOfSinks) -> None:
    beyond = f"kind = 'row' and commit_ts > {CHECKPOINTS[0]}"
    for name in VARIANTS:
        assert sinks.values(f"select count(*) > 0 from int_ticdc__events where feed = '{name}' and {beyond}") == [True]


@pytest.mark.parametrize(("schema", "table"), ODD)
def test_no_folder_is_passed_over_for_its_name(sinks: FolderOfSinks, schema: str, table: str) -> None:
    assert sinks.ids(schema, table)[:2] == [1, 2]


def test_a_row_that_is_cut_off_is_a_dead_letter_with_its_file_and_line(sinks: FolderOfSinks) -> None:
    (letter,) = sinks.rows("select topic, `offset`, error_code from ticdc__dead_letters where feed = 'odd'")
    path = f"_x/_t/{VERSION}/2026-11-21/CDC{4:020}.csv"
    assert letter == {"topic": path, "offset": 1, "error_code": "bad_frame"}
    assert sinks.ids(*ODD[0]) == [1, 2, 3]


def test_files_are_accounted_for(sinks: FolderOfSinks) -> None:
    assert sinks.unbalanced() == []
    told = sinks.problems("odd")
    assert told.keys() - {"stalled_watermark"} == {"dead_letters", "unknown_files"}
    assert "1 file(s) have names that the storage sink does not use" in told["unknown_files"]
    assert sinks.problems("later").keys() == {"no_messages"}
    for name in WHOLE:
        assert not sinks.problems(name).keys() & {"offset_gaps", "topic_in_feeds", "unread_files"}


@pytest.fixture(scope="module")
def later(sinks: FolderOfSinks) -> FolderOfSinks:
    """All files are there, a file was mended, and one was gone after it had been listed."""
    for number, checkpoint in enumerate(CHECKPOINTS[1:], start=1):
        for name, of_feed in cuts().items():
            sinks.put_all(name, of_feed[number])
        if checkpoint != LAST:
            sinks.passing("run")
            assert_complete(sinks, checkpoint, *VARIANTS)
    sinks.put_row(*ODD[0], 4, 3, 44)
    gone = sinks.put_row(*ODD[0], 5, 5)
    sinks.passing("run", "--select", "int_ticdc__files")
    gone.unlink()
    sinks.passing("run", ticdc__redrive=["odd"])
    return sinks


def test_files_that_come_in_increments_cut_at_random_complete_the_tables(later: FolderOfSinks) -> None:
    assert_complete(later, LAST, *VARIANTS)
    columns = "count(*) as events, count(distinct topic, `offset`) as places"
    for name, variant in VARIANTS.items():
        (events,), (whole,) = (
            later.rows(f"select {columns} from int_ticdc__events where feed = '{feed}'")
            for feed in (name, f"{name}_whole")
        )
        # of `metadata` each content is a message
        more = len(CHECKPOINTS) - 1
        assert events == {"events": whole["events"] + more, "places": whole["places"] + more}
        assert events["events"] == events["places"] >= variant.meta["rows"]
        if has_old(variant):
            assert later.problems(name).keys() <= {"stalled_watermark", "lossy_values", "values_not_converted"} | {
                *("default_not_constant", "rows_lost")
            }


def test_a_file_that_was_mended_is_read_when_it_is_driven_again(later: FolderOfSinks) -> None:
    assert later.ids(*ODD[0]) == [1, 2, 3, 44]
    assert later.values("select topic from ticdc__dead_letters where feed = 'odd'") == []


def test_a_file_that_was_gone_is_a_problem_until_it_is_put_back(later: FolderOfSinks) -> None:
    path = f"_x/_t/{VERSION}/2026-11-21/CDC{5:020}.csv"
    assert later.unbalanced() == [path]
    assert path in later.problems("odd")["unread_files"]
    later.put_row(*ODD[0], 5, 5)
    later.passing("run")
    assert later.ids(*ODD[0]) == [1, 2, 3, 5, 44]
    assert later.unbalanced() == [] and "unread_files" not in later.problems("odd")


def test_a_redecode_is_refused_where_a_file_is_gone(later: FolderOfSinks) -> None:
    path = f"_x/_t/{VERSION}/2026-11-21/CDC{1:020}.csv"
    (later.bucket / "odd" / path).unlink()
    told = later.refused("run", "--full-refresh", ticdc__redecode=True)
    assert f"feed odd: 1 file(s) that are there no more, such as {path}" in told


def test_sinks_in_an_object_store_equal_the_truth_at_each_checkpoint(tmp_path: Path) -> None:
    """Files come in increments cut at random, to a server of S3's API."""
    with object_store(tmp_path, "sinks") as store, session.with_environment(store.variables):
        files: S3FileSystem = store.files

        def write(path: str, content: bytes) -> None:
            with files.open_output_stream(f"sinks/of all/{path}") as stream:
                stream.write(content)

        parts = {name: [*VARIANTS[name].cut(IN_STORE_AT, Random(name))] for name in IN_STORE}
        sinks = Sinks(tmp_path, "s3a://sinks/of all", write, IN_STORE)
        for number, checkpoint in enumerate(IN_STORE_AT):
            for name in IN_STORE:
                sinks.put_all(name, parts[name][number])
            sinks.passing(*(("run",) if number else ("build", "--exclude", "resource_type:test")))
            assert_complete(sinks, checkpoint, *IN_STORE)
        assert sinks.unbalanced() == []
        session.close()
