"""Names that users rely on: models, and columns of theirs. More may follow, none of these goes."""

from __future__ import annotations

import pytest
from dbt.contracts.graph.manifest import Manifest
from support.catalogue import DECODERS

from ticdc_udfs.contract.events import Kind

STAGING = (
    "feed topic partition offset event_index message_at kind commit_ts start_ts schema_name table_name "
    "physical_table_id op row_key before after table_schema_id table_schema ddl_query ddl_type lossy error_code "
    "error_message"
)
TABLE = "feed schema_name table_name table_incarnation"
MESSAGE = "topic partition offset event_index"
ROWS = f"{TABLE} row_key row commit_ts commit_at lossy"
COLUMNS = {
    **dict.fromkeys((f"stg_ticdc__{protocol}" for protocol in (*DECODERS, "avro", "debezium_avro")), STAGING),
    "ticdc__changelog": f"{TABLE} commit_ts commit_at op row_key before after lossy {MESSAGE} run_id known_from",
    "ticdc__current_rows": ROWS,
    "ticdc__row_history": f"{ROWS} valid_from_ts valid_to_ts valid_from_at valid_to_at op closed_by",
    "ticdc__rows_as_of": ROWS,
    "ticdc__tables": f"{TABLE} key_columns current_relation history_relation row_count last_commit_ts "
    "complete_through_ts problem_count",
    "ticdc__problems": "feed schema_name table_name commit_ts severity code detail remedy",
    "ticdc__dead_letters": f"feed {MESSAGE} message_at error_code error_message key value",
    "ticdc__accounting": "feed topic partition first_offset last_offset messages rows ddl watermarks bootstraps "
    "dead_letters offset_gaps balanced",
    "ticdc__completeness": "feed topic partition watermark_ts watermark_at regressions silent_since "
    "complete_through_ts",
    "ticdc__ddl_history": "feed commit_ts schema_name table_name rows_taken rows_uncertain",
    "ticdc__uncertain_rows": f"{TABLE} commit_ts commit_at ddl_kind row_key row is_taken lossy is_settled",
    "ticdc__columns": f"{TABLE} column_name",
    "ticdc__fidelity_reasons": "reason protocols types meaning",
}


@pytest.mark.parametrize("name", COLUMNS)
def test_columns_that_are_relied_on_are_there(name: str, manifest: Manifest) -> None:
    """All but staging are keyed by the feed first."""
    kind = "seed" if name == "ticdc__fidelity_reasons" else "model"
    columns = list(manifest.nodes[f"{kind}.ticdc.{name}"].columns)
    assert set(COLUMNS[name].split()) <= set(columns)
    assert columns[0] == "feed" or name.startswith("stg_") or kind == "seed"


def test_events_are_of_these_kinds() -> None:
    assert set(Kind) == {"row", "ddl", "watermark", "bootstrap", "error"}
