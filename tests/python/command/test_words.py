"""What the command says when something is wrong, read and approved here: what, the value got, what is allowed, where.

None of it needs Spark: what is wrong is said in a second.
"""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

import pytest
import yaml

from dbt_ticdc import cli, prompt
from dbt_ticdc.errors import TicdcError

PROTOCOLS = "avro, canal_json, debezium, debezium_avro, open_protocol, simple, storage_canal_json, storage_csv"
MEMBERS = (
    "name, protocol, source, topics, finished_topics, partitions, keep_messages, options, target_schema, tables, "
    "typed_relations"
)
OPTIONS = "time_zone, session_time_zone, compression, claim_check"
FEED = {"name": "shop", "protocol": "canal_json", "topics": ["shop"]}


# The feeds, and what is said of them.
FEEDS: dict[str, tuple[object, str | None]] = {
    "TiCDC's spelling of a protocol": ([{**FEED, "protocol": "canal-json"}], None),
    "all at once": (
        [
            {**FEED, "protocol": "canal-jsn", "partition": 3},
            {**FEED, "name": "other", "options": {"compresion": "lz4", "time-zone": "UTC"}},
        ],
        f"""there are 4 problems in the configuration
  - ticdc__feeds[0]: unknown member "partition", did you mean partitions? allowed: {MEMBERS}
  - ticdc__feeds[0].protocol: got "canal-jsn", did you mean canal_json? allowed: {PROTOCOLS}
  - ticdc__feeds[1].options: unknown option "compresion", did you mean compression? allowed for canal_json: {OPTIONS}
  - ticdc__feeds[1].options: unknown option "time-zone", did you mean time_zone? allowed for canal_json: {OPTIONS}""",
    ),
    "no topics": (
        [{"name": "shop", "protocol": "canal_json"}],
        """there is a problem in the configuration
  - ticdc__feeds[0].topics: got null, expected a list of SQL like patterns""",
    ),
    "no feed": (
        [],
        """there is a problem in the configuration
  - ticdc__feeds: got [], expected a list of at least one feed (vars in dbt_project.yml)""",
    ),
    "schemas that are not there": (
        [{**FEED, "protocol": "avro", "options": {"schemas": "nowhere/registry.json"}}],
        """there is a problem in the configuration
  - ticdc__feeds[0].options.schemas: there is no file nowhere/registry.json""",
    ),
}


