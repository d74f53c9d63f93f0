"""What is known of a target: rows that a few queries give, and what follows from them. Pure, typed, without Spark.

Instants are milliseconds since 1970, commits are TSOs (milliseconds << 18 | logical).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from ticdc_udfs.state import queries


class Partition(msgspec.Struct, frozen=True):
    """A partition that was seen or is expected; counts are None where no message of it is known."""

    feed: str
    topic: str
    partition: int
    watermark_ts: int | None = None
    newest_message_at: int | None = None
    complete_through_ts: int | None = None
    regressions: int = 0
    first_offset: int | None = None
    last_offset: int | None = None
    messages: int | None = None
    dead_letters: int | None = None
    gaps: int | None = None
    missing_offsets: int | None = None
    offset_gaps: tuple[tuple[int, int], ...] = ()


class Count(msgspec.Struct, frozen=True):
    """How many messages of a feed became what, and whether all are accounted for."""

    feed: str
    messages: int
    rows: int
    ddl: int
    watermarks: int
    bootstraps: int
    dead_letters: int
    gaps: int
    missing_offsets: int
    unbalanced: int


class Run(msgspec.Struct, frozen=True):
    """A run of the package; `plan` is the JSON text of what it took, None of a run before that was kept."""

    run_id: int
    kind: str
    started_at: int
    state: str
    ended_at: int | None = None
    messages: int | None = None
    changes: int | None = None
    plan: str | None = None


class Staged(msgspec.Struct, frozen=True):
    """What a run staged of a feed: its largest watermark that all partitions have, and its newest message."""

    run_id: int
    feed: str
    topic: str
    partition: int
    watermark_ts: int | None = None
    newest_message_at: int | None = None


class Table(msgspec.Struct, frozen=True):
    """An upstream table."""

    feed: str
    schema_name: str
    table_name: str
    rows: int
    changes: int
    relation: str | None = None
    last_commit_ts: int | None = None


class Reason(msgspec.Struct, frozen=True):
    """Dead letters of a feed with one error code."""

    feed: str
    error_code: str
    letters: int
    first_at: int | None = None
    last_at: int | None = None
    meaning: str | None = None
    remedy: str | None = None


class Problem(msgspec.Struct, frozen=True):
    """Problems of one kind; detail and remedy are those of the first."""

    severity: str
    code: str
    feed: str
    problems: int
    tables: tuple[str, ...] = ()
    detail: str = ""
    remedy: str = ""


class Ddl(msgspec.Struct, frozen=True):
    """A DDL statement, once."""

    feed: str
    commit_ts: int
    schema_name: str | None = None
    table_name: str | None = None
    ddl_kind: str | None = None
    query: str | None = None


class ModelTime(msgspec.Struct, frozen=True):
    """How long a model took in a run."""

    run_at: int
    model: str
    seconds: float


class Facts(msgspec.Struct, frozen=True):
    """All of it, as of `now`."""

    now: int
    stalled_after: int
    """Seconds of lag from which a feed is late."""
    partitions: tuple[Partition, ...] = ()
    counts: tuple[Count, ...] = ()
    runs: tuple[Run, ...] = ()
    staged: tuple[Staged, ...] = ()
    tables: tuple[Table, ...] = ()
    reasons: tuple[Reason, ...] = ()
    problems: tuple[Problem, ...] = ()
    ddl: tuple[Ddl, ...] = ()
    model_times: tuple[ModelTime, ...] = ()


_MEMBERS: Mapping[str, Any] = {field.name: field.type for field in msgspec.structs.fields(Facts)}


def of(now: int, stalled_after: int, answers: Mapping[str, str | None], model_times: Sequence[ModelTime] = ()) -> Facts:
    """The facts of the answers of `queries.queries`: a JSON list for each, by its name."""
    found = {name: msgspec.json.decode(text, type=_MEMBERS[name]) for name, text in answers.items() if text}
    return Facts(now, stalled_after, **found, model_times=tuple(model_times))


def kinds_of_problems(rows: Iterable[Mapping[str, Any]]) -> tuple[Problem, ...]:
    """The kinds of the problems that `ticdc__problems` has as rows, as the query `problems` gives them."""
    kinds = defaultdict(list)
    for row in rows:
        kinds[row["severity"], row["code"], row["feed"]].append(row)
    found = []
    for (severity, code, feed), alike in kinds.items():
        first = min(alike, key=lambda row: row["detail"] or "")
        names = (("" if row["schema_name"] is None else f"{row['schema_name']}.", row["table_name"]) for row in alike)
        tables = sorted({schema + table for schema, table in names if table is not None})
        texts = ((first[name] or "")[: queries.TEXT] for name in ("detail", "remedy"))
        found.append(Problem(severity, code, feed, len(alike), tuple(tables[: queries.PLACES]), *texts))
    return tuple(sorted(found, key=lambda kind: (kind.severity, -kind.problems, kind.code, kind.feed)))


class Lag(NamedTuple):
    """The parts of a feed's lag in seconds; None where nothing tells.

    `upstream`: from the commit that the feed is complete through to its newest message; `landing`: from that message
    to now; `build`: from the end of the last run that was published to now. `behind` is what a reader sees: from the
    commit that the feed is complete through, or the newest message of a feed without watermarks, to now.
    """

    upstream: float | None
    landing: float | None
    build: float | None
    behind: float | None


class Feed(NamedTuple):
    """A feed. `complete_through_ts` is None without watermarks, and 0 where one of its partitions has none."""

    name: str
    complete_through_ts: int | None
    newest_message_at: int | None
    partitions: int
    counted: Count
    lag: Lag
    is_late: bool


def feeds(facts: Facts) -> list[Feed]:
    """The feeds that have partitions or problems, by name."""
    names = {each.feed for each in facts.partitions} | {each.feed for each in facts.counts}
    return [_feed(name, facts) for name in sorted(names | {each.feed for each in facts.problems})]


def _feed(name: str, facts: Facts) -> Feed:
    parts = [each for each in facts.partitions if each.feed == name]
    newest = max((each.newest_message_at for each in parts if each.newest_message_at is not None), default=None)
    through = next((each.complete_through_ts for each in parts), None)
    counted = next((each for each in facts.counts if each.feed == name), Count(name, *[0] * 9))
    lag = _lag(facts, through, newest)
    is_late = through == 0 or (lag.behind is not None and lag.behind > facts.stalled_after)
    return Feed(name, through, newest, len(parts), counted, lag, is_late)


def _lag(facts: Facts, through: int | None, newest: int | None) -> Lag:
    published = published_at(facts)
    complete_at = millis(through)
    seen_at = newest if through is None else complete_at

    def since(instant: int | None, until: int | None = facts.now) -> float | None:
        return None if instant is None or until is None else max(0.0, (until - instant) / 1000)

    return Lag(since(complete_at, newest), since(newest), since(published), since(seen_at))


def millis(tso: int | None) -> int | None:
    """The instant of a TSO; None for none, and for 0."""
    return tso >> 18 if tso else None


def published_at(facts: Facts) -> int | None:
    """When the last run ended that was published."""
    return max((run.ended_at for run in facts.runs if run.state == "published" and run.ended_at), default=None)


def errors(facts: Facts) -> int:
    """The number of problems by which results are wrong or missing."""
    return sum(each.problems for each in facts.problems if each.severity == "error")


FINE, PROBLEMS, LATE = 0, 1, 2


def exit_code(facts: Facts) -> int:
    """1 where there are problems of severity error, or the last run failed; 2 where a feed lags or is stale; else 0."""
    last = max(facts.runs, key=lambda run: run.run_id, default=None)
    if errors(facts) or (last is not None and last.state == "failed"):
        return PROBLEMS
    is_stale = not facts.runs or any(feed.is_late for feed in feeds(facts))
    return LATE if is_stale else FINE
