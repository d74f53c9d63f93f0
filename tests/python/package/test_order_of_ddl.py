"""DDL that comes in another order than it was done, in several topics, or not at all: whose rows the tables show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from support import debezium, messages, simple
from support.cases import Built, case, records

STEP = 1 << 28
ROWS = {"id": "int", "v": "varchar"}


def ts(second: int) -> int:
    """The TSO of a second after the first commit."""
    return messages.COMMIT_TS + second * STEP


class Canal:
    """Messages of canal-json."""

    @staticmethod
    def ddl(second: int, table: str, sql: str) -> bytes:
        tidb = {"commitTs": ts(second)}
        return messages.to_bytes(messages.ddl_message(sql, "QUERY", table=table, _tidb=tidb, es=ts(second) >> 18))

    @staticmethod
    def row(second: int, table: str, number: int, text: str) -> bytes:
        image = {"id": str(number), "v": text}
        tidb = {"commitTs": ts(second)}
        return messages.to_bytes(messages.row_message(image, ROWS, table=table, tidb=tidb, es=ts(second) >> 18))

    @staticmethod
    def watermark(second: int) -> bytes:
        return messages.to_bytes(messages.watermark_message(ts(second)))


def created(second: int, table: str) -> bytes:
    return Canal.ddl(second, table, f"CREATE TABLE `{table}` (`id` INT PRIMARY KEY,`v` VARCHAR(20))")


def renamed(second: int, table: str, to: str, final: str | None = None) -> bytes:
    return Canal.ddl(second, final or to, f"RENAME TABLE `shop`.`{table}` TO `shop`.`{to}`;")


case(
    "rename_backwards",
    "canal_json",
    records(
        "rename_backwards",
        [
            *(created(1, "orders"), created(2, "orders_new")),
            *(Canal.row(3, "orders", 1, "old"), Canal.row(4, "orders_new", 1, "new")),
            # the steps of one statement, the last one first
            *(renamed(10, "orders_new", "orders"), renamed(10, "orders", "orders_backup")),
            Canal.row(12, "orders", 2, "after"),
            *(created(1, "left"), created(2, "right")),
            *(Canal.row(3, "left", 1, "left"), Canal.row(4, "right", 1, "right")),
            *(renamed(11, "tmp", "right"), renamed(11, "right", "left"), renamed(11, "left", "tmp", "right")),
            Canal.row(12, "right", 2, "left, after"),
            # the step that took `kept` away lies in a topic that nobody reads
            *(created(1, "kept"), created(2, "fresh")),
            *(Canal.row(3, "kept", 1, "lost"), Canal.row(4, "fresh", 1, "fresh")),
            renamed(13, "fresh", "kept"),
            # two tables of one name, of which a job brings one back
            *(created(1, "twice"), Canal.row(3, "twice", 1, "first"), Canal.ddl(4, "twice", "DROP TABLE `twice`")),
            *(created(5, "twice"), Canal.row(6, "twice", 1, "second"), Canal.ddl(7, "twice", "DROP TABLE `twice`")),
            Canal.ddl(14, "twice", "RECOVER TABLE BY JOB 117"),
            Canal.watermark(20),
        ],
    ),
)

case(
    "rename_topics",
    "canal_json",
    [
        *records(
            "rename_topics_t",
            [
                *(created(1, "t"), Canal.row(3, "t", 1, "from t"), renamed(10, "t", "t_bak")),
                *(Canal.row(12, "t", 2, "after"), Canal.watermark(20)),
            ],
        ),
        *records(
            "rename_topics_new_t",
            [
                *(created(2, "new_t"), Canal.row(4, "new_t", 1, "from new_t")),
                *(renamed(10, "new_t", "t"), Canal.watermark(20)),
            ],
        ),
    ],
    topics=[r"rename\_topics\_%"],
)


FIELDS = [debezium.field("id", debezium.INT, optional=False), debezium.field("v", debezium.VARCHAR)]
COLUMNS = [debezium.column("id", "INT", optional=False), debezium.column("v", "VARCHAR", 20)]
Pair = tuple[bytes, bytes]


def debezium_row(second: int, table: str, number: int, text: str) -> Pair:
    source = debezium.source(table=table, commit_ts=ts(second), ts_ms=ts(second) >> 18)
    value = debezium.row_message({"id": number, "v": text}, FIELDS, source=source)
    return debezium.to_bytes(debezium.key_message({"id": number}, FIELDS)), debezium.to_bytes(value)


def debezium_ddl(second: int, table: str, sql: str, columns: Sequence[Mapping[str, Any]] | None = None) -> Pair:
    change = debezium.change(columns, ["id"], id=f'"shop"."{table}"')
    value = debezium.ddl_message(sql, [change], table=table, commit_ts=ts(second), ts_ms=ts(second) >> 18)
    return debezium.to_bytes({"payload": {"databaseName": "shop"}}), debezium.to_bytes(value)


def debezium_created(second: int, table: str) -> Pair:
    return debezium_ddl(second, table, f"CREATE TABLE `{table}` (id INT PRIMARY KEY, v VARCHAR(20))", COLUMNS)


case(
    "flashed_back",
    "debezium",
    records(
        "flashed_back",
        [
            # FLASHBACK TABLE a TO b, which is not sent
            *(debezium_created(1, "a"), debezium_row(2, "a", 1, "before")),
            *(debezium_ddl(3, "a", "DROP TABLE `shop`.`a`"), debezium_row(10, "b", 2, "after")),
            # FLASHBACK TABLE c TO d, after d went to e
            *(debezium_created(1, "c"), debezium_row(2, "c", 1, "c, before")),
            *(debezium_row(2, "d", 1, "d, before"), debezium_ddl(3, "c", "DROP TABLE `shop`.`c`")),
            debezium_ddl(4, "e", "RENAME TABLE `shop`.`d` TO `shop`.`e`", COLUMNS),
            *(debezium_row(10, "d", 2, "c, after"), debezium_row(11, "e", 2, "d, after")),
            (debezium.to_bytes({"payload": {}}), debezium.to_bytes(debezium.watermark_message(ts(20)))),
        ],
    ),
)


def simple_schema(table: str, number: int, version: int, *columns: str) -> dict[str, Any]:
    shapes = [simple.column(name, "int", nullable=name != "id") for name in columns]
    return simple.schema_of(shapes, table=table, tableID=number, version=ts(version))


def simple_ddl(second: int, sql: str, type: str, schema: Mapping[str, Any]) -> bytes:
    return simple_bytes(simple.ddl_message(sql, type, schema, commitTs=ts(second)))


def simple_renamed(second: int, table: str, to: str, schema: Mapping[str, Any]) -> bytes:
    return simple_ddl(second, f"RENAME TABLE `shop`.`{table}` TO `shop`.`{to}`;", "RENAME", schema)


def simple_row(second: int, table: str, version: int, number: int, **row: str) -> bytes:
    members = {"table": table, "tableID": number, "commitTs": ts(second), "schemaVersion": ts(version)}
    return simple_bytes(simple.row_message(row, **members))


def simple_bytes(message: Mapping[str, Any]) -> bytes:
    return messages.to_bytes(message)


FIRST, SECOND = (simple_schema("twice", number, version, "id", "v") for number, version in ((101, 1), (102, 5)))
case(
    "numbered",
    "simple",
    records(
        "numbered",
        [
            simple_ddl(1, "CREATE TABLE `twice` (id INT PRIMARY KEY, v INT)", "CREATE", FIRST),
            simple_row(2, "twice", 1, 101, id="1", v="1"),
            simple_ddl(3, "DROP TABLE `shop`.`twice`", "ERASE", FIRST),
            simple_ddl(5, "CREATE TABLE `twice` (id INT PRIMARY KEY, v INT)", "CREATE", SECOND),
            simple_row(6, "twice", 5, 102, id="1", v="2"),
            simple_ddl(7, "DROP TABLE `shop`.`twice`", "ERASE", SECOND),
            simple_ddl(8, "RECOVER TABLE BY JOB 117", "QUERY", FIRST),
            # two tables from before the feed change names; each bootstrap has the version from before
            simple_bytes(simple.bootstrap_message(simple_schema("p", 201, -9, "id", "old_p"))),
            simple_row(2, "p", -9, 201, id="1", old_p="1"),
            simple_renamed(4, "p", "spare", simple_schema("q", -1, -9, "id", "old_p")),
            simple_renamed(4, "q", "p", simple_schema("p", 202, -8, "id", "old_q")),
            simple_renamed(4, "spare", "q", simple_schema("q", 201, -9, "id", "old_p")),
            simple_bytes(simple.bootstrap_message(simple_schema("p", 202, -8, "id", "old_q"))),
            simple_row(6, "p", -8, 202, id="2", old_q="2"),
            simple_bytes(simple.bootstrap_message(simple_schema("q", 201, -9, "id", "old_p"))),
            simple_row(7, "q", -9, 201, id="2", old_p="2"),
            simple_bytes(simple.watermark_message(ts(20))),
        ],
    ),
)


def rows_of(built: Built, feed: str) -> dict[str, list[list[str | None]]]:
    return {table: [list(row.values()) for row in rows] for table, rows in built.current(feed).items()}


def codes_of(built: Built, feed: str) -> list[tuple[str, str, str]]:
    return sorted((row["table_name"], row["code"], row["severity"]) for row in built.problems(feed))


def test_rename_steps_in_the_wrong_order(built_cases: Built) -> None:
    assert rows_of(built_cases, "rename_backwards") == {
        "shop.orders": [["1", "new"], ["2", "after"]],
        "shop.orders_backup": [["1", "old"]],
        "shop.left": [["1", "right"]],
        "shop.right": [["1", "left"], ["2", "left, after"]],
        "shop.kept": [["1", "fresh"]],
        "shop.twice": [["1", "second"]],
    }


def test_what_is_lost_to_ddl_is_an_error(built_cases: Built) -> None:
    assert codes_of(built_cases, "rename_backwards") == [
        ("kept", "rows_lost", "error"),
        ("twice", "unsure_recovery", "error"),
    ]
    lost, unsure = built_cases.problems("rename_backwards")
    assert "`shop`.`kept`" in lost["detail"] and "`shop`.`fresh`" in lost["detail"]
    assert all("ticdc__initial_loads" in each["remedy"] for each in (lost, unsure))


def test_rename_steps_in_several_topics(built_cases: Built) -> None:
    assert rows_of(built_cases, "rename_topics") == {
        "shop.t": [["1", "from new_t"], ["2", "after"]],
        "shop.t_bak": [["1", "from t"]],
    }
    assert not built_cases.problems("rename_topics")


def test_a_table_that_debezium_flashed_back_is_an_error(built_cases: Built) -> None:
    assert rows_of(built_cases, "flashed_back") == {
        "shop.b": [["2", "after"]],
        "shop.d": [["2", "c, after"]],
        "shop.e": [["1", "d, before"], ["2", "d, after"]],
    }
    assert codes_of(built_cases, "flashed_back") == [("b", "rows_lost", "error"), ("d", "rows_lost", "error")]


def test_ids_on_the_wire_tell_which_table_came_back(built_cases: Built) -> None:
    assert rows_of(built_cases, "numbered") == {
        "shop.twice": [["1", "1"]],
        "shop.p": [["2", "2"]],
        "shop.q": [["1", "1"], ["2", "2"]],
    }
    assert not built_cases.problems("numbered")


def test_a_bootstrap_tells_of_the_table_that_bore_its_name_then(built_cases: Built) -> None:
    query = "select table_name, valid_from_ts, column_name from ticdc__columns where feed = 'numbered'"
    found = {(row["table_name"], row["valid_from_ts"], row["column_name"]) for row in built_cases.rows(query)}
    assert {each for each in found if each[0] in ("p", "q")} == {
        *(("p", 0, name) for name in ("id", "old_p")),
        *(("p", ts(4), name) for name in ("id", "old_q")),
        *(("q", ts(4), name) for name in ("id", "old_p")),
    }
