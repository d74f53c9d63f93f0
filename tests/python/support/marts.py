"""What the marts and typed tables of a build over Thrift hold, to be held against another build's."""

from __future__ import annotations

from typing import Any

QUERIES = {
    "current rows": "select * from ticdc__current_rows",
    "history": "select * from ticdc__row_history",
    "history that is known now": "select * except (known_from, known_to) from ticdc__row_history_bitemporal "
    "where known_to is null",
    "changelog": "select * except (topic, `partition`, `offset`, event_index, run_id, known_from) "
    "from ticdc__changelog",
    "transactions": "select * from ticdc__transactions",
    "tables": "select * except (current_relation, history_relation) from ticdc__tables",
    "accounting": "select * from ticdc__accounting",
    "problems": "select * from ticdc__problems",
}
TYPED_QUERIES = {
    "typed rows": "select * from customers",
    "typed rows of a table without key": "select * from keyless",
    "typed history": "select * from swappy_history",
    "typed rows as of a commit": "select * from swappy_as_of({bound})",
}


def contents(cursor: Any, client: str) -> dict[str, list[str]]:
    """The marts and typed tables of a client, each as sorted rows."""
    found = {}
    cursor.execute(f"select min(complete_through_ts) from {client}.ticdc__completeness")
    ((bound,),) = cursor.fetchall()
    for schema, queries in ((client, QUERIES), (f"{client}_shop", TYPED_QUERIES)):
        cursor.execute(f"use {schema}")
        for name, query in queries.items():
            cursor.execute(query.format(bound=bound))
            found[name] = sorted(map(repr, cursor.fetchall()))
    return found