@pytest.mark.parametrize("case", FEEDS)
def test_a_configuration_is_checked_before_spark_is_opened(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    feeds, expected = FEEDS[case]
    file, dump = tmp_path / "feeds.yml", tmp_path / "dump.jsonl"
    file.write_text(yaml.safe_dump({"feeds": feeds}))
    dump.touch()
    opened: list[object] = []

    def open_session(folder: Path, variables: dict[str, object], *settings: object) -> None:
        opened.append(variables)
        raise TicdcError("Spark was opened")

    monkeypatch.setattr(cli, "_open_to_build", open_session)
    arguments = ["run", "--messages", str(dump), "--feeds", str(file), "--warehouse", str(tmp_path / "w")]
    assert cli.main(arguments) == 2
    said = capsys.readouterr().err
    if expected is None:
        assert opened and opened[0]["ticdc__feeds"][0]["protocol"] == "canal_json"  # type: ignore[index]
    else:
        assert said == f"ticdc: --feeds {file}: {expected}\n"
        assert not opened


# The arguments, the exit code, and the first line of what is said.
ARGUMENTS: dict[str, tuple[Sequence[str], int, str]] = {
    "a dump that is not there": (
        ["run", "--messages", "nowhere.jsonl"],
        2,
        "ticdc: --messages: there is no file or folder nowhere.jsonl",
    ),
    "a file of feeds that is not there": (
        ["run", "--messages", "nowhere.jsonl", "--feeds", "none.yml"],
        2,
        "ticdc: --feeds: none.yml cannot be read: No such file or directory",
    ),
    "no messages": (
        ["run"],
        2,
        "ticdc: say where the messages are: --messages, --kafka, or --feeds with a `source` for each feed",
    ),
    "a protocol that is none": (
        ["run", "--kafka", "h:9092", "--topics", "a", "--protocol", "json"],
        2,
        "ticdc: --kafka: there is a problem in the configuration",
    ),
    "a warehouse that is not there": (
        ["sql", "select 1", "--warehouse", "none"],
        2,
        "ticdc: no warehouse is in none; `ticdc run` makes one, --warehouse names another folder",
    ),
    "the status of a warehouse that is not there": (
        ["status", "--warehouse", "none"],
        2,
        "ticdc: no warehouse is in none; `ticdc run` makes one, --warehouse names another folder",
    ),
    "a server that is not there": (
        ["status", "--thrift", "127.0.0.1:1"],
        1,
        "ticdc: --thrift: nothing answers at 127.0.0.1:1: Connection refused\n",
    ),
    "a file of feeds that is no YAML": (
        ["run", "--messages", "dump.jsonl", "--feeds", "bad.yml"],
        2,
        "ticdc: --feeds: bad.yml, line 2, column 17: no YAML: mapping values are not allowed here\n",
    ),
}


@pytest.mark.parametrize("case", ARGUMENTS)
def test_wrong_arguments(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments, code, expected = ARGUMENTS[case]
    monkeypatch.chdir(tmp_path)
    Path("bad.yml").write_text("feeds:\n  - name: topics: x\n")
    assert cli.main(arguments) == code
    assert capsys.readouterr().err.startswith(expected)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["run", "--mesages", "d"], "ticdc run: error: unknown argument --mesages, did you mean --messages? ("),
        (["sql", "--schemas=a", "b"], "ticdc sql: error: unknown argument --schemas=a, did you mean --schema? ("),
        (["status", "now"], "ticdc status: error: unknown argument now (ticdc status --help has all)"),
    ],
)
def test_an_unknown_argument_is_told_with_what_may_be_meant(
    given: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main(given)
    assert ended.value.code == 2
    output = capsys.readouterr().err
    assert output.startswith(f"usage: ticdc {given[0]} ") and said in output


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("run", "ticdc: interrupted; the same command goes on from where it was\n"),
        ("inspect", "ticdc: interrupted\n"),
    ],
)
def test_ctrl_c_says_whether_the_same_command_goes_on(
    command: str, said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def interrupt(*arguments: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(cli.feeds, "read_vars", interrupt)
    arguments = ["inspect", "t", "0", "0"] if command == "inspect" else [command]
    assert (
        cli.main([*arguments, "--messages", str(tmp_path)] if command == "run" else [*arguments, "--feeds", "f"]) == 130
    )
    assert capsys.readouterr().err == said


@pytest.mark.parametrize(
    ("text", "is_terminal", "found"),
    [
        ("select 1;\nselect\n  2;\n\nselect 3", False, ["select 1", "select\n  2", "select 3"]),
        ("select 1\n\nselect 2;\nexit\nselect 3;\n", True, ["select 1", "select 2"]),
        (";\n\n;;\nquit;\n", True, []),
        ("select 1\n\nfrom t", False, ["select 1\n\nfrom t"]),
        ("", True, []),
        ("select 1; select 2;select 3", False, ["select 1", "select 2", "select 3"]),
        ("select ';', \"a;b\", `c;d`; select 2", False, ["select ';', \"a;b\", `c;d`", "select 2"]),
        (r"select 'it\';s'; select 2", False, [r"select 'it\';s'", "select 2"]),
        ("select ';\n;'; select 2", True, ["select ';\n;'", "select 2"]),
        (
            "select 1 -- it's one; really\n; select /* two; */ 2",
            False,
            ["select 1 -- it's one; really", "select /* two; */ 2"],
        ),
        ("select 1; select '2\n\nselect 3;\n", True, ["select 1", "select '2", "select 3"]),
    ],
)
def test_statements_of_a_prompt(text: str, is_terminal: bool, found: list[str]) -> None:
    assert list(prompt.statements(iter(text.splitlines(keepends=True)), is_terminal)) == found


def test_statements_of_the_input_end_with_the_first_that_fails(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("a;\nb;\nc;\n"))
    answered: list[str] = []

    def answer(query: str) -> None:
        answered.append(query)
        if query == "b":
            raise TicdcError("the query failed", 1)

    told = "statement 2 of the input failed, and none after it was run: the query failed"
    with pytest.raises(TicdcError, match=told):
        prompt.run(answer, list, tmp_path)
    assert answered == ["a", "b"]


def test_a_prompt_goes_on_after_a_statement_that_failed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = iter(["a", "b;", "c;"])
    prompts: list[str] = []

    def typed(text: str) -> str:
        prompts.append(text)
        try:
            return next(lines)
        except StopIteration:
            raise EOFError from None

    def answer(query: str) -> None:
        if query.startswith("a"):
            raise TicdcError("the query failed: so", 1)
        print(json.dumps(query))

    monkeypatch.setattr(sys.stdin, "isatty", lambda: True, raising=False)
    monkeypatch.setattr("builtins.input", typed)
    prompt.run(answer, lambda: ["ticdc__tables"], tmp_path)
    output = capsys.readouterr()
    assert output.out == '"c"\n\n' and "the query failed: so" in output.err
    assert prompts == ["ticdc> ", "  ...> ", "ticdc> ", "ticdc> "]


@pytest.mark.parametrize(
    ("letters", "code", "said"),
    [
        ((0, 0), 0, "there was no dead letter to decode again\n"),
        ((9, 2), 0, "7 of 9 dead letters could be decoded\n"),
        (
            (9, 9),
            1,
            "0 of 9 dead letters could be decoded\n"
            "nothing changed: put right what made them first; `ticdc inspect` shows one and what would heal it\n",
        ),
    ],
)
def test_a_redrive_says_what_it_healed(
    letters: tuple[int, int], code: int, said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    @contextmanager
    def opened(options: object) -> Iterator[tuple[None, dict[str, object]]]:
        yield None, {}

    counts = iter(letters)
    monkeypatch.setattr(cli, "_of_last_build", opened)
    monkeypatch.setattr(cli.summary, "dead_letters", lambda spark, feeds: next(counts))
    monkeypatch.setattr(cli, "redrive", lambda *arguments: None)
    assert cli.main(["redrive"]) == code
    assert capsys.readouterr().err == said


@pytest.mark.parametrize("error", [TicdcError("report.html cannot be written: No space left"), RuntimeError("a\nb")])
def test_a_report_that_cannot_be_written_fails_no_run(
    error: Exception, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def fail() -> NoReturn:
        raise error

    cli._write_report(fail, tmp_path)
    first = str(error).splitlines()[0]
    assert capsys.readouterr().err == f"the report could not be written to {tmp_path / 'report.html'}: {first}\n"
