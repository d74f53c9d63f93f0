"""Whole changefeeds through `ticdc run`: marts and typed tables equal the upstream's truth, cell by cell.

The variants of the repository's sample, or of the corpus that TICDC_CORPUS names, go through one run, each as a feed
of its own: every table, whatever DDL changed, as it is now and as of every checkpoint. A second warehouse takes the
same messages in two steps, and broken ones beside them.
"""

from __future__ import annotations

import gzip
import json
import random
import shutil
from base64 import b64encode
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cramjam
import pyarrow.parquet as pq
import pytest
from support import exported, typed
from support import truth as upstream
from support import warehouse as embedded
from support.corpus import SAMPLE, Record, Variant, json_lines, plain, rearranged, record, root, with_ddl

from ticdc_udfs import arrow
from ticdc_udfs.events import Kind
from ticdc_udfs.protocols import canal_json

SHUFFLED = "canal_json_shuffled"
# Variants whose messages say the same as those of `canal_json`, in other bytes, order or partitions.
SAME_ROWS = ("shuffled", "replayed", "index_value", "index_value_replayed", "snappy", "lz4", "rowkey")
HALVES = ("canal_json", "canal_json_index_value_replayed")
REARRANGED = ("open_protocol", "simple_json")

Key = tuple[str, int, int]


# Typed tables cost most of a run's time.
TYPED = ("canal_json", "simple_json")


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


def shuffled_lines(variant: Variant) -> list[str]:
    """The variant's lines in any order and under another topic: what orders messages is their offset."""
    lines = [json.dumps({**json.loads(record.line), "topic": SHUFFLED}) + "\n" for record in variant.records]
    random.Random(1).shuffle(lines)
    return lines


@dataclass(frozen=True)
class Built:
    """A warehouse after its run, what `ticdc run` printed, and what `ticdc compare` said of the feed `canal_json`."""

    contents: embedded.Contents
    output: str
    proof: str


def feed_of(variant: Variant, name: str | None = None) -> dict[str, Any]:
    feed = variant.feed(name, name)
    return feed if feed["name"] in TYPED else {**feed, "target_schema": None}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory, checkpoints: dict[int, upstream.Truth]) -> Built:
    """Every variant and the shuffled one, in one run."""
    folder = tmp_path_factory.mktemp("whole")
    messages = folder / "messages"
    messages.mkdir()
    for variant in with_ddl():
        shutil.copyfile(variant.path, messages / variant.path.name)
    write_lines(messages / f"{SHUFFLED}.jsonl.gz", shuffled_lines(plain()))
    feeds = [feed_of(variant) for variant in with_ddl()] + [feed_of(plain(), SHUFFLED)]
    output = embedded.run(folder / "warehouse", messages, embedded.write_feeds(folder / "feeds.yml", feeds))
    contents = embedded.Contents.read(folder / "warehouse", folder / "contents", checkpoints)
    last, truth = list(checkpoints.items())[-1]
    exports = exported.write_csv(folder / "exports", truth.tables.values())
    proof = embedded.ticdc(
        *("compare", "--feed", "canal_json", "--as-of", str(last), "--truth", exports),
        *("--warehouse", folder / "warehouse"),
    )
    shutil.rmtree(folder / "warehouse")
    return Built(contents, output, proof.stdout)


def feed_variants() -> list[tuple[str, Variant]]:
    return [(variant.name, variant) for variant in with_ddl()] + [(SHUFFLED, plain())]


def excused(variant: Variant, table: upstream.Table, without_key: frozenset[upstream.TableName]) -> str | None:
    """Why an encoder did not send what the truth has of a table; None where it did."""
    meta = variant.meta
    if ".".join(table.name) in meta["excluded_tables"]:
        return "left out by the encoder"
    if table.name in without_key and not (meta["force_replicate"] and meta["output_old_value"]):
        return "rows without a key, or without the old row that tells them"
    if meta["integrity_check"] and table.name == ("temp_db", "t2"):
        return "a row of NULLs has no checksum, and is not sent"
    if meta["protocol"] == "debezium":
        cells = [
            (table.types[column], cell["text"]) for row in table.rows for column, cell in row.items() if "text" in cell
        ]
        if any(kind.startswith("date") and text and "0000" < text[:4] < "0100" for kind, text in cells):
            return "years before 100 are shifted"
        if any(table.types[column].startswith("decimal") for column in table.primary_key):
            return "a decimal key that a double cannot hold"
    return None


