"""The upstream's own answer, and the comparison of rows with it, cell by cell."""

from __future__ import annotations

import struct
from base64 import b64encode
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from support.corpus import json_lines

Cell = Mapping[str, str | None]
TableName = tuple[str, str]

# TiDB's numbers of DDL jobs that leave rows and columns as they are: create schema, create table, add and drop index,
# add and drop foreign key, auto_increment, set default, rename index, table comment, index visibility, TTL.
HARMLESS_DDL = frozenset({1, 3, 7, 8, 9, 10, 13, 15, 17, 18, 41, 65, 66, 67})
CREATE_TABLE, DROP_SCHEMA = 3, 2
KEY_ONLY_FLAGS = frozenset({"*:handle_key_only", "*:claim_check"})


@dataclass(frozen=True)
class Table:
    """A table at a checkpoint; `rows` map column to cell."""

    name: TableName
    types: Mapping[str, str]
    virtual: frozenset[str]
    primary_key: tuple[str, ...]
    rows: tuple[Mapping[str, Cell], ...]

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The columns that are on the wire: all but virtual generated ones."""
        return tuple(name for name in self.types if name not in self.virtual)

    @cached_property
    def labels(self) -> Mapping[str, Mapping[str, str]]:
        """Of enum and set columns, the label text of each number that occurs."""
        found: dict[str, dict[str, str]] = {}
        for row in self.rows:
            for column, cell in row.items():
                if cell.get("num") is not None:
                    found.setdefault(column, {})[str(cell["num"])] = str(cell["text"])
        return found


@dataclass(frozen=True)
class Ddl:
    """A DDL job: its number, and the tables it touches in lower case; a schema's own DDL has the table ''."""

    commit_ts: int
    type: int
    name: str
    touches: frozenset[TableName]


@dataclass(frozen=True)
class Truth:
    """The upstream at a checkpoint, and every DDL of the workload."""

    tables: Mapping[TableName, Table]
    ddl: tuple[Ddl, ...]

    def changed_by_ddl(self, first_row_ts: Mapping[TableName, int]) -> dict[TableName, str]:
        """The tables that a DDL changed after their first row, and which DDL it was."""
        reasons: dict[TableName, str] = {}
        for table in self.tables:
            first = first_row_ts.get(table)
            if first is None:
                continue
            schema, name = table[0].lower(), table[1].lower()
            names = {ddl.name: None for ddl in self.ddl if ddl.commit_ts >= first and _changes(ddl, schema, name)}
            if names:
                reasons[table] = ", ".join(names)
        return reasons


def _changes(ddl: Ddl, schema: str, table: str) -> bool:
    if (schema, table) in ddl.touches:
        return ddl.type not in HARMLESS_DDL or ddl.type == CREATE_TABLE
    return ddl.type == DROP_SCHEMA and (schema, "") in ddl.touches


def load(folder: Path) -> Truth:
    """The truth of a corpus folder at its last checkpoint."""
    return checkpoints(folder).popitem()[1]


def checkpoints(folder: Path) -> dict[int, Truth]:
    """The truth at every checkpoint whose rows the corpus folder holds, in order."""
    tables = list(json_lines(folder / "truth" / "tables.jsonl"))
    ddl = tuple(map(_ddl, json_lines(folder / "truth" / "ddl.jsonl")))
    return {
        checkpoint: Truth(
            {
                (table["schema"], table["table"]): _table(folder, table)
                for table in tables
                if table["checkpoint_ts"] == checkpoint
            },
            ddl,
        )
        for checkpoint in sorted({table["checkpoint_ts"] for table in tables})
    }


def _table(folder: Path, wire: Mapping[str, Any]) -> Table:
    return Table(
        name=(wire["schema"], wire["table"]),
        types={column["name"]: column["column_type"] for column in wire["columns"]},
        virtual=frozenset(column["name"] for column in wire["columns"] if column["virtual_generated"]),
        primary_key=tuple(wire["primary_key"] or ()),
        rows=tuple(json_lines(folder / wire["file"])),
    )


def _ddl(wire: Mapping[str, Any]) -> Ddl:
    touches = {(wire["schema"].lower(), wire["table"].lower())}
    for event in wire["events"] or ():
        touches |= {
            (event["schema"].lower(), event["table"].lower()),
            (event["old_schema"].lower(), event["old_table"].lower()),
        }
    return Ddl(wire["commit_ts"], wire["type"], wire["type_name"], frozenset(touches - {("", "")}))


def is_bit(column_type: str) -> bool:
    return column_type == "bit" or column_type.startswith("bit(")


def canonical(cell: Cell, column_type: str) -> str | None:
    """The canonical text of a cell; of a float TiDB's own text, which need not be the canonical one."""
    if "hex" not in cell:
        return cell["text"]
    digits = cell["hex"]
    if digits is None:
        return None
    if is_bit(column_type):
        return str(int(digits, 16))
    return b64encode(bytes.fromhex(digits)).decode("ascii")


