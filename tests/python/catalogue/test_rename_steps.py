"""The steps of one RENAME TABLE come as messages of one commit, in any order and from several topics."""

from __future__ import annotations

from itertools import permutations

import pytest
from support.catalogue import versions_of

from ticdc_udfs.catalogue.fold import DdlEvent, Fold, ProblemCode, fold
from ticdc_udfs.catalogue.renames import Step, moves
from ticdc_udfs.contract.schemas import Column, table_schema

# Where tables end


def step(text: str) -> Step:
    """`source target`, or `source target final`."""
    source, target, *final = text.split()
    return Step(("s", source), ("s", target), ("s", final[0] if final else target))


def ends(steps: tuple[str, ...], live: str, gone: str = "") -> dict[str, str] | None:
    """The last name of each table by its first one."""
    known = dict.fromkeys(gone.split(), False) | dict.fromkeys(live.split(), True)
    read = [step(text) for text in steps]
    found = moves(read, lambda key: known.get(key[1]))
    return None if found is None else {read[first].source[1]: read[last].target[1] for first, last in found}


SWAP = {"a": "b", "b": "a"}


@pytest.mark.parametrize(
    "steps, live, gone, wanted",
    [
        (("new t", "t old"), "new t", "", {"new": "t", "t": "old"}),
        # one that no message told of before
        (("new t", "t old"), "new", "", {"new": "t", "t": "old"}),
        (("new t", "t old"), "", "", {"new": "t", "t": "old"}),
        (("a b", "b c", "c d"), "a b c", "", {"a": "b", "b": "c", "c": "d"}),
        # messages bear the final name
        (("a tmp b", "b a", "tmp b"), "a b", "", SWAP),
        (("a tmp b", "b a", "tmp b"), "", "", SWAP),
        (("a tmp b", "b a", "tmp b"), "a b", "tmp", SWAP),
        (("a b c", "b c"), "a", "b", {"a": "c"}),
        # between databases the first message of a table bears a name that is neither
        (("a tmp x", "b a", "tmp b"), "a b", "", SWAP),
        (("a tmp", "b a", "tmp b"), "a b", "", SWAP),
        (("a b", "b c"), "a", "b", {"a": "c"}),
        (("a b", "b c"), "a b", "", {"a": "b", "b": "c"}),
        # classic TiCDC: the name before the first step
        (("a tmp", "b a", "a b"), "a b", "", SWAP),
        (("a b", "b a"), "a b", "", SWAP),
        # two swaps by one name
        (
            ("a tmp b", "b a", "tmp b", "c tmp d", "d c", "tmp d"),
            "a b c d",
            "",
            {"a": "b", "b": "a", "c": "d", "d": "c"},
        ),
        # the step that takes `a` away did not come
        (("b a", "c b"), "a b c", "", {"b": "a", "c": "b"}),
        (("x y", "z w"), "z", "x", None),
    ],
)
def test_steps_in_any_order_lead_tables_to_one_end(
    steps: tuple[str, ...], live: str, gone: str, wanted: dict[str, str] | None
) -> None:
    for shuffled in permutations(steps):
        assert ends(shuffled, live, gone) == wanted, shuffled


def test_many_steps_take_little_time() -> None:
    chain = tuple(f"t{number} t{number + 1}" for number in range(400))
    live = " ".join(f"t{number}" for number in range(400))
    assert ends(chain, live) == {f"t{number}": f"t{number + 1}" for number in range(400)}


# What becomes of their versions


def of(commit_ts: int, table: str, text: str | None, *columns: str) -> DdlEvent:
    told = table_schema([Column(name, "int") for name in columns]).text.decode() if columns else None
    return DdlEvent(commit_ts, "shop", table, text, None, told)


ORDERS = of(10, "orders", "CREATE TABLE orders (id INT PRIMARY KEY, v INT)")
ORDERS_NEW = of(20, "orders_new", "CREATE TABLE orders_new (id INT PRIMARY KEY, v INT, w INT)")
AWAY = of(30, "orders_backup", "RENAME TABLE `shop`.`orders` TO `shop`.`orders_backup`;")
INTO = of(30, "orders", "RENAME TABLE `shop`.`orders_new` TO `shop`.`orders`;")


def named(result: Fold, commit_ts: int) -> dict[str, str]:
    """The lineage under each name that rows of a commit find."""
    return {
        one.table_name: one.table_id
        for one in result.versions
        if one.valid_from_ts < commit_ts and (one.valid_to_ts is None or commit_ts <= one.valid_to_ts)
    }


