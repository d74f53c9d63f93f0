"""A warehouse that an older version built: this one goes on with it."""

from __future__ import annotations

import tarfile
from pathlib import Path
from typing import Any

import pytest
from support import session, shop
from support.corpus import DATA

from dbt_ticdc import warehouse

BUILT_AT = "file:/tmp/rv/up/w/"
"""Where the warehouse stood when its catalogue was written."""


@pytest.mark.soak("processes")
def test_tables_of_an_older_version_are_gone_on_with(home: Path, tmp_path: Path) -> None:
    folder, export = tmp_path / "warehouse", shop.export(tmp_path / "export")
    with tarfile.open(DATA / "upgrade" / "warehouse.tar.xz") as archive:
        archive.extractall(folder, filter="data")
    move_catalogue(session.opened(home), folder)

    feeds = str(shop.FOLDER / "feeds.yml")
    given = ["--messages", str(shop.MESSAGES), "--feeds", feeds, "--warehouse", str(folder)]
    code, output, errors = session.command(["run", *given])
    assert code == 0, output + errors
    assert "1,087 new of 2,287" in errors
    code, output, errors = session.command(["compare", "--truth", str(export), "--warehouse", str(folder)])
    assert code == 0, output + errors


def move_catalogue(spark: Any, folder: Path) -> None:
    """Tells the catalogue of a warehouse where it stands now."""
    connect = spark.sparkContext._jvm.java.sql.DriverManager.getConnection
    database = warehouse._catalogue(folder)
    connection = connect(database)
    statement = connection.createStatement()
    for table, column in (("dbs", "db_location_uri"), ("sds", "location"), ("serde_params", "param_value")):
        statement.executeUpdate(
            f"update {table} set {column} = 'file:{folder}/' || substr({column}, {len(BUILT_AT) + 1}) "
            f"where {column} like '{BUILT_AT}%'"
        )
    connection.close()
    with pytest.raises(Exception, match="shutdown"):  # how Derby says that it did
        connect(f"{database};shutdown=true")
