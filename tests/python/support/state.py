"""Facts of made-up targets: empty, of one feed, of fifty, and of one in which all is wrong."""

from __future__ import annotations

import random

from ticdc_udfs.state.facts import (
    Count,
    Ddl,
    Facts,
    ModelTime,
    Partition,
    Problem,
    Reason,
    Run,
    Staged,
    Table,
)

NOW = 1_795_240_000_000
MINUTE = 60_000
HOSTILE = "</td><script>alert(1)</script>&\"'\x00\x1b[31m\u202e{{ 7 * 7 }}"
STALLED_AFTER = 3600


def tso(at: int) -> int:
    return at << 18


def empty() -> Facts:
    """A target without any table of the package."""
    return Facts(NOW, STALLED_AFTER)


def target(feeds: int = 1, behind: int = 2 * MINUTE, runs: int = 60, name: str = "feed_{}") -> Facts:
    """A target whose feeds have three partitions and are so many milliseconds behind."""
    rng = random.Random(feeds)
    names = [name.format(number) for number in range(feeds)]
    begun = [NOW - (runs - number) * 5 * MINUTE for number in range(runs)]
    newest = NOW - behind // 2
    return Facts(
        NOW,
        STALLED_AFTER,
        partitions=tuple(
            Partition(
                *(
                    feed,
                    f"topic_of_{feed}",
                    number,
                    tso(NOW - behind),
                    newest,
                    tso(NOW - behind),
                    0,
                    0,
                    9_999,
                    9_000,
                    0,
                ),
                gaps=number,
                missing_offsets=10 * number,
                offset_gaps=tuple((1_000 * gap, 1_000 * gap + 9) for gap in range(1, number + 1)),
            )
            for feed in names
            for number in range(3)
        ),
        counts=tuple(Count(feed, 27_000, 26_000, 10, 980, 10, 0, 3, 30, 0) for feed in names),
        runs=tuple(
            Run(at * 1000, "increment", at, "published", at + 30_000, rng.randrange(5_000), rng.randrange(5_000))
            for at in begun
        ),
        staged=tuple(
            Staged(
                at * 1000, feed, f"topic_of_{feed}", number, tso(at - rng.randrange(MINUTE)), at - rng.randrange(9_000)
            )
            for at in begun
            for feed in names
            for number in range(3)
        ),
        tables=tuple(
            Table(feed, "shop", f"table_{number}", rng.randrange(10**6), rng.randrange(10**6), "shop.t", tso(NOW))
            for feed in names
            for number in range(6)
        ),
        ddl=tuple(
            Ddl(
                feed,
                tso(NOW - number * MINUTE),
                "shop",
                "t",
                "add_column",
                "alter table t add column c int" + " " * 300,
            )
            for feed in names
            for number in range(3)
        )[:150],
        model_times=tuple(
            ModelTime(at, f"int_ticdc__model_{number}", rng.random() * 9) for at in begun[-2:] for number in range(58)
        ),
    )


def broken() -> Facts:
    """One feed with odd names that is late, lost its last run, and has dead letters, gaps and problems."""
    fine = target(1, 3 * 24 * 60 * MINUTE, name=HOSTILE + "{}")
    (feed,) = {each.feed for each in fine.partitions}
    silent = Partition(feed, HOSTILE, 3, None, None, 0)
    failed = Run(NOW * 1000, HOSTILE, NOW, "failed", None, None, None)
    return Facts(
        NOW,
        STALLED_AFTER,
        partitions=(silent, *fine.partitions),
        counts=(Count(feed, 27_000, 26_000, 10, 980, 10, 12, 3, 30, 1),),
        runs=(failed, *fine.runs),
        staged=fine.staged,
        tables=(Table(feed, HOSTILE, HOSTILE, 0, 0),),
        reasons=(Reason(feed, "bad_json", 12, NOW - MINUTE, NOW, HOSTILE, HOSTILE),),
        problems=tuple(
            Problem(severity, f"{severity}_{number}", feed, 3, (HOSTILE,), HOSTILE * 3, HOSTILE)
            for severity in ("error", "warning", "info")
            for number in range(4)
        ),
        ddl=(Ddl(feed, tso(NOW), HOSTILE, HOSTILE, None, HOSTILE),),
    )
