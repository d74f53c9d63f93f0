"""The state as one HTML page: no network, no script. What is drawn is computed here, the template writes it."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any, NamedTuple

from ticdc_udfs.state import facts as known
from ticdc_udfs.state import status
from ticdc_udfs.state.facts import Facts, Partition, Run, Table

_CHART_WIDTH, _CHART_HEIGHT = 300, 70
_POINTS = 40
_FEEDS_OPEN, _PARTITIONS_SHOWN, _GAPS_SHOWN = 6, 200, 30
_TABLES_SHOWN, _RUNS_SHOWN, _DDL_SHOWN, _MODELS_SHOWN = 40, 20, 40, 20
_PROBLEMS_SHOWN, _REASONS_SHOWN = 50, 30
_LONGEST = 400


class Series(NamedTuple):
    """A line of a chart: its name, the class that colours it, and its pieces, each the points of a polyline."""

    name: str
    css: str
    pieces: list[str]
    last: float | None


class Chart(NamedTuple):
    """Lines over time; `top` is the value at its upper edge."""

    series: list[Series]
    top: float
    begins: int
    ends: int


class Bar(NamedTuple):
    """A bar of a row of bars: its place and length of 100."""

    start: float
    length: float


def html(facts: Facts) -> str:
    """The page; at most 300 kB of it, whatever the target holds."""
    feeds = sorted(known.feeds(facts), key=lambda feed: (not feed.is_late, feed.name))
    tables = sorted(facts.tables, key=lambda table: (-table.changes, -table.rows))[:_TABLES_SHOWN]
    runs = sorted(facts.runs, key=lambda run: run.run_id)
    partitions = list(_shown_partitions(facts))
    return str(
        _template().render(
            facts=facts,
            code=known.exit_code(facts),
            verdict=status.verdict(facts),
            feeds=feeds,
            charts={feed.name: lag_chart(facts, feed.name) for feed in feeds},
            feeds_open=_FEEDS_OPEN,
            longest_lag=max((feed.lag.behind or 0 for feed in feeds), default=0),
            last=runs[-1] if runs else None,
            runs=[(run, throughput(run)) for run in reversed(runs[-_RUNS_SHOWN:])],
            run_bars=run_bars(runs),
            tables=[(table, *table_bars(table, tables)) for table in tables],
            partitions=partitions,
            gaps=[(each, gap_bars(each)) for each in partitions if each.gaps][:_GAPS_SHOWN],
            ddl=facts.ddl[:_DDL_SHOWN],
            ddl_marks=ddl_marks(facts),
            models=model_bars(facts),
            reasons=facts.reasons[:_REASONS_SHOWN],
            problems=facts.problems[:_PROBLEMS_SHOWN],
            errors=known.errors(facts),
            sums=_sums(facts),
            millis=known.millis,
        )
    )


def html_of_answers(answers: Mapping[str, str | None], stalled_after_minutes: int) -> str:
    """The page of what the queries answer, as of now."""
    return html(known.of(round(time.time() * 1000), 60 * stalled_after_minutes, answers))


def _sums(facts: Facts) -> dict[str, int]:
    return {
        "messages": sum(count.messages for count in facts.counts),
        "dead_letters": sum(count.dead_letters for count in facts.counts),
        "missing_offsets": sum(count.missing_offsets for count in facts.counts),
        "rows": sum(table.rows for table in facts.tables),
        "changes": sum(table.changes for table in facts.tables),
    }


def _shown_partitions(facts: Facts) -> Iterable[Partition]:
    """Those furthest behind, by feed and place."""
    furthest = facts.partitions[:_PARTITIONS_SHOWN]
    return sorted(furthest, key=lambda each: (each.feed, each.topic, each.partition))


def lag_chart(facts: Facts, feed: str) -> Chart | None:
    """The parts of a feed's lag at each run that staged something of it; None with less than two."""
    ended = {run.run_id: run for run in facts.runs}
    watermarks: dict[tuple[str, int], int | None] = {}
    newest = 0
    points: list[tuple[int, float | None, float | None, float | None]] = []
    of_feed = sorted((each for each in facts.staged if each.feed == feed), key=lambda each: each.run_id)
    for run_id in dict.fromkeys(each.run_id for each in of_feed):
        for each in of_feed:
            if each.run_id != run_id:
                continue
            place = (each.topic, each.partition)
            watermarks[place] = max(filter(None, (watermarks.get(place), each.watermark_ts)), default=None)
            newest = max(newest, each.newest_message_at or 0)
        complete = [known.millis(watermark) for watermark in watermarks.values()]
        begun = run_id // 1000
        least = min((at for at in complete if at is not None), default=None)
        upstream = None if least is None or None in complete else max(0.0, (newest - least) / 1000)
        landing = max(0.0, (begun - newest) / 1000) if newest else None
        points.append((begun, upstream, landing, _took(ended.get(run_id))))
    points = points[-_POINTS:]
    if len(points) < 2:
        return None
    begins, ends = points[0][0], points[-1][0]
    top = max((value for point in points for value in point[1:] if value is not None), default=0.0) or 1.0
    names = ("upstream", "landing", "build")
    lines = [
        Series(
            name,
            name,
            _pieces([(point[0], point[place]) for point in points], begins, ends, top),
            points[-1][place],
        )
        for place, name in enumerate(names, start=1)
    ]
    return Chart(lines, top, begins, ends)


