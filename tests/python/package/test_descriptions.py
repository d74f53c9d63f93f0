"""Everything a user can see has a description, and the lists that stand in two places are the same in both."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from enum import StrEnum
from pathlib import Path

import pytest
from dbt.contracts.graph.manifest import Manifest
from dbt.contracts.graph.nodes import Macro
from dbt_common.clients.jinja import get_environment
from jinja2 import nodes
from support import udfs_page

from ticdc_udfs.catalogue.changes import DdlKind
from ticdc_udfs.catalogue.fold import ProblemCode
from ticdc_udfs.contract.events import ErrorCode, Lossy
from ticdc_udfs.spark.registry import UDFS
from ticdc_udfs.typed.names import TypedReason

ROOT = Path(__file__).parents[3]
PACKAGE = "ticdc"
LONGEST_LINE = 120
"""Of the lines of macros."""


def test_models_and_seeds(manifest: Manifest) -> None:
    tables = [
        node
        for node in manifest.nodes.values()
        if node.package_name == PACKAGE and node.resource_type in ("model", "seed", "snapshot")
    ]
    assert tables
    report(
        problem
        for table in tables
        for problem in undescribed_table(table.name, table.description, table.columns, table.original_file_path)
    )


def test_columns_comments_fit_into_a_metastore(manifest: Manifest) -> None:
    """With `persist_docs` they are comments of columns, of which Hive's holds 256 characters."""
    models = [
        node for node in manifest.nodes.values() if node.package_name == PACKAGE and node.resource_type == "model"
    ]
    report(
        f"{model.name}.{column.name}: the description has {len(column.description)} characters, at most 255 fit"
        for model in models
        for column in model.columns.values()
        if len(column.description) > 255
    )


def test_staging_models_have_the_same_columns_and_types(manifest: Manifest) -> None:
    """A build compares those of one protocol with its relation."""
    staging = {
        node.name: {name: column.data_type for name, column in node.columns.items()}
        for node in manifest.nodes.values()
        if node.name.startswith("stg_ticdc__")
    }
    assert len(staging) > 1
    first = staging["stg_ticdc__canal_json"]
    assert {name: columns for name, columns in staging.items() if columns != first} == {}


def test_sources(manifest: Manifest) -> None:
    tables = [source for source in manifest.sources.values() if source.package_name == PACKAGE]
    assert tables
    report(
        problem
        for table in tables
        for problem in (
            *undescribed(f"source {table.source_name}", table.source_description, table.original_file_path),
            *undescribed_table(table.name, table.description, table.columns, table.original_file_path),
        )
    )


def test_macros(manifest: Manifest) -> None:
    """What projects may call has a file of its own and a yml; others stand with their kin, each below a sentence."""
    macros = [macro for macro in manifest.macros.values() if macro.package_name == PACKAGE]
    assert macros
    in_file = Counter(macro.original_file_path for macro in macros)
    private = [macro for macro in macros if is_private(macro, in_file[macro.original_file_path])]
    report(problem for macro in macros if macro not in private for problem in undescribed_macro(macro))
    report(problem for macro in private for problem in untold_macro(macro))


def test_lines_of_macros_are_read_without_scrolling() -> None:
    report(
        f"{path.relative_to(ROOT)}:{number} has {len(line)} characters, at most {LONGEST_LINE} fit"
        for path in sorted((ROOT / "macros").rglob("*.sql"))
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if len(line) > LONGEST_LINE
    )


def test_variables_stand_in_the_configuration_page() -> None:
    page = (ROOT / "docs" / "configuration.md").read_text(encoding="utf-8")
    sources = [
        path
        for folder in ("models", "macros", "tests/generic")
        for path in sorted((ROOT / folder).rglob("*"))
        if path.suffix in (".sql", ".yml")
    ]
    report(
        f"{path.relative_to(ROOT)}: the variable {name} is not described in docs/configuration.md (as `{name}`)"
        for path in sources
        for name in sorted(set(re.findall(r"\bvar\(\s*[\"'](\w+)[\"']", path.read_text(encoding="utf-8"))))
        if f"`{name}`" not in page
    )


