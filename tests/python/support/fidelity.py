"""The page docs/fidelity.md, computed from the repository's sample: `python -m support.fidelity` writes it anew.

Each value of the tables that hold all types goes from the messages of each protocol, through the decoder and the schema
of its table, to canonical text, which is compared with what TiDB itself holds.
"""

from __future__ import annotations

import csv
from base64 import b64decode
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import cache, partial
from typing import Any, NamedTuple

import orjson

from support import truth
from support.avro import AvroVariant
from support.catalogue import DECODERS
from support.corpus import DATA, SAMPLE, Variant, json_lines
from support.replay import fold_of
from support.simple import SimpleVariant
from ticdc_udfs.catalogue.fold import TableVersion
from ticdc_udfs.catalogue.tables import TIDB_CHARSET, Column
from ticdc_udfs.contract import arrow, schemas
from ticdc_udfs.contract.events import Event, Kind, Lossy
from ticdc_udfs.protocols import avro, debezium_avro, resolution

PAGE = DATA.parents[1] / "docs" / "fidelity.md"
REASONS = DATA.parents[1] / "seeds" / "ticdc__fidelity_reasons.csv"
YARDSTICK = "canal_json"
TABLES = ("types_zoo_", "nd_")
EXACT, CHANGED, UNSENT = "✓", "≠", "–"
MARKS = {
    "zero_date": "Z",
    "double_precision": "D",
    "null_or_default": "N",
    "no_schema": "S",
}
_MOST_EXAMPLES = 5
_LONGEST_EXAMPLE = 28

Place = tuple[str, int, str]
"""A table, a commit and the row's `id`."""


class Feed(NamedTuple):
    """A column of the page: a variant of the sample, and whether an export tells of its tables."""

    title: str
    variant: str
    protocol: str
    has_export: bool = False


FEEDS = (
    Feed("canal-json", "canal_json", "canal_json"),
    Feed("Open Protocol", "open_protocol", "open_protocol"),
    Feed("Simple JSON", "simple_json", "simple"),
    Feed("Simple Avro", "simple_avro_checksum", "simple"),
    Feed("Avro with an export", "avro_before", "avro", True),
    Feed("Debezium", "debezium_noschema", "debezium"),
    Feed("Debezium-Avro", "debezium_avro", "debezium_avro"),
    Feed("… with an export", "debezium_avro", "debezium_avro", True),
)


class Value(NamedTuple):
    """A value that TiDB holds, and where; `shown` is how the page writes it."""

    place: Place
    column: Column
    cell: truth.Cell

    @property
    def shown(self) -> str:
        text = truth.canonical(self.cell, self.column.type)
        if text is None:
            return "NULL"
        if "hex" in self.cell and not truth.is_bit(self.column.type):
            text = "0x" + (self.cell["hex"] or "")
        if len(text) > _LONGEST_EXAMPLE:
            return f"{_code(text[: _LONGEST_EXAMPLE - 8])} … of {len(text)} characters"
        return _code(text or "''")

    @property
    def label(self) -> str:
        """The type as the table's DDL has it."""
        column, word = self.column, self.column.type
        if len(word) > 40:
            word = word.partition("(")[0] + "(…)"
        charset = (column.collation or TIDB_CHARSET[1]).partition("_")[0]
        if charset not in (TIDB_CHARSET[0], "binary"):
            word += f" {charset}"
        if column.nullable is False:
            word += " NOT NULL"
        default = column.default if column.default_expression is None else column.default_expression
        if default is not None and "binary" in word:
            default = f"x'{b64decode(default).hex()}'"
        return word if default is None else f"{word} DEFAULT {default[:_LONGEST_EXAMPLE] or repr('')}"


def _code(text: str) -> str:
    """Text in Markdown's code marks, within a table."""
    text = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text).replace("|", "\\|")
    return f"`` {text} ``" if "`" in text else f"`{text}`"


