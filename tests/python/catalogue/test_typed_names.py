"""The names of typed tables: what Spark cannot hold, what is the package's, and what two tables would have."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from ticdc_udfs.contract.configuration import TYPED_RELATIONS
from ticdc_udfs.typed.names import (
    LONGEST_NAME,
    Names,
    Settings,
    TypedReason,
    UpstreamTable,
    Wanted,
    legal_name,
    names_of,
)

OWN = ("ticdc", "Raw")


def table(
    name: str, schema: str = "shop", feed: str = "a", known: str | None = None, columns: str = "id"
) -> UpstreamTable:
    return UpstreamTable(feed, schema, name, f"{schema}.{name}@1", tuple(columns.split(", ")), known)


def named(*tables: UpstreamTable, **patterns: str) -> list[Names]:
    return names_of(tables, Settings("analytics", {"a": "{schema}", "b": "{schema}", **patterns}, OWN))


def problems(names: Names) -> list[tuple[TypedReason, str]]:
    return [(problem.reason, problem.detail) for problem in names.problems]


def test_the_names_of_a_table_lie_in_one_schema() -> None:
    (names,) = named(table("Orders"), a="{target}_{feed}_{schema}")
    assert (names.schema, names.current, names.history, names.as_of, names.problems) == (
        "analytics_a_shop",
        "orders",
        "orders_history",
        "orders_as_of",
        (),
    )


@pytest.mark.parametrize("name", ["a-b", "a b", "表", "global_temp", ""])
def test_a_name_that_has_to_be_changed_bears_its_hash(name: str) -> None:
    assert legal_name(name).rpartition("_")[0] == {"表": "_"}.get(name, name.replace("-", "_").replace(" ", "_"))


def test_names_that_are_changed_stay_apart() -> None:
    assert legal_name("orders") == legal_name("Orders") == "orders"
    assert len({legal_name(name) for name in ("a-b", "a b", "a_b")}) == 3


@pytest.mark.parametrize(
    ("columns", "alike"),
    [
        ("id, A, a", "A, a"),
        ("s, \u017f", "s, \u017f"),
        ("k, \u212a", "k, \u212a"),
        ("i, \u0131, x, \u0130", "i, \u0131, \u0130"),
    ],
)
def test_columns_that_spark_takes_for_one(columns: str, alike: str) -> None:
    odd, other = named(table("odd", columns=columns), table("other"))
    assert problems(odd) == [(TypedReason.COLUMNS_ALIKE, alike)]
    assert (odd.schema, odd.current, odd.history, odd.as_of) == (None, None, None, None)
    assert other.current == "other"


@pytest.mark.parametrize("columns", ["ss, \u00df", "a, \u00e1", "o, \u00f6", "a_b, ab", "\U0001f600, \U0001f601"])
def test_columns_that_spark_tells_apart(columns: str) -> None:
    assert not named(table("t", columns=columns))[0].problems


def test_names_that_a_metastore_cannot_hold() -> None:
    schema, name, last = named(table("t", schema="s" * 300), table("t" * 114), table("t" * 113))
    assert problems(schema) == [(TypedReason.NAME_TOO_LONG, f"{'s' * 40}… of 300 characters")]
    assert problems(name) == [(TypedReason.NAME_TOO_LONG, f"{'t' * 40}… of {LONGEST_NAME + 1} characters")]
    assert not last.problems


def test_a_schema_that_spark_takes_for_a_catalog() -> None:
    assert problems(named(table("t", schema="spark_catalog"))[0]) == [(TypedReason.SCHEMA_IS_CATALOG, "spark_catalog")]


@dataclass(frozen=True)
class Reserved:
    schema: str
    name: str
    known: str | None
    pattern: str
    is_refused: bool


RESERVED = {
    "a mart": Reserved("ticdc", "ticdc__changelog", None, "{schema}", True),
    "a mart that a run once replaced": Reserved(
        "ticdc", "ticdc__changelog", "ticdc.ticdc__changelog", "{schema}", True
    ),
    "a mart where tables were sent": Reserved("shop", "int_ticdc__latest", None, "ticdc", True),
    "a table beside the models": Reserved("TiCDC", "orders", None, "{schema}", True),
    "a table beside the messages": Reserved("raw", "orders", None, "{schema}", True),
    "a table that was there before": Reserved("ticdc", "orders", "ticdc.orders", "{schema}", False),
    "a place that the user chose": Reserved("shop", "orders", None, "ticdc", False),
    "another schema": Reserved("ticdc2", "ticdc__changelog", None, "{schema}", False),
}


@pytest.mark.parametrize("case", RESERVED.values(), ids=RESERVED)
def test_schemas_of_the_package_are_its_own(case: Reserved) -> None:
    (names,) = named(table(case.name, schema=case.schema, known=case.known), a=case.pattern)
    reasons = [problem.reason for problem in names.problems]
    assert reasons == ([TypedReason.SCHEMA_RESERVED] if case.is_refused else [])


def test_two_tables_for_one_relation() -> None:
    second, first, other = named(table("T", feed="b"), table("t"), table("u", feed="b"))
    assert (first.current, other.current, second.current) == ("t", "u", None)
    assert problems(second) == [(TypedReason.NAME_TAKEN, "shop.t is shop.t of feed a")]


def test_a_relation_stays_that_of_the_table_which_had_it() -> None:
    newcomer, owner = named(table("123"), table("123", feed="b", known="shop.`123`"))
    assert (newcomer.current, owner.current) == (None, "123")
    assert problems(newcomer) == [(TypedReason.NAME_TAKEN, "shop.123 is shop.123 of feed b")]


def test_the_history_makes_way_for_a_table_of_its_name() -> None:
    orders, its_history = named(table("orders"), table("orders_history"))
    assert (its_history.current, its_history.history) == ("orders_history", "orders_history_history")
    assert orders.current == "orders"
    assert orders.history is not None and orders.history.startswith("orders_history_")
    assert problems(orders) == [
        (
            TypedReason.HISTORY_RENAMED,
            f"shop.orders_history is shop.orders_history of feed a, the history is shop.{orders.history}",
        )
    ]
    assert not its_history.problems


def test_a_history_without_any_free_name_is_left_out() -> None:
    orders = table("orders")
    other_name = named(orders, table("orders_history"))[0].history
    assert other_name is not None
    found = named(orders, table("orders_history"), table(other_name))[0]
    assert (found.current, found.history, found.as_of) == ("orders", None, "orders_as_of")
    assert [problem.reason for problem in found.problems] == [TypedReason.NAME_TAKEN]


@pytest.mark.parametrize(
    ("patterns", "typed"),
    [
        ((), {"shop.orders", "shop.tmp_1", "shop.tmpx", "crm.orders"}),
        (("shop.%",), {"shop.orders", "shop.tmp_1", "shop.tmpx"}),
        (("SHOP.%", r"!shop.tmp\_%"), {"shop.orders", "shop.tmpx"}),
        (("!%.tmp_%",), {"shop.orders", "crm.orders"}),
        (("%.orders", "shop.tmp__"), {"shop.orders", "crm.orders", "shop.tmp_1"}),
        (("shop.order",), set()),
    ],
)
def test_tables_that_a_feed_names_are_typed(patterns: tuple[str, ...], typed: set[str]) -> None:
    tables = [table("orders"), table("tmp_1"), table("tmpx"), table("orders", schema="crm")]
    found = names_of(tables, Settings("t", {"a": "{schema}"}, OWN, {"a": Wanted(patterns)}))
    assert {f"{names.schema}.{names.current}" for names in found if names.current} == typed
    assert not any(names.problems for names in found)


def test_a_table_that_is_not_wanted_takes_no_name() -> None:
    tables = [table("t"), table("t", feed="b")]
    settings = Settings("t", {"a": "one", "b": "one"}, OWN, {"a": Wanted(("!%",))})
    assert [names.current for names in names_of(tables, settings)] == [None, "t"]


@pytest.mark.parametrize("relations", [("current",), ("history",), ("current", "as_of"), TYPED_RELATIONS])
def test_a_feed_has_the_relations_that_it_names(relations: tuple[str, ...]) -> None:
    tables = [table("t"), table("t_history")]
    found = names_of(tables, Settings("t", {"a": "{schema}"}, OWN, {"a": Wanted(relations=relations)}))
    for names in found:
        assert {kind for kind in TYPED_RELATIONS if getattr(names, kind)} == set(relations)
    assert bool(found[0].problems) == ("history" in relations)
