"""The SQL of typed tables: names and texts from outside stand in quotes, and each part comes where it is needed."""

from __future__ import annotations

import json
import re
from typing import Any

import pyarrow as pa
import pytest

from ticdc_udfs.typed import sql
from ticdc_udfs.typed.plans import Column, LeftBehind, PastColumn, Recoding
from ticdc_udfs.typed.sql import Counted, Shape, Sources, Written

EXPRESSIONS = {
    "string": "t",
    "binary": "try_to_binary(t, 'base64')",
    "timestamp": "try_cast('+' || t || '+00:00' as timestamp_ltz)",
    "array<string>": "if(t = '', array(), split(t, ','))",
    "array<float>": "from_json(t, 'array<float>')",
    "decimal(10,2)": "try_cast(t as decimal(10,2))",
}
FORMER = {
    **EXPRESSIONS,
    "date": "if(t rlike '^[0-9]{4}-[0-9]+-[0-9]+([ T][0:.]*)?$', try_cast(t as date), null)",
    "timestamp_ntz": "if(t rlike '^[0-9]{4}-[0-9]+-[0-9]+([ T][0-9:.]*)?$', try_cast(t as timestamp_ntz), null)",
    "decimal(10,2)": "if(t rlike '[.][0-9]{2}[0-9]*[1-9]', null, try_cast(t as decimal(10,2)))",
}
HOSTILE = "`'\\`; drop table x; --\n"
TEMPLATES = {"merged_rows": "merged({rows})", "changes_as_of": "ranked({changes})"}
SOURCES = Sources(**{name: f"the_{name}" for name in Sources.__struct_fields__} | TEMPLATES)
WRITTEN = Written(30, "rows_of_latest", "all_changes", "some_versions", "using parquet")
QUERIES = {
    "view": lambda shape: sql.view(shape, SOURCES, None, None),
    "stored view": lambda shape: sql.view(shape, SOURCES, "x.`t`", None),
    "view of a stored history": lambda shape: sql.view(shape, SOURCES, None, "x.`h`"),
    "history": lambda shape: sql.history_view(shape, SOURCES, None),
    "stored history": lambda shape: sql.history_view(shape, SOURCES, "x.`h`"),
    "function": lambda shape: sql.as_of_function(shape, SOURCES, None),
    "stored function": lambda shape: sql.as_of_function(shape, SOURCES, "x.`h`"),
    "rows": lambda shape: ";".join(sql.row_statements(shape, WRITTEN, "x.`t`", [1, 2, 3], [1])),
    "all rows": lambda shape: ";".join(sql.row_statements(shape, WRITTEN, "x.`t`", [1, 2], [])),
    "versions": lambda shape: ";".join(sql.history_statements(shape, WRITTEN, "x.`h`", 20, False)),
    "all versions": lambda shape: ";".join(sql.history_statements(shape, WRITTEN, "x.`h`", 0, True)),
    "count": lambda shape: "".join(sql.counts([Counted(0, shape, "x.`h`", 20, (10, 20))], WRITTEN)),
    "as of": lambda shape: sql.rows_as_of(shape, "the_rows"),
}


def column(name: str, type_name: str = "int", **past: Any) -> Any:
    return PastColumn(name, "c1", type_name, **past) if past else Column(name, "c1", type_name)


def shape(*columns: Any, **others: Any) -> Shape:
    return Shape("shop", "shop.t@1", 2, columns or (column("id"),), **others)


def plain(query: str) -> str:
    """The query without what stands in quotes, in one line."""
    return " ".join(re.sub(r"`(?:[^`]|``)*`|'(?:[^'\\]|\\.)*'", "?", query, flags=re.DOTALL).split())


@pytest.mark.parametrize("type_name", FORMER)
def test_expressions(type_name: str) -> None:
    assert sql.typed_expression("t", type_name) == EXPRESSIONS.get(type_name, f"try_cast(t as {type_name})")
    assert sql.typed_expression("t", type_name, True) == FORMER[type_name]


@pytest.mark.parametrize("name", QUERIES)
@pytest.mark.parametrize("is_past", [False, True])
def test_what_comes_from_outside_stands_in_quotes(name: str, is_past: bool) -> None:
    columns = (column(HOSTILE, "date"),)
    past = (column(HOSTILE, "date", spellings=(HOSTILE, HOSTILE.upper()), recodings=(Recoding(1, 2),)),)
    told = Shape(HOSTILE, HOSTILE, 2, columns, (HOSTILE,), past if is_past else None, (LeftBehind(1, 7),))
    query = plain(QUERIES[name](told))
    assert not [text for text in ("drop table x", "`", "'") if text in query]
    assert query.count("(") == query.count(")")


def test_a_column_of_the_name_of_one_of_the_package_stays() -> None:
    assert sql.own_columns(["id"], ["op"]) == {"op": "_op", "lossy": "_lossy"}
    assert sql.own_columns(["_lossy", "__LOSSY"], ()) == {"lossy": "___lossy"}
    query = plain(sql.view(shape(column("_LOSSY"), column("_commit_ts")), SOURCES, None, None))
    assert query.startswith("select c1 as ?, c1 as _commit_ts, commit_ts as __commit_ts, lossy as __lossy from (")


def test_a_cell_is_looked_for_under_each_name_that_its_column_had() -> None:
    once = column("n", "int", spellings=("n", "N"), recodings=())
    query = sql.history_view(shape(past_columns=(once,)), SOURCES, None)
    assert "struct<n: string>" in query
    assert re.search(r"coalesce\(image[.]n, try_element_at\(from_json\(row, 'map<string, string>'.*\), 'N'\)\)", query)


