"""Finds a message, reads it, and gives its page."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dbt_ticdc import package_path
from dbt_ticdc.errors import TicdcError
from dbt_ticdc.inspection import fate, healing, page, places
from dbt_ticdc.inspection.page import Fate
from dbt_ticdc.inspection.places import Place
from dbt_ticdc.inspection.reading import DECODERS, read
from ticdc_udfs.contract.events import Kind

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def show(
    place: Place,
    variables: Mapping[str, Any],
    feed_name: str | None,
    files: list[Path] | None,
    spark: SparkSession | None,
    show_all: bool,
) -> str:
    """The page of a message: in dumps where `files` are given, else in the warehouse of a session, else at its source.

    Raises `TicdcError` where no feed takes its topic, or nothing is at its place.
    """
    feed = places.feed_of(variables, place, feed_name)
    if feed.get("protocol") not in DECODERS:
        raise TicdcError(
            f"feed {feed.get('name')}: protocol: got {feed.get('protocol')!r}, allowed: {', '.join(DECODERS)}"
        )
    if files:
        found = places.in_dump(files, place)
    elif spark is not None:
        found = places.in_warehouse(spark, variables, feed, place)
    else:
        found = places.at_source(feed, place)
    message = places.message_of(feed, place, found, places.registry_of(feed, spark))
    reading = read(message)
    told = Fate() if spark is None else fate.of(spark, message.feed, place, reading)
    if any(event.kind == Kind.ERROR for event in reading.events):
        tried = tuple(healing.trials(message)) or ("no other option of the feed, and no other protocol, reads it",)
        told = Fate((*told.sentences, *tried), told.types)
    return page.render(message, reading, told, package_path(), show_all)
