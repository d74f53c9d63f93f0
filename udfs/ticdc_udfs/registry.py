"""Every UDF of the plug-in, declared once: the registrar, the README and the tests read this list."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import pyarrow as pa

from ticdc_udfs import arrow
from ticdc_udfs.protocols import canal_json

ArrowFunction = Callable[..., "pa.Array[Any]"]


@dataclass(frozen=True)
class Udf:
    """A SQL function: Arrow arrays in, one Arrow array of the same length out; no message makes it raise."""

    name: str
    arguments: tuple[tuple[str, str], ...]
    returns: str
    description: str
    function: ArrowFunction

    @property
    def signature(self) -> str:
        """The function as SQL sees it, e.g. `f(value binary) → string`."""
        arguments = ", ".join(f"{name} {sql_type}" for name, sql_type in self.arguments)
        return f"{self.name}({arguments}) → {self.returns}"


def _decoder(protocol: str, decode: arrow.Decode) -> Udf:
    return Udf(
        name=f"ticdc_decode_{protocol}",
        arguments=(("key", "binary"), ("value", "binary"), ("options", "string")),
        returns=arrow.EVENTS_SQL_TYPE,
        description=f"The events of one {protocol} message; options is the feed's options as JSON text.",
        function=partial(arrow.decode_batch, decode),
    )


UDFS: tuple[Udf, ...] = (_decoder("canal_json", canal_json.decode),)
