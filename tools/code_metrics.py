"""Measures how the source tree is built: `python tools/code_metrics.py [FOLDER]` prints one line a measure.

Import cycles count every import, those inside functions too. A homonym is a class, or a file, whose name stands for two things.
A reach-in is a use of another object's or module's private name. tests/test_architecture.py keeps what these measures reached.
"""

from __future__ import annotations

import ast
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src" / "optigpu"


@dataclass(frozen=True)
class Module:
    name: str  # optigpu.logic.facts
    path: Path
    tree: ast.Module
    text: str

    @property
    def lines(self) -> int:
        return len(self.text.splitlines())

    @property
    def functions(self) -> Iterator[ast.FunctionDef]:
        return (n for n in ast.walk(self.tree) if isinstance(n, ast.FunctionDef))


def modules(root: Path = SOURCE) -> dict[str, Module]:
    """All modules below a package's folder, by dotted name."""
    found = {}
    for path in sorted(root.rglob("*.py")):
        parts = (root.name, *path.relative_to(root).with_suffix("").parts)
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        text = path.read_text(encoding="utf-8")
        found[name] = Module(name, path, ast.parse(text), text)
    return found


def imports(module: Module, known: dict[str, Module]) -> set[str]:
    """The modules of the package that a module imports, anywhere in its text."""
    names = set()
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                member = f"{node.module}.{alias.name}"
                names.add(member if member in known else node.module)
    return (names & known.keys()) - {module.name}


def import_cycles(known: dict[str, Module]) -> list[list[str]]:
    """The strongly connected components of the import graph with more than one module (Tarjan's algorithm)."""
    graph = {name: sorted(imports(m, known)) for name, m in known.items()}
    number: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    cycles: list[list[str]] = []

    def visit(v: str) -> None:
        number[v] = low[v] = len(number)
        stack.append(v)
        for w in graph[v]:
            if w not in number:
                visit(w)
                low[v] = min(low[v], low[w])
            elif w in stack:
                low[v] = min(low[v], number[w])
        if low[v] == number[v]:
            component = stack[stack.index(v) :]
            del stack[stack.index(v) :]
            if len(component) > 1:
                cycles.append(sorted(component))

    for v in graph:
        if v not in number:
            visit(v)
    return cycles


def class_homonyms(known: dict[str, Module]) -> dict[str, list[str]]:
    """Public class names that two modules define."""
    places = defaultdict(list)
    for m in known.values():
        for node in m.tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(m.name)
    return {name: at for name, at in places.items() if len(at) > 1}


def file_homonyms(known: dict[str, Module]) -> dict[str, list[str]]:
    """File names that stand in two folders."""
    places = defaultdict(list)
    for m in known.values():
        if m.path.stem != "__init__":
            places[m.path.stem].append(m.name)
    return {stem: at for stem, at in places.items() if len(at) > 1}


def reach_ins(known: dict[str, Module]) -> list[str]:
    """Uses of private names of other modules, and of private attributes of objects whose class the module does not define."""
    found = []
    for m in known.values():
        own = {n.name for n in ast.walk(m.tree) if isinstance(n, ast.FunctionDef | ast.ClassDef)}
        own |= {n.attr for n in ast.walk(m.tree) if isinstance(n, ast.Attribute) and _is_self(n.value)}
        own |= {s.value for n in ast.walk(m.tree) if isinstance(n, ast.Tuple | ast.List) for s in n.elts if _is_text(s)}
        for node in ast.walk(m.tree):
            if isinstance(node, ast.Attribute) and _private(node.attr) and not _is_self(node.value):
                if node.attr not in own:
                    found.append(f"{m.name}:{node.lineno} {ast.unparse(node)}")
            elif isinstance(node, ast.ImportFrom):
                found += [f"{m.name}:{node.lineno} {a.name}" for a in node.names if _private(a.name)]
    return found


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


def _is_self(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id in ("self", "cls")


def local_imports(known: dict[str, Module]) -> list[str]:
    """Imports inside functions."""
    return sorted(
        {
            f"{m.name}:{node.lineno}"
            for m in known.values()
            for f in m.functions
            for node in ast.walk(f)
            if isinstance(node, ast.Import | ast.ImportFrom)
        }
    )


def type_ignores(known: dict[str, Module]) -> list[str]:
    return [
        f"{m.name}:{number}"
        for m in known.values()
        for number, line in enumerate(m.text.splitlines(), 1)
        if "type: ignore" in line
    ]


def uses_of_any(known: dict[str, Module]) -> int:
    return sum(isinstance(n, ast.Name) and n.id == "Any" for m in known.values() for n in ast.walk(m.tree))


def longest_files(known: dict[str, Module]) -> list[tuple[int, str]]:
    return sorted(((m.lines, m.name) for m in known.values()), reverse=True)


def longest_functions(known: dict[str, Module]) -> list[tuple[int, str]]:
    """By lines, the docstring aside."""
    return sorted(((_length(f), f"{m.name}.{f.name}") for m in known.values() for f in m.functions), reverse=True)


def _length(f: ast.FunctionDef) -> int:
    first = f.body[0]
    has_docstring = isinstance(first, ast.Expr) and _is_text(first.value)
    docstring = (first.end_lineno or 0) - first.lineno + 1 if has_docstring else 0
    return (f.end_lineno or 0) - f.lineno + 1 - docstring


def longest(measured: list[tuple[int, str]]) -> str:
    lines, name = measured[0]
    return f"{lines} {name}"


def report(root: Path) -> None:
    known = modules(root)
    cycles, classes, files = import_cycles(known), class_homonyms(known), file_homonyms(known)
    long_files = [(n, name) for n, name in longest_files(known) if n > 500]
    long_functions = [(n, name) for n, name in longest_functions(known) if n > 50]
    print(f"modules                       {len(known)}")
    print(f"lines                         {sum(m.lines for m in known.values())}")
    print(f"modules in import cycles      {sum(map(len, cycles))}  {cycles or ''}")
    print(f"class homonyms                {len(classes)}  {', '.join(sorted(classes))}")
    print(f"file homonyms                 {len(files)}  {', '.join(sorted(files))}")
    print(f"longest file                  {longest(longest_files(known))}; over 500 lines: {len(long_files)}")
    print(f"longest function              {longest(longest_functions(known))}; over 50 lines: {len(long_functions)}")
    print(f"private reach-ins             {len(reach_ins(known))}  {', '.join(reach_ins(known))}")
    print(f"uses of Any                   {uses_of_any(known)}")
    print(f"type: ignore                  {len(type_ignores(known))}  {', '.join(type_ignores(known))}")
    print(f"local imports                 {len(local_imports(known))}")


if __name__ == "__main__":
    report(Path(sys.argv[1]) if len(sys.argv) > 1 else SOURCE)
