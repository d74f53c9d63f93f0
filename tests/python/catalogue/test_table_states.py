"""How the incarnations of a feed's tables are shown, of their versions."""

from __future__ import annotations

import json
from typing import Any

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st
from support.hostile import cases

from ticdc_udfs.catalogue import udf
from ticdc_udfs.catalogue.states import table_states

END = 2**63 - 1


def version(valid_from_ts: int, valid_to_ts: int | None = None, incarnation: int = 1, **members: Any) -> dict[str, Any]:
    """A version of the table `t`, whose schema is named after its begin."""
    return {
        "table_id": "t",
        "table_incarnation": incarnation,
        "valid_from_ts": valid_from_ts,
        "valid_to_ts": valid_to_ts,
        "table_schema": f"from {valid_from_ts}",
        **members,
    }


def states(*versions: dict[str, Any], shown_through_ts: int = END) -> list[dict[str, Any]]:
    """The states of these versions."""
    return table_states(json.dumps(versions), shown_through_ts)


def begins(state: dict[str, Any]) -> list[int]:
    """Where the versions begin that a state knows."""
    return [each["from_ts"] for each in state["versions"]]


def test_no_versions_have_no_states() -> None:
    assert udf.states_batch(pa.array([None, "[]"]), pa.array([END, END])).to_pylist() == [[], []]


def test_a_state_is_its_newest_version_that_began() -> None:
    renamed = [version(0, 20, table_name="before"), version(20, table_name="after")]
    for shown_through_ts, name, known in ((19, "before", [0]), (20, "after", [0, 20])):
        (state,) = states(*renamed, shown_through_ts=shown_through_ts)
        assert (state["table_name"], state["is_live"], begins(state)) == (name, True, known)


def test_an_end_shows_once_its_commit_does() -> None:
    for shown_through_ts, to_ts in ((19, None), (20, 20)):
        (state,) = states(version(0, 20, ended_by="drop_table"), shown_through_ts=shown_through_ts)
        assert state["is_live"] is (to_ts is None)
        assert state["lives"] == [{"from_ts": 0, "to_ts": to_ts, "ended_by": "drop_table"}]


def test_a_table_that_came_back_has_two_intervals() -> None:
    (state,) = states(version(0, 5), version(5, 10, ended_by="drop_table"), version(15, 20), version(20))
    assert [(each["from_ts"], each["to_ts"], each["ended_by"]) for each in state["lives"]] == [
        (0, 10, "drop_table"),
        (15, None, None),
    ]
    assert (state["valid_from_ts"], begins(state)) == (20, [0, 5, 15, 20])


def test_what_came_back_beside_its_lineage_is_left_behind() -> None:
    first, second = states(version(0, 10), version(10, incarnation=2), version(20))
    assert (first["table_schema"], begins(first), first["left_behind"]) == ("from 20", [0, 20], [])
    assert (second["table_schema"], begins(second)) == ("from 10", [0, 10])
    assert second["left_behind"] == [{"incarnation": 1, "at_ts": 10}]


@cases(300)
@given(
    st.lists(st.tuples(st.integers(0, 9), st.none() | st.integers(0, 9), st.integers(1, 3)), max_size=8),
    st.integers(0, 9),
)
def test_any_versions_have_states_of_what_began(told: list[tuple[int, int | None, int]], shown_through_ts: int) -> None:
    found = states(*(version(*each) for each in told), shown_through_ts=shown_through_ts)
    begun = {incarnation for from_ts, _, incarnation in told if from_ts <= shown_through_ts}
    assert [state["table_incarnation"] for state in found] == sorted(begun)
    for state in found:
        assert begins(state) == sorted(begins(state)) and max(begins(state)) <= shown_through_ts
        assert all(each["to_ts"] is None or each["to_ts"] <= shown_through_ts for each in state["lives"])
        assert state["is_live"] is (state["lives"][-1]["to_ts"] is None)
