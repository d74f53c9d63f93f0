"""Whole changefeeds through `ticdc run`: marts and typed tables equal the upstream's truth, cell by cell.

All variants of the repository's sample, or of the corpus that TICDC_CORPUS names, go through one run, each as a feed of
its own: every table, whatever DDL changed, as it is now and as of every checkpoint. Some come once more in two steps,
and broken messages beside them; a last run finds nothing new. What protocols without DDL tell is compared with the
rows of canal-json.
"""

from __future__ import annotations

import gzip
import json
import random
import shutil
from base64 import b64encode
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from operator import itemgetter
from pathlib import Path
from typing import Any

import cramjam
import pyarrow.parquet as pq
import pytest
from support import avro, exported, typed
from support import truth as upstream
from support import warehouse as embedded
from support.corpus import (
    SAMPLE,
    Record,
    Variant,
    first_row_ts,
    json_lines,
    plain,
    rearranged_lines,
    record,
    renamed,
    root,
    text_lines,
    with_ddl,
)

from ticdc_udfs import arrow
from ticdc_udfs.events import Kind
from ticdc_udfs.protocols import canal_json

SHUFFLED = "canal_json_shuffled"
IN_STEPS = "_in_steps"
# Variants whose messages say the same as those of `canal_json`, in other bytes, order or partitions.
SAME_ROWS = ("shuffled", "replayed", "index_value", "index_value_replayed", "snappy", "lz4", "rowkey")
HALVES = ("canal_json", "canal_json_index_value_replayed")
# These come in another order too, with stretches sent again.
REARRANGED = ("open_protocol", "simple_json")
# Typed tables cost most of a run's time: these feeds have them, and `make soak` gives them to every variant.
TYPED = (f"canal_json{IN_STEPS}", "simple_json")

# The feeds whose protocol sends no DDL.
WITHOUT_DDL = {each.name: each for protocol in ("avro", "debezium_avro") for each in avro.variants(protocol)}
YARDSTICK = "canal_json_compatible"
EVERY_VARIANT = (*with_ddl(), *WITHOUT_DDL.values())
TYPED_AT_ONCE = 11
# Without a primary key a row is told by all of its columns, and protocols order them differently.
KEYLESS = {("shop", "audit_log"), ("shop", "inventory"), ("shop", "keyless"), ("temp_db", "t2")}
# Debezium's encoders shift the years 0001 to 0099, which cannot be told: keys and cells of these tables have them.
SHIFTED = {("shop", "daily_stats"), ("shop", "types_zoo_time")}
# Its key is beyond a double, in which Debezium writes it.
DECIMAL_KEY = ("shop", "price_points")
NO_COLUMN = "(no column)"
# Without a key, a change that a producer sent twice at once cannot be told from two equal ones.
SENT_TWICE = ("canal_json_index_value_replayed", ("shop", "audit_log"))

# The export has one more table, that bears the name of another in Avro, com_ma: which of both it is, none can tell.
TOLD_TWICE = ("shop", "com,ma")
TOLD_AS = ("shop", "com_ma")
NAMESAKE = {"table_schema": "shop", "table_name": "com/ma", "ordinal_position": 1, "column_type": "bigint"}

Table = Mapping[str, dict[str, Any]]
Key = tuple[str, int, int]


@pytest.fixture(scope="module")
def checkpoints() -> dict[int, upstream.Truth]:
    return upstream.checkpoints(root())


@pytest.fixture(scope="module")
def truth(checkpoints: dict[int, upstream.Truth]) -> upstream.Truth:
    return list(checkpoints.values())[-1]


@pytest.fixture(scope="module")
def without_key() -> frozenset[upstream.TableName]:
    """The tables that had no key at some time."""
    lines = json_lines(root() / "truth" / "tables.jsonl")
    found = {(line["schema"], line["table"]) for line in lines if not line["handle_key"]}
    return frozenset(found | {("shop", "keyless")})


def write_lines(path: Path, lines: Sequence[str]) -> None:
    with gzip.open(path, "wt", encoding="utf-8", newline="\n", compresslevel=1) as out:
        out.writelines(lines)


def write_messages(variant: Variant, dump: Path) -> None:
    """The variant's messages, in topics that no other variant has."""
    if variant.name in WITHOUT_DDL:
        write_lines(dump / f"{variant.name}.jsonl.gz", list(WITHOUT_DDL[variant.name].prefixed_lines()))
    else:
        shutil.copyfile(variant.path, dump / variant.path.name)


