"""What rows from before a column hold: its default as TiDB casts it, or a flag where the session decided."""

from __future__ import annotations

import json

import pytest
from support.catalogue import column, folded, last, versions_of

from ticdc_udfs.catalogue.column_types import Default
from ticdc_udfs.catalogue.fold import DdlEvent, ProblemCode
from ticdc_udfs.catalogue.projection import Projected, project

CREATE = "CREATE TABLE t (id INT PRIMARY KEY)"
COMMIT = 470_693_979_777_925_121


def added(definition: str, *later: str, protocol: str = "", **told: str) -> tuple[Projected, list[ProblemCode]]:
    """A row from before `ADD COLUMN c …`, after all DDL, and the problems; `told` is its default on the wire."""
    columns = [{"name": "id", "type": "int"}, {"name": "c", "type": "text", **told}]
    alter = DdlEvent(
        COMMIT, "shop", "t", f"ALTER TABLE t ADD COLUMN c {definition}", None, json.dumps(columns) if told else None
    )
    events = [DdlEvent(COMMIT + place, "shop", None, text) for place, text in enumerate(later, start=1)]
    result = folded(CREATE, alter, *events, protocol=protocol)
    versions = [version.columns for version in versions_of(result, "t")]
    return project({"id": "1"}, versions), [problem.code for problem in result.problems]


@pytest.mark.parametrize(
    ("definition", "value"),
    [
        ("YEAR DEFAULT '0'", "2000"),
        ("YEAR DEFAULT '00'", "2000"),
        ("YEAR DEFAULT '0000'", "0000"),
        ("YEAR NOT NULL", "0000"),
        ("YEAR DEFAULT _UTF8MB4'70'", "1970"),
        ("YEAR DEFAULT 1", "2001"),
        ("VARCHAR(20) DEFAULT 1e+02", "100"),
        ("VARCHAR(20) DEFAULT .50", "0.50"),
        ("VARCHAR(20) DEFAULT 007", "7"),
        ("DECIMAL(10,2) DEFAULT 1e+02", "100.00"),
        ("INT DEFAULT 2.5e+00", "2"),
        ("INT DEFAULT 2.5", "3"),
        ("INT DEFAULT _UTF8MB4'1.4'", "1"),
        ("INT UNSIGNED DEFAULT x'41'", "65"),
        ("DATETIME DEFAULT 20200102030405", "2020-01-02 03:04:05"),
        ("DATETIME(5) DEFAULT _UTF8MB4'2001-02-03 04:05:06.789'", "2001-02-03 04:05:06.78900"),
        ("DATE DEFAULT _UTF8MB4'20240131'", "2024-01-31"),
        ("TIME(1) DEFAULT 1.5", "00:00:01.5"),
        ("BIT(8) DEFAULT 'A'", "65"),
        ("CHAR(5) DEFAULT 'a  '", "a"),
        ("BINARY(2) DEFAULT 'x'", "eAA="),
        ("JSON NOT NULL DEFAULT ''", "null"),
    ],
)
def test_a_constant_default_is_cast_as_tidb_casts_it(definition: str, value: str) -> None:
    row, problems = added(definition)
    assert row == Projected({"id": "1", "c": value})
    assert problems == []


@pytest.mark.parametrize(
    ("of_table", "definition", "default"),
    [
        ("binary", "VARCHAR(4) DEFAULT x'00ff'", Default("AP8=")),
        ("binary", "CHAR(3) DEFAULT b'11111111'", Default("/wAA")),
        ("binary", "VARCHAR(4) DEFAULT _UTF8MB4'é'", Default("w6k=")),
        ("gbk", "VARCHAR(4) DEFAULT x'c4e3'", Default("你")),
        ("gbk", "ENUM('a','你') DEFAULT 0xC4E3", Default("你")),
        ("gbk", "VARBINARY(4) DEFAULT x'c4e3'", Default("xOM=")),
        ("gbk", "VARCHAR(4) DEFAULT _UTF8MB4'你'", Default("你")),
        ("utf8mb4", "VARCHAR(4) CHARACTER SET gbk DEFAULT x'c4e3'", Default("你")),
        ("gbk", "VARCHAR(4) CHARACTER SET utf8mb4 DEFAULT x'e4bda0'", Default("你")),
        ("gbk", "VARCHAR(4) DEFAULT x'ff'", Default(None, "ff")),
    ],
)
def test_a_hexadecimal_default_is_of_the_character_set_of_its_column(
    of_table: str, definition: str, default: Default
) -> None:
    create = f"{CREATE} CHARSET={of_table}"
    told = folded(create, f"ALTER TABLE t ADD c {definition}")
    type_alone, clause = definition.split(" DEFAULT ")
    later = folded(create, f"ALTER TABLE t ADD c {type_alone}", f"ALTER TABLE t ALTER c SET DEFAULT {clause}")
    for result in (told, later):
        last_column = column(last(result, "t"), "c")
        assert Default(last_column.default, last_column.default_expression) == default
    assert column(last(told, "t"), "c").added_value == default.text


