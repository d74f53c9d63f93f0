"""Rows, schema files and the checkpoint of the storage sink, in canal-json and CSV."""

from __future__ import annotations

import json
from typing import Any

import pyarrow as pa
import pytest

from ticdc_udfs.contract import arrow
from ticdc_udfs.contract.events import Event, Kind
from ticdc_udfs.protocols import storage_canal_json, storage_csv

VERSION = 470610923857117184
COMMIT = VERSION + 5
FOLDER = f"shop/t/{VERSION}"
PATH = f"{FOLDER}/CDC00000000000000000001.csv".encode()
SCHEMA_PATH = f"shop/t/meta/schema_{VERSION}_0123456789.json".encode()


def _column(name: str, column_type: str, **members: str) -> dict[str, Any]:
    return {"ColumnName": name, "ColumnType": column_type, **{f"Column{key}": text for key, text in members.items()}}


ID = _column("id", "INT", Precision="11", Nullable="false", IsPk="true")
COLUMNS = [ID, _column("v", "VARCHAR", Precision="10")]


def _schema(*columns: dict[str, Any], query: str = "", **members: Any) -> str:
    file = {"Table": "t", "Schema": "shop", "Version": 1, "TableVersion": VERSION, "Query": query, "Type": 3}
    return json.dumps({**file, "TableColumns": columns, "TableColumnsTotal": len(columns), **members})


def _csv(
    row: bytes | None, schema: str | None = _schema(*COLUMNS), header: bytes | None = None, **members: Any
) -> Event:
    (event,) = arrow.decode_message(storage_csv.decode, PATH, row, json.dumps(members), schema, header)
    return event


def _row(*cells: str, op: str = "I", delimiter: str = ",") -> bytes:
    return delimiter.join((f'"{op}"', '"t"', '"shop"', str(COMMIT), *cells)).encode()


def _image(event: Event) -> Any:
    assert event.kind == Kind.ROW, (event.error_code, event.error_message)
    return json.loads(event.after or event.before or b"null")


def _error(event: Event) -> str:
    assert event.kind == Kind.ERROR
    return f"{event.error_code}: {event.error_message}"


# Files that are a message


def test_a_schema_file_with_a_statement_is_a_ddl() -> None:
    text = _schema(*COLUMNS, query="CREATE TABLE `t` (id INT)").encode()
    for decode, more in ((storage_canal_json.decode, ()), (storage_csv.decode, (None, None))):
        (event,) = arrow.decode_message(decode, SCHEMA_PATH, text, None, *more)
        assert (event.kind, event.commit_ts, event.commit_ts_exact) == (Kind.DDL, VERSION, True)
        assert (event.schema_name, event.table_name, event.ddl_type) == ("shop", "t", "3")
        assert event.ddl_query == "CREATE TABLE `t` (id INT)"
        assert json.loads(event.table_schema or b"") == [
            {"name": "id", "type": "int(11)", "key": 1, "nullable": False},
            {"name": "v", "type": "varchar(10)", "key": None, "nullable": True},
        ]


def test_a_schema_file_without_a_statement_tells_the_table_as_of_its_version() -> None:
    (event,) = arrow.decode_message(storage_canal_json.decode, SCHEMA_PATH, _schema(ID).encode(), None)
    assert (event.kind, event.commit_ts, event.ddl_query, event.ddl_type) == (Kind.BOOTSTRAP, VERSION, None, None)
    assert event.table_schema is not None and event.table_schema_id is not None


def test_ddl_of_a_database_has_no_columns() -> None:
    text = _schema(query="DROP DATABASE `shop`", Table="", TableColumns=None, Type=2).encode()
    path = f"shop/meta/schema_{VERSION}_0123456789.json".encode()
    (event,) = arrow.decode_message(storage_canal_json.decode, path, text, None)
    assert (event.kind, event.table_name, event.ddl_type, event.table_schema) == (Kind.DDL, "", "2", None)


def test_schema_and_table_are_what_the_file_says_not_its_path() -> None:
    text = _schema(ID, query="ALTER TABLE x", Schema="a/b", Table="c/d").encode()
    path = f"118/meta/schema_{VERSION}_0123456789.json".encode()
    (event,) = arrow.decode_message(storage_canal_json.decode, path, text, None)
    assert (event.schema_name, event.table_name, event.physical_table_id) == ("a/b", "c/d", 118)


def test_metadata_is_a_watermark() -> None:
    (event,) = arrow.decode_message(storage_csv.decode, b"metadata", b'{"checkpoint-ts":12}', None, None, None)
    assert event == Event(Kind.WATERMARK, commit_ts=12)