def test_a_cell_is_read_as_it_was_encoded_then() -> None:
    recoded = (Recoding(5, 7), Recoding(9, None))
    text = column("n", "string", spellings=("n",), recodings=recoded)
    binary = column("n", "binary", spellings=("n",), recodings=recoded[1:])
    history = sql.history_view(shape(past_columns=(text,)), SOURCES, None)
    decoded = "try_validate_utf8(cast(try_to_binary(image.n, 'base64') as string))"
    assert (
        f"case when valid_from_ts >= 5 and valid_from_ts < 7 then {decoded} when valid_from_ts >= 9 then {decoded} "
        "else image.n end as c1"
    ) in history
    function = sql.as_of_function(shape(past_columns=(binary,)), SOURCES, None)
    assert "case when tso >= 9 then base64(cast(image.n as binary)) else image.n end" in function
    assert "case" not in sql.view(shape(past_columns=(text,)), SOURCES, None, None)


def test_rows_that_a_table_left_behind_are_left_out_from_then_on() -> None:
    left = shape(left_behind=(LeftBehind(1, 7),))
    assert "(table_incarnation <> 1 or coalesce(tso < 7, true))" in sql.as_of_function(left, SOURCES, None)
    assert "table_incarnation <= 2" in sql.as_of_function(left, SOURCES, None)
    assert "table_incarnation = 2" in sql.view(left, SOURCES, None, None)


def test_a_text_has_no_flag_of_its_own() -> None:
    assert "out_of_range" not in sql.view(
        shape(column("v", "string"), column("s", "array<string>")), SOURCES, None, None
    )
    flagged = sql.view(shape(column("v", "string"), column("n")), SOURCES, None, None)
    assert "if((image.n is not null and c1 is null), 'n:out_of_range', '')" in flagged
    assert "'v:out_of_range'" not in flagged


@pytest.mark.parametrize("is_keyless", [False, True])
def test_of_tables_that_had_no_key_all_changes_are_read(is_keyless: bool) -> None:
    prefix = "the_keyless_" if is_keyless else "the_keyed_"
    assert f"from {prefix}history\n" in sql.history_view(shape(is_keyless=is_keyless), SOURCES, None)
    function = sql.as_of_function(shape(is_keyless=is_keyless), SOURCES, None)
    assert f"ranked((select * from {prefix}changes where live_from_ts <= tso " in function
    assert "from the_newest_rows\n" in sql.view(shape(is_keyless=is_keyless), SOURCES, None, None)


def test_what_is_stored_is_read_alone() -> None:
    reads = {name: re.findall(r"\bthe_\w+", QUERIES[name](shape())) for name in QUERIES}
    assert {*reads["view of a stored history"], *reads["stored history"]} == {"the_publication"}
    assert {*reads["stored function"]} == {"the_publication", "the_bounds_as_of"}
    assert {*reads["stored view"]} == {"the_publication", "the_latest", "the_latest_rows"}


def test_a_function_of_columns_that_changed_reads_no_stored_history() -> None:
    past = (column("id", spellings=("id",), recodings=()),)
    for changed in (shape(past_columns=past), shape(left_behind=(LeftBehind(1, 7),))):
        assert "x.`h`" not in sql.as_of_function(changed, SOURCES, "x.`h`")


def test_generations_that_are_not_stored_are_added() -> None:
    keyed = shape(key_columns=("id",))
    found = sql.row_statements(keyed, WRITTEN, "x.t", [10, 20, 30], [20])
    assert [text.partition(" select ")[0] for text in found] == [
        f"insert overwrite table x.t partition (generation = {generation})" for generation in (10, 30)
    ]
    assert all(text.endswith(" sort by c1") for text in found)
    dropped, made = sql.row_statements(keyed, WRITTEN, "x.t", [10, 20], [])
    assert dropped == "drop table if exists x.t"
    assert made.startswith("create table x.t using parquet as select * from (")
    assert "generation in (10, 20)" in made
    assert made.endswith(" sort by generation, c1")


def test_versions_of_rows_that_changed_since_a_run_are_added() -> None:
    assert sql.history_statements(shape(), WRITTEN, "x.h", None, False) == ()
    (added,) = sql.history_statements(shape(), WRITTEN, "x.h", 20, False)
    assert added.startswith("insert overwrite table x.h partition (generation = 30) select * from (")
    assert added.count("from all_changes as all_changes") == 2
    assert "and run_id > 20" in added
    (whole,) = sql.history_statements(shape(), WRITTEN, "x.h", 0, False)
    assert "select * from all_changes as all_changes\n\n" in whole
    assert "some_versions" in whole
    assert "run_id" not in whole
    dropped, made = sql.history_statements(shape(), WRITTEN, "x.h", 0, True)
    assert dropped == "drop table if exists x.h"
    assert "cast(30 as bigint) as generation" in made
    assert made.endswith(" sort by generation, valid_to_ts is not null")


def test_histories_are_counted_by_the_dozen() -> None:
    histories = [Counted(place, shape(), "x.h", 20 + place, (10, 20)) for place in range(51)]
    first, second = sql.counts(histories, WRITTEN)
    assert "where changes.run_id > 20\n" in first
    assert first.count("union all") == 49
    assert "(50, 'shop', 'shop.t@1', 70)" in second
    assert sql.counts([], WRITTEN) == ()


def test_rows_as_of_for_sql() -> None:
    told = json.dumps({"feed": "shop", "table_id": "shop.t@1", "table_incarnation": 2})
    columns = json.dumps([{"name": "id", "stored_as": "c1", "type": "int"}])
    texts = [pa.array([each, None], pa.string()) for each in (told, columns, "the_rows")]
    assert sql.rows_as_of_batch(*texts).to_pylist() == [sql.rows_as_of(shape(), "the_rows"), None]
