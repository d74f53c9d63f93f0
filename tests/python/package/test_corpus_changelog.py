"""Whole changefeeds: every protocol gives the same changelog."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import pytest
from support import truth as upstream
from support.corpus_compare import (
    AS_INSERT,
    KEYLESS,
    TOLD_AS,
    TOLD_TWICE,
    Change,
    carries_whole_rows,
    changed_tables,
    changes_of,
    changes_text,
    compare_changes,
    of_tables,
    told_key,
    unsent_tables,
)
from support.corpus_run import WITHOUT_DDL, Built, feed_variants

pytestmark = pytest.mark.in_soak("corpus")


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


@pytest.mark.soak("corpus")
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
