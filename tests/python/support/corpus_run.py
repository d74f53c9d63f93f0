"""One warehouse with the variants of the corpus, each as a feed of its own, after its runs.

All variants of the repository's sample, or of the corpus that TICDC_CORPUS names, are in it where `make soak` asks for
them, else one of each protocol, and broken messages beside them. The first run goes on with one that was killed when it
had staged half of a feed. Where the part `steps` runs, too, some variants come once more in two steps; a last run of
all variants finds nothing new.
"""

from __future__ import annotations

import gzip
import json
import random
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow.parquet as pq

from support import avro, exported, session
from support import truth as upstream
from support import warehouse as embedded
from support.broken import BROKEN_FEEDS, break_messages
from support.corpus import (
    SOAKED,
    Record,
    Variant,
    lines_about,
    plain,
    rearranged_lines,
    renamed,
    root,
    text_lines,
    with_ddl,
)

IS_WHOLE = "corpus" in SOAKED
HAS_STEPS = IS_WHOLE or "steps" in SOAKED
ONE_OF_EACH = {
    *("canal_json", "debezium_noschema", "open_protocol", "simple_json", "avro_before"),
    # without extension only the export tells the types
    *("debezium_avro", "debezium_avro_noext"),
}
SHUFFLED = "canal_json_shuffled"
IN_STEPS = "_in_steps"
# Variants whose messages say the same as those of `canal_json`, in other bytes, order or partitions.
SAME_ROWS = ("shuffled", "replayed", "index_value", "index_value_replayed", "snappy", "lz4", "rowkey")
HALVES = (("canal_json", "canal_json_index_value_replayed") if IS_WHOLE else ("canal_json",)) if HAS_STEPS else ()
# These come in another order too, with offset ranges sent again.
REARRANGED = (("open_protocol", "simple_json") if IS_WHOLE else ("simple_json",)) if HAS_STEPS else ()
# Typed tables cost most of a run's time: this feed has some, and `make soak` gives all of them to every variant.
TYPED = "canal_json_typed"
TYPED_TABLES = (
    "customers",
    "evolve",
    "exch",
    "ren1",
    "ren1b",
    "ren2",
    "sales",
    "swappy",
    "weird name",
    "back`tick",
    "audit_log",
)
TYPED_TABLES += ("types_zoo_int", "types_zoo_misc", "types_zoo_num", "types_zoo_str", "types_zoo_time")
# Those of these that have as many rows are stored.
STORED_FROM = 30

# The feeds whose protocol sends no DDL.
WITHOUT_DDL = {
    each.name: each
    for protocol in ("avro", "debezium_avro")
    for each in avro.variants(protocol)
    if IS_WHOLE or each.name in ONE_OF_EACH
}
DDL_VARIANTS = tuple(each for each in with_ddl() if IS_WHOLE or each.name in ONE_OF_EACH)
EVERY_VARIANT = (*DDL_VARIANTS, *WITHOUT_DDL.values())

# The export has one more table, that bears the name of another in Avro, com_ma: which of both it is, none can tell.
NAMESAKE = {"table_schema": "shop", "table_name": "com/ma", "ordinal_position": 1, "column_type": "bigint"}
STAGED = "stg_ticdc__canal_json"
Key = tuple[str, int, int]


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


def typed_lines() -> list[str]:
    """The messages of the tables that are typed."""
    return [renamed(line, TYPED) for line in lines_about(plain(), TYPED_TABLES)]


@dataclass(frozen=True)
class Built:
    """A warehouse after its runs, and what they did.

    `runs_after_kill`: how many runs staged the messages of `TYPED`, of which the first was killed.
    `staged_first`, `staged_then` and `identities_then`: the files of the staging of canal-json after the first run and
    the second, and the messages in those that the second added. `files_before` and `files_after`: all files before and
    after the third. `proof`: what `ticdc compare` said of the feed `canal_json`.
    """

    contents: embedded.Contents
    runs_after_kill: int
    staged_first: dict[str, tuple[int, int]]
    staged_then: dict[str, tuple[int, int]]
    identities_then: set[Key]
    files_before: dict[str, tuple[int, int]]
    files_after: dict[str, tuple[int, int]]
    broken: dict[str, list[tuple[Record, str]]]
    proof: str


