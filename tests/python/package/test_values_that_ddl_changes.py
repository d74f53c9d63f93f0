"""Rows whose values a DDL cast: in the marts as TiDB has them, or flagged and named among the problems."""

from __future__ import annotations

from operator import itemgetter
from typing import Any

from support.cases import Built, case, records
from support.messages import COMMIT_TS, ddl_message, row_message, to_bytes, watermark_message


class _Story:
    """Messages whose commits are ten seconds apart."""

    def __init__(self) -> None:
        self.messages: list[bytes] = []

    def _next(self) -> int:
        return COMMIT_TS + (len(self.messages) * 10_000 << 18)

    def ddl(self, sql: str, kind: str = "ALTER") -> None:
        self.messages.append(to_bytes(ddl_message(sql, kind, _tidb={"commitTs": self._next()})))

    def row(self, table: str, data: dict[str, str], types: dict[str, str], **more: Any) -> None:
        message = row_message(data, types, table=table, tidb={"commitTs": self._next()}, **more)
        self.messages.append(to_bytes(message))

    def lines(self, feed: str) -> list[str]:
        return records(feed, [*self.messages, to_bytes(watermark_message(self._next()))])


def _story() -> _Story:
    story = _Story()
    big, small = {"u": "bigint"}, {"u": "int"}
    story.ddl("CREATE TABLE `clamped` (`u` BIGINT NOT NULL,`v` INT,UNIQUE `u`(`u`))", "CREATE")
    story.row("clamped", {"u": "99999999999", "v": "1"}, big | {"v": "int"}, key=["u"])
    story.ddl("ALTER TABLE `clamped` MODIFY COLUMN `u` INT NOT NULL")
    story.row(
        "clamped",
        {"u": "2147483647", "v": "2"},
        small | {"v": "int"},
        key=["u"],
        type="UPDATE",
        old=[{"u": "2147483647", "v": "1"}],
    )
    story.ddl("CREATE TABLE `zoned` (`id` INT PRIMARY KEY,`d` DATE,`e` ENUM('a\nb','c'))", "CREATE")
    types = {"id": "int", "d": "date", "e": r"enum('a\nb','c')"}
    story.row("zoned", {"id": "1", "d": "2024-01-31", "e": "1"}, types)
    story.row("zoned", {"id": "2", "d": "1900-01-01", "e": "2"}, types)
    story.ddl("ALTER TABLE `zoned` MODIFY COLUMN `d` TIMESTAMP NULL")
    zoned = {"t": "timestamp(2)", "v": "int"}
    story.ddl("CREATE TABLE `moved` (`t` TIMESTAMP(2) NULL,`v` INT)", "CREATE")
    story.row("moved", {"t": "2024-01-01 00:00:00.90", "v": "1"}, zoned, key=None)
    story.ddl("ALTER TABLE `moved` MODIFY COLUMN `t` DATETIME(6)")
    row, old = ({"t": "2024-01-01 00:00:00.900000", "v": v} for v in "21")
    story.row("moved", row, zoned | {"t": "datetime(6)"}, key=None, type="UPDATE", old=[old])
    story.ddl("CREATE TABLE `added` (`id` INT PRIMARY KEY)", "CREATE")
    story.row("added", {"id": "1"}, {"id": "int"})
    story.ddl(r"ALTER TABLE `added` ADD COLUMN `b` VARCHAR(40) DEFAULT _UTF8MB4'x\\'")
    story.ddl("ALTER TABLE `added` ADD COLUMN `y` YEAR DEFAULT _UTF8MB4'0'")
    story.ddl("ALTER TABLE `added` ADD COLUMN `n` DATETIME(2) DEFAULT CURRENT_TIMESTAMP(2)")
    return story


case("changed_values", "canal_json", _story().lines("changed_values"))


def test_a_key_that_a_ddl_clamped_is_the_one_that_messages_name(built_cases: Built) -> None:
    assert built_cases.current("changed_values")["shop.clamped"] == [{"u": "2147483647", "v": "2"}]


def test_what_a_time_zone_decides_is_flagged_and_what_none_can_hold_is_the_zero_date(built_cases: Built) -> None:
    rows = [
        (row["row"], row["lossy"])
        for row in sorted(built_cases.of("current_rows", "changed_values"), key=itemgetter("row_key"))
        if row["table_name"] == "zoned"
    ]
    assert rows == [
        ('{"id":"1","d":"2024-01-31 00:00:00","e":"a\\nb"}', ["d:not_converted"]),
        ('{"id":"2","d":"0000-00-00 00:00:00","e":"c"}', []),
    ]


def test_a_row_without_key_is_found_by_what_a_time_zone_made_of_it(built_cases: Built) -> None:
    assert built_cases.current("changed_values")["shop.moved"] == [{"t": "2024-01-01 00:00:00.900000", "v": "2"}]


def test_added_columns_have_what_tidb_gave_them(built_cases: Built) -> None:
    (row,) = built_cases.current("changed_values")["shop.added"]
    assert {name: row[name] for name in ("id", "b", "y")} == {"id": "1", "b": "x\\", "y": "2000"}
    (current,) = [row for row in built_cases.of("current_rows", "changed_values") if row["table_name"] == "added"]
    assert current["lossy"] == ["n:not_converted"]


def test_values_that_are_not_certain_are_problems(built_cases: Built) -> None:
    found = {(problem["code"], problem["table_name"]) for problem in built_cases.problems("changed_values")}
    assert found == {
        ("values_not_converted", "zoned"),
        ("values_not_converted", "moved"),
        ("lossy_values", "moved"),
        ("values_not_converted", "added"),
        ("default_not_constant", "added"),
    }
    (detail,) = [
        problem["detail"]
        for problem in built_cases.problems("changed_values")
        if (problem["code"], problem["table_name"]) == ("values_not_converted", "zoned")
    ]
    assert detail == "1 row(s) from before a DDL are flagged d:not_converted"
