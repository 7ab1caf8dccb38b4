"""Packages import only packages before them in ORDER, modules have no import cycles, and the runtime needs NumPy alone."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

SOURCE = ROOT / "src" / "optigpu"
# Each package may import those before it.
ORDER = [
    "version",
    "logic",
    "kernel",
    "solver",
    "syntax",
    "frontend",
    "elaborate",
    "search",
    "errors",
    "check",
    "script",
    "transform",
    "codegen",
    "interp",
    "runtime",
    "report",
    "api",
    "commands",
    "cli",
]
# Narrower than the order alone.
ONLY = {
    "logic": set(),
    "kernel": {"logic"},
    "solver": {"logic"},
    "syntax": set(),
    "frontend": {"syntax"},
    "elaborate": {"logic", "kernel", "syntax", "frontend"},
    "errors": {"logic", "kernel", "syntax", "elaborate", "search"},
    "interp": {"syntax", "frontend"},  # the yardstick is independent of what it measures
    "runtime": {"syntax", "codegen"},
}
STANDARD_LIBRARY_ONLY = ["logic", "kernel", "syntax"]


def imports(path: Path) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    out: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            out |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path.name}: relative import"
            assert node.module is not None
            out.add(node.module)
    return out


def package_of(path: Path) -> str:
    first = path.relative_to(SOURCE).parts[0]
    return first.removesuffix(".py")


FILES = sorted(p for p in SOURCE.rglob("*.py") if package_of(p) not in ("__init__", "__main__"))


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(SOURCE)))
def test_imports_point_upwards(path: Path) -> None:
    mine = package_of(path)
    assert mine in ORDER, f"{mine} is not a package of the design"
    for name in imports(path):
        if not name.startswith("optigpu."):
            continue
        other = name.split(".")[1]
        if other == mine:
            continue
        assert ORDER.index(other) < ORDER.index(mine), f"{mine} imports {other}"
        if mine in ONLY:
            assert other in ONLY[mine], f"{mine} imports {other}"


def module_name(path: Path) -> str:
    parts = ("optigpu", *path.relative_to(SOURCE).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def import_graph() -> dict[str, set[str]]:
    """The modules that each module imports, anywhere in its text: inside functions and for type checkers too."""
    paths = {module_name(p): p for p in SOURCE.rglob("*.py")}
    graph: dict[str, set[str]] = {}
    for name, path in paths.items():
        imported: set[str] = set()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                imported |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                names = {alias.name: f"{node.module}.{alias.name}" for alias in node.names}
                imported |= {full if full in paths else str(node.module) for full in names.values()}
        graph[name] = imported & paths.keys() - {name}
    return graph


def reachable(graph: dict[str, set[str]], start: str) -> set[str]:
    seen: set[str] = set()
    pending = [start]
    while pending:
        for name in graph[pending.pop()] - seen:
            seen.add(name)
            pending.append(name)
    return seen


def test_no_module_imports_itself_through_others() -> None:
    graph = import_graph()
    assert len(graph) > 200
    assert not [name for name in graph if name in reachable(graph, name)]


@pytest.mark.parametrize("path", [p for p in FILES if package_of(p) in STANDARD_LIBRARY_ONLY], ids=lambda p: p.stem)
def test_trusted_packages_use_the_standard_library_alone(path: Path) -> None:
    for name in imports(path):
        assert name.split(".")[0] in sys.stdlib_module_names | {"optigpu"}, name


@pytest.mark.parametrize(
    "path", [p for p in FILES if package_of(p) not in ("commands", "cli", "report")], ids=lambda p: p.stem
)
def test_only_cli_and_report_print(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            assert node.func.id != "print", f"{path.name}:{node.lineno} prints"


def test_runtime_imports_with_numpy_alone() -> None:
    """As on a machine where neither the parser nor a solver is installed."""
    blocked = "lark", "greenlet", "z3", "cvc5", "hypothesis"
    code = (
        "import sys\n"
        f"sys.modules.update(dict.fromkeys({blocked!r}))\n"
        "import optigpu.cli, optigpu.runtime.bench, optigpu.runtime.cpu, optigpu.runtime.cuda, optigpu.runtime.manifest\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_kernel_has_no_type_ignores() -> None:
    for path in [*(SOURCE / "logic").rglob("*.py"), *(SOURCE / "kernel").rglob("*.py")]:
        assert "type: ignore" not in path.read_text(encoding="utf-8"), path.name
