"""The package beside what one would use in its place: Spark SQL by hand for one table, and Flink SQL with Paimon."""

from __future__ import annotations

import shutil
from functools import partial
from pathlib import Path

import pyarrow.parquet as pq

from benchmarks import flink, native
from benchmarks.measure import Contender, alternate, measured
from benchmarks.messages import Files
from benchmarks.report import check_typed, line
from benchmarks.session import Bench, bytes_in
from benchmarks.tables import DATABASE, Shape
from dbt_ticdc import warehouse

_BY_HAND = "native_shot"


def peers(bench: Bench, shape: Shape, raw: Files, rounds: int) -> list[str]:
    """Canal-json messages to a stored table of the typed current rows, and what is kept on disk for it.

    Flink's time has the start of its process in it, which is told as well; Spark's session, of the other two, runs
    already. The package keeps every change besides, the other two but the current rows.
    """
    folder = bench.folder / "flink"
    client = flink.Client(flink.fetched(), folder)
    lines, lake, texts = (folder / name for name in ("lines", "lake", "texts"))
    _write_lines(bench.messages, lines)
    bench.variables = {"ticdc__stored_from_rows": 1}

    def by_hand() -> None:
        for statement in native.single_shot(shape, _BY_HAND):
            bench.sql(statement)

    contenders = [
        Contender("Spark SQL by hand", by_hand, partial(bench.empty, _BY_HAND)),
        Contender(
            "Flink SQL, Paimon",
            lambda: client.run(*flink.current_table(shape, lines, lake)),
            lambda: shutil.rmtree(lake, ignore_errors=True),
        ),
        Contender("ticdc", bench.build, bench.empty_warehouse),
    ]
    alternate(contenders, rounds)
    start = measured(lambda: client.run("SHOW CATALOGS"))

    client.run(*flink.export(shape, lake, texts))
    bench.empty("flink")
    for statement in flink.typed(shape, texts):
        bench.sql(statement)
    check_typed(bench, shape, contenders[0].label, f"{_BY_HAND}.typed")
    check_typed(bench, shape, contenders[1].label, "flink.typed")

    kept = (bench.bytes_of(_BY_HAND), bytes_in(lake), bench.bytes_of(warehouse.DATABASE) + bench.bytes_of(DATABASE))
    spark_seconds, flink_seconds = (contender.median.wall for contender in contenders[:2])
    report = []
    for contender, size in zip(contenders, kept, strict=True):
        seconds = contender.median.wall
        report.append(
            f"{line('raw to a stored table', shape, contender.label, contender.median)}   "
            f"{seconds / spark_seconds:.2f} times Spark by hand, {seconds / flink_seconds:.2f} times Flink, "
            f"keeps {size / (raw.messages * raw.mean_bytes):.3f} bytes a byte of raw"
        )
    report.append(line("start of a process, in the above", shape, contenders[1].label, start))
    return report


def _write_lines(messages: Path, folder: Path) -> None:
    """The values of messages, one a line, as Flink reads them: it has no Parquet among its formats."""
    folder.mkdir()
    for file in sorted(messages.glob("*.parquet")):
        values = pq.read_table(file, columns=["value"])["value"].to_pylist()
        (folder / f"{file.stem}.json").write_bytes(b"".join(value + b"\n" for value in values))
