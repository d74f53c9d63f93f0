"""`ticdc compare`: exports of TiDB are read as they are written, and what differs is found, named and counted."""

from __future__ import annotations

import gzip
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from support.exported import file_name

from dbt_ticdc import compare, target, truth, upstream
from dbt_ticdc.errors import TicdcError
from dbt_ticdc.truth import Column, Form

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

KEY = Column("id", "bigint(20)", is_key=True)


def read(path: Path, *columns: Column, form: Form | None = None) -> list[dict[str, str | None]]:
    return list(truth.rows(path, columns, form or Form()))


def write(path: Path, content: bytes) -> Path:
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    return path


def test_files_tell_their_tables(tmp_path: Path) -> None:
    names = [
        "metadata",
        "shop-schema-create.sql",
        "shop.orders-schema.sql",
        "shop.orders.000000001.csv.gz",
        "shop.orders.000000002.csv.gz",
        "shop.dot%2Eted.jsonl",
        "shop.empty-schema.sql.gz",
        "shop.v-schema.sql",
        "shop.v-schema-view.sql",
    ]
    for name in names:
        (tmp_path / name).touch()
    found = {table: [path.name for path in paths] for table, paths in truth.find(tmp_path).items()}
    assert found == {("shop", "orders"): names[3:5], ("shop", "dot.ted"): names[5:6], ("shop", "empty"): []}

    odd = ("a.b", "c d-schema/ü")
    (tmp_path / f"{file_name(odd)}.jsonl").touch()
    assert odd in truth.find(tmp_path)


@pytest.mark.parametrize(
    "name",
    [
        "orders.csv",
        "shop.orders.000000000.sql",
        "shop.orders.000000000.csv.zst",
        "shop.orders.csv.snappy",
        "s.t.parquet",
    ],
)
def test_a_data_file_is_never_passed_over(tmp_path: Path, name: str) -> None:
    for file in (name, "shop.orders-schema.sql", "shop.bills.csv"):
        (tmp_path / file).touch()
    with pytest.raises(TicdcError, match=rf"{name} cannot be read; allowed are schema\.table\.csv"):
        truth.find(tmp_path)


@pytest.mark.parametrize("folder", ["none", "empty"])
def test_a_folder_without_exports(tmp_path: Path, folder: str) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(TicdcError, match=folder):
        truth.find(tmp_path / folder)


def test_csv_of_dumpling(tmp_path: Path) -> None:
    content = (
        b'"id","a ""b"" \\" c","raw","bits"\r\n'
        b'1,"x,\\"y\\"\\n\\\\n\\0z","\\\\\xff\\0\\r",\\N\r\n'
        b'2,\\N,"","\x03\xff"\n'
        b'3,"\\N","a\nb",\\N'
    )
    columns = (Column("raw", "varbinary(9)"), Column("bits", "bit(10)"), KEY)
    rows = read(write(tmp_path / "s.t.csv.gz", content), *columns)
    name = 'a "b" " c'
    assert rows == [
        {"raw": "XP8ADQ==", "bits": None, "id": "1", name: 'x,"y"\n\\n\0z'},
        {"raw": "", "bits": "1023", "id": "2", name: None},
        {"raw": "YQpi", "bits": None, "id": "3", name: "N"},
    ]
    assert list(rows[0]) == ["raw", "bits", "id", name]


def test_csv_without_backslashes(tmp_path: Path) -> None:
    path = write(tmp_path / "s.t.csv", b'\xef\xbb\xbfid,v\n1,"c:\\n ""x"""\n\n2,\\N\n3,\\\n')
    assert read(path, form=Form(backslash=False)) == [
        {"id": "1", "v": 'c:\\n "x"'},
        {"id": "2", "v": None},
        {"id": "3", "v": "\\"},
    ]


def test_csv_without_quotes(tmp_path: Path) -> None:
    path = write(tmp_path / "s.t.csv", b'id,v\n1,a\\,b\\\nc\\"\n2,\\\\N\n')
    assert read(path) == [{"id": "1", "v": 'a,b\nc"'}, {"id": "2", "v": "\\N"}]


def test_json_lines(tmp_path: Path) -> None:
    content = b'{"id": 18446744073709551615, "d": 1.10, "b": "/wA=", "t": true, "n": null, "v": 5}\n\n'
    columns = (KEY, Column("b", "blob"), Column("v", "int", generated="virtual"))
    path = write(tmp_path / "s.t.jsonl", content)
    assert read(path, *columns) == [{"id": "18446744073709551615", "b": "/wA=", "d": "1.10", "t": "1", "n": None}]


