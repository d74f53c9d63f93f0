"""Checks a configuration before Spark is opened: all mistakes at once, in the words of the package's own check."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from dbt_ticdc import feeds, warehouse
from dbt_ticdc.errors import TicdcError
from ticdc_udfs.contract.configuration import problems_of
from ticdc_udfs.contract.options import OPTIONS


def understood(variables: dict[str, Any]) -> dict[str, Any]:
    """The variables with protocols as the package spells them: TiCDC has `canal-json` for `canal_json`."""
    given = variables.get("ticdc__feeds")
    if isinstance(given, list):
        variables["ticdc__feeds"] = [_with_protocol(feed) for feed in given]
    return variables


def _with_protocol(feed: Any) -> Any:
    if not isinstance(feed, dict) or not isinstance(feed.get("protocol"), str):
        return feed
    protocol = feed["protocol"].replace("-", "_")
    return {**feed, "protocol": protocol} if protocol in OPTIONS else feed


def check(variables: Mapping[str, Any], place: str, options: Mapping[str, str] | None = None) -> None:
    """Raises `TicdcError` with all that is wrong.

    `place` says where the configuration is, `options` which options of the command members of it were given by.
    """
    problems = [*problems_of(variables), *_missing_files(variables)]
    for member, option in (options or {}).items():
        problems = [re.sub(rf"^{re.escape(member)}(\[\d+\])?(?=:)", option, problem) for problem in problems]
    if problems:
        told = "is a problem" if len(problems) == 1 else f"are {len(problems)} problems"
        raise TicdcError(f"{place}: there {told} in the configuration\n  - " + "\n  - ".join(problems))


def of_last_build(folder: Path, feeds_file: Path | None) -> dict[str, object]:
    """The variables of a warehouse's last build, or those of the file with the columns that were loaded then."""
    last = warehouse.variables(folder)
    if feeds_file is None:
        if not last:
            raise TicdcError(f"the warehouse {folder} does not know its feeds: name them with --feeds")
        return last
    given = understood(feeds.read_vars(feeds_file))
    check(given, f"--feeds {feeds_file}")
    columns_table = {name: last[name] for name in ("ticdc__information_schema",) if name in last}
    return {**columns_table, **given}


def _missing_files(variables: Mapping[str, Any]) -> Iterator[str]:
    """Files of schemas that are not on this machine, on which the command runs all of Spark."""
    for number, feed in enumerate(variables.get("ticdc__feeds") or ()):
        options = feed.get("options") if isinstance(feed, dict) else None
        schemas = options.get("schemas") if isinstance(options, dict) else None
        is_file = isinstance(schemas, str) and "://" not in schemas and ("/" in schemas or schemas.endswith(".json"))
        if is_file and not Path(str(schemas)).is_file():
            yield f"ticdc__feeds[{number}].options.schemas: there is no file {schemas}"
