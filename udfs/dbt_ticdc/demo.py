"""The sample of a shop: its messages, whole or piece by piece, and what to ask of its tables."""

from __future__ import annotations

import gzip
import shlex
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from dbt_ticdc import package_path, results, state, summary, warehouse
from dbt_ticdc.errors import TicdcError, without_trace

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PIECES = 10
"""In how many pieces the messages come, where they come piece by piece."""
_FOLDER = "tests/data/shop"
_ARRIVED = "messages"
_PURPOSES = {
    "customers": "who buys; got the column vip_note by a DDL",
    "inventory": "how many of each article a warehouse has",
    "order_items": "the lines of orders; got the column gift by a DDL",
    "orders": "who ordered when, for how much, and how far it is",
    "visits": "which page was looked at how often",
}
_ON_PURPOSE = {
    "dead_letters": "one message is cut off on purpose; the whole one is there too",
    "late_changes": "one message comes late on purpose: order 10 was done earlier",
}


class Query(NamedTuple):
    """What to ask of the tables: the question, the query in lines, and the schema of names without one."""

    title: str
    lines: tuple[str, ...]
    schema: str = warehouse.DATABASE

    @property
    def text(self) -> str:
        """The statement."""
        return " ".join(self.lines)


QUERIES = (
    Query(
        "Now: who ordered for most",
        (
            "select c.id, name, count(*) as orders, sum(total) as worth from shop.orders",
            "join shop.customers as c on c.id = customer_id group by 1, 2 order by 4 desc limit 3",
        ),
    ),
    Query(
        "The history of order 10",
        (
            "select state, _valid_from_at, _valid_to_at, _closed_by",
            "from shop.orders_history where id=10 order by _valid_from_ts",
        ),
    ),
    Query(
        "Order 10 as of an earlier commit",
        ("select state from orders_as_of(470610924096454656) where id=10",),
        "shop",
    ),
)


def messages_file() -> Path:
    """All messages of the sample."""
    return package_path() / _FOLDER / "messages.jsonl.gz"


def feeds_file() -> Path:
    """The feeds of the sample."""
    return package_path() / _FOLDER / "feeds.yml"


def check_warehouse(folder: Path, variables: Mapping[str, Any]) -> None:
    """Raises `TicdcError` where a warehouse has other feeds than the sample: its tables would go."""
    built = warehouse.variables(folder)
    if built and built.get("ticdc__feeds") != variables["ticdc__feeds"]:
        raise TicdcError(
            f"the tables in {folder} are of other feeds than those of the sample; --warehouse names another folder"
        )


def arrived(folder: Path) -> Path:
    """The folder of a warehouse to which messages come piece by piece.

    Raises `TicdcError` where the warehouse was built of other messages.
    """
    found = folder / _ARRIVED
    if warehouse.variables(folder) and not found.is_dir():
        raise TicdcError(
            f"--every: the tables in {folder} were built of messages that came at once; --warehouse names another "
            "folder"
        )
    return found


def bring(found: Path) -> bool:
    """Writes the next piece of the messages to the folder, as a file; False where all are there."""
    found.mkdir(parents=True, exist_ok=True)
    number = sum(file.suffix == ".jsonl" for file in found.iterdir())
    if number >= PIECES:
        return False
    with gzip.open(messages_file(), "rt", encoding="utf-8", newline="\n") as file:
        lines = list(file)
    begin, end = (len(lines) * place // PIECES for place in (number, number + 1))
    state.write_whole(found / f"{number + 1:03}.jsonl", "".join(lines[begin:end]))
    return True


def is_whole(found: Path) -> bool:
    """Whether all pieces are there."""
    return (found / f"{PIECES:03}.jsonl").is_file()


def order_10(spark: SparkSession) -> str:
    """What is known of order 10: its states in order."""
    if not spark.catalog.tableExists("shop.orders_history"):
        return "order 10: not there yet"
    rows = spark.sql("select state from shop.orders_history where id = 10 order by _valid_from_ts").collect()
    return "order 10: " + (" → ".join(row[0] for row in rows) or "not there yet")


def answers(spark: SparkSession, queries: Sequence[Query] = QUERIES) -> list[str]:
    """The answers as aligned tables, or why there is none."""

    def answer(query: Query) -> str:
        session = spark.newSession()  # each has a current schema
        try:
            session.sql(f"use {query.schema}")
            return results.table(session.sql(query.text))
        except Exception as error:
            return f"the query failed: {without_trace(error)}\n"

    # each takes seconds to plan, and the driver plans one on one core
    with ThreadPoolExecutor(len(queries)) as pool:
        return list(pool.map(answer, queries))


def screen(found: summary.Found, shown: Sequence[str], folder: Path, command: str) -> str:
    """The tables, the queries with their answers, what is wrong on purpose, and what to do next: 40 lines at most.

    `shown` are the answers; `command` is how `ticdc` was called.
    """
    (feed,) = found.feeds
    place = "" if folder.resolve() == Path(warehouse.DEFAULT).resolve() else f" --warehouse {shlex.quote(str(folder))}"
    rows = [
        (str(table.current_relation), f"{table.row_count:,}", _PURPOSES.get(table.table_name, ""))
        for table in found.tables
    ]
    parts = [
        f"A shop, complete through {summary.utc(feed.complete_through_ts)} UTC\n",
        results.aligned(("table", "rows", "what it is for"), rows, right=frozenset({1})),
    ]
    for query, answer in zip(QUERIES, shown, strict=True):
        schema = "" if query.schema == warehouse.DATABASE else f" --schema {query.schema}"
        asked = "\n  ".join(query.lines)
        parts.append(f'\n{query.title}\n$ {command} sql{place}{schema} "{asked}"\n{answer}')
    parts.append("\n")
    for code in dict.fromkeys(problem.code for problem in found.problems):
        parts.append(f"Problem {code}: {_ON_PURPOSE.get(code, 'see ticdc__problems')}\n")
    parts.append(f"Next, beside the page {folder / state.REPORT}\n")
    commands = {
        f"inspect{place} shop 0 40": "the message that is cut off",
        "demo --every 10s --warehouse shop_live": "the messages in pieces",
        "run --messages dump/ --warehouse my_warehouse": "your own messages",
    }
    width = max(map(len, commands))
    parts += (f"  {command} {arguments:{width}}  # {what}\n" for arguments, what in commands.items())
    return "".join(parts)