@pytest.mark.parametrize(
    "column_type, text, form, canonical",
    [
        ("float", "1.100000023841858", Form(), "1.1"),
        ("float unsigned", "3.4028235e38", Form(), "340282350000000000000000000000000000000"),
        ("double", "1e-5", Form(), "0.00001"),
        ("year(4)", "0", Form(), "0000"),
        ("int(5) unsigned zerofill", "00042", Form(), "42"),
        ("int(5) unsigned zerofill", "00000", Form(), "0"),
        ("int unsigned", "00042", Form(), "42"),
        ("decimal(6,2) unsigned", "0000.50", Form(), "0.50"),
        ("enum('007','zerofill')", "007", Form(), "007"),
        ("timestamp(3)", "2024-01-01 08:00:00.120", Form(time_zone="Asia/Shanghai"), "2024-01-01 00:00:00.120"),
        ("timestamp", "0000-00-00 00:00:00", Form(time_zone="Asia/Shanghai"), "0000-00-00 00:00:00"),
        ("datetime", "2024-01-01 08:00:00", Form(time_zone="Asia/Shanghai"), "2024-01-01 08:00:00"),
        ("binary(2)", "ff00", Form("hex"), "/wA="),
        ("blob", "0xFF00", Form("hex"), "/wA="),
        ("varbinary(4)", "/wA=", Form("base64"), "/wA="),
        ("bit(10)", "03ff", Form("hex"), "1023"),
        ("decimal(5,2)", "1.10", Form(), "1.10"),
        ("enum('a','b')", "b", Form(), "b"),
    ],
)
def test_values_become_canonical_text(tmp_path: Path, column_type: str, text: str, form: Form, canonical: str) -> None:
    path = write(tmp_path / "s.t.csv", f'c\n"{text}"\n'.encode())
    assert read(path, Column("c", column_type), form=form) == [{"c": canonical}]


BAD_FILES = {
    "too few fields": ("csv", b'id,v\n1,a\n"SECRET"\n', "row 2: 1 fields, and the header names 2"),
    "open quotes": ("csv", b'id,v\n1,a\n2,"SECRET\n', "row 2: a field's quotes are not closed"),
    "text after quotes": ("csv", b'id,v\n1,"SECRET"x\n', "row 1: a field's quotes are not closed, or text follows"),
    "a column twice": ("csv", b"id,id\n1,2\n", "the header names a column twice"),
    "no number": ("csv", b"id,f\n1,SECRET\n", "row 1: column f holds no double"),
    "no header": ("csv", b"1,SECRET\n2,b\n", "row 1: no column id, by which rows are told apart"),
    "no key": ("jsonl", b'{"id": 1}\n{"v": "SECRET"}\n', "row 2: no column id, by which"),
    "a list": ("jsonl", b'{"id": 1}\n["SECRET"]\n', "row 2: no JSON object"),
    "a value within a value": ("jsonl", b'{"id": {"SECRET": 1}}\n', "row 1: no JSON object whose values are texts"),
    "cut": ("jsonl.gz", gzip.compress(b'{"id": 1}\n' * 1000)[:-12], "row "),
}


@pytest.mark.parametrize("ending, content, says", BAD_FILES.values(), ids=BAD_FILES)
def test_a_file_that_cannot_be_read_is_explained(tmp_path: Path, ending: str, content: bytes, says: str) -> None:
    path = tmp_path / f"s.t.{ending}"
    path.write_bytes(content)
    with pytest.raises(TicdcError) as raised:
        read(path, KEY, Column("f", "double"))
    assert str(raised.value).startswith(f"--truth: {path}, ")
    assert says in str(raised.value)
    assert "SECRET" not in str(raised.value)


def test_a_table_without_key_needs_what_dumpling_leaves_out(tmp_path: Path) -> None:
    path = write(tmp_path / "s.t.jsonl", b'{"a": 1}\n')
    assert read(path, Column("a", "int"), Column("v", "int", generated="virtual")) == [{"a": "1"}]
    with pytest.raises(TicdcError, match="no column s, by which rows are told apart"):
        read(path, Column("a", "int"), Column("s", "int", generated="stored"))


def test_a_row_is_judged_cell_by_cell() -> None:
    columns = (KEY, Column("f", "float"), Column("s", "int", generated="stored"))
    there = {"id": "1", "f": "1.10", "a": "x", "b": None}
    here = {"id": "1", "f": "1.1", "a": "y", "b": "", "s": "2", "c": "3"}
    assert compare.judged(there, here, (), columns) == (5, 0, 3, 0, 0, "a, b, c")
    assert compare.judged(there, here, ("a:invalid_utf8", "*:no_key"), columns) == (5, 1, 2, 0, 0, "b, c")
    # a row of which only the key came
    assert compare.judged(there, {"id": "1"}, ("*:handle_key_only",), columns) == (4, 3, 0, 0, 0, None)
    assert compare.judged(there, {"id": "2"}, ("*:handle_key_only",), columns) == (4, 3, 1, 0, 0, "id")
    assert compare.judged(there, None, (), columns).missing == 1
    assert compare.judged(None, here, (), columns).extra == 1
    shown = compare.judged(there, here, (), columns, with_values=True).difference
    assert shown == 'a: upstream "x", here "y"; b: upstream null, here ""; c: upstream no such column, here "3"'


