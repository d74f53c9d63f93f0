"""What a run makes, remembers and drops of typed tables, given what is there and what the run before made."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import msgspec
import pyarrow as pa
import pytest

from ticdc_udfs.typed.names import Settings
from ticdc_udfs.typed.plans import LeftBehind, Version
from ticdc_udfs.typed.relations import (
    Answer,
    Base,
    FoundTable,
    Remembered,
    Request,
    TypedTable,
    relations_batch,
    relations_of,
    remembered_batch,
    remembered_plans,
    storages_batch,
)
from ticdc_udfs.typed.sql import Sources, Written
from ticdc_udfs.typed.storages import Built, FoundStorage, KnownRow, Run, Settled, StorageRequest, Stored

NOW, ROWS_OF = 30, "of now"
SCHEMA = json.dumps([{"name": "id", "type": "int", "key": 1}, {"name": "v", "type": "varchar(9)"}])
OLD_SCHEMA = json.dumps([{"name": "id", "type": "int", "key": 1}])
COLUMNS = [{"name": "id", "stored_as": "c1", "type": "int"}, {"name": "v", "stored_as": "c2", "type": "string"}]
LARGE, SMALL = 100, 3
KINDS = ("view", "history_view", "as_of_function")
SOURCES = Sources(**{name: f"`{name}`" for name in Sources.__struct_fields__})
OTHERWISE = Sources(**{name: f"`other_{name}`" for name in Sources.__struct_fields__})
WRITTEN = Written(NOW, "latest_rows", "changes", "history_of_changes", "using parquet")


def table(name: str = "t", **others: Any) -> FoundTable:
    told = {"table_schema": SCHEMA, "generations": (10, 20), "newest_generation": 20, "row_count": SMALL, **others}
    incarnation = told.pop("table_incarnation", 1)
    return FoundTable(
        **{
            **{"feed": "a", "schema_name": "Shop", "table_name": name, "table_id": f"Shop.{name}@1"},
            **{"incarnations": "1", "table_incarnation": incarnation, "last_generation": 20, **told},
        }
    )


def request(storages: dict[str, Stored] | None = None, is_refresh: bool = False, **others: Any) -> Request:
    return Request(
        **{
            "settings": Settings("x", {"a": "{schema}"}, ("ticdc",)),
            "run": Run(NOW, ROWS_OF, (Built(), Built()), storages or {}, is_refresh),
            **{"sources": SOURCES, "written": WRITTEN, "mark": "ticdc.made_by", "made_by": "us"},
            **{"schema": "ticdc", "stored_from_rows": LARGE},
            **{"configured": ("a",), "is_published": True, **others},
        }
    )


def remembered(found: TypedTable) -> KnownRow:
    """The row as the next run reads it, after all that is to be made was made."""
    row = json.loads(msgspec.json.encode(found.row))
    return KnownRow(**{**row, "plan": json.dumps(row["plan"], sort_keys=True)})


def state(found: Answer) -> dict[str, Stored]:
    """What the run notes of storages."""
    noted = {}
    for each in found.tables:
        if each.stored_rows:
            noted[each.stored_rows.name] = each.stored_rows.state
        if each.history:
            noted[each.history.name] = each.history.choices[each.history.choice or "added"].state
    return noted


def md5(text: str) -> str:
    return hashlib.md5(text.encode()).hexdigest()


def storages_of(found: TypedTable) -> tuple[str | None, str | None]:
    """Where the rows and the history are that relations read."""
    return found.row["plan"]["storage"], found.row["plan"]["history_storage"]


def test_a_new_table_has_three_relations() -> None:
    (found,) = relations_of([table()], [], request()).tables
    assert [(change.kind, change.relation, change.key) for change in found.changes] == [
        ("view", "shop.t", "shop.t"),
        ("history_view", "shop.t_history", "shop.t_history"),
        ("as_of_function", "shop.t_as_of", "shop.t_as_of()"),
    ]
    assert all(change.is_other and not change.is_written and change.unmade.was is None for change in found.changes)
    assert (storages_of(found), found.history, found.known_row) == ((None, None), None, None)
    assert {name: value for name, value in found.row.items() if name != "plan"} == {
        "feed": "a",
        "schema_name": "Shop",
        "table_name": "t",
        "table_id": "Shop.t@1",
        "key_columns": '["id"]',
        "current_relation": "shop.t",
        "history_relation": "shop.t_history",
        "table_incarnation": 1,
    }
    assert found.row["plan"]["as_of_function"] == "shop.t_as_of"
    assert found.row["plan"]["seen"] is None
    assert "columns" not in found.row["plan"]


def test_names_of_storages_are_those_of_the_versions_before() -> None:
    """Another one would store all large tables again."""
    found = table(row_count=LARGE, versions=(Version(1, OLD_SCHEMA), Version(2, SCHEMA)), table_incarnation=2)
    found = msgspec.structs.replace(found, left_behind=(LeftBehind(1, 7),))
    (made,) = relations_of([found], [], request()).tables
    past = [{**column, "spellings": [column["name"]], "recodings": []} for column in COLUMNS]
    identity = ["a", "Shop.t@1", 2, COLUMNS]
    of_past = [past, [{"incarnation": 1, "at_ts": 7}], False]
    storage = f"ticdc.ticdc__typed_{md5(json.dumps(identity))}"
    history = f"ticdc.ticdc__history_{md5(json.dumps([identity, of_past]))}"
    assert storages_of(made) == (storage, history)


def test_a_relation_is_known_by_its_name_and_its_query() -> None:
    (found,) = relations_of([table()], [], request()).tables
    assert found.row["plan"]["statements"] == {
        change.kind: md5(json.dumps([change.relation, change.query])) for change in found.changes
    }
    assert [(change.making, change.altering, change.marking) for change in found.changes] == [
        (
            "create view shop.t tblproperties ('ticdc.made_by' = 'us') as ",
            "alter view shop.t as ",
            "alter view shop.t set tblproperties ('ticdc.made_by' = 'us')",
        ),
        (
            "create view shop.t_history tblproperties ('ticdc.made_by' = 'us') as ",
            "alter view shop.t_history as ",
            "alter view shop.t_history set tblproperties ('ticdc.made_by' = 'us')",
        ),
        (
            "create or replace function shop.t_as_of(tso bigint) returns table comment 'ticdc.made_by=us' return ",
            "create or replace function shop.t_as_of(tso bigint) returns table comment 'ticdc.made_by=us' return ",
            None,
        ),
    ]


def test_what_is_read_otherwise_is_made_anew() -> None:
    known = [remembered(each) for each in relations_of([table()], [], request()).tables]
    sources = msgspec.structs.replace(SOURCES, keyed_history="another")
    (found,) = relations_of([table()], known, request(sources=sources)).tables
    assert [change.kind for change in found.changes] == ["history_view"]


@pytest.mark.parametrize("row_count", [SMALL, LARGE])
def test_nothing_is_done_where_all_is_as_the_run_before_left_it(row_count: int) -> None:
    found = [table("t", row_count=row_count), table("u", row_count=row_count, versions=(Version(1, OLD_SCHEMA),) * 2)]
    first = relations_of(found, [], request())
    known = [remembered(each) for each in first.tables]
    second = relations_of(found, known, request(state(first)))
    assert (second.tables, second.stale, second.gone, second.names) == ((), (), (), {})
    assert second.storages == first.storages
    assert len(second.storages) == (3 if row_count == LARGE else 0)


def test_a_full_refresh_makes_and_tells_all_again() -> None:
    first = relations_of([table()], [], request())
    (found,) = relations_of([table()], [remembered(first.tables[0])], request(is_refresh=True)).tables
    assert [change.kind for change in found.changes] == list(KINDS)
    assert found.known_row is None


def test_what_was_observed_goes_on_but_not_through_a_full_refresh() -> None:
    bare = json.dumps([{"name": "d", "type": "decimal"}])
    (first,) = relations_of([table(table_schema=bare, measured={"d": (5, 2)})], [], request()).tables
    assert (first.row["plan"]["observed"], first.row["plan"]["seen"]) == ({"d": (5, 2)}, 20)
    known = [remembered(first)]
    assert relations_of([table(table_schema=bare)], known, request()).tables == ()
    (again,) = relations_of([table(table_schema=bare)], known, request(is_refresh=True)).tables
    assert again.row["plan"]["observed"] == {"d": (0, 0)}


def test_installations_that_lie_in_one_schema_share_no_storage() -> None:
    """Each would sweep away what the other stored."""
    storages = []
    for alias in ("", "a_int_ticdc__latest", "b_int_ticdc__latest"):
        (made,) = relations_of([table(row_count=LARGE)], [], request(alias=alias)).tables
        storages += storages_of(made)[1:]
    assert len({*storages}) == 3


def test_rows_that_a_storage_lacks_are_written_with_its_view() -> None:
    past = (Version(1, OLD_SCHEMA), Version(2, SCHEMA))
    first = relations_of([table(row_count=LARGE, versions=past)], [], request())
    assert [change.is_written for change in first.tables[0].changes] == [True, False, False]
    more = table(row_count=LARGE, versions=past, generations=(10, 20, 30))
    (found,) = relations_of([more], [remembered(first.tables[0])], request(state(first))).tables
    assert [(change.kind, change.is_written, change.is_other) for change in found.changes] == [("view", True, False)]
    storage = found.row["plan"]["storage"]
    assert [text.partition(" select ")[0] for text in found.changes[0].writing] == [
        f"insert overwrite table {storage} partition (generation = 30)"
    ]
    assert set(found.changes[0].names.values()) == {"shop.t", storage}


def test_a_storage_of_which_generations_were_merged_is_noted() -> None:
    past = (Version(1, OLD_SCHEMA), Version(2, SCHEMA))
    first = relations_of([table(row_count=LARGE, versions=past)], [], request())
    merged = table(row_count=LARGE, versions=past, generations=(20,))
    (found,) = relations_of([merged], [remembered(first.tables[0])], request(state(first))).tables
    assert found.changes == ()
    assert found.stored_rows is not None
    assert found.stored_rows.state.generations == (20,)


def test_a_large_table_is_its_history_where_its_columns_never_changed() -> None:
    (found,) = relations_of([table(row_count=LARGE)], [], request()).tables
    storage, history_storage = storages_of(found)
    assert (storage, history_storage is not None) == (None, True)
    assert found.is_pending
    assert found.storing is not None
    assert found.storing.kind == "history_storage"
    (keyless,) = relations_of([table(row_count=LARGE, is_keyless=True)], [], request()).tables
    storage, history_storage = storages_of(keyless)
    assert (storage is not None, history_storage) == (True, None)


def test_a_history_that_cannot_be_stored_is_not_read() -> None:
    (found,) = relations_of([table(row_count=LARGE)], [], request()).tables
    assert found.unstored is not None
    assert (found.unstored.history, found.unstored.is_pending) == (None, False)
    plan = found.unstored.row["plan"]
    assert plan["history_storage"] is None
    assert "columns" not in plan
    assert not {*plan["statements"].values()} & {*found.row["plan"]["statements"].values()}
    history = found.row["plan"]["history_storage"]
    assert [history in (change.query or "") for change in (*found.changes, *found.unstored.changes)] == [
        *[True] * 3,
        *[False] * 3,
    ]


def test_a_history_is_read_only_where_it_is_published() -> None:
    first = relations_of([table(row_count=LARGE)], [], request())
    (unpublished,) = relations_of([table(row_count=LARGE)], [], request(is_published=False)).tables
    assert unpublished.history is not None  # what it stores may be published by another run
    assert unpublished.row["plan"]["history_storage"] is None
    known, names = [remembered(first.tables[0])], tuple(state(first))
    published = relations_of(
        [table(row_count=LARGE)], known, request(state(first), is_published=False, published=names)
    )
    assert published.tables == ()


def test_a_history_that_may_lack_changes_is_asked_for() -> None:
    first = relations_of([table(row_count=LARGE)], [], request())
    ((name, stored),) = state(first).items()
    before = Stored(((20, 0),), {}, msgspec.structs.replace(stored.settled, run_id=20, rows_of="of before"))
    later = table(row_count=LARGE, last_generation=25)
    (found,) = relations_of([later], [remembered(first.tables[0])], request({name: before})).tables
    assert found.history is not None
    assert (found.history.choice, found.changes) == (None, ())
    (count,) = relations_of([later], [remembered(first.tables[0])], request({name: before})).counts
    assert "(0, 'a', 'Shop.t@1', 20)" in count
    assert found.unstored is not None
    assert [change.kind for change in found.unstored.changes] == list(KINDS)


def test_a_relation_that_was_there_is_told_in_case_it_cannot_be_made_anew() -> None:
    (first,) = relations_of([table()], [], request()).tables
    known = remembered(first)
    (found,) = relations_of([table()], [known], request(sources=OTHERWISE)).tables
    statements = json.loads(known.plan)["statements"]
    assert [change.unmade.was for change in found.changes] == [{"statement": statements[kind]} for kind in KINDS]
    (renamed,) = relations_of([table()], [known], request(settings=Settings("x", {"a": "o"}, ("ticdc",)))).tables
    assert [change.unmade.was for change in renamed.changes] == [None] * 3


def test_a_view_that_cannot_be_made_leaves_the_storage_that_it_read() -> None:
    past = (Version(1, OLD_SCHEMA), Version(2, SCHEMA))
    first = relations_of([table(row_count=LARGE, versions=past)], [], request())
    storage, _ = storages_of(first.tables[0])
    assert first.tables[0].changes[0].unmade.otherwise == {"storage": None}
    small = relations_of([table(versions=past)], [remembered(first.tables[0])], request(state(first)))
    (found,) = small.tables
    assert found.row["plan"]["storage"] is None
    assert found.changes[0].unmade.otherwise["storage"] == storage
    assert [column.name for column in found.changes[0].unmade.otherwise["columns"]] == ["id", "v"]
    # the function reads no stored history, as the columns changed: it stays
    assert [(change.kind, change.unmade.otherwise) for change in found.changes[1:]] == [("history_view", {})]


def test_a_schema_of_the_name_of_a_catalog_is_a_problem() -> None:
    (found,) = relations_of([table()], [], request(catalogs=("shop",))).tables
    assert found.changes[0].problem == {"reason": "schema_is_catalog", "detail": "shop.t"}
    assert relations_of([table()], [], request(catalogs=("shop",))).schemas == {}


def test_a_table_that_cannot_be_typed_is_told_once() -> None:
    alike = table(table_schema=json.dumps([{"name": "a", "type": "int"}, {"name": "A", "type": "int"}]))
    (found,) = relations_of([alike], [], request()).tables
    assert found.changes == ()
    assert found.row["plan"]["problems"] == ({"reason": "columns_alike", "detail": "a, A"},)
    assert relations_of([alike], [remembered(found)], request()).tables == ()


def test_a_table_that_is_gone_leaves_nothing() -> None:
    past = (Version(1, OLD_SCHEMA), Version(2, SCHEMA))
    first = relations_of([table(row_count=LARGE, versions=past)], [], request())
    storages = [name for name in storages_of(first.tables[0]) if name]
    found = relations_of([], [remembered(first.tables[0])], request(state(first)))
    assert [(each.kind, each.relation) for each in found.stale] == [
        ("view", "shop.t"),
        ("history_view", "shop.t_history"),
        ("as_of_function", "shop.t_as_of"),
        ("storage", storages[0]),
        ("history_storage", storages[1]),
    ]
    assert [each.dropping for each in found.stale] == [
        "drop view if exists shop.t",
        "drop view if exists shop.t_history",
        "drop function if exists shop.t_as_of",
        None,
        None,
    ]
    assert [f"ticdc.{each.name}" for each in found.stale[3:]] == storages
    assert found.storages == ()
    (gone,) = found.gone
    assert gone.known_row is None
    assert gone.row == {
        **dict.fromkeys(KnownRow.__struct_fields__),
        **{"feed": "a", "schema_name": "Shop", "table_name": "t"},
    }
    assert found.names["shop"] == {"relations": ["t", "t_history"], "functions": ["t_as_of"]}


def told(found: TypedTable, **others: Any) -> Remembered:
    """What macros say of a table, as JSON gives it."""
    made = {"row": found.row, "known_row": found.known_row, **others}
    return msgspec.json.decode(msgspec.json.encode(made), type=Remembered)


def test_what_was_made_is_remembered_as_the_next_run_reads_it() -> None:
    (found,) = relations_of([table()], [], request()).tables
    (row,) = remembered_plans([told(found)])
    assert KnownRow(**row) == remembered(found)
    assert remembered_plans([told(found, known_row=row)]) == []
    (pending,) = remembered_plans([told(found, is_pending=True)])
    assert json.loads(pending["plan"])["statements"] == {}
    assert len(pending["plan"]) < len(row["plan"])


def test_a_relation_that_was_not_made_is_told() -> None:
    (first,) = relations_of([table()], [], request()).tables
    (found,) = relations_of([table()], [remembered(first)], request(sources=OTHERWISE)).tables
    problem = {"reason": "refused", "detail": "x"}
    for stands in (True, False):
        unmade = [
            msgspec.structs.replace(change.unmade, problem=problem, stands=stands)
            for change in found.changes
            if change.kind != "history_view"
        ]
        (row,) = remembered_plans([told(found, unmade=unmade)])
        plan, statements = json.loads(row["plan"]), found.row["plan"]["statements"]
        before = first.row["plan"]["statements"] if stands else {}
        assert plan["problems"] == [problem] * 2
        assert plan["refused"] == {kind: statements[kind] for kind in ("view", "as_of_function")}
        assert plan["statements"] == {**before, "history_view": statements["history_view"]}
        assert row["current_relation"] == ("shop.t" if stands else None)
        assert plan["as_of_function"] == ("shop.t_as_of" if stands else None)
        assert (row["history_relation"], plan["storage"]) == ("shop.t_history", None)


def test_a_history_that_could_not_be_stored_is_told_unless_it_cannot_be_made() -> None:
    (found,) = relations_of([table()], [], request()).tables
    unstored_for = [{"reason": "refused", "detail": "s"}]
    (row,) = remembered_plans([told(found, unstored_for=unstored_for)])
    assert json.loads(row["plan"])["problems"] == unstored_for
    problem = {"reason": "refused", "detail": "h"}
    unmade = msgspec.structs.replace(found.changes[1].unmade, problem=problem)
    (row,) = remembered_plans([told(found, unmade=[unmade], unstored_for=unstored_for)])
    assert json.loads(row["plan"])["problems"] == [problem]


def test_a_table_that_is_gone_is_remembered() -> None:
    (first,) = relations_of([table()], [], request()).tables
    (gone,) = relations_of([], [remembered(first)], request()).gone
    assert remembered_plans([gone]) == [gone.row]


def test_remembered_plans_for_sql() -> None:
    (found,) = relations_of([table()], [], request()).tables
    text = msgspec.json.encode([told(found)]).decode()
    assert remembered_batch(texts(text, "[]", None)).to_pylist() == [remembered_plans([told(found)]), [], None]


def test_many_relations_are_made_upon_a_stub_where_nobody_reads_any() -> None:
    bases = {relation: Base("its query", {"id": "int", "a b": "string"}) for relation in ("`newest_rows`", "other")}
    few, many = ([table(f"t{number}") for number in range(count)] for count in (20, 21))
    assert relations_of(few, [], request(bases=bases)).stubs == {}
    first = relations_of(many, [], request(bases=bases))
    (stub,) = first.stubs.values()
    assert list(first.stubs) == ["view"]
    noted = r"execute immediate 'alter view `newest_rows` set tblproperties (\'ticdc.fingerprint\' = \'%s\')';"
    assert stub.before.startswith(noted % "" + " execute immediate 'alter view `newest_rows` as select\n")
    assert "cast(null as string) as `a b`\nwhere cast(raise_error(" in stub.before
    assert stub.after == "execute immediate 'alter view `newest_rows` as its query'; " + noted % md5("its query")
    known = [remembered(first.tables[0])]
    assert relations_of(many, known, request(bases=bases, is_refresh=True)).stubs == {}


def test_a_feed_that_is_configured_no_more_keeps_its_relations() -> None:
    (first,) = relations_of([table()], [], request()).tables
    found = relations_of([], [remembered(first)], request(configured=("b",)))
    assert found.stale == ()
    assert len(found.gone) == 1


def test_a_history_keeps_the_name_of_a_table_that_is_gone() -> None:
    known = [
        KnownRow("a", "s", "orders", "1", "[]", "s.orders", "s.orders_other"),
        KnownRow("a", "s", "orders_history", "2", "[]", "s.orders_history", "s.orders_history_history"),
    ]
    orders = table("orders", schema_name="s", table_id="1")
    found = relations_of([orders], known, request())
    assert [each.relation for each in found.stale] == ["s.orders_other", "s.orders_history_history"]


def test_a_model_of_the_package_is_not_taken_for_a_relation_that_it_once_wrote() -> None:
    known = [KnownRow("a", "s", name, "1", "[]", f"ticdc.{name}") for name in ("ticdc__changelog", "changelog")]
    found = relations_of([], known, request())
    assert [each.relation for each in found.stale] == ["ticdc.changelog"]


def test_plans_that_held_statements_name_what_bears_no_mark() -> None:
    statements = {"view": "create view shop.t as select 1", "history_view": "0" * 32, "as_of_function": "a (made_by)"}
    plan = json.dumps({"statements": statements, "as_of_function": "shop.t_as_of"})
    known = KnownRow("a", "Shop", "t", "Shop.t@1", "[]", "shop.t", "shop.t_history", plan)
    assert relations_of([table()], [known], request()).unmarked == ("shop.t", "shop.t_as_of()")
    assert relations_of([table()], [known], request(mark="made_by")).unmarked == ("shop.t",)


def test_names_that_spark_would_not_take_as_they_are_stand_in_quotes() -> None:
    found = relations_of([table("1t")], [], request(settings=Settings("x", {"a": "my schema"}, ())))
    assert found.tables[0].changes[0].relation == "`my schema`.`1t`"
    assert found.tables[0].changes[0].key == "my schema.1t"
    assert list(found.names) == ["my schema"]
    assert found.schemas == {"my schema": "create schema if not exists `my schema`"}


def texts(*values: str | None) -> pa.Array[Any]:
    return pa.array(values, pa.string())


def test_answers_for_sql() -> None:
    tables = msgspec.json.encode([table()]).decode()
    told = msgspec.json.encode(request()).decode()
    found = relations_batch(texts(tables, None, "[]"), texts("[]", "[]", "[]"), texts(told, told, told)).to_pylist()
    assert found[1] is None
    assert [json.loads(each)["row"]["table_name"] for each in found[0][1:]] == ["t"]
    assert [json.loads(each[0])["storages"] for each in (found[0], found[2])] == [[], []]
    assert len(found[2]) == 1


def test_storages_for_sql() -> None:
    plan = json.dumps({"history_storage": "x.h", "columns": COLUMNS})
    rows = msgspec.json.encode([KnownRow("a", "Shop", "t", "1", "[]", plan=plan, table_incarnation=1)]).decode()
    tables = msgspec.json.encode([FoundStorage("a", "1", 1, "1", (10,), 10)]).decode()
    run = Run(NOW, ROWS_OF, (Built(), Built()), {"h": Stored(((10, 0),), {}, Settled(10))})
    told = msgspec.json.encode(StorageRequest(run, WRITTEN)).decode()
    first, *found = map(json.loads, storages_batch(texts(tables), texts(rows), texts(told)).to_pylist()[0])
    assert [each["history"]["storage"] for each in found] == ["x.h"]
    assert first == {"tables": [], "counts": []}
