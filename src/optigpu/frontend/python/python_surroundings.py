"""The classes and functions around a function.

Python looks up annotations and decorators there first, programs in the module alone.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

Scope = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def scopes_around(module: ast.Module, function: ast.AST) -> tuple[Scope, ...]:
    """The classes and functions that a function stands in, outermost first."""
    pending: list[tuple[ast.AST, tuple[Scope, ...]]] = [(module, ())]
    while pending:
        node, around = pending.pop()
        if node is function:
            return around
        inside = (*around, node) if isinstance(node, Scope) else around
        pending += [(child, inside) for child in ast.iter_child_nodes(node)]
    raise AssertionError("the function is not in its module")


def bound_names(scopes: tuple[Scope, ...]) -> frozenset[str]:
    """The names that these scopes bind."""
    return frozenset(name for s in scopes for name in _bound(s))


def _bound(scope: Scope) -> Iterator[str]:
    yield from _type_parameters(scope)
    if not isinstance(scope, ast.ClassDef):
        yield from (a.arg for a in ast.walk(scope.args) if isinstance(a, ast.arg))
    pending: list[ast.AST] = list(scope.body)
    while pending:
        node = pending.pop()
        if isinstance(node, Scope):
            yield node.name
            pending += node.decorator_list
            continue
        match node:
            case ast.Lambda():
                continue
            case ast.Name(name, ast.Store() | ast.Del()):
                yield name
            case ast.alias(name, asname):
                yield asname or name.split(".")[0]
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                yield name
            case ast.MatchMapping(rest=str(name)):
                yield name
            case ast.Global(names) | ast.Nonlocal(names):
                yield from names
            case _:
                pass
        pending += ast.iter_child_nodes(node)


def _type_parameters(scope: ast.AST) -> Iterator[str]:
    yield from (p.name for p in getattr(scope, "type_params", ()))


def private_name(function: ast.AST, scopes: tuple[Scope, ...]) -> ast.AST | None:
    """A name that Python changes since a class is around: `__x` in a class C is `_C__x`."""
    if not any(isinstance(s, ast.ClassDef) for s in scopes):
        return None
    for node in ast.walk(function):
        name = next(
            (x for x in (getattr(node, f, None) for f in ("id", "attr", "arg", "name")) if isinstance(x, str)), ""
        )
        if name.startswith("__") and not name.endswith("__"):
            return node
    return None
