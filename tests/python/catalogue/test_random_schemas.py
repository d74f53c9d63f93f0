"""Tables made at random by a TiDB, replayed from the messages of real encoders by the road in plain Python."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from support import truth
from support.catalogue import DECODERS
from support.random_schemas import FOLDER, SAMPLE, Expected, protocol_of, tally_line, upstream, variant_of, variants
from support.replay import Placed
from support.road import Road

from ticdc_udfs.contract import arrow


def check(folder: Path, name: str, show: Callable[[str], None]) -> None:
    protocol = protocol_of(name) or ""
    variant = variant_of(folder, name)
    placed = [
        Placed(event, record.partition, record.offset)
        for record in variant.records
        for event in arrow.decode_message(DECODERS[protocol], record.key, record.value, variant.options_text)
    ]
    assert not [event.error_code for event, _, _ in placed if event.error_code]
    expected, tally = Expected(folder, variant), truth.Tally()
    unexpected: dict[tuple[int, truth.TableName], set[str]] = {}
    for checkpoint, shown in Road(placed, protocol, variant.options_text).replay(upstream(folder)):
        if checkpoint not in upstream(folder):
            continue
        strange = [name for name, one in shown.items() if not expected.may_show(checkpoint, name, len(one.table.all()))]
        assert not strange, f"tables that were not there at {checkpoint}"
        for table in expected.tables(checkpoint):
            found = shown[table.name].table.all() if table.name in shown else []
            rows = [truth.Row(row.image, row.lossy) for row in found]
            flags = {flag.rpartition(":")[0] for row in rows for flag in row.lossy} - {"*"}
            unexpected[checkpoint, table.name] = flags - expected.flags(checkpoint, table.name)
            tally.add((truth.compare if table.primary_key else truth.compare_keyless)(table, rows))
    show(tally_line(name, tally))
    assert tally.cells > 1000
    assert tally.right, "\n".join(tally.details)
    assert protocol == "debezium" or not any(unexpected.values()), "flags of values that messages tell"


@pytest.mark.parametrize("name", variants(SAMPLE))
def test_tables_of_the_sample_equal_the_truth(name: str, show: Callable[[str], None]) -> None:
    check(SAMPLE, name, show)


@pytest.mark.soak("fuzz")
@pytest.mark.skipif(FOLDER == SAMPLE, reason="TICDC_FUZZ names no folder of messages")
@pytest.mark.parametrize("name", variants(FOLDER))
def test_tables_equal_the_truth_at_every_checkpoint(name: str, show: Callable[[str], None]) -> None:
    check(FOLDER, name, show)
