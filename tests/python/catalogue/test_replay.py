"""Decoded messages replayed with every DDL applied, against the rows that TiDB held at every checkpoint.

What the messages say does not depend on how they arrive.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise
from operator import attrgetter
from random import Random
from typing import Any, NamedTuple

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import truth
from support.catalogue import DECODERS
from support.corpus import SAMPLE, Record, Variant, rearranged, root
from support.hostile import cases
from support.replay import Placed, Table, current_rows, fold_of, replay, resolved
from support.simple import SimpleVariant

from ticdc_udfs.catalogue.fold import Fold
from ticdc_udfs.contract import arrow
from ticdc_udfs.contract.events import Event

VARIANTS = ("canal_json_compatible", "open_protocol", "simple_json")


@pytest.mark.parametrize("name", VARIANTS)
def test_rows_equal_the_truth_at_every_checkpoint(name: str) -> None:
    protocol = next(protocol for protocol in DECODERS if name.startswith(protocol))
    variant = Variant(root(), name)
    placed = [
        Placed(event, record.partition, record.offset)
        for record in variant.records
        for event in arrow.decode_message(DECODERS[protocol], record.key, record.value, variant.options_text)
    ]
    catalogue = fold_of(event for event, _, _ in placed)
    upstream = truth.checkpoints(root())
    tally = truth.Tally()
    for checkpoint, tables in replay(catalogue, resolved(placed, protocol), upstream):
        wanted = upstream[checkpoint].tables
        assert tables.keys() == wanted.keys()
        for table, rows in tables.items():
            tally.add(_compare(wanted[table], rows))
    print(
        f"\n{name}: {len(upstream)} checkpoints, {tally.tables} tables, {tally.cells} cells, {tally.flagged} flagged, "
        f"{tally.wrong} wrong, {tally.missing} rows missing, {tally.extra} extra"
    )
    assert tally.right and not tally.flagged, "\n".join(tally.details)


def _compare(upstream: truth.Table, table: Table) -> truth.Tally:
    for row in table.rows:
        assert tuple(row.image) == upstream.columns
    compare = truth.compare if upstream.primary_key else truth.compare_keyless
    return compare(upstream, table.rows)


class Told(NamedTuple):
    """What messages say: the changes of rows, each once, the rows that they lead to, and the tables."""

    changes: frozenset[tuple[Any, ...]]
    rows: dict[truth.TableName, dict[bytes, truth.Row]]
    catalogue: Fold


_CHANGE = attrgetter(
    *("schema_name", "table_name", "commit_ts", "op", "row_key", "before_key", "before", "after", "lossy")
)


def _told(name: str, batches: Sequence[Sequence[Record]]) -> Told:
    protocol = next(protocol for protocol in DECODERS if name.startswith(protocol))
    options = (SimpleVariant if protocol == "simple" else Variant)(SAMPLE, name).options_text
    placed = [each for batch in batches for each in _decoded(DECODERS[protocol], batch, options)]
    rows = list(resolved(placed, protocol))
    changes = frozenset(_CHANGE(event) for event, _, _ in rows)
    return Told(changes, current_rows(rows), fold_of(event for event, _, _ in placed))


_AS_BYTES = ("row_key", "before_key", "before", "after", "table_schema", "checksum", "checksum_mismatch")


def _decoded(decode: arrow.Decode, records: Sequence[Record], options: str) -> Iterator[Placed]:
    keys, values = ([each.key for each in records], [each.value for each in records])
    batch = (pa.array(keys, pa.binary()), pa.array(values, pa.binary()), pa.array([options] * len(records)))
    for record, events in zip(records, arrow.decode_batch(decode, *batch).to_pylist(), strict=True):
        for event in events:
            texts = {name: event[name].encode() for name in _AS_BYTES if event[name] is not None}
            yield Placed(Event(**{**event, **texts, "lossy": tuple(event["lossy"])}), record.partition, record.offset)


@cache
def _told_in_order(name: str) -> Told:
    return _told(name, [Variant(SAMPLE, name).records])


@pytest.mark.parametrize("name", ["canal_json", "open_protocol", "simple_json"])
@cases(30)
@given(random=st.randoms(use_true_random=False), cuts=st.integers(0, 6))
def test_any_arrival_gives_the_same_changes(name: str, random: Random, cuts: int) -> None:
    arrived = rearranged(Variant(SAMPLE, name).records, random)
    edges = [0, *sorted(random.randrange(len(arrived)) for _ in range(cuts)), len(arrived)]
    told = _told(name, [arrived[start:end] for start, end in pairwise(edges)])
    wanted = _told_in_order(name)
    assert len(wanted.changes) > 3_000
    assert told.changes == wanted.changes
    assert told.rows == wanted.rows
    assert told.catalogue == wanted.catalogue
