"""What tests of the package's builds share."""

from __future__ import annotations

import pytest
from support import cases


@pytest.fixture(scope="session")
def built_cases(tmp_path_factory: pytest.TempPathFactory) -> cases.Built:
    """The warehouse with the cases of all modules."""
    return cases.build(tmp_path_factory.mktemp("cases"))
