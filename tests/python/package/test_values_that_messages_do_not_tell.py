"""Values through the whole package that a DDL or an option tells, or that older releases write, and their flags."""

from __future__ import annotations

import json
from base64 import b64encode
from operator import itemgetter
from typing import Any

from support import debezium, open_protocol
from support.avro import body, extension, framed
from support.cases import Built, case, record, records
from support.corpus import SAMPLE
from support.debezium import INT, field
from support.messages import ddl_message, row_message, to_bytes
from support.open_protocol import BINARY, NULLABLE, column, ident

COMMIT_TS = 470610923863932928
REGISTRY = SAMPLE / "registry" / "confluent.json"


def ts(second: int) -> int:
    return COMMIT_TS + (second * 1000 << 18)


# Open Protocol: flags of partitioned tables, old images of older releases, rows without change


def of_open(second: int, value: Any, **key: Any) -> tuple[bytes, bytes]:
    members = {"ts": ts(second), "scm": "shop", "tbl": "t", "t": 1, **key}
    return open_protocol.message(({name: each for name, each in members.items() if each is not None}, value))


def ddl(second: int, query: str, code: int, **key: Any) -> tuple[bytes, bytes]:
    return of_open(second, {"q": query, "t": code}, t=2, **key)


TEXT_FLAGS, BYTES_FLAGS = NULLABLE, NULLABLE | BINARY
PARTED = {"tbl": "parted", "ptn": 7}
OLDER = {"tbl": "older", "ptn": 9}
case(
    "open_values",
    "open_protocol",
    records(
        "open_values",
        [
            ddl(
                1,
                "CREATE TABLE `parted` (`id` INT PRIMARY KEY,`v` VARCHAR(20)) PARTITION BY HASH (`id`) PARTITIONS 2",
                3,
                tbl="parted",
            ),
            of_open(2, {"u": {"id": ident(1), "v": column(15, "text", TEXT_FLAGS)}}, **PARTED),
            ddl(3, "ALTER TABLE `parted` ADD COLUMN `b` BINARY(2)", 5, tbl="parted"),
            ddl(4, "ALTER TABLE `parted` MODIFY COLUMN `v` VARBINARY(20)", 12, tbl="parted"),
            of_open(
                5,
                {"u": {"id": ident(2), "v": column(15, r"\xff\a", TEXT_FLAGS), "b": column(254, r"\x00\x01", 0)}},
                **PARTED,
            ),
            of_open(2, {"u": {"id": ident(1), "v": column(15, "text", TEXT_FLAGS)}}, **OLDER),
            ddl(1, "CREATE TABLE `d` (`id` INT PRIMARY KEY,`b` VARCHAR(9))", 3, tbl="d"),
            of_open(2, {"u": {"id": ident(1), "b": column(15, "n")}}, tbl="d"),
            of_open(2, {"u": {"id": ident(2), "b": column(15, "m")}}, tbl="d"),
            ddl(
                3,
                "ALTER TABLE `d` ADD COLUMN `c` INT DEFAULT 17, ADD COLUMN `e` ENUM('x','y') DEFAULT 'y'",
                61,
                tbl="d",
            ),
            of_open(
                4,
                {
                    "u": {"id": ident(1), "b": column(15, "e"), "c": column(3, 17), "e": column(247, 1)},
                    "p": {"id": ident(1), "b": column(15, "n"), "c": column(3, "17"), "e": column(247, "y")},
                },
                tbl="d",
            ),
            of_open(
                5, {"d": {"id": ident(2), "b": column(15, "m"), "c": column(3, "17"), "e": column(247, "y")}}, tbl="d"
            ),
            of_open(6, b"{}", tbl="d"),
            of_open(30, b"", t=3, scm=None, tbl=None),
        ],
    ),
)


def test_flags_of_partitioned_tables(built_cases: Built) -> None:
    """Bytes are what the DDL says, also of rows from before it."""
    current = built_cases.current("open_values")
    assert current["shop.parted"] == [
        {"id": "1", "v": b64encode(b"text").decode(), "b": None},
        {"id": "2", "v": b64encode(b"\xff\a").decode(), "b": "AAE="},
    ]
    assert current["shop.older"] == [{"id": "1", "v": "text"}]
    flags = {(row["table_name"], *row["lossy"]) for row in built_cases.of("current_rows", "open_values")}
    assert flags == {("parted",), ("older", "v:no_schema"), ("d",)}


