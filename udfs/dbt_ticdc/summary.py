"""What a warehouse holds, in words: tables, how complete they are, what is wrong."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from dbt_ticdc.results import aligned, printable
from dbt_ticdc.warehouse import DEFAULT

if TYPE_CHECKING:
    from pyspark.sql import Row, SparkSession

_TABLES_SHOWN = 100
_PLACES_SHOWN = 5
_QUERIES = (
    "select feed, schema_name, table_name, current_relation, row_count, last_commit_ts "
    "from int_ticdc__sized_tables order by feed, schema_name, table_name",
    "select feed, max(complete_through_ts) as complete_through_ts from ticdc__completeness group by feed order by feed",
    "select count(*) from ticdc__dead_letters",
    "select severity, code, feed, schema_name, table_name, detail, remedy from ticdc__problems "
    "order by severity, code, feed, schema_name, table_name, detail",
)
_IS_REFUSED = "select 1 from int_ticdc__typed_tables where get_json_object(plan, '$.refused') <> '{}'"
_IS_IN_FILE = "select 1 from int_ticdc__events where claim_check is not null limit 1"
_LACKS_FILE = "select 1 from ticdc__problems where code in ('claim_check_missing', 'claim_check_unusable')"


def is_possible(spark: SparkSession) -> bool:
    """Whether the tables that the summary reads are there."""
    needed = ("int_ticdc__sized_tables", "ticdc__completeness", "ticdc__dead_letters", "ticdc__problems")
    return all(spark.catalog.tableExists(name) for name in needed)


def waits(spark: SparkSession) -> bool:
    """Whether a build may do more without any message: rows wait for their files, or typed tables for their place."""

    def finds(table: str, query: str) -> bool:
        return spark.catalog.tableExists(table) and not spark.sql(query).isEmpty()

    return finds("int_ticdc__typed_tables", _IS_REFUSED) or (
        # problems take seconds to plan
        finds("int_ticdc__events", _IS_IN_FILE) and finds("ticdc__problems", _LACKS_FILE)
    )


def dead_letters(spark: SparkSession, feeds: Sequence[str] = ()) -> int:
    """The number of dead letters of these feeds (default: all)."""
    if not spark.catalog.tableExists("ticdc__dead_letters"):
        return 0
    letters = spark.table("ticdc__dead_letters")
    return (letters.where(letters["feed"].isin(*feeds)) if feeds else letters).count()


class Found(NamedTuple):
    """The rows that a summary is made of."""

    tables: list[Row]
    feeds: list[Row]
    dead_letters: list[Row]
    problems: list[Row]


def found(spark: SparkSession) -> Found:
    """What a summary says of the package's tables in the session's current database."""
    # each takes seconds to plan, and the driver plans one on one core
    with ThreadPoolExecutor(len(_QUERIES)) as pool:
        return Found(*pool.map(lambda query: spark.sql(query).collect(), _QUERIES))


def text(rows: Found, folder: Path = Path(DEFAULT)) -> str:
    """The summary of the tables of a warehouse."""
    query = _query_command(folder)
    tables, feeds, dead_letters, problems = rows
    problem_counts = Counter((each.feed, each.schema_name, each.table_name) for each in problems)

    parts = [
        _feed(feed, [table for table in tables if table.feed == feed.feed], problem_counts, query) for feed in feeds
    ]
    parts.append(_problems(problems, query))
    letters: int = dead_letters[0][0]
    parts.append(f"dead letters: {letters:,}" + (" (see ticdc__dead_letters)" if letters else "") + "\n")
    return "\n".join(parts)


def line(spark: SparkSession, began: float) -> str:
    """What a run brought that began then, in seconds since 1970: one line."""
    run = spark.sql(f"select messages, changes from ticdc__runs where run_id >= {int(began * 1_000_000)}").collect()
    bound = spark.sql("select min(complete_through_ts) from ticdc__completeness").collect()[0][0]
    errors = spark.sql("select count_if(severity = 'error') from ticdc__problems").collect()[0][0]
    messages, changes = run[0] if run else (0, 0)
    now = datetime.now(UTC)
    return (
        f"{now:%Y-%m-%d %H:%M:%S} UTC: {_count(messages or 0, 'message')}, {_count(changes or 0, 'change')}, complete "
        f"through {utc(bound or None)}, {_count(errors, 'error')}, {now.timestamp() - began:.1f} s"
    )


def utc(tso: int | None) -> str:
    """The instant of a TSO (milliseconds << 18 | logical), or `-`."""
    if tso is None:
        return "-"
    instant = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=tso >> 18)
    return f"{instant:%Y-%m-%d %H:%M:%S}.{instant.microsecond // 1000:03}"


def _query_command(folder: Path) -> str:
    """The command that queries a warehouse."""
    is_default = folder.resolve() == Path(DEFAULT).resolve()
    return "ticdc sql" if is_default else f"ticdc sql --warehouse {shlex.quote(str(folder))}"


def _feed(feed: Row, tables: list[Row], problem_counts: Mapping[tuple[str, str, str], int], query: str) -> str:
    if feed.complete_through_ts is None:
        complete = "without watermarks, so nothing says how complete"
    elif feed.complete_through_ts == 0:
        complete = "not complete yet: a partition has no watermark"
    else:
        complete = f"complete through {utc(feed.complete_through_ts)} UTC"
    rows = sum(table.row_count for table in tables)
    head = f"feed {feed.feed}: {_count(len(tables), 'table')}, {_count(rows, 'row')}, {complete}\n"
    if not tables:
        return head
    lines = [
        (
            printable(f"{table.schema_name}.{table.table_name}"),
            table.current_relation or "-",
            f"{table.row_count:,}",
            utc(table.last_commit_ts),
            f"{problems:,}"
            if (problems := problem_counts.get((table.feed, table.schema_name, table.table_name)))
            else "",
        )
        for table in tables[:_TABLES_SHOWN]
    ]
    header = ("upstream table", "query it as", "rows", "last commit (UTC)", "problems")
    return head + aligned(header, lines, right=frozenset({2, 4})) + _rest(len(tables), query)


def _problems(problems: list[Row], query: str) -> str:
    if not problems:
        return "problems: none\n"
    kinds: dict[str, int] = {}
    for problem in problems:
        kinds[problem.severity] = kinds.get(problem.severity, 0) + 1
    severities = Counter(problem.severity for problem in problems)
    lines = [f"problems: {', '.join(_count(number, severity) for severity, number in sorted(severities.items()))}"]
    for (severity, code, feed), group in groupby(problems, key=attrgetter("severity", "code", "feed")):
        alike = list(group)
        places = list(dict.fromkeys(filter(None, map(_table, alike))))
        where = f": {', '.join(places[:_PLACES_SHOWN])}" if places else ""
        more = f" and {len(places) - _PLACES_SHOWN:,} more" if len(places) > _PLACES_SHOWN else ""
        lines += [
            f"  {severity} {code}, {_count(len(alike), 'time')} in feed {feed}{where}{more}",
            f"    {printable(alike[0].detail)}{' (the first)' if len(alike) > 1 else ''}",
            f"    what to do: {printable(alike[0].remedy)}",
        ]
    return "\n".join(lines) + f'\n  all of them: `{query} "select * from ticdc__problems"`\n'


def _table(problem: Row) -> str:
    return printable(".".join(name for name in (problem.schema_name, problem.table_name) if name))


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _rest(tables: int, query: str) -> str:
    more = tables - _TABLES_SHOWN
    return f'… and {more:,} more: `{query} "select * from ticdc__tables"`\n' if more > 0 else ""
