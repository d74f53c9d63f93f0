"""The first minute: `ticdc demo` in a process of its own, with and without each thing that lets it start fast."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from support.corpus import SAMPLE, Variant

from benchmarks.measure import Contender, alternate
from benchmarks.session import machine
from dbt_ticdc import warehouse

_DEMO = "the demo"
_LESS: Mapping[str, str] = {
    "in pages of 4 KB": "warehouse.huge_pages = lambda: ''",
    "with Java's best compiler": "warehouse.FOR_A_SHORT_LIFE = ''",
    "with compiled queries": "warehouse.FOR_FEW_ROWS = {}",
}
_ODD_NAMES = Variant(SAMPLE, "canal_json")


def first_minute(folder: Path, rounds: int) -> list[str]:
    """A first `ticdc demo`, one without each of its settings, and `ticdc run` on the tests' messages of odd names."""
    feeds, tables = folder / "feeds.json", folder / "warehouse"
    feeds.write_text(json.dumps({"feeds": [_ODD_NAMES.feed()]}), encoding="utf-8")
    demo, run = ["demo"], ["run", "--messages", str(_ODD_NAMES.path), "--feeds", str(feeds)]
    commands = [
        (_DEMO, "", demo),
        *((f"{_DEMO} {label}", setting, demo) for label, setting in _LESS.items()),
        ("ticdc run, messages of odd names", "", run),
    ]
    contenders = [
        Contender(
            label,
            partial(_run, setting, [*command, "--warehouse", str(tables)]),
            partial(shutil.rmtree, tables, ignore_errors=True),
        )
        for label, setting, command in commands
    ]
    alternate(contenders, rounds, is_warm=True)
    ours = contenders[0].median
    lines = [machine(warehouse.java_version(str(warehouse.java_command())))]
    for contender in contenders:
        wall, cpu = contender.median
        lines.append(f"{contender.label:<40} {wall:7.1f} s {cpu:7.1f} s CPU   ratio {wall / ours.wall:.2f}")
    return lines


def _run(setting: str, arguments: Sequence[str]) -> None:
    code = f"import sys; from dbt_ticdc import cli, warehouse; {setting or 'pass'}; sys.exit(cli.main(sys.argv[1:]))"
    subprocess.run([sys.executable, "-c", code, *arguments], check=True, capture_output=True)
