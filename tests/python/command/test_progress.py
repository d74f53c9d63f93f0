"""How a build begins, and what it says of itself: before, and on a terminal and elsewhere while it lasts."""

from __future__ import annotations

import io
import re
import sys
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from dbt_ticdc import arguments, build, forecast, state
from dbt_ticdc.progress import AfterClock, Step, clock, say, step


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True

    def lines(self) -> list[str]:
        """What stands there: a line that is rewritten as it was last, without the seconds."""
        rewritten = [line.split("\r\x1b[K")[-1] for line in self.getvalue().split("\n")[:-1]]
        return [re.sub(r"\d+\.\d s", "… s", line) for line in rewritten]


def on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """Not a fixture, as pytest gives each phase of a test another stderr."""
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    return terminal


def event(name: str, node: str, status: str = "", index: int = 1, total: int = 3) -> Any:
    info = SimpleNamespace(unique_id=f"model.{node}", node_name=node, node_status=status)
    data = SimpleNamespace(node_info=info, index=index, total=total)
    return SimpleNamespace(info=SimpleNamespace(name=name), data=data)


EVENTS = (
    event("MainReportVersion", ""),
    event("LogStartLine", "one"),
    event("LogStartLine", "two", index=2),
    event("NodeFinished", "one", "success"),
    event("NodeFinished", "two", "error"),
    event("SkippingDetails", "three", index=3),
)


def test_a_terminal_has_one_line_and_those_of_what_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = on_a_terminal(monkeypatch)
    bar = build._Bar(None)
    shown = []
    for each in EVENTS:
        bar(each)
        shown.append(bar._step._text)
    bar.end(False)
    assert shown[1:] == [
        "building [----------] 0/3 one",
        "building [----------] 0/3 two",
        "building [###-------] 1/3 two",
        "building [#######---] 2/3",
        "building [##########] 3/3",
    ]
    assert terminal.lines() == ["two  failed", "three  skipped", "building: 3/3 models, seeds and tests  failed  … s"]


def test_without_a_terminal_each_node_is_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    lines = build._Lines()
    for each in EVENTS:
        lines(each)
    lines.end(False)
    said = re.sub(r"\d+\.\d s", "… s", capsys.readouterr().err)
    assert said == "[1/3] one  ok  … s\n[2/3] two  failed  … s\n[3/3] three  skipped\n"


def test_a_line_that_is_said_meanwhile_takes_the_place_of_the_one_that_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = on_a_terminal(monkeypatch)
    with step("first"):
        say("told")
    assert terminal.lines() == ["told", "first  ok  … s"]


def test_a_terminal_shows_the_seconds_that_are_left(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = on_a_terminal(monkeypatch)
    bar = build._Bar(30)
    bar.end(True)
    assert "0 s, about 30 s left" in terminal.getvalue()


def test_a_run_says_first_what_it_does_and_about_how_long_it_takes(tmp_path: Path) -> None:
    dumps = [tmp_path / "a.jsonl", tmp_path / "b.jsonl.gz"]
    for dump, size in zip(dumps, (40_000_000, 200_000), strict=True):
        dump.write_bytes(b"x" * size)
    home = tmp_path / "warehouse"
    (home / "work").mkdir(parents=True)
    first = forecast.of_run(home, dumps)
    assert first.startswith(f"ticdc builds tables of the messages of 2 files (40.2 MB) in {home}, for the first time")
    (seconds,) = re.findall(r"about (\d+) s on two cores", first)
    assert int(seconds) == round(forecast._FIRST_BUILD + 5.04)
    assert forecast.of_run(home, []).endswith("for the first time")
    assert not forecast.has_few_rows(home, dumps)
    assert forecast.has_few_rows(home, dumps[1:])

    state.remember_model_times(home / "work", 0.0, {"a": 1.0})
    again = forecast.of_run(home, dumps[1:])
    assert re.fullmatch(
        rf"ticdc adds what is new of the messages of 1 file \(200\.0 kB\) to the tables in {home}; "
        r"the last build took \d+ s",
        again,
    )
    assert not forecast.has_few_rows(home, dumps[1:]), "the tables may be large by now"
    assert forecast.of_demo(home, dumps[1], 10, None) == again
    told = "10 pieces come one by one, each with a run: all of them take about 9 minutes more"
    assert forecast.of_demo(home, dumps[1], 10, 60.0) == f"{again}; {told}"


@pytest.mark.parametrize(("size", "told"), [(0, "0.0 kB"), (2_345, "2.3 kB"), (1_000_000, "1.0 MB")])
def test_a_size_in_words(size: int, told: str) -> None:
    assert forecast.size_of(size) == told


@pytest.mark.parametrize(
    ("called", "shown"),
    [
        ("ticdc", "ticdc"),
        (".venv/bin/ticdc", ".venv/bin/ticdc"),
        ("/usr/bin/ticdc", "ticdc"),
        ("/x/dbt_ticdc/cli.py", "ticdc"),
    ],
)
def test_commands_that_are_shown_are_called_like_this_one(
    called: str, shown: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", [called])
    assert arguments.program() == shown


def test_lines_do_not_run_together_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """The line of a skipped node stood behind the clock of one that ran."""
    terminal = on_a_terminal(monkeypatch)
    running = [Step(f"[{number}/3] node") for number in range(3)]

    def speak() -> None:
        for _ in range(50):
            say("[4/4] other  skipped")

    threads = [threading.Thread(target=speak) for _ in range(2)]
    for thread in threads:
        thread.start()
    for each in running:
        each.end()
    for thread in threads:
        thread.join()
    with pytest.raises(ValueError, match="no"), step("opening"):
        raise ValueError("no")
    assert len(terminal.lines()) == 104
    ended = re.compile(r"\[\d/3\] node  ok  … s|\[4/4\] other  skipped|opening  failed  … s")
    assert all(ended.fullmatch(line) for line in terminal.lines())
    assert sum("node" in line for line in terminal.lines()) == 3


def test_a_clock_leaves_no_line_and_ends_with_the_first_text(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    terminal = on_a_terminal(monkeypatch)
    with clock("asking") as shown:
        out = AfterClock(shown)
        out.write("a\n")
        assert not Step._running
        out.write("b\n")
    assert terminal.getvalue().endswith("\r\x1b[K") and not terminal.lines()
    assert capsys.readouterr().out == "a\nb\n"


def test_what_a_model_says_of_its_progress_is_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    progress = build._Lines()
    data = SimpleNamespace(msg="ticdc: int_ticdc__typed_views: 50 of 176")
    progress(SimpleNamespace(info=SimpleNamespace(name="JinjaLogInfo"), data=data))
    assert capsys.readouterr().err == "ticdc: int_ticdc__typed_views: 50 of 176\n"


def test_a_build_need_not_read_what_dbt_read_while_spark_started(tmp_path: Path) -> None:
    package, work = tmp_path / "package", tmp_path / "work"
    (package / "models").mkdir(parents=True)
    (package / "dbt_project.yml").write_text("name: ticdc\nversion: 1.0.0\nprofile: ticdc\n")
    (package / "models" / "one.sql").write_text("select 1 as one")
    work.mkdir()
    home, variables = Path.cwd(), {"ticdc__messages_schema": "raw"}
    with build.reading(package, work, variables):
        pass
    assert Path.cwd() == home
    said: list[str] = []
    build._dbt(package, work, "target", ["parse"], variables, lambda event: said.append(event.info.name))
    assert "PartialParsingSkipParsing" in said


def test_what_dbt_finds_wrong_as_it_reads_is_left_to_the_build(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    with build.reading(tmp_path, tmp_path / "work", {}):
        opened = True
    assert opened
