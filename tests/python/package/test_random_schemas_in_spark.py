"""Tables made at random by a TiDB, built by Spark in two runs, typed tables stored: the truth at each checkpoint."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from support import session, truth, typed
from support import warehouse as embedded
from support.corpus import text_lines
from support.random_schemas import FOLDER, SAMPLE, Expected, tables, tally_line, upstream, variant_of

pytestmark = pytest.mark.soak("fuzz")

# Of each protocol that tells DDL one; the first has typed tables, too.
TYPED = "canal_json"
OTHERS = ("open_protocol",) if FOLDER == SAMPLE else ("open_protocol_replayed", "simple_avro", "debezium_json")
STORED_FROM = 1
THERE_AT = "_valid_from_ts <= {0} and coalesce(_valid_to_ts > {0}, true)"
Moment = tuple[int, truth.TableName]


@dataclass(frozen=True)
class Built:
    """What a warehouse tells: rows as of each checkpoint, typed tables now, as of each, and in their histories.

    `stored` has the tables whose history is stored.
    """

    contents: embedded.Contents
    as_of: Mapping[Moment, embedded.TypedTable]
    in_history: Mapping[Moment, embedded.TypedTable]
    stored: frozenset[truth.TableName]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    folder = tmp_path_factory.mktemp("random")
    dump, home = folder / "dump", folder / "warehouse"
    dump.mkdir()
    variants = [variant_of(FOLDER, name) for name in (TYPED, *OTHERS)]
    feeds = [{**each.feed(), "target_schema": "{schema}" if each.name == TYPED else None} for each in variants]
    feeds_file = embedded.write_feeds(folder / "feeds.yml", feeds, {"ticdc__stored_from_rows": STORED_FROM})
    for half in (0, 1):
        for each in variants:
            lines = list(text_lines(each.path))
            cut = len(lines) // 2
            text = "".join(lines[cut:] if half else lines[:cut])
            (dump / f"{each.name}_{half}.jsonl").write_text(text, encoding="utf-8", newline="\n")
        assert session.run(home, dump, feeds_file)
    return read(home, folder)


def read(home: Path, folder: Path) -> Built:
    """What the tests compare, of a warehouse that is built."""
    made = session.rows(home, "select * from int_ticdc__typed_tables where current_relation is not null")
    stored = {_table(row) for row in made if json.loads(row["plan"])["history_storage"]}
    as_of, in_history = {}, {}
    for schema in sorted({_parts(row["current_relation"])[0] for row in made}):
        of_schema = [row for row in made if _parts(row["current_relation"])[0] == schema]
        # a function is found in the schema that is used
        session.opened(home).catalog.setCurrentDatabase(schema)
        functions = {_table(row): f"`{_parts(row['current_relation'])[1]}_as_of`({{0}})" for row in of_schema}
        as_of.update(_then(home, functions))
        histories = {_table(row): f"{row['history_relation']} where {THERE_AT}" for row in of_schema}
        in_history.update(_then(home, histories))
    session.close()
    contents = embedded.Contents.read(home, folder / "contents", upstream(FOLDER))
    return Built(contents, as_of, in_history, frozenset(stored))


def _table(row: Mapping[str, Any]) -> truth.TableName:
    return row["schema_name"], row["table_name"]


def _parts(relation: str) -> tuple[str, str]:
    """Schema and name of a relation, without quotes; neither has a dot."""
    schema, _, name = relation.replace("`", "").rpartition(".")
    return schema, name


def _then(home: Path, queries: Mapping[truth.TableName, str]) -> list[tuple[Moment, embedded.TypedTable]]:
    """What is found by these queries as of each checkpoint, `{0}` in them."""
    spark = session.opened(home)

    def answer(asked: tuple[int, truth.TableName]) -> tuple[Moment, embedded.TypedTable]:
        checkpoint, table = asked
        return asked, embedded.typed_table(spark.sql(f"select * from {queries[table].format(checkpoint)}"))

    with ThreadPoolExecutor(session.QUERIES_AT_ONCE) as pool:
        return list(pool.map(answer, product(upstream(FOLDER), queries)))


@pytest.mark.parametrize("name", (TYPED, *OTHERS))
def test_rows_as_of_every_checkpoint_equal_the_truth(built: Built, name: str, show: Callable[[str], None]) -> None:
    expected, tally = Expected(FOLDER, variant_of(FOLDER, name)), truth.Tally()
    for checkpoint in upstream(FOLDER):
        shown = built.contents.as_of(checkpoint).get(name, {})
        strange = [table for table, rows in shown.items() if not expected.may_show(checkpoint, table, len(rows))]
        assert not strange, f"tables that were not there at {checkpoint}"
        for table in expected.tables(checkpoint):
            tally.add((truth.compare if table.primary_key else truth.compare_keyless)(table, shown.get(table.name, [])))
    show(tally_line(name, tally))
    assert tally.cells > 1000
    assert tally.right, "\n".join(tally.details)


def test_typed_tables_equal_the_truth(built: Built, show: Callable[[str], None]) -> None:
    tally, found = truth.Tally(), built.contents.typed[TYPED]
    for table in Expected(FOLDER, variant_of(FOLDER, TYPED)).tables(max(upstream(FOLDER))):
        if table.primary_key:
            tally.add(typed.compare(table, found[table.name].rows(), True, found[table.name].types))
    show(tally_line("typed tables", tally))
    assert tally.tables > 20
    assert tally.right, "\n".join(tally.details)


def test_typed_rows_as_of_every_checkpoint_equal_the_truth(built: Built, show: Callable[[str], None]) -> None:
    """Of tables that had the columns of now: others show rows of then with those."""
    ids = {(line["checkpoint_ts"], line["schema"], line["table"]): line["table_id"] for line in tables(FOLDER)}
    last, expected = max(upstream(FOLDER)), Expected(FOLDER, variant_of(FOLDER, TYPED))
    tally, stored = truth.Tally(), set[truth.TableName]()
    for checkpoint in upstream(FOLDER):
        for table in expected.tables(checkpoint):
            now = upstream(FOLDER)[last].tables.get(table.name)
            is_same = now is not None and now.types == table.types and now.primary_key == table.primary_key
            if is_same and table.primary_key and ids[checkpoint, *table.name] == ids[last, *table.name]:
                then = built.as_of[checkpoint, table.name]
                tally.add(typed.compare(table, then.rows(), True, then.types))
                stored |= {table.name} & built.stored
    show(tally_line("typed as of checkpoints", tally))
    assert len(stored) > 10
    assert tally.right, "\n".join(tally.details)


def test_histories_hold_the_rows_as_of_every_checkpoint(built: Built) -> None:
    """Whole ones where no DDL changed the columns, also under an earlier name; else a version is as it came."""
    columns = [each for each in built.contents.mart("columns") if each["feed"] == TYPED]
    changed = {each["table_id"] for each in columns if each["valid_to_ts"] is not None}
    ids = {_table(each): each["table_id"] for each in built.contents.mart("tables") if each["feed"] == TYPED}
    compared = 0
    for (checkpoint, table), then in built.as_of.items():
        in_history = built.in_history[checkpoint, table]
        assert len(then.texts) == len(in_history.texts), (checkpoint, table)
        if table in built.stored and ids[table] not in changed:
            compared += len(then.texts)
            assert _rows(then) == _rows(in_history), (checkpoint, table)
    assert compared > 100


def _rows(table: embedded.TypedTable) -> Counter[str]:
    """Rows without what the package tells of them."""
    columns = [at for at, name in enumerate(table.types) if not name.startswith("_")]
    return Counter(json.dumps([texts[at] for at in columns]) for texts in table.texts)