def compare(table: upstream.Table, rows: Sequence[upstream.Row]) -> upstream.Tally:
    return upstream.compare(table, rows) if table.primary_key else upstream.compare_keyless(table, rows)


def test_every_table_of_every_variant_equals_the_truth(
    whole: Built,
    truth: upstream.Truth,
    without_key: frozenset[upstream.TableName],
    show: Callable[[str], None],
) -> None:
    generic, typed_tables, reasons = {}, {}, Counter[tuple[str, str]]()
    for feed, variant in feed_variants():
        generic[feed] = upstream.Tally()
        types = whole.contents.typed.get(feed, {})
        for name, table in truth.tables.items():
            reason = excused(variant, table, without_key)
            if reason:
                reasons[feed, reason] += 1
                continue
            generic[feed].add(compare(table, list(whole.contents.rows(feed, name))))
            if feed in TYPED and table.primary_key:
                tally = typed_tables.setdefault(feed, upstream.Tally())
                tally.add(typed.compare(table, types[name].rows(), True, types[name].types))
    show(tallies_text("ticdc__current_rows", generic))
    show(tallies_text("typed tables", typed_tables))
    left_out = [f"  {feed}: {count} table(s): {reason}" for (feed, reason), count in sorted(reasons.items())]
    show("\n".join(["\nnot compared:", *left_out]))
    for tally in (*generic.values(), *typed_tables.values()):
        assert tally.right, "\n".join(tally.details)
        assert tally.tables > 50
    for feed, variant in feed_variants():
        carried_whole = variant.meta["protocol"] != "debezium" and "handle_key_only" not in feed
        has_files = "claim_check" in feed_of(variant).get("options", {})
        if carried_whole and ("claim_check" not in feed or has_files):
            assert generic[feed].flagged == 0, feed


def test_rows_as_of_every_checkpoint_equal_the_truth(
    whole: Built,
    checkpoints: dict[int, upstream.Truth],
    without_key: frozenset[upstream.TableName],
    show: Callable[[str], None],
) -> None:
    tallies: dict[str, upstream.Tally] = {}
    for commit_ts, then in checkpoints.items():
        rows = whole.contents.as_of(commit_ts)
        for feed, variant in feed_variants():
            tally = tallies.setdefault(feed, upstream.Tally())
            extra = rows.get(feed, {}).keys() - then.tables.keys()
            assert not extra, (feed, commit_ts)
            for name, table in then.tables.items():
                if not excused(variant, table, without_key):
                    tally.add(compare(table, rows.get(feed, {}).get(name, [])))
    show(tallies_text(f"as of {len(checkpoints)} checkpoint(s)", tallies))
    for tally in tallies.values():
        assert tally.right, "\n".join(tally.details)


def tallies_text(title: str, tallies: dict[str, upstream.Tally]) -> str:
    heads = ("tables", "cells", "flagged", "wrong", "missing", "extra")
    lines = [f"\n{title:<34}" + "".join(f"{head:>9}" for head in heads)]
    for name, tally in tallies.items():
        lines.append(f"{name:<34}" + "".join(f"{getattr(tally, head):>9}" for head in heads))
    return "\n".join(lines)


def test_the_command_proves_that_the_tables_are_equal(whole: Built, truth: upstream.Truth) -> None:
    assert whole.proof.endswith("\nequal\n")
    total = next(line.split() for line in whole.proof.splitlines() if line.startswith("all "))
    assert total[1] == f"{sum(len(table.rows) for table in truth.tables.values()):,}"
    assert total[4:] == ["0", "0", "0"]


def test_other_bytes_order_and_partitions_give_the_same_rows(whole: Built) -> None:
    def rows(feed: str) -> dict[Any, Any]:
        return {
            (table, key): (json.loads(row["row"]), row["commit_ts"], sorted(row["lossy"] or ()))
            for table, by_key in whole.contents.current[feed].items()
            for key, row in by_key.items()
        }

    want = rows("canal_json")
    assert len(want) > 1500
    compared = 0
    for suffix in SAME_ROWS:
        feed = f"canal_json_{suffix}"
        if feed in whole.contents.current:
            assert rows(feed) == want, feed
            compared += 1
    assert compared >= 4


