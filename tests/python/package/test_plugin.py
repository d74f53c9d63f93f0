"""The dbt plugin: UDFs in the sessions that dbt opens, and no trace of itself elsewhere."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import dbt_ticdc

PROJECT = {
    "dbt_project.yml": "name: probe\nversion: 1.0.0\nprofile: probe\nmodels: {+materialized: table}\n",
    "profiles.yml": """\
probe:
  target: session
  outputs:
    session:
      type: spark
      method: session
      host: NA
      schema: probe
      threads: 1
      server_side_parameters:
        spark.ui.enabled: "false"
        spark.driver.memory: 1g
""",
    "models/decoded.sql": "select ticdc_decode_canal_json(cast(null as binary), cast('{' as binary), '{}') as event",
    "models/codes.sql": "select event.error_code as error_code from {{ ref('decoded') }}",
}


def environment(home: Path) -> dict[str, str]:
    """A clean one: dbt finds the plugin as an installed module, and workers find their Python by the plugin."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("DBT_", "PYSPARK_"))}
    paths = [str(Path(dbt_ticdc.__file__).parents[1]), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {**kept, "PYTHONPATH": os.pathsep.join(paths), "DBT_SEND_ANONYMOUS_USAGE_STATS": "false", "HOME": str(home)}


@pytest.mark.soak("processes")
def test_dbt_session_has_the_functions(tmp_path: Path) -> None:
    for name, content in PROJECT.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(content)
    command = [sys.executable, "-m", "dbt.cli.main", "show", "--select", "codes", "--output", "json", "--quiet"]
    build = [*command[:3], "build", "--quiet"]
    # Both in one process: two runs would start Java twice.
    code = f"""
from dbt.cli.main import dbtRunner
import sys
for arguments in ({build[3:]!r}, {command[3:]!r}):
    result = dbtRunner().invoke(arguments)
    assert result.success, result
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env=environment(tmp_path),
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    shown = json.loads(done.stdout[done.stdout.index("{") :])
    assert shown["show"] == [{"error_code": "bad_json"}]


@pytest.mark.parametrize("statement", ["import dbt_ticdc", "import dbt_ticdc; dbt_ticdc.plugins"])
def test_import_brings_neither_spark_nor_its_adapter(statement: str) -> None:
    code = f"{statement}\nimport sys; sys.exit(any(n in sys.modules for n in ('pyspark', 'dbt.adapters.spark')))"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_import_alone_brings_no_dbt() -> None:
    subprocess.run([sys.executable, "-c", "import dbt_ticdc, sys; sys.exit('dbt.plugins' in sys.modules)"], check=True)


def test_without_the_spark_adapter_nothing_happens(monkeypatch: pytest.MonkeyPatch) -> None:
    from dbt_ticdc.plugin import TicdcPlugin

    monkeypatch.delitem(sys.modules, "dbt.adapters.spark.connections", raising=False)
    TicdcPlugin(project_name="any")
    assert "dbt.adapters.spark.connections" not in sys.modules


def test_the_connection_manager_is_wrapped_once_and_other_methods_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    from types import ModuleType, SimpleNamespace

    from dbt_ticdc import plugin

    class SparkConnectionManager:
        @classmethod
        def open(cls, connection: SimpleNamespace) -> SimpleNamespace:
            connection.opened += 1
            return connection

    module = ModuleType("dbt.adapters.spark.connections")
    module.SparkConnectionManager = SparkConnectionManager  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, module.__name__, module)
    registered: list[object] = []
    monkeypatch.setattr(plugin, "_register", registered.append)
    for _ in range(2):
        plugin.TicdcPlugin(project_name="any")

    def opened(method: str) -> int:
        credentials = SimpleNamespace(method=method, server_side_parameters={"of": method})
        return int(SparkConnectionManager.open(SimpleNamespace(credentials=credentials, opened=0)).opened)

    assert [opened(method) for method in ("thrift", "session", "http")] == [1, 1, 1]
    assert registered == [{"of": "session"}]


def test_a_failed_registration_is_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    import ticdc_udfs
    from dbt_ticdc import plugin

    def fails(_: object) -> None:
        raise ImportError("no Arrow UDFs in this Spark")

    monkeypatch.setattr(ticdc_udfs, "register", fails)
    monkeypatch.setitem(sys.modules, "pyspark.sql", None)
    plugin._register({})


def test_a_session_is_asked_for_its_functions_once(monkeypatch: pytest.MonkeyPatch) -> None:
    from types import SimpleNamespace

    import pyspark.sql

    import ticdc_udfs
    from dbt_ticdc import plugin

    sessions = [SimpleNamespace(), SimpleNamespace()]
    opened = iter((sessions[0], sessions[0], sessions[1]))
    builder = SimpleNamespace(enableHiveSupport=lambda: builder, getOrCreate=lambda: next(opened))
    registered: list[object] = []
    monkeypatch.setattr(pyspark.sql, "SparkSession", SimpleNamespace(builder=builder))
    monkeypatch.setattr(ticdc_udfs, "register", registered.append)
    for _ in range(3):
        plugin._register({})
    assert [session is of for session, of in zip(registered, sessions, strict=True)] == [True, True]
