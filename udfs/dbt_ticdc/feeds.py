"""Reads the file that configures the feeds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import yaml

from dbt_ticdc.errors import TicdcError

VARIABLES = frozenset(
    {
        "ticdc__accept_lost_messages",
        "ticdc__dead_letter_payloads",
        "ticdc__feeds",
        "ticdc__information_schema",
        "ticdc__initial_loads",
        "ticdc__lease_minutes",
        "ticdc__messages_per_run",
        "ticdc__messages_schema",
        "ticdc__redecode",
        "ticdc__redrive",
        "ticdc__stalled_after_minutes",
        "ticdc__stored_from_rows",
        "ticdc__unit_tests",
        "ticdc__visibility",
    }
)
"""Of the package; dbt passes over others in silence."""
DEFAULT_FEEDS = [{"name": "default", "protocol": "canal_json", "topics": ["%"]}]

_FORMS = (
    "allowed are a list of feeds, a mapping with `feeds` or `ticdc__feeds` (other variables of the package, "
    "`ticdc__…`, may stand beside it), or a mapping with these under `vars`, as in dbt_project.yml"
)


def read_vars(path: Path | None) -> dict[str, Any]:
    """The package's variables from a feeds file (YAML or JSON); without one, a canal-json feed of all topics.

    Checks the file's form and the names of variables alone: the package itself checks what they hold, and names every
    mistake at once. Raises `TicdcError`.
    """
    if path is None:
        return {"ticdc__feeds": DEFAULT_FEEDS}
    try:
        text = path.read_text(encoding="utf-8-sig")
        if path.suffix != ".json":  # dbt takes what JSON has; what YAML takes for a date is a name of something
            text = json.dumps(yaml.safe_load(text), default=str)
        content = json.loads(text)
    except OSError as error:
        raise TicdcError(f"--feeds: {path} cannot be read: {error.strerror}") from error
    except yaml.MarkedYAMLError as error:
        at = error.problem_mark or error.context_mark
        place = f"{path}, line {at.line + 1}, column {at.column + 1}" if at else str(path)
        raise TicdcError(f"--feeds: {place}: no YAML: {error.problem or error.context}") from error
    except (ValueError, TypeError, yaml.YAMLError) as error:
        raise TicdcError(f"--feeds: {path} is no {'JSON' if path.suffix == '.json' else 'YAML'}: {error}") from error
    return _vars_of(content, path)


def _vars_of(content: Any, path: Path) -> dict[str, Any]:
    if isinstance(content, list):
        return {"ticdc__feeds": content}
    if not isinstance(content, dict):
        raise TicdcError(f"--feeds: {path} holds {_kind(content)}; {_FORMS}")
    if isinstance(content.get("vars"), dict):
        inner = content["vars"]
        of_package = inner["ticdc"] if isinstance(inner.get("ticdc"), dict) else {}
        found = {name: value for name, value in {**inner, **of_package}.items() if str(name).startswith("ticdc__")}
    else:
        found = {"ticdc__feeds" if name == "feeds" else name: value for name, value in content.items()}
        unknown = sorted(str(name) for name in found if not str(name).startswith("ticdc__"))
        if unknown or ("feeds" in content and "ticdc__feeds" in content):
            got = ", ".join(json.dumps(str(name), ensure_ascii=False) for name in content)
            raise TicdcError(f"--feeds: {path} has the members {got}; {_FORMS}")
    if "ticdc__feeds" not in found:
        raise TicdcError(f"--feeds: {path} names no feeds; {_FORMS}")
    if unknown := sorted(found.keys() - VARIABLES):
        allowed = ", ".join(sorted(VARIABLES))
        raise TicdcError(f"--feeds: {path}: the package has no variable {', '.join(unknown)}; allowed are {allowed}")
    return found


def _kind(content: object) -> str:
    return "nothing" if content is None else f"a single {type(content).__name__}"
