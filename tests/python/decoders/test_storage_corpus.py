"""Storage sinks: every row of the corpus equals the same row in Kafka, and schema files fold to TiDB's tables."""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import pytest
from support.catalogue import truth_tables
from support.corpus import Variant, json_lines, root
from support.storage import StorageVariant, variants

from ticdc_udfs.catalogue.fold import DdlEvent, ProblemCode, fold
from ticdc_udfs.contract import arrow
from ticdc_udfs.contract.events import Event, Kind
from ticdc_udfs.protocols import canal_json

WITH_COMMITS = [variant for variant in variants() if variant.has_commits]
ALL = pytest.mark.parametrize("variant", WITH_COMMITS, ids=lambda variant: variant.name)
FUZZ = Path(os.environ.get("TICDC_FUZZ") or "nowhere")
OF_FUZZ = [variant for variant in variants(FUZZ) if variant.has_commits] if FUZZ.is_dir() else []
_Place = tuple[str | None, str | None, int | None]


def _place(event: Event) -> _Place:
    return event.schema_name, event.table_name, event.commit_ts


@cache
def _rows_in_kafka(name: str, folder: Path) -> Mapping[_Place, list[Event]]:
    variant = Variant(folder, name)
    found: dict[_Place, list[Event]] = defaultdict(list)
    for record in variant.records:
        for event in arrow.decode_message(canal_json.decode, record.key, record.value, variant.options_text):
            if event.kind == Kind.ROW:
                found[_place(event)].append(event)
    return found


@ALL
def test_every_file_of_the_corpus_decodes(variant: StorageVariant) -> None:
    kinds = Counter(event.kind for event in variant.events)
    assert kinds[Kind.ERROR] == 0 and kinds[Kind.WATERMARK] == 1
    assert kinds[Kind.DDL] >= variant.meta["ddls"] - 5  # those of databases are not below ids
    updates = sum(event.op == "update" for event in variant.events)
    if not (variant.meta["csv"] or {}).get("output-old-value"):
        assert kinds[Kind.ROW] == variant.meta["rows"] and updates > 500


@ALL
def test_every_row_of_the_corpus_equals_that_in_kafka(variant: StorageVariant) -> None:
    kafka = _rows_in_kafka("canal_json_compatible" if variant.meta["csv"] else "canal_json", root())
    seen, wrong = set(), []
    for event in variant.events:
        if event.kind == Kind.ROW:
            seen.add(_place(event))
            if not any(_same(variant, event, each) for each in kafka[_place(event)]):
                wrong.append(event)
    assert wrong == []
    left_out = {name.partition(".")[2] for name in variant.meta["excluded_tables"]}
    assert {table for _, table, _ in kafka.keys() - seen} <= left_out


def _same(variant: StorageVariant, event: Event, kafka: Event) -> bool:
    """Whether a row is one in Kafka, or with old values one of the two rows of an update."""
    if not variant.meta["csv"]:
        return event._replace(physical_table_id=None) == kafka
    if event.op == "delete":
        return event.before == kafka.before and (kafka.op == "delete" or variant.meta["csv"]["output-old-value"])
    if event.op == "insert" and variant.meta["csv"]["output-old-value"]:
        return event.after == kafka.after
    return (event.op, event.after, event.row_key) == (kafka.op, kafka.after, kafka.row_key)


@ALL
def test_schema_files_fold_to_the_tables_of_the_upstream(variant: StorageVariant) -> None:
    """But for steps of a RENAME of several tables: they have one name below the schema of their table."""
    result = fold(
        DdlEvent(
            event.commit_ts or 0,
            event.schema_name,
            event.table_name,
            event.ddl_query,
            event.ddl_type,
            (event.table_schema or b"").decode() or None,
        )
        for event in variant.events
        if event.kind in (Kind.DDL, Kind.BOOTSTRAP)
    )
    assert {problem.code for problem in result.problems} <= {ProblemCode.DEFAULT_NOT_CONSTANT, ProblemCode.ROWS_LOST}
    compared = 0
    for table in json_lines(truth_tables()):
        if f"{table['schema']}.{table['table']}" in variant.meta["excluded_tables"]:
            continue
        (version,) = (
            one
            for one in result.versions
            if (one.schema_name, one.table_name) == (table["schema"], table["table"])
            and one.valid_from_ts <= table["checkpoint_ts"] < (one.valid_to_ts or table["checkpoint_ts"] + 1)
        )
        compared += 1
        columns = [(column.name, column.type, column.generated == "virtual") for column in version.columns]
        assert columns == [(each["name"], each["column_type"], each["virtual_generated"]) for each in table["columns"]]
        assert {column.name for column in version.columns if column.key} == {*(table["handle_key"] or ())}
    assert compared > 50


@pytest.mark.parametrize("variant", OF_FUZZ, ids=lambda variant: variant.name)
def test_rows_of_random_tables_are_right_or_refused(variant: StorageVariant) -> None:
    """Without a header, those of a table with virtual columns that took its name from another one are refused."""
    kafka = _rows_in_kafka("canal_json_compatible" if variant.meta["csv"] else "canal_json", FUZZ)
    rows = [event for event in variant.events if event.kind == Kind.ROW]
    assert all(any(_same(variant, event, each) for each in kafka[_place(event)]) for event in rows)
    errors = [event for event in variant.events if event.kind == Kind.ERROR]
    assert len(errors) < len(rows) / 10
    assert all("statements tell" in (event.error_message or "") for event in errors)
    assert not errors or (variant.meta["csv"] and not variant.meta["csv"]["output-field-header"])


def test_rows_without_commit_are_dead_letters() -> None:
    for variant in (each for each in variants() if not each.has_commits):
        errors = [event for event in variant.events if event.kind == Kind.ERROR]
        assert len(errors) == variant.meta["rows"]
        assert all("csv.include-commit-ts" in (event.error_message or "") for event in errors)
