"""The truth of the corpus as TiDB exports it: a folder with a file for each table."""

from __future__ import annotations

import gzip
import json
import struct
from base64 import b64decode
from collections.abc import Iterable, Mapping
from pathlib import Path
from urllib.parse import quote

from support.truth import Cell, Table, TableName, canonical, is_bit


def _text(cell: Cell, column_type: str) -> str | None:
    bits = cell.get("bits")
    if bits is None:
        return canonical(cell, column_type)
    (number,) = struct.unpack(">f" if len(bits) == 8 else ">d", bytes.fromhex(bits))
    return repr(number)


def file_name(table: TableName) -> str:
    """The name of a table's file without its ending."""
    return ".".join(quote(name, safe="").replace(".", "%2E") for name in table)


def write_json_lines(folder: Path, tables: Iterable[Table]) -> Path:
    """JSON lines with binary values in base64; virtual generated columns are there, as `select *` gives them."""
    folder.mkdir()
    for table in tables:
        lines = (json.dumps({name: _text(row[name], table.types[name]) for name in table.types}) for row in table.rows)
        (folder / f"{file_name(table.name)}.jsonl").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return folder


def write_csv(folder: Path, tables: Iterable[Table]) -> Path:
    """CSV as dumpling writes it, in gzipped chunks of 20 rows; a table without rows has its definition alone."""
    folder.mkdir()
    for table in tables:
        (folder / f"{file_name(table.name)}-schema.sql").write_text("CREATE TABLE …;\n", encoding="utf-8")
        for chunk in range(0, len(table.rows), 20):
            lines = [b",".join(_quoted(name.encode()) for name in table.columns)]
            lines += [
                b",".join(_field(row, table, name) for name in table.columns) for row in table.rows[chunk : chunk + 20]
            ]
            path = folder / f"{file_name(table.name)}.{chunk:09}.csv.gz"
            path.write_bytes(gzip.compress(b"".join(line + b"\r\n" for line in lines), compresslevel=1))
    return folder


def _field(row: Mapping[str, Cell], table: Table, name: str) -> bytes:
    cell, column_type = row[name], table.types[name]
    text = _text(cell, column_type)
    if text is None:
        return rb"\N"
    if is_bit(column_type):
        bits = int(column_type.partition("(")[2].partition(")")[0] or 1)
        return _quoted(int(text).to_bytes((bits + 7) // 8, "big"))
    return _quoted(b64decode(text) if "hex" in cell else text.encode())


def _quoted(value: bytes) -> bytes:
    for char, escaped in ((b"\\", rb"\\"), (b"\0", rb"\0"), (b"\n", rb"\n"), (b"\r", rb"\r"), (b'"', rb"\"")):
        value = value.replace(char, escaped)
    return b'"' + value + b'"'
