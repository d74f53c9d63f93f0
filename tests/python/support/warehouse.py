"""Runs of the command `ticdc`, and what the warehouse holds after them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import date, datetime
from functools import cached_property
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from support import session
from support.corpus import json_lines
from support.truth import Row, TableName
from support.typed import TypedRow, Value

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

REPOSITORY = Path(__file__).parents[3]
MARTS = ("current_rows", "tables", "columns", "accounting", "dead_letters", "problems", "completeness", "ddl_history")
# Feeds that come again, in another order or after a killed run: both histories are compared there.
TOLD_TWICE = "(feed in ('simple_json', 'canal_json_index_value_replayed', 'canal_json_typed') or feed like '%in_steps')"
HISTORY = "select * from ticdc__row_history"
KNOWN_NOW = "select * except (known_from, known_to) from ticdc__row_history_bitemporal where known_to is null"


def ticdc(*arguments: str | Path) -> str:
    """What the command prints with these arguments; an error where it fails."""
    exit_code, output, errors = session.command([str(argument) for argument in arguments])
    assert exit_code == 0, f"ticdc {arguments[0]} ended with {exit_code}\n{output[-8000:]}\n{errors[-4000:]}"
    return output


def run(warehouse: Path, messages: Path, feeds: Path, columns: Path | None = None) -> str:
    """`ticdc run`; gives what it printed."""
    more = [] if columns is None else ["--columns", columns]
    return ticdc("run", "--messages", messages, "--feeds", feeds, "--warehouse", warehouse, *more)


def started_run(warehouse: Path, messages: Path, feeds: Path) -> subprocess.Popen[str]:
    """`ticdc run` in a process group of its own; its output is one stream."""
    arguments = ["--messages", messages, "--feeds", feeds, "--warehouse", warehouse]
    return subprocess.Popen(
        [sys.executable, "-m", "dbt_ticdc.cli", "run", *map(str, arguments)],
        start_new_session=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def kill_run_at(node: str, warehouse: Path, messages: Path, feeds: Path) -> None:
    """Kills `ticdc run`, Java and all, once it says that a node of dbt is done."""
    session.close()  # the run needs its memory
    with started_run(warehouse, messages, feeds) as process:
        assert process.stdout is not None
        lines = []
        for line in process.stdout:
            lines.append(line)
            if node in line:
                os.killpg(process.pid, signal.SIGKILL)
                return
    raise AssertionError(f"the run ended before {node}\n{''.join(lines[-20:])}")


def write_feeds(path: Path, feeds: Sequence[Mapping[str, Any]], variables: Mapping[str, Any] | None = None) -> Path:
    """A feeds file, which may set other variables too; JSON is YAML."""
    path.write_text(json.dumps({"feeds": list(feeds), **(variables or {})}, indent=1), encoding="utf-8")
    return path


def files(warehouse: Path, below: str = "") -> dict[str, tuple[int, int]]:
    """Size and modification time (ns) of every file of the tables, all but the metastore's and the logs."""
    return {
        str(path.relative_to(warehouse)): (path.stat().st_size, path.stat().st_mtime_ns)
        for path in sorted((warehouse / "tables").rglob("*"))
        if (path.is_file() and below in path.parts) or (path.is_file() and not below)
    }


@dataclass(frozen=True)
class Contents:
    """What a warehouse held when it was read."""

    folder: Path

    @classmethod
    def read(
        cls, warehouse: Path, folder: Path, commits: Iterable[int] = (), *, with_changelog: bool = False
    ) -> Contents:
        """Reads a warehouse that no process has open; also the rows as of these commits, and the changelog if asked."""
        folder.mkdir(parents=True)
        _dump(warehouse, folder, list(commits), with_changelog)
        return cls(folder)

    def changelog(self, feed: str) -> list[dict[str, Any]]:
        """The rows of a feed in `ticdc__changelog`."""
        return self.mart(f"changelog_{feed}")

    def mart(self, name: str) -> list[dict[str, Any]]:
        """The rows of `ticdc__<name>`, or of another file that was written."""
        return list(json_lines(self.folder / f"{name}.jsonl"))

    @cached_property
    def current(self) -> dict[str, dict[TableName, dict[str, dict[str, Any]]]]:
        """`ticdc__current_rows` by feed, table and row key; two rows of one key are an error."""
        found: dict[str, dict[TableName, dict[str, dict[str, Any]]]] = {}
        for row in self.mart("current_rows"):
            rows = found.setdefault(row["feed"], {}).setdefault((row["schema_name"], row["table_name"]), {})
            assert row["row_key"] not in rows, (
                f"two current rows have one key in {row['schema_name']}.{row['table_name']}"
            )
            rows[row["row_key"]] = row
        return found

    def rows(self, feed: str, table: TableName) -> Iterator[Row]:
        """The current rows of a table as the comparison takes them."""
        for row in self.current.get(feed, {}).get(table, {}).values():
            yield Row(json.loads(row["row"]), row["lossy"] or ())

    def as_of(self, commit_ts: int) -> dict[str, dict[TableName, list[Row]]]:
        """The rows as of a commit, by feed and table."""
        found: dict[str, dict[TableName, list[Row]]] = {}
        for row in json_lines(self.folder / f"as_of_{commit_ts}.jsonl"):
            rows = found.setdefault(row["feed"], {}).setdefault((row["schema_name"], row["table_name"]), [])
            rows.append(Row(json.loads(row["row"]), row["lossy"] or ()))
        return found

    @cached_property
    def typed(self) -> dict[str, dict[TableName, TypedTable]]:
        """The typed tables by feed and upstream table."""
        found: dict[str, dict[TableName, TypedTable]] = {}
        for table in json_lines(self.folder / "typed.jsonl"):
            found.setdefault(table["feed"], {})[table["schema_name"], table["table_name"]] = TypedTable(
                table["types"], table["rows"]
            )
        return found


