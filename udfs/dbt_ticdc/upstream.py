"""Reads TiDB's own rows as of a commit over the MySQL protocol, into files as `truth` reads them."""

from __future__ import annotations

import json
import os
from base64 import b64encode
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import parse_qsl, unquote, urlsplit

from dbt_ticdc import truth
from dbt_ticdc.errors import TicdcError
from dbt_ticdc.truth import TableName
from ticdc_udfs.contract import values
from ticdc_udfs.contract.identifiers import quoted

PASSWORD = "TICDC_MYSQL_PASSWORD"
_FORM = "mysql://user@host:port, optionally with ?ssl_ca=file"


class Cursor(Protocol):
    """What is used of a cursor of Python's DB-API; cells are the bytes of TiDB's texts, or None."""

    def execute(self, query: str, args: Sequence[object] = ..., /) -> object:
        """Runs a statement."""

    def fetchall(self) -> Iterable[Sequence[bytes | None]]:
        """All rows of its result."""

    def fetchmany(self, size: int, /) -> Sequence[Sequence[bytes | None]]:
        """Some of the next rows of its result."""


def export(url: str, commit_ts: int, tables: Iterable[TableName], folder: Path) -> dict[TableName, list[Path]]:
    """Writes the rows of the tables as of the commit to JSON lines in the folder; gives the files of each table.

    A table that is not there has no files. Raises `TicdcError`.
    """
    settings = connection_settings(url)
    try:
        import pymysql
        from pymysql.cursors import SSCursor
    except ImportError as error:
        raise TicdcError("--mysql needs the driver PyMySQL: pip install 'dbt-ticdc[mysql]'") from error
    try:
        with (
            pymysql.connect(
                **settings, charset="utf8mb4", conv={}, use_unicode=False, cursorclass=SSCursor
            ) as connection,
            connection.cursor() as cursor,
        ):
            go_to(cursor, commit_ts)
            # names of tables may be longer than those of files
            paths = {table: folder / f"{number}.jsonl" for number, table in enumerate(tables)}
            return {table: [path] if write(cursor, table, path) else [] for table, path in paths.items()}
    except pymysql.MySQLError as error:
        raise TicdcError(f"--mysql: TiDB says: {': '.join(map(str, error.args))}") from error
    except (OSError, RuntimeError) as error:  # of the CA's file, or of a way to log in that lacks a package
        raise TicdcError(f"--mysql: {url}: {error}") from error


def connection_settings(url: str) -> dict[str, Any]:
    """Arguments of the driver's `connect` from a URL; the password is that of the environment. Raises `TicdcError`."""
    try:
        parts = urlsplit(url)
        port = parts.port or 4000
    except ValueError as error:
        raise TicdcError(f"--mysql: {error}; allowed is {_FORM}") from error
    options = dict(parse_qsl(parts.query, keep_blank_values=True))
    is_known = options.keys() <= {"ssl_ca"} and all(options.values()) and parts.path in ("", "/")
    if parts.password is not None:
        raise TicdcError(f"--mysql: no password in the URL: set the environment variable {PASSWORD}")
    if parts.scheme != "mysql" or not parts.hostname or not parts.username or not is_known:
        raise TicdcError(f"--mysql: got {url}; allowed is {_FORM}")
    user = unquote(parts.username)
    login = {"host": parts.hostname, "port": port, "user": user, "password": os.environ.get(PASSWORD, "")}
    # A CA checks certificate and host name.
    return {**login, "ssl": {"ca": options["ssl_ca"], "check_hostname": True}} if options else login


def go_to(cursor: Cursor, commit_ts: int) -> None:
    """Makes the session read as of the commit, with TIMESTAMP in UTC."""
    cursor.execute("set session time_zone = '+00:00'")
    cursor.execute(f"set session tidb_snapshot = '{commit_ts}'")


def write(cursor: Cursor, table: TableName, path: Path) -> bool:
    """Writes a table's rows to the file; gives whether there is such a table."""
    cursor.execute(
        "select column_name, column_type, extra from information_schema.columns "
        "where table_schema = %s and table_name = %s order by ordinal_position",
        table,
    )
    described = [[(cell or b"").decode() for cell in row] for row in cursor.fetchall()]
    columns = [(name, column_type) for name, column_type, extra in described if "VIRTUAL" not in extra.upper()]
    if not columns:
        return False
    selected = ", ".join(quoted(name) for name, _ in columns)
    cursor.execute(f"select {selected} from {'.'.join(map(quoted, table))}")
    with path.open("w", encoding="utf-8") as file:
        while rows := cursor.fetchmany(1000):
            file.writelines(
                json.dumps({name: _cell(cell, of) for (name, of), cell in zip(columns, row, strict=True)}) + "\n"
                for row in rows
            )
    return True


def _cell(cell: bytes | None, column_type: str) -> str | None:
    if cell is None:
        return None
    base = values.base_type(column_type)
    if base == "bit":
        return str(int.from_bytes(cell, "big"))
    return b64encode(cell).decode("ascii") if base in truth.BINARY_TYPES else cell.decode("utf-8", "replace")
