"""States of the kernel to try its rules on: one array a of n cells, with or without a launch around it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from optigpu.kernel import Rejected, State
from optigpu.kernel import instructions as kc
from optigpu.kernel.causes import Cause
from optigpu.kernel.ledger import LedgerEntries
from optigpu.kernel.loop_contract import Exclusive, LoopContract
from optigpu.kernel.side_conditions import Take
from optigpu.kernel.state import changed
from optigpu.logic import terms as k
from optigpu.logic.cells import KNOWN, SOME, CellClaim, Cells, box
from optigpu.logic.judge import ObligationJudge
from optigpu.logic.terms import INT, ONE, REAL, TRUE, ZERO, Term
from optigpu.solver.z3_solver import Z3Solver
from tests.support.open_kernel import OpenKernel as Kernel

n, m, G = k.var("n", INT), k.var("m", INT), k.var("G", INT)
A = k.var("A", k.fun_sort((INT,), REAL))
B0, B1 = k.bound(0, INT), k.bound(1, INT)
i, x = k.var("i", INT), k.var("x", REAL)
NOUGHT, THREE = k.num(0, REAL), k.num(3, REAL)
WHOLE = box("a", (n,))
KNOWN_A = CellClaim(WHOLE, KNOWN, k.app(A, B0))
ID = Take(1, (B0,), (B0,))
SIZES = (k.le(ZERO, n), k.le(ZERO, m))


def kernel_of(
    *code: kc.Instruction,
    pre: tuple[CellClaim, ...] = (KNOWN_A,),
    post: tuple[CellClaim, ...] = (),
    requires: tuple[Term, ...] = SIZES,
    ensures: tuple[Term, ...] = (),
    params: tuple[kc.Parameter, ...] = (),
    device: bool = False,
    space: str = "Any",
    others: tuple[kc.Procedure, ...] = (),
) -> Kernel:
    mine = (kc.Parameter("n", INT), kc.Parameter("m", INT), kc.Parameter("a", REAL, (n,), space), *params)
    f = kc.Procedure("f", mine, kc.ProcedureContract((), requires, pre, post, ensures), code, device=device)
    return Kernel(
        ObligationJudge(Z3Solver()), kc.KernelProgram({"f": f, **{g.name: g for g in others}}), LedgerEntries()
    )


def begun(*code: kc.Instruction, **about: Any) -> tuple[Kernel, State]:
    kernel = kernel_of(*code, **about)
    return kernel, kernel.begin("f", tuple((B0,) * c.cells.arity for c in about.get("pre", (KNOWN_A,))))


def launched(
    *code: kc.Instruction, block: int = 6, grid: Term = ONE, shared: int = 1024, **about: Any
) -> tuple[Kernel, State]:
    """In a kernel, with all threads of its grid; a is in global memory."""
    start = (kc.LaunchKernel(grid, k.num(block), k.num(shared)), kc.Phase("threads"))
    kernel, state = begun(*start, *code, space="GMem", **about)
    return kernel, kernel.phase(kernel.launch(state))


def refused(f: Callable[..., Any], *args: Any) -> Cause:
    with pytest.raises(Rejected) as e:
        f(*args)
    return e.value.cause


def threads(name: str, extent: int, *body: kc.Instruction) -> kc.CountedLoop:
    return kc.CountedLoop(k.var(name, INT), ZERO, "<", k.num(extent), "+", ONE, body, kc.THREAD)


def loop(*body: kc.Instruction, bound: Term = n, mode: str = kc.SEQUENTIAL) -> kc.CountedLoop:
    return kc.CountedLoop(i, ZERO, "<", bound, "+", ONE, body, mode)


def store(index: Term, value: Term = THREE, base: str = "a") -> kc.StoreCell:
    return kc.StoreCell(kc.CellAddress(base, (index,)), value)


def load(index: Term, base: str = "a") -> kc.LoadCell:
    return kc.LoadCell(x, kc.CellAddress(base, (index,)))


def each(extent: Term, value: Term | None = THREE, family: int = 1, base: str = "a") -> Exclusive:
    """Iteration v has cell v."""
    return Exclusive(family, Cells(base, ((ZERO, extent),), TRUE, (B0,)), (B0,), (B0,), TRUE, value)


def written_by_threads(kernel: Kernel, state: State, extent: int = 6) -> State:
    """After `thread for t < extent: a[t] = 3`, whose body is one store."""
    body = kernel.enter_loop(state, LoopContract((each(k.num(extent)),), part=ONE))
    (number,) = [f for f in body.held if f not in state.held]
    return kernel.leave_loop(kernel.store(body, number, ()), ((),), ())


SIX = (k.eq(n, k.num(6)), k.le(ZERO, m))
REGISTERS = (kc.Allocate("p", REAL, (), "TReg", False, True, 4), kc.Allocate("q", REAL, (), "TReg", False, True, 4))
VIEWS = (kc.ArrayView("q", (), ZERO), kc.ArrayView("p", (), ZERO))


def shuffling(instr: kc.Shuffle, written: bool = True, **about: Any) -> tuple[Kernel, State]:
    """Registers p (written, if so wanted) and q of all threads."""
    kernel, state = launched(*REGISTERS, instr, **{"block": 32, **about})
    state = kernel.allocate(kernel.allocate(state))
    p = max(state.held) - 1
    full = replace(state.held[p], init=TRUE, value=NOUGHT) if written else state.held[p]
    return kernel, changed(state, held={**state.held, p: full})


def callee(**about: Any) -> kc.Procedure:
    """`void g(int k, float y[k])`, which is admitted."""
    size = k.var("k", INT)
    claim = CellClaim(box("y", (size,)), SOME)
    mine = {
        "params": (kc.Parameter("k", INT), kc.Parameter("y", REAL, (size,))),
        "contract": kc.ProcedureContract((), (), (claim,), (claim,), ()),
        "admitted": True,
    }
    return kc.Procedure("g", body=(), **{**mine, **about})


VIEW = kc.ArrayView("a", (), ZERO)


def calling(g: kc.Procedure, *args: Any, **about: Any) -> tuple[Kernel, State]:
    return begun(kc.Invoke(None, "g", args or (n, VIEW)), others=(g,), **about)
