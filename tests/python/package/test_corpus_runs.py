"""Whole changefeeds: what runs and increments do, and what becomes of broken messages."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest
from support.broken import BROKEN_FEEDS, GAP
from support.corpus import Record, Variant, root
from support.corpus_compare import sent_twice
from support.corpus_run import HALVES, IN_STEPS, REARRANGED, TYPED, WITHOUT_DDL, Built, feed_variants, identity

from ticdc_udfs.contract import arrow
from ticdc_udfs.contract.events import Kind
from ticdc_udfs.protocols import canal_json

pytestmark = pytest.mark.in_soak("corpus")


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
    assert {row["feed"] for row in rows} == names.keys() | twice | BROKEN_FEEDS.keys() | WITHOUT_DDL.keys() | {TYPED}
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
    got = {row["feed"]: row["complete_through_ts"] for row in built.contents.mart("completeness")}
    assert {feed: bound for feed, bound in got.items() if feed in last} == last
    assert last


def test_a_run_goes_on_with_one_that_was_killed(built: Built) -> None:
    """What the killed one staged stays. That all is right then, the tests of tables, accounting and changelog tell."""
    assert built.runs_after_kill == 2
    typed = built.contents.changelog(TYPED)
    keyed = [row for row in typed if "*:no_key" not in (row["lossy"] or ())]
    assert len(keyed) > 100
    assert len({(row["table_name"], row["commit_ts"], row["row_key"], row["op"]) for row in keyed}) == len(keyed)


@pytest.mark.soak("corpus")
def test_a_run_without_new_messages_writes_no_file(built: Built) -> None:
    assert len(built.files_before) > 50
    assert built.files_after == built.files_before


@pytest.mark.soak("steps", "corpus")
def test_an_increment_decodes_only_what_is_new(built: Built) -> None:
    assert {path: built.staged_then.get(path) for path in built.staged_first} == built.staged_first
    taken = [Variant(root(), name).records for name in HALVES]
    late = {identity(each) for records in taken for each in records[len(records) // 2 :]}
    early = {identity(each) for records in taken for each in records[: len(records) // 2]}
    assert built.identities_then == late - early


@pytest.mark.soak("steps", "corpus")
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


def test_changes_find_their_rows_unless_they_were_sent_twice(built: Built) -> None:
    problems = built.contents.mart("problems")

    def told(code: str) -> set[tuple[str, str]]:
        return {(row["feed"], row["table_name"]) for row in problems if row["code"] == code}

    # of these the upstream has no two equal changes
    tables = ("audit_log", "inventory")
    twice = {(feed, table) for feed in built.contents.current for _, table in sent_twice(feed) if table in tables}
    assert {(feed, table) for feed, table in told("equal_changes") if table in tables} == twice
    # Avro sends no DDL: rows that one took away are there still when others come in their place
    unlike = {*WITHOUT_DDL, *(feed for feed, variant in feed_variants() if not variant.meta["output_old_value"])}
    unfound = {(feed, table) for feed, table in told("change_without_row") if feed not in unlike}
    # a row that stands for two is found where a later change is of both
    assert unfound <= twice
    of_both = {(feed, table) for feed, table in twice if feed.startswith("canal_json_index_value_replayed")}
    assert of_both <= unfound


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
