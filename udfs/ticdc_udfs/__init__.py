"""The UDF plug-in of the dbt package `ticdc`: decoders for TiCDC's messages and their registration in Spark."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def register(spark: SparkSession) -> None:
    """Registers every UDF as a temporary function of this session (see `ticdc_udfs.registrar`)."""
    from ticdc_udfs import registrar

    registrar.register(spark)