def shuffled_lines(variant: Variant) -> list[str]:
    """The variant's lines in any order and under another topic: what orders messages is their offset."""
    lines = [renamed(each.line, SHUFFLED) for each in variant.records]
    random.Random(1).shuffle(lines)
    return lines


def lines_in_steps(name: str) -> tuple[list[str], list[str]]:
    """What the first run and the second get of a variant, under another topic."""
    variant, topic = Variant(root(), name), f"{name}{IN_STEPS}"
    if name in HALVES:
        lines = [renamed(each.line, topic) for each in variant.records]
        return lines[: len(lines) // 2], lines
    lines = rearranged_lines(variant.records, topic, random.Random(name))
    half = lines[: len(lines) // 2]
    return random.Random(1).sample(half, len(half)), random.Random(2).sample(lines, len(lines))


@dataclass(frozen=True)
class Built:
    """A warehouse after its runs, and what they did.

    `staged_first`, `staged_then` and `identities_then`: the files of the staging of canal-json after the first run and
    the second, and the messages in those that the second added. `files_before` and `files_after`: all files before and
    after the third. `proof`: what `ticdc compare` said of the feed `canal_json`.
    """

    contents: embedded.Contents
    staged_first: dict[str, tuple[int, int]]
    staged_then: dict[str, tuple[int, int]]
    identities_then: set[Key]
    files_before: dict[str, tuple[int, int]]
    files_after: dict[str, tuple[int, int]]
    broken: dict[str, list[tuple[Record, str]]]
    proof: str


STAGED = "stg_ticdc__canal_json"


def feed_of(variant: Variant, name: str | None = None) -> dict[str, Any]:
    feed = variant.feed(name, name)
    return feed if feed["name"] in TYPED else {**feed, "target_schema": None}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory, checkpoints: dict[int, upstream.Truth]) -> Built:
    folder = tmp_path_factory.mktemp("corpus")
    first, second, home = folder / "first", folder / "second", folder / "warehouse"
    first.mkdir()
    second.mkdir()
    feeds = [feed_of(variant, feed) for feed, variant in feed_variants()]
    feeds += [{**variant.feed(), "target_schema": None} for variant in WITHOUT_DDL.values()]
    for variant in EVERY_VARIANT:
        write_messages(variant, first)
    write_lines(first / f"{SHUFFLED}.jsonl.gz", shuffled_lines(plain()))
    for name in (*HALVES, *REARRANGED):
        for dump, lines in zip((first, second), lines_in_steps(name), strict=True):
            write_lines(dump / f"{name}{IN_STEPS}.jsonl.gz", lines)
    broken = {feed: break_messages(feed, options) for feed, options in BROKEN_FEEDS.items()}
    for feed, records in broken.items():
        write_lines(first / f"{feed}.jsonl.gz", [each.line for each, _ in records])
        options = {"options": BROKEN_FEEDS[feed], "target_schema": None}
        feeds.append({"name": feed, "protocol": "canal_json", "topics": [feed], **options})
    feeds_file = embedded.write_feeds(folder / "feeds.yml", feeds)
    columns = folder / "columns.jsonl"  # it tells the names that Avro cannot write
    exported_columns = [*text_lines(root() / "columns.jsonl"), json.dumps({**NAMESAKE, "column_name": "id"})]
    columns.write_text("".join(exported_columns), encoding="utf-8", newline="\n")

    embedded.run(home, first, feeds_file, columns)
    staged_first = embedded.files(home, STAGED)
    embedded.run(home, second, feeds_file, columns)
    staged_then = embedded.files(home, STAGED)
    new = [home / path for path in staged_then if path not in staged_first and path.endswith(".parquet")]
    identities: set[Key] = set()
    for path in new:
        table = pq.read_table(path, columns=["topic", "partition", "offset"], partitioning=None)
        identities |= set(zip(*(table[name].to_pylist() for name in table.column_names), strict=True))
    before = embedded.files(home)
    embedded.run(home, second, feeds_file, columns)
    after = embedded.files(home)
    contents = embedded.Contents.read(home, folder / "contents", checkpoints, with_changelog=True)
    last, truth = list(checkpoints.items())[-1]
    exports = exported.write_csv(folder / "exports", truth.tables.values())
    proof = embedded.ticdc(
        *("compare", "--feed", "canal_json", "--as-of", str(last), "--truth", exports), *("--warehouse", home)
    )
    shutil.rmtree(home)
    return Built(contents, staged_first, staged_then, identities, before, after, broken, proof)


def feed_variants() -> list[tuple[str, Variant]]:
    """The feeds of the protocols that send DDL, and the variant that each carries."""
    in_steps = [(f"{name}{IN_STEPS}", Variant(root(), name)) for name in (*HALVES, *REARRANGED)]
    return [*((variant.name, variant) for variant in with_ddl()), (SHUFFLED, plain()), *in_steps]


def excused(variant: Variant, table: upstream.Table, without_key: frozenset[upstream.TableName]) -> str | None:
    """Why an encoder did not send what the truth has of a table; None where it did."""
    meta = variant.meta
    if ".".join(table.name) in meta["excluded_tables"]:
        return "left out by the encoder"
    if table.name in without_key and not (meta["force_replicate"] and meta["output_old_value"]):
        return "rows without a key, or without the old row that tells them"
    if meta["integrity_check"] and table.name == ("temp_db", "t2"):
        return "a row of NULLs has no checksum, and is not sent"
    if (variant.name, table.name) == SENT_TWICE:
        return "a change that was sent twice at once"
    return None


def compare(variant: Variant, table: upstream.Table, rows: Sequence[upstream.Row]) -> upstream.Tally:
    table = as_written(variant, table)
    return upstream.compare(table, rows) if table.primary_key else upstream.compare_keyless(table, rows)


def as_written(variant: Variant, table: upstream.Table) -> upstream.Table:
    """Debezium shifts the years 0001 to 0099, which no message tells; its JSON has decimals as doubles, keys too."""
    protocol = variant.meta["protocol"]
    if not protocol.startswith("debezium"):
        return table

    def written(column: str, cell: upstream.Cell) -> upstream.Cell:
        text = cell.get("text")
        if text and is_shifted(table.types[column], text):
            return {**cell, "text": ("20" if text[2:4] < "70" else "19") + text[2:]}
        is_key = column in table.primary_key
        if text and is_key and protocol == "debezium" and table.types[column].startswith("decimal"):
            return {**cell, "text": str(Decimal(repr(float(text))).quantize(Decimal(text)))}
        return cell

    rows = tuple({column: written(column, cell) for column, cell in row.items()} for row in table.rows)
    return replace(table, rows=rows)


def is_shifted(column_type: str, text: str) -> bool:
    return column_type.startswith("date") and "0000" < text[:4] < "0100"


def test_every_table_of_every_variant_equals_the_truth(
    built: Built,
    truth: upstream.Truth,
    without_key: frozenset[upstream.TableName],
    show: Callable[[str], None],
) -> None:
    generic, typed_tables, reasons = {}, {}, Counter[tuple[str, str]]()
    for feed, variant in feed_variants():
        generic[feed] = upstream.Tally()
        types = built.contents.typed.get(feed, {})
        for name, table in truth.tables.items():
            reason = excused(variant, table, without_key)
            if reason:
                reasons[feed, reason] += 1
                continue
            generic[feed].add(compare(variant, table, list(built.contents.rows(feed, name))))
            if feed in TYPED and table.primary_key:
                tally = typed_tables.setdefault(feed, upstream.Tally())
                tally.add(typed.compare(table, types[name].rows(), True, types[name].types))
    show(tallies_text("ticdc__current_rows", generic))
    show(tallies_text("typed tables", typed_tables))
    left_out = [f"  {feed}: {count} table(s): {reason}" for (feed, reason), count in sorted(reasons.items())]
    shifted = sum(
        is_shifted(table.types[column], cell.get("text") or "")
        for table in truth.tables.values()
        for row in table.rows
        for column, cell in row.items()
    )
    show("\n".join(["\nnot compared:", *left_out]))
    show(f"\ndebezium: {shifted} cell(s) compared as the encoder shifts years below 100")
    for tally in (*generic.values(), *typed_tables.values()):
        assert tally.right, "\n".join(tally.details)
        assert tally.tables > 50
    for feed, variant in feed_variants():
        if carries_whole_rows(variant):
            assert generic[feed].flagged == 0, feed


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


def tallies_text(title: str, tallies: dict[str, upstream.Tally]) -> str:
    heads = ("tables", "cells", "flagged", "lost", "wrong", "missing", "extra")
    return counts_text(title, {name: {head: getattr(tally, head) for head in heads} for name, tally in tallies.items()})


def counts_text(title: str, counts: Mapping[str, Mapping[str, int]]) -> str:
    """A table of named counts, the same for each name."""
    heads = next(iter(counts.values()), {})
    lines = [f"\n{title:<34}" + "".join(f"{head:>9}" for head in heads)]
    lines += [f"{name:<34}" + "".join(f"{count:>9}" for count in row.values()) for name, row in counts.items()]
    return "\n".join(lines)


@pytest.mark.soak
@pytest.mark.parametrize("start", range(0, len(EVERY_VARIANT), TYPED_AT_ONCE))
def test_typed_tables_of_every_variant_equal_the_truth(
    tmp_path: Path,
    truth: upstream.Truth,
    without_key: frozenset[upstream.TableName],
    show: Callable[[str], None],
    start: int,
) -> None:
    """Of protocols without DDL the tables that no DDL changed; a table that is empty need not be there."""
    chosen = EVERY_VARIANT[start : start + TYPED_AT_ONCE]
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
                {place: row for place, row in found.items() if not was_sent_twice(feed, place[0])}
                for found in (rows(feed), want)
            )
            assert got == alike, feed
            compared += 1
    assert compared >= 4