def test_old_images_with_defaults_and_rows_without_change(built_cases: Built) -> None:
    assert built_cases.current("open_values")["shop.d"] == [{"id": "1", "b": "e", "c": "17", "e": "x"}]
    old = built_cases.rows(
        "select before from ticdc__changelog where feed = 'open_values' and table_name = 'd' and op <> 'insert' "
        "order by commit_ts"
    )
    assert [json.loads(row["before"]) for row in old] == [
        {"id": "1", "b": "n", "c": "17", "e": "y"},
        {"id": "2", "b": "m", "c": "17", "e": "y"},
    ]
    assert built_cases.of("dead_letters", "open_values") == []


# Canal-JSON: inserts of 4.0 to 5.3


def of_canal(second: int, kind: str, data: Any, old: Any) -> bytes:
    members = {"id": 0, "database": "shop", "table": "t", "pkNames": ["id"], "isDdl": False, "type": kind}
    types = {"sqlType": {"id": 4, "v": 12}, "mysqlType": {"id": "int", "v": "varchar"}}
    at = 1_780_000_000_000 + second * 1000
    return json.dumps({**members, "es": at, "ts": at, "sql": "", **types, "data": [data], "old": [old]}).encode()


case(
    "canal_old_null",
    "canal_json",
    records(
        "canal_old_null",
        [
            of_canal(1, "INSERT", {"id": "1", "v": "a"}, None),
            of_canal(2, "UPDATE", {"id": "1", "v": "b"}, {"id": "1", "v": "a"}),
            of_canal(3, "INSERT", {"id": "2", "v": "z"}, None),
        ],
    ),
)


def test_inserts_whose_old_is_a_list_of_null(built_cases: Built) -> None:
    rows = [{"id": "1", "v": "b"}, {"id": "2", "v": "z"}]
    assert built_cases.current("canal_old_null") == {"shop.t": rows}


# Debezium


def of_debezium(second: int, row: Any, fields: Any, table: str = "t", key: str = "id") -> tuple[bytes, bytes]:
    source = debezium.source(commit_ts=ts(second), table=table)
    value = debezium.row_message(row, fields, source=source)
    return debezium.to_bytes(debezium.key_message({key: row[key]}, fields)), debezium.to_bytes(value)


def created(second: int, query: str, table: str = "t") -> tuple[None, bytes]:
    return None, debezium.to_bytes(debezium.ddl_message(query, commit_ts=ts(second), table=table))


END = (None, debezium.to_bytes(debezium.watermark_message(ts(30))))
STRING, BINARY_STRING = {"type": "string"}, {"type": "string", "tidb_type": "varbinary"}
INT_ID = field("id", INT, optional=False)
PLAIN_ID = field("id", {"type": "string"}, optional=False)
OF_EXTENSION = [field("v", BINARY_STRING), field("w", BINARY_STRING)]
BY_EXPRESSION = [INT_ID, field("n", {"tidb_type": "bigint", "type": "int64"})]
case(
    "debezium_values",
    "debezium",
    records(
        "debezium_values",
        [
            created(1, "CREATE TABLE `t` (`id` INT PRIMARY KEY,`n` BIGINT DEFAULT (NEXTVAL(`shop`.`s`)))"),
            of_debezium(2, {"id": 1, "n": 0}, BY_EXPRESSION),
            of_debezium(3, {"id": 2, "n": 5}, BY_EXPRESSION),
            created(1, "CREATE TABLE `z` (`id` INT PRIMARY KEY,`at` TIMESTAMP NULL)", "z"),
            of_debezium(2, {"id": 1, "at": "1970-01-01T00:00:00Z"}, None, "z"),
            created(1, "CREATE TABLE `b` (`id` BINARY(4) PRIMARY KEY,`v` VARBINARY(8),`s` VARCHAR(9))", "b"),
            of_debezium(
                2,
                {"id": "fbefff3e", "v": "00ff", "s": "cafe"},
                [PLAIN_ID, field("v", STRING), field("s", STRING)],
                "b",
            ),
            of_debezium(
                3,
                {"id": "C63K/g==", "v": "yv66vg==", "s": "x"},
                [PLAIN_ID, field("v", STRING), field("s", STRING)],
                "b",
            ),
            created(1, "CREATE TABLE `u` (`id` INT PRIMARY KEY,`v` VARBINARY(8),`w` VARBINARY(8))", "u"),
            of_debezium(2, {"id": 1, "v": "00ff", "w": ""}, [INT_ID, field("v", STRING), field("w", STRING)], "u"),
            of_debezium(3, {"id": 2, "v": "00ff", "w": "fb"}, [INT_ID, field("v", STRING), field("w", STRING)], "u"),
            of_debezium(4, {"id": 3, "v": "00ff", "w": ""}, [INT_ID, *OF_EXTENSION], "u"),
            of_debezium(5, {"id": 4, "v": "00ff", "w": "fb"}, [INT_ID, *OF_EXTENSION], "u"),
            END,
        ],
    ),
    options={"time_zone": "America/New_York"},
)
HEX = [PLAIN_ID, field("n", INT), field("v", STRING), field("w", BINARY_STRING)]
case(
    "debezium_hex",
    "debezium",
    records(
        "debezium_hex",
        [
            created(1, "CREATE TABLE `t` (`id` BINARY(4) PRIMARY KEY,`n` INT,`v` VARBINARY(8),`w` VARBINARY(8))"),
            of_debezium(2, {"id": "fbefff3e", "n": 1, "v": "00ff", "w": "00ff"}, HEX),
            of_debezium(3, {"id": "0badcafe", "n": 2, "v": "cafebabe", "w": ""}, HEX),
            END,
        ],
    ),
    options={"binary_handling_mode": "hex"},
    target_schema="{feed}_{schema}",
)


