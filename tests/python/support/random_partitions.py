"""Random tables of every kind of partitioning, random rows and partition DDL, with a model of where TiDB has them.

The model computes with Python's dates, zones and strings what a statement means, and shares nothing with the evaluation
under test.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from random import Random
from typing import Any, NamedTuple
from zlib import crc32
from zoneinfo import ZoneInfo

from ticdc_udfs.catalogue.changes import DdlKind

ROWS = 12
ZONES = ("UTC", "Asia/Shanghai", "America/New_York", "Europe/Berlin")
ASCII = " !\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~"
OF_UNICODE_4 = " `^_-,;:!?.'\"()[]{}@*/\\&#%+<=>|~$0123456789abcdefghijklmnopqrstuvwxyz"
OF_UNICODE_9 = " _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$0123456789abcdefghijklmnopqrstuvwxyz"

Model = Callable[[Any], Any]


class Rule(NamedTuple):
    """A column, what is partitioned of it with its method, and what the model makes of a value to compare it."""

    column: str
    by: str
    model: Model
    values: Callable[[Random], Any]
    canonical: Callable[[Any], str]
    literal: Callable[[Any], str]
    is_sure: bool = True


class Part(NamedTuple):
    """A partition: the highest bound (None: MAXVALUE), or the values in it (None: the rest), as the model has them."""

    name: str
    sql: str
    bound: Any = None
    listed: tuple[Any, ...] | None = None


def day_of(rng: Random) -> date:
    return date(rng.choice((1999, 2000, 2023, 2024, 2025)), 1, 1) + timedelta(days=rng.randrange(366))


def moment_of(rng: Random) -> datetime:
    return datetime.combine(day_of(rng), datetime.min.time()) + timedelta(seconds=rng.randrange(86_400))


def text_of(alphabet: str) -> Callable[[Random], str]:
    return lambda rng: "".join(rng.choice(alphabet) for _ in range(rng.randrange(1, 4))).rstrip(" ") or "k"


def days(value: date) -> int:
    return (value - date(1, 1, 1)).days + 366


def quoted(text: str) -> str:
    return "_UTF8MB4'" + text.replace("\\", "\\\\").replace("'", "''") + "'"


def week_of_middle(value: date, first: int, middle: int) -> int:
    """The week of the year that has its middle day; `first` is the weekday with which it begins, Monday is 0."""
    day = value - timedelta(days=(value.weekday() - first) % 7) + timedelta(days=middle)
    return day.year * 100 + (day.timetuple().tm_yday - 1) // 7 + 1


def week_of_first(value: date, first: int) -> int:
    day = value - timedelta(days=(value.weekday() - first) % 7)
    return day.year * 100 + (day.timetuple().tm_yday - 1) // 7 + 1


def truncated(left: int, right: int) -> int:
    return abs(left) // right * (-1 if left < 0 else 1)


def ints(rng: Random) -> int:
    return rng.choice((rng.randrange(-40, 40), rng.randrange(-(2**31), 2**31)))


DATES: list[tuple[str, Model]] = [
    ("YEAR(c)", lambda at: at.year),
    ("MONTH(c)", lambda at: at.month),
    ("QUARTER(c)", lambda at: (at.month - 1) // 3 + 1),
    ("DAYOFMONTH(c)", lambda at: at.day),
    ("DAY(c)", lambda at: at.day),
    ("DAYOFYEAR(c)", lambda at: at.timetuple().tm_yday),
    ("DAYOFWEEK(c)", lambda at: at.isoweekday() % 7 + 1),
    ("WEEKDAY(c)", lambda at: at.weekday()),
    ("TO_DAYS(c)", days),
    ("TO_DAYS(FROM_DAYS(TO_DAYS(c)))", days),
    ("TO_SECONDS(c)", lambda at: days(at) * 86_400),
    ("DATEDIFF(c, '2024-02-29')", lambda at: (at - date(2024, 2, 29)).days),
    ("YEARWEEK(c)", lambda at: week_of_first(at, 6)),
    ("YEARWEEK(c, 1)", lambda at: at.isocalendar()[0] * 100 + at.isocalendar()[1]),
    ("YEARWEEK(c, 4)", lambda at: week_of_middle(at, 6, 3)),
    ("YEARWEEK(c, 7)", lambda at: week_of_first(at, 0)),
    ("EXTRACT(YEAR_MONTH FROM c)", lambda at: at.year * 100 + at.month),
    ("EXTRACT(QUARTER FROM c)", lambda at: (at.month + 2) // 3),
    ("YEAR(c) * 100 + MONTH(c)", lambda at: at.year * 100 + at.month),
    ("MOD(TO_DAYS(c), 7)", lambda at: days(at) % 7),
]
MOMENTS: list[tuple[str, Model]] = [
    ("HOUR(c)", lambda at: at.hour),
    ("MINUTE(c)", lambda at: at.minute),
    ("SECOND(c)", lambda at: at.second),
    ("TIME_TO_SEC(c)", lambda at: at.hour * 3600 + at.minute * 60 + at.second),
    ("EXTRACT(DAY_SECOND FROM c)", lambda at: int(at.strftime("%d%H%M%S"))),
    ("EXTRACT(DAY_HOUR FROM c)", lambda at: int(at.strftime("%d%H"))),
    ("EXTRACT(HOUR_MINUTE FROM c)", lambda at: int(at.strftime("%H%M"))),
    ("EXTRACT(MINUTE_SECOND FROM c)", lambda at: int(at.strftime("%M%S"))),
    ("EXTRACT(DAY_MICROSECOND FROM c)", lambda at: int(at.strftime("%d%H%M%S%f"))),
    ("TO_SECONDS(c)", lambda at: days(at.date()) * 86_400 + at.hour * 3600 + at.minute * 60 + at.second),
]
NUMBERS: list[tuple[str, Model]] = [
    ("c", lambda n: n),
    ("ABS(c)", abs),
    ("-c + 3", lambda n: 3 - n),
    ("c * 2 - 7", lambda n: n * 2 - 7),
    ("c DIV 5", lambda n: truncated(n, 5)),
    ("c % 7", lambda n: n - 7 * truncated(n, 7)),
    ("MOD(c, 7)", lambda n: n - 7 * truncated(n, 7)),
    ("FLOOR(c DIV 2)", lambda n: truncated(n, 2)),
    ("CEILING(c)", lambda n: n),
]


def expressions() -> list[Rule]:
    return [
        *(Rule("DATE", by, model, day_of, str, str) for by, model in DATES),
        *(Rule("DATETIME", by, model, moment_of, str, str) for by, model in MOMENTS),
        *(Rule("BIGINT", by, model, ints, str, str) for by, model in NUMBERS),
    ]


COLLATIONS: list[tuple[str, Model, str]] = [
    ("utf8mb4_bin", str.encode, ASCII + "éß中"),
    ("utf8mb4_0900_bin", str.encode, ASCII + "é中"),
    ("ascii_bin", str.encode, ASCII),
    ("utf8mb4_general_ci", str.upper, ASCII),
    ("utf8_general_ci", str.upper, ASCII),
    ("utf8mb4_unicode_ci", lambda text: [OF_UNICODE_4.index(one) for one in text.lower()], ASCII),
    ("utf8mb4_0900_ai_ci", lambda text: [OF_UNICODE_9.index(one) for one in text.lower()], ASCII),
    ("gbk_bin", lambda text: text.encode("gbk"), ASCII + "中文甲"),
    ("gbk_chinese_ci", str.upper, ASCII.replace("[", "").replace("\\", "").replace("]", "").replace("~", "")),
    ("gb18030_bin", lambda text: text.encode("gb18030"), ASCII + "中文甲"),
]


def columns() -> list[Rule]:
    return [
        *(
            Rule(f"VARCHAR(9) COLLATE {name}", "c", model, text_of(alphabet), str, quoted)
            for name, model, alphabet in COLLATIONS
        ),
        Rule("BIGINT", "c", int, ints, str, str),
        Rule("DATE", "c", str, day_of, str, lambda at: f"'{at}'"),
        Rule("DATETIME", "c", str, moment_of, str, lambda at: f"'{at}'"),
    ]


def timestamps(zone: ZoneInfo) -> Rule:
    """Bounds are midnights of the session's zone, rows within some days."""

    def rows(rng: Random) -> datetime:
        return datetime(2024, 3, 25) + timedelta(minutes=rng.randrange(14 * 1440))

    def bounds(at: datetime) -> int:
        return int(datetime.combine(at.date(), datetime.min.time(), zone).timestamp())

    def value(at: datetime) -> int:
        return int(at.replace(tzinfo=UTC).timestamp())

    return Rule(
        "TIMESTAMP", "UNIX_TIMESTAMP(c)", value, rows, str, lambda at: f"UNIX_TIMESTAMP('{at.date()}')"
    )._replace(model=lambda at: bounds(at[0]) if isinstance(at, tuple) else value(at))


