"""`memcpy` between host and GPU memory: functions that the kernel defines by their contracts."""

from __future__ import annotations

from optigpu.kernel.instructions import GLOBAL, HOST_MEMORY, Parameter, Procedure, ProcedureContract
from optigpu.logic import terms as k
from optigpu.logic.cells import KNOWN, READ, UNINIT, CellClaim, arguments, box

COPIES = {
    "memcpy_host_to_device": (GLOBAL, HOST_MEMORY),
    "memcpy_device_to_host": (HOST_MEMORY, GLOBAL),
    "memcpy_device_to_device": (GLOBAL, GLOBAL),
}
SORTS = {s.name: s for s in (k.INT, k.REAL, k.BOOL)}


def copying(name: str) -> Procedure | None:
    """`memcpy_host_to_device2.real`: host code that copies an array of rank 2 with elements of that sort."""
    stem, _, sort_name = name.partition(".")
    if stem[:-1] not in COPIES or stem[-1] not in "12345678" or sort_name not in SORTS:
        return None
    rank, sort = int(stem[-1]), SORTS[sort_name]
    dims = tuple(k.var(f"n{i}", k.INT) for i in range(rank))
    params = [Parameter(p, sort, dims, space) for p, space in zip(("to", "from"), COPIES[stem[:-1]])]
    value = k.app(k.var("A", k.fun_sort((k.INT,) * rank, sort)), *arguments(rank))
    source = CellClaim(box("from", dims), KNOWN, value, READ)
    target, copied = CellClaim(box("to", dims), UNINIT), CellClaim(box("to", dims), KNOWN, value)
    sizes = tuple(k.le(k.ZERO, d) for d in dims)
    contract = ProcedureContract((value.args[0],), sizes, (target, source), (copied,), ())
    return Procedure(name, (*params, *(Parameter(str(d.data), k.INT) for d in dims)), contract, (), primitive=True)