def flags_of(built: Built, feed: str, table: str) -> list[list[str]]:
    rows = [row for row in sorted(built.of("current_rows", feed), key=itemgetter("row")) if row["table_name"] == table]
    return [list(row["lossy"]) for row in rows]


def test_nulls_by_an_expression(built_cases: Built) -> None:
    assert built_cases.current("debezium_values")["shop.t"] == [{"id": "1", "n": "0"}, {"id": "2", "n": "5"}]
    assert flags_of(built_cases, "debezium_values", "t") == [["n:null_or_default"], []]


def test_the_first_hours_of_1970_west_of_utc(built_cases: Built) -> None:
    assert flags_of(built_cases, "debezium_values", "z") == [["at:zero_date"]]


def test_the_length_of_a_key_tells_that_bytes_come_in_hex(built_cases: Built) -> None:
    assert built_cases.current("debezium_values")["shop.b"] == [
        {"id": "++//Pg==", "v": "AP8=", "s": "cafe"},
        {"id": "C63K/g==", "v": "yv66vg==", "s": "x"},
    ]
    assert flags_of(built_cases, "debezium_values", "b") == [[], []]
    keys = built_cases.rows("select row_key from ticdc__changelog where feed = 'debezium_values' and table_name = 'b'")
    assert {each["row_key"] for each in keys} == {'{"id":"++//Pg=="}', '{"id":"C63K/g=="}'}


def test_bytes_that_may_be_hex(built_cases: Built) -> None:
    """Another cell tells it in every second row."""
    assert built_cases.current("debezium_values")["shop.u"] == [
        {"id": "1", "v": "00ff", "w": ""},
        {"id": "2", "v": "AP8=", "w": "+w=="},
        {"id": "3", "v": "00ff", "w": ""},
        {"id": "4", "v": "AP8=", "w": "+w=="},
    ]
    assert flags_of(built_cases, "debezium_values", "u") == [["v:binary_unsure"], [], ["v:binary_unsure"], []]


def test_bytes_in_hex(built_cases: Built) -> None:
    assert built_cases.current("debezium_hex")["shop.t"] == [
        {"id": "++//Pg==", "n": "1", "v": "AP8=", "w": "AP8="},
        {"id": "C63K/g==", "n": "2", "v": "yv66vg==", "w": ""},
    ]
    assert flags_of(built_cases, "debezium_hex", "t") == [[], []]
    typed = built_cases.rows("select hex(id) as id, n, hex(v) as v from debezium_hex_shop.t order by n")
    assert typed == [{"id": "FBEFFF3E", "n": 1, "v": "00FF"}, {"id": "0BADCAFE", "n": 2, "v": "CAFEBABE"}]


# Avro with avro-enable-watermark; the schemas are those of `shop.ai` in the sample


SCHEMAS = json.loads(REGISTRY.read_text(encoding="utf-8"))
KEY_ID, VALUE_ID = "100164", "100407"