class Table:
    """A table in the model, and the texts that made it."""

    def __init__(self, rng: Random, method: str, rule: Rule) -> None:
        self.rng, self.method, self.rule = rng, method, rule
        self.made = 0
        self.parts: list[Part] = []
        self.rows: list[Any] = [None if rng.random() < 0.1 else rule.values(rng) for _ in range(ROWS)]
        self.texts = ["CREATE TABLE x (c INT)"]
        getattr(self, "_" + method)()
        self.rows = [row for row in self.rows if self.place(row) is not None]

    @property
    def is_numbered(self) -> bool:
        return self.method in ("hash", "key")

    def _create(self, by: str, parts: str) -> None:
        self.texts.append(f"CREATE TABLE t (c {self.rule.column}) PARTITION BY {by} {parts}")

    def _hash(self) -> None:
        self.count = self.rng.randrange(1, 9)
        linear = self.rng.choice(("", "LINEAR "))
        self._create(f"{linear}HASH ({self.rule.by})", f"PARTITIONS {self.count}")

    def _key(self) -> None:
        self.count = self.rng.randrange(1, 9)
        self._create("KEY (c)", f"PARTITIONS {self.count}")

    def _name(self) -> str:
        self.made += 1
        return f"P{self.made}"

    def _bound_of(self, value: Any) -> tuple[Any, str]:
        """A bound by a value of the column, as the model has it and as DDL writes it."""
        if "UNIX" in self.rule.by:
            return self.rule.model((value,)), self.rule.literal(value)
        bound = self.rule.model(value)
        return bound, str(bound) if self.method in ("range", "list") else self.rule.literal(value)

    def _bounds(self, count: int) -> list[tuple[Any, str]]:
        found = [self._bound_of(self.rule.values(self.rng)) for _ in range(count)]
        distinct = {repr(bound): (bound, text) for bound, text in found}
        return sorted(distinct.values(), key=lambda each: each[0])

    def _range(self) -> None:
        columns = " COLUMNS" if self.method == "range_columns" else ""
        self.parts = [self._below(bound, text) for bound, text in self._bounds(self.rng.randrange(2, 9))]
        self.parts.append(Part(name := self._name(), f"PARTITION {name} VALUES LESS THAN (MAXVALUE)"))
        self._create(f"RANGE{columns} ({self.rule.by})", f"({', '.join(part.sql for part in self.parts)})")

    _range_columns = _range

    def _below(self, bound: Any, text: str) -> Part:
        name = self._name()
        return Part(name, f"PARTITION {name} VALUES LESS THAN ({text})", bound)

    def _list(self) -> None:
        columns = " COLUMNS" if self.method == "list_columns" else ""
        taken = [row for row in self.rows if row is not None] + [self.rule.values(self.rng) for _ in range(6)]
        found = {repr(self._bound_of(value)[0]): self._bound_of(value) for value in taken[2:]}
        listed = [*found.values(), (None, "NULL")]
        while listed:
            some, listed = listed[:3], listed[3:]
            name = self._name()
            texts = ", ".join(text for _, text in some)
            self.parts.append(
                Part(name, f"PARTITION {name} VALUES IN ({texts})", None, tuple(bound for bound, _ in some))
            )
        if self.rng.random() < 0.7:
            self.parts.append(Part(name := self._name(), f"PARTITION {name} DEFAULT"))
        self._create(f"LIST{columns} ({self.rule.by})", f"({', '.join(part.sql for part in self.parts)})")

    _list_columns = _list

    def place(self, row: Any) -> str | None:
        """The partition in which TiDB has a row, in lower case."""
        if self.method == "key":
            key = b"\0" if row is None else str(row).upper().encode("utf-16-be")
            if "general_ci" not in self.rule.column:
                key = b"\0" if row is None else str(row).encode()
            return f"p{crc32(key) % self.count}"
        value = None if row is None else self.rule.model(row)
        if self.method == "hash":
            return f"p{abs(value or 0) % self.count}"
        if self.method.startswith("range"):
            return next(
                part.name.lower() for part in self.parts if value is None or part.bound is None or value < part.bound
            )
        default = next((part.name.lower() for part in self.parts if part.listed is None), None)
        return next((part.name.lower() for part in self.parts if part.listed and value in part.listed), default)

    def alter(self) -> tuple[DdlKind, set[str]] | None:
        """One more partition DDL: what it is, and which partitions lose their rows."""
        names = [f"p{number}" for number in range(self.count)] if self.is_numbered else [one.name for one in self.parts]
        some = set(self.rng.sample(names, self.rng.randrange(1, max(2, len(names)))))
        action = self.rng.choice(("TRUNCATE", "DROP", "EXCHANGE", "ADD", "REORGANIZE"))
        if action == "EXCHANGE":
            some = {names[0]}
            self._alter(f"EXCHANGE PARTITION {names[0]} WITH TABLE x")
            return DdlKind.EXCHANGE_PARTITION, {name.lower() for name in some}
        if self.is_numbered and action != "TRUNCATE":
            self._renumber(action)
            return None
        if action in ("ADD", "REORGANIZE"):
            self._split()
            return None
        if action == "DROP" and len(some) < len(names):
            self._alter(f"DROP PARTITION {', '.join(sorted(some))}")
            return DdlKind.DROP_PARTITION, {name.lower() for name in some}
        self._alter(f"TRUNCATE PARTITION {', '.join(sorted(some))}")
        return DdlKind.TRUNCATE_PARTITION, {name.lower() for name in some}

    def dropped(self, names: set[str]) -> None:
        self.parts = [part for part in self.parts if part.name.lower() not in names]

    def _alter(self, action: str) -> None:
        self.texts.append(f"ALTER TABLE t {action}")

    def _renumber(self, action: str) -> None:
        if action == "ADD" or self.count == 1:
            self.count += 2
            self._alter("ADD PARTITION PARTITIONS 2")
        else:
            self.count -= 1
            self._alter("COALESCE PARTITION 1")

    def _split(self) -> None:
        """REORGANIZE of the last partition, which is of MAXVALUE or DEFAULT, or ADD where there is none."""
        last = self.parts[-1]
        if self.method.startswith("list"):
            bound, text = self._bound_of(self.rule.values(self.rng))
            if any(part.listed and bound in part.listed for part in self.parts):
                return
            name = self._name()
            new = Part(name, f"PARTITION {name} VALUES IN ({text})", None, (bound,))
            if last.listed is not None:
                self._alter(f"ADD PARTITION ({new.sql})")
                self.parts.append(new)
                return
        else:
            bound, text = self._bound_of(self.rule.values(self.rng))
            if last.bound is not None or any(part.bound is not None and part.bound >= bound for part in self.parts):
                return
            new = self._below(bound, text)
        self._alter(f"REORGANIZE PARTITION {last.name} INTO ({new.sql}, {last.sql})")
        self.parts[-1:] = [new, last]


Goes = list[tuple[Any, bool]]


def altered(table: Table, times: int = 4) -> list[tuple[DdlKind, set[str], Goes]]:
    """Alters a table: of each DDL that takes rows, what it is, of which partitions, and which rows it takes."""
    found: list[tuple[DdlKind, set[str], Goes]] = []
    for _ in range(times):
        ddl = table.alter()
        if ddl is None:
            continue
        kind, names = ddl
        goes = [(row, table.place(row) in names) for row in table.rows]
        found.append((kind, names, goes))
        table.rows = [row for row, is_gone in goes if not is_gone]
        if kind is DdlKind.DROP_PARTITION:
            table.dropped(names)
    return found
