"""The Thrift server: sessions of their own for every client, each with the UDFs."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from support import session
from support.project import Server

import dbt_ticdc
from dbt_ticdc import cli
from ticdc_udfs.spark.registry import UDFS

ERROR_CODE = "select ticdc_decode_canal_json(cast(null as binary), cast('{' as binary), '{}').error_code as code"


def ticdc(*arguments: str | int | Path) -> list[str]:
    return [sys.executable, "-m", "dbt_ticdc.cli", *map(str, arguments)]


def environment() -> dict[str, str]:
    paths = [str(Path(dbt_ticdc.__file__).parents[1]), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}


def rows(cursor: Any, query: str) -> list[tuple[Any, ...]]:
    cursor.execute(query)
    return list(cursor.fetchall())


def test_clients_have_the_functions_and_nothing_of_each_other(server: Server) -> None:
    one, two = server.connect(), server.connect()
    for cursor, name in ((one, "first"), (two, "second")):
        assert rows(cursor, ERROR_CODE) == [("bad_json",)]
        functions = {function for (function,) in rows(cursor, "show user functions like 'ticdc_*'")}
        assert functions >= {udf.name for udf in UDFS}
        cursor.execute(f"create temporary view mine as select '{name}' as name")
        cursor.execute(f"set ticdc.test = {name}")
    assert rows(one, "select * from mine") == [("first",)]
    assert rows(two, "select * from mine") == [("second",)]
    assert rows(one, "set ticdc.test") == [("ticdc.test", "first")]
    assert rows(two, "set ticdc.test") == [("ticdc.test", "second")]
    one.close()
    assert rows(two, ERROR_CODE) == [("bad_json",)]  # a client that leaves takes nothing along
    assert rows(two, "select cast(timestamp '2024-01-01 00:00:00 UTC' as string)") == [("2024-01-01 00:00:00",)]


def test_a_second_process_is_told_who_has_the_warehouse(server: Server) -> None:
    done = subprocess.run(
        ticdc("sql", "select 1", "--warehouse", server.warehouse), capture_output=True, text=True, env=environment()
    )
    assert done.returncode == 2
    assert f"is in use by process {server.process.pid}" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("given", "code", "said"),
    [
        (["select 1 as a, 'x;' as b", "--format", "csv"], 0, "a,b\r\n1,x;\r\n"),
        (
            ["select array(1, 2) as a, cast(1.50 as decimal(3,2)) as d", "--format", "json"],
            0,
            '{"a": "[1,2]", "d": "1.50"}\n',
        ),
        (["use ticdc"], 0, ""),
        (["select nope"], 1, "ticdc: the query failed: "),
        (["select 1", "--schema", "none"], 1, "has no schema none\n"),
    ],
)
def test_the_command_asks_a_server(
    server: Server, given: list[str], code: int, said: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["sql", *given, "--thrift", f"127.0.0.1:{server.port}"]) == code
    output = capfd.readouterr()
    assert said in (output.err if code else output.out.replace("\r\r", "\r"))


def test_the_port_is_taken(server: Server, tmp_path: Path) -> None:
    command = ticdc("serve", "--warehouse", tmp_path / "other", "--port", server.port)
    done = subprocess.run(command, capture_output=True, text=True, env=environment())
    assert done.returncode == 2
    assert f"cannot listen on 127.0.0.1:{server.port}" in done.stderr
    assert not (tmp_path / "other").exists()


# As dbt does it: it begins a statement, and asks for its state.
CLIENT = """
import sys, time
from pyhive import hive
cursor = hive.connect(host="127.0.0.1", port=int(sys.argv[1])).cursor()
cursor.execute(sys.argv[2], async_=True)
print("begun", flush=True)
while cursor.poll().operationState in (0, 1, 7):  # it has not ended
    time.sleep(0.2)
"""
SLEEPING = "concat(id, coalesce(java_method('java.lang.Thread', 'sleep', cast(2000 + id as bigint)), ''))"


@pytest.mark.soak("documents")
def test_the_statement_of_a_client_that_is_killed_is_cancelled(server: Server) -> None:
    """Or else it would write on while the next client builds."""
    cursor, clients = server.connect(), {}
    cursor.execute("create database clients")
    for name in ("killed", "whole"):
        cursor.execute(f"create table clients.{name} (text string) using parquet")
        statement = f"insert into clients.{name} select {SLEEPING} from range(0, 8, 1, 2)"
        command = [sys.executable, "-c", CLIENT, str(server.port), statement]
        clients[name] = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    for client in clients.values():
        assert client.stdout is not None
        assert client.stdout.readline() == "begun\n"
    clients["killed"].kill()
    assert clients["whole"].wait(120) == 0
    time.sleep(10)  # as long as its tasks sleep
    counts = [rows(cursor, f"select count(*) from clients.{name}") for name in clients]
    cursor.execute("drop database clients cascade")
    assert counts == [[(0,)], [(8,)]]


def test_a_signal_ends_it_and_frees_the_warehouse(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """The last test of this server: the warehouse can be opened again, and the working folder is clean."""
    server.process.send_signal(signal.SIGTERM)
    assert server.process.wait(60) == 0
    monkeypatch.chdir(server.warehouse.parent)
    command = ["sql", "select 1 as one;", "--warehouse", str(server.warehouse), "--format", "json"]
    exit_code, output, _ = session.command(command)
    assert exit_code == 0
    assert json.loads(output) == {"one": 1}
    assert {*server.warehouse.parent.iterdir()} - {server.dump} == {server.warehouse}
    exit_code, _, errors = session.command(["sql", "select * from nowhere", "--warehouse", str(server.warehouse)])
    assert exit_code == 1
    assert "ticdc: the query failed: [TABLE_OR_VIEW_NOT_FOUND]" in errors
    assert "Traceback" not in errors
