"""What a check says about a file, as plain data that one process can send to another, and how the parts of a file are joined.

Theorems belong to the kernel that proved them, so they are not sent: each process proves all that its functions call. The parts are
the connected components of the graph of calls, so no function is proved twice.
"""

from __future__ import annotations

from dataclasses import field

from optigpu.check.verdict import FunctionResult, ProgramResult
from optigpu.elaborate.program_elaboration import elaborate
from optigpu.elaborate.weakening import closed_name
from optigpu.kernel.ledger import called
from optigpu.light_dataclass import dataclass
from optigpu.report.verdict_text import as_json
from optigpu.syntax.diagnostic import InputError
from optigpu.syntax.program import Program
from optigpu.syntax.recursion_limit import deep


@dataclass
class FileAnswer:
    """`data` is the answer as JSON, `texts` what is printed about each function, `result` has verdicts and numbers, no proofs."""

    data: dict[str, object]
    texts: list[str]
    result: ProgramResult
    proof: str = field(default="")  # the program with all inferred contracts, if asked for

    @property
    def text(self) -> str:
        return self.proof + "".join(self.texts)


def without_proofs(r: ProgramResult) -> ProgramResult:
    """A result with verdicts and numbers alone."""
    functions = [FunctionResult(f.name, f.verdict, f.seconds, f.normaliser, f.solver) for f in r.functions]
    return ProgramResult(r.file, functions, r.axioms, r.admitted, r.solver, unbounded=r.unbounded)


@deep
def independent_parts(program: Program) -> list[frozenset[str] | None]:
    """The functions of a program in parts that do not call each other; [None], which is all of it, where there is one part."""
    try:
        procedures = elaborate(program).program.functions
    except (InputError, MemoryError, RecursionError):
        return [None]  # the check says what is wrong
    part_of: dict[str, set[str]] = {}
    for name, procedure in procedures.items():
        joined = {closed_name(n) for n in (name, *called(procedure))}
        for other in tuple(joined):
            joined |= part_of.get(other, set())
        part_of |= dict.fromkeys(joined, joined)
    names = [f.name for f in program.functions()]
    own = frozenset(names)
    parts = dict.fromkeys(frozenset(part_of.get(name, {name})) & own for name in names)
    return list(parts) if len(parts) > 1 else [None]


def joined_answers(program: Program, answers: list[FileAnswer]) -> FileAnswer:
    """The answer for a file from those for its parts: functions in their order in the file, and all that any part assumes."""
    if len(answers) == 1:
        return answers[0]
    order = {f.name: i for i, f in enumerate(program.functions())}
    rows: list[tuple[FunctionResult, object, str]] = []
    for a in answers:
        entries = a.data["functions"]
        assert isinstance(entries, list)
        rows += zip(a.result.functions, entries, a.texts or [""] * len(entries), strict=True)
    rows.sort(key=lambda row: order.get(row[0].name, 0))
    unbounded = {place for a in answers for place in a.result.unbounded}
    result = ProgramResult(
        answers[0].result.file,
        [f for f, _, _ in rows],
        sorted({name for a in answers for name in a.result.axioms}),
        sorted({name for a in answers for name in a.result.admitted}),
        answers[0].result.solver,
        unbounded=sorted(unbounded, key=lambda p: (p.file, p.line, p.column)),
    )
    data = as_json(result) | {"functions": [entry for _, entry, _ in rows]}
    return FileAnswer(data, [text for _, _, text in rows], result)
