"""Whole changefeeds of protocols without DDL: what they tell is what canal-json tells."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import pytest
from support.corpus_compare import KEYLESS, SHIFTED, TOLD_AS, TOLD_TWICE, YARDSTICK, changed_tables, unsure_columns
from support.corpus_run import NAMESAKE, WITHOUT_DDL, Built

Table = Mapping[str, dict[str, Any]]
pytestmark = pytest.mark.in_soak("corpus")


def has_unsure_key(row_key: str, row: Mapping[str, Any]) -> bool:
    return bool(unsure_columns(row["lossy"]) & json.loads(row_key).keys())


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


def test_rows_of_simple_are_verified_by_their_checksums(built: Built) -> None:
    assert not [problem for problem in built.contents.mart("problems") if problem["code"] == "checksum_mismatch"]
    assert not [problem for problem in built.contents.mart("problems") if problem["code"] == "rows_wait_for_schema"]
