"""The SQL of typed tables: queries of their relations, and statements that store rows and histories.

What is alike for all tables comes from the macros, as texts of queries: `Sources` and `Written`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import msgspec
import pyarrow as pa

from ticdc_udfs.contract.identifiers import identifier, text_literal
from ticdc_udfs.typed.plans import Column, LeftBehind, PastColumn

OF_CURRENT = ("commit_ts",)
OF_HISTORY = ("row_key", "valid_from_ts", "valid_to_ts", "valid_from_at", "valid_to_at", "op", "closed_by")
"""What a typed table, and its history, have beside the columns of the table and `lossy`."""
_ROW = "feed, table_id, table_incarnation, row_key"
_BASE64 = "try_to_binary({}, 'base64')"
_IS_DELETED = "row is null as is_deleted"

AnyColumn = Column | PastColumn


class Shape(msgspec.Struct, frozen=True):
    """An incarnation of a table, by what its queries are rendered of; `key_columns` are names."""

    feed: str
    table_id: str
    table_incarnation: int
    columns: tuple[Column, ...]
    key_columns: tuple[str, ...] = ()
    past_columns: tuple[PastColumn, ...] | None = None
    left_behind: tuple[LeftBehind, ...] = ()
    is_keyless: bool = False

    @property
    def history_columns(self) -> Sequence[AnyColumn]:
        """The columns of now and those that went."""
        return self.past_columns or self.columns


class Sources(msgspec.Struct, frozen=True):
    """What relations read: queries in brackets or views, as they stand after `from`, with rows of all tables.

    `publication` is the view of that name, `latest` the name by which it knows `int_ticdc__latest`, `newest_rows`,
    `keyed_history` and `keyed_changes` are other views. Of tables that had no key once, all changes are read
    (`keyless_…`). `changes_as_of` has `{changes}` in the place of changes, ranked as of the commit `tso`, `merged_rows`
    has `{rows}` in that of the stored rows whose newest are asked for.
    """

    publication: str
    latest: str
    latest_rows: str
    newest_rows: str
    keyed_history: str
    keyless_history: str
    keyed_changes: str
    keyless_changes: str
    changes_as_of: str
    bounds_as_of: str
    merged_rows: str


class Written(msgspec.Struct, frozen=True):
    """What storages are written of: queries in brackets, with rows of all tables as the run has them.

    `history_of_changes`, without brackets, has the versions of rows of a relation `changes`. `clauses` stand after the
    name of a new table, with its format and the mark of the package; who only adds to tables needs none.
    """

    run_id: int
    latest_rows: str
    changes: str
    history_of_changes: str
    clauses: str = ""


def name_of(storage: str) -> str:
    """The name by which the state knows a storage, quoted as SQL takes it."""
    return storage.rpartition(".")[2].replace("`", "")


def view(shape: Shape, sources: Sources, storage: str | None, history_storage: str | None) -> str:
    """The query of a typed table: its rows as they are now."""
    if storage:
        rows = sources.merged_rows.replace("{rows}", _stored_rows(shape, sources, storage))
    elif history_storage:
        columns = _computed(shape.columns)
        rows = (
            f"select\n    {', '.join(columns)}\nfrom (\n"
            f"{_stored_history([*columns, 'valid_to_ts', 'table_incarnation'], sources, history_storage)}\n)\n"
            f"where\n    valid_to_ts is null\n    and table_incarnation = {shape.table_incarnation}"
        )
    else:
        rows = _computed_rows(shape.columns, typed_rows(shape, shape.columns, sources.newest_rows, ["row_key"]))
    return _named(shape.columns, OF_CURRENT, rows)


def history_view(shape: Shape, sources: Sources, history_storage: str | None) -> str:
    """The query of a typed history: the versions of its rows."""
    columns = _computed(shape.history_columns, OF_HISTORY)
    if history_storage:
        rows = _stored_history(columns, sources, history_storage)
    else:
        base = sources.keyless_history if shape.is_keyless else sources.keyed_history
        versions = typed_rows(shape, shape.history_columns, base, OF_HISTORY, moment="valid_from_ts")
        rows = _computed_rows(shape.history_columns, versions, OF_HISTORY)
    return _named(shape.history_columns, OF_HISTORY, rows)


def as_of_function(shape: Shape, sources: Sources, history_storage: str | None) -> str:
    """The query of a typed function, with the argument `tso`: the rows as they were at a commit."""
    columns = shape.history_columns
    # what a DDL made of the columns of a row is in no history
    if history_storage and not shape.past_columns and not shape.left_behind:
        computed = _computed(columns)
        rows = (
            f"select\n    versions.{', versions.'.join(computed)}\nfrom (\n"
            f"{_stored_history([*computed, 'valid_from_ts', 'valid_to_ts'], sources, history_storage)}\n) as versions\n"
            f"inner join {sources.bounds_as_of} as bounds\n    on\n"
            f"        bounds.feed = {text_literal(shape.feed)}\n"
            "        and versions.valid_from_ts <= bounds.as_of_ts\n"
            "where coalesce(versions.valid_to_ts > tso, true)"
        )
    else:
        base = sources.keyless_changes if shape.is_keyless else sources.keyed_changes
        newest = _newest_as_of(sources, base)
        rows = _computed_rows(columns, typed_rows(shape, columns, newest, ["row_key"], moment="tso"))
    return _named(columns, OF_CURRENT, rows)


def _newest_as_of(sources: Sources, changes: str) -> str:
    """The newest of each row at `tso`, of tables that were there then."""
    live = f"(select * from {changes} where live_from_ts <= tso and coalesce(live_to_ts > tso, true))"
    return f"""(
    select
        feed,
        table_id,
        table_incarnation,
        row_key,
        row,
        row_commit_ts as commit_ts,
        lossy
    from (
        {sources.changes_as_of.replace("{changes}", live)}
    ) as ranked_rows
    where place = 1 and row is not null
)"""


def rows_as_of(shape: Shape, rows: str) -> str:
    """The query of the macro `as_of`: `rows` of all tables as they were, with the columns that the table had then."""
    return _named(shape.columns, OF_CURRENT, typed_rows(shape, shape.columns, rows, ["row_key"]))


def row_statements(
    shape: Shape, written: Written, storage: str, generations: Iterable[int], stored: Sequence[int]
) -> tuple[str, ...]:
    """The statements that store those batches of a table's rows that are not `stored`; where none is, the table."""
    missing = [generation for generation in generations if generation not in stored]
    keys, carried = _keys(shape, shape.columns), ["row_key", _IS_DELETED]
    if not stored:
        rows = typed_rows(shape, shape.columns, written.latest_rows, [*carried, "generation"], missing)
        return _made(storage, written, _sorted(rows, ["generation", *keys]))
    return tuple(
        _batch(storage, generation, _sorted(rows, keys))
        for generation in missing
        for rows in [typed_rows(shape, shape.columns, written.latest_rows, carried, [generation])]
    )


