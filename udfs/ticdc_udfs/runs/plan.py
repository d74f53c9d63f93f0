"""What a run took of each model, and which feeds it rebuilt and why: what `ticdc__runs` keeps of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import msgspec
from msgspec import Struct

from ticdc_udfs.runs.progress import Cause, CauseKind, newest_causes

_REASONS: Mapping[CauseKind, str] = {
    "dead_letters": "dead letters were decoded again and became something else",
    "row_out_of_order": "a row of commit {} came after DDL of later commits",
    "ddl_out_of_order": "DDL of commit {} came after rows of later commits",
    "ddl_below_bound": "DDL of commit {} came after changes of later commits were shown",
    "changed_load": "DDL changed the table of the initial load of commit {}",
    "late_effect": "DDL of commit {} came after later DDL had changed rows",
    "late_row": "a row came after later DDL had changed the rows of its table",
}
_UNTOLD = {"rows_of", "planned_by"}
"""What stored typed tables and plans settle, which are told of only where they took something."""
_UNKNOWN = "an older version of the package decided it and kept no reason"


class StoredModel(Struct, frozen=True):
    """A stored table as the state has it: its batches (id and level), and the batch since which a feed counts.

    `anew` is the run that last wrote all of its rows.
    """

    batches: Sequence[tuple[int, int]] = ()
    since: Mapping[str, int] = {}
    anew: int = 0
    settled: Mapping[str, Any] | None = None


class EndedRun(Struct, frozen=True):
    """The run `run_id` (microseconds since 1970) and the `models` of its state; `staged` names those of staging."""

    run_id: int
    models: Mapping[str, StoredModel]
    staged: Sequence[str] = ()


class Took(Struct, frozen=True, omit_defaults=True):
    """What a run took of a model: `nothing`, `new messages`, `new rows`, a `range` of commits, or it was `rebuilt`.

    `through` ends the range: a TSO for each feed. `feeds` are those that were rebuilt, where not all of them were.
    """

    took: Literal["nothing", "new messages", "new rows", "range", "rebuilt"]
    through: Mapping[str, int] = {}
    feeds: Sequence[str] = ()


class Rebuilt(Struct, frozen=True):
    """A feed that the run rebuilt, why, and the commit (TSO) that caused it, where one did."""

    feed: str
    reason: str
    commit_ts: int | None = None


class RunPlan(Struct, frozen=True):
    """What a run took of each stored model, by the name of its table, and which feeds it rebuilt."""

    models: Mapping[str, Took]
    rebuilt: Sequence[Rebuilt]


def run_plan(run: EndedRun) -> RunPlan:
    """What a run took, from the state that it ends with. Plans and unchanged stored typed tables are left out."""
    models = {name: _took(name, model, run) for name, model in sorted(run.models.items())}
    feeds = sorted({feed for took in models.values() for feed in took.feeds})
    told = {
        name: took
        for name, took in models.items()
        if took.took != "nothing" or not _UNTOLD & (run.models[name].settled or {}).keys()
    }
    causes = newest_causes(*(_causes(model) for model in run.models.values()))
    return RunPlan(told, [_rebuilt(feed, causes.get(feed)) for feed in feeds])


def _took(name: str, model: StoredModel, run: EndedRun) -> Took:
    if not any(batch_id >= run.run_id for batch_id, _ in model.batches):
        return Took("nothing")
    feeds = sorted(feed for feed, batch_id in model.since.items() if batch_id >= run.run_id)
    bounds = (model.settled or {}).get("bounds") or {}
    if feeds:
        return Took("rebuilt", bounds, feeds)
    if name in run.staged:
        return Took("new messages")
    if model.anew == run.run_id:
        return Took("rebuilt", bounds)
    return Took("range", bounds) if bounds else Took("new rows")


def _rebuilt(feed: str, cause: Cause | None) -> Rebuilt:
    if cause is None:
        return Rebuilt(feed, _UNKNOWN)
    return Rebuilt(feed, _REASONS[cause.kind].format(cause.commit_ts), cause.commit_ts)


def _causes(model: StoredModel) -> dict[str, Cause]:
    return msgspec.convert((model.settled or {}).get("causes") or {}, dict[str, Cause])
