"""Where random rows of random partitioned tables lie, against a model of TiDB: there, or there is a doubt."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from random import Random
from typing import Any
from zoneinfo import ZoneInfo

import pyarrow as pa
import pytest
from support.catalogue import folded, last
from support.random_partitions import ZONES, Goes, Table, altered, columns, expressions, timestamps

from ticdc_udfs.catalogue.fold import Effect, Fold
from ticdc_udfs.catalogue.partitions import Zone, is_within, partition_batch, placement_of
from ticdc_udfs.catalogue.records import partitioning_text

TABLES = 40


def moves_of(table: Table) -> tuple[Fold, list[tuple[Effect, Goes]]]:
    """Each DDL that takes rows away, as the fold has it, with the rows before it and whether they go by the model."""
    expected = altered(table)
    result = folded(*table.texts)
    assert not result.problems
    assert [(effect.kind, {part.name.lower() for part in effect.partitions}) for effect in result.effects] == [
        (kind, names) for kind, names, _ in expected
    ]
    return result, [(effect, goes) for effect, (_, _, goes) in zip(result.effects, expected, strict=True)]


def held_against_the_model(table: Table, zone: Zone) -> Counter[str]:
    """The doubts, and how many rows there were; what is certain is as the model has it."""
    told: Counter[str] = Counter()
    result, moves = moves_of(table)
    of_table = last(result, "t").columns
    for effect, goes in moves:
        names = [part.name.lower() for part in effect.partitions]
        assert effect.partitioning is not None
        for row, is_gone in goes:
            text = None if row is None else table.rule.canonical(row)
            placement = placement_of({"c": text}, effect.partitioning, of_table, zone)
            is_in, doubt = is_within(placement, names)
            told[doubt or "certain"] += 1
            assert doubt or is_in == is_gone, (table.texts, text, placement)
            wire = [
                json.dumps({"c": text}),
                partitioning_text(effect.partitioning, zone, of_table),
                columns_text(of_table),
            ]
            (again,) = partition_batch(
                *(pa.array([one], pa.string()) for one in wire), pa.array([names], pa.list_(pa.string()))
            ).to_pylist()
            assert again == {"partition_name": placement.likeliest, "is_in": is_in, "doubt": doubt}
    return told


def columns_text(of_table: Sequence[Any]) -> str:
    return json.dumps([column._asdict() for column in of_table])


@pytest.mark.parametrize("method", ["hash", "range", "list"])
def test_random_tables_by_an_expression(method: str) -> None:
    told: Counter[str] = Counter()
    for seed in range(TABLES):
        rng = Random(f"{method} {seed}")
        told += held_against_the_model(Table(rng, method, rng.choice(expressions())), Zone())
    assert set(told) == {"certain"}


@pytest.mark.parametrize("method", ["range_columns", "list_columns"])
def test_random_tables_by_a_column(method: str) -> None:
    told: Counter[str] = Counter()
    for seed in range(TABLES):
        rng = Random(f"{method} {seed}")
        told += held_against_the_model(Table(rng, method, rng.choice(columns())), Zone())
    assert told["collation"] <= 0.02 * told.total()
    assert set(told) <= {"certain", "collation"}


def test_random_tables_by_key() -> None:
    told: Counter[str] = Counter()
    for seed in range(TABLES):
        rng = Random(f"key {seed}")
        rules = [
            one for one in columns() if "_bin" in one.column or "general" in one.column or "VARCHAR" not in one.column
        ]
        told += held_against_the_model(
            Table(rng, "key", rng.choice([one for one in rules if "gb" not in one.column])), Zone()
        )
    assert set(told) == {"certain"}


@pytest.mark.parametrize("is_told", [True, False])
@pytest.mark.parametrize("method", ["range", "list"])
def test_random_tables_by_midnights_of_a_session(method: str, is_told: bool) -> None:
    told: Counter[str] = Counter()
    for seed in range(TABLES):
        rng = Random(f"{method} {seed}")
        name = rng.choice(ZONES)
        zone = Zone(name, True) if is_told else Zone()
        told += held_against_the_model(Table(rng, method, timestamps(ZoneInfo(name))), zone)
    assert set(told) == {"certain"} if is_told else set(told) == {"certain", "session_zone"}
    assert told["certain"] >= 0.5 * told.total()