def history_statements(
    shape: Shape, written: Written, storage: str, since: int | None, is_made: bool
) -> tuple[str, ...]:
    """The statements that store the versions of rows that changed after the run `since` (0: all, None: nothing)."""
    if since is None:
        return ()
    # who asks for the rows that are there reads a part of each file
    order = ["valid_to_ts is not null", *_keys(shape, shape.history_columns)]
    carried = [*OF_HISTORY, "table_incarnation", "replaces_from_ts"]
    versions = _versions_since(shape, written, since) if since else _all_versions(written)
    rows = typed_rows(shape, shape.history_columns, versions, carried, moment="valid_from_ts")
    if not is_made:
        return (_batch(storage, written.run_id, _sorted(rows, order)),)
    batch = f"select *, cast({written.run_id} as bigint) as generation from ({rows})"
    return _made(storage, written, _sorted(batch, ["generation", *order]))


class Counted(msgspec.Struct, frozen=True):
    """A stored history that a run may add to: its table's place in the answer, and the batches that it has."""

    place: int
    shape: Shape
    storage: str
    run_id: int
    batches: tuple[int, ...]


def counts(histories: Iterable[Counted], written: Written) -> tuple[str, ...]:
    """Queries that give the name of a choice of `History` by the places of tables, some dozens a query."""
    histories = list(histories)
    return tuple(_count(histories[first : first + 50], written) for first in range(0, len(histories), 50))


