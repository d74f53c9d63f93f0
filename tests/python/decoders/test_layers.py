"""A package of `ticdc_udfs` imports only itself and those before it, so that none goes in a circle."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from importlib.util import resolve_name
from pathlib import Path

import pytest

import ticdc_udfs

ROOT = Path(ticdc_udfs.__file__).parent
NAME = ROOT.name
# Packages and single modules; what CONTRIBUTING.md says of them is the same order.
ORDER = (
    "contract",
    "wire",
    "catalogue",
    "schema_sources",
    "sources",
    "protocols",
    "typed",
    "runs",
    "state",
    "spark",
    "registrar",
    "daemon",
    "__init__",
)
MODULES = sorted(ROOT.rglob("*.py"))


def imported(text: str, package: str) -> Iterator[str]:
    """The full names that a module of a package imports, those within functions too."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            source = resolve_name("." * node.level + (node.module or ""), package)
            yield from (f"{source}.{name.name}" for name in node.names)


def part_of(module: str) -> str | None:
    """The part of `ticdc_udfs` that a module, or a name in one, belongs to; None where it is of another package."""
    package, _, rest = module.partition(".")
    if package != NAME:
        return None
    part = rest.partition(".")[0]
    return part if part and any((ROOT / name).exists() for name in (part, f"{part}.py")) else "__init__"


def out_of_order(text: str, module: str, is_package: bool = False) -> list[str]:
    """What a module imports from a part of `ticdc_udfs` that does not come before its own."""
    own = part_of(module)
    assert own in ORDER, f"{module}: {own} has no place in ORDER of {Path(__file__).name}"
    parts = {name: part_of(name) for name in imported(text, module if is_package else module.rpartition(".")[0])}
    allowed = {None, own, *ORDER[: ORDER.index(own)]}
    return sorted(name for name, part in parts.items() if part not in allowed)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_module_imports_only_what_comes_before_it(path: Path) -> None:
    is_package = path.stem == "__init__"
    module = ".".join((NAME, *path.relative_to(ROOT).with_suffix("").parts)).removesuffix(".__init__")
    late = out_of_order(path.read_text(encoding="utf-8"), module, is_package)
    assert not late, f"{module} imports {', '.join(late)}; the order is {', '.join(ORDER)}"


def test_every_part_of_the_order_is_there() -> None:
    parts = {path.relative_to(ROOT).parts[0].removesuffix(".py") for path in MODULES}
    assert parts == set(ORDER)


@pytest.mark.parametrize(
    ("text", "late"),
    [
        ("from ticdc_udfs import contract, spark", ["ticdc_udfs.spark"]),
        ("from ticdc_udfs import register", ["ticdc_udfs.register"]),
        ("import ticdc_udfs", ["ticdc_udfs"]),
        ("import ticdc_udfs.protocols.avro as decoder", ["ticdc_udfs.protocols.avro"]),
        ("from ..protocols import avro", ["ticdc_udfs.protocols.avro"]),
        ("def f():\n    from ticdc_udfs.spark.registry import UDFS", ["ticdc_udfs.spark.registry.UDFS"]),
        ("from . import checksum\nfrom ticdc_udfs.contract.events import Event\nimport json", []),
    ],
)
def test_an_import_of_what_comes_later_is_found(text: str, late: list[str]) -> None:
    assert out_of_order(text, "ticdc_udfs.wire.new") == late
