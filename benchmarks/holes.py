"""A topic with holes in its offsets: what later runs cost beside those of the same topic without any."""

from __future__ import annotations

from functools import partial
from statistics import median

import pyarrow.parquet as pq

from benchmarks.encoders import CanalJson
from benchmarks.measure import Cost, measured, progress
from benchmarks.messages import Changefeed, table_of
from benchmarks.report import check, line
from benchmarks.session import Bench
from benchmarks.tables import Shape
from dbt_ticdc import warehouse

_LATER = 300


def holes(bench: Bench, shape: Shape, changes: int, rounds: int) -> list[str]:
    """`dbt run` on changes of one partition, then on 300 more each, at neighbouring offsets and at every second one."""
    costs: dict[str, Cost] = {}
    lines = [f"\n{changes:,} changes in one partition, then {_LATER} more a run"]
    for label, step in (("without holes", 1), ("a hole beside each message", 2)):
        bench.expect_tables(("current",))
        bench.empty_warehouse()
        feed, sent = Changefeed(shape, CanalJson), 0
        runs = []
        for number in range(rounds + 2):
            messages = list(feed.take(_LATER if number else changes))
            placed = [
                message._replace(partition=0, offset=step * place) for place, message in enumerate(messages, start=sent)
            ]
            pq.write_table(table_of(placed), bench.messages / f"run{number}.parquet", row_group_size=25_000)
            sent += len(messages)
            bench.publish_messages()
            with bench.statements() as statements:
                runs.append(measured(partial(bench.build)))
            progress(f"run {number}", label, runs[-1])
        staged = bench.count(f"select count(*) from {warehouse.DATABASE}.stg_ticdc__canal_json")
        check(staged - sent, "messages of the source and of staging")
        costs[label] = Cost(*map(median, zip(*runs[2:], strict=True)))
        longest = max(len(statement.sql.encode()) for statement in statements)
        lines.append(
            f"{line('later run', shape, label, costs[label])}   {len(statements)} statements, the longest of "
            f"{longest:,} bytes"
        )
    without, beside = costs.values()
    lines.append(f"with holes {beside.wall / without.wall:.2f} times as long (CPU {beside.cpu / without.cpu:.2f})")
    return lines