@pytest.mark.parametrize(
    ("path", "content", "told"),
    [
        (b"metadata", b"", "empty_value: the file is empty"),
        (b"metadata", b"{}", "bad_shape: no file metadata of the storage sink: Object missing required field"),
        (b"metadata", b'{"checkpoint-ts":', "bad_json: the file metadata of the storage sink is not JSON"),
        (SCHEMA_PATH, b"[]", "bad_shape: no schema file of the storage sink: Expected `object`, got `array`"),
        (SCHEMA_PATH, b'{"Schema":"\xff"}', "not_utf8: the schema file of the storage sink is not UTF-8"),
        (b"shop/t/README", b"x", "unknown_kind: the path is of no data file or schema file"),
        (b"\xff", b"x", "not_utf8: the path of the file is not UTF-8"),
        (None, b"x", "unknown_kind: the path is of no data file or schema file"),
    ],
)
def test_what_a_file_is_not(path: bytes | None, content: bytes, told: str) -> None:
    (event,) = arrow.decode_message(storage_canal_json.decode, path, content, None)
    assert _error(event).startswith(told)


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        (_column("c", "BIGINT UNSIGNED", Precision="20"), "bigint(20) unsigned"),
        (_column("c", "BIT UNSIGNED", Precision="4"), "bit(4)"),
        (_column("c", "YEAR UNSIGNED", Precision="4"), "year(4)"),
        (_column("c", "DECIMAL UNSIGNED", Precision="12"), "decimal(12,0) unsigned"),
        (_column("c", "DECIMAL", Precision="12", Scale="2"), "decimal(12,2)"),
        (_column("c", "FLOAT", Precision="12"), "float"),
        (_column("c", "DOUBLE", Precision="10", Scale="3"), "double(10,3)"),
        (_column("c", "DATETIME", Scale="6"), "datetime(6)"),
        (_column("c", "TIME"), "time"),
        (_column("c", "BLOB", Precision="65535"), "blob"),
        (_column("c", "ENUM"), "enum"),
        ({**_column("c", "SET"), "ColumnElems": ["a", "it's"]}, "set('a','it''s')"),
    ],
)
def test_the_type_of_a_column(column: dict[str, Any], expected: str) -> None:
    (event,) = arrow.decode_message(storage_canal_json.decode, SCHEMA_PATH, _schema(column).encode(), None)
    assert json.loads(event.table_schema or b"")[0]["type"] == expected


# Canal-JSON


def _canal(extension: str = f',"_tidb":{{"commitTs":{COMMIT}}}', **members: Any) -> bytes:
    row = {"type": "INSERT", "es": 1, "database": "shop", "table": "t", "isDdl": False, "pkNames": ["id"]}
    row |= {"mysqlType": {"id": "int"}, "data": [{"id": "1"}], **members}
    return json.dumps(row)[:-1].encode() + extension.encode() + b"}"


def _canal_event(row: bytes | None, folder: str = FOLDER) -> Event:
    path = f"{folder}/CDC000001.json".encode()
    (event,) = arrow.decode_message(storage_canal_json.decode, path, row, None)
    return event


def test_a_row_of_canal_json_has_the_id_of_its_partition() -> None:
    assert _canal_event(_canal()).physical_table_id is None
    event = _canal_event(_canal(), FOLDER + "/316/2026-11-21")
    assert (event.commit_ts, event.physical_table_id, _image(event)) == (COMMIT, 316, {"id": "1"})


def test_a_row_of_canal_json_without_commit_is_refused() -> None:
    """Only milliseconds would be there, and no order within one."""
    assert "set enable-tidb-extension=true" in _error(_canal_event(_canal(extension="")))


def test_what_is_no_row_of_canal_json() -> None:
    assert _error(_canal_event(None)).startswith("bad_frame: the file does not end with the terminator")
    assert _error(_canal_event(b"")).startswith("empty_value")
    assert _error(_canal_event(_canal(isDdl=True, type="CREATE"))).startswith("unknown_kind: a line of a data file")


# CSV


def test_a_row_of_csv() -> None:
    event = _csv(_row("1", '"a ""b"", c"'))
    assert (event.kind, event.op, event.commit_ts, event.commit_ts_exact) == (Kind.ROW, "insert", COMMIT, True)
    assert (event.schema_name, event.table_name, event.lossy) == ("shop", "t", ())
    assert (event.row_key, event.before) == (b'{"id":"1"}', None)
    assert _image(event) == {"id": "1", "v": 'a "b", c'}
    assert [column["type"] for column in json.loads(event.table_schema or b"")] == ["int(11)", "varchar(10)"]