def of_avro(schema_id: str, row: Any) -> bytes:
    return framed(body(json.loads(SCHEMAS[schema_id]["schema"]), row), schema_id=int(schema_id))


def avro_row(second: int, row: Any) -> tuple[bytes, bytes]:
    wire = {**row, "_ticdc_before": None, **extension("c"), "_tidb_commit_ts": ts(second)}
    return of_avro(KEY_ID, {"id": row["id"]}), of_avro(VALUE_ID, wire)


def of_moment(kind: int, second: int) -> bytes:
    return bytes([kind]) + ts(second).to_bytes(8, "big")


def avro_ddl(second: int, query: str, code: int) -> bytes:
    wire = {"query": query, "type": code, "schema": "shop", "table": "ai", "commitTs": ts(second)}
    return b"\x01" + json.dumps(wire).encode()


case(
    "avro_watermarks",
    "avro",
    [
        *records(
            "avro_watermarks",
            [
                (None, avro_ddl(1, "CREATE TABLE `ai` (`id` BIGINT AUTO_INCREMENT PRIMARY KEY,`v` INT)", 3)),
                avro_row(2, {"id": 1, "v": 10}),
                avro_row(3, {"id": 2, "v": None}),
                avro_row(3, {"id": 3, "v": 30}),
                (of_avro(KEY_ID, {"id": 1}), of_moment(3, 4)),
                (None, avro_ddl(5, "ALTER TABLE `ai` ADD COLUMN `w` INT DEFAULT 7", 5)),
                (None, of_moment(2, 20)),
            ],
        ),
        record(
            "avro_watermarks",
            of_avro(VALUE_ID, {"id": 9, "v": 1, "_ticdc_before": None, **extension("c"), "_tidb_commit_ts": ts(25)}),
            key=of_avro(KEY_ID, {"id": 9}),
            offset=7,
        ),
    ],
    options={"schemas": str(REGISTRY)},
)


def test_watermarks_ddl_and_deletions_of_avro(built_cases: Built) -> None:
    """The deletion has its commit, the DDL gives rows a column, and what came after the watermark is not shown yet."""
    assert built_cases.current("avro_watermarks")["shop.ai"] == [
        {"id": "2", "v": None, "w": "7"},
        {"id": "3", "v": "30", "w": "7"},
    ]
    assert built_cases.of("dead_letters", "avro_watermarks") == []
    deleted = built_cases.rows(
        "select commit_ts, lossy from ticdc__changelog where feed = 'avro_watermarks' and op = 'delete'"
    )
    assert [(row["commit_ts"], list(row["lossy"])) for row in deleted] == [(ts(4), [])]
    (complete,) = {row["complete_through_ts"] for row in built_cases.of("completeness", "avro_watermarks")}
    assert complete == ts(20)


def test_a_null_of_avro_may_be_generated(built_cases: Built) -> None:
    assert flags_of(built_cases, "avro_watermarks", "ai") == [["v:null_or_generated"], []]


# canal-json: labels of changes that share a millisecond, whose commits no message tells


def of_canal(type: str, label: int, old: int | None = None) -> bytes:
    return to_bytes(
        row_message(
            {"id": "1", "e": str(label)},
            {"id": "int", "e": "enum"},
            type=type,
            old=None if old is None else [{"e": str(old)}],
            tidb={},
            es=(COMMIT_TS >> 18) + 9,
        )
    )


case(
    "labels_of_a_millisecond",
    "canal_json",
    records(
        "labels_of_a_millisecond",
        [
            to_bytes(ddl_message("CREATE TABLE `t` (`id` INT PRIMARY KEY,`e` ENUM('a','b','c'))", "CREATE", tidb={})),
            of_canal("INSERT", 1),
            of_canal("UPDATE", 2, 1),
            of_canal("UPDATE", 3, 2),
            of_canal("UPDATE", 3, 2),
        ],
    ),
)


def test_changes_of_a_millisecond_are_told_apart_by_their_labels(built_cases: Built) -> None:
    """They were taken for repeats of the first one, where labels alone waited for their table."""
    feed = "labels_of_a_millisecond"
    assert built_cases.current(feed) == {"shop.t": [{"id": "1", "e": "c"}]}
    changes = sorted(built_cases.of("changelog", feed), key=itemgetter("offset"))
    assert [(row["op"], json.loads(row["after"])["e"]) for row in changes] == [
        ("insert", "a"),
        ("update", "b"),
        ("update", "c"),
    ]