@pytest.mark.parametrize("steps", list(permutations((AWAY, INTO))))
def test_rename_steps_in_the_wrong_order(steps: tuple[DdlEvent, ...]) -> None:
    row = of(30, "orders", None, "id", "v")
    result = fold([ORDERS, ORDERS_NEW, *steps, row])
    assert named(result, 30) == {"orders": "`shop`.`orders`@10", "orders_new": "`shop`.`orders_new`@20"}
    assert named(result, 31) == {"orders_backup": "`shop`.`orders`@10", "orders": "`shop`.`orders_new`@20"}
    assert {(one.started_by, one.ended_by) for one in result.versions if one.valid_to_ts} == {
        ("create_table", "rename_table")
    }
    assert not result.problems


def test_a_swap_whose_steps_come_backwards() -> None:
    steps = [
        of(30, "orders_new", "RENAME TABLE `shop`.`tmp` TO `shop`.`orders_new`;"),
        of(30, "orders", "RENAME TABLE `shop`.`orders_new` TO `shop`.`orders`;"),
        of(30, "orders_new", "RENAME TABLE `shop`.`orders` TO `shop`.`tmp`;"),
    ]
    result = fold([ORDERS, ORDERS_NEW, *steps])
    assert named(result, 31) == {"orders_new": "`shop`.`orders`@10", "orders": "`shop`.`orders_new`@20"}
    assert {one.table_name for one in result.versions} == {"orders", "orders_new"} and not result.problems


def test_a_step_that_did_not_come_is_an_error_that_names_both_tables() -> None:
    result = fold([ORDERS, ORDERS_NEW, INTO])
    (problem,) = result.problems
    assert (problem.code, problem.schema_name, problem.table_name) == (ProblemCode.ROWS_LOST, "shop", "orders")
    assert "`shop`.`orders` " in problem.detail and "`shop`.`orders_new`" in problem.detail
    assert named(result, 31) == {"orders": "`shop`.`orders_new`@20"}


OVER = of(30, "orders", "RENAME TABLE `shop`.`orders_new` TO `shop`.`orders`;", "id", "v", "w")


@pytest.mark.parametrize("back_first", [False, True])
def test_a_swap_of_which_a_storage_sink_has_two_steps_alone(back_first: bool) -> None:
    back = of(30, "orders_new", "RENAME TABLE `shop`.`tmp` TO `shop`.`orders_new`;", "id", "v")
    result = fold([ORDERS, ORDERS_NEW, *([back, OVER] if back_first else [OVER, back])])
    assert named(result, 31) == {"orders_new": "`shop`.`orders`@10", "orders": "`shop`.`orders_new`@20"}
    assert not result.problems


def test_a_step_that_did_not_come_is_not_guessed_where_columns_differ_or_are_not_told() -> None:
    for columns in ((), ("id",), ("v", "id")):
        back = of(30, "orders_new", "RENAME TABLE `shop`.`tmp` TO `shop`.`orders_new`;", *columns)
        result = fold([ORDERS, ORDERS_NEW, OVER, back])
        assert ProblemCode.ROWS_LOST in [one.code for one in result.problems]


def test_rows_prove_a_table_whose_name_another_one_takes() -> None:
    told = of(25, "orders", None, "id", "v")
    assert [one.code for one in fold([told, ORDERS_NEW, INTO]).problems] == [ProblemCode.ROWS_LOST]
    # a bootstrap that no row followed may be of a later time, and so may a row of the DDL's own millisecond
    assert not fold([of(0, "orders", None, "id", "v"), ORDERS_NEW, INTO]).problems
    assert not fold([of(30, "orders", None, "id", "v"), ORDERS_NEW, INTO]).problems


def test_steps_that_are_possible_in_no_order_are_taken_as_they_came() -> None:
    lost = of(30, "b", "RENAME TABLE `shop`.`never` TO `shop`.`b`;")
    result = fold([ORDERS, of(15, "never", "DROP TABLE never"), lost, AWAY])
    assert named(result, 31) == {"orders_backup": "`shop`.`orders`@10", "b": "`shop`.`never`@0"}
    assert [one.code for one in result.problems] == [ProblemCode.MISSING_DDL]


def test_a_table_first_seen_in_one_of_several_steps_has_its_columns_under_both_names() -> None:
    wire = of(30, "t2", "RENAME TABLE `shop`.`t1` TO `shop`.`t2`;", "id", "v")
    result = fold([ORDERS, wire, AWAY])
    (_, after) = (*versions_of(result, "t1"), *versions_of(result, "t2"))
    assert [column.name for column in after.columns] == ["id", "v"] and not result.problems
