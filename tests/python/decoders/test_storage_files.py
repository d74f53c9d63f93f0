"""Paths of the storage sink, and the rows of its files."""

from __future__ import annotations

import json

import pyarrow as pa
import pytest

from ticdc_udfs.contract import options
from ticdc_udfs.sources import files
from ticdc_udfs.sources.files import FileKind, FilePath, path_of, rows_of

VERSION = 470610923857117184
DATA = FilePath(FileKind.DATA, "shop/t", VERSION, None, None, 1)
DIGITS = "0" * 19


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (f"shop/t/{VERSION}/CDC{DIGITS}1.csv", DATA),
        (f"shop/t/{VERSION}/2026-11-21/CDC{DIGITS}1.csv", DATA._replace(date="2026-11-21")),
        (f"shop/t/{VERSION}/2026-11/CDC000012.json", DATA._replace(date="2026-11", number=12)),
        (f"shop/t/{VERSION}/316/CDC000001.json", DATA._replace(partition_id=316)),
        (f"shop/t/{VERSION}/2025/2026/CDC000001.json", DATA._replace(partition_id=2025, date="2026")),
        (f"shop/t/{VERSION}/316/2026-11-21/CDC000001.json", DATA._replace(partition_id=316, date="2026-11-21")),
        (f"118/{VERSION}/2026-11-21/CDC000001.json", FilePath(FileKind.DATA, "118", VERSION, 118, "2026-11-21", 1)),
        (f"shop/t/{VERSION}/CDC_65046_000003.csv", DATA._replace(number=3, writer="65046")),
        (f"shop/a/b/{VERSION}/CDC000001.csv", DATA._replace(table_folder="shop/a/b")),
        (f"shop/{VERSION}/{VERSION}/CDC000001.csv", DATA._replace(table_folder=f"shop/{VERSION}")),
        (f"_x/.t/{VERSION}/CDC000001.csv", DATA._replace(table_folder="_x/.t")),
        (f"shop/t\n/{VERSION}/CDC000001.csv", DATA._replace(table_folder="shop/t\n")),
        (f"shop/meta/schema_{VERSION}_0123456789.json", FilePath(FileKind.SCHEMA, "shop", VERSION)),
        (f"shop/meta/meta/schema_{VERSION}_0123456789.json", FilePath(FileKind.SCHEMA, "shop/meta", VERSION)),
        (f"118/meta/schema_{VERSION}_0123456789.json", FilePath(FileKind.SCHEMA, "118", VERSION, 118)),
        (f"-1/meta/schema_{VERSION}_0123456789.json", FilePath(FileKind.SCHEMA, "-1", VERSION)),
        (f"shop/t/{VERSION}/meta/CDC.index", FilePath(FileKind.INDEX)),
        (f"shop/t/{VERSION}/2026-11-21/meta/CDC_65046.index", FilePath(FileKind.INDEX)),
        ("metadata", FilePath(FileKind.METADATA)),
        ("shop/metadata", FilePath(FileKind.OTHER)),
        (f"shop/t/{VERSION}/CDC000001.csv.tmp", FilePath(FileKind.OTHER)),
        (f"shop/t/{VERSION}/CDC1.csv", FilePath(FileKind.OTHER)),
        (f"{VERSION}/CDC000001.csv", FilePath(FileKind.OTHER)),
        ("", FilePath(FileKind.OTHER)),
    ],
)
def test_what_a_path_is(path: str, expected: FilePath) -> None:
    assert path_of(path) == expected


def test_four_digits_alone_are_neither_a_year_nor_a_partition() -> None:
    """With `date-separator` year the part is a year, without one the id of a partition: the path does not tell."""
    assert path_of(f"shop/t/{VERSION}/2026/CDC000001.csv") == DATA


def _rows(content: bytes, protocol: str = files.CSV, **members: str | bool) -> files.Rows:
    return rows_of(content, protocol, options.parse(json.dumps(members)))


@pytest.mark.parametrize(
    ("content", "members", "rows"),
    [
        (b"", {}, []),
        (b"a\r\nb\r\n", {}, [b"a", b"b"]),
        (b'"x\r\ny",1\r\n2\r\n', {}, [b'"x\r\ny",1', b"2"]),
        (b'"\r\n","\r\n\r\n"\r\n2\r\n', {}, [b'"\r\n","\r\n\r\n"', b"2"]),
        (b'"a ""\r\n"" b"\r\n', {}, [b'"a ""\r\n"" b"']),
        (b"'x\n''y',1\n2\n", {"quote": "'", "terminator": "\n"}, [b"'x\n''y',1", b"2"]),
        (b'a\\n"|1\r\n2\r\n', {"quote": "", "delimiter": "|"}, [b'a\\n"|1', b"2"]),
        (b"\r\n\r\n", {}, [b"", b""]),
        ("\u2028\r\n\x85\r\n".encode(), {}, ["\u2028".encode(), "\x85".encode()]),
    ],
)
def test_the_rows_of_csv(content: bytes, members: dict[str, str | bool], rows: list[bytes]) -> None:
    assert _rows(content, **members) == (None, rows)


@pytest.mark.parametrize("content", [b"a\r\nb", b"a\r\nb\r", b'a\r\n"b\r\nc', b'a\r\n"b\r\n', b"a\r\nb\n"])
def test_a_row_that_is_cut_off_is_none(content: bytes) -> None:
    """A number that lost its last digits is a number, too."""
    assert _rows(content).rows == [b"a", None]


def test_the_header_stands_apart_and_its_quotes_count_for_nothing() -> None:
    assert _rows(b'ticdc-meta$operation,dq"uote\r\n"I",1\r\n', output_field_header=True) == (
        b'ticdc-meta$operation,dq"uote',
        [b'"I",1'],
    )
    assert _rows(b"cut", output_field_header=True) == (None, [None])
    assert _rows(b"head\r\n", output_field_header=True) == (b"head", [])


def test_rows_of_canal_json_have_no_quotes_and_no_header() -> None:
    assert _rows(b'{"a":"\r\n{}\r\n', "storage_canal_json", output_field_header=True).rows == [b'{"a":"', b"{}"]


def test_a_large_file_is_split_in_seconds() -> None:
    row = b'"I","t","shop",470610923857117184,1,"' + b"x" * 100 + b'\r\n","""y"""\r\n'
    assert len(_rows(row * 200_000).rows) == 200_000


def test_rows_and_paths_of_a_batch() -> None:
    contents = pa.array([b"h\r\n1\r\n", None, b"", b"x\r\n"], pa.binary())
    texts = pa.array(['{"output_field_header": true}'] * 3 + ['{"quote": "too long"}'])
    assert files.rows_batch(contents, pa.array([files.CSV] * 4), texts).to_pylist() == [
        {"header": b"h", "rows": [b"1"]},
        {"header": None, "rows": None},
        {"header": None, "rows": []},
        {"header": None, "rows": [None]},
    ]
    assert files.path_batch(pa.array([f"s/t/{VERSION}/7/CDC000001.csv", None, "x"])).to_pylist() == [
        {"kind": "data", "table_folder": "s/t", "version": VERSION, "partition_id": 7},
        {"kind": None, "table_folder": None, "version": None, "partition_id": None},
        {"kind": "other", "table_folder": None, "version": None, "partition_id": None},
    ]
