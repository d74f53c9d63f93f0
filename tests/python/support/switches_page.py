"""The page docs/switches.md, made of the lists that the package checks: `python -m support.switches_page` writes it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from ticdc_udfs.runs.switches import CONFIGURATIONS, FLAGS, SETTINGS, Switch

PAGE = Path(__file__).parents[3] / "docs" / "switches.md"


def page() -> str:
    """The text of the page."""
    settings = [
        f"| `{one.name}` | {', '.join(f'`{value}`' for value in one.allowed)} | {one.otherwise} |" for one in SETTINGS
    ]
    return "\n".join(
        [
            _HEAD,
            *("| setting of the session | allowed | else |", "|---|---|---|", *settings),
            _CONFIGURATIONS,
            *("| configuration | what it does | |", "|---|---|---|", *_rows("`+{}`", CONFIGURATIONS)),
            _FLAGS,
            *("| flag | what it does | |", "|---|---|---|", *_rows("`{}`", FLAGS), ""),
        ]
    )


def _rows(name: str, switches: Iterable[Switch]) -> Iterable[str]:
    return (f"| {name.format(switch.name)} | {switch.effect} | {switch.meaning} |" for switch in switches)


_HEAD = """\
# Switches of Spark and dbt

What sessions, projects and command lines set that the package does not, and what comes of it. `make fidelity` writes
this page from the lists in [`switches.py`](../udfs/ticdc_udfs/runs/switches.py), which `dbt run` and `dbt build` check
before anything else; a test compares both, and holds the lists against those of dbt.

## Settings of Spark

Others that were tried may have any value: with ANSI mode on and off, in any time zone, names in any case and so on, the
tables hold the same. A setting reaches a session by `server_side_parameters` in `profiles.yml`, or by
`spark-defaults.conf` where Spark is started, as by `ticdc serve`. Over Thrift it takes `set:hiveconf:` before the name;
plain names do not reach the session there:

```yaml
server_side_parameters: {"set:hiveconf:spark.sql.parquet.outputTimestampType": TIMESTAMP_MICROS}
```
"""
_CONFIGURATIONS = """
## Configurations

In `dbt_project.yml`, below `models` or `seeds`, whether for the package (`ticdc:`) or for all of a project.
"""
_FLAGS = """
## Flags of `dbt build`, `dbt run` and `dbt seed`

Their negations (`--no-…`) do the same as without.
"""


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8", newline="\n")
