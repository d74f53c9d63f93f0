"""The initial loads: those whose exports are read, and those that the variable names."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from msgspec import Struct
from msgspec.structs import astuple


class ExportedTable(Struct, frozen=True):
    """A table whose export is read, as `int_ticdc__exported_rows` notes it; `key_columns` is a JSON list."""

    feed: str
    schema_name: str
    table_name: str
    commit_ts: int
    key_columns: str


class InitialLoad(Struct, frozen=True, rename={"schema_name": "schema", "table_name": "table"}):
    """A table as of a commit (TSO); `relation` has its rows where the export is not read yet.

    `id` tells it from the others, and is noted where it is taken: a JSON list of feed, schema, table and commit.
    """

    id: str
    feed: str
    schema_name: str
    table_name: str
    commit_ts: int
    key_columns: str
    relation: str | None
    is_exported: bool


def initial_loads(exported: Iterable[ExportedTable], given: object, feeds: Sequence[str]) -> list[InitialLoad]:
    """All loads in order of their ids; an export that is read is not read again.

    Args:
        exported: Tables whose exports are read; of feeds that are not configured they do not count.
        given: The variable `ticdc__initial_loads`. What is wrong in it is left out: `problems_of` tells of it.
        feeds: The names of the configured feeds.
    """
    read = [(*astuple(each), None, True) for each in exported if each.feed in feeds]
    named = [
        (
            load.get("feed"),
            load.get("schema"),
            load.get("table"),
            load["commit_ts"],
            json.dumps(load.get("key_columns") or []),
            load.get("relation"),
            False,
        )
        for load in (given if isinstance(given, list) else [])
        if isinstance(load, dict) and type(load.get("commit_ts")) is int
    ]
    # the first one of an id counts
    by_id = {json.dumps(each[:4]): each for each in (*reversed(named), *reversed(read))}
    return [InitialLoad(id, *each) for id, each in sorted(by_id.items())]
