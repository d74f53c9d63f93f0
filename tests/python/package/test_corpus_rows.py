"""Whole changefeeds: tables equal the upstream's truth, cell by cell, now and as of every checkpoint."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Callable, Iterable
from operator import itemgetter
from pathlib import Path
from typing import Any

import pytest
from support import avro, typed
from support import truth as upstream
from support import warehouse as embedded
from support.corpus import first_row_ts, plain, root, text_lines, with_ddl
from support.corpus_compare import (
    as_written,
    carries_whole_rows,
    compare,
    counts_text,
    excused,
    is_shifted,
    sent_twice,
    tallies_text,
)
from support.corpus_run import (
    SAME_ROWS,
    TYPED,
    TYPED_TABLES,
    WITHOUT_DDL,
    Built,
    feed_variants,
    write_messages,
)

pytestmark = pytest.mark.in_soak("corpus")
# `make soak` gives typed tables to every variant, in parts of two batches.
TYPED_AT_ONCE = 10
ALL_VARIANTS = (*with_ddl(), *(each for protocol in ("avro", "debezium_avro") for each in avro.variants(protocol)))
TYPED_BATCHES = [
    pytest.param(start, marks=pytest.mark.soak(f"typed_{start // (2 * TYPED_AT_ONCE) + 1}"))
    for start in range(0, len(ALL_VARIANTS), TYPED_AT_ONCE)
]


def test_every_table_of_every_variant_equals_the_truth(
    built: Built,
    truth: upstream.Truth,
    without_key: frozenset[upstream.TableName],
    show: Callable[[str], None],
) -> None:
    generic, reasons = {}, Counter[tuple[str, str]]()
    for feed, variant in feed_variants():
        generic[feed] = upstream.Tally()
        for name, table in truth.tables.items():
            reason = excused(variant, table, without_key)
            if reason:
                reasons[feed, reason] += 1
                continue
            generic[feed].add(compare(variant, table, list(built.contents.rows(feed, name))))
    show(tallies_text("ticdc__current_rows", generic))
    left_out = [f"  {feed}: {count} table(s): {reason}" for (feed, reason), count in sorted(reasons.items())]
    shifted = sum(
        is_shifted(table.types[column], cell.get("text") or "")
        for table in truth.tables.values()
        for row in table.rows
        for column, cell in row.items()
    )
    show("\n".join(["\nnot compared:", *left_out]))
    show(f"\ndebezium: {shifted} cell(s) compared as the encoder shifts years below 100")
    for tally in generic.values():
        assert tally.right, "\n".join(tally.details)
        assert tally.tables > 50
    for feed, variant in feed_variants():
        if carries_whole_rows(variant):
            assert generic[feed].flagged == 0, feed


def test_typed_tables_equal_the_truth(built: Built, truth: upstream.Truth, show: Callable[[str], None]) -> None:
    """Those of some tables; `make soak` types all tables of every variant."""
    tally, found = upstream.Tally(), built.contents.typed[TYPED]
    for name, table in truth.tables.items():
        if name[1] in TYPED_TABLES and table.primary_key:
            tally.add(typed.compare(table, found[name].rows(), True, found[name].types))
    show(tallies_text("typed tables", {TYPED: tally}))
    assert tally.right, "\n".join(tally.details)
    assert tally.tables == 12, "of the others three are gone, and one has no primary key"


def test_rows_as_of_every_checkpoint_equal_the_truth(
    built: Built,
    checkpoints: dict[int, upstream.Truth],
    without_key: frozenset[upstream.TableName],
    show: Callable[[str], None],
) -> None:
    tallies: dict[str, upstream.Tally] = {}
    for commit_ts, then in checkpoints.items():
        rows = built.contents.as_of(commit_ts)
        for feed, variant in feed_variants():
            tally = tallies.setdefault(feed, upstream.Tally())
            extra = rows.get(feed, {}).keys() - then.tables.keys()
            assert not extra, (feed, commit_ts)
            for name, table in then.tables.items():
                if not excused(variant, table, without_key):
                    tally.add(compare(variant, table, rows.get(feed, {}).get(name, [])))
    show(tallies_text(f"as of {len(checkpoints)} checkpoint(s)", tallies))
    for tally in tallies.values():
        assert tally.right, "\n".join(tally.details)


def test_columns_as_of_every_checkpoint_are_those_of_the_truth(
    built: Built, checkpoints: dict[int, upstream.Truth], show: Callable[[str], None]
) -> None:
    """What typed tables of the past show follows from these and from the rows as of each checkpoint."""
    columns: dict[str, list[dict[str, Any]]] = {}
    for row in sorted(built.contents.mart("columns"), key=itemgetter("ordinal_position")):
        columns.setdefault(row["feed"], []).append(row)
    tallies = {feed: Counter(tables=0, columns=0, wrong=0) for feed, _ in feed_variants()}
    wrong: list[str] = []
    for commit_ts, then in checkpoints.items():
        wanted = {
            name: [(column, typed.spark_type(table.types[column], True)) for column in table.columns]
            for name, table in then.tables.items()
        }
        for feed, variant in feed_variants():
            got = columns_as_of(columns[feed], commit_ts)
            for name, want in wanted.items():
                if ".".join(name) in variant.meta["excluded_tables"]:
                    continue
                tallies[feed].update(tables=1, columns=len(want))
                if got.get(name) != want:
                    tallies[feed]["wrong"] += 1
                    wrong.append(f"{feed} as of {commit_ts}: {name} has {got.get(name)}, not {want}")
    show(counts_text(f"columns as of {len(checkpoints)} checkpoint(s)", tallies))
    assert not wrong, "\n".join(wrong[:30])


def columns_as_of(
    rows: Iterable[dict[str, Any]], commit_ts: int
) -> dict[upstream.TableName, list[tuple[str, str | None]]]:
    """Name and Spark type of each table's columns, all but the virtual ones, which are not sent."""
    found: dict[upstream.TableName, list[tuple[str, str | None]]] = {}
    for row in rows:
        is_of_then = row["valid_from_ts"] <= commit_ts and (
            row["valid_to_ts"] is None or commit_ts < row["valid_to_ts"]
        )
        if is_of_then and row["generated"] != "virtual":
            column = row["column_name"], typed.spark_type(row["column_type"], True)
            found.setdefault((row["schema_name"], row["table_name"]), []).append(column)
    return found


