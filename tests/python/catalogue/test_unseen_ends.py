"""DDL that cannot have run on the table as it is known: one that dropped or renamed something did not come.

Classic TiCDC before 6.5.10, 7.1.6, 7.5.2 and 8.1 does not send the DROP of a table's only key (tiflow #10890), and
event filters hold DDL back.
"""

from __future__ import annotations

import pytest
from support.catalogue import column, folded, key, last, names, schema_text

from ticdc_udfs.catalogue.fold import DdlEvent, Fold, ProblemCode
from ticdc_udfs.catalogue.projection import project
from ticdc_udfs.contract.schemas import Column

CREATE = "CREATE TABLE t (id INT PRIMARY KEY, v INT, w INT NOT NULL)"


def problems(result: Fold) -> list[tuple[ProblemCode, int]]:
    return [(problem.code, problem.commit_ts) for problem in result.problems]


@pytest.mark.parametrize("columns", ["id", "w", "w,id"])
def test_a_second_primary_key_takes_the_place_of_the_first(columns: str) -> None:
    """Rows that were written between both were not sent, also where the new key is as the old one."""
    result = folded(CREATE, f"ALTER TABLE t ADD PRIMARY KEY ({columns})")
    assert key(last(result, "t")) == columns.split(",")
    assert problems(result) == [(ProblemCode.MISSING_DDL, 20)]


def test_a_primary_key_that_was_dropped_is_none() -> None:
    for drop in ("ALTER TABLE t DROP PRIMARY KEY", "DROP INDEX `PRIMARY` ON t"):
        assert not folded(CREATE, drop, "ALTER TABLE t ADD PRIMARY KEY (w)").problems
    assert not folded(CREATE, "ALTER TABLE t DROP PRIMARY KEY, ADD PRIMARY KEY (w)").problems


def test_a_column_that_is_added_anew_does_not_have_the_values_of_the_old_one() -> None:
    result = folded(CREATE, "ALTER TABLE t ADD COLUMN V VARCHAR(9) DEFAULT 'x' FIRST")
    first, now = sorted(result.versions, key=lambda one: one.valid_from_ts)
    assert names(now) == ["V", "id", "w"]
    assert project({"id": "1", "v": "2", "w": "3"}, [first.columns, now.columns]).row == {
        "V": "x",
        "id": "1",
        "w": "3",
    }
    assert problems(result) == [(ProblemCode.MISSING_DDL, 20)]


def test_a_column_that_is_there_already_stays_where_the_ddl_says_so() -> None:
    result = folded(CREATE, "ALTER TABLE t ADD COLUMN IF NOT EXISTS v VARCHAR(9), ADD COLUMN x INT")
    assert names(last(result, "t")) == ["id", "v", "w", "x"] and column(last(result, "t"), "v").type == "int(11)"
    assert not result.problems


@pytest.mark.parametrize("change", ["RENAME COLUMN w TO V", "CHANGE COLUMN w V BIGINT"])
def test_a_column_takes_the_name_of_another_one(change: str) -> None:
    result = folded(CREATE, f"ALTER TABLE t {change}")
    assert names(last(result, "t")) == ["id", "V"]
    first, now = sorted(result.versions, key=lambda one: one.valid_from_ts)
    assert project({"id": "1", "v": "2", "w": "3"}, [first.columns, now.columns]).row == {"id": "1", "V": "3"}
    assert problems(result) == [(ProblemCode.MISSING_DDL, 20)]


@pytest.mark.parametrize("change", ["RENAME COLUMN v TO V", "CHANGE COLUMN v V BIGINT", "MODIFY COLUMN V BIGINT"])
def test_a_column_keeps_its_name_in_another_case(change: str) -> None:
    result = folded(CREATE, f"ALTER TABLE t {change}")
    assert names(last(result, "t")) == ["id", "V", "w"] and not result.problems


@pytest.mark.parametrize("again", ["ADD COLUMN `x` INT", "ADD PRIMARY KEY (`w`)"])
def test_a_ddl_that_comes_again_in_other_words_is_one(again: str) -> None:
    """As after an upgrade of TiCDC from one architecture to the other."""
    texts = (f"ALTER TABLE `t` {again}", f"ALTER TABLE `shop`.`t` {again.lower()}")
    drop = "ALTER TABLE t DROP PRIMARY KEY"
    result = folded(CREATE, drop, *(DdlEvent(30, "shop", "t", text) for text in texts))
    assert not result.problems


def row(commit_ts: int, *columns: str) -> DdlEvent:
    told = schema_text(*(Column(name, "int", 1 if name == "id" else None) for name in columns))
    return DdlEvent(commit_ts, "shop", "t", None, None, told)


def test_rows_that_lack_a_column_which_earlier_ones_bore_are_a_problem() -> None:
    """A filter held the DROP COLUMN back, or RECOVER brought back the columns of before (ticdc #5526)."""
    result = folded(CREATE, row(20, "id", "v", "w"), row(30, "id", "w"), row(40, "id", "v", "w"))
    assert problems(result) == [(ProblemCode.SCHEMA_DIFFERS, 30)]
    assert result.problems[0].detail.endswith(": v")


def test_rows_that_never_bore_a_column_or_have_the_key_alone_are_none() -> None:
    """Column selectors leave columns out from the begin; too large rows and some deletes hold the key alone."""
    assert not folded(CREATE, row(20, "id", "w"), row(30, "id"), row(40, "id", "w")).problems
    drop = DdlEvent(20, "shop", "t", "ALTER TABLE t DROP COLUMN v")
    for commit_ts in (20, 30):  # where TSOs hold only milliseconds, rows of a DDL's own come after it
        assert not folded(CREATE, row(15, "id", "v", "w"), drop, row(commit_ts, "id", "w")).problems
    added = DdlEvent(20, "shop", "t", "ALTER TABLE t ADD COLUMN x INT")
    assert not folded(CREATE, row(15, "id", "v", "w"), added, row(20, "id", "v", "w")).problems
