"""How rows and changes of a variant of the corpus are held against the truth, and against those of another variant."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cache

from support import truth as upstream
from support.corpus import Record, Variant
from support.corpus_run import EVERY_VARIANT, IN_STEPS, WITHOUT_DDL, Built

# Without a primary key a row is told by all of its columns, and protocols order them differently.
KEYLESS = {("shop", "audit_log"), ("shop", "inventory"), ("shop", "keyless"), ("temp_db", "t2")}
# Debezium's encoders shift the years 0001 to 0099, which cannot be told: keys and cells of these tables have them.
SHIFTED = {("shop", "daily_stats"), ("shop", "types_zoo_time")}
# Its key is beyond a double, in which Debezium writes it.
DECIMAL_KEY = ("shop", "price_points")
NO_COLUMN = "(no column)"
# The variant whose rows those of protocols without DDL are held against.
YARDSTICK = "canal_json"
# The export has one more table that bears the name of another in Avro: which of both a message tells of, none can say.
TOLD_TWICE = ("shop", "com,ma")
TOLD_AS = ("shop", "com_ma")


def excused(variant: Variant, table: upstream.Table, without_key: frozenset[upstream.TableName]) -> str | None:
    """Why an encoder did not send what the truth has of a table; None where it did."""
    meta = variant.meta
    if ".".join(table.name) in meta["excluded_tables"]:
        return "left out by the encoder"
    if table.name in without_key and not (meta["force_replicate"] and meta["output_old_value"]):
        return "rows without a key, or without the old row that tells them"
    if meta["integrity_check"] and table.name == ("temp_db", "t2"):
        return "a row of NULLs has no checksum, and is not sent"
    if table.name in sent_twice(variant.name):
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


def tallies_text(title: str, tallies: dict[str, upstream.Tally]) -> str:
    heads = ("tables", "cells", "flagged", "lost", "wrong", "missing", "extra")
    return counts_text(title, {name: {head: getattr(tally, head) for head in heads} for name, tally in tallies.items()})


def counts_text(title: str, counts: Mapping[str, Mapping[str, int]]) -> str:
    """A table of named counts, the same for each name."""
    heads = next(iter(counts.values()), {})
    lines = [f"\n{title:<34}" + "".join(f"{head:>9}" for head in heads)]
    lines += [f"{name:<34}" + "".join(f"{count:>9}" for count in row.values()) for name, row in counts.items()]
    return "\n".join(lines)


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
        if (row["schema_name"], row["table_name"]) in sent_twice(feed):
            continue
        if row["commit_ts_exact"] or not only_exact:
            place = ((row["schema_name"], row["table_name"]), row["commit_ts"], told_key(row["row_key"]))
            assert place not in found, (feed, place)
            before, after = (None if row[image] is None else json.loads(row[image]) for image in ("before", "after"))
            found[place] = Change(row["op"], before, after, row["lossy"] or ())
    return found


@cache
def sent_twice(feed: str) -> frozenset[upstream.TableName]:
    """The tables without key of which a feed has a change that a producer sent twice at once.

    It cannot be told from two equal changes.
    """
    variant = {one.name: one for one in EVERY_VARIANT}.get(feed.removesuffix(IN_STEPS))
    found: set[upstream.TableName] = set()
    last: dict[tuple[str, int], Record] = {}
    for record in variant.records if variant else ():
        place = record.topic, record.partition
        before, last[place] = last.get(place), record
        if before and (before.key, before.value, before.offset + 1) == (record.key, record.value, record.offset):
            found |= {name for name in KEYLESS if _is_of(record, name[1])}
    # the DDL tells its key
    return frozenset(found if feed in WITHOUT_DDL else found - {("shop", "inventory")})


def _is_of(record: Record, table: str) -> bool:
    return record.topic.endswith(f"_{table}") or f'"{table}"'.encode() in (record.key or b"") + (record.value or b"")


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
    return unsent | sent_twice(variant.name)


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


def unsure_columns(lossy: Iterable[str] | None) -> set[str]:
    """The columns that the encoder did not carry whole."""
    return {flag.rpartition(":")[0] for flag in lossy or ()}


def changed_tables(built: Built) -> set[tuple[str, str | None]]:
    """The tables (None: all of a database) that a DDL touched later: feeds without DDL show them as sent."""
    return {
        (table["schema_name"], table["table_name"])
        for ddl in built.contents.mart("ddl_history")
        if ddl["feed"] == YARDSTICK and not ddl["ddl_kind"].startswith("create")
        for table in ddl["touched_tables"]
    }