@pytest.fixture
def proof(spark: SparkSession) -> Iterator[SparkSession]:
    """Marts with a few tables of the feed `f`."""
    before = spark.catalog.currentDatabase()
    spark.sql("create database proof")
    spark.sql("use proof")
    spark.sql("create table ticdc__completeness as select 'f' as feed, 7L as complete_through_ts")
    columns = ", ".join(
        f"('f', '{table}', '{name}', {place}, '{kind}', {key})"
        for table, named in {
            "same": [("id", "int", "1"), ("v", "text", "null")],
            "other": [("id", "int", "1"), ("v", "text", "null")],
            "keyless": [("v", "text", "null")],
            "gone": [("id", "int", "1")],
        }.items()
        for place, (name, kind, key) in enumerate(named)
    )
    spark.sql(
        "create table ticdc__columns as select feed, 's' as schema_name, table_name, column_name, ordinal_position, "
        "column_type, key_position, cast(null as string) as generated, 0L as valid_from_ts, "
        f"cast(null as bigint) as valid_to_ts from values {columns} "
        "as t(feed, table_name, column_name, ordinal_position, column_type, key_position)"
    )
    spark.sql(
        "create table rows as select 'f' as feed, 'same' as table_name, id, "
        "to_json(struct(cast(id as string) as id)) as row_key, "
        "to_json(struct(cast(id as string) as id, concat('v', id) as v)) as row, "
        "cast(null as array<string>) as lossy from range(1000)"
    )
    spark.sql("insert into rows select feed, 'other', id, row_key, row, lossy from rows")
    spark.sql(
        """insert into rows select 'f', table_name, 0, row_key, '{"v":"a"}', array('*:no_key') from values
        ('keyless', '{"v":"a"}'), ('keyless', '{"v":"a","":"2"}'), ('new', '{"v":"a"}') as t(table_name, row_key)"""
    )
    spark.sql("insert into rows select 'g', table_name, id, row_key, row, lossy from rows")
    spark.sql(
        "create function ticdc__rows_as_of(tso bigint) returns table return "
        "select feed, 's' as schema_name, table_name, row_key, row, lossy from rows where tso = 7"
    )
    yield spark
    spark.sql(f"use `{before}`")
    spark.sql("drop database proof cascade")


def lines(rows: Sequence[tuple[int, str]]) -> bytes:
    return "".join(f'{{"id": {number}, "v": "{text}"}}\n' for number, text in rows).encode()


def test_differences_are_found_by_chunk_and_row(proof: SparkSession, tmp_path: Path) -> None:
    rows = [(number, f"v{number}") for number in range(1000)]
    write(tmp_path / "s.same.1.jsonl", lines(rows[:500]))
    write(tmp_path / "s.same.2.jsonl.gz", lines(rows[500:]))
    changed = [*rows[:10], (10, "x"), *rows[12:], (5000, "new")]
    write(tmp_path / "s.other.jsonl", lines(changed))
    write(tmp_path / "s.keyless.jsonl", b'{"v": "a"}\n' * 3 + b'{"v": "b"}\n')
    (tmp_path / "s.gone-schema.sql").touch()

    ask = target.of_session(proof)
    feed, commit_ts = compare.feed_and_commit(ask, None, None)
    assert (feed, commit_ts) == ("f", 7)
    columns = compare.columns_as_of(ask, feed, commit_ts)
    report = compare.compare(ask, feed, commit_ts, truth.find(tmp_path), Form(), columns)
    assert not report.is_equal
    assert {table[1]: [tally.rows, *compare.counts(tally)] for table, tally in report.tables.items()} == {
        "same": [1000, 2000, 0, 0, 0, 0],
        "other": [1000, 1998, 0, 1, 1, 1],
        "keyless": [4, 2, 0, 0, 2, 0],
        "gone": [0, 0, 0, 0, 0, 0],
    }
    text = report.text()
    assert text.endswith("s.new (1)\n\ndifferent: 2 of 4 tables\n")
    assert '\ns.other:\n  {"id":"10"} v\n  {"id":"11"} is not upstream\n  {"id":"5000"} is missing\n' in text
    assert "v10" not in text
    # by several processes, and a chunk of rows at a time
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compare, "_BYTES_FOR_ONE_PROCESS", 0)
        patch.setattr(compare, "_ROWS_AT_ONCE", 1)
        assert compare.compare(ask, feed, commit_ts, truth.find(tmp_path), Form(), columns) == report
    # of a table without key a key is all values
    assert "\ns.keyless:\n  a row without key is missing\n  a row without key is missing\n" in text

    (tmp_path / "s.other.jsonl").unlink()
    (tmp_path / "s.keyless.jsonl").unlink()
    assert compare.compare(ask, feed, commit_ts, truth.find(tmp_path), Form(), columns).text().endswith("equal\n")

    write(tmp_path / "s.same.3.jsonl", b"SECRET")
    with pytest.raises(TicdcError, match=r"same\.3\.jsonl, row 1: no JSON object"):
        compare.compare(ask, feed, commit_ts, truth.find(tmp_path), Form(), columns)
    with pytest.raises(TicdcError, match="feeds that are there: f"):
        compare.feed_and_commit(ask, "h", None)
    assert compare.feed_and_commit(ask, "f", 0) == ("f", 0)
    proof.sql("insert into ticdc__completeness values ('z', 0)")
    with pytest.raises(TicdcError, match="z is not complete through any commit yet"):
        compare.feed_and_commit(ask, "z", None)
    with pytest.raises(TicdcError, match="no table of the feed f is known as of commit 7: nothing is compared"):
        compare.compare(ask, feed, commit_ts, {}, Form(), {})