def test_operations_of_csv() -> None:
    assert (_csv(_row("1", "\\N", op="D")).op, _csv(_row("1", "\\N", op="U")).op) == ("delete", "update")
    assert _csv(_row("1", "\\N", op="D")).after is None
    assert _csv(_row("1", "\\N", op="D")).before == b'{"id":"1","v":null}'


def test_null_is_without_quotes() -> None:
    assert _image(_csv(_row("1", "\\N"))) == {"id": "1", "v": None}
    assert _image(_csv(_row("1", '"\\N"'))) == {"id": "1", "v": "\\N"}
    assert _image(_csv(_row("1", '""'))) == {"id": "1", "v": ""}
    assert _image(_csv(_row("1", ""), null="")) == {"id": "1", "v": None}
    assert _image(_csv(_row("1", '""'), null="")) == {"id": "1", "v": ""}


@pytest.mark.parametrize("delimiter", [",", "|", "[*]", "||", "^", "\t", "]"])
def test_delimiters_within_quotes(delimiter: str) -> None:
    row = _row("1", f'"a{delimiter}b{delimiter}"', delimiter=delimiter)
    assert _image(_csv(row, delimiter=delimiter)) == {"id": "1", "v": f"a{delimiter}b{delimiter}"}


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        ("a\\,b", "a,b"),
        ("\\\\N", "\\N"),
        ("\\N", None),
        ("x\\r\\ny", "x\r\ny"),
        ('"q"', '"q"'),
        ("", ""),
        ("\\\\", "\\"),
    ],
)
def test_texts_without_quotes_are_escaped(cell: str, text: str | None) -> None:
    row = f"I,t,shop,{COMMIT},1,{cell}".encode()
    assert _image(_csv(row, quote="")) == {"id": "1", "v": text}


def test_a_delimiter_of_several_signs_without_quotes() -> None:
    row = f"I|+|t|+|shop|+|{COMMIT}|+|1|+|a\\|\\+\\|b|c+".encode()
    assert _image(_csv(row, quote="", delimiter="|+|")) == {"id": "1", "v": "a|+|b|c+"}


def test_an_update_with_old_values_is_a_deletion_and_an_insertion() -> None:
    rows = [_csv(_row("true", "1", "\\N", op=op), output_old_value=True) for op in "DI"]
    assert [(row.op, row.commit_ts) for row in rows] == [("delete", COMMIT), ("insert", COMMIT)]
    assert _image(rows[1]) == {"id": "1", "v": None}


def test_the_handle_key_is_no_column() -> None:
    row = _row("false", '"1"', "1", '"x"')
    assert _image(_csv(row, output_old_value=True, output_handle_key=True)) == {"id": "1", "v": "x"}


@pytest.mark.parametrize(
    ("column", "cell", "text"),
    [
        (_column("c", "FLOAT", Precision="12"), "1e+21", "1000000000000000000000"),
        (_column("c", "DOUBLE", Precision="22"), "-1.5e-07", "-0.00000015"),
        (_column("c", "DOUBLE", Precision="22"), "2.25", "2.25"),
        (_column("c", "YEAR UNSIGNED", Precision="4"), "0", "0000"),
        (_column("c", "BIT UNSIGNED", Precision="64"), "18446744073709551615", "18446744073709551615"),
        (_column("c", "ENUM"), '"1"', "1"),
        (_column("c", "TIMESTAMP", Scale="3"), '"2026-11-21 13:00:00.100"', "2026-11-21 05:00:00.100"),
        (_column("c", "DATETIME"), '"2026-11-21 13:00:00"', "2026-11-21 13:00:00"),
        (_column("c", "VARBINARY", Precision="20"), '"AP8="', "AP8="),
    ],
)
def test_values_become_canonical(column: dict[str, Any], cell: str, text: str) -> None:
    event = _csv(_row("1", cell), _schema(ID, column), time_zone="Asia/Shanghai")
    assert _image(event)["c"] == text


def test_bytes_in_hex() -> None:
    event = _csv(_row("1", '"00ff"'), _schema(ID, _column("c", "BLOB")), binary_encoding_method="hex")
    assert _image(event)["c"] == "AP8="