def equal(cell: Cell, column_type: str, text: str | None) -> bool:
    """Whether a canonical text is what the cell holds; floats by their IEEE bits."""
    want = canonical(cell, column_type)
    if want is None or text is None:
        return want is text
    bits = cell.get("bits")
    return ieee(text, bits) if bits is not None else want == text


def ieee(text: str, bits: str) -> bool:
    """Whether a decimal text reads back to a float (8 hex digits) or double (16)."""
    try:
        return struct.pack(">f" if len(bits) == 8 else ">d", float(text)).hex() == bits
    except (ValueError, OverflowError):
        return False


@dataclass
class Tally:
    """What a comparison found; `lost` are the flagged cells that are not the truth's, `details` a few wrong ones."""

    tables: int = 0
    cells: int = 0
    flagged: int = 0
    lost: int = 0
    wrong: int = 0
    missing: int = 0
    extra: int = 0
    details: list[str] = field(default_factory=list)

    def note(self, detail: str) -> None:
        if len(self.details) < 20:
            self.details.append(detail[:300])

    def add(self, other: Tally) -> None:
        self.tables += other.tables
        self.cells += other.cells
        self.flagged += other.flagged
        self.lost += other.lost
        self.wrong += other.wrong
        self.missing += other.missing
        self.extra += other.extra
        for detail in other.details:
            self.note(detail)

    @property
    def right(self) -> bool:
        return not (self.wrong or self.missing or self.extra)


@dataclass(frozen=True)
class Row:
    """A row to judge: canonical texts by column, and the flags of what was lost."""

    image: Mapping[str, str | None]
    lossy: Sequence[str] = ()

    def flagged(self, column: str, key: Sequence[str]) -> bool:
        if "*:no_schema" in self.lossy or any(flag.rpartition(":")[0] == column for flag in self.lossy):
            return True
        return column not in key and not KEY_ONLY_FLAGS.isdisjoint(self.lossy)

    def unlabelled(self, column: str) -> bool:
        return f"{column}:label_unknown" in self.lossy


def compare(table: Table, rows: Iterable[Row]) -> Tally:
    """Rows of a table with a primary key against the truth, matched by that key."""
    tally = Tally(tables=1)
    wanted = {tuple(canonical(row[name], table.types[name]) for name in table.primary_key): row for row in table.rows}
    for row in rows:
        key = tuple(_labelled(table, row, name) for name in table.primary_key)
        truth = wanted.pop(key, None)
        if truth is None:
            tally.extra += 1
            tally.note(f"{table.name}: extra row {key}")
            continue
        for column in dict.fromkeys((*table.columns, *row.image)):
            tally.cells += 1
            _judge(tally, table, truth, row, column)
    tally.missing += len(wanted)
    for key in wanted:
        tally.note(f"{table.name}: missing row {key}")
    return tally


def _judge(tally: Tally, table: Table, truth: Mapping[str, Cell], row: Row, column: str) -> None:
    if column not in truth or column in table.virtual:
        tally.wrong += 1
        tally.note(f"{table.name}.{column}: no such column on the wire")
        return
    cell = truth[column]
    here = column in row.image
    if row.unlabelled(column) and here:
        right = row.image[column] == cell.get("num")
        tally.flagged += right
        tally.lost += right
    else:
        right = here and equal(cell, table.types[column], row.image[column])
        if row.flagged(column, table.primary_key):
            tally.flagged += 1
            tally.lost += not right
            right = True
    if not right:
        tally.wrong += 1
        tally.note(f"{table.name}.{column} {table.types[column]}: {cell} became {row.image.get(column, 'absent')!r}")


def _labelled(table: Table, row: Row, column: str) -> str | None:
    text = row.image.get(column)
    if text is not None and row.unlabelled(column):
        return table.labels.get(column, {}).get(text, text)
    return text


def compare_keyless(table: Table, rows: Iterable[Row]) -> Tally:
    """Rows of a table without primary key against the truth, as multisets of whole rows."""
    tally = Tally(tables=1)
    wanted = Counter(tuple(_comparable(row[name], table.types[name]) for name in table.columns) for row in table.rows)
    got = Counter(
        tuple(_bits_of(_labelled(table, row, name), table.types[name]) for name in table.columns) for row in rows
    )
    tally.cells = sum((wanted & got).values()) * len(table.columns)
    tally.missing = sum((wanted - got).values())
    tally.extra = sum((got - wanted).values())
    return tally


def _comparable(cell: Cell, column_type: str) -> str | None:
    return cell.get("bits") or canonical(cell, column_type)


def _bits_of(text: str | None, column_type: str) -> str | None:
    base = column_type.partition("(")[0].partition(" ")[0]
    if text is None or base not in ("float", "double"):
        return text
    return struct.pack(">f" if base == "float" else ">d", float(text)).hex()
