"""The state in words, as JSON, and in the text form of Prometheus."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec

from ticdc_udfs.runs.plan import RunPlan
from ticdc_udfs.state import facts as known
from ticdc_udfs.state.facts import Facts, Feed, Run

_WORDS = {known.FINE: "fine", known.PROBLEMS: "problems", known.LATE: "late or stale"}


def verdict(facts: Facts) -> str:
    """What the exit code means."""
    return _WORDS[known.exit_code(facts)]


def instant(at: int | None) -> str:
    """An instant in UTC to the second, or `-`."""
    return "-" if at is None else f"{datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=at):%Y-%m-%d %H:%M:%S}"


def duration(seconds: float | None) -> str:
    """Seconds in the largest two units that they have, or `-`."""
    if seconds is None:
        return "-"
    left = round(seconds)
    if left < 60:
        return f"{seconds:.1f} s" if seconds < 10 else f"{left} s"
    units = ((86_400, "d"), (3_600, "h"), (60, "min"), (1, "s"))
    first = next(place for place, (size, _) in enumerate(units) if left >= size)
    texts = []
    for size, unit in units[first : first + 2]:
        texts.append(f"{left // size:,} {unit}")
        left %= size
    return " ".join(texts)


def complete(feed: Feed) -> str:
    """Through when a feed is complete, in words."""
    if feed.complete_through_ts is None:
        return "no watermarks"
    return instant(known.millis(feed.complete_through_ts)) if feed.complete_through_ts else "not yet"


def what_was_done(run: Run) -> list[str]:
    """What a run did and why, in lines: what it took, and each feed that it rebuilt; none of a run without a plan."""
    if run.plan is None:
        return []
    plan = msgspec.json.decode(run.plan, type=RunPlan)
    written = sorted(name for name, took in plan.models.items() if took.took != "nothing")
    counts = ((run.messages, "messages", "staged"), (run.changes, "changes", "added"))
    told = ", ".join(f"{done} {count:,} {what}" for count, what, done in counts if count is not None)
    tables = f"{'; ' if told else ''}wrote {len(written):,} of {len(plan.models):,} tables" if plan.models else ""
    lines = [told + tables] if told or tables else []
    return lines + [f"rebuilt feed {each.feed}: {each.reason}" for each in plan.rebuilt]


Aligned = Callable[[Sequence[str], Sequence[Sequence[str]], frozenset[int]], str]


def table(facts: Facts, aligned: Aligned, printable: Callable[[str], str]) -> str:
    """The state for a terminal; `aligned` sets cells under a header, `printable` escapes what is no printable sign."""
    last = max(facts.runs, key=lambda run: run.run_id, default=None)
    lines = [f"state: {verdict(facts)}, as of {instant(facts.now)} UTC"]
    if last is None:
        lines.append("last run: none yet")
    else:
        ended = "" if last.ended_at is None else f", {duration((last.ended_at - last.started_at) / 1000)}"
        lines.append(f"last run: {last.kind} of {instant(last.started_at)} UTC{ended}, {last.state}")
        lines.extend(f"  {printable(line)}" for line in what_was_done(last))
    header = ("feed", "complete through (UTC)", "behind", "upstream", "landing", "build", "messages", "dead letters")
    rows = [
        (
            printable(feed.name),
            complete(feed),
            duration(feed.lag.behind) + (" late" if feed.is_late else ""),
            *(duration(part) for part in feed.lag[:3]),
            f"{feed.counted.messages:,}",
            f"{feed.counted.dead_letters:,}",
        )
        for feed in known.feeds(facts)
    ]
    text = "\n".join(lines) + "\n"
    if rows:
        text += "\n" + aligned(header, rows, frozenset(range(2, 8)))
    if not facts.problems:
        return text + "\nproblems: none\n"
    text += "\nproblems\n"
    for each in facts.problems:
        where = f" ({', '.join(map(printable, each.tables))})" if each.tables else ""
        text += (
            f"  {each.severity} {each.code}, {each.problems:,} in feed {printable(each.feed)}{where}\n"
            f"    {printable(each.detail)}\n    what to do: {printable(each.remedy)}\n"
        )
    return text


def as_json(facts: Facts) -> str:
    """One object in a line: state, exit code, feeds with their lag in seconds, the last run, dead letters, problems."""
    last = max(facts.runs, key=lambda run: run.run_id, default=None)
    content: dict[str, Any] = {
        "state": verdict(facts),
        "exit_code": known.exit_code(facts),
        "now": facts.now,
        "last_run": last and {**msgspec.structs.asdict(last), "plan": msgspec.json.decode(last.plan or "null")},
        "published_at": known.published_at(facts),
        "feeds": [_feed(feed) for feed in known.feeds(facts)],
        "dead_letters": facts.reasons,
        "problems": facts.problems,
        "partitions": facts.partitions,
    }
    return msgspec.json.encode(content).decode() + "\n"


def _feed(feed: Feed) -> dict[str, Any]:
    count = {field: getattr(feed.counted, field) for field in feed.counted.__struct_fields__ if field != "feed"}
    return {
        "feed": feed.name,
        "is_late": feed.is_late,
        "complete_through_ts": feed.complete_through_ts,
        "complete_through_at": known.millis(feed.complete_through_ts),
        "newest_message_at": feed.newest_message_at,
        "partitions": feed.partitions,
        **{f"{part}_lag_seconds": seconds for part, seconds in feed.lag._asdict().items()},
        **count,
    }


def prometheus(facts: Facts) -> str:
    """Metrics for node_exporter's folder of text files: base units, no timestamps, a line break at the end."""
    feeds = known.feeds(facts)
    last = max(facts.runs, key=lambda run: run.run_id, default=None)
    found: list[str] = []

    def metric(name: str, told: str, samples: Iterator[tuple[Mapping[str, str], float | None]]) -> None:
        lines = [_sample(name, labels, value) for labels, value in samples if value is not None]
        if lines:
            found.extend((f"# HELP {name} {told}", f"# TYPE {name} gauge", *lines))

    def of_feeds(value: Callable[[Feed], float | None]) -> Iterator[tuple[Mapping[str, str], float | None]]:
        return (({"feed": feed.name}, value(feed)) for feed in feeds)

    def one(value: float | None) -> Iterator[tuple[Mapping[str, str], float | None]]:
        return iter([({}, value)])

    metric("ticdc_state", "0 fine, 1 problems, 2 late or stale.", one(known.exit_code(facts)))
    metric(
        "ticdc_feed_complete_timestamp_seconds",
        "Time of the commit that the feed is complete through.",
        of_feeds(lambda feed: _seconds(known.millis(feed.complete_through_ts))),
    )
    metric(
        "ticdc_feed_newest_message_timestamp_seconds",
        "Kafka's time of the newest message.",
        of_feeds(lambda feed: _seconds(feed.newest_message_at)),
    )
    metric(
        "ticdc_feed_upstream_lag_seconds",
        "From the commit that the feed is complete through to its newest message.",
        of_feeds(lambda feed: feed.lag.upstream),
    )
    metric(
        "ticdc_feed_behind_seconds",
        "From what readers see to the time of this text.",
        of_feeds(lambda feed: feed.lag.behind),
    )
    metric("ticdc_feed_late", "1 where the feed is late or stale.", of_feeds(lambda feed: float(feed.is_late)))
    metric("ticdc_feed_partitions", "Partitions seen or expected.", of_feeds(lambda feed: feed.partitions))
    for member in ("messages", "rows", "ddl", "watermarks", "bootstraps", "missing_offsets", "unbalanced"):
        metric(
            f"ticdc_feed_{member}",
            _COUNTS.get(member, f"Messages of the feed that are {member}."),
            of_feeds(lambda feed, name=member: getattr(feed.counted, name)),  # type: ignore[misc]
        )
    metric(
        "ticdc_feed_dead_letters",
        "Messages that cannot be decoded, by reason.",
        (({"feed": each.feed, "error_code": each.error_code}, each.letters) for each in facts.reasons),
    )
    metric(
        "ticdc_problems",
        "Problems by feed, severity and code.",
        (({"feed": each.feed, "severity": each.severity, "code": each.code}, each.problems) for each in facts.problems),
    )
    metric(
        "ticdc_last_publication_timestamp_seconds",
        "When the last run ended that was published.",
        one(_seconds(known.published_at(facts))),
    )
    if last is not None:
        metric("ticdc_last_run_start_timestamp_seconds", "When the last run began.", one(_seconds(last.started_at)))
        took = None if last.ended_at is None else (last.ended_at - last.started_at) / 1000
        metric("ticdc_last_run_duration_seconds", "How long the last run took.", one(took))
        metric("ticdc_last_run_failed", "1 where the last run failed.", one(float(last.state == "failed")))
    return "\n".join(found) + "\n"


_COUNTS = {
    "messages": "Messages of the feed.",
    "missing_offsets": "Offsets between the first and the last that no message has.",
    "unbalanced": "Partitions of which not every message became something.",
}


def _seconds(at: int | None) -> float | None:
    return None if at is None else at / 1000


def _sample(name: str, labels: Mapping[str, str], value: float) -> str:
    inside = ",".join(f'{label}="{_escaped(text)}"' for label, text in labels.items())
    number = int(value) if float(value).is_integer() else value
    return f"{name}{{{inside}}} {number}" if inside else f"{name} {number}"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
