"""The command `ticdc inspect`."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from dbt_ticdc import configuration, feeds, messages, warehouse
from dbt_ticdc.progress import step


def add_command(commands: Any, with_warehouse: argparse.ArgumentParser) -> None:
    """Adds `ticdc inspect` to the commands."""
    look = commands.add_parser(
        "inspect",
        parents=[with_warehouse],
        help="show one message: its bytes, what the decoder makes of it, and what became of it",
    )
    look.add_argument("topic", metavar="TOPIC", help="its topic; of a storage sink the path of its file")
    look.add_argument("partition", type=int, metavar="PARTITION", help="its partition; of a storage sink 0")
    look.add_argument("offset", type=int, metavar="OFFSET", help="its offset; of a storage sink the number of its row")
    look.add_argument(
        "--feed", metavar="NAME", help="the feed that reads it; may be left out where one takes the topic"
    )
    look.add_argument(
        "--messages",
        type=Path,
        nargs="+",
        action="extend",
        metavar="PATH",
        help="dumps that hold it, as of `ticdc run` (default: the warehouse, or where the feed reads)",
    )
    look.add_argument(
        "--feeds", type=Path, metavar="FILE", help="YAML or JSON with the feeds (default: those of the last run)"
    )
    look.add_argument("--all", action="store_true", help="all bytes and whole texts; long ones are cut otherwise")
    look.set_defaults(command=_run)


def _run(options: argparse.Namespace) -> None:
    # all decoders: a second that other commands need not wait for
    from dbt_ticdc.inspection.look import show
    from dbt_ticdc.inspection.places import Place

    place = Place(options.topic, options.partition, options.offset)
    files = messages.find_files(options.messages) if options.messages else None
    if files or not (options.warehouse / "metastore").is_dir():
        if not files and options.feeds is None:
            warehouse.check_exists(options.warehouse)
        variables = configuration.understood(feeds.read_vars(options.feeds))
        print(show(place, variables, options.feed, files, None, options.all), end="")
        return
    last = configuration.of_last_build(options.warehouse, options.feeds)
    with step(f"opening {options.warehouse}"):
        spark = warehouse.open_session(options.warehouse)
    try:
        print(show(place, last, options.feed, None, spark, options.all), end="")
    finally:
        spark.stop()