def build(folder: Path, checkpoints: Mapping[int, upstream.Truth]) -> Built:
    """Runs, again where there are steps, and once more on all variants; reads what came of it."""
    first, second, home = folder / "first", folder / "second", folder / "warehouse"
    first.mkdir()
    second.mkdir()
    feeds = [variant.feed(feed, feed) for feed, variant in feed_variants()]
    feeds += [variant.feed() for variant in WITHOUT_DDL.values()]
    feeds = [*({**feed, "target_schema": None} for feed in feeds), plain().feed(TYPED, TYPED)]
    broken = {feed: break_messages(feed, options) for feed, options in BROKEN_FEEDS.items()}
    for feed in broken:
        options = {"options": BROKEN_FEEDS[feed], "target_schema": None}
        feeds.append({"name": feed, "protocol": "canal_json", "topics": [feed], **options})
    feeds_file = embedded.write_feeds(folder / "feeds.yml", feeds, {"ticdc__stored_from_rows": STORED_FROM})
    columns = folder / "columns.jsonl"  # it tells the names that Avro cannot write
    exported_columns = [*text_lines(root() / "columns.jsonl"), json.dumps({**NAMESAKE, "column_name": "id"})]
    columns.write_text("".join(exported_columns), encoding="utf-8", newline="\n")

    lines = typed_lines()
    write_lines(first / f"{TYPED}.jsonl.gz", lines[: len(lines) // 2])
    embedded.kill_run_at(STAGED, home, first, feeds_file)
    write_lines(first / f"{TYPED}_after_kill.jsonl.gz", lines[len(lines) // 2 :])
    for variant in EVERY_VARIANT:
        write_messages(variant, first)
    if IS_WHOLE:
        write_lines(first / f"{SHUFFLED}.jsonl.gz", shuffled_lines(plain()))
    for name in (*HALVES, *REARRANGED):
        for dump, lines in zip((first, second), lines_in_steps(name), strict=True):
            write_lines(dump / f"{name}{IN_STEPS}.jsonl.gz", lines)
    for feed, records in broken.items():
        write_lines(first / f"{feed}.jsonl.gz", [each.line for each, _ in records])
    embedded.run(home, first, feeds_file, columns)
    staging = f"select count(distinct run_id) as runs from {STAGED} where feed = '{TYPED}'"
    (staged,) = session.rows(home, staging)
    staged_first = embedded.files(home, STAGED)
    if HAS_STEPS:
        session.run(home, second, feeds_file, columns)
    staged_then = embedded.files(home, STAGED)
    new = [home / path for path in staged_then if path not in staged_first and path.endswith(".parquet")]
    identities: set[Key] = set()
    for path in new:
        table = pq.read_table(path, columns=["topic", "partition", "offset"], partitioning=None)
        identities |= set(zip(*(table[name].to_pylist() for name in table.column_names), strict=True))
    before = embedded.files(home)
    if IS_WHOLE:
        session.run(home, second, feeds_file, columns)
    after = embedded.files(home)
    contents = embedded.Contents.read(home, folder / "contents", checkpoints, with_changelog=True)
    last, truth = list(checkpoints.items())[-1]
    exports = exported.write_csv(folder / "exports", truth.tables.values())
    proof = embedded.ticdc(
        *("compare", "--feed", "canal_json", "--as-of", str(last), "--truth", exports), *("--warehouse", home)
    )
    shutil.rmtree(home)
    return Built(contents, staged["runs"], staged_first, staged_then, identities, before, after, broken, proof)


def feed_variants() -> list[tuple[str, Variant]]:
    """The feeds of the protocols that send DDL, and the variant that each carries."""
    in_steps = [(f"{name}{IN_STEPS}", Variant(root(), name)) for name in (*HALVES, *REARRANGED)]
    shuffled = [(SHUFFLED, plain())] if IS_WHOLE else []
    return [*((variant.name, variant) for variant in DDL_VARIANTS), *shuffled, *in_steps]


def identity(record: Record) -> Key:
    """Where the record of a feed in steps stands."""
    return f"{record.topic}{IN_STEPS}", record.partition, record.offset
