"""The command's steps: loading columns, running dbt, writing results, generating files, and its errors."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from support.dumps import TIMESTAMP, line, tables_of, write
from support.project import write_project

from dbt_ticdc import build, cli, columns, feeds, last_run, package_path, results, summary, warehouse
from dbt_ticdc.errors import TicdcError
from ticdc_udfs.state import facts, queries

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def test_a_warehouse_without_messages_says_so(spark: SparkSession, home: Path) -> None:
    with pytest.raises(TicdcError, match=r"has no table `raw`\.messages; `ticdc run` makes it"):
        cli.redrive(spark, home, {"ticdc__messages_schema": "raw"})


FEED = {"name": "shop", "protocol": "canal_json", "topics": ["t"]}


@pytest.mark.parametrize(
    "content, expected",
    [
        ([FEED], {"ticdc__feeds": [FEED]}),
        ({"feeds": [FEED]}, {"ticdc__feeds": [FEED]}),
        (
            {"ticdc__feeds": [FEED], "ticdc__visibility": "latest"},
            {"ticdc__feeds": [FEED], "ticdc__visibility": "latest"},
        ),
        ({"name": "mine", "vars": {"ticdc__feeds": [FEED], "other": 1}}, {"ticdc__feeds": [FEED]}),
        ({"vars": {"ticdc": {"ticdc__feeds": [FEED]}}}, {"ticdc__feeds": [FEED]}),
        ([{"topics": ["2024-01-01"]}], {"ticdc__feeds": [{"topics": ["2024-01-01"]}]}),
    ],
)
def test_forms_of_the_feeds_file(tmp_path: Path, content: object, expected: Mapping[str, object]) -> None:
    # a date without quotes is a text, too
    in_yaml = yaml.safe_dump(content).replace("'2024-01-01'", "2024-01-01")
    for name, text in (("feeds.yml", in_yaml), ("feeds.json", json.dumps(content))):
        (tmp_path / name).write_text(text)
        assert feeds.read_vars(tmp_path / name) == expected


@pytest.mark.parametrize(
    "text, says",
    [
        ("", "holds nothing"),
        ("feeds", "holds a single str"),
        ("feeds: [", "no YAML"),
        ("feed: []", 'has the members "feed"'),
        ("ticdc__visibility: latest", "names no feeds"),
        ("{feeds: [], ticdc__feeds: []}", "has the members"),
        ("vars: {}", "names no feeds"),
        (
            "{feeds: [], ticdc__visibilty: latest}",
            "no variable ticdc__visibilty; allowed are ticdc__accept_lost_messages",
        ),
        ("vars: {ticdc__feeds: [], ticdc__Feeds: []}", "no variable ticdc__Feeds; allowed are"),
    ],
)
def test_a_wrong_feeds_file(tmp_path: Path, text: str, says: str) -> None:
    (tmp_path / "feeds.yml").write_text(text)
    with pytest.raises(TicdcError, match="--feeds") as caught:
        feeds.read_vars(tmp_path / "feeds.yml")
    assert says in str(caught.value)
    with pytest.raises(TicdcError, match="No such file"):
        feeds.read_vars(tmp_path / "none.yml")


def test_the_feeds_file_may_hold_every_variable_of_the_package() -> None:
    files = [file for kind in ("sql", "yml") for file in package_path().glob(f"m*/**/*.{kind}")]
    used = {name for file in files for name in re.findall(r"""\bvar\(["'](\w+)""", file.read_text())}
    assert used == feeds.VARIABLES


COLUMNS = [
    {"TABLE_SCHEMA": "s", "TABLE_NAME": "t", "COLUMN_NAME": name, "ORDINAL_POSITION": place, "COLUMN_TYPE": "int"}
    | {"COLUMN_DEFAULT": default, "TABLE_CATALOG": "def"}
    for place, (name, default) in enumerate([("id", None), ("a\u2028,b", "")], start=1)
]


