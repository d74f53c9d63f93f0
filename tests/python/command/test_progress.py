"""Lines of progress: each whole, whatever runs beside it."""

from __future__ import annotations

import io
import re
import sys
import threading
from types import SimpleNamespace

import pytest

from dbt_ticdc import build
from dbt_ticdc.progress import Step, say, step


class Terminal(io.StringIO):
    """A screen; `lines` is what one reads on it in the end."""

    def isatty(self) -> bool:
        return True

    @property
    def lines(self) -> list[str]:
        return [line.rpartition("\x1b[K")[2] for line in self.getvalue().split("\n")[:-1]]


def test_lines_do_not_run_together_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """The line of a skipped node stood behind the clock of one that ran."""
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
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
    assert len(terminal.lines) == 104
    ended = re.compile(r"\[\d/3\] node  ok  \d\.\d s|\[4/4\] other  skipped|opening  failed  \d\.\d s")
    assert all(ended.fullmatch(line) for line in terminal.lines)
    assert sum("node" in line for line in terminal.lines) == 3


def test_what_a_model_says_of_its_progress_is_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    progress = build._Progress()
    data = SimpleNamespace(msg="ticdc: int_ticdc__typed_views: 50 of 176")
    progress(SimpleNamespace(info=SimpleNamespace(name="JinjaLogInfo"), data=data))
    assert capsys.readouterr().err == "ticdc: int_ticdc__typed_views: 50 of 176\n"
