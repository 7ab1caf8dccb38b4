"""Notes of problems with threads: the nested thread groups around the place, and two threads that race."""

from __future__ import annotations

from optigpu.errors.details import Details, level_name, source_name
from optigpu.errors.error_row import ProofErrorRow
from optigpu.kernel.thread_conditions import WARP

ACCESSES = {
    "load": "reads",
    "call": "may access",
    "post": "may access",
}  # what the second thread does, by rejected rule


def thread_notes(d: Details, row: ProofErrorRow) -> list[tuple[str, str]]:
    out: list[tuple[str, str]] = []
    if row.draws_levels and "levels" in d.data:
        out.append(("levels", _drawn_levels(d)))
    if d.data.get("witness"):
        out.append(("witness", _witness(d)))
    return out


def _witness(d: Details) -> str:
    """`thread 3 reads s[4], which thread 4 wrote; nothing orders them`."""
    witness = d.data["witness"]
    cell = d.base + "".join(f"[{i}]" for i in witness["cell"])
    now, then = (_thread(d, witness[t], witness["block"]) for t in ("now", "then"))
    second = ACCESSES.get(d.rule, "writes")
    first = "read" if d.why == "read" else "wrote"
    return f"{now} {second} {cell}, which {then} {first}; nothing orders them"


def _thread(d: Details, number: int, block: int) -> str:
    if d.data.get("scope") == "grid" and block > 0:
        return f"thread {number % block} of block {number // block}"
    return f"thread {number}"


def _drawn_levels(d: Details) -> str:
    """The thread groups around the place, one inside the other, with their sizes."""
    names = ["  " * i + level_name(v) for i, (v, _) in enumerate(d.levels)]
    counts = [d.show(n) for _, n in d.levels]
    if (d.rule, d.why) == ("loop", "extent"):  # the thread loop that does not divide them
        names.append("  " * len(names) + f"thread for {source_name(str(d.data.get('index', '…')))}")
        counts.append(" / ".join(f"({n})" if " " in n else n for n in (counts[-1], d.count("extent"))))
    width, wide = max(map(len, names)), max(map(len, counts))
    lines = []
    for i, (name, n) in enumerate(zip(names, counts)):
        group = "a block" if n == d.count("block") else "a warp" if n == str(WARP) else ""
        here = "here" if i == len(names) - 1 else ""
        remark = ", ".join(x for x in (group, here) if x)
        unit = "thread" if n == "1" else "threads"
        lines.append(f"{name:<{width}}  {n:>{wide}} {unit}" + (f" ({remark})" if remark else ""))
    return "\n".join(lines)