@dataclass(frozen=True)
class TypedTable:
    """A typed table: Spark type by column, and rows as texts in that order."""

    types: Mapping[str, str]
    texts: Sequence[Sequence[str | None]]

    def rows(self) -> Iterator[TypedRow]:
        """The rows as the comparison takes them."""
        for texts in self.texts:
            values = dict(zip(self.types, map(_value, self.types.values(), texts), strict=True))
            lossy = values.pop("_lossy")
            yield TypedRow(values, lossy if isinstance(lossy, list) else ())


def _value(column_type: str, text: str | None) -> Value:
    if text is None:
        return None
    if column_type == "binary":
        return b64encode(bytes.fromhex(text)).decode("ascii")
    return [str(item) for item in json.loads(text)] if column_type.startswith("array<") else text


def _plain(value: object) -> object:
    if isinstance(value, bytes | bytearray):
        return b64encode(value).decode("ascii")
    if isinstance(value, datetime | date):
        return value.isoformat()
    raise TypeError(f"no JSON for {type(value)}")


def _dump(warehouse: Path, folder: Path, commits: Iterable[int], with_changelog: bool) -> None:
    """Writes marts and typed tables as JSON lines to a folder."""
    spark = session.opened(warehouse)
    for commit_ts in commits:
        rows = spark.sql(f"select feed, schema_name, table_name, row, lossy from ticdc__rows_as_of({commit_ts})")
        _write(folder / f"as_of_{commit_ts}.jsonl", (row.asDict() for row in rows.collect()))
    history, known_now = f"{HISTORY} where {TOLD_TWICE}", f"{KNOWN_NOW} and {TOLD_TWICE}"
    differences = f"({history} except all {known_now}) union all ({known_now} except all {history})"
    _write(folder / "history_differences.jsonl", (row.asDict() for row in spark.sql(differences).collect()))
    for mart in MARTS:
        _write(
            folder / f"{mart}.jsonl", (row.asDict(recursive=True) for row in spark.table(f"ticdc__{mart}").collect())
        )
    if with_changelog:
        changes = sorted((row.asDict() for row in spark.table("ticdc__changelog").collect()), key=itemgetter("feed"))
        for feed, of_feed in groupby(changes, itemgetter("feed")):
            _write(folder / f"changelog_{feed}.jsonl", of_feed)

    def of_table(table: dict[str, Any]) -> dict[str, Any]:
        found = typed_table(spark.table(table["current_relation"]))
        return {**table, "types": found.types, "rows": found.texts}

    with ThreadPoolExecutor(session.QUERIES_AT_ONCE) as pool:
        _write(folder / "typed.jsonl", pool.map(of_table, json_lines(folder / "tables.jsonl")))
    session.close()


def typed_table(rows: DataFrame) -> TypedTable:
    """The rows of a typed relation as texts."""
    types = dict(rows.dtypes)
    return TypedTable(types, [row[0] for row in rows.selectExpr(_texts_of(types)).collect()])


def _texts_of(types: Mapping[str, str]) -> str:
    """The columns as one array of texts."""
    texts = []
    for column, column_type in types.items():
        quoted = "`" + column.replace("`", "``") + "`"
        if column_type == "binary":
            texts.append(f"hex({quoted})")
        else:
            texts.append(f"to_json({quoted})" if column_type.startswith("array<") else f"cast({quoted} as string)")
    return f"array({', '.join(texts)})"


def _write(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    with path.open("w", encoding="utf-8") as out:
        out.writelines(json.dumps(row, default=_plain) + "\n" for row in rows)