def test_accounting_adds_up(whole: Built) -> None:
    feeds = feed_variants()
    accounting = {(row["feed"], row["partition"]): row for row in whole.contents.mart("accounting")}
    assert len(accounting) == sum(variant.meta["partitions"] for _, variant in feeds)
    assert sum(row["messages"] for row in accounting.values()) == sum(len(variant.records) for _, variant in feeds)
    for feed, variant in feeds:
        for partition, offsets in offsets_by_partition(variant.records).items():
            row = accounting[feed, partition]
            check_balance(row)
            assert not row["offset_gaps"]
            assert row["dead_letters"] == 0
            assert (row["first_offset"], row["last_offset"]) == (min(offsets), max(offsets))
            assert row["messages"] == len(offsets)
    assert whole.contents.mart("dead_letters") == []


def offsets_by_partition(records: Sequence[Record]) -> dict[int, set[int]]:
    found: dict[int, set[int]] = {}
    for each in records:
        found.setdefault(each.partition, set()).add(each.offset)
    return found


def check_balance(row: dict[str, Any]) -> None:
    kinds = ("rows", "ddl", "watermarks", "bootstraps", "dead_letters")
    assert row["messages"] == sum(row[kind] for kind in kinds), row
    assert row["balanced"] is True, row


def test_feeds_are_complete_through_the_last_watermark(whole: Built) -> None:
    last: dict[str, int] = {}
    for feed, variant in feed_variants():
        watermarks: dict[int, int] = {}
        for each in variant.records if variant.has_extension and feed.startswith("canal_json") else ():
            (event,) = arrow.decode_message(canal_json.decode, None, each.value, variant.options_text)
            if event.kind == Kind.WATERMARK and event.commit_ts is not None:
                watermarks[each.partition] = max(event.commit_ts, watermarks.get(each.partition, 0))
        if watermarks:
            last[feed] = min(watermarks.values())
    got = {row["feed"]: row["complete_through_ts"] for row in whole.contents.mart("tables")}
    assert {feed: bound for feed, bound in got.items() if feed in last} == {
        feed: bound for feed, bound in last.items() if feed in TYPED
    }


@dataclass(frozen=True)
class Steps:
    """A warehouse that took messages in two steps, then the same once more."""

    contents: embedded.Contents
    staged_first: dict[str, tuple[int, int]]
    staged_then: dict[str, tuple[int, int]]
    identities_then: set[Key]
    files_before: dict[str, tuple[int, int]]
    files_after: dict[str, tuple[int, int]]
    broken: dict[str, list[tuple[Record, str]]]


