"""Two warehouses in a Spark of their own, whose tables are in an object store, and on disk; what both hold, as JSON.

`python -m support.in_store FOLDER`: the folder has `feeds.json` and `messages/`, of which each file comes in a run.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from support import session
from support.marts import QUERIES, TYPED_QUERIES

WAREHOUSE = "s3a://tables/warehouse"
ASKED = {
    "place": "describe extended int_ticdc__changes",
    "settings": "set",
    "large rows": "select feed, row_key, row from ticdc__current_rows where table_name = 'big_docs' order by all",
}


def main(folder: Path) -> None:
    """Writes the rows by query of each warehouse to `<warehouse>.json`."""
    for name, settings in (("in_store", {"spark.sql.warehouse.dir": WAREHOUSE}), ("on_disk", {})):
        home = folder / name
        session.opened(home, settings)
        for dump in sorted((folder / "messages").iterdir()):
            assert session.run(home, dump, folder / "feeds.json")
        (folder / f"{name}.json").write_text(json.dumps(_contents(home)), encoding="utf-8")
        session.close()


def _contents(home: Path) -> dict[str, Any]:
    (bound,) = session.rows(home, "select min(complete_through_ts) as bound from ticdc__completeness")
    found: dict[str, Any] = {}
    for schema, queries in (("ticdc", {**QUERIES, **ASKED}), ("shop", TYPED_QUERIES)):
        answers = session.answers(home, schema, [query.format(**bound) for query in queries.values()])
        found |= {name: sorted(map(repr, answer)) for name, answer in zip(queries, answers, strict=True)}
    return found


if __name__ == "__main__":
    main(Path(sys.argv[1]))
