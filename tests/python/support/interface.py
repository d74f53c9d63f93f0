"""What dbt says of the freshness of messages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dbt.artifacts.resources import FreshnessThreshold, Time
from dbt.artifacts.resources.types import TimePeriod

if TYPE_CHECKING:
    from support.package import Package


def freshness_of_messages(package: Package) -> dict[str, Any]:
    """The states that `dbt source freshness` gives, without and with `freshness`, and whether it took a lease."""
    source = package.manifest.sources["source.ticdc.ticdc.messages"]

    def states() -> list[str]:
        done = package.dbt("source", "freshness")
        assert done.success, package.told()
        # the hooks of the package are results as well
        results = (result for result in getattr(done.result, "results", ()) if result.node.resource_type == "source")
        return [str(result.status) for result in results]

    before, without = package.leases(), states()
    limit, source.freshness = source.freshness, FreshnessThreshold(warn_after=Time(60, TimePeriod.minute))
    found = states()
    source.freshness = limit
    return {"without": without, "with": found, "took leases": package.leases() != before}
