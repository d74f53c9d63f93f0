"""The command `ticdc` and the dbt plugin that registers the UDFs when dbt opens a Spark session.

dbt imports every installed module named `dbt_*` and reads its `plugins`: nothing heavy may happen here.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any


def package_path() -> Path:
    """The folder of the dbt package `ticdc`: beside this module when installed, the repository in a checkout.

    Raises `FileNotFoundError` where neither holds a dbt_project.yml.
    """
    here = Path(__file__).resolve().parent
    for folder in (here / "project", here.parent.parent):
        if (folder / "dbt_project.yml").is_file():
            return folder
    raise FileNotFoundError(
        f"the dbt package is missing: no dbt_project.yml in {here / 'project'} or {here.parents[1]}"
    )


def __getattr__(name: str) -> Any:
    """`plugins`, loaded when dbt asks for it: the command does without."""
    if name == "plugins":
        from dbt_ticdc.plugin import TicdcPlugin

        return [TicdcPlugin]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