@cache
def _events(name: str, protocol: str) -> tuple[Event, ...]:
    if protocol in ("avro", "debezium_avro"):
        decode: arrow.Decode = avro.decode if protocol == "avro" else debezium_avro.decode
        messages = AvroVariant(SAMPLE, name).messages
        return tuple(
            event
            for key, value, options, *writer_schemas in messages
            for event in arrow.decode_message(decode, key, value, options, *map(_exported, writer_schemas))
        )
    variant = (SimpleVariant if protocol == "simple" else Variant)(SAMPLE, name)
    decode_one = partial(arrow.decode_message, DECODERS[protocol])
    return tuple(event for each in variant.records for event in decode_one(each.key, each.value, variant.options_text))


def _exported(schema: str | None) -> str | None:
    """A writer schema of a table whose names in Avro are those in the export, and that has no virtual columns."""
    if schema is None:
        return None
    wire = orjson.loads(schema)
    tables = [{"schema_name": wire["namespace"].rpartition(".")[2], "table_name": wire["name"]}]
    return orjson.dumps({"ticdc.export": {"tables": tables, "columns": []}, **wire}).decode()


_VersionAt = Callable[[str, int], TableVersion | None]


@cache
def _versions(name: str, protocol: str) -> _VersionAt:
    """Finds the version of a table that the rows of a commit have, as the feed's own messages tell."""
    versions: dict[str, list[TableVersion]] = defaultdict(list)
    for version in fold_of(_events(name, protocol)).versions:
        versions[version.table_name].append(version)

    def version_at(table: str, commit_ts: int) -> TableVersion | None:
        for version in versions[table]:
            if version.valid_from_ts < commit_ts and commit_ts <= (version.valid_to_ts or commit_ts):
                return version
        return None

    return version_at


def rows(feed: Feed) -> dict[Place, truth.Row]:
    """The rows of the tables with all types as a feed shows them after each insert."""
    bearer = (YARDSTICK, YARDSTICK) if feed.has_export else (feed.variant, feed.protocol)
    options = Variant(SAMPLE, feed.variant).options_text
    found = {}
    for event in _events(feed.variant, feed.protocol):
        table, commit_ts = event.table_name or "", event.commit_ts or 0
        if event.kind != Kind.ROW or event.op != "insert" or not table.startswith(TABLES):
            continue
        version = _versions(*bearer)(table, commit_ts)
        row = resolution.Row(event.row_key, event.before_key, event.before, event.after, event.lossy)
        row = resolution.resolve(row, feed.protocol, None if version is None else _text(version), options, None)
        image = orjson.loads(row.after or b"")
        # an export tells that none of these tables has virtual columns
        lossy = [flag for flag in row.lossy if not (feed.has_export and flag.endswith(Lossy.NULL_OR_GENERATED))]
        found[table, commit_ts, image["id"]] = truth.Row(image, lossy)
    return found


def _text(version: TableVersion) -> str:
    """The columns of a version as the resolution of rows takes them."""
    columns = (
        schemas.Column(
            each.name,
            each.type,
            each.key,
            each.nullable,
            each.default if each.default_expression is None else each.default_expression,
        )
        for each in version.columns
    )
    return schemas.table_schema(list(columns)).text.decode()


def values() -> list[Value]:
    """What was inserted into these tables upstream, by table and column."""
    found: dict[tuple[str, str], list[Value]] = {}
    version_at = _versions(YARDSTICK, YARDSTICK)
    for change in json_lines(SAMPLE / "truth" / "changes.jsonl"):
        table, commit_ts, row = change["table"], change["commit_ts"], change["after"]
        if change["op"] != "insert" or not table.startswith(TABLES):
            continue
        version = version_at(table, commit_ts)
        assert version is not None, table
        for column in version.columns:
            if column.name != "id":
                value = Value((table, commit_ts, row["id"]["text"]), column, row[column.name] or {"text": None})
                found.setdefault((table, column.name), []).append(value)
    return [value for each in found.values() for value in each]


