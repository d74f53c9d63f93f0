"""Small changefeeds of their own, all of which one warehouse holds: built together, read by many tests.

A test module adds its stories when it is imported; the warehouse is then built once for all modules that were
collected, in stages. A story brings messages at any stage, and may look at the tables after each. A case is one that
only has messages: a part for the first stage, and one for the second.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from operator import itemgetter
from pathlib import Path
from typing import Any

from support import session
from support import warehouse as embedded
from support.corpus import HAS_OTHERS, SOAKED


class Stage(IntEnum):
    """The builds of the warehouse, in order; SECOND is `ticdc redrive` for some feeds, IDLE brings no new message."""

    FIRST = 0
    SECOND = 1
    IDLE = 2


Feed = Mapping[str, Any]
Files = Mapping[str, tuple[int, int]]


class Story:
    """What a module adds to the warehouse: `stages` are the builds that it needs, `redriven` feeds to drive again.

    `part`: the part of the long tests that has it, where `make test` has not.
    """

    stages: Sequence[Stage] = (Stage.FIRST,)
    redriven: Sequence[str] = ()
    part: str | None = None

    def begin(self, folder: Path) -> None:
        """Before all; the folder is the story's own."""

    def feeds(self, stage: Stage) -> Sequence[Feed]:
        """Its feeds as a feeds file lists them."""
        return ()

    def lines(self, stage: Stage) -> Sequence[str]:
        """What comes before a build: records as lines of a dump."""
        return ()

    def variables(self, stage: Stage) -> Mapping[str, Any]:
        """Variables of a build beside the feeds; no other story sets them."""
        return {}

    def before(self, stage: Stage, built: Built) -> None:
        """What is to be done before a build."""

    def after(self, stage: Stage, built: Built) -> None:
        """What is to be seen after a build."""

    def at_last(self, built: Built) -> None:
        """What is to be tried after all builds; it may break tables."""

    def end(self) -> None:
        """After all, also where a build failed."""


STORIES: list[Story] = []


def story(told: Story) -> Story:
    """Adds a story, where its part of the tests runs."""
    if HAS_OTHERS if told.part is None else told.part in SOAKED:
        STORIES.append(told)
    return told


@dataclass(frozen=True)
class Built:
    """The warehouse with all stories, their messages and feeds; `files` are those of its tables after each stage.

    `marts` are those that were read since the last build, by feed.
    """

    warehouse: Path
    messages: Path
    feeds: Path
    files: dict[Stage, Files] = field(default_factory=dict)
    marts: dict[str, dict[str, list[dict[str, Any]]]] = field(default_factory=dict)

    def rows(self, query: str) -> list[dict[str, Any]]:
        """The rows of a query."""
        return session.rows(self.warehouse, query)

    def current(self, feed: str) -> dict[str, list[dict[str, str | None]]]:
        """The current rows of a feed by `schema.table`, as images in canonical text, in the order of their text."""
        found: dict[str, list[dict[str, str | None]]] = {}
        for row in sorted(self.of("current_rows", feed), key=itemgetter("row")):
            found.setdefault(f"{row['schema_name']}.{row['table_name']}", []).append(json.loads(row["row"]))
        return found

    def problems(self, feed: str) -> list[dict[str, Any]]:
        """The problems of a feed."""
        return sorted(self.of("problems", feed), key=lambda row: (row["code"], row["commit_ts"] or 0))

    def of(self, mart: str, *feeds: str) -> list[dict[str, Any]]:
        """The rows of some feeds in `ticdc__<mart>`; it is read once for all, as planning it takes longer than that."""
        if mart not in self.marts:
            by_feed = self.marts[mart] = defaultdict(list)
            for row in self.rows(f"select * from ticdc__{mart}"):
                by_feed[row["feed"]].append(row)
        return [row for feed in feeds for row in self.marts[mart].get(feed, ())]


def build(folder: Path) -> Built:
    """Builds the warehouse of all stories, stage by stage."""
    built = Built(folder / "warehouse", folder / "messages", folder / "feeds.yml")
    built.messages.mkdir()
    # eighty feeds need all steps that there are at once, as no project does: plans of their queries are large
    session.opened(built.warehouse, {**session.IN_MEMORY, "spark.driver.memory": "4g"})
    for number, told in enumerate(STORIES):
        own = folder / f"story_{number}"
        own.mkdir()
        told.begin(own)
    try:
        for stage in sorted({stage for told in STORIES for stage in told.stages}):
            for told in STORIES:
                told.before(stage, built)
            feeds = [feed for told in STORIES for feed in told.feeds(stage)]
            variables = {name: value for told in STORIES for name, value in told.variables(stage).items()}
            embedded.write_feeds(built.feeds, feeds, variables)
            lines = [line for told in STORIES for line in told.lines(stage)]
            (built.messages / f"{stage}.jsonl").write_text("".join(lines), encoding="utf-8", newline="\n")
            (built.warehouse / "work" / "last_build").unlink(missing_ok=True)
            redriven = [name for told in STORIES for name in told.redriven] if stage is Stage.SECOND else []
            assert session.run(built.warehouse, built.messages, built.feeds, redriven=redriven)
            built.marts.clear()
            built.files[stage] = embedded.files(built.warehouse)
            for told in STORIES:
                told.after(stage, built)
        for told in STORIES:
            told.at_last(built)
        built.marts.clear()
    finally:
        for told in STORIES:
            told.end()
    return built


# Cases

PARTS = (Stage.FIRST, Stage.SECOND)


@dataclass(frozen=True)
class Case(Story):
    """A changefeed whose topic bears its name; `more` are further members of its feed."""

    name: str
    protocol: str
    parts: tuple[Sequence[str], ...]
    more: Mapping[str, Any]

    @property
    def stages(self) -> Sequence[Stage]:  # type: ignore[override]
        return PARTS[: len(self.parts)]

    def feeds(self, stage: Stage) -> Sequence[Feed]:
        topics = [self.name.replace("_", r"\_")]
        return [{"name": self.name, "protocol": self.protocol, "topics": topics, "target_schema": None, **self.more}]

    def lines(self, stage: Stage) -> Sequence[str]:
        return self.parts[PARTS.index(stage)] if stage in self.stages else ()


def case(name: str, protocol: str, *parts: Sequence[str], **more: Any) -> None:
    """Adds a case of one or two parts; it has no typed tables unless `more` says where they go (`target_schema`)."""
    assert 1 <= len(parts) <= 2, "a case has a part for the first stage, and may have one for the second"
    assert not any(isinstance(told, Case) and told.name == name for told in STORIES), f"two cases are named {name}"
    story(Case(name, protocol, parts, more))


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
