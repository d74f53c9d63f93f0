"""What holds for all changefeeds of the shared warehouse."""

from __future__ import annotations

from pathlib import Path

from support import warehouse as embedded
from support.cases import Built, Stage, Story, story


class Idle(Story):
    """A last build without anything new."""

    stages = (Stage.SECOND, Stage.IDLE)


story(Idle())


def test_a_build_without_new_messages_writes_no_file(built_cases: Built) -> None:
    seeds = {path.stem for path in (embedded.REPOSITORY / "seeds").glob("*.csv")}
    others = seeds | {"exports.db"}  # a story drops its exports
    before, after = (
        {path: state for path, state in built_cases.files[stage].items() if not others & set(Path(path).parts)}
        for stage in (Stage.SECOND, Stage.IDLE)
    )
    assert len(before) > 20
    assert after == before
