"""The relations of typed tables: which names they bear, and which tables cannot have any."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

import msgspec

from ticdc_udfs.contract.configuration import TYPED_RELATIONS
from ticdc_udfs.contract.patterns import is_like

LONGEST_NAME = 128
"""What Hive's metastore holds of the name of a schema or function; of a table or view it holds 256."""

_SESSION_CATALOG = "spark_catalog"
# Spark keeps a schema of this name for itself.
_GLOBAL_TEMP = "global_temp"
OF_PACKAGE = re.compile(r"(int_|stg_)?ticdc__")
_DOTTED_I = "\u0130"


class TypedReason(StrEnum):
    """Why a table, or one of its relations, is not typed, or not under the name that one expects."""

    COLUMNS_ALIKE = "columns_alike"
    NAME_TOO_LONG = "name_too_long"
    SCHEMA_RESERVED = "schema_reserved"
    SCHEMA_IS_CATALOG = "schema_is_catalog"
    NAME_TAKEN = "name_taken"
    NOT_OURS = "not_ours"
    """Found by the macros, which ask Spark what is there."""
    REFUSED = "refused"
    """Found by the macros, which ask Spark to make it."""
    HISTORY_RENAMED = "history_renamed"


class Problem(NamedTuple):
    """A reason, and the names that it is about, in words."""

    reason: TypedReason
    detail: str


class UpstreamTable(msgspec.Struct, frozen=True):
    """A table that is there; `known_relation` is what its typed table was called after the run before, as SQL."""

    feed: str
    schema_name: str
    table_name: str
    table_id: str
    column_names: tuple[str, ...] = ()
    known_relation: str | None = None


class Wanted(msgspec.Struct, frozen=True):
    """Which relations a feed has of which tables.

    `tables` are SQL like patterns of `schema.table`: a table is wanted that one of them takes, or any where there is
    none, unless one with `!` before it takes it too.
    """

    tables: tuple[str, ...] = ()
    relations: tuple[str, ...] = TYPED_RELATIONS


class Settings(msgspec.Struct, frozen=True):
    """`feeds` has the pattern `target_schema` of each feed, `own_schemas` where models, seeds and source lie.

    A feed that `wanted` does not name has all relations of all tables.
    """

    target: str
    feeds: Mapping[str, str]
    own_schemas: tuple[str, ...]
    wanted: Mapping[str, Wanted] = {}


class Names(NamedTuple):
    """Names without quotes, all in `schema`; None for a relation that cannot be made."""

    table: UpstreamTable
    schema: str | None = None
    current: str | None = None
    history: str | None = None
    as_of: str | None = None
    problems: tuple[Problem, ...] = ()


def legal_name(name: str) -> str:
    """A name of lower-case letters, digits and `_`; one that had to be changed ends with six digits of its hash."""
    lower = name.lower()
    folded = re.sub(r"[^a-z0-9_]", "_", lower)
    return lower if folded == lower and lower not in ("", _GLOBAL_TEMP) else f"{folded}_{short_hash(lower)}"


def names_of(tables: Iterable[UpstreamTable], settings: Settings) -> list[Names]:
    """The names of each typed table.

    A relation that two tables would write is of the one that had it in the run before, else of the first by feed and
    name. A history has another name where an upstream table bears its own.
    """
    wanted = {feed: settings.wanted.get(feed, Wanted()) for feed in settings.feeds}
    found = [
        _current(table, settings) if _is_wanted(table, wanted[table.feed].tables) else Names(table) for table in tables
    ]
    places = sorted(range(len(found)), key=lambda place: (not _is_known(found[place]), _rank(found[place].table)))
    owners: dict[tuple[str | None, str | None], UpstreamTable] = {}
    for names in (found[place] for place in places):
        if names.current is not None:
            owners.setdefault((names.schema, names.current), names.table)
    for place in places:
        names = _unless_taken(found[place], owners)
        relations = wanted[names.table.feed].relations
        if "history" in relations:
            names = _with_history(names, owners)
        found[place] = names._replace(
            current=names.current if "current" in relations else None,
            history=names.history if "history" in relations else None,
            as_of=names.as_of if "as_of" in relations else None,
        )
    return found