def test_accounting_adds_up(built: Built) -> None:
    twice = {f"{name}{IN_STEPS}" for name in REARRANGED}
    feeds = [(feed, variant) for feed, variant in feed_variants() if feed not in twice]
    names = dict(feeds)
    rows = built.contents.mart("accounting")
    accounting = {(row["feed"], row["partition"]): row for row in rows if row["feed"] in names}
    assert len(accounting) == sum(variant.meta["partitions"] for variant in names.values())
    assert sum(row["messages"] for row in accounting.values()) == sum(len(each.records) for each in names.values())
    for row in rows:
        check_balance(row)
    assert {row["feed"] for row in rows} == names.keys() | twice | BROKEN_FEEDS.keys() | WITHOUT_DDL.keys()
    for feed, variant in feeds:
        for partition, offsets in offsets_by_partition(variant.records).items():
            row = accounting[feed, partition]
            assert not row["offset_gaps"]
            assert row["dead_letters"] == 0
            assert (row["first_offset"], row["last_offset"]) == (min(offsets), max(offsets))
            assert row["messages"] == len(offsets)


def offsets_by_partition(records: Sequence[Record]) -> dict[int, set[int]]:
    found: dict[int, set[int]] = {}
    for each in records:
        found.setdefault(each.partition, set()).add(each.offset)
    return found


