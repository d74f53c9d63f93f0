"""DDL texts that make one change."""

from __future__ import annotations

from ticdc_udfs.catalogue.changes import Change, ColumnDefinition, CreateTable, Index
from ticdc_udfs.catalogue.ddl import statements


def one(sql: str) -> Change:
    """The only change of a text."""
    (change,) = statements(sql, "shop")
    return change


def column(definition: str) -> ColumnDefinition:
    """A column as CREATE TABLE defines it."""
    change = one(f"CREATE TABLE t ({definition})")
    assert isinstance(change, CreateTable), change
    return change.columns[0]


def indexes(definitions: str) -> tuple[Index, ...]:
    """The indexes of a CREATE TABLE."""
    change = one(f"CREATE TABLE t ({definitions})")
    assert isinstance(change, CreateTable), change
    return change.indexes
