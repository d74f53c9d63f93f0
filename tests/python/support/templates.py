"""The texts that a module's code gives, as patterns: what it computes, and is no literal, may be any."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple


class Template(NamedTuple):
    """A place of the code that makes a text, and the pattern of all that it gives."""

    place: str
    pattern: re.Pattern[str]


def calls(path: Path, names: Collection[str]) -> Iterator[Template]:
    """The first arguments of the calls of these names."""
    for node, scope in _nodes(path):
        if isinstance(node, ast.Call) and node.args and _name(node.func) in names:
            yield _template(path, node.args[0], scope)


def yielded(path: Path) -> Iterator[Template]:
    """The texts that generators give."""
    for node, scope in _nodes(path):
        if isinstance(node, ast.Yield) and isinstance(node.value, ast.JoinedStr | ast.Constant):
            yield _template(path, node.value, scope)


def _nodes(path: Path) -> Iterator[tuple[ast.AST, ast.AST]]:
    """All nodes, each with the innermost function that it is in, or the module."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    scopes: dict[ast.AST, ast.AST] = {}
    for scope in ast.walk(tree):  # outer ones first
        if isinstance(scope, ast.Module | ast.FunctionDef):
            scopes.update(dict.fromkeys(ast.walk(scope), scope))
    yield from scopes.items()


def _template(path: Path, node: ast.expr, scope: ast.AST) -> Template:
    return Template(f"{path.name}:{node.lineno}", re.compile(_pattern(node, _literals(scope)), re.DOTALL))


def _literals(scope: ast.AST) -> dict[str, ast.expr]:
    """The texts that are given a name in a function, and only one."""
    found: dict[str, list[ast.expr]] = {}
    for node in ast.walk(scope):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            found.setdefault(node.targets[0].id, []).append(node.value)
    return {name: texts[0] for name, texts in found.items() if len(texts) == 1}


def _name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _pattern(node: ast.expr, literals: Mapping[str, ast.expr]) -> str:
    match node:
        case ast.Constant(value=str(text)):
            return re.escape(text)
        case ast.JoinedStr(values=parts):
            return "".join(_pattern(part, literals) for part in parts)
        case ast.FormattedValue(value=value):
            return _pattern(value, literals)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return _pattern(left, literals) + _pattern(right, literals)
        case ast.Name(id=name) if isinstance(literals.get(name), ast.JoinedStr | ast.Constant):
            return _pattern(literals[name], {})
    return ".*"
