"""What dbt makes of a mart whose contract is broken, and of the freshness of messages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dbt.artifacts.resources import ColumnInfo, FreshnessThreshold, Time
from dbt.artifacts.resources.types import TimePeriod

if TYPE_CHECKING:
    from support.package import Package


def with_another_contract(package: Package) -> dict[str, Any]:
    """What dbt says of a mart whose yml has another type, a column more and one less; and the rows that are read."""
    columns = package.manifest.nodes["model.ticdc.ticdc__transactions"].columns
    before = dict(columns)
    columns["changes"] = ColumnInfo(name="changes", data_type="int")
    columns["more"] = ColumnInfo(name="more", data_type="string")
    del columns["tables"]
    said = package.refused("run", "--select", "ticdc__transactions")
    columns.clear()
    columns.update(before)
    return {"said": said, "rows": package.values("select count(*) from ticdc_lint.ticdc__transactions")}


def freshness_of_messages(package: Package) -> dict[str, Any]:
    """The states that `dbt source freshness` gives, without and with `freshness`, and whether it took a lease."""
    source = package.manifest.sources["source.ticdc.ticdc.messages"]

    def leases() -> list[str]:
        return [row["tableName"] for row in package.rows("show tables in ticdc_lint like 'ticdc__lease*'")]

    def states() -> list[str]:
        done = package.dbt("source", "freshness")
        assert done.success, package.told()
        return [str(result.status) for result in getattr(done.result, "results", ())]

    before, without = leases(), states()
    limit, source.freshness = source.freshness, FreshnessThreshold(warn_after=Time(60, TimePeriod.minute))
    found = states()
    source.freshness = limit
    return {"without": without, "with": found, "took leases": leases() != before}