def test_udfs_stand_in_their_page() -> None:
    page = udfs_page.PAGE.read_text(encoding="utf-8")
    report(
        f"docs/udfs.md lacks the UDF: {signature}"
        for signature in map(udfs_page.signature, UDFS)
        if f"`{signature}`" not in page
    )
    assert page == udfs_page.page(), "`make fidelity` writes the page anew"


@pytest.mark.parametrize(
    ("codes", "seed", "column"),
    [
        (ErrorCode, "ticdc__error_codes", "error_code"),
        (Lossy, "ticdc__fidelity_reasons", "reason"),
        (DdlKind, "ticdc__ddl_kinds", "kind"),
        (ProblemCode, "ticdc__catalogue_problems", "code"),
        (TypedReason, "ticdc__typed_reasons", "reason"),
    ],
)
def test_codes_stand_in_their_seed(codes: type[StrEnum], seed: str, column: str) -> None:
    with (ROOT / "seeds" / f"{seed}.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    described = [row[column] for row in rows]
    in_code = [code.value for code in codes]
    report(
        [
            *(f"{seed}.csv lacks {code}" for code in in_code if code not in described),
            *(f"{seed}.csv: nothing gives {code}" for code in described if code not in in_code),
            *(f"{seed}.csv has {code} twice" for code in sorted(set(described)) if described.count(code) > 1),
            *(f"{seed}.csv: {row[column]} has no {name}" for row in rows for name, text in row.items() if not text),
            # dbt-spark does not escape them with method session
            *(f"{seed}.csv: {row[column]} has a ' or \\" for row in rows if re.search(r"['\\]", "".join(row.values()))),
        ]
    )


def report(problems: Iterable[str]) -> None:
    found = list(problems)
    if found:
        pytest.fail(f"{len(found)} problem(s):\n  " + "\n  ".join(found), pytrace=False)


def undescribed(what: str, description: str, path: str) -> Iterator[str]:
    """A description says more than the name: two words at least."""
    if len(description.split()) < 2:
        yield f"{path}: {what} is not described" + (f" (got: {description!r})" if description else "")


def undescribed_table(name: str, description: str, columns: dict[str, object], path: str) -> Iterator[str]:
    yield from undescribed(name, description, path)
    if not columns:
        yield f"{path}: {name} has no columns in its yml"
    for column in columns.values():
        yield from undescribed(f"column {name}.{column.name}", column.description, path)  # type: ignore[attr-defined]


def is_private(macro: Macro, macros_in_file: int) -> bool:
    return not macro.name.startswith(("materialization_", "test_")) and (
        macros_in_file > 1 or Path(macro.original_file_path).stem != macro.name
    )


def untold_macro(macro: Macro) -> Iterator[str]:
    path = macro.original_file_path
    if macro.description or macro.arguments:
        yield f"{path}: macro {macro.name} stands with others, and a yml describes it: a sentence above it is enough"
    before = re.split(rf"{{%-?\s*macro {macro.name}\(", (ROOT / path).read_text(encoding="utf-8"))[0]
    comment = re.search(r"{#-?((?:(?!#}).)*)#}\s*$", before, re.DOTALL)
    yield from undescribed(f"macro {macro.name}", comment[1].strip(" -\n") if comment else "", path)


def undescribed_macro(macro: Macro) -> Iterator[str]:
    path = macro.original_file_path
    yield from undescribed(f"macro {macro.name}", macro.description, path)
    described = [argument.name for argument in macro.arguments]
    if described != signature(macro):
        yield f"{path}: macro {macro.name} takes {signature(macro)}, its yml describes {described}"
    for argument in macro.arguments:
        yield from undescribed(f"argument {argument.name} of macro {macro.name}", argument.description, path)
        if not argument.type:
            yield f"{path}: argument {argument.name} of macro {macro.name} has no type"


def signature(macro: Macro) -> list[str]:
    """The names of the macro's arguments, as its source has them; a materialization's are dbt's own."""
    if macro.name.startswith("materialization_"):
        return []
    (definition,) = get_environment(None).parse(macro.macro_sql).find_all(nodes.Macro)
    return [argument.name for argument in definition.args]