def _count(histories: Sequence[Counted], written: Written) -> str:
    found = ",\n".join(
        f"    ({each.place}, {text_literal(each.shape.feed)}, {text_literal(each.shape.table_id)}, {each.run_id})"
        for each in histories
    )
    stored = "\n    union all\n".join(
        f"    select\n        {each.place} as place,\n"
        f"        count_if(generation = {each.batches[0]}) as base_count,\n"
        f"        count_if(generation <> {each.batches[0]}) as later_count\n"
        f"    from {each.storage}\n    where generation in ({', '.join(map(str, each.batches))})"
        for each in histories
    )
    return f"""with

histories as (

    select * from values
{found}
    as histories (place, feed, table_id, stored_run_id)

),

arrived as (

    select
        histories.place,
        count(*) as arrived_count
    from {written.changes} as changes
    inner join histories
        on
            changes.feed = histories.feed
            and changes.table_id = histories.table_id
            and changes.run_id > histories.stored_run_id
    where changes.run_id > {min(each.run_id for each in histories)}
    group by histories.place

),

stored as (

{stored}

)

select
    stored.place,
    case
        when arrived.arrived_count is null then 'kept'
        -- what came since the base is a quarter of it
        when (stored.later_count + arrived.arrived_count) * 4 > stored.base_count then 'whole'
        else 'added'
    end as choice
from stored
left join arrived on stored.place = arrived.place"""


def typed_rows(
    shape: Shape,
    columns: Sequence[AnyColumn],
    rows: str,
    carried: Sequence[str],
    generations: Sequence[int] = (),
    moment: str | None = None,
) -> str:
    """A query of the rows of a table, or of some batches of them, each column cast under its alias.

    `carried` are columns that come along. With a `moment`, the expression of a commit, rows of former incarnations come
    too, and each cell as it was encoded then.
    """
    values = [_value(column) for column in columns]
    texts = [_recoded(column, value, moment) for column, value in zip(columns, values, strict=True)]
    fields = ", ".join(f"{identifier(column.name)}: string" for column in columns)
    expressions = ",\n            ".join(
        f"{typed_expression(text, column.type, moment is not None)} as {column.stored_as}"
        for column, text in zip(columns, texts, strict=True)
    )
    unfit = [
        (column.name, f"({value} is not null and {column.stored_as} is null)")
        for column, value, text in zip(columns, values, texts, strict=True)
        if column.type not in ("string", "array<string>") or text != value
    ]
    conditions = [
        f"feed = {text_literal(shape.feed)}",
        f"table_id = {text_literal(shape.table_id)}",
        f"table_incarnation {'<=' if moment else '='} {shape.table_incarnation}",
    ]
    if moment:
        # a row without a moment tells that no version of it is left
        conditions += [
            f"(table_incarnation <> {left.incarnation} or coalesce({moment} < {left.at_ts}, true))"
            for left in shape.left_behind
        ]
    if generations:
        conditions.append(f"generation in ({', '.join(map(str, generations))})")
    aliases = "".join(f"{column.stored_as}, " for column in columns)
    where = "\n                and ".join(conditions)
    return f"""select
    {aliases}
    {", ".join(carried)},
    {"row_commit_ts as commit_ts" if generations else "commit_ts"},
    {_lossy(unfit)}
from (
    select
        *,
        {expressions}
    from (
        select
            *,
            {_image(f"struct<{fields}>")} as image
        from {rows}
        where
            {where}
    )
)"""


def _lossy(unfit: Sequence[tuple[str, str]]) -> str:
    if not unfit:
        return "lossy"
    # few rows have such a cell, and to make the list takes longer than to tell that it is empty
    some = "\n            or ".join(condition for _, condition in unfit)
    each = ",\n            ".join(
        f"if({condition}, {text_literal(f'{name}:out_of_range')}, '')" for name, condition in unfit
    )
    return f"""if(
        {some},
        lossy || array_remove(
            array(
            {each}
            ),
            ''
        ),
        lossy
    ) as lossy"""


def typed_expression(text: str, type_name: str, is_past: bool = False) -> str:
    """The expression of a cell's Spark type: NULL where the text does not fit.

    `is_past`: the column may have had another type when the text was sent.
    """
    if type_name == "string":
        return text
    if type_name == "binary":
        # `unbase64` fails where a cell is no base64, as a text is in a feed that sends no DDL
        return _BASE64.format(text)
    if type_name == "timestamp":
        # the sign of the year, as Spark takes a time without date for one of today
        return f"try_cast('+' || {text} || '+00:00' as timestamp_ltz)"
    if type_name == "array<string>":
        return f"if({text} = '', array(), split({text}, ','))"
    if type_name == "array<float>":
        return f"from_json({text}, 'array<float>')"
    cast = f"try_cast({text} as {type_name})"
    if is_past and type_name in ("date", "timestamp_ntz"):
        # Spark would make up the day of a year alone, and cut a time or its zone
        time = "[0:.]" if type_name == "date" else "[0-9:.]"
        return f"if({text} rlike '^[0-9]{{4}}-[0-9]+-[0-9]+([ T]{time}*)?$', {cast}, null)"
    if is_past and type_name.startswith("decimal"):
        scale = type_name.split(",")[1].rstrip(")")
        return f"if({text} rlike '[.][0-9]{{{scale}}}[0-9]*[1-9]', null, {cast})"
    return cast


