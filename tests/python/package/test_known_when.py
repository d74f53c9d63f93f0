"""What was known when stays so in the bitemporal history, where all is built again from what is staged."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from typing import Any

import pytest
from support import session
from support.known import CAUSES, told_in_three

from dbt_ticdc import cli

pytestmark = pytest.mark.soak("builds")
FEEDS = ("told", "promised")
_QUERY = "select * from ticdc__row_history_bitemporal"


@pytest.fixture(scope="module")
def histories(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, list[dict[str, Any]]]:
    """The history after three runs, and after a full refresh that follows them."""
    folder = tmp_path_factory.mktemp("known_when")
    warehouse, dump = folder / "warehouse", folder / "messages.jsonl"
    feeds = [{"name": name, "protocol": "canal_json", "topics": [name], "target_schema": None} for name in FEEDS]

    def history() -> list[dict[str, Any]]:
        return sorted(session.rows(warehouse, _QUERY), key=str)

    for lines in zip(*(told_in_three(name, promised=name == "promised") for name in FEEDS), strict=True):
        dump.write_text("\n".join(chain(*lines)), encoding="utf-8")
        cli.run(session.opened(warehouse), warehouse, {"ticdc__feeds": feeds}, [dump])
    found = {"before": history()}
    cli.run(session.opened(warehouse), warehouse, {"ticdc__feeds": feeds}, [dump], full_refresh=True)
    return {**found, "after": history()}


@pytest.mark.parametrize("feed", FEEDS)
def test_a_full_refresh_forgets_nothing_of_what_was_known_when(
    histories: Mapping[str, list[dict[str, Any]]], feed: str
) -> None:
    before, after = ([row for row in histories[when] if row["feed"] == feed] for when in ("before", "after"))
    assert after == before
    assert len({row["known_from"] for row in before}) == 3
    assert {row["closed_by"] for row in before} == {None, *CAUSES}
    late = [(row["row"], row["op"], row["known_to"] is None) for row in before if row["row_key"] == '{"a":"1"}']
    assert ('{"a":"1","v":"d"}', "update", True) in late