@pytest.mark.parametrize(
    ("definition", "value"),
    [
        ("DATETIME(2) DEFAULT CURRENT_TIMESTAMP(2)", "2026-11-24 21:17:17.60"),
        ("TIMESTAMP NULL DEFAULT CURRENT_TIMESTAMP()", "2026-11-24 21:17:17"),
        ("DATE NOT NULL DEFAULT (CURRENT_DATE())", "2026-11-24"),
        ("DATETIME DEFAULT _UTF8MB4'2020-01-01 10:00:00+08:00'", None),
    ],
)
def test_what_the_session_decided_is_flagged_and_a_problem(definition: str, value: str | None) -> None:
    row, problems = added(definition)
    assert row == Projected({"id": "1", "c": value}, ("c:not_converted",))
    assert problems == [ProblemCode.DEFAULT_NOT_CONSTANT]


def test_a_flagged_value_stays_flagged_when_its_type_changes() -> None:
    row, _ = added("DATETIME(2) DEFAULT CURRENT_TIMESTAMP(2)", "ALTER TABLE t CHANGE c d DATE")
    assert row == Projected({"id": "1", "d": "2026-11-24"}, ("d:not_converted",))


def test_a_constant_timestamp_is_no_default_that_is_not_constant() -> None:
    constant = "TIMESTAMP NULL DEFAULT '2020-01-02 03:04:05'"
    assert added(constant) == (
        Projected({"id": "1", "c": "2020-01-02 03:04:05"}),
        [ProblemCode.DEFAULT_IN_SESSION_ZONE],
    )
    zero = "TIMESTAMP NOT NULL DEFAULT '0000-00-00 00:00:00'"
    assert added(zero) == (Projected({"id": "1", "c": "0000-00-00 00:00:00"}), [])


@pytest.mark.parametrize(
    "definition", ["TIMESTAMP NULL DEFAULT '2020-01-02 03:04:05'", "DATETIME DEFAULT '2020-01-02 03:04:05+05:00'"]
)
def test_a_default_that_the_message_tells_is_certain(definition: str) -> None:
    row = Projected({"id": "1", "c": "2020-01-01 22:04:05"})
    assert added(definition, default="2020-01-01 22:04:05") == (row, [])


@pytest.mark.parametrize("protocol", ["debezium", "debezium_avro"])
@pytest.mark.parametrize(
    ("literal", "value"),
    [
        ("2001-02-03", "2001-02-03 00:00:00.000"),
        ("20200102030405", "2020-01-02 03:04:05.000"),
        ("2001-02-03 04:05:06.7", "2001-02-03 04:05:06.700"),
    ],
)
def test_debezium_tells_a_default_as_the_session_wrote_it(protocol: str, literal: str, value: str) -> None:
    """The message of the DDL that defines a column has the text of its literal; later messages have another one."""
    assert added(f"TIMESTAMP(3) NULL DEFAULT '{literal}'", protocol=protocol, default=literal) == (
        Projected({"id": "1", "c": value}),
        [ProblemCode.DEFAULT_IN_SESSION_ZONE],
    )


def test_a_literal_with_an_offset_that_the_message_repeats_is_not_certain() -> None:
    literal = "2020-01-02 03:04:05+05:00"
    row, problems = added(f"DATETIME DEFAULT '{literal}'", protocol="debezium", default=literal)
    assert row == Projected({"id": "1", "c": None}, ("c:not_converted",))
    assert problems == [ProblemCode.DEFAULT_NOT_CONSTANT]


def test_no_message_tells_when_a_statement_began() -> None:
    row, problems = added("TIMESTAMP NULL DEFAULT CURRENT_TIMESTAMP()", default="CURRENT_TIMESTAMP")
    assert row.lossy == ("c:not_converted",)
    assert problems == [ProblemCode.DEFAULT_NOT_CONSTANT]


def test_a_literal_that_the_session_reads_is_an_expression() -> None:
    result = folded("CREATE TABLE t (a DATETIME DEFAULT '2020-01-01 10:00:00+08:00')")
    default = column(last(result, "t"), "a")
    assert Default(default.default, default.default_expression) == Default(None, "'2020-01-01 10:00:00+08:00'")
