"""Tables made at random by a TiDB (keys, types, DDL, rows), and what a variant's messages can tell of them.

The repository holds a sample; TICDC_FUZZ names the folder of a whole corpus in the same layout.
"""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from support import truth
from support.catalogue import DECODERS
from support.corpus import DATA, Variant, json_lines
from support.simple import SimpleVariant

SAMPLE = DATA / "random_schemas"
FOLDER = Path(os.environ.get("TICDC_FUZZ") or SAMPLE)
# Rows in files, and encoders that leave rows out.
NOT_REPLAYED = ("claim_check", "checksum")


def variants(folder: Path) -> list[str]:
    names = sorted(path.name.partition(".")[0] for path in (folder / "topics").glob("*.meta.json"))
    return [name for name in names if protocol_of(name) and not any(part in name for part in NOT_REPLAYED)]


def protocol_of(name: str) -> str | None:
    """The protocol of a variant; None where the tests have no decoder for it."""
    is_known = not name.startswith("debezium_avro")
    return next((protocol for protocol in DECODERS if is_known and name.startswith(protocol)), None)


@cache
def upstream(folder: Path) -> dict[int, truth.Truth]:
    """The truth at each checkpoint, with tables that the handle key names the rows of."""
    handle_keys = {
        (line["checkpoint_ts"], line["schema"], line["table"]): line["handle_key"] for line in tables(folder)
    }

    def keyed(checkpoint: int, table: truth.Table) -> truth.Table:
        key = handle_keys[checkpoint, *table.name]
        return dataclasses.replace(table, primary_key=tuple(key)) if key else table

    return {
        checkpoint: dataclasses.replace(
            found, tables={name: keyed(checkpoint, found.tables[name]) for name in found.tables}
        )
        for checkpoint, found in truth.checkpoints(folder).items()
    }


@cache
def tables(folder: Path) -> list[dict[str, Any]]:
    return list(json_lines(folder / "truth" / "tables.jsonl"))


@cache
def keyless_changes(folder: Path) -> list[tuple[int, truth.TableName]]:
    """The commits at which tables without key changed, where the folder tells them."""
    changes = folder / "truth" / "changes.jsonl"
    lines = json_lines(changes) if changes.exists() else ()
    return [(line["commit_ts"], (line["schema"], line["table"])) for line in lines if not line["handle_key_table"]]


class Expected:
    """Which tables a variant's messages tell."""

    def __init__(self, folder: Path, variant: Variant) -> None:
        self.folder, self.variant, self.name = folder, variant, variant.name
        self.left_out = json.loads((folder / "not_tellable.json").read_text(encoding="utf-8"))["not_tellable"]
        self.is_debezium = self.name.startswith("debezium")

    def tables(self, checkpoint: int) -> Iterator[truth.Table]:
        lacked_key = {name for commit_ts, name in keyless_changes(self.folder) if commit_ts <= checkpoint}
        lacked_key |= {
            (line["schema"], line["table"])
            for line in tables(self.folder)
            if line["checkpoint_ts"] <= checkpoint and not line["handle_key"]
        }
        # copies that a producer repeats are no second rows, and without old image no row is known to go
        whole = self.variant.meta["force_replicate"] and self.variant.meta["output_old_value"]
        needs_key = not whole or self.is_debezium or "replayed" in self.name
        for name, table in upstream(self.folder)[checkpoint].tables.items():
            if not (needs_key and name in lacked_key) and not self._loses(checkpoint, table):
                yield table

    def _loses(self, checkpoint: int, table: truth.Table) -> bool:
        if ".".join(table.name) in self.variant.meta["excluded_tables"]:
            return True
        if self.is_debezium and (_has_early_years(table) or _has_decimal_key(table)):
            return True
        return any(
            (line["schema"], line["table"]) == table.name
            and (line["checkpoints"] == "all" or checkpoint in line["checkpoints"])
            and line["variants"].startswith("debezium")
            and self.is_debezium
            for line in self.left_out
        )

    def flags(self, checkpoint: int, table: truth.TableName) -> set[str]:
        """The columns in which a value may be flagged, as the session's time zone decided it; Debezium loses more."""
        types: dict[str, set[bool]] = {}
        for line in tables(self.folder):
            if (line["schema"], line["table"]) == table and line["checkpoint_ts"] <= checkpoint:
                for column in line["columns"]:
                    types.setdefault(column["name"], set()).add(column["column_type"].startswith("timestamp"))
        return {name for name, found in types.items() if len(found) > 1} | {
            column
            for line in self.left_out
            if (line["schema"], line["table"]) == table
            if line["variants"] == "all" and (line["checkpoints"] == "all" or checkpoint in line["checkpoints"])
            for column in line.get("columns", ())
        }

    def may_show(self, checkpoint: int, table: truth.TableName, rows: int) -> bool:
        """Whether a table is the upstream's; one of whose DDL some is not sent may stay behind without rows."""
        whole = self.variant.meta["force_replicate"] and not self.is_debezium
        return table in upstream(self.folder)[checkpoint].tables or not (whole or rows)


def _has_early_years(table: truth.Table) -> bool:
    """Debezium sends years below 100 as those of this century and the last."""
    moments = [name for name, type_ in table.types.items() if type_.startswith("date")]
    return any((row[name].get("text") or "1000") < "0100" for row in table.rows for name in moments)


def _has_decimal_key(table: truth.Table) -> bool:
    """Debezium sends decimals as doubles."""
    return any(table.types[name].startswith("decimal") for name in table.primary_key)


def variant_of(folder: Path, name: str) -> Variant:
    """A variant by its name."""
    return (SimpleVariant if protocol_of(name) == "simple" else Variant)(folder, name)


def tally_line(name: str, tally: truth.Tally) -> str:
    """What a comparison found, as a line to show."""
    return (
        f"{name:36} {tally.tables:5} tables {tally.cells:6} cells {tally.flagged:5} flagged {tally.wrong:4} wrong "
        f"{tally.missing:4} missing {tally.extra:4} extra"
    )
