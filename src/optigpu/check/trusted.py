"""What has to be right for a verdict to be right: files with their sizes, and programs of others.

`optigpu audit` prints the list, docs/logic.md has it, and a test compares it with what the replaying process imports.
"""

from __future__ import annotations

import platform
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).parent.parent
FILES = {
    "logic (terms, facts, laws of equality)": "logic/*.py",
    "kernel (states, rules, theorems)": "kernel/*.py",
    "elaboration (C to the kernel's programs)": "elaborate/*.py",
    "verification, certificates, replay": "check/*.py",
    "solver interface": "solver/*.py",
    "syntax": "syntax/*.py",
    "front end": "frontend/*.{py,lark}",
}
FOR_CODE = {"code generation": "codegen/{*,cuda/*}.py"}
# What the replaying process imports besides: advice for the kernel, and the form of results of a search that it does not make.
NOT_TRUSTED = "search/{advice,inferred_contracts,models,proof_states,samples}.py"
PROGRAMS_FOR_CODE = "the C compiler, nvcc or NVRTC, the driver"


def matching(pattern: str) -> list[Path]:
    """Files of a pattern `folder/{a,b*}.py`, in order."""
    out: set[Path] = set()
    for part in pattern.split():
        for one in _alternatives(part):
            out |= set(ROOT.glob(one))
    return sorted(out)


def _alternatives(pattern: str) -> list[str]:
    before, brace, rest = pattern.partition("{")
    if not brace:
        return [pattern]
    inside, _, after = rest.partition("}")
    return [p for choice in inside.split(",") for p in _alternatives(before + choice + after)]


def _lines(p: Path) -> int:
    return len(p.read_text(encoding="utf-8").splitlines())


def count(pattern: str) -> int:
    return sum(_lines(p) for p in matching(pattern))


def trusted_lines() -> dict[str, int]:
    """Parts of ours that are trusted, with their sizes."""
    return {part: count(pattern) for part, pattern in FILES.items()}


def trusted_for_code() -> dict[str, int]:
    """What else has to be right for code to do what was proved."""
    return {part: count(pattern) for part, pattern in FOR_CODE.items()}


def files_of(part: str) -> list[str]:
    return [str(p.relative_to(ROOT)) for p in matching({**FILES, **FOR_CODE}[part])]


def programs(solver: str) -> list[str]:
    """Programs of others that a proof rests on, as they are here."""
    return [f"Python {platform.python_version()}", solver, f"lark {version('lark')}"]


def table() -> str:
    """The list for docs/logic.md, with sizes rounded up to hundreds."""
    rows = ["| part | lines, at most | files |", "|---|---|---|"]
    for part, pattern in {**FILES, **FOR_CODE}.items():
        most = f"{-(-count(pattern) // 100) * 100:,}"
        rows.append(f"| {part}{', for emitted code' if part in FOR_CODE else ''} | {most} | `{pattern}` |")
    return "\n".join(
        [*rows, f"| programs of others | | Python, z3 (or z3 and cvc5), lark; for code {PROGRAMS_FOR_CODE} |"]
    )
