"""Feeds of storage sinks: files that come in steps, under odd names, cut off, gone, and put back."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from support import truth as upstream
from support.corpus import root
from support.package import Package
from support.storage import StorageVariant, variants

from ticdc_udfs.sources.files import FileKind, path_of

pytestmark = pytest.mark.soak("storage")
IN_STEPS, WHOLE = "canal_json", ["csv_noquote", "csv_old_header_hex"]
VARIANTS = {variant.name: variant for variant in variants() if variant.name in (IN_STEPS, *WHOLE)}
VERSION = 470610923857117184
COLUMNS = [
    {"ColumnName": "id", "ColumnType": "INT", "ColumnPrecision": "11", "ColumnNullable": "false", "ColumnIsPk": "true"},
    {"ColumnName": "v", "ColumnType": "VARCHAR", "ColumnPrecision": "10"},
]
# Spark passes over names that begin so, and takes others for patterns
ODD = [("_x", "_t"), (".x", ".t"), ("shop", "per%cent `q?*[a]{b}")]
BUILD = ("build", "--exclude", "resource_type:unit_test")


class Sinks(Package):
    """The folders of all feeds, and what the package makes of them."""

    def __init__(self, folder: Path) -> None:
        self.bucket = folder / "bucket {a} [b]*"
        feeds: list[dict[str, Any]] = [
            {"name": name, "protocol": variant.protocol, "options": variant.options}
            for name, variant in VARIANTS.items()
        ]
        feeds.append({"name": "odd", "protocol": "storage_csv", "options": {"include_commit_ts": True}})
        feeds.append({"name": "later", "protocol": "storage_csv"})
        for feed in feeds:
            feed |= {"source": {"files": f"file://{self.bucket / feed['name']}/"}, "target_schema": None}
        super().__init__(folder, {"ticdc__feeds": feeds})
        self.spark.sql("create database if not exists ticdc_lint")
        self.spark.sql("use ticdc_lint")

    def put(self, feed: str, path: str, content: bytes) -> Path:
        """Writes a file below a feed's folder."""
        file = self.bucket / feed / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
        return file

    def put_row(self, schema: str, table: str, number: int, *ids: int, end: str = "\r\n") -> Path:
        """Writes a data file of the feed `odd`."""
        rows = "\r\n".join(f'"I","{table}","{schema}",{VERSION + 10 * number},{each},"x"' for each in ids)
        return self.put("odd", f"{schema}/{table}/{VERSION}/2026-11-21/CDC{number:020}.csv", (rows + end).encode())

    def put_schema(self, schema: str, table: str) -> None:
        """Writes the schema file of a table of the feed `odd`."""
        file = {"Table": table, "Schema": schema, "Version": 1, "TableVersion": VERSION, "Query": "", "Type": 0}
        content = json.dumps({**file, "TableColumns": COLUMNS, "TableColumnsTotal": 2}).encode()
        self.put("odd", f"{schema}/{table}/meta/schema_{VERSION}_0123456789.json", content)

    def put_checkpoint(self, feed: str, checkpoint: int) -> None:
        """Writes `metadata`."""
        self.put(feed, "metadata", b'{"checkpoint-ts":%d}' % checkpoint)

    def current(self, feed: str) -> Mapping[tuple[str, str], list[upstream.Row]]:
        """The rows of each table."""
        found = defaultdict(list)
        columns = "schema_name, table_name, row, lossy"
        for row in self.rows(f"select {columns} from ticdc__current_rows where feed = '{feed}'"):
            image = upstream.Row(json.loads(row["row"]), row["lossy"] or ())
            found[row["schema_name"], row["table_name"]].append(image)
        return found

    def ids(self, schema: str, table: str) -> list[int]:
        """The keys of a table of the feed `odd`."""
        return sorted(int(row.image["id"] or "") for row in self.current("odd")[schema, table])

    def problems(self, feed: str) -> dict[str, str]:
        """The details of a feed's problems by code."""
        rows = self.rows(f"select code, detail from ticdc__problems where feed = '{feed}'")
        return {row["code"]: row["detail"] for row in rows}

    def unbalanced(self) -> list[Any]:
        """The files and partitions of which not all messages are accounted for."""
        return self.values("select topic from ticdc__accounting where not balanced or gaps > 0")


@pytest.fixture(scope="module")
def sinks(tmp_path_factory: pytest.TempPathFactory) -> Sinks:
    """The folders after a first build: of one changefeed half of the files are there."""
    sinks = Sinks(tmp_path_factory.mktemp("storage %20"))
    for name, variant in VARIANTS.items():
        for number, (path, content) in enumerate(variant.files.items()):
            if name in WHOLE or (number % 2 and path != "metadata"):
                sinks.put(name, path, content)
    sinks.put_checkpoint(IN_STEPS, min(path_of(path).version or VERSION for path in VARIANTS[IN_STEPS].files) - 1)
    for number, (schema, table) in enumerate(ODD, start=1):
        sinks.put_schema(schema, table)
        sinks.put_row(schema, table, number, 1, 2)
    sinks.put_row(*ODD[0], 4, 3, 44, end="")
    sinks.put("odd", "shop/other.csv", b"x")
    sinks.put_checkpoint("odd", VERSION + 1000)
    sinks.passing(*BUILD)
    return sinks


