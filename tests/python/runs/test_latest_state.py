"""How the newest states of rows take in what came since."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from ticdc_udfs.runs.latest import LatestFacts, LatestState, SettledLatest, latest_state

SETTLED = SettledLatest(7, redriven={"shop": 5}, base=3)
SAME = {"shop": 5}
RUN_ID = 9
# With the run that states have, whether they become one batch, whether a change is late, the rebuilt feeds, and whether
# there is nothing to do.
CASES: Mapping[str, tuple[LatestFacts, Mapping[str, int], tuple[int, bool, bool, list[str], bool]]] = {
    "nothing came": (LatestFacts(0, 100, 30, last_commit_ts=50), SAME, (7, False, False, [], True)),
    "a change": (LatestFacts(1, 100, 24, 51, None, 50), SAME, (7, False, False, [], False)),
    "many changes": (LatestFacts(2, 100, 24, 51, None, 50), SAME, (7, True, False, [], False)),
    "a change as old as a state": (LatestFacts(1, 100, 0, 50, 7, 50), SAME, (7, False, True, [], False)),
    "no state is left": (LatestFacts(1, 0, 0, 50), SAME, (7, True, False, [], False)),
    "a late copy of a row": (LatestFacts(1, 100, 0, 50, 8, 60), SAME, (0, True, False, [], False)),
    "a feed is made anew": (LatestFacts(0, 100, 0), {"shop": 5, "web": 6}, (7, True, False, ["web"], False)),
    "a feed is made anew again": (
        LatestFacts(1, 100, 0, 40, None, 50),
        {"shop": 6},
        (7, True, True, ["shop"], False),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_how_states_take_in_changes(name: str) -> None:
    facts, redriven, state = CASES[name]
    settles = SettledLatest(RUN_ID, redriven=redriven, base=RUN_ID if state[1] else SETTLED.base)
    assert latest_state(facts, SETTLED, redriven, RUN_ID) == LatestState(*state, settles)
