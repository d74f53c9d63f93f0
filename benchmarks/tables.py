"""The tables whose changes are measured, and what their columns hold."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import NamedTuple

DATABASE = "bench"

_WORDS = (
    *("amber", "birch", "cedar", "delta", "ember", "fjord", "grape", "harbor", "iris", "jade", "kelpé", "lunar"),
    *("maple", "onyx", "pine", "„quartz“", "ruby", "slate"),
)

Value = Callable[[Random], str | None]


class Column(NamedTuple):
    """A column: its type on the wire (canal's JDBC code and TiDB's word), in a CREATE TABLE and in a typed table.

    `labels` are those of an ENUM or SET, whose values are numbers on the wire: of a label, from 1 on, or of a bit each.
    """

    name: str
    jdbc_type: int
    mysql_type: str
    ddl: str
    spark_type: str
    value: Value
    labels: tuple[str, ...] = ()

    @property
    def base(self) -> str:
        """The type's word."""
        return self.mysql_type.partition(" ")[0]

    @property
    def unsigned(self) -> bool:
        """Whether it takes no negative numbers."""
        return self.mysql_type.endswith("unsigned")

    @property
    def nullable(self) -> bool:
        """Whether it takes NULL."""
        return "NOT NULL" not in self.ddl

    @property
    def is_key(self) -> bool:
        """Whether it is the primary key."""
        return "PRIMARY KEY" in self.ddl

    @property
    def is_number(self) -> bool:
        """Whether its values are numbers."""
        return self.base.endswith("int") or self.base in ("double", "decimal")

    @property
    def parameters(self) -> tuple[int, ...]:
        """The numbers in the brackets of its type."""
        inside = self.ddl.partition("(")[2].partition(")")[0]
        return tuple(map(int, inside.split(","))) if inside else ()

    @property
    def fraction(self) -> int:
        """Fraction digits of a moment."""
        return (*self.parameters, 0)[0]


@dataclass(frozen=True)
class Shape:
    """A table, with the key column `id` first, and the size its messages are meant to have.

    Its TIMESTAMP values are of the time zone.
    """

    label: str
    table: str
    columns: tuple[Column, ...]
    time_zone: str = "UTC"


def _number(low: int, high: int) -> Value:
    return lambda random: str(random.randint(low, high))


def _decimal(digits: int, scale: int) -> Value:
    return lambda random: f"{random.randint(0, 10**digits - 1) / 10**scale:.{scale}f}"


def _moment(fraction_digits: int) -> Value:
    def value(random: Random) -> str:
        day = f"20{random.randint(10, 37)}-{random.randint(1, 12):02}-{random.randint(1, 28):02}"
        time = f"{random.randint(0, 23):02}:{random.randint(0, 59):02}:{random.randint(0, 59):02}"
        fraction = f".{random.randint(0, 10**fraction_digits - 1):0{fraction_digits}}" if fraction_digits else ""
        return f"{day} {time}{fraction}"

    return value


def _date(random: Random) -> str:
    return _moment(0)(random).partition(" ")[0]  # type: ignore[union-attr]


def _clock(random: Random) -> str:
    return _moment(0)(random).partition(" ")[2]  # type: ignore[union-attr]


def _sku(random: Random) -> str:
    return f"SKU-{random.randint(0, 99999):06}"


def _double(random: Random) -> str:
    return f"{random.randint(1, 10**6) / 128:.15g}"


def _quoted(labels: Sequence[str]) -> str:
    """The labels of an ENUM or SET in a CREATE TABLE."""
    return ",".join("'" + label.replace("'", "''") + "'" for label in labels)


def _label(*labels: str) -> Value:
    return lambda random: random.choice(labels)


def _text(low: int, high: int) -> Value:
    return lambda random: " ".join(random.choices(_WORDS, k=random.randint(low, high)))


def _json(random: Random) -> str:
    tags = ", ".join(f'\\"{word}\\"' for word in random.choices(_WORDS, k=2))
    return f'{{\\"at\\": {random.randint(0, 99)}, \\"tags\\": [{tags}]}}'


def _bytes(random: Random) -> str:
    """Bytes as the text that canal-json has for them, each a character of ISO-8859-1."""
    return "".join(chr(random.randint(0xA0, 0xFF)) for _ in range(16))


def _or_null(value: Value) -> Value:
    return lambda random: None if random.random() < 0.1 else value(random)


_ID = Column("id", -5, "bigint", "BIGINT NOT NULL PRIMARY KEY", "bigint", _number(0, 0))

SMALL = Shape(
    "640B",
    "orders",
    (
        _ID,
        Column("customer", -5, "bigint unsigned", "BIGINT UNSIGNED NOT NULL", "decimal(20,0)", _number(1, 10**9)),
        Column("state", 12, "varchar", "VARCHAR(16) NOT NULL", "string", _label("new", "paid", "sent", "done")),
        Column("quantity", 4, "int", "INT NOT NULL", "int", _number(1, 500)),
        Column("total", 3, "decimal", "DECIMAL(15,2) NOT NULL", "decimal(38,2)", _decimal(9, 2)),
        Column("placed", 93, "datetime", "DATETIME(3) NOT NULL", "timestamp_ntz", _moment(3)),
        Column("note", 12, "varchar", "VARCHAR(200)", "string", _or_null(_text(1, 4))),
    ),
)