class FakeCursor:
    """What TiDB would answer."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, object]] = []
        self.rows = [[b"1", b"\xff\0", b"\x03\xff", "ü\xff".encode("latin-1"), None]]

    def execute(self, query: str, args: object = None, /) -> None:
        self.asked.append((query, args))

    def fetchall(self) -> list[list[bytes | None]]:
        if self.asked[-1][1] == ("s", "gone"):
            return []
        types = {"i`d": b"bigint(20)", "b": b"varbinary(9)", "bits": b"bit(10)", "t": b"text", "n": b"double"}
        known: list[list[bytes | None]] = [[name.encode(), of, b""] for name, of in types.items()]
        return [*known, [b"v", b"int(11)", b"VIRTUAL GENERATED"]]

    def fetchmany(self, size: int, /) -> list[list[bytes | None]]:
        rows, self.rows = self.rows, []
        return rows  # type: ignore[return-value]


def test_rows_are_read_as_of_the_commit(tmp_path: Path) -> None:
    cursor = FakeCursor()
    upstream.go_to(cursor, 470610924950257664)
    path = tmp_path / "0.jsonl"
    assert upstream.write(cursor, ("s", "a`.t"), path)
    columns = (Column("b", "varbinary(9)"), Column("bits", "bit(10)"))
    assert read(path, *columns) == [{"b": "/wA=", "bits": "1023", "i`d": "1", "t": "\ufffd\ufffd", "n": None}]
    assert not upstream.write(cursor, ("s", "gone"), path)
    asked = [query for query, _ in cursor.asked]
    assert asked[:2] == ["set session time_zone = '+00:00'", "set session tidb_snapshot = '470610924950257664'"]
    assert asked[3] == "select `i``d`, `b`, `bits`, `t`, `n` from `s`.`a``.t`"


def test_the_url_of_tidb(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(upstream.PASSWORD, "geheim")
    settings = {"host": "::1", "port": 4000, "user": "a@b", "password": "geheim"}
    assert upstream.connection_settings("mysql://a%40b@[::1]") == settings
    ssl = {"ca": "/ca.pem", "check_hostname": True}
    assert upstream.connection_settings("mysql://u@h:1?ssl_ca=/ca.pem")["ssl"] == ssl
    wrong = ["mysql://u:SECRET@h", "mysql://h", "postgres://u@h", "mysql://u@h:x", "mysql://u@h?a=b"]
    for url in (*wrong, "mysql://u@h?ssl_ca=", "mysql://u@h?ssl_ca", "mysql://u@h/schema"):
        with pytest.raises(TicdcError, match="--mysql: ") as raised:
            upstream.connection_settings(url)
        assert "SECRET" not in str(raised.value)


def test_a_ca_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(TicdcError, match=rf"--mysql: .*{tmp_path}/ca\.pem"):
        upstream.export(f"mysql://u@127.0.0.1:1?ssl_ca={tmp_path}/ca.pem", 7, [("s", "t")], tmp_path)


def test_tables_with_long_names_are_exported(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    class Connection:
        """What the driver gives."""

        def __enter__(self) -> Connection:
            return self

        def __exit__(self, *error: object) -> None:
            pass

        @contextmanager
        def cursor(self) -> Iterator[FakeCursor]:
            yield FakeCursor()

    pymysql = pytest.importorskip("pymysql")
    monkeypatch.setattr(pymysql, "connect", lambda **settings: Connection())
    tables = [("表" * 64, "名" * 64), ("s", "gone")]
    files = upstream.export("mysql://u@h", 7, tables, tmp_path)
    assert [len(files[table]) for table in tables] == [1, 0]
