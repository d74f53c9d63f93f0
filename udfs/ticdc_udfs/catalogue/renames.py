"""The steps of one RENAME TABLE, which messages bear one by one and in any order: where each table ends."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import NamedTuple

from ticdc_udfs.catalogue.tables import Key

Exists = Callable[[Key], bool | None]
"""Whether a table bears a name before the first step; None where nothing tells it."""


class Step(NamedTuple):
    """One step: `final` is the name in its message, that of the table after all steps (protocol facts 0.1)."""

    source: Key
    target: Key
    final: Key


class Move(NamedTuple):
    """A table that goes from the source of one step to the target of another, by their places in the list."""

    first: int
    last: int


def moves(steps: Sequence[Step], exists: Exists) -> list[Move] | None:
    """Where the tables end, each once, if there is an order in which each step is possible; None if there is none.

    An order counts first in which the tables end under the names of their messages. Classic TiCDC writes the name
    before the first step as the source of each step of a table (tiflow `FromJobWithArgs`): such steps are taken all at
    once. A name that no step leaves is taken to be free: the step that left it did not come.
    """
    sources = {step.source for step in steps}
    never_left = {step.target for step in steps} - sources

    def is_taken(name: Key) -> bool | None:
        return False if name in never_left else exists(name)

    found = _to_final_names(steps, is_taken)
    if found is None and len(sources) < len(steps):
        found = _at_once(steps, is_taken)
    if found is None:
        found = _in_order(steps, is_taken)
    return _at_once(steps, is_taken) if found is None else found


def _to_final_names(steps: Sequence[Step], exists: Exists) -> list[Move] | None:
    """The moves if the steps of each final name lead one table there: that tells which names were taken before."""
    sources, targets = defaultdict(set), defaultdict(set)
    for step in steps:
        sources[step.final].add(step.source)
        targets[step.final].add(step.target)
    starts: set[Key] = set()
    for final, names in sources.items():
        if len(start := names - targets[final]) != 1 or targets[final] - names != {final} or start <= starts:
            return None
        starts |= start

    def was_there(name: Key) -> bool:
        known = exists(name)
        return name in starts if known is None else known

    found = _in_order(steps, was_there, by_final=True)
    return found if found is None or all(steps[move.last].target == steps[move.last].final for move in found) else None


def _in_order(steps: Sequence[Step], exists: Exists, *, by_final: bool = False) -> list[Move] | None:
    """The moves of steps each of which finds its source there and its target free; the first that does so is next."""
    here: dict[Key, Move | None] = {}
    left = dict(enumerate(steps))

    def is_possible(step: Step) -> bool:
        table = here.get(step.source)
        if table is None and (step.source in here or exists(step.source) is False):
            return False
        if here[step.target] is not None if step.target in here else exists(step.target):
            return False
        return not by_final or table is None or steps[table.last].final == step.final

    while left:
        place = next((place for place, step in left.items() if is_possible(step)), None)
        if place is None:
            return None
        step = left.pop(place)
        table = here.get(step.source)
        here[step.source], here[step.target] = None, Move(place if table is None else table.first, place)
    return [table for table in here.values() if table is not None]


def _at_once(steps: Sequence[Step], exists: Exists) -> list[Move] | None:
    """Each table goes from the name that it has to one that is free, or that another one leaves; the latter is last."""
    sources = {step.source for step in steps}
    chosen: dict[Key, int] = {}
    for place, step in enumerate(steps):
        known = chosen.get(step.source)
        if known is None or step.target in sources or steps[known].target not in sources:
            chosen[step.source] = place
    ends = [steps[place].target for place in chosen.values()]
    is_possible = len(set(ends)) == len(ends) and all(exists(source) is not False for source in sources)
    return [Move(place, place) for place in chosen.values()] if is_possible else None