def test_columns_are_replaced_when_the_file_changed(spark: SparkSession, home: Path, tmp_path: Path) -> None:
    spark.sql("create database if not exists exports")
    path = tmp_path / "columns.jsonl"
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in COLUMNS))
    table = columns.load(spark, path, "exports")

    def found() -> list[tuple[Any, ...]]:
        names = "column_name, ordinal_position, column_default, extra"
        return [tuple(row) for row in spark.sql(f"select {names} from {table} order by ordinal_position").collect()]

    assert found() == [("id", 1, None, None), ("a\u2028,b", 2, "", None)]
    before = tables_of(home)
    columns.load(spark, path, "exports")
    assert tables_of(home) == before

    path = tmp_path / "columns.csv"
    path.write_text(
        'table_schema,table_name,column_name,ordinal_position,column_type,column_default\ns,t,"a\nb",1,int,\\N\n'
    )
    columns.load(spark, path, "exports")
    assert found() == [("a\nb", 1, None, None)]


def test_a_run_with_another_file_of_columns_is_not_told_that_nothing_is_new(
    spark: SparkSession, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    built: list[object] = []
    monkeypatch.setattr(build, "build", lambda *arguments: built.append(arguments))
    path, dump = tmp_path / "columns.jsonl", write(tmp_path / "a.jsonl", [line(0)])

    def is_built(names: Sequence[str]) -> bool:
        rows = [{**row, "COLUMN_NAME": name} for row, name in zip(COLUMNS, names, strict=True)]
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        return cli.run(spark, home, {"ticdc__messages_schema": "with_columns"}, [dump], path)

    try:
        assert [is_built(names) for names in ("ab", "ab", "ac", "ac")] == [True, False, True, False]
    finally:
        spark.sql("drop database with_columns cascade")
        for name in ("last_build", "variables.json"):
            (warehouse.work_folder(home) / name).unlink(missing_ok=True)
    assert len(built) == 2


@pytest.mark.parametrize(
    "of_a, of_b",
    [
        (rb'"enum(\'\"\')","say \"hi\"","c\\d\""', rb'"int",\N,"NULL"'),
        (b'"enum(\'""\')","say ""hi""","c\\d"""', rb'"int",NULL,\\N'),
        (b'"enum(\'""\')","say ""hi""","c\\d"""', b'"int",NULL,"' + b"x" * 200_000 + b'"'),
    ],
)
def test_columns_in_csv_of_any_tool(tmp_path: Path, of_a: bytes, of_b: bytes) -> None:
    path = tmp_path / "columns.csv"
    head = b'"TABLE_SCHEMA","TABLE_NAME","COLUMN_NAME","ORDINAL_POSITION","COLUMN_TYPE","COLUMN_DEFAULT","EXTRA"\r\n'
    path.write_bytes(head + b'"s","t","a","1",%b\r\n"s","t","b",2,%b\r\n' % (of_a, of_b))
    found = [(row[2], *row[4:6], row[-1]) for row in columns._rows(path.read_bytes(), path)]
    assert found[0] == ("a", "enum('\"')", 'say "hi"', 'c\\d"')
    assert found[1][:3] == ("b", "int", None)


@pytest.mark.parametrize(
    "name, text, says",
    [
        ("c.jsonl", "{}", "line 1: no table_schema"),
        ("c.jsonl", "\n[1]", "line 2 is no JSON object"),
        ("c.csv", "table_schema,table_name,column_name,ordinal_position,column_type\ns,t,c,x,int\n", "row 1: ordinal"),
        (
            "c.csv",
            "table_schema,table_name,column_name,ordinal_position,column_type\ns,t,c,1,int\ns\n",
            "row 2: 1 fields, and the header names 5",
        ),
    ],
)
def test_a_wrong_columns_file(tmp_path: Path, name: str, text: str, says: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(TicdcError, match="--columns") as caught:
        columns.check(tmp_path / name)
    assert says in str(caught.value)


QUERY = """
select
    null as nothing, true as yes, 1L as whole, cast(0.1 as float) as small, 0.1d as big, double('NaN') as nan,
    cast(-0.000000012300 as decimal(20, 12)) as exact, x'00ff' as bytes, timestamp '2024-02-29 01:02:03.4 UTC' as at,
    timestamp_ntz '2024-02-29 01:02:03' as local, date '0000-01-01' as day, array(1, null) as list,
    named_struct('a', x'01', 'b', 1.50bd) as struct, map('k', 1) as map, 'a"\u2028\nb' as text, '' as empty
"""
EXPECTED = {
    "nothing": None,
    "yes": True,
    "whole": 1,
    "small": 0.1,
    "big": 0.1,
    "nan": "nan",
    "exact": "-0.000000012300",
    "bytes": "AP8=",
    "at": "2024-02-29T01:02:03.400000Z",
    "local": "2024-02-29T01:02:03.000000",
    "day": "0000-01-01",
    "list": [1, None],
    "struct": {"a": "AQ==", "b": "1.50"},
    "map": {"k": 1},
    "text": 'a"\u2028\nb',
    "empty": "",
}


def written(spark: SparkSession, query: str, form: str) -> str:
    out = io.StringIO(newline="")
    frame = spark.sql(query)
    results.WRITERS[form](frame.columns, results.rows_of(frame), out)
    return out.getvalue()


def test_json_lines(spark: SparkSession) -> None:
    assert json.loads(written(spark, QUERY, "json")) == EXPECTED
    assert written(spark, "select id from range(3) order by id", "json").split("\n") == [
        '{"id": 0}',
        '{"id": 1}',
        '{"id": 2}',
        "",
    ]
    with pytest.raises(TicdcError, match="several columns named a"):
        written(spark, "select 1 as a, 2 as a", "json")


def test_csv(spark: SparkSession) -> None:
    text = written(spark, "select 1 as a, null as a, 'x,\"y' as b, x'00' as c, array('z') as d", "csv")
    assert text == 'a,a,b,c,d\r\n1,,"x,""y",AA==,"[""z""]"\r\n'


def test_csv_tells_an_empty_text_from_null(spark: SparkSession) -> None:
    text = written(spark, "select '' as a, null as b, 'x' || char(10) || 'y' as c union all select null, '', ''", "csv")
    assert text == 'a,b,c\r\n"",,"x\ny"\r\n,"",""\r\n'


def test_table(spark: SparkSession) -> None:
    text = written(
        spark, "select 'a\tb' as `x y`, null as n, '表' as w union all select 'c', 1, repeat('d', 200)", "table"
    )
    assert text.split("\n")[:4] == [
        "x y   n     w",
        "----  ----  " + "-" * 120,
        "a\\tb  NULL  表",
        "c     1     " + "d" * 119 + "…",
    ]
    assert "… more rows than 1000" in written(spark, "select * from range(2000)", "table")


MODELS = {
    "dbt_project.yml": "name: ticdc\nversion: 1.0.0\nprofile: ticdc\nmodels: {+materialized: table}\n",
    "models/one.sql": "select count(*) as messages from {{ var('ticdc__messages_schema') }}.messages",
    "models/two.sql": "select messages from {{ ref('one') }}",
    "models/schema.yml": "models: [{name: two, columns: [{name: messages, data_tests: [not_null]}]}]\n"
    "unit_tests: [{name: not_run, model: two, given: [], expect: {rows: [{messages: 0}]}}]\n",
}


def test_a_run_builds_only_what_is_new(
    spark: SparkSession,
    home: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    package = write_project(tmp_path / "package", MODELS)
    monkeypatch.setattr(cli, "package_path", lambda: package)
    monkeypatch.setenv("DBT_TARGET", "of another project")
    dump = write(tmp_path / "a.jsonl", [line(0), line(1)])

    def run(variables: dict[str, object] | None = None, full_refresh: bool = False) -> tuple[bool, str]:
        variables = {"ticdc__feeds": [FEED], "ticdc__messages_schema": "raw_run"} | (variables or {})
        built = cli.run(spark, home, variables, [dump], full_refresh=full_refresh)
        shown = capfd.readouterr()
        assert shown.out == ""
        return built, shown.err

    cwd = Path.cwd()
    built, progress = run()
    assert built
    assert "2 new of 2" in progress
    assert [text.split("  ")[:2] for text in progress.split("\n")[1:-1]] == [
        ["[1/3] one", "ok"],
        ["[2/3] two", "ok"],
        ["[3/3] not_null_two_messages", "ok"],
    ]
    assert spark.table("two").collect() == [(2,)]
    assert Path.cwd() == cwd
    assert sorted(path.name for path in package.iterdir()) == ["dbt_project.yml", "models"]

    before = tables_of(home)
    built, progress = run()
    assert not built
    assert "nothing is new" in progress
    assert tables_of(home) == before

    assert run(full_refresh=True)[0]
    assert run({"ticdc__visibility": "latest"})[0]
    write(dump, [line(0), line(1), line(2)])
    assert run()[0]
    assert spark.table("two").collect() == [(3,)]

    (package / "models" / "two.sql").write_text("select messages, assert_true(false) from {{ ref('one') }}")
    with pytest.raises(build.NodesFailed, match=r"1 node\(s\) failed, 1 that need them were skipped\ntwo: ") as caught:
        run()
    assert "\tat org." not in str(caught.value)
    (package / "models" / "two.sql").write_text("select cast(null as bigint) as messages from {{ ref('one') }}")
    with pytest.raises(build.NodesFailed, match="not_null_two_messages: Got 1 result"):
        run()
    (package / "models" / "two.sql").write_text("{{ exceptions.raise_compiler_error('the configuration is wrong') }}")
    with pytest.raises(TicdcError, match="the configuration is wrong") as wrong:
        run()
    assert wrong.value.exit_code == 1
    assert "in macro" not in str(wrong.value)


def test_fingerprint_tells_what_changed(tmp_path: Path) -> None:
    package = write_project(tmp_path, MODELS)
    first = build.fingerprint(package, {"a": [1]}, 5)
    assert build.fingerprint(package, {"a": [1]}, 5) == first
    assert build.fingerprint(package, {"a": [2]}, 5) != first
    assert build.fingerprint(package, {"a": [1]}, 6) != first
    (package / "models" / "one.sql").write_text("select 1")
    assert build.fingerprint(package, {"a": [1]}, 5) != first


def test_the_same_run_again_says_what_the_last_one_said(tmp_path: Path) -> None:
    package, home, dump = write_project(tmp_path, MODELS), tmp_path / "home", tmp_path / "dump.jsonl"
    table = home / "tables" / "raw.db" / "messages"
    table.mkdir(parents=True)
    (home / "work").mkdir()
    write(dump, [line(0)])
    asked_for = last_run.request(package, {"a": 1}, [dump])
    assert last_run.recall(home, asked_for) is None
    last_run.remember(home, asked_for, "3 rows\n")
    assert last_run.recall(home, asked_for) == "3 rows\n"
    assert last_run.recall(home, last_run.request(package, {"a": 2}, [dump])) is None
    write(dump, [line(0), line(1)])
    assert last_run.recall(home, last_run.request(package, {"a": 1}, [dump])) is None
    (table / "part.parquet").touch()
    assert last_run.recall(home, asked_for) is None
    (home / "work" / "last_run.json").write_text("{")
    assert last_run.recall(home, asked_for) is None


@pytest.fixture(scope="module")
def marts(spark: SparkSession) -> None:
    """Marts of a feed with one odd table, in the columns that design and models give them."""
    tso = TIMESTAMP << 18
    table = "'f' as feed, 's' as schema_name, 'a\\nb' as table_name"
    for name, query in {
        "tables": f"{table}, 'shop.`odd`' as current_relation, 1234L as row_count, {tso}L as last_commit_ts",
        "completeness": f"'f' as feed, {tso}L as complete_through_ts",
        "dead_letters": "1 as offset from range(2)",
        "problems": f"{table}, 'warning' as severity, 'lossy' as code, 'why' as detail, 'do that' as remedy "
        "from range(2)",
    }.items():
        spark.sql(f"create table ticdc__{name} as select {query}")
    spark.sql("create view int_ticdc__sized_tables as select * from ticdc__tables")


def test_a_report_has_the_problems_of_the_summary(spark: SparkSession, marts: None) -> None:
    (query,) = queries.queries(queries.RELATIONS, ("problems",)).values()
    asked = facts.of(0, 0, {"problems": spark.sql(query).collect()[0][0]}).problems
    rows = summary.found(spark).problems
    assert asked == facts.kinds_of_problems(row.asDict() for row in rows) != ()


def test_summary(spark: SparkSession, marts: None) -> None:
    text = summary.text(summary.found(spark))
    assert "feed f: 1 table, 1,234 rows, complete through 2023-11-14 22:13:20.123 UTC\n" in text
    assert "\ns.a\\nb          shop.`odd`   1,234  2023-11-14 22:13:20.123         2\n" in text
    assert "problems: 2 warnings\n  warning lossy, 2 times in feed f: s.a\\nb\n    why (the first)\n" in text
    assert "dead letters: 2 (see ticdc__dead_letters)\n" in text


def ticdc(*arguments: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    paths = [str(Path(cli.__file__).parents[1]), *filter(None, [os.environ.get("PYTHONPATH")])]
    kept = {name: value for name, value in os.environ.items() if name != "JAVA_HOME"}
    return subprocess.run(
        [sys.executable, "-m", "dbt_ticdc.cli", *map(str, arguments)],
        env={**kept, "PYTHONPATH": os.pathsep.join(paths), **environment},
        capture_output=True,
        text=True,
    )


@pytest.mark.parametrize("port", ["abc", "-1", "65536", ""])
def test_a_wrong_port_says_what_is_allowed(port: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        cli.main(["serve", f"--port={port}"])
    assert f"argument --port: {port} is no port; allowed are 0 to 65535" in capsys.readouterr().err


def test_wrong_usage_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    write(tmp_path / "full" / "a.jsonl", [line(0)])
    dump = tmp_path / "full" / "a.jsonl"
    (tmp_path / "strange" / "metastore").mkdir(parents=True)
    cases: list[tuple[list[str | Path], str]] = [
        (["run", "--messages", tmp_path / "none"], "there is no file or folder"),
        (["run", "--messages", dump, "--feeds", tmp_path / "none"], "--feeds"),
        (["run", "--messages", dump, "--columns", tmp_path / "none"], "--columns"),
        (["run", "--messages", dump, "--warehouse", tmp_path / "full"], "neither a warehouse nor an empty folder"),
        (["sql", "select 1", "--warehouse", tmp_path / "none"], "no warehouse is in"),
        (["codegen", "--feed", "f", "--warehouse", tmp_path / "none"], "no warehouse is in"),
        (["redrive", "--warehouse", tmp_path / "none"], "no warehouse is in"),
        (["redrive", "--warehouse", tmp_path / "strange"], "does not know its feeds: name them with --feeds"),
        (["compare", "--truth", tmp_path / "none", "--warehouse", tmp_path / "none"], "no warehouse is in"),
    ]
    for arguments, says in cases:
        done = ticdc(*arguments)
        assert done.returncode == 2, done.stderr
        last = done.stderr.strip().split("\n")[-1]
        assert last.startswith("ticdc: ")
        assert says in last
        assert "Traceback" not in done.stderr
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize(
    "arguments, says",
    [
        (["--as-of", "-5"], "-5 is no TSO"),
        (["--as-of", "9" * 19], "is no TSO; allowed is a number"),
        (["--time-zone", "Asia"], "Asia is no time zone"),
        (["--time-zone", "+08:00"], "+08:00 is no time zone"),
    ],
)
def test_a_wrong_argument_of_compare_is_explained(
    arguments: Sequence[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match="2"):
        cli.main(["compare", "--truth", "export", *arguments])
    assert says in capsys.readouterr().err


def test_missing_java_is_explained(tmp_path: Path) -> None:
    dump = write(tmp_path / "a.jsonl", [line(0)])
    old = tmp_path / "old" / "bin" / "java"
    old.parent.mkdir(parents=True)
    old.write_text("#!/bin/sh\necho 'openjdk version \"11.0.2\" 2019-01-15' >&2\n")
    old.chmod(0o755)
    for environment, says in (
        ({"PATH": str(tmp_path)}, "no Java was found"),
        ({"JAVA_HOME": str(tmp_path / "gone")}, "cannot be run"),
        ({"JAVA_HOME": str(tmp_path / "old")}, "is Java of version 11"),
    ):
        done = ticdc("run", "--messages", dump, "--warehouse", tmp_path / "w", **environment)
        assert done.returncode == 2
        assert says in done.stderr
        assert "Spark needs Java 17 or newer" in done.stderr
    assert not (tmp_path / "w").exists()


def test_java_is_given_one_collector() -> None:
    options = warehouse.java_options({"JAVA_TOOL_OPTIONS": "-Dfile.encoding=UTF-8"})
    subprocess.run(
        [str(warehouse.java_command()), *options.split(), "-Xmx2g", "-version"], check=True, capture_output=True
    )
    assert warehouse.java_options({"JAVA_TOOL_OPTIONS": "-Xss4m -XX:+UseZGC"}) == ""


def test_views_of_wide_tables(spark: SparkSession) -> None:
    """Tables have up to 1,017 columns in TiDB by default; Derby takes texts of 32,700 characters unless told else."""
    columns = ", ".join(f"{place} as `a column with a long name {place}`" for place in range(1017))
    spark.sql(f"create view default.wide as select {columns}")
    spark.sql(f"create or replace view default.wide as select {columns}, 1 as more")
    assert len(spark.table("default.wide").columns) == 1018
    spark.sql("drop view default.wide")


@pytest.mark.soak("processes")
def test_another_spark_or_hadoop_of_the_machine_is_left_alone(tmp_path: Path) -> None:
    for name, key, value in (
        ("core-site.xml", "fs.defaultFS", "hdfs://127.0.0.1:1"),
        ("hive-site.xml", "hive.metastore.uris", "thrift://127.0.0.1:1"),
    ):
        setting = f"<property><name>{key}</name><value>{value}</value></property>"
        (tmp_path / name).write_text(f"<configuration>{setting}</configuration>", encoding="utf-8")
    makes_a_table(
        tmp_path / "home", HADOOP_CONF_DIR=str(tmp_path), SPARK_HOME=str(tmp_path), SPARK_REMOTE="sc://127.0.0.1:1"
    )


@pytest.mark.soak("processes")
def test_a_catalogue_that_a_killed_run_was_making_is_made_anew(tmp_path: Path) -> None:
    """Derby writes `service.properties` at its end, and opens no database without it."""
    warehouse.work_folder(tmp_path).mkdir()
    (tmp_path / "metastore" / "db" / "seg0").mkdir(parents=True)
    makes_a_table(tmp_path)


def makes_a_table(home: Path, **environment: str) -> None:
    """A process that opens the warehouse makes a table there."""
    code = (
        "from pathlib import Path; from dbt_ticdc import warehouse; "
        f"spark = warehouse.open_session(Path({str(home)!r})); "
        "spark.sql('create table t using parquet as select 1 as n'); print(spark.table('t').count()); spark.stop()"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, env={**os.environ, **environment}, capture_output=True, text=True, check=False)
    assert done.stdout == "1\n", done.stderr
    assert [path.name for path in (home / "tables").rglob("t")] == ["t"]
