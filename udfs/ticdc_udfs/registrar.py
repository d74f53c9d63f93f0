"""Makes the registry's functions known to Spark: in one session, or in every session that opens later."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

from ticdc_udfs.spark.registry import UDFS, ArrowFunction

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def register(spark: SparkSession) -> None:
    """Registers every UDF as a temporary function of this session; functions that are known already are left alone."""
    # one question for all: each asks the catalogue, for a twentieth of a second while it is new
    known = {row.function for row in spark.sql("show functions like 'ticdc_*'").collect()}
    missing = [udf for udf in UDFS if udf.name not in known]
    if not missing:
        return
    from pyspark.sql.pandas import functions

    arrow_udf: Any = functions.arrow_udf  # its stubs ask for a function type, against which it warns when called
    _use_this_python(spark)
    for udf in missing:
        function = arrow_udf(_plain_function(udf.function), udf.returns)
        spark.udf.register(udf.name, function if udf.where_asked else function.asNondeterministic())


def inject(spark: SparkSession) -> None:
    """Makes every UDF visible in this session and in all that open after it in this JVM (a multi-session server).

    Spark has no public call for this from Python: it goes through `SparkSessionExtensions.injectFunction`.
    """
    register(spark)
    session: Any = spark._jsparkSession  # the JVM's own object: classic sessions only
    jvm: Any = spark.sparkContext._jvm
    registry = session.sessionState().functionRegistry()
    known = registry.listFunction()
    identifiers = {known.apply(place).funcName(): known.apply(place) for place in range(known.size())}
    for udf in UDFS:
        identifier = identifiers[udf.name]
        description = jvm.scala.Tuple3(
            jvm.org.apache.spark.sql.catalyst.FunctionIdentifier(udf.name),
            registry.lookupFunction(identifier).get(),
            registry.lookupFunctionBuilder(identifier).get(),
        )
        session.extensions().injectFunction(description)


def _plain_function(function: ArrowFunction) -> ArrowFunction:
    """A function without annotations: `arrow_udf` infers the kind of UDF from them and takes none for a scalar one."""
    return lambda *arrays: function(*arrays)


def _use_this_python(spark: SparkSession) -> None:
    """Local workers run in this interpreter, which has the decoders, unless the environment names another one."""
    context = getattr(spark, "_sc", None)  # a Spark Connect session has no context
    if context is not None and context.master.startswith("local") and "PYSPARK_PYTHON" not in os.environ:
        context.pythonExec = sys.executable
