"""Whether readers may see what a run wrote, and what is dropped then, as nothing reads it any more."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from ticdc_udfs.runs.plan import StoredModel
from ticdc_udfs.typed.sql import executed

_KEPT_RUNS = 500
"""So many of its newest runs the log of runs keeps."""
_DROPS = 30
"""So many statements a script runs, as Spark reads long ones slowly."""


class Published(Struct, frozen=True):
    """The state that readers see, of which its number counts here."""

    number: int


class Swept(Struct, frozen=True):
    """When superseded batches were last dropped, in seconds since 1970, and which batches and storages counted then."""

    at: int = 0
    batches: Mapping[str, Sequence[int]] = {}
    storages: Sequence[str] = ()


class HeldBatches(Struct, frozen=True):
    """The batches that a table holds, whether they count or not, in partitions of `column`; none if it was not asked.

    `name` is what the state calls the table; the log of runs, which no state has, has none.
    """

    name: str | None
    relation: str
    column: str
    batches: Sequence[int] = ()


class Sweep(Struct, frozen=True):
    """What a run finds that sweeps, `now`: the tables that are there, the models of its state, and its storages."""

    now: int
    tables: Sequence[HeldBatches]
    models: Mapping[str, StoredModel]
    storages: Sequence[str]
    last: Swept = Swept()
    is_parquet: bool = True


class PublishingRun(Struct, frozen=True):
    """A run that publishes: the number that it began from, and tables that lack what it changed.

    `unbuilt` were not built since others that they are made of, `outdated` are stored typed tables. It sweeps once a
    day.
    """

    began_from: int
    unbuilt: Sequence[str] = ()
    outdated: Sequence[str] = ()
    sweep: Sweep | None = None


class Publication(Struct, frozen=True):
    """Why a run must not publish, or the scripts that drop something, and what the run notes of that if it sweeps."""

    refusal: str | None
    scripts: Sequence[str] = ()
    swept: Swept | None = None


def publication(published: Published, run: PublishingRun) -> Publication:
    """Whether a run may publish over what readers see, and what goes then."""
    refusal = _refusal(published, run)
    if refusal or not run.sweep:
        return Publication(refusal)
    counting = {name: [batch_id for batch_id, _ in model.batches] for name, model in run.sweep.models.items()}
    kept = {table.name: counting[table.name] for table in run.sweep.tables if table.name and counting.get(table.name)}
    drops = [*_drops(run.sweep, kept)]
    scripts = [_script(drops[first : first + _DROPS]) for first in range(0, len(drops), _DROPS)]
    return Publication(None, scripts, Swept(run.sweep.now, kept, run.sweep.storages))


def _refusal(published: Published, run: PublishingRun) -> str | None:
    if published.number != run.began_from:
        # a run whose lease ended may be followed by one that began from the same publication
        return (
            f"another run published while this one built: it began from publication {run.began_from}, and now there is "
            f"{published.number}. What it wrote is not shown, and the next run does its part again"
        )
    if run.unbuilt:
        unbuilt = ", ".join(sorted(run.unbuilt))
        return (
            "readers would see half of what changed, as these tables were not built since others that they are made "
            f"of: {unbuilt}. Build {unbuilt}, or all of the package, before int_ticdc__publication"
        )
    if run.outdated:
        return (
            "what this run changed of these stored tables is not in them, and would not be seen: "
            f"{', '.join(run.outdated)}. Build int_ticdc__typed_storages, or all of the package, before "
            "int_ticdc__publication"
        )
    return None


def _drops(sweep: Sweep, kept: Mapping[str, Sequence[int]]) -> Iterator[str]:
    """Of what was of no use at the last sweep already: a query that began before a later run may still read it."""
    for table in sweep.tables:
        if table.name is None:
            dropped = sorted(table.batches, reverse=True)[_KEPT_RUNS:]
        else:
            counted = {*kept.get(table.name, ()), *sweep.last.batches.get(table.name, ())}
            dropped = [each for each in table.batches if each < sweep.last.at * 1_000_000 and each not in counted]
        for batch_id in dropped:
            if sweep.is_parquet:
                yield f"alter table {table.relation} drop if exists partition ({table.column} = {batch_id})"
            else:
                yield f"delete from {table.relation} where {table.column} = {batch_id}"
    for storage in sweep.last.storages:
        if storage not in sweep.storages:
            yield f"drop table if exists {storage}"


def _script(statements: Sequence[str]) -> str:
    """Runs statements; that Spark refuses one of them harms no other, and is no error."""
    blocks = [
        f"begin declare exit handler for sqlexception begin end; {executed([statement])} end;"
        for statement in statements
    ]
    return f"begin {' '.join(blocks)} select true; end"
