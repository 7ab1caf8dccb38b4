"""What a user writes: lines of code and annotations, and statements of the script, in the columns of the OptiGPU thesis' Table 7.5.

Lines are counted as there, without blank lines and comments; a line is an annotation if it is part of one. The script is counted in
lines, imports included, and in statements. The output is the program after the last step, and the CUDA made from it.
"""

from __future__ import annotations

import ast
import json
import re
import runpy
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

from optigpu import Script

ROOT = Path(__file__).parent.parent
SCRIPTS = ROOT / "examples" / "gpu" / "scripts"
ANNOTATION = re.compile(r"__\w+\(")
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Effort:
    kernel: str
    code: str
    annotations: str
    script: int  # lines
    statements: int | None
    output_code: int
    output_annotations: int
    cuda: int
    device: int  # lines of the kernels alone


# The OptiGPU thesis gives what was written for the program and, for the reduction, for a verified tree apart.
THESIS = (
    Effort("transpose", "9", "9", 57, None, 89, 359, 37, 26),
    Effort("reduce", "8+24", "14+71", 143, None, 93, 180, 54, 37),
)


def lines(text: str) -> list[str]:
    return [line for line in COMMENT.sub("", text).splitlines() if line.strip()]


def parted(text: str) -> tuple[int, int]:
    """Lines of code and of annotations."""
    code = annotations = 0
    open_ = 0
    for line in lines(text):
        if open_ or ANNOTATION.match(line.strip()):
            annotations += 1
            outside = re.sub(r'"[^"]*"', "", line)
            open_ += outside.count("(") - outside.count(")")
        else:
            code += 1
    return code, annotations


def statements(text: str) -> int:
    """Statements of a script that make steps: without its docstring, imports and what it does with the result."""
    body = ast.parse(text).body
    kept = [s for s in body if not isinstance(s, ast.Import | ast.ImportFrom | ast.If)]
    return len([s for s in kept if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))])


def script_lines(text: str) -> int:
    return len([line for line in ast.unparse(ast.parse(text)).splitlines() if line.strip()])


def device_lines(cuda: str) -> int:
    """Lines of the functions that run on the device."""
    count = inside = 0
    for line in lines(cuda):
        if line.startswith(("__global__", "__device__", 'extern "C" __global__', "static __device__")):
            inside = 1
        count += inside
        if line.startswith("}"):
            inside = 0
    return count


def effort(path: Path) -> Effort:
    s = runpy.run_path(str(path))["s"]
    assert isinstance(s, Script)
    text = path.read_text(encoding="utf-8")
    code, annotations = parted(Path(s.original.file).read_text(encoding="utf-8"))
    output, output_annotations = parted(s.text())
    cuda = s.cuda().text
    return Effort(
        path.stem, str(code), str(annotations), script_lines(text), statements(text), output, output_annotations,
        len(lines(cuda)), device_lines(cuda),
    )  # fmt: skip


def row(e: Effort, who: str) -> str:
    steps = "" if e.statements is None else str(e.statements)
    return (
        f"{e.kernel:<14} {who:<8} {e.code:>7} {e.annotations:>7} {e.script:>7} {steps:>11} "
        f"{e.output_code:>8} {e.output_annotations:>7} {f'{e.cuda}/{e.device}':>12}"
    )


def main() -> None:
    names = sys.argv[1:] or sorted(p.stem for p in SCRIPTS.glob("*.py"))
    print(f"{'':<24}{'input':^35} {'output':^29}")
    print(
        f"{'kernel':<14} {'':<8} {'C code':>7} {'annot.':>7} {'script':>7} {'statements':>11} "
        f"{'C code':>8} {'annot.':>7} {'CUDA/kernel':>12}"
    )
    rows = []
    for name in names:
        e = effort(SCRIPTS / f"{name}.py")
        rows.append(asdict(e))
        print(row(e, "OptiGPU"))
        for theirs in THESIS:
            if theirs.kernel == name:
                print(row(theirs, "thesis"))
    out = ROOT / "build" / "effort.json"
    out.parent.mkdir(exist_ok=True)
    out.write_text(json.dumps({"rows": rows, "thesis": [asdict(t) for t in THESIS]}, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