@pytest.fixture(scope="module")
def steps(tmp_path_factory: pytest.TempPathFactory) -> Steps:
    folder = tmp_path_factory.mktemp("steps")
    half, rest, home = folder / "half", folder / "all", folder / "warehouse"
    half.mkdir()
    rest.mkdir()
    taken = [Variant(root(), name) for name in HALVES]
    for variant in taken:
        lines = [each.line for each in variant.records]
        write_lines(half / f"{variant.name}.jsonl.gz", lines[: len(lines) // 2])
        write_lines(rest / f"{variant.name}.jsonl.gz", lines)
    for name in REARRANGED:
        lines = [line_of(each) for each in rearranged(Variant(root(), name).records, random.Random(name))]
        write_lines(half / f"{name}.jsonl.gz", random.Random(1).sample(lines[: len(lines) // 2], len(lines) // 2))
        write_lines(rest / f"{name}.jsonl.gz", random.Random(2).sample(lines, len(lines)))
    broken = {feed: break_messages(feed, options) for feed, options in BROKEN_FEEDS.items()}
    for feed, records in broken.items():
        write_lines(half / f"{feed}.jsonl.gz", [each.line for each, _ in records])
    feeds = [feed_of(variant) for variant in taken]
    feeds += [{**Variant(root(), name).feed(), "target_schema": None} for name in REARRANGED]
    feeds += [
        {
            "name": feed,
            "protocol": "canal_json",
            "topics": [feed],
            "options": options,
            "target_schema": None,
        }
        for feed, options in BROKEN_FEEDS.items()
    ]
    feeds_file = embedded.write_feeds(folder / "feeds.yml", feeds)

    embedded.run(home, half, feeds_file)
    staged_first = embedded.files(home, STAGED)
    embedded.run(home, rest, feeds_file)
    staged_then = embedded.files(home, STAGED)
    new = [home / path for path in staged_then if path not in staged_first and path.endswith(".parquet")]
    identities: set[Key] = set()
    for path in new:
        table = pq.read_table(path, columns=["topic", "partition", "offset"], partitioning=None)
        identities |= set(zip(*(table[name].to_pylist() for name in table.column_names), strict=True))
    before = embedded.files(home)
    embedded.run(home, rest, feeds_file)
    after = embedded.files(home)
    contents = embedded.Contents.read(home, folder / "contents")
    shutil.rmtree(home)
    return Steps(contents, staged_first, staged_then, identities, before, after, broken)


STAGED = "stg_ticdc__canal_json"


def line_of(each: Record) -> str:
    """The record as a line of a topic file."""
    return json.dumps({**json.loads(each.line), "offset": each.offset}) + "\n"


def test_a_run_without_new_messages_writes_no_file(steps: Steps) -> None:
    assert len(steps.files_before) > 50
    assert steps.files_after == steps.files_before


def test_an_increment_decodes_only_what_is_new(steps: Steps) -> None:
    assert {path: steps.staged_then.get(path) for path in steps.staged_first} == steps.staged_first
    taken = [Variant(root(), name).records for name in HALVES]
    late = {each[:3] for records in taken for each in records[len(records) // 2 :]}
    early = {each[:3] for records in taken for each in records[: len(records) // 2]}
    assert steps.identities_then == late - early


def test_two_steps_give_the_tables_of_one_run(steps: Steps, whole: Built) -> None:
    """Open Protocol and Simple come in another order too, with stretches sent again."""
    for feed in (*HALVES, *REARRANGED):
        one, two = whole.contents.current[feed], steps.contents.current[feed]
        assert one.keys() == two.keys()
        for table in one:
            assert one[table].keys() == two[table].keys(), table
            for key, row in one[table].items():
                assert {**row, "lossy": sorted(row["lossy"] or ())} == {
                    **two[table][key],
                    "lossy": sorted(two[table][key]["lossy"] or ()),
                }
        for table, once in whole.contents.typed[feed].items() if feed in HALVES and feed in TYPED else ():
            twice = steps.contents.typed[feed][table]
            assert twice.types == once.types
            assert Counter(map(tuple, twice.texts)) == Counter(map(tuple, once.texts)), table


def test_the_bitemporal_history_that_is_known_now_is_the_history(whole: Built, steps: Steps) -> None:
    for contents in (whole.contents, steps.contents):
        assert contents.mart("history_differences") == []


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


def test_every_broken_message_is_a_dead_letter(steps: Steps) -> None:
    letters = steps.contents.mart("dead_letters")
    got = {(row["topic"], row["partition"], row["offset"]): row["error_code"] for row in letters}
    want = {each[:3]: code for records in steps.broken.values() for each, code in records if code}
    assert len(want) > 200
    assert len(letters) == len(got)
    assert got == want
    values = {each[:3]: json.loads(each.line)["value"] for records in steps.broken.values() for each, _ in records}
    for row in letters:
        assert row["feed"] == row["topic"]
        assert row["value"] == values[row["topic"], row["partition"], row["offset"]]
        assert row["error_message"]


def test_accounting_of_broken_messages_balances(steps: Steps) -> None:
    accounting = {(row["feed"], row["partition"]): row for row in steps.contents.mart("accounting")}
    for feed, records in steps.broken.items():
        for partition in (0, 1):
            here = [(each, code) for each, code in records if each.partition == partition]
            row = accounting[feed, partition]
            check_balance(row)
            assert row["messages"] == len(here)
            assert row["dead_letters"] == sum(1 for _, code in here if code)
            assert row["offset_gaps"] == [GAP]


def test_whole_messages_among_broken_ones_are_rows(steps: Steps) -> None:
    for feed, records in steps.broken.items():
        decoded = sum(1 for _, code in records if not code)
        counted = [row for row in steps.contents.mart("accounting") if row["feed"] == feed]
        assert sum(row["rows"] + row["ddl"] + row["watermarks"] for row in counted) == decoded >= 10
