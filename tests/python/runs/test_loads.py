"""The initial loads: those whose exports are read, and those that the variable names."""

from __future__ import annotations

from typing import Any

from ticdc_udfs.runs.loads import ExportedTable, InitialLoad, initial_loads

GIVEN: dict[str, Any] = {"feed": "shop", "schema": "s", "table": "T", "commit_ts": 7, "relation": "raw.t"}


def test_a_load_whose_export_is_read_is_not_read_again() -> None:
    exported = [ExportedTable("shop", "s", "T", 7, '["id"]'), ExportedTable("gone", "s", "t", 8, "[]")]
    later = {**GIVEN, "commit_ts": 9, "key_columns": ["é", "n"]}
    assert initial_loads(exported, [GIVEN, later, GIVEN], ["shop"]) == [
        InitialLoad('["shop", "s", "T", 7]', "shop", "s", "T", 7, '["id"]', None, True),
        InitialLoad('["shop", "s", "T", 9]', "shop", "s", "T", 9, '["\\u00e9", "n"]', "raw.t", False),
    ]


def test_loads_are_in_order_of_their_ids() -> None:
    tables = ["b", "a", "B"]
    loads = initial_loads([], [{**GIVEN, "table": table} for table in tables], ["shop"])
    assert [load.table_name for load in loads] == ["B", "a", "b"]


def test_what_is_no_load_is_left_out() -> None:
    wrong = [None, "t", {}, {**GIVEN, "commit_ts": "7"}, {**GIVEN, "commit_ts": True}]
    assert initial_loads([], wrong, ["shop"]) == []
    assert [initial_loads([], given, []) for given in (None, "loads", {"feed": "shop"})] == [[], [], []]
    # of a feed that is not configured the configuration's check tells
    assert len(initial_loads([], [GIVEN], [])) == 1