def _took(run: Run | None) -> float | None:
    return None if run is None or run.ended_at is None else (run.ended_at - run.started_at) / 1000


def _pieces(points: Sequence[tuple[int, float | None]], begins: int, ends: int, top: float) -> list[str]:
    """The points of the polylines between those that are None."""
    pieces: list[list[str]] = [[]]
    for at, value in points:
        if value is None:
            pieces.append([])
            continue
        x = _CHART_WIDTH * (at - begins) / max(ends - begins, 1)
        y = _CHART_HEIGHT * (1 - value / top)
        pieces[-1].append(f"{x:.0f},{y:.0f}")
    return [" ".join(piece) for piece in pieces if piece]


def throughput(run: Run) -> float | None:
    """Messages a second."""
    took = _took(run)
    return run.messages / took if run.messages and took else None


def run_bars(runs: Sequence[Run]) -> list[tuple[Run, float]]:
    """The messages of each run as a height of 100, oldest first."""
    most = max((run.messages or 0 for run in runs), default=0) or 1
    return [(run, 100 * (run.messages or 0) / most) for run in runs]


def table_bars(table: Table, tables: Sequence[Table]) -> tuple[float, float]:
    """How long the bars of its changes and rows are, of 100."""
    changes, rows = (max((getattr(each, name) for each in tables), default=0) or 1 for name in ("changes", "rows"))
    return 100 * table.changes / changes, 100 * table.rows / rows


def gap_bars(partition: Partition) -> list[Bar]:
    """Where in its offsets a partition has gaps."""
    if partition.first_offset is None or partition.last_offset is None:
        return []
    size = partition.last_offset - partition.first_offset + 1
    return [
        Bar(100 * (first - partition.first_offset) / size, max(0.4, 100 * (last - first + 1) / size))
        for first, last in partition.offset_gaps
    ]


def ddl_marks(facts: Facts) -> list[tuple[float, str]]:
    """The places of DDL on a line from the first to the last, of 100, each with a title."""
    times = [known.millis(each.commit_ts) or 0 for each in facts.ddl]
    if not times:
        return []
    first, size = min(times), max(max(times) - min(times), 1)
    return [
        (100 * (at - first) / size, f"{status.instant(at)} {each.ddl_kind or ''} {each.table_name or ''}")
        for at, each in zip(times, facts.ddl, strict=True)
    ]


def model_bars(facts: Facts) -> list[tuple[str, float, float, float | None]]:
    """The models that took longest in the last run: name, seconds, length of 100, and seconds in the run before."""
    runs = sorted({each.run_at for each in facts.model_times}, reverse=True)
    if not runs:
        return []
    last = {each.model: each.seconds for each in facts.model_times if each.run_at == runs[0]}
    before = {each.model: each.seconds for each in facts.model_times if len(runs) > 1 and each.run_at == runs[1]}
    longest = sorted(last.items(), key=lambda model: -model[1])[:_MODELS_SHOWN]
    most = max((seconds for _, seconds in longest), default=0) or 1
    return [(model, seconds, 100 * seconds / most, before.get(model)) for model, seconds in longest]


def shown(text: Any) -> str:
    """A text, cut where it is long, with codes in place of what is no printable sign: names come from elsewhere."""
    whole = str(text)
    cut = whole if len(whole) <= _LONGEST else whole[: _LONGEST - 1] + "…"
    return "".join(sign if sign.isprintable() else f"\\u{ord(sign):04x}" for sign in cut)


@cache
def _template() -> Any:
    from jinja2 import Environment, StrictUndefined

    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.filters.update(
        shown=shown,
        instant=status.instant,
        duration=status.duration,
        complete=status.complete,
        count=lambda number: "-" if number is None else f"{number:,}",
        rate=lambda number: "-" if number is None else f"{number:,.0f}",
    )
    text = resources.files("ticdc_udfs.state").joinpath("report.html.j2").read_text(encoding="utf-8")
    return environment.from_string(text)