def _is_wanted(table: UpstreamTable, patterns: Sequence[str]) -> bool:
    name = f"{table.schema_name}.{table.table_name}"
    without = [pattern[1:] for pattern in patterns if pattern.startswith("!")]
    only = [pattern for pattern in patterns if not pattern.startswith("!")]
    return (not only or _is_like(name, only)) and not _is_like(name, without)


def _is_like(name: str, patterns: Sequence[str]) -> bool:
    """In any case, as TiDB's names are."""
    return is_like(name, patterns, re.IGNORECASE)


def _rank(table: UpstreamTable) -> tuple[str, ...]:
    return table.feed, table.schema_name, table.table_name, table.table_id


def _current(table: UpstreamTable, settings: Settings) -> Names:
    pattern = settings.feeds[table.feed]
    schema = pattern.replace("{schema}", legal_name(table.schema_name))
    schema = schema.replace("{feed}", table.feed).replace("{target}", settings.target).lower()
    name = legal_name(table.table_name)
    names = Names(table, schema, name, as_of=f"{name}_as_of")
    problems: list[Problem] = []
    if alike := _alike(table.column_names):
        problems.append(Problem(TypedReason.COLUMNS_ALIKE, ", ".join(alike)))
    too_long = [part for part in (schema, _history_names(names)[-1]) if len(part) > LONGEST_NAME]
    if too_long:
        detail = ", ".join(f"{part[:40]}… of {len(part)} characters" for part in too_long)
        problems.append(Problem(TypedReason.NAME_TOO_LONG, detail))
    if schema == _SESSION_CATALOG:
        problems.append(Problem(TypedReason.SCHEMA_IS_CATALOG, schema))
    is_of_package = OF_PACKAGE.match(name) is not None
    is_of_upstream = "{schema}" in pattern and not _is_known(names)
    if schema in map(str.lower, settings.own_schemas) and (is_of_package or is_of_upstream):
        problems.append(Problem(TypedReason.SCHEMA_RESERVED, f"{schema}.{name}"))
    return Names(table, problems=tuple(problems)) if problems else names


def _unless_taken(names: Names, owners: Mapping[tuple[str | None, str | None], UpstreamTable]) -> Names:
    owner = owners.get((names.schema, names.current))
    if owner is None or owner is names.table:
        return names
    detail = f"{names.schema}.{names.current} is {owner.schema_name}.{owner.table_name} of feed {owner.feed}"
    return Names(names.table, problems=(Problem(TypedReason.NAME_TAKEN, detail),))


def _with_history(names: Names, owners: dict[tuple[str | None, str | None], UpstreamTable]) -> Names:
    if names.current is None:
        return names
    usual, other = _history_names(names)
    history = next((name for name in (usual, other) if (names.schema, name) not in owners), None)
    if history is not None:
        owners[names.schema, history] = names.table
    if history == usual:
        return names._replace(history=history)
    owner = owners[names.schema, usual]
    detail = f"{names.schema}.{usual} is {owner.schema_name}.{owner.table_name} of feed {owner.feed}"
    if history is None:
        return names._replace(problems=(*names.problems, Problem(TypedReason.NAME_TAKEN, detail)))
    problem = Problem(TypedReason.HISTORY_RENAMED, f"{detail}, the history is {names.schema}.{history}")
    return names._replace(history=history, problems=(*names.problems, problem))


def _history_names(names: Names) -> tuple[str, str]:
    usual = f"{names.current}_history"
    return usual, f"{usual}_{short_hash(names.table.table_id)}"


def _is_known(names: Names) -> bool:
    return (names.table.known_relation or "").replace("`", "") == f"{names.schema}.{names.current}"


def _alike(names: Sequence[str]) -> list[str]:
    """The names that Spark takes for another one among them."""
    times = Counter(map(spark_key, names))
    return [name for name in names if times[spark_key(name)] > 1]


def spark_key(name: str) -> str:
    """The same for names that Spark takes for one, as Java's `equalsIgnoreCase` does: character by character."""
    return "".join(map(_folded, name))


def _folded(character: str) -> str:
    if character == _DOTTED_I:  # its lower case is two characters in Python, `i` in Java
        return "i"
    upper = character.upper()
    upper = upper if len(upper) == 1 else character
    lower = upper.lower()
    return lower if len(lower) == 1 else upper


def short_hash(text: str) -> str:
    """Six digits that tell apart names that are alike otherwise."""
    return hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()[:6]
