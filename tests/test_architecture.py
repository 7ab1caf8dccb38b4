"""Packages import only packages before them in ORDER, modules have no import cycles, and the runtime needs NumPy alone."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tools import code_metrics

from tests.conftest import ROOT

SOURCE = ROOT / "src" / "optigpu"
# Each package may import those before it.
ORDER = [
    "version",
    "loaded",
    "light_dataclass",
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
    "schedules",
    "codegen",
    "interp",
    "runtime",
    "report",
    "entry_points",
    "api",
    "plain_run",
    "decorated_program",
    "tuning",
    "commands",
    "checked_files",
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
EVERYWHERE = {"light_dataclass"}
MODULES = code_metrics.modules()
TEST_FILES = sorted((ROOT / "tests").rglob("*.py"))
TEST_MODULE = re.compile(r"^tests\..*\btest_\w+")
STANDARD_LIBRARY_ONLY = ["light_dataclass", "logic", "kernel", "syntax"]


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
            out |= {f"{node.module}.{alias.name}" for alias in node.names}
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
            assert other in ONLY[mine] | EVERYWHERE, f"{mine} imports {other}"


def test_no_module_imports_itself_through_others() -> None:
    """Imports inside functions and for type checkers count too."""
    assert len(MODULES) > 200
    assert not code_metrics.import_cycles(MODULES)


def test_a_cycle_through_a_local_import_is_seen(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(f"def f():\n    from {tmp_path.name} import b\n", encoding="utf-8")
    (tmp_path / "b.py").write_text(f"import {tmp_path.name}.a\n", encoding="utf-8")
    assert code_metrics.import_cycles(code_metrics.modules(tmp_path)) == [[f"{tmp_path.name}.a", f"{tmp_path.name}.b"]]


def test_one_name_stands_for_one_class_and_one_file() -> None:
    assert not code_metrics.class_homonyms(MODULES)
    assert not code_metrics.file_homonyms(MODULES)


def test_files_and_functions_are_short() -> None:
    assert not [f"{name}: {lines}" for lines, name in code_metrics.longest_files(MODULES) if lines > 500]
    assert not [f"{name}: {lines}" for lines, name in code_metrics.longest_functions(MODULES) if lines > 50]


def test_files_of_tests_are_short() -> None:
    lengths = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in TEST_FILES}
    assert len(lengths) > 150
    assert not [f"{path.relative_to(ROOT)}: {lines}" for path, lines in lengths.items() if lines > 600]


@pytest.mark.parametrize("path", TEST_FILES, ids=lambda p: str(p.relative_to(ROOT)))
def test_nothing_imports_from_a_test_module(path: Path) -> None:
    """What two tests share belongs to tests/support: importing a test module would collect or run its tests twice."""
    assert not [name for name in imports(path) if TEST_MODULE.search(name)]


@pytest.mark.parametrize("name", ["tests.kernel.test_models", "tests.test_cases"])
def test_an_import_from_a_test_module_is_noticed(name: str) -> None:
    assert TEST_MODULE.search(name) and not TEST_MODULE.search("optigpu.interp.testing")


def test_private_names_stay_in_their_module() -> None:
    """`sys._getframe`, `os._exit` and `_fields` of named tuples are Python's own, and documented. What an operator of PyTorch does
    below autograd, and taking back a failed registration at once, have no other names than those of PyTorch's own."""
    documented = ("sys._getframe", "storage._fields", "os._exit", "torch._check")
    of_dispatcher = (
        "torch._C",
        "torch._C._AutoDispatchBelowAutograd",
        "torch._C._after_autograd_keyset",
        "torch._C._AutoDispatchBelowADInplaceOrView",
        "torch._C._after_ADInplaceOrView_keyset",
        "library._destroy",
    )
    uses = [use for use in code_metrics.reach_ins(MODULES) if not use.endswith(documented)]
    assert not [
        use for use in uses if not (use.startswith("optigpu.runtime.torch_operators:") and use.endswith(of_dispatcher))
    ]


def test_types_are_ignored_only_at_the_solvers_interface() -> None:
    assert not [place for place in code_metrics.type_ignores(MODULES) if not place.startswith("optigpu.solver.")]


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


@pytest.mark.parametrize(
    "path", [p for p in FILES if p.stem not in ("light_dataclass", "records")], ids=lambda p: p.stem
)
def test_dataclasses_are_light(path: Path) -> None:
    """Those of the standard library are dear to make: they would be a third of the time of a short check."""
    assert not {"dataclasses.dataclass", "dataclasses.replace"} & imports(path)


def test_runtime_imports_with_numpy_alone() -> None:
    """As on a machine where neither the parser nor a solver is installed."""
    blocked = "lark", "greenlet", "z3", "cvc5", "hypothesis"
    code = (
        "import sys\n"
        f"sys.modules.update(dict.fromkeys({blocked!r}))\n"
        "import optigpu.cli, optigpu.runtime.bench, optigpu.runtime.cpu, optigpu.runtime.cuda, optigpu.runtime.manifest\n"
        "import optigpu.commands.measure_command, optigpu.tuning.measuring_folder, optigpu.tuning.measuring_process\n"
        "optigpu.load\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
