"""The same changes in each protocol: what a first build costs in time and memory, against that of canal-json."""

from __future__ import annotations

from functools import partial

from benchmarks.encoders import ENCODERS, Encoder
from benchmarks.measure import Contender, alternate, peak_memory
from benchmarks.messages import Changefeed
from benchmarks.report import check, line
from benchmarks.session import Bench
from benchmarks.tables import DATABASE, Shape


def protocols(bench: Bench, shape: Shape, changes: int, rounds: int) -> list[str]:
    """`dbt run` on an empty warehouse, by protocol; stops where one makes other rows than canal-json.

    The driver's memory is of all of them, as one process builds them all.
    """
    made: dict[str, str] = {}
    memory = {protocol: 0 for protocol in ENCODERS}

    def prepare(encoder: type[Encoder]) -> None:
        bench.expect(shape, encoder)
        Changefeed(shape, encoder).write(bench.messages, "base", changes)
        bench.publish_messages()
        bench.empty_warehouse()

    def build(protocol: str) -> None:
        bench.build()
        made[protocol] = str(bench.rows(f"select count(*), sum(id), max(_commit_ts) from {DATABASE}.{shape.table}"))
        memory[protocol] = max(memory[protocol], peak_memory().worker)

    contenders = [
        Contender(protocol, partial(build, protocol), partial(prepare, encoder))
        for protocol, encoder in ENCODERS.items()
    ]
    alternate(contenders, rounds)
    yardstick = contenders[0]
    for protocol, rows in made.items():
        check(int(rows != made[yardstick.label]), f"rows of {yardstick.label} and of {protocol}")
    lines = [f"\n{changes:,} changes in each protocol, the driver at most {peak_memory().driver / 2**30:.2f} GB"]
    for contender in contenders:
        lines.append(
            f"{line('first build', shape, contender.label, contender.median)}   "
            f"{contender.median.wall / yardstick.median.wall:.2f} times {yardstick.label}, "
            f"a Python worker at most {memory[contender.label] / 2**20:.0f} MB"
        )
    return lines