def assert_equals_truth(sinks: Sinks, variant: StorageVariant) -> None:
    tally, rows, truth = upstream.Tally(), sinks.current(variant.name), upstream.load(root())
    has_old = not variant.meta["csv"] or variant.meta["csv"]["output-old-value"]
    for name, table in truth.tables.items():
        if ".".join(name) in variant.meta["excluded_tables"] or not (table.primary_key or has_old):
            continue  # without a key and old values, a change names no row
        compare = upstream.compare if table.primary_key else upstream.compare_keyless
        tally.add(compare(table, rows.pop(name, [])))
    assert tally.right and not tally.flagged, "\n".join(tally.details)
    assert tally.tables > 50


@pytest.mark.parametrize("name", WHOLE)
def test_tables_of_a_sink_equal_the_truth(sinks: Sinks, name: str) -> None:
    assert_equals_truth(sinks, VARIANTS[name])
    (complete,) = sinks.rows(f"select * from ticdc__completeness where feed = '{name}'")
    assert (complete["topic"], complete["complete_through_ts"]) == ("metadata", VARIANTS[name].meta["checkpoint_ts"])


def test_what_lies_beyond_the_checkpoint_waits(sinks: Sinks) -> None:
    assert sinks.values(f"select count(*) from ticdc__changelog where feed = '{IN_STEPS}'") == [0]
    assert sinks.values(f"select count(*) > 1000 from int_ticdc__events where feed = '{IN_STEPS}'") == [True]


@pytest.mark.parametrize(("schema", "table"), ODD)
def test_no_folder_is_passed_over_for_its_name(sinks: Sinks, schema: str, table: str) -> None:
    assert sinks.ids(schema, table)[:2] == [1, 2]


def test_a_row_that_is_cut_off_is_a_dead_letter_with_its_file_and_line(sinks: Sinks) -> None:
    (letter,) = sinks.rows("select topic, `offset`, error_code from ticdc__dead_letters where feed = 'odd'")
    path = f"_x/_t/{VERSION}/2026-11-21/CDC{4:020}.csv"
    assert letter == {"topic": path, "offset": 1, "error_code": "bad_frame"}
    assert sinks.ids(*ODD[0]) == [1, 2, 3]


def test_files_are_accounted_for(sinks: Sinks) -> None:
    assert sinks.unbalanced() == []
    told = sinks.problems("odd")
    assert told.keys() - {"stalled_watermark"} == {"dead_letters", "unknown_files"}
    assert "1 file(s) have names that the storage sink gives none" in told["unknown_files"]
    assert sinks.problems("later").keys() == {"no_messages"}
    for name in WHOLE:
        assert not sinks.problems(name).keys() & {"offset_gaps", "topic_in_feeds", "unread_files"}


@pytest.fixture(scope="module")
def later(sinks: Sinks) -> Sinks:
    """The other half of the files is there, a file was mended, and one was gone after it had been listed."""
    for path, content in VARIANTS[IN_STEPS].files.items():
        if not (sinks.bucket / IN_STEPS / path).exists() or path == "metadata":
            sinks.put(IN_STEPS, path, content)
    sinks.put_row(*ODD[0], 4, 3, 44)
    gone = sinks.put_row(*ODD[0], 5, 5)
    sinks.passing("run", "--select", "int_ticdc__files")
    gone.unlink()
    sinks.passing("run", ticdc__redrive=["odd"])
    return sinks


def test_files_that_come_later_complete_the_tables(later: Sinks) -> None:
    assert_equals_truth(later, VARIANTS[IN_STEPS])
    columns = "count(*) as events, count(distinct topic, `offset`) as places"
    events = later.rows(f"select {columns} from int_ticdc__events where feed = '{IN_STEPS}'")
    kinds = [path_of(path).kind for path in VARIANTS[IN_STEPS].files]
    expected = VARIANTS[IN_STEPS].meta["rows"] + kinds.count(FileKind.SCHEMA) + 2
    assert events == [{"events": expected, "places": expected}]
    assert later.problems(IN_STEPS).keys() <= {"stalled_watermark", "lossy_values", "values_not_converted"} | {
        *("default_not_constant", "rows_lost")
    }


def test_a_file_that_was_mended_is_read_when_it_is_driven_again(later: Sinks) -> None:
    assert later.ids(*ODD[0]) == [1, 2, 3, 44]
    assert later.values("select topic from ticdc__dead_letters where feed = 'odd'") == []


def test_a_file_that_was_gone_is_a_problem_until_it_is_put_back(later: Sinks) -> None:
    path = f"_x/_t/{VERSION}/2026-11-21/CDC{5:020}.csv"
    assert later.unbalanced() == [path]
    assert path in later.problems("odd")["unread_files"]
    later.put_row(*ODD[0], 5, 5)
    later.passing("run")
    assert later.ids(*ODD[0]) == [1, 2, 3, 5, 44]
    assert later.unbalanced() == [] and "unread_files" not in later.problems("odd")


def test_a_redecode_is_refused_where_a_file_is_gone(later: Sinks) -> None:
    path = f"_x/_t/{VERSION}/2026-11-21/CDC{1:020}.csv"
    (later.bucket / "odd" / path).unlink()
    told = later.refused("run", "--full-refresh", ticdc__redecode=True)
    assert f"feed odd: 1 file(s) that are there no more, such as {path}" in told
