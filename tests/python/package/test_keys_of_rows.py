"""Tables whose key DDL alone does not tell, or tells in an odd way, end to end: one row for one row."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from support.cases import Built, case, records
from support.upstream import BIGINT, INT, VARCHAR, Column, Index, Row, Table, Upstream

Edit = Callable[..., list[Any]]
Values = list[dict[str, str | None]]
WANTED: dict[str, Values] = {}
PROBLEMS: dict[str, list[str]] = {}


def ints(*names: str) -> list[Column]:
    return [Column(place, name, INT, nullable=False) for place, name in enumerate(names, start=1)]


def upstream_of(protocol: str, columns: list[Column], *indexes: Index, **more: Any) -> Upstream:
    table = Table("t", [*columns, Column(9, "v", INT)], list(indexes), **more.pop("table", {}))
    upstream = Upstream(protocol, table, keys_only=True, **more)
    upstream.create()
    return upstream


def insert(upstream: Upstream, *rows: Row) -> None:
    for row in rows:
        upstream.insert(row)


def change_all(upstream: Upstream) -> None:
    """A first row goes, the others change."""
    (gone, *others) = upstream.table.rows
    upstream.delete(gone)
    for row in others:
        upstream.update(row, {9: 5})


def told(
    name: str, upstream: Upstream, *problems: str, cut: int | None = None, edit: Callable[..., Any] = list
) -> None:
    """A case of the messages, of which those from `cut` on come in a second part."""
    sent = edit([(key, value) for _, key, value, _ in upstream.sent])
    parts = [sent] if cut is None else [sent[:cut], sent[cut:]]
    starts = (0, cut or 0)
    case(name, upstream.protocol, *(records(name, part, first) for part, first in zip(parts, starts, strict=False)))
    WANTED[name], PROBLEMS[name] = upstream.snapshots[-1].rows, list(problems)


def auto_increment(protocol: str) -> None:
    upstream = upstream_of(protocol, [Column(1, "id", BIGINT, nullable=False, auto=True)], Index(1, "u", [1]))
    insert(upstream, *({1: number, 9: 0} for number in range(3)))
    upstream.table.columns.append(Column(10, "w", INT))
    for row in upstream.table.rows:
        row[10] = None
    upstream.ddl("ALTER TABLE `t` ADD COLUMN `w` INT")
    change_all(upstream)
    told(f"auto_increment_{protocol}", upstream)


def shorter_index() -> None:
    upstream = upstream_of("simple", ints("a", "b", "c"), Index(1, "uk1", [1, 2]))
    insert(upstream, *({1: 1, 2: number, 3: -number, 9: 0} for number in range(3)))
    upstream.table.indexes.append(Index(2, "uk2", [3]))
    upstream.ddl("ALTER TABLE `t` ADD UNIQUE `uk2` (`c`)", "CINDEX", 7)
    change_all(upstream)
    upstream.update(upstream.table.rows[0], {1: 8})
    told("shorter_index", upstream)


def younger_index() -> None:
    upstream = upstream_of("open_protocol", ints("a", "b"), Index(1, "ua", [1]), Index(2, "ub", [2]), classic=True)
    insert(upstream, *({1: number, 2: -number, 9: 0} for number in range(3)))
    upstream.table.columns[0].kind, upstream.table.indexes[0].number = VARCHAR, 3
    for row in upstream.table.rows:
        row[1] = str(row[1])
    upstream.ddl("ALTER TABLE `t` MODIFY `a` VARCHAR(20) NOT NULL", "ALTER", 12)
    change_all(upstream)
    told("younger_index", upstream)


def flags_of_before() -> None:
    upstream = upstream_of("open_protocol", ints("a", "b"), Index(1, "ua", [1]), table={"partitioned": True})
    insert(upstream, *({1: number, 2: -number, 9: 0} for number in range(3)))
    upstream.table.indexes[:] = [Index(2, "ub", [2])]
    upstream.ddl("ALTER TABLE `t` DROP INDEX `ua`, ADD UNIQUE `ub` (`b`)", "ALTER", 61)
    change_all(upstream)
    told("flags_of_before", upstream)


def partial_index(protocol: str) -> None:
    upstream = upstream_of(protocol, ints("a", "b"), Index(1, "u", [1], partial=9))
    insert(upstream, *({1: 1, 2: number, 9: 0} for number in range(3)))
    cut = len(upstream.sent)
    change_all(upstream)
    told(f"partial_index_{protocol}", upstream, "key_not_unique", cut=cut)


def another_key(protocol: str) -> None:
    """Messages are missing that moved the key."""
    upstream = upstream_of(protocol, ints("a", "b"), Index(1, "ua", [1]))
    insert(upstream, *({1: number, 2: -number, 9: 0} for number in range(3)))
    upstream.table.indexes[:] = [Index(2, "ub", [2])]
    cut = len(upstream.sent)
    change_all(upstream)
    upstream.update(upstream.table.rows[0], {1: 2})
    told(f"another_key_{protocol}", upstream, "key_differs", cut=cut)


def of_one_millisecond() -> None:
    """Without commit TSOs a row of the millisecond of a DDL has the key after it."""
    upstream = upstream_of("canal_json", ints("a", "b"), Index(1, "PRIMARY", [1], primary=True))
    insert(upstream, *({1: number, 2: -number, 9: 0} for number in range(3)))
    upstream.table.indexes[:] = [Index(2, "PRIMARY", [2], primary=True)]
    upstream.ddl("ALTER TABLE `t` DROP PRIMARY KEY, ADD PRIMARY KEY (`b`)", "ALTER", 61)
    at = len(upstream.sent)
    change_all(upstream)

    def edit(sent: list[tuple[bytes | None, bytes]]) -> list[bytes]:
        messages = [json.loads(value) for _, value in sent]
        messages[at]["es"] = messages[at - 1]["es"]
        for message in messages:
            del message["_tidb"]
        return [json.dumps(message).encode() for message in messages]

    told("of_one_millisecond", upstream, edit=edit)


for protocol in ("canal_json", "debezium"):
    auto_increment(protocol)
for protocol in ("debezium", "open_protocol"):
    partial_index(protocol)
    another_key(protocol)
shorter_index()
younger_index()
flags_of_before()
of_one_millisecond()


def _text(row: dict[str, str | None]) -> str:
    return json.dumps(row, sort_keys=True)


@pytest.mark.parametrize("name", WANTED)
def test_one_row_is_found_for_one_row(built_cases: Built, name: str) -> None:
    found = built_cases.current(name)["shop.t"]
    assert sorted(found, key=_text) == sorted(WANTED[name], key=_text)
    assert [problem["code"] for problem in built_cases.problems(name) if "key" in problem["code"]] == PROBLEMS[name]
