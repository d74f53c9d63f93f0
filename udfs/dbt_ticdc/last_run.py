"""What the last `ticdc run` was asked for and what it said, so that the same again needs no Spark."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from dbt_ticdc import build, warehouse


def request(package: Path, variables: Mapping[str, Any], files: Sequence[Path]) -> str:
    """What a run is asked for: the package, the variables, and the files with their sizes and times."""
    found = [(str(file), file.stat().st_size, file.stat().st_mtime_ns) for file in files]
    return build.fingerprint(package, {"variables": dict(variables), "files": found}, 0)


def remember(folder: Path, asked_for: str, summary: str) -> None:
    """Keeps what a run said that left nothing to do."""
    note = {"asked_for": asked_for, "tables": _tables(folder), "summary": summary}
    _place(folder).write_text(json.dumps(note), encoding="utf-8")


def recall(folder: Path, asked_for: str) -> str | None:
    """What the last run said, where it was asked for the same and no table was written since; else None."""
    try:
        note: dict[str, Any] = json.loads(_place(folder).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    is_same = note.get("asked_for") == asked_for and note.get("tables") == _tables(folder)
    return str(note["summary"]) if is_same else None


def _place(folder: Path) -> Path:
    return warehouse.work_folder(folder) / "last_run.json"


def _tables(folder: Path) -> list[list[Any]]:
    """The folders of the tables and when each was written last: who adds a file or a partition changes one."""
    tables = folder / "tables"
    return sorted(
        [os.path.relpath(place, tables), os.stat(place).st_mtime_ns]
        for place, _, _ in os.walk(tables)
        if not Path(place).name.startswith(("_", "."))
    )
