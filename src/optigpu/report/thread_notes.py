"""Notes of problems with threads: the nested thread groups around the place, and two threads that race."""

from __future__ import annotations

from optigpu.errors.details import Details, level_name
from optigpu.errors.error_row import ProofErrorRow
from optigpu.kernel.causes import Operation, UnequalParts
from optigpu.kernel.thread_conditions import WARP
from optigpu.logic.names import source_name
from optigpu.search.search_causes import DataRace, RaceKind, RaceScope, RaceWitness, UnequalNestedParts

# What the second thread does, by the rejected operation.
ACCESSES = {Operation.LOAD: "reads", Operation.CALL: "may access", Operation.POST: "may access"}


def thread_notes(d: Details, row: ProofErrorRow) -> list[tuple[str, str]]:
    out: list[tuple[str, str]] = []
    if row.draws_levels and d.levels:
        out.append(("levels", _drawn_levels(d)))
    if isinstance(d.cause, DataRace) and d.cause.witness is not None:
        out.append(("witness", _witness(d, d.cause, d.cause.witness)))
    return out


def _witness(d: Details, race: DataRace, witness: RaceWitness) -> str:
    """`thread 3 reads s[4], which thread 4 wrote; nothing orders them`."""
    cell = d.base + "".join(f"[{i}]" for i in witness.cell)
    now, then = (_thread(race, number, witness.block) for number in (witness.now, witness.then))
    second = ACCESSES.get(d.operation, "writes")
    first = "read" if race.kind is RaceKind.AFTER_READ else "wrote"
    return f"{now} {second} {cell}, which {then} {first}; nothing orders them"


def _thread(race: DataRace, number: int, block: int) -> str:
    if race.scope is RaceScope.GRID and block > 0:
        return f"thread {number % block} of block {number // block}"
    return f"thread {number}"


def _drawn_levels(d: Details) -> str:
    """The thread groups around the place, one inside the other, with their sizes."""
    names = ["  " * i + level_name(v) for i, (v, _) in enumerate(d.levels)]
    counts = [d.show(n) for _, n in d.levels]
    if isinstance(d.cause, UnequalParts):  # the thread loop that does not divide them
        index = d.cause.index if isinstance(d.cause, UnequalNestedParts) else "…"
        names.append("  " * len(names) + f"thread for {source_name(index)}")
        counts.append(" / ".join(f"({n})" if " " in n else n for n in (counts[-1], d.show(d.cause.extent))))
    width, wide = max(map(len, names)), max(map(len, counts))
    lines = []
    for i, (name, n) in enumerate(zip(names, counts)):
        group = "a block" if n == d.block else "a warp" if n == str(WARP) else ""
        here = "here" if i == len(names) - 1 else ""
        remark = ", ".join(x for x in (group, here) if x)
        unit = "thread" if n == "1" else "threads"
        lines.append(f"{name:<{width}}  {n:>{wide}} {unit}" + (f" ({remark})" if remark else ""))
    return "\n".join(lines)