@pytest.mark.parametrize(
    ("column", "cell"),
    [
        (_column("c", "INT"), '"x"'),
        (_column("c", "INT"), "1.5"),
        (_column("c", "BLOB"), '"a"'),
        (_column("c", "YEAR"), '"-"'),
        (_column("c", "DOUBLE"), '"e"'),
    ],
)
def test_a_value_of_another_type_is_refused(column: dict[str, Any], cell: str) -> None:
    assert _error(_csv(_row("1", cell), _schema(ID, column))).startswith("bad_value: the value of column 'c'")


def test_bytes_that_are_no_text_are_flagged() -> None:
    event = _csv(_row("1", '"a') + b'\xff"')
    assert (_image(event)["v"], event.lossy) == ("a\ufffd", ("v:invalid_utf8",))


def test_a_table_without_primary_key_is_flagged() -> None:
    event = _csv(_row("1", '"x"'), _schema(_column("id", "INT"), COLUMNS[1]))
    assert (event.lossy, event.row_key) == (("*:no_key",), b'{"id":"1","v":"x"}')


VIRTUAL = [*COLUMNS, _column("w", "INT")]
CREATE = "CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(10), w INT AS (id + 1))"


def test_statements_tell_virtual_columns_which_files_lack() -> None:
    assert _image(_csv(_row("1", '"x"'), _schema(*VIRTUAL, query=CREATE))) == {"id": "1", "v": "x"}
    later = f"[{_schema(*COLUMNS)},{_schema(*VIRTUAL, query='ALTER TABLE t ADD w INT AS (id) VIRTUAL')}]"
    assert _image(_csv(_row("1", '"x"'), later)) == {"id": "1", "v": "x"}


OLDER = _schema(*VIRTUAL, query=CREATE, TableVersion=VERSION - 2)


def test_a_column_stays_virtual_under_a_new_name() -> None:
    columns = [*COLUMNS, _column("u", "INT")]
    files = f"[{OLDER},{_schema(*columns, query='ALTER TABLE t RENAME COLUMN w TO u')}]"
    assert _image(_csv(_row("1", '"x"'), files)) == {"id": "1", "v": "x"}


@pytest.mark.parametrize("query", ["RENAME TABLE a TO t", "FLASHBACK TABLE a TO t", "CREATE TABLE t LIKE a"])
def test_a_table_that_takes_a_name_has_columns_of_its_own(query: str) -> None:
    """What was virtual in the table that had the name before need not be so in this one."""
    dropped = _schema(*VIRTUAL, query="DROP TABLE t", TableVersion=VERSION - 1)
    for before in (OLDER, f"{OLDER},{dropped}"):
        assert "output_field_header" in _error(_csv(_row("1", '"x"'), f"[{before},{_schema(*VIRTUAL, query=query)}]"))


def test_columns_of_expressions_in_indexes_are_none() -> None:
    schema = _schema(*COLUMNS, _column("_V$_ex_0", "BIGINT"))
    assert _image(_csv(_row("1", '"x"'), schema)) == {"id": "1", "v": "x"}
    (event,) = arrow.decode_message(storage_canal_json.decode, SCHEMA_PATH, schema.encode(), None)
    assert [column["name"] for column in json.loads(event.table_schema or b"")] == ["id", "v"]


def test_columns_that_nothing_tells_apart_are_refused() -> None:
    for schema in (_schema(*VIRTUAL), _schema(*VIRTUAL, query=CREATE.replace("AS (id + 1)", "AS (id + 1) STORED"))):
        error = _error(_csv(_row("1", '"x"'), schema))
        assert "the row has 2 cells, the table 3 columns" in error and "output_field_header" in error


def test_a_folder_of_an_id_has_the_files_of_both_tables_of_an_exchange() -> None:
    other = _schema(ID, Table="other")
    assert _image(_csv(_row("1", '"x"'), f"[{_schema(*COLUMNS)},{other}]")) == {"id": "1", "v": "x"}
    assert _error(_csv(_row("1", '"x"'), f"[{other}]")).startswith("bad_shape: the row is of another table")


HEADER = "ticdc-meta$operation,ticdc-meta$table,ticdc-meta$schema,ticdc-meta$commit-ts"


def test_a_header_names_the_columns() -> None:
    event = _csv(_row("1", "7"), _schema(*VIRTUAL), f"{HEADER},id,w".encode(), output_field_header=True)
    assert _image(event) == {"id": "1", "w": "7"}


def test_a_header_with_a_name_that_has_the_delimiter() -> None:
    schema = _schema(ID, _column("x,y", "INT"), _column("z", "INT"))
    event = _csv(_row("1", "7", "8"), schema, f"{HEADER},id,x,y,z".encode(), output_field_header=True)
    assert _image(event) == {"id": "1", "x,y": "7", "z": "8"}


