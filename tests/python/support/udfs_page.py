"""The page docs/udfs.md, made of the list of the UDFs: `python -m support.udfs_page` writes it anew."""

from __future__ import annotations

from pathlib import Path

from ticdc_udfs.contract import arrow
from ticdc_udfs.spark.registry import UDFS, Udf

PAGE = Path(__file__).parents[3] / "docs" / "udfs.md"
EVENT = "event"


def page() -> str:
    """The text of the page."""
    rows = [f"| `{signature(udf)}` | {udf.description} |" for udf in UDFS]
    return "\n".join([_HEAD, "| function | what it gives |", "|---|---|", *rows, "", _event(), _STAGING])


def signature(udf: Udf) -> str:
    """The signature, with the word `event` for the long type that all decoders give."""
    return udf.signature.replace(arrow.EVENT_SQL_TYPE, EVENT)


def _event() -> str:
    """The members of an event, one a line."""
    inner = arrow.EVENT_SQL_TYPE.removeprefix("struct<").removesuffix(">")
    members = [f"| `{name}` | `{sql_type}` |" for name, sql_type in (part.split(": ") for part in inner.split(", "))]
    return "\n".join([_EVENT_HEAD, "| member | type |", "|---|---|", *members, ""])


_HEAD = """\
# The UDFs

`make fidelity` writes this page from the list `UDFS` in [`registry.py`](../udfs/ticdc_udfs/spark/registry.py), and a
test compares both. [quickstart.md](quickstart.md#how-the-udfs-get-into-the-session) says how the functions get into a
Spark session.

`options` is JSON text: `{"compression": "lz4", "time_zone": "Asia/Shanghai"}`. A UDF never fails because of what a
message holds: such a message is an event of kind `error` with a code of the seed `ticdc__error_codes`.

`event` stands for the struct of the [section below](#an-event), which all decoders give.
"""
_EVENT_HEAD = """\
## An event

A decoder gives one event for a message, that of Open Protocol an array of them. Every protocol has the same members.
"""
_STAGING = """\
## Staging columns

The staging model of every protocol, `stg_ticdc__<protocol>`, has the same columns: `feed`, `topic`, `partition`,
`offset`, `event_index`, `message_at`, `kind` (`row`, `ddl`, `watermark`, `bootstrap`, `error`), `commit_ts`,
`start_ts`, `schema_name`, `table_name`, `physical_table_id`, `op`, `row_key`, `before`, `after`, the table schema as
the wire gave it (`table_schema_id`, `table_schema`), `ddl_query`, `ddl_type`, `lossy`, `error_code`, `error_message`,
the other members of an event, and what staging itself notes, such as `is_resolved` and `run_id`. `dbt docs` describes
each (`make docs`).
"""


def _write() -> None:
    PAGE.write_text(page(), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    _write()
