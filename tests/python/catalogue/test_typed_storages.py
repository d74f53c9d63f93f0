"""What a run adds to stored histories, and which storages it may add to."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from ticdc_udfs.typed.sql import Written, name_of
from ticdc_udfs.typed.storages import (
    Built,
    FoundStorage,
    History,
    KnownRow,
    Run,
    Settled,
    StorageAnswer,
    StorageRequest,
    Stored,
    history_of,
    stored_tables,
)

STORAGE, ROWS = "ticdc.ticdc__history_1", "`My Schema`.`ticdc__typed_1`"
NOW, BEFORE, BASE = 30, 20, 10
MADE_OF = ("1", (None, None), (5, 7))
MODELS = (Built(), Built(5, {"a": 7, "b": 9}))
SETTLED = Settled(BEFORE, MADE_OF, "of before")
STORED = Stored(((BASE, 0), (BEFORE, 0)), {}, SETTLED)
TABLE = FoundStorage("a", "shop.t@1", 2, "1", (BASE, NOW), NOW)


def run(stored: Stored | None, **others: Any) -> Run:
    return Run(
        **{
            "run_id": NOW,
            "rows_of": "of now",
            "models": MODELS,
            "storages": {} if stored is None else {"ticdc__history_1": stored, "ticdc__typed_1": stored},
            **others,
        }
    )


def tables_to_store(table: FoundStorage, known: KnownRow, of: Run) -> StorageAnswer:
    return stored_tables([table], [known], StorageRequest(of, Written(NOW, *"abcd")))


def history(stored: Stored | None, table: FoundStorage = TABLE, **others: Any) -> History:
    return history_of(table, STORAGE, run(stored, **others))


def changed(**settled: Any) -> Stored:
    return Stored(STORED.batches, {}, msgspec.structs.replace(SETTLED, **settled))


def test_a_history_that_is_not_stored_is_made_and_stored_whole() -> None:
    found = history(None)
    assert (found.name, found.choice) == ("ticdc__history_1", "whole")
    whole = found.choices["whole"]
    assert (whole.since, whole.is_made) == (0, True)
    assert whole.state == Stored(((NOW, 0),), {}, Settled(NOW, MADE_OF, "of now"))


@pytest.mark.parametrize(
    ("stored", "table", "others"),
    [
        (STORED, msgspec.structs.replace(TABLE, incarnations="2"), {}),
        (STORED, TABLE, {"models": (Built(), Built(5, {"a": 8}))}),
        (STORED, TABLE, {"models": (Built(6), Built(5, {"a": 7}))}),
        (STORED, TABLE, {"is_refresh": True}),
        (Stored(STORED.batches), TABLE, {}),
    ],
)
def test_a_history_that_became_another_one_is_stored_whole(stored: Stored, table: FoundStorage, others: Any) -> None:
    found = history(stored, table, **others)
    assert found.choice == "whole"
    assert (found.choices["whole"].since, found.choices["whole"].is_made) == (0, False)


def test_a_feed_that_was_built_again_leaves_the_histories_of_others() -> None:
    assert history(STORED, models=(Built(), Built(5, {"a": 7, "b": 99}))).choice is None


def test_a_history_that_this_run_stored_already_stays() -> None:
    stored = changed(run_id=NOW, rows_of="of now")
    assert history(stored, is_refresh=True).choices["kept"].state == stored
    assert history(stored, is_refresh=True).choice == "kept"


def test_a_history_stays_where_no_row_of_its_table_changed() -> None:
    found = history(STORED, msgspec.structs.replace(TABLE, last_generation=BEFORE))
    assert found.choice == "kept"
    assert (found.choices["kept"].since, found.choices["kept"].state) == (None, changed(rows_of="of now"))
    assert history(changed(rows_of="of now")).choice == "kept"


def test_a_history_of_a_table_that_changed_is_to_be_counted() -> None:
    found = history(STORED)
    assert found.choice is None
    assert {name: choice.since for name, choice in found.choices.items()} == {"kept": None, "whole": 0, "added": BEFORE}
    assert found.choices["added"].state == Stored((*STORED.batches, (NOW, 0)), {}, Settled(NOW, MADE_OF, "of now"))


def test_batches_over_the_base_become_one_before_they_are_many() -> None:
    eight = Stored(tuple((BASE + number, 0) for number in range(8)), {}, SETTLED)
    nine = Stored(tuple((BASE + number, 0) for number in range(9)), {}, SETTLED)
    assert (history(eight).choices["added"].since, len(history(eight).choices["added"].state.batches)) == (BEFORE, 9)
    merged = history(nine).choices["added"]
    assert (merged.since, merged.state.batches) == (BASE, ((BASE, 0), (NOW, 0)))


def test_what_a_state_says_is_written_as_it_was_read() -> None:
    for text in (
        '{"batches":[[10,0]],"since":{},"settled":{"run_id":20,"made_of":["x",[null,null],[5,7]],"rows_of":"y"}}',
        '{"batches":[[10,0],[20,0]],"since":{},"settled":{}}',
    ):
        assert msgspec.json.encode(msgspec.json.decode(text, type=Stored)).decode() == text


def test_the_name_of_a_storage() -> None:
    assert [name_of(storage) for storage in (STORAGE, ROWS)] == ["ticdc__history_1", "ticdc__typed_1"]


COLUMNS = [{"name": "id", "stored_as": "c1", "type": "int"}]


def row(**plan: Any) -> KnownRow:
    told = {"storage": ROWS, "history_storage": STORAGE, "columns": COLUMNS, **plan}
    return KnownRow("a", "shop", "t", "shop.t@1", '["id"]', "shop.t", None, json.dumps(told), 2)


def test_a_table_is_stored_as_its_plan_tells() -> None:
    answer = tables_to_store(TABLE, row(), run(STORED))
    (found,) = answer.tables
    assert found.stored_rows is not None
    assert found.stored_rows.state == Stored(((BASE, 0), (NOW, 0)))
    assert [text.partition(" select ")[0] for text in found.statements] == [
        f"insert overwrite table {ROWS} partition (generation = {NOW})"
    ]
    assert found.history is not None
    assert found.history.storage == STORAGE
    assert {
        name: [each.partition(" ")[0] for each in choice.statements] for name, choice in found.history.choices.items()
    } == {
        "kept": [],
        "whole": ["insert"],
        "added": ["insert"],
    }
    (count,) = answer.counts
    assert f"(0, 'a', 'shop.t@1', {BEFORE})" in count
    assert f"where generation in ({BASE}, {BEFORE})" in count


@pytest.mark.parametrize(
    ("table", "known", "stored"),
    [
        (msgspec.structs.replace(TABLE, table_incarnation=3), row(), STORED),
        (msgspec.structs.replace(TABLE, is_keyless=True), row(), STORED),
        (TABLE, row(columns=[]), STORED),
        (TABLE, row(storage=None, history_storage=None), STORED),
        (TABLE, row(), None),
        (TABLE, row(), Stored()),
    ],
)
def test_a_run_adds_to_no_storage_that_it_does_not_know(table: FoundStorage, known: KnownRow, stored: Any) -> None:
    assert tables_to_store(table, known, run(stored)) == StorageAnswer((), ())


def test_a_storage_that_is_gone_leaves_the_other() -> None:
    one = Run(NOW, "of now", MODELS, {"ticdc__history_1": STORED})
    (found,) = tables_to_store(TABLE, row(), one).tables
    assert (found.statements, found.stored_rows) == ((), None)
    assert found.history is not None
    assert found.history.storage == STORAGE
