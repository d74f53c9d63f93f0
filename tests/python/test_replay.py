"""Decoded messages replayed with every DDL applied, against the rows that TiDB held at every checkpoint."""

from __future__ import annotations

import pytest
from support import truth
from support.catalogue import DECODERS
from support.corpus import Variant, root
from support.replay import Placed, Table, fold_of, replay, resolved

from ticdc_udfs import arrow

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
