"""The dbt plugin: the UDFs are there in every session that dbt-spark opens with method `session`."""

from __future__ import annotations

import sys
from typing import Any

from dbt.plugins.manager import dbtPlugin

_WRAPPED = "_ticdc_wrapped"
_REGISTERED = "_ticdc_registered"


class TicdcPlugin(dbtPlugin):
    """Wraps `SparkConnectionManager.open`; other adapters and methods stay as they are."""

    def initialize(self) -> None:
        """Wraps the connection manager once.

        dbt loads the adapter before its plugins: where Spark's is not loaded, there is nothing to do.
        """
        connections: Any = sys.modules.get("dbt.adapters.spark.connections")
        manager = getattr(connections, "SparkConnectionManager", None)
        if manager is None or hasattr(manager, _WRAPPED):
            return
        original = manager.open

        def open_and_register(cls: type[Any], connection: Any) -> Any:
            opened = original(connection)
            if str(opened.credentials.method) == "session":
                _register(opened.credentials.server_side_parameters)
            return opened

        manager.open = classmethod(open_and_register)
        setattr(manager, _WRAPPED, True)


def _register(parameters: dict[str, Any]) -> None:
    """Registers in the session that dbt-spark will use (its `session.Cursor` builds it with the same parameters).

    A failure is a warning: projects that need none of the functions must still run.
    """
    try:
        from pyspark.sql import SparkSession

        import ticdc_udfs

        builder = SparkSession.builder.enableHiveSupport()
        for key, value in parameters.items():
            builder = builder.config(key, value)
        session = builder.getOrCreate()
        # dbt opens a connection for each node: to ask Spark for all functions again would take longer than some nodes
        if not hasattr(session, _REGISTERED):
            ticdc_udfs.register(session)
            setattr(session, _REGISTERED, True)
    except Exception as error:
        from dbt.adapters.events.logging import AdapterLogger

        AdapterLogger("ticdc").warning(f"the UDFs of ticdc could not be registered: {type(error).__name__}: {error}")