def _value(column: AnyColumn) -> str:
    """The text of a cell, under each spelling that its column had: a struct has no fields that differ in case alone."""
    value = f"image.{identifier(column.name)}"
    others = column.spellings[1:] if isinstance(column, PastColumn) else ()
    if not others:
        return value
    found = (f", try_element_at({_image('map<string, string>')}, {text_literal(spelling)})" for spelling in others)
    return f"coalesce({value}{''.join(found)})"


def _recoded(column: AnyColumn, value: str, moment: str | None) -> str:
    """The text of a cell as the column has it now, be it text or base64."""
    recodings = column.recodings if isinstance(column, PastColumn) and moment else ()
    if not recodings:
        return value
    if column.type == "binary":
        other = f"base64(cast({value} as binary))"
    else:
        other = f"try_validate_utf8(cast({_BASE64.format(value)} as string))"
    cases = "".join(
        f" when {moment} >= {each.from_ts}{'' if each.to_ts is None else f' and {moment} < {each.to_ts}'} then {other}"
        for each in recodings
    )
    return f"case{cases} else {value} end"


def _image(type_name: str) -> str:
    """A row's JSON text as a Spark type.

    A column may have the name that Spark gives what it cannot read, and a cell more than the 20,000,000 characters
    that it reads.
    """
    options = "map('columnNameOfCorruptRecord', '', 'maxStringLen', '2147483647')"
    return f"from_json(row, {text_literal(type_name)}, {options})"


def _computed(columns: Iterable[AnyColumn], carried: Iterable[str] = ()) -> list[str]:
    return [*(column.stored_as for column in columns), *carried, "commit_ts", "lossy"]


def _computed_rows(columns: Iterable[AnyColumn], rows: str, carried: Iterable[str] = ()) -> str:
    return f"select\n    {', '.join(_computed(columns, carried))}\nfrom (\n{rows}\n)"


def _named(columns: Sequence[AnyColumn], carried: Iterable[str], rows: str) -> str:
    """The columns under their names, and those of the package under names that no column bears."""
    named = [f"{column.stored_as} as {identifier(column.name)}" for column in columns]
    own = own_columns((column.name for column in columns), carried)
    named += [f"{name} as {identifier(called)}" for name, called in own.items()]
    return "select\n    " + ",\n    ".join(named) + f"\nfrom (\n{rows}\n)"


def own_columns(names: Iterable[str], carried: Iterable[str]) -> dict[str, str]:
    """What the columns of the package are called in a relation: with underscores until no column of it is."""
    taken = {name.lower() for name in names}
    return {name: _free_name(f"_{name}", taken) for name in (*carried, "lossy")}


def _free_name(name: str, taken: Collection[str]) -> str:
    while name in taken:
        name = f"_{name}"
    return name


def _published(sources: Sources, name: str, column: str = "batches") -> str:
    return (
        f"(\n    select try_element_at(states.{column}, {text_literal(name)})\n"
        f"    from {sources.publication} as states\n)"
    )


def _stored_rows(shape: Shape, sources: Sources, storage: str) -> str:
    """The stored rows of all batches, and those of the batches that are published a moment before."""
    stored = f"coalesce({_published(sources, name_of(storage))}, array())"
    not_stored = f"array_except({_published(sources, sources.latest)}, {stored})"
    columns = [column.stored_as for column in shape.columns]
    listed = ", ".join([*columns, "row_key", "is_deleted", "generation", "commit_ts", "lossy"])
    rows = f"""(
    select
        * except (commit_ts),
        row_commit_ts as commit_ts
    from {sources.latest_rows} as latest
    -- what is published is stored a moment later
    where size({not_stored}) > 0 and array_contains({not_stored}, generation)
)"""
    carried = ["row_key", _IS_DELETED, "generation"]
    return f"""(
    select {listed}
    from {storage}
    where array_contains({stored}, generation)

    union all

    select {listed}
    from (
{typed_rows(shape, shape.columns, rows, carried)}
    )
)"""


