"""From where a run goes on, and when it cannot begin."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from ticdc_udfs.runs.opening import OpeningFacts, opened_state

STAGED = {"canal_json": ("ticdc", "stg_ticdc__canal_json")}
MODELS = {"stg_ticdc__canal_json": {"batches": [[5, 0]], "since": {}, "settled": None}}
PUBLISHED = {"number": 3, "run_id": 5, "is_refresh": False, "models": {"a": 1}, "feeds": {"old": "simple"}}
LEFT = {"number": 4, "run_id": 6, "is_refresh": False, "models": {"a": 2}, "unbuilt": {"b": True}}


def facts(**changed: Any) -> OpeningFacts:
    given: dict[str, Any] = {
        "run_id": 9,
        "started_at": "today",
        "is_refresh": False,
        "is_part": False,
        "is_redecode": False,
        "feeds": {"shop": "canal_json"},
        "staged": STAGED,
    }
    return OpeningFacts(**given | changed)


def test_a_first_run_begins_with_nothing() -> None:
    opened = opened_state({}, {}, facts(missing=("int_ticdc__publication", "int_ticdc__run")))
    assert opened.refusal is None
    assert opened.state == {
        "models": {},
        "feeds": {"shop": "canal_json"},
        "protocols": ["canal_json"],
        "staged": STAGED,
        "run_id": 9,
        "number": 1,
        "is_refresh": False,
    }
    assert (opened.published, opened.saved, opened.saved_unbuilt) == ({}, {}, {})


GOES_ON: Mapping[str, tuple[dict[str, Any], dict[str, Any], bool]] = {
    "what a run left": (LEFT, {}, True),
    "nothing was left": (PUBLISHED, {}, False),
    "another one published since": (LEFT | {"number": 3}, {}, False),
    "a refresh was left": (LEFT | {"is_refresh": True}, {}, False),
    "a refresh after one that was left": (LEFT | {"is_refresh": True}, {"is_refresh": True}, False),
    "a retry of a refresh": (LEFT | {"is_refresh": True}, {"is_refresh": True, "is_part": True}, True),
    "a refresh after a run that was left": (LEFT, {"is_refresh": True}, True),
}


@pytest.mark.parametrize("name", GOES_ON)
def test_what_a_run_goes_on_with(name: str) -> None:
    working, given, goes_on = GOES_ON[name]
    opened = opened_state(PUBLISHED, working, facts(**given))
    assert opened.refusal is None
    assert opened.state["models"] == (working if goes_on else PUBLISHED)["models"]
    assert (opened.state["number"], opened.state["run_id"]) == (4, 9)
    assert opened.state.get("unbuilt", {}) == (working.get("unbuilt", {}) if goes_on else {})
    assert (opened.published, opened.saved) == (PUBLISHED["models"], working["models"])


def test_feeds_of_former_runs_stay_known() -> None:
    assert opened_state(PUBLISHED, PUBLISHED, facts()).state["feeds"] == {"old": "simple", "shop": "canal_json"}
    again = opened_state(PUBLISHED, PUBLISHED, facts(is_redecode=True, is_refresh=True))
    assert again.state["feeds"] == {"shop": "canal_json"}


def test_staging_tables_of_protocols_that_no_feed_has_are_not_decoded_again() -> None:
    """Where they are is noted; an older version did not."""
    models = {name: {} for name in ("stg_ticdc__canal_json", "own_simple", "stg_ticdc__avro", "changes")}
    before = PUBLISHED | {"models": models, "staged": {"simple": ["ticdc", "own_simple"]}}
    again = opened_state(before, before, facts(is_redecode=True, is_refresh=True))
    assert [*again.state["models"]] == ["stg_ticdc__canal_json", "changes"]
    assert [*opened_state(before, before, facts()).state["models"]] == [*models]


def test_protocols_that_tables_are_made_of_add_up_until_a_refresh() -> None:
    before = PUBLISHED | {"protocols": ["simple"]}
    assert opened_state(before, before, facts()).state["protocols"] == ["canal_json", "simple"]
    assert opened_state(before, before, facts(is_refresh=True)).state["protocols"] == ["canal_json"]


REFUSED: Mapping[str, tuple[dict[str, Any], dict[str, Any], str]] = {
    "a clock that goes back": (PUBLISHED | {"run_id": 9}, {}, "this run began at today, before the last one"),
    "a view that is gone": (
        PUBLISHED,
        {"missing": ("int_ticdc__run",), "built": ("`x`.`y`", "`x`.`z`")},
        "the view int_ticdc__run is gone, and nothing else tells which rows of these tables count: `x`.`y`, `x`.`z`.",
    ),
    "a protocol that changed": (
        PUBLISHED | {"feeds": {"shop": "simple"}},
        {},
        "feed shop in ticdc__feeds has the protocol canal_json, and its messages are decoded as simple: ",
    ),
    "a protocol that a refresh left out": (
        PUBLISHED | {"protocols": ["simple"], "models": MODELS},
        {},
        "feed shop is in ticdc__feeds again, and all tables were rebuilt without the messages of its protocol, ",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_why_a_run_cannot_begin(name: str) -> None:
    published, given, reason = REFUSED[name]
    refusal = opened_state(published, published, facts(**given)).refusal
    assert refusal is not None
    assert refusal.startswith(reason)


def test_messages_are_decoded_by_another_protocol_once_all_are_decoded_again() -> None:
    before = PUBLISHED | {"feeds": {"shop": "simple"}}
    assert opened_state(before, before, facts(is_redecode=True, is_refresh=True)).refusal is None