@pytest.mark.parametrize("start", TYPED_BATCHES)
def test_typed_tables_of_every_variant_equal_the_truth(
    tmp_path: Path,
    truth: upstream.Truth,
    without_key: frozenset[upstream.TableName],
    show: Callable[[str], None],
    start: int,
) -> None:
    """Of protocols without DDL the tables that no DDL changed; a table that is empty need not be there."""
    chosen = ALL_VARIANTS[start : start + TYPED_AT_ONCE]
    dump, home, columns = tmp_path / "dump", tmp_path / "warehouse", tmp_path / "columns.jsonl"
    dump.mkdir()
    for variant in chosen:
        write_messages(variant, dump)
    columns.write_text("".join(text_lines(root() / "columns.jsonl")), encoding="utf-8", newline="\n")
    feeds_file = embedded.write_feeds(tmp_path / "feeds.yml", [variant.feed() for variant in chosen])
    embedded.run(home, dump, feeds_file, columns)
    contents = embedded.Contents.read(home, tmp_path / "contents")
    shutil.rmtree(home)
    changed = truth.changed_by_ddl(first_row_ts(plain().records))
    tallies: dict[str, upstream.Tally] = {}
    for variant in chosen:
        tally = tallies.setdefault(variant.name, upstream.Tally())
        found = contents.typed.get(variant.name, {})
        for name, table in truth.tables.items():
            is_untold = name in changed or not (name in found or table.rows)
            if variant.name in WITHOUT_DDL and is_untold:
                continue
            if table.primary_key and not excused(variant, table, without_key):
                tally.add(typed.compare(as_written(variant, table), found[name].rows(), True, found[name].types))
    show(tallies_text("typed tables", tallies))
    for feed, tally in tallies.items():
        assert tally.right, "\n".join([feed, *tally.details])
        assert tally.tables > 50, feed


def test_the_command_proves_that_the_tables_are_equal(built: Built, truth: upstream.Truth) -> None:
    assert built.proof.endswith("\nequal\n")
    total = next(line.split() for line in built.proof.splitlines() if line.startswith("all "))
    assert total[1] == f"{sum(len(table.rows) for table in truth.tables.values()):,}"
    assert total[4:] == ["0", "0", "0"]


@pytest.mark.soak("corpus")
def test_other_bytes_order_and_partitions_give_the_same_rows(built: Built) -> None:
    def rows(feed: str) -> dict[Any, Any]:
        return {
            (table, key): (json.loads(row["row"]), row["commit_ts"], sorted(row["lossy"] or ()))
            for table, by_key in built.contents.current[feed].items()
            for key, row in by_key.items()
        }

    want = rows("canal_json")
    assert len(want) > 1500
    compared = 0
    for suffix in SAME_ROWS:
        feed = f"canal_json_{suffix}"
        if feed in built.contents.current:
            got, alike = (
                {place: row for place, row in found.items() if place[0] not in sent_twice(feed)}
                for found in (rows(feed), want)
            )
            assert got == alike, feed
            compared += 1
    assert compared >= 4