def _stored_history(columns: Iterable[str], sources: Sources, storage: str) -> str:
    """The versions of the published batches, over each other: those that a later one replaces are left out."""
    # a run is published with what is stored of it: to find nothing would be to lose rows
    missing = f"ticdc: the rows of {storage} are not published: build int_ticdc__typed_plans, which stores them again"
    batches = f"coalesce({_published(sources, name_of(storage))}, raise_error({text_literal(missing)}))"
    listed = ",\n    ".join(f"stored.{column}" for column in columns)
    return f"""select
    {listed}
from {storage} as stored
left anti join (
    select distinct
        table_incarnation,
        row_key,
        generation,
        replaces_from_ts
    from {storage}
    where array_contains({_published(sources, name_of(storage), "later_batches")}, generation)
) as later
    on
        stored.table_incarnation = later.table_incarnation
        and stored.row_key = later.row_key
        and stored.generation < later.generation
        and (stored.valid_to_ts is null or stored.valid_to_ts >= later.replaces_from_ts)
where
    array_contains({batches}, stored.generation)
    and stored.valid_from_ts is not null"""


def _all_versions(written: Written) -> str:
    return f"""(
    with

    changes as (

        select * from {written.changes} as all_changes

    )

    select
        *,
        cast(null as bigint) as replaces_from_ts
    from (
        {written.history_of_changes}
    ) as versions
)"""


def _versions_since(shape: Shape, written: Written, since: int) -> str:
    return f"""(
    with

    touched as (

        select {_ROW}, min(commit_ts) as replaces_from_ts
        from {written.changes} as all_changes
        where
            feed = {text_literal(shape.feed)}
            and table_id = {text_literal(shape.table_id)}
            and run_id > {since}
        group by {_ROW}

    ),

    changes as (

        select * from {written.changes} as all_changes
        where ({_ROW}) in (select {_ROW} from touched)

    ),

    versions as (

        {written.history_of_changes}

    )

    -- a row of which no version is left replaces those that are stored, too
    select
        versions.* except ({_ROW}),
        touched.*
    from touched
    left join versions
        on
            touched.feed = versions.feed
            and touched.table_id = versions.table_id
            and touched.table_incarnation = versions.table_incarnation
            and touched.row_key = versions.row_key
            and (versions.valid_to_ts is null or versions.valid_to_ts >= touched.replaces_from_ts)
)"""


def _keys(shape: Shape, columns: Iterable[AnyColumn]) -> list[str]:
    """Who asks for a key reads a part of each file."""
    return [column.stored_as for column in columns if column.name in shape.key_columns]


def _sorted(rows: str, columns: Sequence[str]) -> str:
    return f"select * from ({rows})" + (f" sort by {', '.join(columns)}" if columns else "")


def _made(storage: str, written: Written, rows: str) -> tuple[str, str]:
    return f"drop table if exists {storage}", f"create table {storage} {written.clauses} as {rows}"


def _batch(storage: str, generation: int, rows: str) -> str:
    return f"insert overwrite table {storage} partition (generation = {generation}) {rows}"


def unready_rows(columns: Mapping[str, str]) -> str:
    """A query that fails, with columns of these names and types."""
    listed = ",\n    ".join(f"cast(null as {type_name}) as {identifier(name)}" for name, type_name in columns.items())
    told = (
        "ticdc: typed tables are made for the first time. If no run does that now, one was stopped: build the package"
    )
    return f"select\n    {listed}\nwhere cast(raise_error({text_literal(told)}) as boolean)"


def executed(statements: Iterable[str]) -> str:
    """Statements as a script runs them: what cannot be parsed would else fail the whole script."""
    return " ".join(f"execute immediate {text_literal(statement)};" for statement in statements)


def rows_as_of_batch(shapes: pa.Array[Any], columns: pa.Array[Any], rows: pa.Array[Any]) -> pa.Array[Any]:
    """`rows_as_of` for JSON texts of a table and of its columns; null where one is."""
    texts = zip(shapes.to_pylist(), columns.to_pylist(), rows.to_pylist(), strict=True)
    return pa.array([None if None in row else _rows_as_of(*row) for row in texts], pa.string())


def _rows_as_of(shape: str, columns: str, rows: str) -> str:
    told = msgspec.json.decode(shape)
    typed = msgspec.json.decode(columns, type=tuple[Column, ...])
    return rows_as_of(Shape(told["feed"], told["table_id"], told["table_incarnation"], typed), rows)