LARGE = Shape(
    "2.5KB",
    "shipments",
    (
        _ID,
        Column("tenant", 4, "int", "INT NOT NULL", "int", _number(1, 400)),
        Column("account", -5, "bigint", "BIGINT NOT NULL", "bigint", _number(10**8, 10**12)),
        Column("device", -5, "bigint unsigned", "BIGINT UNSIGNED", "decimal(20,0)", _number(0, 2**64 - 1)),
        Column("channel", -6, "tinyint", "TINYINT NOT NULL", "tinyint", _number(0, 9)),
        Column("status", 5, "smallint", "SMALLINT NOT NULL", "smallint", _number(0, 999)),
        Column("attempts", 4, "int unsigned", "INT UNSIGNED", "bigint", _number(0, 2**32 - 1)),
        Column("carrier", 12, "varchar", "VARCHAR(32) NOT NULL", "string", _label("road", "rail", "air", "sea")),
        Column(
            "sku", 12, "varchar", "VARCHAR(32) NOT NULL", "string", lambda random: f"SKU-{random.randint(0, 99999):06}"
        ),
        Column("title", 12, "varchar", "VARCHAR(200)", "string", _or_null(_text(3, 8))),
        Column("sender", 12, "varchar", "VARCHAR(100)", "string", _text(2, 3)),
        Column("recipient", 12, "varchar", "VARCHAR(100)", "string", _text(2, 3)),
        Column("street", 12, "varchar", "VARCHAR(100)", "string", _text(2, 5)),
        Column("city", 12, "varchar", "VARCHAR(60)", "string", _text(1, 2)),
        Column("country", 1, "char", "CHAR(2)", "string", _label("DE", "FR", "JP", "BR", "US")),
        Column("weight", 3, "decimal", "DECIMAL(12,4) NOT NULL", "decimal(38,4)", _decimal(9, 4)),
        Column("price", 3, "decimal", "DECIMAL(12,2) NOT NULL", "decimal(38,2)", _decimal(8, 2)),
        Column("discount", 3, "decimal", "DECIMAL(6,4)", "decimal(38,4)", _or_null(_decimal(5, 4))),
        Column("tax", 3, "decimal", "DECIMAL(12,2)", "decimal(38,2)", _decimal(6, 2)),
        Column("latitude", 8, "double", "DOUBLE", "double", _double),
        Column("longitude", 8, "double", "DOUBLE", "double", _double),
        Column("payload", 12, "json", "JSON", "string", _or_null(_json)),
        Column("remark", 2005, "text", "TEXT", "string", _or_null(_text(10, 40))),
        Column("day", 91, "date", "DATE", "date", _date),
        Column("slot", 92, "time", "TIME", "string", _clock),
        Column("zone", 5, "smallint unsigned", "SMALLINT UNSIGNED", "int", _number(0, 65535)),
        Column("created_at", 93, "datetime", "DATETIME(6) NOT NULL", "timestamp_ntz", _moment(6)),
        Column("shipped_at", 93, "datetime", "DATETIME", "timestamp_ntz", _or_null(_moment(0))),
        Column("arrived_at", 93, "datetime", "DATETIME(3)", "timestamp_ntz", _or_null(_moment(3))),
        Column("updated_at", 93, "timestamp", "TIMESTAMP(3) NULL", "timestamp", _moment(3)),
    ),
)

_STATES = ("new", "paid", "sent", "it's done")
_FLAGS = ("gift", "express", "fragile", "insured")

MIXED = Shape(
    "mixed",
    "parcels",
    (
        _ID,
        Column("state", 4, "enum", f"ENUM({_quoted(_STATES)}) NOT NULL", "string", _number(1, len(_STATES)), _STATES),
        Column(
            "flags",
            -7,
            "set",
            f"SET({_quoted(_FLAGS)}) NOT NULL",
            "array<string>",
            _number(0, 2 ** len(_FLAGS) - 1),
            _FLAGS,
        ),
        Column("customer", -5, "bigint unsigned", "BIGINT UNSIGNED NOT NULL", "decimal(20,0)", _number(1, 10**9)),
        Column("quantity", 4, "int", "INT NOT NULL", "int", _number(1, 500)),
        Column("total", 3, "decimal", "DECIMAL(15,2) NOT NULL", "decimal(38,2)", _decimal(9, 2)),
        Column("payload", 12, "json", "JSON", "string", _or_null(_json)),
        Column("digest", 2004, "varbinary", "VARBINARY(16)", "binary", _or_null(_bytes)),
        Column("placed", 93, "datetime", "DATETIME(3) NOT NULL", "timestamp_ntz", _moment(3)),
        Column("seen_at", 93, "timestamp", "TIMESTAMP(3) NULL", "timestamp", _moment(3)),
        Column("note", 12, "varchar", "VARCHAR(200)", "string", _or_null(_text(1, 8))),
    ),
    time_zone="Asia/Tokyo",
)

TEN = Shape(
    "ten",
    "",
    (
        *SMALL.columns,
        Column("ratio", 8, "double", "DOUBLE", "double", _double),
        Column("due", 91, "date", "DATE", "date", _date),
        Column("seen_at", 93, "timestamp", "TIMESTAMP(3) NULL", "timestamp", _moment(3)),
    ),
)
