"""What has to be right for a verdict to be right: folders and files of ours with their sizes, and programs of others.

`optigpu audit` prints the list, docs/logic.md has it, and a test compares it with what the replaying process imports.
"""

from __future__ import annotations

import platform
from pathlib import Path

from optigpu.solver.package_versions import package_version

ROOT = Path(__file__).parent.parent
TRUSTED = {
    "light_dataclass.py": "how immutable classes are made",
    "logic": "terms, facts, laws of equality",
    "kernel": "states, rules, theorems",
    "elaborate": "C to the kernel's programs",
    "solver": "the interface to z3 and cvc5, the cache of their answers",
    "check": "verification, certificates, replay, what a script must keep",
    "syntax": "the language",
    "frontend": "annotated C and Python to checked syntax",
}
TRUSTED_FOR_CODE = {"codegen": "code generation: verified programs to C and CUDA"}
# The replaying process imports these as well. They are not trusted: advice for the normaliser, which it checks, the
# form of error messages, the time of the start, and a string.
IMPORTED_UNTRUSTED = (
    *(
        f"search/{name}.py"
        for name in (
            "advice",
            "arbitrary_model",
            "evaluation",
            "instantiation",
            "refutation",
            "samples",
            "squares",
            "watch",
        )
    ),
    *(f"errors/{name}.py" for name in ("__init__", "check_causes", "problem")),
    "loaded.py",
    "version.py",
)
SUFFIXES = (".py", ".lark", ".h")
TABLES = ".table.json"  # of the grammars, made from them; a test compares them
PROGRAMS_FOR_CODE = "the C compiler, nvcc or NVRTC, the driver"


def files_of(part: str) -> list[Path]:
    """The source files of a trusted folder, relative to the package; or the one file of that name."""
    if part.endswith(".py"):
        return [Path(part)]
    return sorted(p.relative_to(ROOT) for p in (ROOT / part).rglob("*") if p.suffix in SUFFIXES)


def tables_of(folder: str) -> list[Path]:
    """The tables of the grammars in a trusted folder, relative to the package."""
    return sorted(p.relative_to(ROOT) for p in (ROOT / folder).rglob(f"*{TABLES}"))


def line_count(folder: str) -> int:
    return sum(len((ROOT / p).read_text(encoding="utf-8").splitlines()) for p in files_of(folder))


def trusted_lines() -> dict[str, int]:
    """The trusted folders, with their sizes."""
    return {folder: line_count(folder) for folder in TRUSTED}


def trusted_for_code() -> dict[str, int]:
    """The folders that must be right, too, for emitted code to do what was proved."""
    return {folder: line_count(folder) for folder in TRUSTED_FOR_CODE}


def programs(solver: str) -> list[str]:
    """Programs of others that a proof rests on, as they are here."""
    return [f"Python {platform.python_version()}", solver, f"lark {package_version('lark', 'lark')}"]


def table() -> str:
    """The list for docs/logic.md."""
    rows = ["| folder | what it does |", "|---|---|"]
    rows += [f"| `{part if part.endswith('.py') else f'{part}/'}` | {task} |" for part, task in TRUSTED.items()]
    rows += [f"| `{folder}/`, for emitted code | {task} |" for folder, task in TRUSTED_FOR_CODE.items()]
    return "\n".join(
        [*rows, f"| programs of others | Python, z3 (or z3 and cvc5), lark; for code {PROGRAMS_FOR_CODE} |"]
    )