def mark(value: Value, row: truth.Row | None) -> str:
    """How a value came."""
    if row is None:
        return UNSENT
    name = value.column.name
    reasons = [flag.rpartition(":")[2] for flag in row.lossy if flag.rpartition(":")[0] in (name, "*")]
    if reasons:
        return " ".join(MARKS[reason] for reason in sorted(set(reasons)))
    return EXACT if truth.equal(value.cell, value.column.type, row.image[name]) else CHANGED


def marks() -> dict[str, dict[tuple[str, ...], list[Value]]]:
    """By type, then by the marks that the feeds give, the values."""
    by_feed = [rows(feed) for feed in FEEDS]
    found: dict[str, dict[tuple[str, ...], list[Value]]] = defaultdict(lambda: defaultdict(list))
    for value in values():
        found[value.label][tuple(mark(value, each.get(value.place)) for each in by_feed)].append(value)
    return found


def page() -> str:
    """The text of the page."""
    found = marks()
    with REASONS.open(encoding="utf-8", newline="") as file:
        reasons = {row["reason"]: row for row in csv.DictReader(file)}
    titles = [feed.title for feed in FEEDS]
    body = [
        [_code(label), _examples(values), *each]
        for label, by_marks in found.items()
        for each, values in by_marks.items()
    ]
    counts = [Counter[str]() for _ in FEEDS]
    for by_marks in found.values():
        for each, of_type in by_marks.items():
            for count, one in zip(counts, each, strict=True):
                count[one if one in (EXACT, CHANGED, UNSENT) else "flagged"] += len(of_type)
    sums = [
        [title, *(str(count[one]) for one in (EXACT, "flagged", CHANGED, UNSENT))]
        for title, count in zip(titles, counts, strict=True)
    ]
    legend = [
        [EXACT, "exact: the canonical text of what TiDB holds"],
        *([letter, f"flagged `{reason}`. {reasons[reason]['meaning']}"] for reason, letter in MARKS.items()),
        [CHANGED, "another value than TiDB holds, which no message tells: the encoder wrote it so"],
        [UNSENT, "not supported: the encoder fails on rows of that table"],
    ]
    others = [
        [f"`{reason}`", row["protocols"], row["types"], row["meaning"]]
        for reason, row in reasons.items()
        if reason not in MARKS
    ]
    return "\n".join(
        [
            _HEAD,
            *_table(["protocol", "exact", "flagged", "changed", "not sent"], sums),
            "",
            *_table(["mark", "meaning"], legend),
            "",
            *_table(["type", "values", *titles], body),
            "",
            _OTHERS,
            *_table(["flag", "protocols", "types", "meaning"], others),
            "",
        ]
    )


_HEAD = """\
# What comes through each protocol

Values of all types that TiDB held, as they are after TiCDC's encoder and this package's decoder; those of a type that
come alike stand in one line. A flag is `<column>:<reason>` in the column `lossy` of the row. The feeds have the default
options with the TiDB extension, Debezium loses the same with inline schema and without; Avro and "with an export" are
with `ticdc__information_schema`.

`make fidelity` writes this page from the messages of [`tests/data/corpus`](../tests/data/corpus/README.md), and a test
compares both.
"""
_OTHERS = """\
## Other flags

They depend on options or on rows rather than on types. The seed `ticdc__fidelity_reasons` has the remedy for each.
"""


def _examples(of_type: Sequence[Value]) -> str:
    shown = list(dict.fromkeys(value.shown for value in of_type))
    more = len(shown) - _MOST_EXAMPLES
    return ", ".join(shown[:_MOST_EXAMPLES]) + (f" and {more} more" if more > 0 else "")


def _table(heads: Sequence[str], body: Iterable[Sequence[Any]]) -> list[str]:
    return [f"| {' | '.join(line)} |" for line in (heads, ["---"] * len(heads), *body)]


def _write() -> None:
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(page(), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    _write()