def check_balance(row: dict[str, Any]) -> None:
    kinds = ("rows", "ddl", "watermarks", "bootstraps", "dead_letters")
    assert row["messages"] == sum(row[kind] for kind in kinds), row
    assert row["balanced"] is True, row


def test_feeds_are_complete_through_the_last_watermark(built: Built) -> None:
    last: dict[str, int] = {}
    for feed, variant in feed_variants():
        watermarks: dict[int, int] = {}
        for each in variant.records if variant.has_extension and feed.startswith("canal_json") else ():
            (event,) = arrow.decode_message(canal_json.decode, None, each.value, variant.options_text)
            if event.kind == Kind.WATERMARK and event.commit_ts is not None:
                watermarks[each.partition] = max(event.commit_ts, watermarks.get(each.partition, 0))
        if watermarks:
            last[feed] = min(watermarks.values())
    got = {row["feed"]: row["complete_through_ts"] for row in built.contents.mart("tables")}
    assert {feed: bound for feed, bound in got.items() if feed in last} == {
        feed: bound for feed, bound in last.items() if feed in TYPED
    }


def test_a_run_without_new_messages_writes_no_file(built: Built) -> None:
    assert len(built.files_before) > 50
    assert built.files_after == built.files_before


def test_an_increment_decodes_only_what_is_new(built: Built) -> None:
    assert {path: built.staged_then.get(path) for path in built.staged_first} == built.staged_first
    taken = [Variant(root(), name).records for name in HALVES]
    late = {identity(each) for records in taken for each in records[len(records) // 2 :]}
    early = {identity(each) for records in taken for each in records[: len(records) // 2]}
    assert built.identities_then == late - early


def test_two_steps_give_the_tables_of_one_run(built: Built) -> None:
    for feed in (*HALVES, *REARRANGED):
        one, two = built.contents.current[feed], built.contents.current[f"{feed}{IN_STEPS}"]
        assert one.keys() == two.keys()
        for table in one:
            assert one[table].keys() == two[table].keys(), table
            for key, row in one[table].items():
                assert {**row, "lossy": sorted(row["lossy"] or ())} == {
                    **two[table][key],
                    "feed": feed,
                    "lossy": sorted(two[table][key]["lossy"] or ()),
                }


def test_the_bitemporal_history_that_is_known_now_is_the_history(built: Built) -> None:
    assert built.contents.mart("history_differences") == []


def identity(record: Record) -> Key:
    """Where the record of a feed in steps stands."""
    return f"{record.topic}{IN_STEPS}", record.partition, record.offset


BROKEN_FEEDS: dict[str, dict[str, str]] = {
    "broken_none": {"compression": "none"},
    "broken_snappy": {"compression": "snappy"},
    "broken_lz4": {"compression": "lz4"},
}
GAP = {"first_offset": 40, "last_offset": 44}  # in each partition of the broken topics


def break_messages(topic: str, options: dict[str, str]) -> list[tuple[Record, str]]:
    """A hundred messages of which most are broken, with the error code that each must have ('' where it decodes)."""
    rng = random.Random(topic)
    values = [each.value for each in Variant(SAMPLE, "canal_json").records if each.value and len(each.value) < 4000]
    chosen = rng.sample(values, 100)
    found = []
    for place, value in enumerate(chosen):
        offset = place // 20 * 10 + place % 10
        wire = broken_value(rng, place, value, rng.choice(values), options["compression"])
        (event,) = arrow.decode_message(canal_json.decode, b"", wire, json.dumps(options))
        fields = {
            "topic": topic,
            "partition": place // 10 % 2,
            "offset": offset if offset < GAP["first_offset"] else offset + 5,
            "timestamp": 1795238204129 + place,
            "key": "",
            "value": None if wire is None else b64encode(wire).decode("ascii"),
        }
        found.append((record(json.dumps(fields) + "\n"), event.error_code or ""))
    return found


def broken_value(rng: random.Random, place: int, value: bytes, other: bytes, codec: str) -> bytes | None:
    """A value that the place's turn breaks: null, empty, wrong compression, nesting, flipped, cut, mixed, or whole."""
    cut = rng.randrange(1, len(value))
    turns: list[bytes | None] = [
        None,
        b"",
        value if codec != "none" else pack(value, "lz4"),
        pack(value, "snappy" if codec == "lz4" else "lz4"),
        pack(b'{"x":' + b"[" * 100_000, codec),
        pack(bytes(byte ^ (rng.random() < 0.02) * rng.randrange(1, 256) for byte in value), codec),
        pack(value[:cut], codec),
        pack(value, codec)[:-1],
        pack(value[:cut] + other[rng.randrange(len(other)) :], codec),
        pack(value, codec),
    ]
    return turns[place % len(turns)]


def pack(value: bytes, codec: str) -> bytes:
    if codec == "none":
        return value
    return bytes(cramjam.snappy.compress_raw(value) if codec == "snappy" else cramjam.lz4.compress(value))


def test_every_broken_message_and_no_other_is_a_dead_letter(built: Built) -> None:
    letters = built.contents.mart("dead_letters")
    got = {(row["topic"], row["partition"], row["offset"]): row["error_code"] for row in letters}
    want = {each[:3]: code for records in built.broken.values() for each, code in records if code}
    assert len(want) > 200
    assert len(letters) == len(got)
    assert got == want
    values = {each[:3]: json.loads(each.line)["value"] for records in built.broken.values() for each, _ in records}
    for row in letters:
        assert row["feed"] == row["topic"]
        assert row["value"] == values[row["topic"], row["partition"], row["offset"]]
        assert row["error_message"]


def test_accounting_of_broken_messages_balances(built: Built) -> None:
    accounting = {(row["feed"], row["partition"]): row for row in built.contents.mart("accounting")}
    for feed, records in built.broken.items():
        for partition in (0, 1):
            here = [(each, code) for each, code in records if each.partition == partition]
            row = accounting[feed, partition]
            assert row["messages"] == len(here)
            assert row["dead_letters"] == sum(1 for _, code in here if code)
            assert row["offset_gaps"] == [GAP]


def test_whole_messages_among_broken_ones_are_rows(built: Built) -> None:
    for feed, records in built.broken.items():
        decoded = sum(1 for _, code in records if not code)
        counted = [row for row in built.contents.mart("accounting") if row["feed"] == feed]
        assert sum(row["rows"] + row["ddl"] + row["watermarks"] for row in counted) == decoded >= 10


# The changelog


@dataclass(frozen=True)
class Change:
    """A row of the changelog; images are by column."""

    op: str
    before: dict[str, str | None] | None
    after: dict[str, str | None] | None
    lossy: Sequence[str]


AS_INSERT = {"update": "insert"}
Changes = Mapping[tuple[upstream.TableName, int, str], Change]


def changes_of(built: Built, feed: str, *, only_exact: bool = False) -> Changes:
    """The changelog of a feed by table, commit and key; two changes of one key in one commit are an error."""
    found: dict[tuple[upstream.TableName, int, str], Change] = {}
    for row in built.contents.changelog(feed):
        if was_sent_twice(feed, (row["schema_name"], row["table_name"])):
            continue
        if row["commit_ts_exact"] or not only_exact:
            place = ((row["schema_name"], row["table_name"]), row["commit_ts"], told_key(row["row_key"]))
            assert place not in found, (feed, place)
            before, after = (None if row[image] is None else json.loads(row[image]) for image in ("before", "after"))
            found[place] = Change(row["op"], before, after, row["lossy"] or ())
    return found


def was_sent_twice(feed: str, table: upstream.TableName) -> bool:
    """Whether a feed has a change of the table that was sent twice at once."""
    return (feed.removesuffix(IN_STEPS), table) == SENT_TWICE


def told_key(row_key: str) -> str:
    """A key whose columns come in another order is the same."""
    return json.dumps(json.loads(row_key), sort_keys=True)


def unsent_tables(variant: Variant) -> set[upstream.TableName]:
    """The tables that an encoder left out, whose keys it could not write, or whose rows only an old row tells."""
    meta = variant.meta
    unsent = {(schema, table) for schema, _, table in (name.partition(".") for name in meta["excluded_tables"])}
    if not (meta["force_replicate"] and meta["output_old_value"]):
        unsent |= KEYLESS - {("shop", "inventory")}
    if meta["integrity_check"]:
        unsent.add(("temp_db", "t2"))
    if meta["protocol"].startswith("debezium"):
        unsent |= SHIFTED | {DECIMAL_KEY}
    if variant.name == SENT_TWICE[0]:
        unsent.add(SENT_TWICE[1])
    return unsent


def carries_whole_rows(variant: Variant) -> bool:
    """Whether no value is lost: Debezium loses some, and large rows come with their keys alone or lie in files."""
    has_files = "claim_check" in variant.feed().get("options", {})
    is_cut = variant.meta["large_message_handle_option"] != "none" and not has_files
    return variant.meta["protocol"] != "debezium" and not is_cut


def compare_changes(
    ours: Changes, theirs: Changes, tally: Counter[str], *, sends_old: bool, only_deleted_keys: bool = False
) -> Iterable[str]:
    """Counts cells and changes; gives a text for each that is wrong. Both have the same tables.

    With `only_deleted_keys` an old row of these is its key alone where its message is that of a delete.
    """
    for place in ours.keys() ^ theirs.keys():
        tally["missing" if place in ours else "extra"] += 1
        yield f"{place}: in one changelog alone"
    for place in ours.keys() & theirs.keys():
        want, got = ours[place], theirs[place]
        tally["changes"] += 1
        if want.op != got.op:
            tally["wrong"] += 1
            yield f"{place}: {want.op} became {got.op}"
        unsure = unsure_columns(got.lossy)
        for wanted, image in ((want.before, got.before), (want.after, got.after)):
            if wanted is None or image is None:
                if (wanted is None) != (image is None) and (sends_old or wanted is want.after):
                    tally["wrong"] += 1
                    yield f"{place}: an image is missing or too many"
                continue
            key_alone = only_deleted_keys and image is got.before and image.keys() == json.loads(place[2]).keys()
            for column in image.keys() if key_alone else wanted.keys() | image.keys():
                if wanted.get(column, NO_COLUMN) == image.get(column, NO_COLUMN):
                    tally["exact"] += 1
                elif column in unsure or "*" in unsure:
                    tally["flagged"] += 1
                else:
                    tally["wrong"] += 1
                    yield f"{place}: {column} was {wanted.get(column)!r}, became {image.get(column, NO_COLUMN)!r}"


def of_tables(changes: Changes, unlike: Callable[[upstream.TableName], bool]) -> Changes:
    return {place: change for place, change in changes.items() if not unlike(place[0])}


def changes_text(tallies: Mapping[str, Counter[str]]) -> str:
    heads = ("changes", "exact", "flagged", "wrong", "missing", "extra")
    return counts_text(
        "ticdc__changelog", {feed: {head: tally[head] for head in heads} for feed, tally in tallies.items()}
    )


def test_every_protocol_gives_the_same_changelog(built: Built, show: Callable[[str], None]) -> None:
    yardstick = changes_of(built, "canal_json")
    tallies: dict[str, Counter[str]] = {}
    wrong: list[str] = []
    for feed, variant in feed_variants():
        if variant.meta["protocol"] == "canal-json" and not variant.has_extension:
            continue
        unsent = unsent_tables(variant)
        ours, theirs = (of_tables(changes, unsent.__contains__) for changes in (yardstick, changes_of(built, feed)))
        if variant.meta["protocol"] == "open-protocol" and not variant.meta["output_old_value"]:
            # without an old row nothing tells an update from an insert
            ours, theirs = (
                {place: replace(change, op=AS_INSERT.get(change.op, change.op)) for place, change in changes.items()}
                for changes in (ours, theirs)
            )
        tally = tallies.setdefault(feed, Counter())
        found = compare_changes(
            *(ours, theirs, tally),
            sends_old=variant.meta["output_old_value"],
            only_deleted_keys=variant.meta["delete_only_output_handle_key_columns"],
        )
        wrong += [f"{feed} {text}" for text in found]
        if carries_whole_rows(variant):
            assert not tally["flagged"], feed
    show(changes_text(tallies))
    assert not wrong, "\n".join(wrong[:30])
    assert all(tally["changes"] > 2500 for tally in tallies.values())


def test_without_commit_tsos_each_millisecond_ends_with_the_same_rows(built: Built) -> None:
    def rows(feed: str) -> dict[tuple[upstream.TableName, str, int], dict[str, str | None] | None]:
        changes = sorted(built.contents.changelog(feed), key=lambda row: (row["commit_ts"], row["offset"]))
        return {
            ((row["schema_name"], row["table_name"]), told_key(row["row_key"]), row["commit_ts"] >> 18): (
                None if row["after"] is None else json.loads(row["after"])
            )
            for row in changes
        }

    got, want = rows("canal_json_noext"), rows("canal_json")
    assert len(want) > 2500
    assert got == want


@pytest.mark.parametrize("feed", WITHOUT_DDL)
def test_protocols_without_ddl_give_the_same_changelog(built: Built, feed: str, show: Callable[[str], None]) -> None:
    """But for tables that a DDL changed, and for Avro's deletes where no old row tells their commit."""
    variant = WITHOUT_DDL[feed]
    changed, unsent = changed_tables(built), unsent_tables(variant) | KEYLESS | {TOLD_TWICE, TOLD_AS}
    sends_old = feed.startswith("debezium") or "avro-include-before-value" in variant.meta["sink_uri_options"]

    def is_unlike(table: upstream.TableName) -> bool:
        return table in unsent or bool(changed & {table, (table[0], None)})

    theirs = of_tables(changes_of(built, feed, only_exact=True), is_unlike)
    ours = of_tables(changes_of(built, "canal_json"), is_unlike)
    if not sends_old:
        # the delete of an update of two messages cannot be told to be of its commit
        ours = {
            place: Change(theirs[place].op if place in theirs else change.op, None, change.after, ())
            for place, change in ours.items()
            if change.op != "delete"
        }
        theirs = {place: change for place, change in theirs.items() if change.op != "delete"}
    tally: Counter[str] = Counter()
    wrong = list(compare_changes(ours, theirs, tally, sends_old=sends_old)) if theirs else []
    show(changes_text({feed: tally}))
    assert not wrong, "\n".join(wrong[:30])
    assert not (feed.startswith("avro") and tally["flagged"])


# Protocols without DDL


def unsure_columns(lossy: Iterable[str] | None) -> set[str]:
    """The columns that the encoder did not carry whole."""
    return {flag.rpartition(":")[0] for flag in lossy or ()}


def has_unsure_key(row_key: str, row: Mapping[str, Any]) -> bool:
    return bool(unsure_columns(row["lossy"]) & json.loads(row_key).keys())


def changed_tables(built: Built) -> set[tuple[str, str | None]]:
    """The tables (None: all of a database) that a DDL touched later: feeds without DDL show them as sent."""
    return {
        (table["schema_name"], table["table_name"])
        for ddl in built.contents.mart("ddl_history")
        if ddl["feed"] == YARDSTICK and not ddl["ddl_kind"].startswith("create")
        for table in ddl["touched_tables"]
    }


def compare_images(ours: Table, theirs: Table, tally: Counter[str]) -> Iterable[str]:
    """Counts cells and rows; gives a text for each that is wrong."""
    tally["missing"] += len(ours.keys() - theirs.keys())
    tally["extra"] += len(theirs.keys() - ours.keys())
    yield from (f"key {key}" for key in ours.keys() ^ theirs.keys())
    for key in ours.keys() & theirs.keys():
        unsure = unsure_columns(theirs[key]["lossy"])
        wanted, got = json.loads(ours[key]["row"]), json.loads(theirs[key]["row"])
        for column, text in wanted.items():
            if column in unsure:
                tally["flagged"] += 1
            elif text == got.get(column, "(no column)"):
                tally["exact"] += 1
            else:
                tally["wrong"] += 1
                yield f"{column}: {text!r} became {got.get(column)!r}"


@pytest.mark.parametrize("feed", WITHOUT_DDL)
def test_rows_of_protocols_without_ddl_are_those_of_canal_json(
    built: Built, feed: str, show: Callable[[str], None]
) -> None:
    tally: Counter[str] = Counter()
    wrong: list[str] = []
    changed, unsent = changed_tables(built), set(WITHOUT_DDL[feed].meta["excluded_tables"])
    for name, ours in built.contents.current[YARDSTICK].items():
        if name in KEYLESS or ".".join(name) in unsent or changed & {name, (name[0], None)}:
            continue
        if feed.startswith("avro") and name == TOLD_TWICE:
            continue
        theirs: Table = built.contents.current[feed].get(name, {})
        if any(has_unsure_key(key, row) for key, row in theirs.items()) or (
            feed.startswith("debezium") and name in SHIFTED
        ):
            tally["flagged"] += len(theirs)
            wrong += [f"{name}: {len(theirs)} rows instead of {len(ours)}"] * (len(theirs) != len(ours))
            continue
        wrong += [f"{name}: {text}" for text in compare_images(ours, theirs, tally)]
    counts = ("exact", "flagged", "wrong", "missing", "extra")
    show(f"{feed:<28}" + "".join(f"{tally[count]:>8} {count}" for count in counts))
    assert not wrong, "\n".join(wrong[:20])
    assert not (feed.startswith("avro") and tally["flagged"])
    assert tally["exact"] > 3_000


@pytest.mark.parametrize("feed", [feed for feed in WITHOUT_DDL if feed.startswith("avro")])
def test_a_name_in_avro_that_is_that_of_two_tables_stays(built: Built, feed: str) -> None:
    tables = built.contents.current[feed]
    assert tables.keys().isdisjoint({TOLD_TWICE, ("shop", NAMESAKE["table_name"])})
    assert tables[TOLD_AS]
    flagged = {
        name for name, rows in tables.items() for row in rows.values() if "*:ambiguous_name" in (row["lossy"] or ())
    }
    assert flagged == {TOLD_AS}


def test_a_deletion_that_names_no_row_is_a_problem(built: Built) -> None:
    """Without old rows, Avro deletes a row of a table without primary key by a message without key and value."""
    nameless = {
        feed
        for feed, variant in WITHOUT_DDL.items()
        if feed.startswith("avro") and "avro-include-before-value" not in variant.meta["sink_uri_options"]
    }
    unnamed = [row for row in built.contents.mart("problems") if row["code"] == "unnamed_deletes"]
    assert {row["feed"] for row in unnamed} == nameless
    assert all(row["detail"].startswith("2 deletion(s) in topic ") for row in unnamed)


def test_changes_find_their_rows_unless_they_were_sent_twice_or_tell_no_old_row(built: Built) -> None:
    problems = built.contents.mart("problems")
    twice = {
        row["feed"] for row in problems if row["code"] == "equal_changes" and row["table_name"] == SENT_TWICE[1][1]
    }
    assert twice == {feed for feed in built.contents.current if was_sent_twice(feed, SENT_TWICE[1])}
    unfound = {(row["feed"], row["table_name"]) for row in problems if row["code"] == "change_without_row"}
    assert unfound == {(feed, SENT_TWICE[1][1]) for feed in twice}


def test_rows_of_simple_are_verified_by_their_checksums(built: Built) -> None:
    assert not [problem for problem in built.contents.mart("problems") if problem["code"] == "checksum_mismatch"]
    assert not [problem for problem in built.contents.mart("problems") if problem["code"] == "rows_wait_for_schema"]