@pytest.mark.parametrize(
    ("header", "told"),
    [
        (f"{HEADER},id,unknown", "the header has names that are none of the schema file"),
        (f"{HEADER},v,id", "the header has names that are none of the schema file, or in another order"),
        (f"{HEADER},id", "the row has 2 cells, the header 1"),
        ("ticdc-meta$operation,ticdc-meta$table,ticdc-meta$schema,id,v", "the header is not that of 4 cells"),
        (f"{HEADER},ticdc-meta$is-update,id,v", "the header is not that of 4 cells"),
        ("id", "the header is not that of 4 cells"),
    ],
)
def test_a_header_that_does_not_fit_is_told(header: str, told: str) -> None:
    assert told in _error(_csv(_row("1", '"x"'), header=header.encode(), output_field_header=True))


def test_csv_without_commit_is_refused() -> None:
    row = b'"I","t","shop",1,"x"'
    assert "set csv.include-commit-ts = true" in _error(_csv(row))
    assert "set csv.include-commit-ts = true" in _error(_csv(row, _schema(ID)))
    assert _error(_csv(_row("1", '"x"'), include_commit_ts=False)).startswith("bad_options")


@pytest.mark.parametrize(
    ("row", "told"),
    [
        (None, "bad_frame: the file does not end with the terminator"),
        (b"", "empty_value: the row is empty"),
        (b'"I"x,"t"', "bad_shape: the row is no CSV: a cell is quoted in part"),
        (_row("1", '"x'), "bad_shape: the row is no CSV"),
        (_row("1", '"x"', op="X"), "unknown_kind: the first cell is none of I, U and D"),
        (_row("1", '"x"').replace(b'"t"', b'"u"'), "bad_shape: the row is of another table than its schema file"),
    ],
)
def test_what_is_no_row_of_csv(row: bytes | None, told: str) -> None:
    assert _error(_csv(row)).startswith(told)


@pytest.mark.parametrize("schema", [None, "", "[]", _schema(*COLUMNS, TableVersion=VERSION - 1)])
def test_a_row_whose_schema_file_is_missing(schema: str | None) -> None:
    assert _error(_csv(_row("1", '"x"'), schema)).startswith("schema_missing: no schema file of the table")


@pytest.mark.parametrize(
    "members",
    [{"delimiter": ""}, {"delimiter": "abcd"}, {"quote": "ab"}, {"null": 'a"'}, {"null": "a,b"}, {"quote": ","}],
)
def test_options_that_contradict_each_other(members: dict[str, str]) -> None:
    assert _error(_csv(_row("1", '"x"'), **members)).startswith("bad_options")


def test_a_batch_gives_the_events_of_single_messages() -> None:
    schema = _schema(*COLUMNS)
    messages = [
        (PATH, _row("1", '"x"'), "{}", schema, None),
        (PATH, _row("2", '"y"', op="D"), "{}", schema, None),
        (PATH, None, "{}", schema, None),
        (b"metadata", b'{"checkpoint-ts":12}', "{}", None, None),
        (SCHEMA_PATH, schema.encode(), "{}", None, None),
        (PATH, _row("3", '"y"'), "{}", None, b"head"),
        (PATH, _row("1", '"x"'), "{}", schema.replace("11", "10"), None),
        (PATH.replace(b"/CDC", b"/77/CDC"), _row("1", '"x"'), "{}", schema, None),
    ]
    types = (pa.binary(), pa.binary(), pa.string(), pa.string(), pa.binary())
    columns = [pa.array(column, kind) for column, kind in zip(zip(*messages, strict=True), types, strict=True)]
    expected = arrow.decode_each(storage_csv.decode, *columns)
    assert storage_csv.decode_batch(*columns).to_pylist() == expected.to_pylist()
    columns[3] = columns[3].dictionary_encode()
    assert storage_csv.decode_batch(*columns).to_pylist() == expected.to_pylist()
    lines = [_canal(), _canal(extension=""), b"x", None]
    paths = [FOLDER.encode() + b"/316/CDC000001.json"] * len(lines)
    plain = [pa.array(paths, pa.binary()), pa.array(lines, pa.binary()), pa.array(["{}"] * len(lines))]
    single = arrow.decode_each(storage_canal_json.decode, *plain)
    assert storage_canal_json.decode_batch(*plain).to_pylist() == single.to_pylist()
