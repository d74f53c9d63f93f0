"""The lines of a report, and the checks that what is compared gives the same rows."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from benchmarks.measure import Contender, Cost, say
from benchmarks.session import Bench
from benchmarks.tables import DATABASE, Shape


def ratios(what: str, shape: Shape, contenders: Sequence[Contender]) -> list[str]:
    """A line of each contender: of the package, which is the first, then of the others with their ratios to it."""
    ours, *others = contenders
    lines = [line(what, shape, ours.label, ours.median)]
    for other in sorted(others, key=lambda contender: contender.median):
        by_wall, by_cpu = (theirs / mine for theirs, mine in zip(other.median, ours.median, strict=True))
        lines.append(f"{line(what, shape, other.label, other.median)}   ratio {by_wall:.2f} (CPU {by_cpu:.2f})")
    return lines


def line(what: str, shape: Shape, label: str, cost: Cost) -> str:
    """What one contender took, in seconds."""
    return f"{what:<36} {shape.label:<7} {label:<30} {cost.wall:7.2f} s {cost.cpu:7.2f} s CPU"


def profile(runs: Sequence[dict[str, float]]) -> list[str]:
    """Where the time of `dbt run` goes: the medians of its nodes, slowest first."""
    medians = {name: median(run[name] for run in runs) for name in runs[0]}
    slowest = sorted(medians.items(), key=lambda node: -node[1])
    return ["    " + ", ".join(f"{name} {seconds:.1f} s" for name, seconds in slowest if seconds >= 0.1)]


def check(wrong: int, what: str) -> None:
    """Raises `SystemExit` where rows are wrong, as then nothing can be compared; `what` names both sides."""
    if wrong:
        raise SystemExit(f"{what} differ in {wrong} rows: nothing can be compared")
    say(f"    {what} are equal")


def check_typed(bench: Bench, shape: Shape, label: str, table: str) -> None:
    """Raises `SystemExit` where the package's typed rows differ from those of a table, whose maker is the label."""
    columns = ", ".join(f"`{column.name}`" for column in shape.columns)
    ours = f"select {columns}, _commit_ts, _lossy from {DATABASE}.{shape.table}"
    theirs = f"select {columns}, commit_ts, lossy from {table}"
    wrong = bench.count(f"select count(*) from (({ours} except all {theirs}) union all ({theirs} except all {ours}))")
    check(wrong, f"typed rows of ticdc and of {label}")
