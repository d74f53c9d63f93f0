"""One upstream through every protocol: the current rows of each feed are those of canal-json, cell by cell."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import pytest
from support import warehouse as embedded
from support.avro import AvroVariant
from support.corpus import SAMPLE, Variant, root, text_lines

FEEDS: dict[str, dict[str, Any]] = {
    "canal_json_compatible": {"protocol": "canal_json"},
    "open_protocol": {"protocol": "open_protocol"},
    "simple_json": {"protocol": "simple"},
    "debezium_noschema": {"protocol": "debezium"},
    "simple_avro_checksum": {"protocol": "simple", "options": {"encoding": "avro"}},
}
# Those that the repository has no sample of need TICDC_CORPUS.
AVRO = {
    name: AvroVariant(folder, name)
    for name in ("avro_before", "avro_glue", "debezium_avro", "avro_confluent", "avro_noext")
    for folder in dict.fromkeys((SAMPLE, root()))
    if (folder / "topics" / f"{name}.jsonl.gz").is_file()
}
YARDSTICK = "canal_json_compatible"
# Without a primary key a row is told by all of its columns, and protocols order them differently.
KEYLESS = {("shop", "audit_log"), ("shop", "inventory"), ("shop", "keyless"), ("temp_db", "t2")}
# Debezium's encoders shift the years 0001 to 0099, which cannot be told (keys and cells of these tables have them), and
# fail on nd_date; with Avro also on shapes, and Avro on types_zoo_enum0.
_EARLY_YEARS = {("shop", "daily_stats"), ("shop", "types_zoo_time")}
SHIFTED = {"debezium_noschema": _EARLY_YEARS, "debezium_avro": _EARLY_YEARS}
UNSENT = {
    "debezium_noschema": {("shop", "nd_date")},
    "debezium_avro": {("shop", "nd_date"), ("shop", "shapes")},
    **{feed: {("shop", "types_zoo_enum0")} for feed in AVRO if feed.startswith("avro")},
}

# The export has one more table, that bears the name of another in Avro, com_ma: which of both it is, none can tell.
TOLD_TWICE = ("shop", "com,ma")
NAMESAKE = {"table_schema": "shop", "table_name": "com/ma", "ordinal_position": 1, "column_type": "bigint"}

Table = Mapping[str, dict[str, Any]]


@pytest.fixture(scope="module")
def contents(tmp_path_factory: pytest.TempPathFactory) -> embedded.Contents:
    folder = tmp_path_factory.mktemp("protocols")
    messages = folder / "messages"
    messages.mkdir()
    feeds = []
    for name, feed in FEEDS.items():
        variant = Variant(SAMPLE, name)
        shutil.copyfile(variant.path, messages / variant.path.name)
        feeds.append({**variant.feed(), **feed, "target_schema": None})
    for name, variant in AVRO.items():
        with (messages / f"{name}.jsonl").open("w", encoding="utf-8", newline="\n") as file:
            file.writelines(variant.prefixed_lines())
        feeds.append({**variant.feed(), "target_schema": None})
    columns = folder / "columns.jsonl"  # it tells the names that Avro cannot write
    exported = [*text_lines(SAMPLE / "columns.jsonl"), json.dumps({**NAMESAKE, "column_name": "id"})]
    columns.write_text("".join(exported), encoding="utf-8", newline="\n")
    embedded.run(folder / "warehouse", messages, embedded.write_feeds(folder / "feeds.yml", feeds), columns)
    return embedded.Contents.read(folder / "warehouse", folder / "contents")


def unsure_columns(row: Mapping[str, Any]) -> set[str]:
    """The columns that the encoder did not carry whole."""
    return {flag.rpartition(":")[0] for flag in row["lossy"] or ()}


def has_unsure_key(row_key: str, row: Mapping[str, Any]) -> bool:
    return bool(unsure_columns(row) & json.loads(row_key).keys())


def changed_tables(contents: embedded.Contents) -> set[tuple[str, str | None]]:
    """The tables (None: all of a database) that a DDL touched later: feeds without DDL show them as sent."""
    return {
        (table["schema_name"], table["table_name"])
        for ddl in contents.mart("ddl_history")
        if ddl["feed"] == YARDSTICK and not ddl["ddl_kind"].startswith("create")
        for table in ddl["touched_tables"]
    }


def compare(ours: Table, theirs: Table, feed: str, tally: Counter[str]) -> Iterable[str]:
    """Counts cells and rows; gives a text for each that is wrong."""
    tally["missing"] += len(ours.keys() - theirs.keys())
    tally["extra"] += len(theirs.keys() - ours.keys())
    yield from (f"key {key}" for key in ours.keys() ^ theirs.keys())
    for key in ours.keys() & theirs.keys():
        unsure = unsure_columns(theirs[key])
        wanted, got = json.loads(ours[key]["row"]), json.loads(theirs[key]["row"])
        for column, text in wanted.items():
            if column in unsure:
                tally["flagged"] += 1
            elif text == got.get(column, "(no column)"):
                tally["exact"] += 1
            elif text is None and feed == "debezium_avro":
                tally["defaults"] += 1  # it writes a default in place of NULL, and no message tells which those are
            else:
                tally["wrong"] += 1
                yield f"{column}: {text!r} became {got.get(column)!r}"


@pytest.mark.parametrize("feed", [name for name in (*FEEDS, *AVRO) if name != YARDSTICK])
def test_current_rows_are_those_of_canal_json(
    contents: embedded.Contents, feed: str, show: Callable[[str], None]
) -> None:
    tally: Counter[str] = Counter()
    wrong: list[str] = []
    changed = changed_tables(contents) if feed in AVRO else set[tuple[str, str | None]]()
    for name, ours in contents.current[YARDSTICK].items():
        if name in KEYLESS or name in UNSENT.get(feed, ()) or changed & {name, (name[0], None)}:
            continue
        if feed.startswith("avro") and name == TOLD_TWICE:
            continue
        theirs: Table = contents.current[feed].get(name, {})
        if any(has_unsure_key(key, row) for key, row in theirs.items()) or name in SHIFTED.get(feed, ()):
            tally["flagged"] += len(theirs)
            wrong += [f"{name}: {len(theirs)} rows instead of {len(ours)}"] * (len(theirs) != len(ours))
            continue
        wrong += [f"{name}: {text}" for text in compare(ours, theirs, feed, tally)]
    counts = ("exact", "flagged", "wrong", "missing", "extra", "defaults")
    show(f"{feed:<28}" + "".join(f"{tally[count]:>8} {count}" for count in counts))
    assert not wrong, "\n".join(wrong[:20])
    assert not (feed.startswith("avro") and tally["flagged"])
    assert tally["exact"] > (3_000 if feed in AVRO else 10_000)


@pytest.mark.parametrize("feed", [name for name in AVRO if name.startswith("avro")])
def test_a_name_in_avro_that_is_that_of_two_tables_stays(contents: embedded.Contents, feed: str) -> None:
    tables = contents.current[feed]
    assert tables.keys().isdisjoint({TOLD_TWICE, ("shop", NAMESAKE["table_name"])})
    assert tables["shop", "com_ma"]
    flagged = {
        name for name, rows in tables.items() for row in rows.values() if "*:ambiguous_name" in (row["lossy"] or ())
    }
    assert flagged == {("shop", "com_ma")}


def test_every_message_is_accounted_for(contents: embedded.Contents) -> None:
    assert {row["feed"] for row in contents.mart("accounting")} == FEEDS.keys() | AVRO.keys()
    assert all(row["balanced"] for row in contents.mart("accounting"))


def test_every_message_that_says_what_it_is_about_is_decoded(contents: embedded.Contents) -> None:
    """Without old rows, Avro deletes a row of a table without primary key by a message without key and value."""
    nameless = {feed for feed in AVRO if feed.startswith("avro") and feed != "avro_before"}
    dead = Counter((row["feed"], row["error_code"], row["key"], row["value"]) for row in contents.mart("dead_letters"))
    assert dead == {(feed, "bad_shape", "", None): 2 for feed in nameless}


def test_rows_of_simple_are_verified_by_their_checksums(contents: embedded.Contents) -> None:
    assert not [problem for problem in contents.mart("problems") if problem["code"] == "checksum_mismatch"]
    assert not [problem for problem in contents.mart("problems") if problem["code"] == "rows_wait_for_schema"]
