"""Small changefeeds of their own, all of which one warehouse holds: built together, read by many tests.

A test module names its cases when it is imported; what runs are made of is then written once for all modules that were
collected. A case that comes in parts gets a part with each run.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from support import session
from support import warehouse as embedded

CASES: dict[str, Case] = {}


def record(
    topic: str, value: bytes | None, *, partition: int = 0, offset: int = 0, key: bytes | None = None, **more: Any
) -> str:
    """A Kafka record as a line of a dump."""
    bytes_of = {"key": key, "value": value}
    texts = {name: None if data is None else b64encode(data).decode() for name, data in bytes_of.items()}
    wire = {"topic": topic, "partition": partition, "offset": offset, "timestamp": 1_795_238_204_129, **texts, **more}
    return json.dumps(wire) + "\n"


def records(topic: str, values: Sequence[bytes | tuple[bytes | None, bytes | None]], first: int = 0) -> list[str]:
    """Values, or pairs of key and value, at neighbouring offsets of one partition."""
    pairs = (value if isinstance(value, tuple) else (None, value) for value in values)
    return [record(topic, value, offset=offset, key=key) for offset, (key, value) in enumerate(pairs, start=first)]


@dataclass(frozen=True)
class Case:
    """A changefeed whose topic bears its name; `parts` are the lines that each run brings."""

    name: str
    protocol: str
    parts: tuple[Sequence[str], ...]
    more: Mapping[str, Any] = field(default_factory=dict)

    @property
    def feed(self) -> dict[str, Any]:
        """The feed as a feeds file lists it; it has no typed tables unless `more` says where they go."""
        topics = [self.name.replace("_", r"\_")]
        return {"name": self.name, "protocol": self.protocol, "topics": topics, "target_schema": None, **self.more}


def case(name: str, protocol: str, *parts: Sequence[str], **more: Any) -> Case:
    """Adds a case; `more` are further members of its feed, such as `options`."""
    assert name not in CASES, f"two cases are named {name}"
    CASES[name] = Case(name, protocol, parts, more)
    return CASES[name]


@dataclass(frozen=True)
class Built:
    """The warehouse with all cases."""

    warehouse: Path

    def rows(self, query: str) -> list[dict[str, Any]]:
        """The rows of a query."""
        return session.ask(session.rows, self.warehouse, query)

    def current(self, feed: str) -> dict[str, list[dict[str, str | None]]]:
        """The current rows of a feed by `schema.table`, as images in canonical text, in the order of their text."""
        found: dict[str, list[dict[str, str | None]]] = {}
        for row in self.of("ticdc__current_rows", feed, "row"):
            found.setdefault(f"{row['schema_name']}.{row['table_name']}", []).append(json.loads(row["row"]))
        return found

    def problems(self, feed: str) -> list[dict[str, Any]]:
        """The problems of a feed."""
        return self.of("ticdc__problems", feed, "code, commit_ts")

    def of(self, mart: str, feed: str, order: str) -> list[dict[str, Any]]:
        """A mart's rows of a feed, in an order."""
        return self.rows(f"select * from {mart} where feed = '{feed}' order by {order}")


def build(folder: Path) -> Built:
    """Runs once for each part."""
    warehouse, dumps = folder / "warehouse", folder / "messages"
    dumps.mkdir()
    feeds = embedded.write_feeds(folder / "feeds.yml", [each.feed for each in CASES.values()])
    for number in range(max(len(each.parts) for each in CASES.values())):
        lines = [line for each in CASES.values() for part in each.parts[number : number + 1] for line in part]
        (dumps / f"part_{number}.jsonl").write_text("".join(lines), encoding="utf-8")
        session.ask(session.run, warehouse, dumps, feeds)
    return Built(warehouse)
