"""From where a run goes on: from the last publication, or from what the last run left."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from ticdc_udfs.contract.options import OPTIONS

State = dict[str, Any]
"""A state as a view has it; an empty one is that of no run.

`number` counts publications, `run_id` is the run that saved it, `models` has what is known of each stored table by its
name. Of all runs it has `feeds`, the protocol by which each feed is decoded, `protocols`, those that the tables after
staging are made of, and `staged`, where the staging table of each protocol is: its schema and its name.
"""


class OpeningFacts(Struct, frozen=True):
    """What a run is, and what it finds.

    `run_id` is in microseconds since 1970, `started_at` the same in words. `is_part` says whether it leaves out some
    stored model. `feeds` has the protocol of each feed that is configured, `staged` where the staging table of each of
    these protocols is. `missing` are the views of the state that are not there, and then `built` the stored tables that
    are.
    """

    run_id: int
    started_at: str
    is_refresh: bool
    is_part: bool
    is_redecode: bool
    feeds: Mapping[str, str]
    staged: Mapping[str, tuple[str, str]]
    missing: Sequence[str] = ()
    built: Sequence[str] = ()


class OpenedState(Struct, frozen=True):
    """The state that a run begins with, unless there is a `refusal`: why it cannot.

    `published` are the models of the publication, `saved` and `saved_unbuilt` what the view of the run has.
    """

    refusal: str | None
    state: State
    published: Mapping[str, Any]
    saved: Mapping[str, Any]
    saved_unbuilt: Mapping[str, Any]


def opened_state(published: State, working: State, facts: OpeningFacts) -> OpenedState:
    """The state of a run that begins from a publication, or goes on from the state `working` of the last run."""
    number = published.get("number", 0)
    state = dict(working if _goes_on(published, working, facts) else published)
    feeds = {} if facts.is_redecode else dict(state.get("feeds", {}))
    built = [] if facts.is_refresh else state.get("protocols", [])
    refusal = (
        _of_clock(max(published.get("run_id", 0), working.get("run_id", 0)), facts)
        or _of_views(facts)
        or _of_protocols(feeds, built, state.get("models", {}), facts)
    )
    staged = state.get("staged", {}) | dict(facts.staged)
    left = _staging_of_others(staged, facts) if facts.is_redecode else ()
    state.pop("answers", None)  # of a version that kept them
    state |= {
        "models": {name: model for name, model in state.get("models", {}).items() if name not in left},
        "feeds": feeds | dict(facts.feeds),
        "protocols": sorted({*built, *facts.feeds.values()}),
        "staged": staged,
        "run_id": facts.run_id,
        "number": number + 1,
        "is_refresh": facts.is_refresh,
    }
    return OpenedState(
        refusal, state, published.get("models", {}), working.get("models", {}), working.get("unbuilt", {})
    )


def _goes_on(published: State, working: State, facts: OpeningFacts) -> bool:
    """Whether the run resumes what another one left: not if a third one published since that began.

    Only a refresh of a part, such as `dbt retry`, resumes a refresh.
    """
    is_newer = working.get("run_id", 0) > published.get("run_id", 0)
    if not is_newer or working.get("number") != published.get("number", 0) + 1:
        return False
    return (facts.is_refresh and facts.is_part) if working.get("is_refresh") else True


def _staging_of_others(staged: Mapping[str, Sequence[str]], facts: OpeningFacts) -> Sequence[str]:
    """The staging tables of protocols that no feed has now: they are none of those that are decoded again."""
    others = [protocol for protocol in OPTIONS if protocol not in facts.staged]
    return [staged[protocol][1] if protocol in staged else f"stg_ticdc__{protocol}" for protocol in others]


def _of_clock(last_run_id: int, facts: OpeningFacts) -> str | None:
    """What such a run wrote would be older than what is settled, and never be taken."""
    if last_run_id < facts.run_id:
        return None
    return (
        f"this run began at {facts.started_at}, before the last one by the clock of its machine (run {last_run_id}, in "
        "microseconds since 1970): set the clock right, or wait"
    )


def _of_views(facts: OpeningFacts) -> str | None:
    if not (facts.missing and facts.built):
        return None
    return (
        f"the view {facts.missing[0]} is gone, and nothing else tells which rows of these tables count: "
        f"{', '.join(facts.built)}. Drop them, if the source has all messages, or rename them: what is decoded is in "
        "those of staging"
    )


def _of_protocols(
    decoded: Mapping[str, str], built: Sequence[str], models: Mapping[str, Any], facts: OpeningFacts
) -> str | None:
    for feed, protocol in facts.feeds.items():
        before = decoded.get(feed, protocol)
        if before != protocol:
            return (
                f"feed {feed} in ticdc__feeds has the protocol {protocol}, and its messages are decoded as {before}: "
                "decode them again, by ticdc redecode or by --full-refresh with ticdc__redecode: true"
            )
        staged = models.get(facts.staged[protocol][1]) or {}
        if built and protocol not in built and staged.get("batches"):
            return (
                f"feed {feed} is in ticdc__feeds again, and all tables were rebuilt without the messages of its "
                f"protocol, {protocol}, that are decoded already: build once with --full-refresh"
            )
    return None
